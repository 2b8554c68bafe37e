// Taking along: clips that the native command verifies, links, pictures, videos; several views; the command's own server.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  command,
  drop,
  fragreel,
  launch,
  open,
  ready,
  root,
  samples,
  serve,
  until as waitUntil,
  showPanel,
} from './harness.mjs';

const folder = join(root, 'target/web/tests');
let server, browser;
before(async () => {
  mkdirSync(folder, { recursive: true });
  server = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

async function shown(...files) {
  const opened = await open(browser, server);
  await drop(opened.page, ...files);
  await ready(opened.page);
  return opened;
}

async function download(page, press, name) {
  const [saved] = await Promise.all([page.waitForEvent('download'), press()]);
  const file = join(folder, name ?? saved.suggestedFilename());
  await saved.saveAs(file);
  return file;
}

const lines = (...args) =>
  fragreel(...args)
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe('a clip is a whole recording with the right frames', () => {
  for (const [family, file] of Object.entries(samples)) {
    test(family, async () => {
      const { page, errors, close } = await shown(file);
      const duration = await page.evaluate(() => document.querySelector('fragreel-viewer').duration);
      const [from, to] = duration > 30000 ? [20000, 26000] : [0, duration];
      await showPanel(page, 'Clip');
      await page.getByLabel('from', { exact: true }).fill(String(from / 1000));
      await page.getByLabel('up to', { exact: true }).fill(String(to / 1000));
      await page.getByLabel('up to', { exact: true }).press('Tab');
      const clip = await download(page, () => page.getByRole('button', { name: 'Make the clip' }).click());
      assert.match(
        await page.getByRole('tabpanel').getByRole('status').textContent(),
        /The clip is whole; \d+ frames compared with the source, none differs/,
      );
      // by the native command: it is whole, and it is what the command itself cuts
      fragreel('verify', clip);
      const own = join(folder, `own-${clip.split('/').pop()}`);
      fragreel('cut', file, '--from', String(from / 1000), '--to', String(to / 1000), '--force', '-o', own);
      assert.ok(readFileSync(clip).equals(readFileSync(own)), "byte for byte the command's");
      const places = (path, ...range) =>
        lines('frames', '--json', '--fields', 'origin', ...range, path).map(({ server_time, players }) => [
          server_time,
          players.map(({ slot, origin }) => [slot, origin]),
        ]);
      const [cut, source] = [places(clip), places(file)];
      const byTime = new Map(source.map(([time, players]) => [time, JSON.stringify(players)]));
      assert.ok(cut.length > (duration > 30000 ? 50 : 1));
      const same = cut.filter(([time, players]) => byTime.get(time) === JSON.stringify(players)).length;
      assert.ok(same >= cut.length - 1, `${same} of ${cut.length} frames are the source's`);
      assert.deepEqual(errors, []);
      await close();
    });
  }

  test('scrubbed, and in another format', async () => {
    const { page, close } = await shown(samples.quake3);
    await showPanel(page, 'Clip');
    await page.getByLabel('from', { exact: true }).fill('10');
    await page.getByLabel('up to', { exact: true }).fill('15');
    await page.getByLabel('up to', { exact: true }).press('Tab');
    await page.getByText('How the clip is made').click();
    await page.getByRole('button', { name: 'What can it become?' }).click();
    await page.waitForFunction(
      () =>
        document.querySelector('fragreel-viewer').shadowRoot.querySelector('select[aria-label=format]').options.length >
        1,
    );
    await page.getByLabel('format', { exact: true }).selectOption('dm_68');
    await page.getByLabel('scrub names, addresses, identifiers').check();
    const clip = await download(page, () => page.getByRole('button', { name: 'Make the clip' }).click());
    assert.ok(clip.endsWith('.dm_68'));
    fragreel('verify', clip);
    const info = lines('info', '--json', clip)[0];
    assert.equal(info.dialect, '68');
    assert.ok(!JSON.stringify(info).includes('Gargoyle'), 'names are gone');
    await close();
  });

  test('what cannot be cut says why', async () => {
    const { page, close } = await shown(samples.quake3);
    await showPanel(page, 'Clip');
    await page.getByRole('button', { name: 'Make the clip' }).click();
    await page.getByText('Mark in and out first').waitFor();
    await close();
  });
});

test('a picture is a PNG of what is shown', async () => {
  const { page, close } = await shown(samples.quake3);
  await showPanel(page, 'Clip');
  const file = await download(page, () => page.getByRole('button', { name: 'Save a picture' }).click());
  const bytes = readFileSync(file);
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  assert.ok(bytes.length > 5000);
  await close();
});

test('without an encoder a video is a WebM that is recorded while it plays, where the browser can', async () => {
  const { page, close } = await shown(samples.quake3);
  await page.evaluate(() => Object.defineProperty(window, 'VideoEncoder', { value: undefined }));
  await showPanel(page, 'Clip');
  await page.getByLabel('from', { exact: true }).fill('10');
  await page.getByLabel('up to', { exact: true }).fill('11');
  await page.getByLabel('up to', { exact: true }).press('Tab');
  const can = await page.evaluate(
    () => typeof MediaRecorder !== 'undefined' && MediaRecorder.isTypeSupported('video/webm'),
  );
  await page.getByRole('button', { name: 'Make a video' }).click();
  await page.getByText('This browser cannot record videos').waitFor();
  await page.getByLabel('kind of video').selectOption('webm');
  if (can) {
    const file = await download(page, () => page.getByRole('button', { name: 'Make a video' }).click());
    assert.deepEqual([...readFileSync(file).subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3]);
  } else {
    await page.getByRole('button', { name: 'Make a video' }).click();
    await page.getByText('This browser cannot record videos').waitFor();
  }
  await close();
});

test('recordings of one match are on one clock', async () => {
  // two parts of one recording that overlap: where the second begins is known
  const part = join(folder, 'later.dm_71');
  fragreel('cut', samples.quake3, '--from', '15', '--force', '-o', part);
  const { page, errors, close } = await shown(samples.quake3, part);
  await page.waitForFunction(
    () =>
      document.querySelector('fragreel-viewer').sessions.every((session) => session.audit) &&
      document.querySelector('fragreel-viewer').sessions.length === 2,
  );
  const seen = await page.evaluate(async () => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.manual = true;
    const choice = viewer.shadowRoot.querySelector('select[aria-label=recording]');
    choice.value = 'all';
    choice.dispatchEvent(new Event('change'));
    viewer.seek(30000);
    viewer.advance(0);
    return {
      offsets: viewer.sessions.map(({ offset }) => offset),
      clocks: [...viewer.shadowRoot.querySelectorAll('.stage')].length,
      scenes: viewer.pictures.stages.map(({ scene }) => [scene.serverTime, scene.players.map(({ origin }) => origin)]),
    };
  });
  assert.equal(seen.clocks, 2);
  assert.ok(Math.abs(seen.offsets[1] - 15000) <= 60, `${seen.offsets}`);
  assert.ok(Math.abs(seen.scenes[0][0] - seen.scenes[1][0]) <= 60);
  assert.deepEqual(errors, []);
  await close();
});

test('what one recording saw and another did not is marked', async () => {
  // the same match as its server saw it and as one player did
  const { page, errors, close } = await shown('samples/quake1/match_e1m1.qwd', 'samples/quake1/match_e1m1.mvd');
  await page.waitForFunction(
    () =>
      document.querySelector('fragreel-viewer').sessions.length === 2 &&
      document.querySelector('fragreel-viewer').sessions.every((session) => session.audit),
  );
  const seen = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.manual = true;
    let [ghosts, doubled] = [0, 0];
    for (let time = 1000; time < viewer.sessions[0].replay.duration; time += 500) {
      viewer.seek(time);
      viewer.advance(0);
      const { scene } = viewer.stage;
      const extra = viewer.ghosts(viewer.sessions[0], scene);
      ghosts += extra.length;
      const own = new Set(scene.players.filter(({ origin }) => origin).map(({ name }) => name.clean));
      doubled += extra.filter(({ name }) => own.has(name.clean)).length;
    }
    // where both see the recorder, they agree where he is
    const apart = [];
    for (let time = 2000; time < 50000; time += 1000) {
      const places = viewer.sessions.map(
        (session) =>
          session.replay.sceneAt(time - session.offset).players.find(({ name }) => name?.clean === 'tester')?.origin,
      );
      if (places[0] && places[1]) apart.push(Math.hypot(...places[0].map((value, axis) => value - places[1][axis])));
    }
    return { ghosts, doubled, apart: apart.sort((a, b) => a - b), offset: viewer.sessions[1].offset };
  });
  assert.equal(seen.doubled, 0);
  assert.ok(
    seen.apart.length > 10 && seen.apart[seen.apart.length >> 1] < 64,
    `${seen.apart} with the clocks ${seen.offset} apart`,
  );
  assert.deepEqual(errors, []);
  await close();
});

