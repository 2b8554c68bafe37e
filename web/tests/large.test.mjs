// A recording that is read in parts is the same as one that is read at once, and its first picture is there before the rest.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drop, open, samples, setUp, until } from './harness.mjs';
import { load } from './modules.mjs';

const { server, browser } = await setUp();
const { comesInParts } = await load('data/parts');
const { wallsOf } = await load('view/walls');

/** What is shown of a recording at some times; with `large`, it is read in parts. */
async function seen(file, large) {
  const { page, errors, close } = await open(browser, server, { width: 1000, height: 640 });
  await page.evaluate((large) => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.manual = true;
    viewer.library.sizes = { large, first: 20_000, next: 30_000 };
    viewer.parts = [];
    viewer.addEventListener('fragreel-open', () => viewer.parts.push(viewer.session.part));
    viewer.store.on('content', () => viewer.parts.push(viewer.session.part));
  }, large);
  await drop(page, file);
  await until('it is read', () => page.evaluate(() => document.querySelector('fragreel-viewer').session?.audit));
  const answer = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const { session, parts } = viewer;
    const { replay } = session;
    const scenes = Array.from({ length: 20 }, (_, at) => {
      const { time, players, entities, matchTime } = replay.sceneAt((replay.duration * at) / 19);
      return { time, matchTime, players, entities };
    });
    const { info, events, history, growing } = session;
    return { parts, growing, json: JSON.stringify({ frames: replay.frameCount, scenes, info, events, history }) };
  });
  assert.deepEqual(errors, []);
  await close();
  return answer;
}

for (const file of [samples.quake3, samples.quake1, samples.quake2])
  test(`${file} is the same in parts`, async () => {
    const [whole, parts] = [await seen(file, 1e9), await seen(file, 1000)];
    assert.equal(whole.parts[0], 1);
    assert.ok(parts.parts[0] < 0.6 && parts.parts.at(-1) === 1 && !parts.growing, `${parts.parts}`);
    assert.equal(parts.json, whole.json);
  });

test('the first picture of a large recording needs its first part alone', async () => {
  const { page, errors, close } = await open(browser, server);
  // a sample again and again, without the end that each says it has
  const first = await page.evaluate(async (src) => {
    const one = new Uint8Array(await (await fetch(src)).arrayBuffer());
    const bytes = new Uint8Array((one.length - 8) * 20);
    for (let at = 0; at < 20; at++) bytes.set(one.subarray(0, one.length - 8), at * (one.length - 8));
    const viewer = document.querySelector('fragreel-viewer');
    viewer.manual = true;
    viewer.library.sizes = { ...viewer.library.sizes, large: 1 << 20, next: 1 << 20 };
    // how much of the file is in memory at a time
    window.read = [];
    const { arrayBuffer } = Blob.prototype;
    Blob.prototype.arrayBuffer = function () {
      window.read.push(this.size);
      return arrayBuffer.call(this);
    };
    const opened = new Promise((done) =>
      viewer.addEventListener('fragreel-open', () => done([...window.read]), { once: true }),
    );
    void viewer.open([new File([bytes], 'large.dm_71')]);
    const read = await opened;
    viewer.advance(0);
    const { session, stage } = viewer;
    return {
      part: session.part,
      players: stage.scene.players.length,
      isPlanning: stage.isPlanning,
      frames: session.replay.frameCount,
      bytes: bytes.length,
      read,
      sizes: viewer.library.sizes,
    };
  }, samples.quake3);
  assert.ok(first.part < 0.5 && first.players > 0 && first.frames > 100, JSON.stringify(first));
  assert.ok(first.isPlanning, 'it does not wait for the plan, either');
  assert.deepEqual(first.read, [first.sizes.first]);
  await until('all is read', () => page.evaluate(() => document.querySelector('fragreel-viewer').session.part === 1));
  const { frames, read, held, numbers } = await until('all is known', () =>
    page.evaluate(() => {
      const { session } = document.querySelector('fragreel-viewer');
      if (!session.audit) return null;
      const seen = new Set();
      const bytesOf = (value) => {
        if (!value || typeof value !== 'object' || seen.has(value)) return 0;
        seen.add(value);
        if (ArrayBuffer.isView(value)) return value.buffer.byteLength;
        return Object.values(value).reduce((sum, one) => sum + bytesOf(one), 0);
      };
      const { tracks } = session.replay;
      const numbers = Object.values(tracks.tables).map(({ keys, starts, ends, ...columns }) =>
        ends.reduce((sum, end, track) => sum + (end - starts[track]) * Object.keys(columns).length, 0),
      );
      const all = numbers.reduce((sum, count) => sum + count, 0);
      return { frames: session.replay.frameCount, read: window.read, held: bytesOf(tracks.tables), numbers: all };
    }),
  );
  assert.ok(frames > first.frames, `${frames}`);
  // a part at a time, each once
  assert.equal(read.length, 1 + Math.ceil((first.bytes - first.sizes.first) / first.sizes.next));
  assert.equal(
    read.reduce((sum, size) => sum + size, 0),
    first.bytes,
  );
  // each number as it is would take four bytes
  assert.ok(numbers > 1e6 && held < numbers * 2, `${held} bytes for ${numbers} numbers`);
  assert.equal(page.workers().length, 0, 'nobody asks, so no worker keeps the recording');
  const maps = () =>
    page.evaluate(async () => (await document.querySelector('fragreel-viewer').session.client.ask('info')).maps);
  assert.deepEqual(await maps(), ['am_lavactf']);
  assert.equal(page.workers().length, 1);
  assert.deepEqual(errors, []);
  await close();
});

