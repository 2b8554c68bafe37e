// Sounds that go on: those of entities as long as they are there, those at places, those that files say go on, and sentences.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shown as shownIn } from './ground.mjs';
import { drop, samples, setUp } from './harness.mjs';
import { pak } from './maps.mjs';
import { wav } from './sound.mjs';

const { server, browser } = await setUp();
const shown = (file) => shownIn(browser, server, file);

/** Plays for a while from a time on, and says what is heard then: files, whether they last, and whose they are. */
const heard = (page, time, camera = 'top') =>
  page.evaluate(
    async ({ time, camera }) => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.camera = camera;
      viewer.seek(time);
      if (!viewer.playing) viewer.toggle();
      for (let step = 0; step < 40; step++) {
        viewer.advance(10);
        await new Promise((done) => setTimeout(done, 10));
      }
      return viewer.sounds.voices.map(({ key, lasts, heard, source, origin }) => ({
        key,
        lasts,
        file: heard.file,
        loop: source.loop,
        origin,
      }));
    },
    { time, camera },
  );

test('what an entity or a weapon is heard with goes on as long as the recording states it', async () => {
  const { page, errors, close } = await shown(samples.quake3);
  const stated = await page.evaluate(() => {
    const { replay } = document.querySelector('fragreel-viewer').session;
    const files = new Set();
    let most = null;
    for (let time = 0; time < replay.duration; time += 250) {
      const scene = replay.sceneAt(time);
      const found = [
        ...scene.entities.map(({ number }) => ['entity', number]),
        ...scene.players.map(({ slot }) => ['player', slot]),
      ]
        .map(([kind, number]) => [`${kind} ${number}`, replay.soundOf(kind, number, scene)])
        .filter(([, sound]) => sound);
      for (const [, sound] of found) files.add(sound.file);
      if (!most || found.length > most.found.length) most = { time, found };
    }
    return { files: [...files], most };
  });
  assert.ok(
    stated.most.found.length > 2 && stated.files.some((file) => file.startsWith('sound/world/')),
    JSON.stringify(stated.files),
  );
  await drop(page, {
    name: 'pak0.pak',
    bytes: pak([
      ...stated.files.map((name) => ({ name, bytes: wav(11025) })),
      { name: 'sound/place.wav', bytes: wav(11026, 0) },
    ]),
  });
  await page.waitForFunction(() => document.querySelector('fragreel-viewer').mapStore.game.packs.length);
  await page.keyboard.press('u');
  const find = (voices) => voices.filter(({ lasts }) => lasts);
  let voices = [];
  for (let times = 0; times < 20 && !find(voices).length; times++)
    voices = await heard(page, stated.most.time - 200, 'behind');
  const lasting = find(voices);
  assert.ok(lasting.length > 0 && voices.length <= 32, JSON.stringify(voices));
  assert.ok(
    lasting.every(
      ({ loop, key, file }) => loop && /^(entity|player|place) \d+ sound\//.test(key) && stated.files.includes(file),
    ),
    JSON.stringify(lasting),
  );
  assert.equal(new Set(lasting.map(({ key }) => key)).size, lasting.length, 'each once');
  // they end with what makes them, and when nothing moves
  const gone = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.session.replay.soundOf = () => null;
    viewer.session.replay.happenings.lastingAt = () => [];
    viewer.advance(20);
    return viewer.sounds.voices.filter(({ lasts }) => lasts).length;
  });
  assert.equal(gone, 0);
  // a hundred places with sounds share the voices
  const many = await page.evaluate(async () => {
    const viewer = document.querySelector('fragreel-viewer');
    const file = 'sound/place.wav';
    viewer.sounds.files.bring(file);
    while (!viewer.sounds.files.get(file)) await new Promise((done) => setTimeout(done, 20));
    const sound = { file, near: 80, far: Number.NaN, pitch: 1, channel: 0, lasts: true };
    viewer.session.replay.happenings.lastingAt = () =>
      Array.from({ length: 100 }, (_, number) => ({
        number,
        origin: null,
        sound: { ...sound, volume: (number + 1) / 100 },
      }));
    viewer.advance(20);
    viewer.advance(20);
    const volumes = viewer.sounds.voices.filter(({ lasts }) => lasts).map(({ heard }) => heard.volume);
    viewer.toggle();
    viewer.advance(20);
    return { all: volumes.length, least: Math.min(...volumes), after: viewer.sounds.voices.length };
  });
  assert.ok(many.all > 20 && many.all <= 32 && many.least > 0.6, JSON.stringify(many));
  assert.equal(many.after, 0);
  assert.deepEqual(errors, []);
  await close();
});

test('a file may say where it begins again, and a sentence is its words', async () => {
  const { page, errors, close } = await shown(samples.goldsrc);
  // each word at its speed
  const list = Buffer.from('// words\r\nHELLO man/hello(p200) _comma there, (p50) now\nBYE bye\n');
  await drop(page, {
    name: 'pak0.pak',
    bytes: pak([
      { name: 'sound/sentences.txt', bytes: list },
      { name: 'sound/loop.wav', bytes: wav(11026, 2205) },
      { name: 'sound/man/hello.wav', bytes: wav(11025) },
      { name: 'sound/man/there.wav', bytes: wav(11025) },
      { name: 'sound/man/now.wav', bytes: wav(11025) },
      { name: 'sound/vox/bye.wav', bytes: wav(5512) },
    ]),
  });
  await page.waitForFunction(() => document.querySelector('fragreel-viewer').mapStore.game.packs.length);
  await page.keyboard.press('u');
  const decoded = await page.evaluate(async () => {
    const { sounds } = document.querySelector('fragreel-viewer');
    const names = ['sound/loop.wav', 'sound/vox/bye.wav', '!HELLO', '!1', '!9', 'sound/none.wav'];
    for (const name of names) sounds.files.bring(name);
    while (names.some((name) => sounds.files.get(name) === undefined))
      await new Promise((done) => setTimeout(done, 20));
    return names.map((name) => {
      const found = sounds.files.get(name);
      return (
        found && {
          length: Math.round(found.buffer.duration * 100) / 100,
          loop: found.loop?.map((second) => Math.round(second * 100) / 100) ?? null,
        }
      );
    });
  });
  assert.deepEqual(decoded, [
    { length: 1, loop: [0.2, 1] },
    { length: 0.5, loop: null },
    { length: 0.5 + 1 + 2, loop: null },
    { length: 0.5, loop: null },
    null,
    null,
  ]);
  assert.deepEqual(errors, []);
  await close();
});
