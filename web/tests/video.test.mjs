// Videos frame by frame: as many pictures as wished, as long and as large, read back by the browser's decoder and by another reader of the same formats.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import { gif } from './gif.mjs';
import { drop, open, ready, samples, setUp, showPanel } from './harness.mjs';

const { server, browser } = await setUp();

/** Which videos the browser encodes. */
let encodes;
before(async () => {
  const { page, close } = await open(browser, server);
  encodes = await page.evaluate(async () => {
    const can = async (codec) =>
      typeof VideoEncoder !== 'undefined' &&
      (await VideoEncoder.isConfigSupported({ codec, width: 320, height: 180 })).supported === true;
    return {
      avc: await can('avc1.42001f'),
      webm: (await can('vp09.00.41.08')) || (await can('vp8')),
      mp4: (await can('avc1.42001f')) || (await can('vp09.00.41.08')),
    };
  });
  await close();
});

/** The panel with the part from 10.0 to 11.5 s marked. */
async function panel() {
  const opened = await open(browser, server, { width: 1000, height: 640 });
  await drop(opened.page, samples.quake3);
  await ready(opened.page);
  await showPanel(opened.page, 'Clip');
  await opened.page.getByLabel('from', { exact: true }).fill('10');
  await opened.page.getByLabel('up to', { exact: true }).fill('11.5');
  await opened.page.getByLabel('up to', { exact: true }).press('Tab');
  return opened;
}

async function video(page, kind, size, rate) {
  await page.getByLabel('kind of video').selectOption(kind);
  await page.getByLabel('size of video').selectOption(size);
  await page.getByLabel('pictures a second').selectOption(String(rate));
  const coming = page.waitForEvent('download', { timeout: 120000 });
  await page.getByRole('button', { name: 'Make a video' }).click();
  const bytes = readFileSync(await (await coming).path());
  await page.getByText('The video is saved').waitFor();
  return bytes;
}

/** What the browser's own player makes of a video: its size, how long it is, and colors of its pictures at two times. */
const played = (page, bytes, type) =>
  page.evaluate(
    async ({ base64, type }) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const video = document.createElement('video');
      video.muted = true;
      video.src = URL.createObjectURL(new Blob([bytes], { type }));
      await new Promise((done, fail) => {
        video.onloadeddata = done;
        video.onerror = () => fail(new Error(video.error.message));
      });
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
      const context = canvas.getContext('2d');
      const colors = [];
      for (const time of [0.02, 1.4]) {
        video.currentTime = time;
        await new Promise((done) => (video.onseeked = done));
        context.drawImage(video, 0, 0);
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        colors.push(new Set(new Uint32Array(data.buffer)).size);
      }
      return { width: video.videoWidth, height: video.videoHeight, duration: video.duration, colors };
    },
    { base64: bytes.toString('base64'), type },
  );

for (const [kind, refused] of [
  ['mp4', ''],
  ['mp4', 'avc'],
  ['webm', ''],
  ['webm', 'vp09'],
]) {
  test(`a video is an exact ${kind}${refused && `, where the browser has no ${refused}`}`, async (context) => {
    if (!encodes[kind]) return context.skip(`the browser encodes no ${kind}`);
    const { page, errors, close } = await panel();
    await page.evaluate((refused) => {
      const ask = VideoEncoder.isConfigSupported.bind(VideoEncoder);
      VideoEncoder.isConfigSupported = (config) =>
        refused && config.codec.startsWith(refused) ? Promise.resolve({ supported: false, config }) : ask(config);
    }, refused);
    const bytes = await video(page, kind, '640×360', 25);
    const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
    const track = await input.getPrimaryVideoTrack();
    const times = [];
    let keys = 0;
    for await (const packet of new EncodedPacketSink(track).packets()) {
      times.push(Math.round(packet.timestamp * 1000));
      keys += packet.type === 'key';
    }
    times.sort((a, b) => a - b);
    // 1.5 s at 25 a second are 38 pictures, 40 ms apart
    assert.deepEqual(
      times,
      Array.from({ length: 38 }, (_, number) => number * 40),
    );
    assert.ok(keys >= 1);
    const wanted = kind === 'mp4' ? (refused || !encodes.avc ? 'vp9' : 'avc') : refused ? 'vp8' : 'vp9';
    assert.equal(track.codec, wanted);
    assert.deepEqual([track.displayWidth, track.displayHeight], [640, 360]);
    assert.equal(await input.getMimeType().then((type) => type.split(';')[0]), `video/${kind}`);
    const { width, height, duration, colors } = await played(page, bytes, `video/${kind}`);
    assert.deepEqual([width, height], [640, 360]);
    assert.ok(Math.abs(duration - 1.52) < 0.05, `${duration} s`);
    assert.ok(
      colors.every((count) => count > 100),
      `${colors} colors`,
    );
    // the picture is the page's again
    assert.deepEqual(
      await page.evaluate(() => [
        document.querySelector('fragreel-viewer').stage.size,
        document.querySelector('fragreel-viewer').manual,
      ]),
      [null, false],
    );
    assert.deepEqual(errors, []);
    await close();
  });
}

