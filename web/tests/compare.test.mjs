// Two runs beside each other: by runs that are made for it, and by two runs of one recording, with what the command says of them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { corpus, drop, fragreel, open, ready, root, setUp, showPanel, until } from './harness.mjs';
import { load } from './modules.mjs';

const { server, browser } = await setUp();
const { compare, placesOf } = await load('data/compare');

/** A run around a corner: `pace` units a frame of 10 ms, with `jumps` where there is a teleport. */
function run(pace, count, { from = 0, teleport = -1 } = {}) {
  const way = Array.from({ length: count }, (_, frame) => {
    const gone = frame * pace;
    return {
      time: from + frame * 10,
      origin: gone < 2000 ? [gone, 0, 0] : [2000, gone - 2000, 0],
      jumped: frame === 0 || frame === teleport,
    };
  });
  return placesOf({ replay: { way: () => way }, slot: 0, from, to: from + count * 10 });
}

test('who is ahead is measured at the same place', () => {
  const [fast, slow] = [run(5, 800), run(4, 1000, { from: 3000 })];
  const found = compare(fast, slow);
  assert.ok(found.length > 700);
  for (const { distance, time, ahead, speeds } of found) {
    // 500 and 400 units a second: after s units, s / 400 - s / 500 seconds
    assert.ok(Math.abs(distance - time * 0.5) < 0.01, `${distance} at ${time}`);
    assert.ok(Math.abs(ahead - distance / 2000) < 0.006, `${ahead} after ${distance}`);
    // around the corner, speed over 100 ms is less
    if (distance > 60 && Math.abs(distance - 2000) > 60)
      assert.ok(Math.abs(speeds[0] - 500) < 0.1 && Math.abs(speeds[1] - 400) < 0.1);
  }
  const back = compare(slow, fast);
  assert.ok(Math.abs(back.at(-1).ahead + back.at(-1).distance / 2000) < 0.006);
});

test('where the second does not come by, nothing is said', () => {
  const [whole, half] = [run(5, 800), run(5, 300)];
  const found = compare(whole, half);
  assert.equal(found[0].ahead, 0);
  assert.equal(found.at(-1).ahead, null);
  assert.deepEqual(compare([], half), []);
});

test('a teleport adds no distance and no speed', () => {
  const places = run(5, 100, { teleport: 50 });
  assert.equal(places[50].speed, null);
  assert.equal(places[50].distance, places[49].distance);
  assert.equal(places[99].distance, 98 * 5);
});

const file = corpus('quake3/larskluge__demo-reader__puremotion_df.cpm_00.10.600_eS-Rody.russia.dm_68');

test('a run beside itself is nowhere ahead, and its ghost is where it is', async (context) => {
  if (!file) return context.skip('the recording is missing');
  const [run] = fragreel('runs', '--json', file)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { page, errors, close } = await open(browser, server, { width: 1366, height: 768 });
  await page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
  const bytes = readFileSync(file);
  await drop(page, { name: 'first.dm_68', bytes }, { name: 'second.dm_68', bytes });
  await until('both are read', () =>
    page.evaluate(() => {
      const { sessions } = document.querySelector('fragreel-viewer');
      return sessions.length === 2 && sessions.every(({ audit }) => audit);
    }),
  );
  await page.evaluate(() => document.querySelector('fragreel-viewer').look.set({ spoilers: true }));
  await showPanel(page, 'Compare');
  const seen = await until('it is compared', () =>
    page.evaluate(() => {
      const viewer = document.querySelector('fragreel-viewer');
      const { store } = viewer;
      viewer.advance(0);
      if (!store.beside) return null;
      const { first, second } = store.beside;
      viewer.seek(first.from + 4000);
      viewer.advance(0);
      const said = [...viewer.shadowRoot.querySelectorAll('[role=status]')].map(({ textContent }) => textContent);
      return {
        runs: [first, second].map(({ from, to, session }) => [session.name, from, to]),
        said: said.find((text) => text.startsWith('After')),
        charts: viewer.shadowRoot.querySelectorAll('.compare .chart').length,
      };
    }),
  );
  assert.deepEqual(seen.runs, [
    ['first.dm_68', run.from, run.to],
    ['second.dm_68', run.from, run.to],
  ]);
  const [, distance, ahead, ...speeds] = seen.said.match(
    /^After (\d+) units the first is (\d+\.\d\d) s ahead; speeds (\d+) and (\d+)\.$/,
  );
  assert.ok(Number(distance) > 500 && ahead === '0.00' && speeds[0] === speeds[1], seen.said);
  assert.equal(seen.charts, 2);
  await page.screenshot({ path: join(root, 'target/web/tests/compare.png') });
  assert.deepEqual(errors, []);
  await close();
});

test('keys that a recording has are shown', async () => {
  const { page, errors, close } = await open(browser, server, { width: 1366, height: 768 });
  await page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
  await drop(page, 'samples/quake1/match_e1m1.qwd');
  await ready(page);
  await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.look.set({ spoilers: true });
    viewer.seek(20_000);
    viewer.advance(0);
  });
  await showPanel(page, 'Compare');
  const rows = () =>
    page.evaluate(() => document.querySelector('fragreel-viewer').shadowRoot.querySelectorAll('.key').length);
  await page.evaluate(() => document.querySelector('fragreel-viewer').advance(0));
  // the recorder's keys are nobody else's
  await page.getByLabel('first', { exact: true }).selectOption({ label: 'bot bravo' });
  await page.getByLabel('second', { exact: true }).selectOption({ label: 'bot alpha' });
  await page.evaluate(async () => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.advance(0);
    // one answer comes after the other: behind this one, the keys are there
    await viewer.session.client.ask('info');
    viewer.changed();
    viewer.advance(0);
  });
  assert.equal(await rows(), 0);
  await page.getByLabel('first', { exact: true }).selectOption({ label: 'tester' });
  const keys = await until(
    'keys',
    () =>
      page.evaluate(() => {
        const viewer = document.querySelector('fragreel-viewer');
        viewer.changed();
        viewer.advance(0);
        return [...viewer.shadowRoot.querySelectorAll('.key span')].map(({ textContent }) => textContent);
      }),
    (seen) => seen.length > 0,
  );
  assert.ok(keys.includes('forward') || keys.includes('attack'), `${keys}`);
  await page.screenshot({ path: join(root, 'target/web/tests/keys.png') });
  assert.deepEqual(errors, []);
  await close();
});
