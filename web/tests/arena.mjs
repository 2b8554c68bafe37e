// Plays a sample in its own level of OpenArena, with all archives, and measures the processor time of each process and thread of the browser.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { drop, open, serve } from './harness.mjs';

const folder = process.env.OPENARENA ?? '/usr/share/games/openarena/baseoa';
/** What a second of `/proc` is counted in. */
const TICKS = 100;

/** Opens a sample at 1280 by 720 without controls, in a browser that `launch` starts; null where OpenArena is not installed. */
export async function openArena(sample, launch) {
  if (!existsSync(folder)) {
    console.log('OpenArena is not installed (OPENARENA=/path/to/baseoa): its levels were not measured');
    return null;
  }
  const server = await serve();
  const browser = await launch();
  const { page, close } = await open(browser, server, { width: 1280, height: 720 });
  await page.evaluate(() => document.querySelector('fragreel-viewer').setAttribute('controls', 'none'));
  await drop(page, sample);
  await page.waitForFunction(() => document.querySelector('fragreel-viewer').session?.audit, null, { timeout: 120000 });
  await page.getByLabel('recordings and maps').setInputFiles(
    readdirSync(folder)
      .filter((name) => name.endsWith('.pk3'))
      .sort()
      .map((name) => join(folder, name)),
  );
  await page.waitForFunction(
    () => {
      const viewer = document.querySelector('fragreel-viewer');
      return viewer.map(viewer.session, 0)?.pictures.filter(Boolean).length;
    },
    null,
    { timeout: 120000 },
  );
  const cdp = await browser.newBrowserCDPSession();
  return {
    page,
    cdp,
    close: async () => {
      await close();
      await browser.close();
      server.close();
    },
  };
}

/** Draws until all models are read: each is read when it is first drawn. */
export async function readModels(page, draw) {
  for (let [known, count] = [-1, 0]; known !== count; ) {
    known = count;
    await draw();
    count = await modelsRead(page);
  }
}

/** Waits until the models that were asked for are read. Returns how many there are. */
const modelsRead = (page) =>
  page.evaluate(async () => {
    const { found } = document.querySelector('fragreel-viewer').mapStore.models;
    const settled = () => [...found.values()].every((value) => value !== undefined);
    for (let left = 200; left && !settled(); left--) await new Promise((done) => setTimeout(done, 100));
    return found.size;
  });

/** Seconds of processor time of the browser's threads so far, by process and thread. */
export async function spent(cdp) {
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  const times = new Map();
  for (const { type, id } of processInfo) {
    for (const thread of readdirSync(`/proc/${id}/task`)) {
      const stat = readFileSync(`/proc/${id}/task/${thread}/stat`, 'latin1');
      const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
      const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13);
      times.set(`${type} ${id} ${name} ${thread}`, (Number(user) + Number(system)) / TICKS);
    }
  }
  return times;
}

/** What was spent between two such times: all of it, and by thread, the most first. */
export function between(before, after) {
  const threads = [...after]
    .map(([name, seconds]) => ({ name, seconds: seconds - (before.get(name) ?? 0) }))
    .sort((a, b) => b.seconds - a.seconds);
  return { all: threads.reduce((sum, { seconds }) => sum + seconds, 0), threads };
}
