// The strip of speed and keys: the page's figures of movement are those of the command.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { corpus, drop, fragreel, open, ready, samples, setUp, showPanel, until } from './harness.mjs';
import { load } from './modules.mjs';

const { server, browser } = await setUp();
const { PLACED } = await load('data/layout');

const recordings = [
  samples.quake3,
  samples.quake2,
  samples.quake1,
  'samples/quake1/ktx_teams.mvd',
  corpus('goldsrc/UnrealKaraulov__UnrealDemoScanner__New_Patriots_5.dem'),
  corpus('quake3/larskluge__demo-reader__puremotion_df.cpm_00.10.600_eS-Rody.russia.dm_68'),
  corpus('quake1/Suddendeath-qw__suddenQuake__dm4_bunny_to_armors.qwd'),
].filter((file) => file);

/** Equal, but for the last bit of a square root, in which libraries of C and of WebAssembly differ, and what it adds up to. */
function same(one, other, where) {
  if (typeof other === 'number') {
    assert.ok(Math.abs(one - other) <= 1e-4 * Math.max(1, Math.abs(other)), `${where}: ${one} instead of ${other}`);
  } else if (other && typeof other === 'object') {
    assert.deepEqual(Object.keys(one), Object.keys(other), where);
    for (const [key, value] of Object.entries(other)) same(one[key], value, `${where} › ${key}`);
  } else assert.equal(one, other, where);
}

/** Opens a page with a recording, whose time passes only when a test says so. */
async function shown(file, options = {}) {
  const opened = await open(browser, server, { width: 1366, height: 900, ...options });
  await opened.page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
  await drop(opened.page, file.startsWith('/') ? { name: file.split('/').pop(), bytes: readFileSync(file) } : file);
  await ready(opened.page);
  return opened;
}

/** Goes to a time, and waits for what the strip shows of it. */
async function seek(page, time) {
  await page.evaluate((time) => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.seek(time);
    viewer.advance(0);
  }, time);
  await until('the strip is drawn', () =>
    page.evaluate(() => {
      const { shadowRoot } = document.querySelector('fragreel-viewer');
      return shadowRoot.querySelector('.movement .chart')?.getAttribute('aria-label');
    }),
  );
}

for (const file of recordings) {
  test(`jumps and speeds of ${file.split('/').pop()} are the command's`, async () => {
    const said = fragreel('jumps', '--all', '--json', file)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const { page, errors, close } = await shown(file);
    const seen = await page.evaluate(async () => {
      const { session } = document.querySelector('fragreel-viewer');
      const found = [];
      for (const slot of session.replay.slots) {
        const { jumps, times, speeds, bits } = await session.movement(slot);
        found.push({ slot, jumps, times: [...times], speeds: [...speeds], bits: [...bits] });
      }
      return found;
    });
    const wanted = new Map();
    for (const { path, ...jump } of said) {
      assert.ok(path);
      wanted.set(jump.player.slot, [...(wanted.get(jump.player.slot) ?? []), jump]);
    }
    let compared = 0;
    for (const { slot, jumps, times, speeds, bits } of seen) {
      same(jumps, wanted.get(slot) ?? [], `slot ${slot}`);
      wanted.delete(slot);
      for (const jump of jumps) {
        // the first state in the air, which may be one of several of a time
        const at = times.flatMap((time, at) => (time === jump.time ? [Math.abs(speeds[at] - jump.speed_takeoff)] : []));
        assert.ok(at.length && Math.min(...at) < 0.001, `slot ${slot}, jump ${jump.number}: ${at}`);
        assert.equal((bits[times.indexOf(jump.time)] & PLACED) !== 0, jump.source === 'positions');
        compared++;
      }
      assert.ok(times.every((time, at) => !at || time >= times[at - 1]));
    }
    assert.deepEqual([...wanted.keys()], []);
    assert.equal(compared, said.length);
    assert.ok(seen.some(({ times }) => times.length > 50));
    assert.deepEqual(errors, []);
    await close();
  });
}

test('the strip shows speed, jumps and keys of a run', async (context) => {
  const [file] = recordings.filter((file) => file.endsWith('bunny_to_armors.qwd'));
  if (!file) return context.skip('the recording is missing');
  const { page, errors, close } = await shown(file);
  await showPanel(page, 'Speed');
  await seek(page, 5000);
  const jumps = fragreel('jumps', '--json', file)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ time, time_to }) => time <= 7000 && time_to >= 1000);
  const strip = page.locator('.movement .chart');
  assert.match(await strip.getAttribute('aria-label'), new RegExp(`, with ${jumps.length} jumps`));
  const rows = await page.locator('.movement tbody tr').allTextContents();
  assert.equal(rows.length, jumps.length);
  jumps.forEach((jump, at) => {
    for (const figure of [`${jump.kind}~`, jump.distance.toFixed(1), String(Math.round(jump.speed_before))])
      assert.ok(rows[at].includes(figure), `${rows[at]}: ${figure}`);
  });
  assert.match(await page.locator('.movement [role=status]').textContent(), /^\d+ units a second$/);
  // who points at a jump reads what it is, and a click goes there
  const { x, y, width } = await strip.boundingBox();
  const at = (time) => x + 52 + ((time - 1000) / 6000) * (width - 52);
  const jump = jumps.find(({ strafe_count }) => strafe_count > 0);
  await page.mouse.move(at((jump.time + jump.time_to) / 2), y + 60);
  const tip = await strip.locator('.tip').textContent();
  for (const part of [`${jump.distance.toFixed(1)} units`, `pre-strafe ${Math.round(jump.speed_before)}`, 'strafe '])
    assert.ok(tip.includes(part), tip);
  await page.mouse.click(at(jump.time), y + 60);
  const gone = await page.evaluate(() => document.querySelector('fragreel-viewer').time);
  assert.ok(Math.abs(gone - jump.time) < 30, `${gone} instead of ${jump.time}`);
  // the row of a key has its ink where that key is held
  assert.ok(await strip.locator('canvas').evaluate((canvas) => canvas.height > 150));
  assert.deepEqual(errors, []);
  await close();
});

for (const [file, wanted] of [
  [samples.quake1, 'No jump of this player was seen. Keys of this player are not recorded.'],
  [samples.quake2, 'Keys of this player are not recorded.'],
  [samples.goldsrc, 'The recording does not show how this player moves.'],
])
  test(`what ${file.split('/').pop()} does not have is said`, async () => {
    const { page, close } = await shown(file);
    await showPanel(page, 'Speed');
    await page.evaluate(() => document.querySelector('fragreel-viewer').advance(0));
    const notes = page.locator('.movement > p.faint');
    await until('it is known', () => notes.textContent());
    assert.equal(await notes.textContent(), wanted);
    // a strip without anything in it is none
    assert.equal(await page.locator('.movement .chart').isVisible(), file !== samples.goldsrc);
    await close();
  });

test('nothing is asked before it is shown', async () => {
  const { page, close } = await shown(samples.quake3);
  const asked = () => page.evaluate(() => document.querySelector('fragreel-viewer').session.movements.size);
  assert.equal(await asked(), 0);
  await showPanel(page, 'Speed');
  await seek(page, 5000);
  assert.equal(await asked(), 1);
  await close();
});