test('a kill that only one recording has is marked', async () => {
  const { page, errors, close } = await shown('samples/quake1/match_e1m1.mvd', 'samples/quake1/match_e1m1.qwd');
  await page.waitForFunction(
    () =>
      document.querySelector('fragreel-viewer').sessions.length === 2 &&
      document.querySelector('fragreel-viewer').sessions.every((session) => session.audit),
  );
  const [before, after] = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.chrome.tabs.choose('events');
    const marked = () => {
      viewer.store.tell('content');
      return [...viewer.shadowRoot.querySelectorAll('#panel li')]
        .filter((line) => line.textContent.endsWith('only here'))
        .map((line) => line.textContent);
    };
    const before = marked();
    const { events } = viewer.sessions[1];
    const kill = events.find((event) => event.kind === 'kill' && event.time > 10000);
    events.splice(events.indexOf(kill), 1);
    return [before, marked()];
  });
  assert.deepEqual(before, [], 'both saw all kills');
  assert.equal(after.length, 1, `${after}`);
  assert.deepEqual(errors, []);
  await close();
});

test('taken items are those that `fragreel frames` has no more, with the time since', async () => {
  const file = 'samples/quake1/match_e1m1.mvd';
  const frames = fragreel(
    'frames',
    '--entities',
    'player,corpse,missile,item,mover,beam,effect,sound,other',
    '--json',
    file,
  )
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { page, errors, close } = await shown(file);
  const length = 10;
  const times = Array.from({ length }, (_, at) => frames[Math.floor(((at + 0.5) / length) * frames.length)].time);
  const seen = await page.evaluate(
    (times) =>
      times.map((time) =>
        document
          .querySelector('fragreel-viewer')
          .session.replay.takenItems(time)
          .map(({ since }) => since),
      ),
    times,
  );
  let compared = 0;
  times.forEach((time, at) => {
    const now = frames.findLast((frame) => frame.time <= time);
    const here = new Set(now.entities.map(({ number }) => number));
    const last = new Map();
    // the frame that first lacks it is when it was taken, unless its number is something else's since then
    frames.forEach((frame, at) => {
      if (frame.time > time) return;
      for (const { number, kind } of frame.entities) {
        if (kind === 'item' && !here.has(number)) last.set(number, frames[at + 1].time);
        else last.delete(number);
      }
    });
    const expected = [...last.values()].filter((since) => time - since < 120000).sort((a, b) => a - b);
    assert.deepEqual(
      seen[at].sort((a, b) => a - b),
      expected,
      `at ${time}`,
    );
    compared += expected.length;
  });
  assert.ok(compared > length / 3, `${compared} items`);
  assert.deepEqual(errors, []);
  await close();
});

