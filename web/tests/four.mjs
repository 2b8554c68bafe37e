// Measures how long pictures of four views take (docs/performance.md). Run it by `npm run pace`, or alone by `node tests/four.mjs`.
// It shows three views in space and the plan, with OpenArena's level, textures and models, at 1280 by 720. One browser decides itself how to draw without a
// graphics card. The other one composites the page by the graphics library.

import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { between, openArena, readModels, spent } from './arena.mjs';
import { launchAsInstalled, launchWithoutCard } from './harness.mjs';

const SAMPLE = 'samples/quake3/ctf_bots.dm_71';
/** When it begins, and pictures of a thirtieth of a second. */
const [FROM, PICTURES] = [10_000, 180];
/** The part of its width that a view in space has. */
const PART = 0.35;

/** Draws four views at times that do not depend on how fast they are drawn. */
async function measure({ from, count, part }) {
  const viewer = document.querySelector('fragreel-viewer');
  const { pictures } = viewer;
  viewer.manual = true;
  viewer.seek(from);
  if (!viewer.playing) viewer.toggle();
  let [script, triangles] = [0, 0];
  const began = performance.now();
  for (let picture = 0; picture < count; picture++) {
    await new Promise((done) => requestAnimationFrame(done));
    for (const stage of pictures.stages) stage.sharpness.scale = () => part;
    const start = performance.now();
    viewer.advance(1000 / 30);
    script += performance.now() - start;
    for (const { space } of pictures.stages) triangles += space.triangles;
  }
  const passed = performance.now() - began;
  viewer.toggle();
  return { rate: (count * 1000) / passed, script: script / count, triangles: triangles / count };
}

export async function four({ part = PART, prepare = null, profile = null, picture = null } = {}) {
  for (const [how, launch] of [
    ['as the browser decides', launchWithoutCard],
    ['the page by the graphics library', launchAsInstalled],
  ]) {
    const arena = await openArena(SAMPLE, launch);
    if (!arena) return;
    const { page, cdp, close } = arena;
    await page.evaluate(() => document.querySelector('fragreel-viewer').actions.four());
    await readModels(page, () => page.evaluate(measure, { from: FROM, count: PICTURES, part }));
    if (prepare) await page.evaluate(prepare);
    const tab = profile && (await page.context().newCDPSession(page));
    if (tab) {
      await tab.send('Profiler.enable');
      await tab.send('Profiler.start');
    }
    const before = await spent(cdp);
    const { rate, script, triangles } = await page.evaluate(measure, { from: FROM, count: PICTURES, part });
    const { all, threads } = between(before, await spent(cdp));
    if (tab) await profile((await tab.send('Profiler.stop')).profile, how);
    const each = (seconds) => ((seconds * 1000) / PICTURES).toFixed(1);
    console.log(
      `four views of ctf_bots.dm_71 with OpenArena's files, ${how}: ${each(all)} ms of processor time a picture at ${Math.round(part * 100)} % of the width; ${rate.toFixed(0)} pictures a second, ${script.toFixed(1)} ms in scripts; ${Math.round(triangles)} triangles`,
    );
    for (const { name, seconds } of threads.slice(0, 6)) console.log(`  ${name}: ${each(seconds)} ms`);
    if (picture) await page.screenshot({ path: `${picture}.png` });
    await close();
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) await four();
