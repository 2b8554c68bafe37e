// The figures of docs/performance.md: `npm run figures -- FILE...`, where files are named from the checkout on.
//
// `NATIVE` is the answer of `cargo run --release -p fragreel-wasm --example native -- FILE...`, in a file.

import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { drop, launchAsInstalled, open, root, serve } from './harness.mjs';

const SEEKS = 60;
const native = new Map(
  (process.env.NATIVE ? readFileSync(process.env.NATIVE, 'utf8').trim().split('\n') : []).map((line) => [
    JSON.parse(line).file,
    JSON.parse(line),
  ]),
);
const server = await serve();
const browser = await launchAsInstalled('--enable-precise-memory-info');
const system = await browser.newBrowserCDPSession();

/** Megabytes that the pages' own processes have for themselves. */
async function memory() {
  const { processInfo } = await system.send('SystemInfo.getProcessInfo');
  const own = (id) => Number(/^Pss_Anon:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8'))[1]) / 1000;
  return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { id }) => sum + own(id), 0);
}

console.log(
  '| recording | MB | frames | first picture, ms | seek, median and longest, ms | frames decoded, ms (native) | events, ms (native) | memory, with garbage, MB |',
);
console.log('|---|---|---|---|---|---|---|---|');
for (const file of process.argv.slice(2)) {
  const { page, close } = await open(browser, server);
  const before = await memory();
  await page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
  const first = page.evaluate(
    () =>
      new Promise((done) => {
        const viewer = document.querySelector('fragreel-viewer');
        let start = 0;
        viewer.addEventListener('drop', () => (start = performance.now()), { once: true });
        viewer.addEventListener('fragreel-open', () => {
          viewer.advance(0);
          done(performance.now() - start);
        });
      }),
  );
  await drop(page, resolve(root, file));
  const shown = await first;
  await page.waitForFunction(() => document.querySelector('fragreel-viewer').session.audit, null, { timeout: 120000 });
  const used = (await memory()) - before;
  // what is held on to, and not only garbage that nobody has needed the room of yet
  const debugging = await page.context().newCDPSession(page);
  await debugging.send('HeapProfiler.collectGarbage');
  await page.waitForTimeout(1000);
  const held = (await memory()) - before;
  const seen = await page.evaluate(async (seeks) => {
    const viewer = document.querySelector('fragreel-viewer');
    const { replay, client } = viewer.session;
    const best = async (run) => {
      let best = Infinity;
      for (let time = 0; time < 5; time++) {
        const start = performance.now();
        await run();
        best = Math.min(best, performance.now() - start);
      }
      return best;
    };
    const times = [];
    for (let seek = 0; seek < seeks; seek++) {
      const start = performance.now();
      viewer.seek(Math.random() * replay.duration);
      viewer.advance(0);
      times.push(performance.now() - start);
    }
    times.sort((a, b) => a - b);
    return {
      frames: replay.frameCount,
      median: times[seeks >> 1],
      longest: times[seeks - 1],
      tracks: await best(() => client.tracks()),
      events: await best(() => client.ask('events')),
    };
  }, SEEKS);
  const than = native.get(file);
  const ratio = (what) =>
    `${seen[what].toFixed(0)}${than ? ` (${than[what].toFixed(0)}: ${(seen[what] / than[what]).toFixed(2)})` : ''}`;
  const size = statSync(resolve(root, file)).size / 1e6;
  console.log(
    `| ${file.split('/').pop()} | ${size.toFixed(2)} | ${seen.frames} | ${shown.toFixed(0)} | ${seen.median.toFixed(0)}, ${seen.longest.toFixed(0)} | ${ratio('tracks')} | ${ratio('events')} | ${held.toFixed(0)}, ${used.toFixed(0)} |`,
  );
  await close();
}
await browser.close();
server.close();