test('a video is an exact GIF', async () => {
  const { page, errors, close } = await panel();
  const { width, height, frames, repeats } = gif(await video(page, 'gif', '426×240', 10));
  assert.deepEqual([width, height, frames.length, repeats], [426, 240, 15, 0]);
  assert.deepEqual(new Set(frames.map(({ delay }) => delay)), new Set([10]));
  for (const { pixels } of frames) assert.equal(pixels.length, 426 * 240);
  // after the first, only what differs
  assert.ok(
    frames.slice(1).every(({ changed }) => changed < 426 * 240 * 0.8),
    `${frames.map(({ changed }) => changed)}`,
  );
  // players move, and the clock goes on
  const changes = frames
    .slice(1)
    .filter(({ pixels }, at) => pixels.some((color, pixel) => color !== frames[at].pixels[pixel])).length;
  assert.ok(changes > 10, `${changes} of 14 pictures differ from the one before`);
  assert.ok(new Set(frames[0].pixels).size > 30);
  assert.deepEqual(errors, []);
  await close();
});

/** Three moments of half a second in the panel: of two players, and of nobody. */
async function moments() {
  const opened = await panel();
  const slots = await opened.page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const { session } = viewer;
    const slots = session.replay
      .sceneAt(20_000)
      .players.flatMap(({ slot, origin }) => (origin ? [slot] : []))
      .slice(0, 2);
    const ask = session.client.ask.bind(session.client);
    session.client.ask = async (call, ...rest) => {
      if (call !== 'moments') return ask(call, ...rest);
      const moment = (from, slot) => ({
        from,
        to: from + 500,
        points: 1,
        players: [],
        reasons: slot === null ? [{ reason: 'capture' }] : [{ reason: 'capture', player: { slot } }],
      });
      return [moment(20_000, slots[0]), moment(25_000, null), moment(30_000, slots[1])];
    };
    viewer.seen = [];
    viewer.store.on('followed', ({ followed }) => viewer.seen.push(followed));
    return slots;
  });
  await opened.page.getByRole('button', { name: 'Best moments' }).click();
  await opened.page.getByRole('button', { name: 'One video of them' }).waitFor();
  return { ...opened, slots };
}

