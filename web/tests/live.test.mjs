// Recordings that are still written: the page takes what comes, and is where the command says in the end.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { command, fragreel, launch, open, root, serve, slowed, until as waitUntil } from './harness.mjs';

/** It plays all the time, and nobody looks at pixels: a small picture and few a second take a third of the processor time. */
const SMALL = { width: 640, height: 400, rate: 8 };

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** Files as far as they are written, served as `fragreel record --view` does. */
async function writing() {
  const files = [];
  const state = { files, over: false, asked: 0, parts: [] };
  const server = await serve((request, response) => {
    if (request.url === '/live') {
      state.asked++;
      const shown = files.map(({ name, bytes, complete }, at) => ({
        name,
        src: `recording/${at}/${name}`,
        bytes: bytes.length,
        complete,
      }));
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ files: shown, over: state.over }));
      return true;
    }
    const at = request.url.match(/^\/recording\/(\d+)\//)?.[1];
    if (at === undefined) return false;
    const from = Number(request.headers.range?.match(/^bytes=(\d+)-$/)?.[1] ?? 0);
    state.parts.push(from);
    response.writeHead(from ? 206 : 200).end(files[at].bytes.subarray(from));
    return true;
  });
  return { ...server, state };
}

const seen = (page) =>
  page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const { session, time, duration, playing } = viewer;
    return (
      session && {
        name: session.name,
        bytes: session.bytes,
        growing: session.growing,
        frames: session.replay.frameCount,
        time,
        duration,
        playing,
        kills: session.events.filter(({ kind }) => kind === 'kill').length,
        audit: session.audit !== null,
      }
    );
  });

/** Waits until what is seen is so. */
const until = (page, holds, what) =>
  waitUntil(
    what,
    () => seen(page),
    (now) => now && holds(now),
  );

/** At many times everybody is where `fragreel frames` says. */
async function compare(page, file) {
  const frames = fragreel('frames', '--json', '--fields', 'origin,angles,health', file)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal((await seen(page)).frames, frames.length);
  const times = 15;
  let compared = 0;
  for (let at = 0; at < times; at++) {
    const { time } = frames[Math.floor((at * (frames.length - 1)) / (times - 1))];
    const frame = frames.findLast((one) => one.time === time);
    const players = await page.evaluate((time) => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.pause();
      viewer.seekSession(time);
      viewer.advance(0);
      return viewer.stage.scene.players.map(({ slot, origin, angles, health }) => [slot, origin, angles, health]);
    }, time);
    const f32 = (list) => list?.map(Math.fround) ?? null;
    assert.deepEqual(
      players,
      frame.players.map(({ slot, origin, angles, health }) => [slot, f32(origin), f32(angles), health ?? null]),
    );
    compared += players.filter(([, origin]) => origin).length;
  }
  assert.ok(compared >= times * 0.4, `${compared} places compared`);
}

for (const file of [
  'samples/quake3/ctf_bots.dm_71',
  'samples/quake2/yq2dm_Alice.dm2',
  'samples/quake1/match_e1m1.mvd',
  'samples/quake1/match_e1m1.qwd',
  'samples/quake1/netquake666_deltas_dm6.dem',
]) {
  test(`${file.split('/').pop()} grows while it is shown`, async () => {
    const server = await writing();
    const { state } = server;
    const bytes = readFileSync(join(root, file));
    const name = file.split('/').pop();
    const { page, errors, close } = await open(browser, server, { hash: '#live=live', ...SMALL });
    await page.getByText('Waiting for the first frame').waitFor();
    const part = (count) => bytes.subarray(0, Math.floor((bytes.length * count) / 8));
    state.files.push({ name, bytes: part(3), complete: false });
    const first = await until(page, ({ frames }) => frames > 0, 'it begins');
    assert.ok(first.growing && first.playing && !first.audit);
    state.files[0].bytes = part(5);
    const more = await until(page, ({ bytes }) => bytes === part(5).length, 'it goes on');
    assert.ok(more.frames > first.frames && more.duration >= first.duration);
    // who looks back is left in peace
    await page.evaluate(() => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.seek(0);
      viewer.pause();
    });
    state.files[0].bytes = part(7);
    const back = await until(page, ({ bytes }) => bytes === part(7).length, 'it goes on unseen');
    assert.deepEqual([back.time, back.playing], [0, false]);
    // and can come back to the end
    await page.getByRole('button', { name: 'Live' }).click();
    const { time, duration } = await seen(page);
    assert.ok(time >= duration - 3000, `${time} of ${duration}`);
    state.files[0] = { name, bytes, complete: true };
    state.over = true;
    const all = await until(page, ({ growing, audit }) => !growing && audit, 'it is complete');
    assert.equal(all.bytes, bytes.length);
    assert.equal(new Set(state.parts).size, state.parts.length, 'nothing is sent twice');
    assert.equal(await page.getByRole('button', { name: 'Live' }).count(), 0);
    const { kills } = all;
    assert.equal(
      kills,
      fragreel('events', '--kinds', 'kill', '--json', file).trim().split('\n').filter(Boolean).length,
    );
    await compare(page, file);
    assert.deepEqual(errors, []);
    await close();
    server.close();
  });
}

