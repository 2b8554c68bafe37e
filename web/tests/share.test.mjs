// What is taken along of a recording besides videos: its best moments, a packed clip, comments in a file of their own.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { drop, fragreel, open, ready, root, samples, setUp, showPanel, until } from './harness.mjs';

const { server, browser } = await setUp();

async function shown(file) {
  const opened = await open(browser, server, { width: 1366, height: 768 });
  opened.page.setDefaultTimeout(20_000);
  await opened.page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
  await drop(opened.page, file);
  await ready(opened.page);
  return opened;
}

async function download(page, name) {
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name, exact: true }).click();
  const file = await coming;
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

test('the best moments are those of the command, and play one after the other', async () => {
  const file = 'samples/quake3/dm_bots.dm_71';
  const lines = fragreel('highlights', file, '--best', '10', '--merge', '--json')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const wanted = lines.map(({ from, to }) => [from, to]).sort((a, b) => a[0] - b[0]);
  assert.ok(wanted.length > 1);
  const { page, errors, close } = await shown(file);
  await showPanel(page, 'Clip');
  await page.getByRole('button', { name: 'Best moments' }).click();
  await page.getByRole('button', { name: 'Play them' }).waitFor();
  const played = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const { transport, shadowRoot } = viewer;
    [...shadowRoot.querySelectorAll('button')].find(({ textContent }) => textContent === 'Play them').click();
    const parts = transport.playlist.parts.map(({ from, to }) => [from, to]);
    const seen = [];
    while (transport.playlist && seen.length < 1000) {
      const { at } = transport.playlist;
      if (!seen.length || seen.at(-1)[0] !== at) seen.push([at, viewer.time]);
      viewer.advance(500);
    }
    return { parts, seen, playing: viewer.playing };
  });
  const duration = await page.evaluate(() => document.querySelector('fragreel-viewer').session.replay.duration);
  assert.deepEqual(
    played.parts,
    wanted.map(([from, to]) => [Math.max(0, from), Math.min(to, duration)]),
  );
  assert.deepEqual(
    played.seen.map(([at]) => at),
    played.parts.map((_, at) => at),
  );
  for (const [at, time] of played.seen) assert.ok(Math.abs(time - played.parts[at][0]) <= 500, `${time}`);
  assert.equal(played.playing, false);
  assert.deepEqual(errors, []);
  await close();
});

test('a packed clip opens here, and is the part that was marked', async () => {
  const { page, errors, close } = await shown(samples.quake3);
  await page.evaluate(() => (document.querySelector('fragreel-viewer').range = [10_000, 14_000]));
  await showPanel(page, 'Clip');
  const packed = await download(page, 'Pack it');
  // the line of HTML names that file, where the recording came from a disk
  await page.evaluate(() => {
    navigator.clipboard.writeText = async (text) => {
      window.copied = text;
    };
  });
  await page.getByRole('button', { name: 'Copy the line' }).click();
  await page.getByText('The line is copied').waitFor();
  const line = await page.evaluate(() => window.copied);
  assert.ok(line.includes(`src="${packed.name}"`), line);
  assert.match(packed.name, /^ctf_bots_0\.10-0\.14\.frp$/);
  const size = readFileSync(`${root}${samples.quake3}`).length;
  assert.ok(packed.bytes.length < size / 10, `${packed.bytes.length} of ${size}`);
  await drop(page, { name: packed.name, bytes: packed.bytes });
  await ready(page, packed.name);
  const duration = await page.evaluate(() => document.querySelector('fragreel-viewer').session.replay.duration);
  assert.ok(Math.abs(duration - 4000) < 200, `${duration}`);
  assert.deepEqual(errors, []);
  await close();
});

