// The strip of speed and keys: the page's figures of movement are those of the command.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { corpus, drop, fragreel, open, ready, samples, setUp, showPanel, until } from './harness.mjs';

const { server, browser } = await setUp();

const recordings = [
  samples.quake3,
  samples.quake2,
  samples.quake1,
  samples.goldsrc,
  corpus('quake3/larskluge__demo-reader__puremotion_df.cpm_00.10.600_eS-Rody.russia.dm_68'),
  corpus('quake1/Suddendeath-qw__suddenQuake__dm4_bunny_to_armors.qwd'),
].filter((file) => file);

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
        const { jumps, times, speeds } = await session.movement(slot);
        found.push({ slot, jumps, times: [...times], speeds: [...speeds] });
      }
      return found;
    });
    const wanted = new Map();
    for (const { path, ...jump } of said) {
      assert.ok(path);
      wanted.set(jump.player.slot, [...(wanted.get(jump.player.slot) ?? []), jump]);
    }
    let compared = 0;
    for (const { slot, jumps, times, speeds } of seen) {
      assert.deepEqual(jumps, wanted.get(slot) ?? [], `slot ${slot}`);
      wanted.delete(slot);
      for (const jump of jumps) {
        // the first state in the air, which may be one of several of a time
        const at = times.flatMap((time, at) => (time === jump.time ? [Math.abs(speeds[at] - jump.speed_takeoff)] : []));
        assert.ok(at.length && Math.min(...at) < 0.001, `slot ${slot}, jump ${jump.number}: ${at}`);
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

test('it says what a recording does not allow', async () => {
  const { page, close } = await shown(samples.goldsrc);
  await showPanel(page, 'Speed');
  await seek(page, 1000);
  const notes = () => page.locator('.movement > p.faint').textContent();
  const lacks = await page.evaluate(async () => {
    const { session, followed, store } = document.querySelector('fragreel-viewer');
    const { jumps, keys } = await session.movement(
      followed ?? store.selection.scene.view?.slot ?? session.replay.slots[0],
    );
    return [!jumps.length, keys.every((held) => !held)];
  });
  const text = await notes();
  assert.equal(/jumps are not known|does not jump|does not show/.test(text), lacks[0], text);
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