test('a picture does not wait for the plan of a level with many places', async () => {
  const { page, errors, close } = await open(browser, server, { width: 1000, height: 640 });
  await page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
  await drop(page, samples.quake3);
  await until('it is read', () => page.evaluate(() => document.querySelector('fragreel-viewer').session?.audit));
  const plan = () =>
    page.evaluate(() => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.advance(0);
      const { plan, isPlanning } = viewer.stage;
      return { isPlanning, cells: [...plan.cells], layers: plan.layers.length, box: plan.box };
    });
  const whole = await plan();
  assert.ok(!whole.isPlanning && whole.cells.length > 1000 && whole.layers > 1);
  const first = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const { stage } = viewer;
    stage.atOnce = 0;
    stage.plans.clear();
    viewer.seek(20_000);
    viewer.advance(0);
    const { cells, box } = stage.plans.get(0)?.plan ?? stage.plans.values().next().value.plan;
    return { players: stage.scene.players.length, box, cells: cells.length };
  });
  // the places are known at once; how they look comes in pieces
  assert.ok(first.players > 0);
  assert.deepEqual(first.box, whole.box);
  assert.ok(first.cells <= whole.cells.length);
  assert.deepEqual(await until('the plan is there', plan, ({ isPlanning }) => !isPlanning), whole);
  assert.deepEqual(errors, []);
  await close();
});

test('files that are packed or have their index at the end are read at once', () => {
  const file = (...bytes) => Uint8Array.from([...bytes, ...Array(100).fill(0)]);
  const letters = (text) => [...text].map((letter) => letter.charCodeAt(0));
  assert.equal(comesInParts(file(1, 2, 3)), true);
  for (const magic of [[0x1f, 0x8b], letters('HLDEMO'), letters('PK'), letters('FrgP')])
    assert.equal(comesInParts(file(...magic)), false, `${magic}`);
});

test('walls rise where nobody stood, ledges go down to the ground beside them', () => {
  // three cells in a row: even ground, then a ledge of 100
  const plan = {
    box: { min: [0, 0, 0], max: [64, 64, 0] },
    cell: 16,
    width: 5,
    height: 5,
    layers: [],
    cells: Float32Array.from([1, 1, 200, 2, 1, 200, 3, 1, 100]),
  };
  const walls = wallsOf(plan).map(({ from, to, low, high }) => ({ from, to, low, high }));
  // around each cell a wall, but not between the first two; the second has a ledge to the third
  assert.equal(walls.length, 3 + 2 + 1 + 3);
  const ledges = walls.filter(({ high, low }) => high - low !== 96);
  assert.deepEqual(ledges, [{ from: [40, 8], to: [40, 24], low: 100, high: 200 }]);
  const west = walls.find(({ from, to }) => from[0] === 8 && to[0] === 8);
  // who looks west has the south on the left
  assert.deepEqual(west, { from: [8, 8], to: [8, 24], low: 200, high: 296 });
});
