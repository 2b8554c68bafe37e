// Decals that recordings of Half-Life state.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colors, recordings, shown as shownIn } from './ground.mjs';
import { drawsInSpace, drop, setUp } from './harness.mjs';
import { miptex, palette, wad } from './images.mjs';
import { maps } from './maps.mjs';
import { load, packed, table } from './modules.mjs';

const { Happenings } = await load('data/happenings');
const { server, browser } = await setUp();
const space = await drawsInSpace(browser);

test('decals stay until their level ends, or all of them do', () => {
  const kind = 19;
  const words = ['{shot1', '{shot2'];
  const at = (frame, time, more = {}) => [0, frame, { time, kind, x: 1, y: 2, z: 3, file: 0, ...more }];
  const rows = [
    at(0, 0),
    at(1, 100, { file: 1, subject: 65536 + 7 }),
    at(2, 200),
    at(3, 300, { x: Number.NaN, file: -1 }),
    at(4, 400),
    at(5, 500, { file: 1 }),
  ];
  const columns = table('happening', rows);
  const { keys, sizes, columns: all } = packed(columns);
  assert.deepEqual([keys.length, sizes.length, Object.keys(all).length > 20], [1, 1, true]);
  const column = (name) => ({ at: (row) => columns[name][row] });
  const list = new Happenings(
    { ...Object.fromEntries(Object.keys(columns).map((name) => [name, column(name)])), ends: [rows.length] },
    words,
    { levels: Uint32Array.of(0, 0, 0, 0, 0, 1) },
  );
  const times = (time, level, most = 300) => list.decalsAt(time, level, most).map((one) => one.time);
  assert.deepEqual(times(50, 0), [0]);
  assert.deepEqual(times(250, 0), [0, 100, 200]);
  assert.deepEqual(times(250, 0, 2), [100, 200], 'the latest');
  assert.deepEqual(times(350, 0), [], 'all of them ended');
  assert.deepEqual(times(450, 0), [400]);
  assert.deepEqual([times(600, 1), times(600, 0)], [[500], []], 'of its level');
  const [, second] = list.decalsAt(250, 0, 300);
  assert.deepEqual([second.picture, second.subject, second.sound], ['{shot2', 65543, null]);
});

const FLOOR = [440, 440, 0];
const ABOVE = { mode: 'free', eye: [440, 440, 60], angles: [89.9, 0, 0] };

/** A recording of Half-Life on our map, without light, with decals of ours. */
async function shown() {
  const [file, name] = recordings['Half-Life'];
  const opened = await shownIn(browser, server, file);
  const { page } = opened;
  await page.evaluate(() => (document.querySelector('fragreel-viewer').look.light = false));
  await drop(page, { name: `${name}.bsp`, bytes: maps['Half-Life']() });
  await page.waitForFunction(() =>
    document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
  );
  const at = async (decals, places, { entities = [], camera = ABOVE } = {}) => {
    await page.evaluate(
      ({ decals, entities }) => {
        const { replay } = document.querySelector('fragreel-viewer').session;
        replay.truly ??= replay.sceneAt.bind(replay);
        replay.numbered = (replay.numbered ?? 0) + 100;
        const scene = { ...replay.truly(100), time: 20000, level: 0, view: null, players: [], entities };
        replay.sceneAt = () => scene;
        replay.lookOf = () => null;
        replay.entityPlace = () => [0, 0, 0];
        replay.happenings.between = () => [];
        replay.happenings.decalsAt = () =>
          decals.map((one, number) => ({ number: replay.numbered + number, time: 10, subject: null, ...one }));
      },
      { decals, entities },
    );
    return colors(page, camera, places);
  };
  const read = async (name) => {
    await page.waitForFunction(
      (name) => document.querySelector('fragreel-viewer').mapStore.models?.found.get(`decal ${name}`),
      name,
    );
  };
  return { ...opened, at, read };
}

const dark = (color) => color[0] + color[1] + color[2];
const decal = { picture: '{shot1', origin: FLOOR };

