// How long pictures of a match of 16 take, in docs/performance.md: `npm run pace`, and alone `node tests/crowd.mjs`. A sample in its own level of OpenArena with all archives,
// at 1280 by 720. The sample has twelve players, whom its client saw now and then: here the one whose client recorded it goes 16 times, 0.6 s apart, each time
// as another of them, and one sees the others through the last one's eyes, from behind him, or from above the way.

import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { between, openArena, readModels, spent } from './arena.mjs';
import { launchAsInstalled } from './harness.mjs';

const SAMPLE = 'samples/quake3/crowd_latency.dm_71';
const SECONDS = 6;

/** Makes 16 players of one, and plays for some seconds. */
async function measure({ seconds, mode }) {
  const viewer = document.querySelector('fragreel-viewer');
  const { stage, session } = viewer;
  const { replay } = session;
  viewer.crowd ??= (() => {
    const [sceneAt, figureOf] = [replay.sceneAt.bind(replay), replay.figureOf.bind(replay)];
    const models = [];
    for (let time = 0; time < replay.duration; time += 500) {
      const scene = sceneAt(time);
      for (const { slot } of scene.players) {
        const model = figureOf(slot, scene)?.model;
        if (model && !models.includes(model)) models.push(model);
      }
    }
    const scenes = new Map();
    replay.sceneAt = (time) => {
      const scene = sceneAt(time);
      const players = [];
      for (let number = 0; number < 16; number++) {
        const then = sceneAt(time - 600 * number);
        const one = then.players.find(({ isView }) => isView);
        if (!one?.origin) continue;
        players.push({ ...one, slot: number, isView: false, alive: true, spectator: false });
        scenes.set(number, [one.slot, then]);
      }
      return { ...scene, players, view: null };
    };
    replay.figureOf = (slot) => {
      const [real, then] = scenes.get(slot) ?? [];
      const state = then && figureOf(real, then);
      return state && { ...state, model: models[slot % models.length] };
    };
    return models;
  })();
  viewer.follow(15);
  viewer.camera = mode === 'above' ? 'free' : mode;
  const { space } = stage;
  const [draw, seen] = [space.draw, { pictures: 0, triangles: 0, script: 0, width: 0 }];
  const aim = stage.draw;
  stage.draw = (...all) => {
    if (mode === 'above') {
      const [x, y, z] = replay.sceneAt(all[0]).players[8].origin;
      Object.assign(stage.camera, { eye: [x - 250, y - 250, z + 120], angles: [15, 45, 0] });
    }
    const began = performance.now();
    aim.apply(stage, all);
    seen.script += performance.now() - began;
  };
  space.draw = (...all) => {
    draw.apply(space, all);
    seen.pictures++;
    seen.triangles += space.triangles;
    seen.width += stage.ground.width;
  };
  viewer.seek(15000);
  const began = performance.now();
  viewer.toggle();
  await new Promise((done) => setTimeout(done, seconds * 1000));
  viewer.toggle();
  const passed = performance.now() - began;
  stage.draw = aim;
  space.draw = draw;
  const each = (sum) => sum / seen.pictures;
  return {
    models: viewer.crowd.length,
    size: [stage.canvas.width, stage.canvas.height],
    pictures: seen.pictures,
    rate: (seen.pictures * 1000) / passed,
    sharp: each(seen.width) / stage.canvas.width,
    script: each(seen.script),
    triangles: each(seen.triangles),
  };
}

export async function crowd({ profile = null, picture = null, modes = ['behind', 'eyes', 'above'] } = {}) {
  const arena = await openArena(SAMPLE, launchAsInstalled);
  if (!arena) return;
  const { page, cdp, close } = arena;
  for (const mode of modes) {
    await readModels(page, () => page.evaluate(measure, { seconds: 3, mode }));
    const tab = profile && (await page.context().newCDPSession(page));
    if (tab) {
      await tab.send('Profiler.enable');
      await tab.send('Profiler.start');
    }
    const before = await spent(cdp);
    const { size, pictures, rate, sharp, script, triangles } = await page.evaluate(measure, { seconds: SECONDS, mode });
    const cost = between(before, await spent(cdp)).all / pictures;
    if (tab) await profile((await tab.send('Profiler.stop')).profile, mode);
    console.log(
      `16 players of OpenArena in oa_shouse, ${mode}, ${size.join(' by ')}: ${rate.toFixed(0)} pictures a second, ${Math.round(sharp * 100)} % of the width; ${(cost * 1000).toFixed(0)} ms of processor time a picture, ${script.toFixed(1)} of them in scripts; ${Math.round(triangles)} triangles`,
    );
    if (picture) await page.screenshot({ path: `${picture}-${mode}.png` });
  }
  await close();
}

if (argv[1] === fileURLToPath(import.meta.url)) await crowd();