test('charts say who had the items', async () => {
  const figures = async (file) => {
    const { page, errors, close } = await shown(file);
    await showPanel(page, 'Charts');
    await page.getByRole('button', { name: 'Show it' }).click();
    await page.locator('#panel table').waitFor();
    const rows = await page
      .locator('#panel tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
    assert.deepEqual(errors, []);
    await close();
    return rows;
  };
  const taken = lines('events', '--kinds', 'item', '--json', samples.quake3).filter(({ item }) =>
    /quad|haste|armor_body/.test(item),
  );
  assert.ok(taken.length > 2);
  const rows = (await figures(samples.quake3)).filter(([what]) => what.startsWith('major items taken'));
  for (const team of ['red', 'blue']) {
    const count = taken.filter(({ player }) => player.team === team).length;
    assert.equal(
      rows.find(([what]) => what === `major items taken: ${team}`)?.[3],
      count ? String(count) : undefined,
      team,
    );
  }
  // where all players' armor is in the recording
  const worn = (await figures(samples.quake1)).filter(([what]) => what.startsWith('armor worn'));
  assert.ok(worn.length > 0, 'armor worn');
});

test('reading can be cancelled', async () => {
  const { page, errors, close } = await shown(samples.quake2);
  const seen = await page.evaluate(async (address) => {
    const viewer = document.querySelector('fragreel-viewer');
    const before = viewer.session;
    const reading = viewer.openAddress(address);
    const notice = viewer.shadowRoot.querySelector('.notice');
    const said = notice.textContent;
    [...notice.querySelectorAll('button')].find((button) => button.textContent === 'Cancel').click();
    await reading;
    return { said, after: notice.textContent, same: viewer.session === before };
  }, `${server.address}samples/quake3/crowd_latency.dm_71`);
  assert.match(seen.said, /^Reading crowd_latency/);
  assert.deepEqual([seen.after, seen.same], ['', true]);
  // and the next one opens
  await drop(page, samples.quake3);
  await ready(page, 'ctf_bots.dm_71');
  assert.deepEqual(errors, []);
  await close();
});

test('`fragreel view` shows it, and nobody else gets it', async () => {
  const child = spawn(
    command,
    ['view', samples.quake3, '--no-browser', '--for', '60', '--from', '0:10', '--pov', 'major'],
    { cwd: root },
  );
  try {
    const address = await new Promise((done, fail) => {
      child.stdout.once('data', (data) => done(String(data).trim()));
      child.stderr.once('data', (data) => fail(new Error(String(data))));
    });
    const surroundings = await browser.newContext({ locale: 'en-US' });
    const page = await surroundings.newPage();
    const requests = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(address);
    await ready(page, 'ctf_bots.dm_71');
    const seen = await page.evaluate(() => {
      const viewer = document.querySelector('fragreel-viewer');
      return [viewer.time, viewer.session.info.players.find(({ slot }) => slot === viewer.followed)?.name.clean];
    });
    // it plays already
    assert.ok(seen[0] >= 10000 && seen[0] < 20000 && seen[1] === 'Major', String(seen));
    assert.ok(requests.every((one) => one.startsWith(address.split('#')[0])));
    // another page cannot read it
    const other = await surroundings.newPage();
    await other.goto(server.address);
    const stolen = await other.evaluate(
      (address) =>
        fetch(address).then(
          (answer) => answer.text(),
          (error) => `refused: ${error.message}`,
        ),
      address.split('#')[0],
    );
    assert.match(stolen, /^refused/);
    await surroundings.close();
  } finally {
    child.kill();
  }
});

test('`fragreel serve --view`: one clock for the picture and for games', async () => {
  const child = spawn(
    command,
    ['serve', samples.quake1, '--port', '0', '--view', '--no-browser', '--for', '60', '--from', '0:10'],
    { cwd: root },
  );
  try {
    const address = await new Promise((done, fail) => {
      let said = '';
      child.stdout.on('data', (data) => {
        said += data;
        const found = /http:\S+/.exec(said);
        if (found) done(found[0]);
      });
      child.stderr.once('data', (data) => fail(new Error(String(data))));
    });
    const surroundings = await browser.newContext({ locale: 'en-US' });
    const page = await surroundings.newPage();
    await page.goto(address);
    await ready(page, 'match_e1m1.mvd');
    const both = () =>
      page.evaluate(async () => {
        const viewer = document.querySelector('fragreel-viewer');
        const state = await (await fetch('show')).json();
        return { ...state, time: viewer.time, playing: viewer.playing, shown: viewer.speed };
      });
    const until = (what, holds) => waitUntil(what, both, holds);
    // the show runs from the chosen time, and the picture with it
    await until(
      'together',
      ({ position, time, playing }) => playing && position > 10000 && Math.abs(position - time) < 400,
    );
    await page.getByText('0 games watch').waitFor();
    // what is done here is done there
    await page.keyboard.press(' ');
    const { position } = await until('paused', ({ paused, playing }) => paused && !playing);
    await page.evaluate(() => document.querySelector('fragreel-viewer').seek(30000));
    await until('sought', ({ position, time }) => position === 30000 && time === 30000);
    assert.ok(position < 30000);
    await page.getByLabel('speed').selectOption('2');
    await page.keyboard.press(' ');
    await until('on, faster', ({ paused, speed, position }) => !paused && speed === 2 && position > 31000);
    // and what is done there is seen here
    await page.evaluate(() => fetch('show', { method: 'POST', body: 'pause' }));
    await until('paused there', ({ playing }) => !playing);
    await surroundings.close();
  } finally {
    child.kill();
  }
});