test('without its file, a decal is our own mark of its kind', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { at, errors, close } = await shown();
  const [bare] = await at([], [FLOOR]);
  for (const picture of ['{shot3', '{scorch1', '{blood2', '{yblood1']) {
    const [seen] = await at([{ ...decal, picture }], [FLOOR]);
    assert.ok(dark(seen) < dark(bare) * 0.7, `${picture}: ${seen}, bare ${bare}`);
  }
  assert.deepEqual(await at([{ ...decal, picture: '{lambda01' }], [FLOOR]), [bare], 'none of these');
  assert.deepEqual(await at([{ ...decal, origin: [440, 440, 5] }], [FLOOR]), [bare], 'too far from a face');
  assert.deepEqual(errors, []);
  await close();
});

test("a decal is the game's, as wide as its picture and along that of the face", async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, at, read, errors, close } = await shown();
  // the left upper quarter covers all, the rest is a hole: an index says how much is seen, and the last color is black
  const draw = (x, y) => (x < 8 && y < 8 ? 255 : 0);
  const colored = Buffer.from(palette);
  colored.set([20, 60, 220], 765);
  await drop(page, { name: 'decals.wad', bytes: wad({ '{shot1': miptex('{shot1', draw, colored) }) });
  await page.waitForFunction(() => document.querySelector('fragreel-viewer').models);
  const [bare] = await at([decal], [FLOOR]);
  await read('{shot1');
  // the picture of our floor goes right along x, and down along y
  const [covered, right, below, far] = await at(
    [decal],
    [
      [436, 436, 0],
      [444, 436, 0],
      [436, 444, 0],
      [430, 430, 0],
    ],
  );
  for (const [channel, value] of [20, 60, 220].entries())
    assert.ok(Math.abs(covered[channel] - value) < 10, `${covered}, not blue`);
  for (const one of [right, below, far]) assert.deepEqual(one, right);
  assert.notDeepEqual(right, covered);
  assert.ok(bare);
  // what is over the edge of the floor is cut off
  const edge = { ...ABOVE, eye: [508, 440, 60] };
  const [on, over] = await at(
    [{ ...decal, origin: [512, 448, 0] }],
    [
      [508, 444, 0],
      [516, 444, 0],
    ],
    { camera: edge },
  );
  assert.ok(on[2] > 150, `on the floor: ${on}`);
  assert.ok(over[2] < 150, `beside it: ${over}`);
  assert.deepEqual(errors, []);
  await close();
});

test('a decal on a door moves with it, and ends with it', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, at, errors, close } = await shown();
  const door = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const { parts, indices, positions } = viewer.map(viewer.session, 0);
    const corners = Array.from({ length: parts[1].count }, (_, corner) => {
      const at = indices[parts[1].first + corner] * 3;
      return [...positions.subarray(at, at + 3)];
    });
    const middle = [0, 1, 2].map((axis) => {
      const along = corners.map((corner) => corner[axis]);
      return axis === 2 ? Math.max(...along) : (Math.min(...along) + Math.max(...along)) / 2;
    });
    return middle;
  });
  const entity = { number: 77, kind: 'mover', model: '*1', angles: null, item: null, heading: null };
  const above = { ...ABOVE, eye: [door[0], door[1], door[2] + 60] };
  const one = { ...decal, origin: door, subject: 65536 + 77 };
  const seen = async (origin, decals) => {
    const place = door.map((value, axis) => value + (origin?.[axis] ?? 0));
    const camera = { ...above, eye: [place[0], place[1], place[2] + 60] };
    const entities = origin ? [{ ...entity, origin }] : [];
    return (await at(decals, [place], { entities, camera }))[0];
  };
  for (const origin of [
    [0, 0, 0],
    [0, 0, 40],
    [30, 0, 20],
  ]) {
    const [bare, marked] = [await seen(origin, []), await seen(origin, [one])];
    assert.ok(dark(marked) < dark(bare) * 0.7, `${origin}: ${marked}, bare ${bare}`);
  }
  assert.deepEqual(await seen(null, [one]), await seen(null, []), 'the door is not there');
  assert.deepEqual(errors, []);
  await close();
});
