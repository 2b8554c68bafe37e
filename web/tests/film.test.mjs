// A kill as a link, and as a video with sound, from all four games: both tracks are read back by another reader of the formats and by the browser's decoder.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import { corpus, drop, open, ready, samples, setUp, showPanel } from './harness.mjs';
import { pak } from './maps.mjs';
import { wav } from './sound.mjs';

const { server, browser } = await setUp();

/** Which sound the browser encodes. */
let encodes;
before(async () => {
  const { page, close } = await open(browser, server);
  encodes = await page.evaluate(async () => {
    const can = async (codec) =>
      typeof AudioEncoder !== 'undefined' &&
      (await AudioEncoder.isConfigSupported({ codec, sampleRate: 48000, numberOfChannels: 2 })).supported === true;
    return { opus: await can('opus'), aac: await can('mp4a.40.2') };
  });
  await close();
});

/** Opens a recording at its first kill, gives it a tone for each sound that it names, and marks a second and a half around the kill. */
async function atKill(file, quiet = false) {
  const opened = await open(browser, server, { width: 1000, height: 640 });
  const { page } = opened;
  page.setDefaultTimeout(20_000);
  await page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
  await drop(page, file);
  await ready(page);
  const { names, kill } = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const { replay, events } = viewer.session;
    const kill = events.find(({ kind }) => kind === 'kill');
    viewer.follow(kill.victim.slot);
    const all = replay.happenings.between(-1, replay.duration).flatMap(({ sound }) => (sound ? [sound.file] : []));
    return { names: [...new Set(all)], kill: kill.time };
  });
  if (!quiet) {
    const tones = names.filter((name) => !name.startsWith('!')).map((name) => ({ name, bytes: wav(11025) }));
    await drop(page, { name: 'pak0.pak', bytes: pak(tones) });
    await page.waitForFunction(() => document.querySelector('fragreel-viewer').store.world.hasSounds);
  }
  const range = await page.evaluate((kill) => {
    const viewer = document.querySelector('fragreel-viewer');
    const from = Math.max(0, kill - 1000);
    viewer.range = [from, Math.min(from + 1500, viewer.session.replay.duration)];
    return viewer.range;
  }, kill);
  await showPanel(page, 'Clip');
  return { ...opened, range };
}

async function film(page, kind, shape, size) {
  await page.getByLabel('kind of video').selectOption(kind);
  await page.getByRole('button', { name: shape, exact: true }).click();
  await page.getByLabel('size of video').selectOption(size);
  await page.getByLabel('pictures a second').selectOption('25');
  const coming = page.waitForEvent('download', { timeout: 120000 });
  await page.getByRole('button', { name: 'Make a video' }).click();
  const bytes = readFileSync(await (await coming).path());
  await page.getByText('The video is saved').waitFor();
  return bytes;
}

/** The sound of a video, as the browser decodes it: its length, and how loud each tenth of a second is. */
const loudness = (page, bytes) =>
  page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const decoded = await new OfflineAudioContext(2, 1, 48000).decodeAudioData(bytes.buffer);
    const data = decoded.getChannelData(0);
    const tenths = [];
    for (let at = 0; at < data.length; at += 4800) {
      const part = data.subarray(at, at + 4800);
      tenths.push(Math.sqrt(part.reduce((sum, value) => sum + value * value, 0) / part.length));
    }
    return { duration: decoded.duration, tenths };
  }, bytes.toString('base64'));

/** The sample of Half-Life, which is made by hand, states no sound. */
const GAMES = {
  Quake: samples.quake1,
  'Half-Life': corpus('goldsrc/khanghugo__demosuperimpose-goldsrc__hldm.dem'),
  'Quake II': samples.quake2,
  'Quake III': samples.quake3,
};