test('several moments are one video, and the director goes on after it', async () => {
  const { page, errors, close, slots } = await moments();
  assert.equal(slots.length, 2);
  const before = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.directed = true;
    viewer.seek(11_000);
    viewer.advance(0);
    viewer.seen.length = 0;
    return { followed: viewer.followed, directed: viewer.directed, camera: viewer.camera };
  });
  await page.getByLabel('kind of video').selectOption('gif');
  await page.getByLabel('size of video').selectOption('426×240');
  await page.getByLabel('pictures a second').selectOption('10');
  const coming = page.waitForEvent('download', { timeout: 120000 });
  await page.getByRole('button', { name: 'One video of them' }).click();
  const { frames } = gif(readFileSync(await (await coming).path()));
  await page.getByText('The video is saved').waitFor();
  assert.equal(frames.length, 15);
  const after = await page.evaluate(() => {
    const { followed, directed, camera, seen } = document.querySelector('fragreel-viewer');
    return { followed, directed, camera, seen: seen.filter((one, at) => one !== seen[at - 1]) };
  });
  assert.ok(!after.seen.includes(null), `${after.seen}`);
  const at = after.seen.indexOf(slots[0]);
  assert.ok(before.followed === slots[0] || at >= 0, `${after.seen}`);
  assert.ok(after.seen.includes(slots[1]) || before.followed === slots[1], `${after.seen}`);
  assert.deepEqual([after.followed, after.directed, after.camera], [before.followed, true, before.camera]);
  assert.deepEqual(errors, []);
  await close();
});

test('moments play forward, however it went before', async () => {
  const { page, close } = await moments();
  const seen = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.manual = true;
    viewer.setSpeed(-2);
    [...viewer.shadowRoot.querySelectorAll('button')].find(({ textContent }) => textContent === 'Play them').click();
    const seen = [viewer.speed, viewer.time];
    for (let step = 0; step < 3; step++) viewer.advance(100);
    return [...seen, viewer.time];
  });
  assert.deepEqual(seen, [2, 20_000, 25_000]);
  await close();
});

test('without an encoder, several moments are no video, and it says so', async () => {
  const { page, errors, close } = await moments();
  await page.evaluate(() => Object.defineProperty(window, 'VideoEncoder', { value: undefined }));
  await page.getByLabel('kind of video').selectOption('webm');
  await page.getByRole('button', { name: 'One video of them' }).click();
  await page.getByText('This browser cannot record several moments in one video').waitFor();
  assert.equal(await page.evaluate(() => document.querySelector('fragreel-viewer').manual), false);
  assert.deepEqual(errors, []);
  await close();
});

test('score and display are on a video when they are wished', async () => {
  const { page, errors, close } = await panel();
  const top = ({ frames }) => frames[0].pixels.slice(0, 426 * 16);
  const withIt = gif(await video(page, 'gif', '426×240', 10));
  await page.getByLabel('with score, kills and display').uncheck();
  const without = gif(await video(page, 'gif', '426×240', 10));
  const light = (pixels) => pixels.filter((color) => ((color >> 16) & 255) > 180).length;
  assert.ok(
    light(top(withIt)) > light(top(without)) + 20,
    `${light(top(withIt))} and ${light(top(without))} light pixels`,
  );
  assert.deepEqual(errors, []);
  await close();
});

test('a picture of a video waits for what is still read', async () => {
  const { page, close } = await panel();
  await page.getByLabel('up to', { exact: true }).fill('10.2');
  await page.getByLabel('up to', { exact: true }).press('Tab');
  await page.evaluate(() => {
    const { store } = document.querySelector('fragreel-viewer');
    window.asked = 0;
    // ten looks later, all is there
    store.world = Object.defineProperty(Object.create(store.world), 'reads', { get: () => ++window.asked <= 10 });
  });
  const { frames } = gif(await video(page, 'gif', '426×240', 10));
  assert.equal(frames.length, 2);
  // ten in vain for the first picture, then one for each
  assert.equal(await page.evaluate(() => window.asked), 12);
  await close();
});

test('a video can be cancelled', async () => {
  const { page, errors, close } = await panel();
  await page.getByLabel('up to', { exact: true }).fill('59');
  await page.getByLabel('up to', { exact: true }).press('Tab');
  await page.getByLabel('kind of video').selectOption('gif');
  await page.getByRole('button', { name: 'Make a video' }).click();
  await page.getByText(/Making the video: \d/).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('The video is cancelled').waitFor();
  await page.getByRole('button', { name: 'Make a video' }).waitFor();
  assert.equal(await page.evaluate(() => document.querySelector('fragreel-viewer').manual), false);
  assert.deepEqual(errors, []);
  await close();
});