test('the next recording takes the place of one that is complete, unless somebody looks back', async () => {
  const server = await writing();
  const { state } = server;
  const bytes = readFileSync(join(root, 'samples/quake1/match_e1m1.mvd'));
  const { page, errors, close } = await open(browser, server, { hash: '#live=live', ...SMALL });
  state.files.push({ name: 'a.mvd', bytes, complete: false });
  await until(page, ({ name }) => name === 'a.mvd', 'the first begins');
  state.files[0].complete = true;
  state.files.push({ name: 'b.mvd', bytes: bytes.subarray(0, 90_000), complete: false });
  await until(page, ({ name, playing }) => name === 'b.mvd' && playing, 'the second begins');
  await page.evaluate(() => document.querySelector('fragreel-viewer').seek(0));
  state.files[1].complete = true;
  state.files.push({ name: 'c.mvd', bytes, complete: false });
  const offer = page.getByRole('button', { name: 'c.mvd is being recorded: show it' });
  await offer.waitFor();
  assert.equal((await seen(page)).name, 'b.mvd');
  await offer.click();
  await until(page, ({ name }) => name === 'c.mvd', 'the third begins');
  // the command goes away: what came stays
  state.files[2].bytes = bytes.subarray(0, 10);
  server.close();
  const rest = await until(page, ({ growing }) => !growing, 'nothing more comes');
  assert.ok(rest.frames > 100);
  assert.deepEqual(
    errors.filter((error) => !error.includes('ERR_')),
    [],
  );
  await close();
});

test('fragreel record --view shows a server while it is recorded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'live-'));
  const children = [];
  const start = (...args) => {
    const child = spawn(command, args, { cwd: root });
    children.push(child);
    child.text = '';
    child.stdout.on('data', (data) => (child.text += data));
    child.ended = new Promise((done) => child.on('exit', done));
    return child;
  };
  const says = async (child, pattern) =>
    (
      await waitUntil(
        pattern,
        () => child.text,
        (text) => pattern.test(text),
      )
    ).match(pattern)[1];
  try {
    const show = start('serve', 'samples/quake3/ctf_bots.dm_71', '--port', '0');
    const port = await says(show, /at port (\d+)/);
    const file = join(folder, 'live.dm_71');
    const recorder = start('record', `q3://127.0.0.1:${port}`, '-o', file, '--for', '9', '--view', '--no-browser');
    const address = await says(recorder, /(http:\S+)/);
    const { width, height, rate } = SMALL;
    const surroundings = await browser.newContext({ viewport: { width, height } });
    const page = await surroundings.newPage();
    await page.addInitScript(slowed, rate);
    const requests = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(address);
    const first = await until(page, ({ frames }) => frames > 0, 'it begins');
    await until(page, ({ duration }) => duration >= first.duration + 3000, 'it goes on');
    assert.equal(await recorder.ended, 0);
    await until(page, ({ growing }) => !growing, 'it is complete');
    await compare(page, file);
    const { origin } = new URL(address);
    assert.ok(
      requests.every((request) => request.startsWith(origin)),
      'no request goes elsewhere',
    );
    await surroundings.close();
  } finally {
    for (const child of children) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