for (const [game, file] of Object.entries(GAMES))
  for (const kind of game === 'Quake III' ? ['mp4', 'webm'] : ['webm'])
    test(`a kill in ${game} is a ${kind} that is heard`, async (context) => {
      if (!encodes.opus || !file) return context.skip('the browser encodes no Opus, or the recording is missing');
      const { page, errors, close, range } = await atKill(file);
      await page.getByText(/MB, with the sounds/).waitFor();
      const bytes = await film(page, kind, 'Upright', '270×480');
      const seconds = (range[1] - range[0]) / 1000;
      const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
      const [picture, sound] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()];
      assert.deepEqual([picture.displayWidth, picture.displayHeight], [270, 480]);
      assert.equal(sound.codec, kind === 'mp4' && encodes.aac ? 'aac' : 'opus');
      assert.deepEqual([sound.numberOfChannels, sound.sampleRate], [2, 48000]);
      // packets follow each other without a gap, from the start to the end
      let [end, count] = [null, 0];
      for await (const { timestamp, duration } of new EncodedPacketSink(sound).packets()) {
        if (end === null) assert.ok(Math.abs(timestamp) < 0.02, `it begins at ${timestamp}`);
        else assert.ok(Math.abs(timestamp - end) < 0.002, `${timestamp} after ${end}`);
        end = timestamp + (duration || 0.02);
        count++;
      }
      assert.ok(count > 1 && end >= seconds - 0.001, `${count} packets until ${end} s`);
      const { duration, tenths } = await loudness(page, bytes);
      assert.ok(Math.abs(duration - seconds) < 0.06, `${duration} s of ${seconds}`);
      assert.ok(Math.max(...tenths) > 0.01, `${tenths}`);
      assert.deepEqual(errors, []);
      await close();
    });

for (const [game, file] of Object.entries(GAMES))
  test(`a kill in ${game} is a link that shows it`, async (context) => {
    if (!file) return context.skip('the recording is missing');
    const { page, close } = await atKill(file, true);
    const shown = () => {
      const viewer = document.querySelector('fragreel-viewer');
      const { time, followed, camera, range } = viewer;
      const kills = viewer.session.events.filter(
        ({ kind, time }) => kind === 'kill' && time >= range[0] && time <= range[1],
      );
      return { time, followed, camera, range, victims: kills.map(({ victim }) => victim.slot) };
    };
    const [link, made] = await page.evaluate(() => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.camera = 'behind';
      viewer.range = viewer.range.map(Math.round);
      viewer.seek(viewer.range[0]);
      return [viewer.link(), viewer.session.name];
    });
    const sent = await page.evaluate(shown);
    assert.ok(sent.victims.includes(sent.followed), JSON.stringify(sent));
    await close();
    // who gets the link of a file drops that file on it
    const other = await open(browser, server, { hash: link, width: 1000, height: 640 });
    await drop(other.page, file);
    await ready(other.page, made);
    assert.deepEqual(await other.page.evaluate(shown), sent);
    assert.deepEqual(other.errors, []);
    await other.close();
  });

test('a sound is heard in a video when it begins in the recording', async (context) => {
  if (!encodes.opus) return context.skip('the browser encodes no Opus');
  const { page, close } = await atKill(samples.quake1, true);
  // the first sound after half a second of silence, as the recording states it
  const { file, time } = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const all = viewer.session.replay.happenings.between(-1, 1e9).filter(({ sound }) => sound);
    const counts = new Map();
    for (const { sound } of all) counts.set(sound.file, (counts.get(sound.file) ?? 0) + 1);
    const isThere = ({ subject, time }) =>
      viewer.session.replay.sceneAt(time).players.some(({ slot, origin }) => slot === subject && origin);
    const found = all.find((one) => counts.get(one.sound.file) === 1 && one.time > 1000 && one.origin && isThere(one));
    viewer.follow(found.subject);
    viewer.range = [found.time - 617, found.time + 500];
    return { file: found.sound.file, time: 617 };
  });
  await drop(page, { name: 'pak0.pak', bytes: pak([{ name: file, bytes: wav(11025) }]) });
  await page.waitForFunction(() => document.querySelector('fragreel-viewer').store.world.hasSounds);
  const bytes = await film(page, 'webm', 'Square', '360×360');
  const begins = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const decoded = await new OfflineAudioContext(2, 1, 48000).decodeAudioData(bytes.buffer);
    const [left, right] = [decoded.getChannelData(0), decoded.getChannelData(1)];
    const loudest = Math.max(...Array.from(left, (value, at) => Math.max(Math.abs(value), Math.abs(right[at]))));
    const first = left.findIndex((value, at) => Math.max(Math.abs(value), Math.abs(right[at])) > loudest / 4);
    return { loudest, first: (first / 48000) * 1000 };
  }, bytes.toString('base64'));
  assert.ok(begins.loudest > 0.01, JSON.stringify(begins));
  assert.ok(Math.abs(begins.first - time) < 12, `${begins.first} ms, stated ${time}`);
  await close();
});

test('a video without the files has no sound, and says so', async () => {
  const { page, close } = await atKill(samples.quake1, true);
  await page.getByText(/without sound: drop files/).waitFor();
  const bytes = await film(page, 'webm', 'Wide', '426×240');
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  assert.equal(await input.getPrimaryAudioTrack(), null);
  await page.getByText(/saved: .* without sound/).waitFor();
  await close();
});