test('comments are written, shown, saved, and open beside the recording', async () => {
  const { page, errors, close } = await shown(samples.quake3);
  await showPanel(page, 'Comments');
  const say = async (time, text) => {
    await page.evaluate((time) => document.querySelector('fragreel-viewer').seek(time), time);
    await page.getByLabel('comment', { exact: true }).fill(text);
    await page.getByLabel('comment', { exact: true }).press('Enter');
  };
  await say(20_000, 'he should wait <b>here</b>');
  await say(10_000, 'good start');
  await page.evaluate(() => {
    const { store } = document.querySelector('fragreel-viewer');
    store.pens.choose('yellow');
    store.pens.begin(20_000, 0, [1, 2]);
    store.pens.move([300, 400], 20_000, 0, 1);
    store.pens.end();
  });
  const saved = await download(page, 'Save the comments');
  assert.equal(saved.name, 'ctf_bots.dm_71.comments.json');
  assert.deepEqual(JSON.parse(saved.bytes), {
    format: 'fragreel-comments',
    version: 1,
    recording: 'ctf_bots.dm_71',
    map: 'am_lavactf',
    comments: [
      { time: 10, text: 'good start' },
      { time: 20, text: 'he should wait <b>here</b>' },
    ],
    lines: [
      {
        pen: 'yellow',
        time: 20,
        level: 0,
        points: [
          [1, 2],
          [300, 400],
        ],
      },
    ],
  });
  await close();
  const other = await open(browser, server, { width: 1366, height: 768 });
  await other.page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
  await drop(other.page, { name: saved.name, bytes: saved.bytes }, samples.quake3);
  await ready(other.page);
  const caption = (time) =>
    other.page.evaluate((time) => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.seek(time);
      viewer.advance(0);
      return viewer.shadowRoot.querySelector('.caption').textContent;
    }, time);
  await until('they are there', () =>
    other.page.evaluate(() => document.querySelector('fragreel-viewer').session.comments.length),
  );
  assert.deepEqual(
    [await caption(9_000), await caption(10_000), await caption(14_000), await caption(16_000), await caption(21_000)],
    ['', 'good start', 'good start', '', 'he should wait <b>here</b>'],
  );
  assert.equal(await other.page.evaluate(() => document.querySelector('fragreel-viewer').store.pens.lines.length), 1);
  // the line of time has a flag for it
  const line = await other.page.locator('.line').boundingBox();
  const duration = await other.page.evaluate(() => document.querySelector('fragreel-viewer').duration);
  await other.page.mouse.move(line.x + 8 + ((line.width - 16) * 10_000) / duration + 1, line.y + line.height / 2);
  await other.page.getByText('“good start”').waitFor();
  assert.deepEqual([...errors, ...other.errors], []);
  await other.close();
});

test('lines on the plan are gone with their recording', async () => {
  const { page, close } = await shown(samples.quake3);
  await page.evaluate(() => {
    const { pens } = document.querySelector('fragreel-viewer').store;
    pens.choose('yellow');
    pens.begin(20_000, 0, [1, 2]);
    pens.move([300, 400], 20_000, 0, 1);
    pens.end();
  });
  await drop(page, samples.quake2);
  await ready(page, 'yq2dm_Alice.dm2');
  assert.deepEqual(await page.evaluate(() => document.querySelector('fragreel-viewer').store.pens.lines), []);
  await close();
});

test('a file that is none of comments, or is about another map, says so', async () => {
  const { page, errors, close } = await shown(samples.quake3);
  const file = (value) => ({
    name: 'x.comments.json',
    bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  });
  const head = { format: 'fragreel-comments', version: 1 };
  const cases = [
    ['{', /x\.comments\.json: .*JSON/],
    [{}, /not a file of comments/],
    [{ ...head, version: 2 }, /version 2 is unknown/],
    [{ ...head, comments: [{ time: 'x', text: 'y' }] }, /comment 1 has no time/],
    [{ ...head, comments: [{ time: 1 }] }, /comment 1 has no text/],
    [{ ...head, lines: [{ time: 1, points: [[1]] }] }, /line 1 has no places/],
    [{ ...head, recording: 'other.dm_68', map: 'q3dm6' }, /about other\.dm_68 on q3dm6/],
  ];
  for (const [value, reason] of cases) {
    await drop(page, file(value));
    await page.locator('.notice').getByText(reason).waitFor();
  }
  assert.equal(await page.evaluate(() => document.querySelector('fragreel-viewer').session.comments.length), 0);
  assert.deepEqual(errors, []);
  await close();
});
