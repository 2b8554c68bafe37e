// Pictures of a moment as the game's own engine draws it, and as the page does, beside each other: `npm run beside`. People look at them; nothing is compared by numbers.
// It needs the engines, and is no part of the tests. OpenArena brings its data; those of the other games are made by `beside/quakedata.mjs` and `beside/quake2data.mjs`.

import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { darkPlaces } from './beside/darkplaces.mjs';
import { ezQuake } from './beside/ezquake.mjs';
import { openArena } from './beside/openarena.mjs';
import { pagePictures } from './beside/page.mjs';
import { writePair } from './beside/pair.mjs';
import { yquake2 } from './beside/yquake2.mjs';
import { launchAsInstalled, root, serve } from './harness.mjs';

const folder = join(root, 'target/web/beside');

/** What is shown: recordings, and times of them in milliseconds. */
const moments = [
  { engine: openArena, sample: 'samples/quake3/dm_bots.dm_71', times: [2450, 13500, 20000] },
  { engine: openArena, sample: 'samples/quake3/ctf_bots.dm_71', times: [8000, 20000, 35000, 50000] },
  { engine: openArena, sample: 'samples/quake3/spectator.dm_71', times: [3000, 12000, 35000, 50000] },
  { engine: darkPlaces, sample: 'samples/quake1/netquake666_deltas_dm6.dem', times: [1700, 7013, 9026, 11240] },
  { engine: darkPlaces, sample: 'samples/quake1/netquake15_deltas_dm3.dem', times: [9000, 12000] },
  { engine: ezQuake, sample: 'samples/quake1/match_e1m1.qwd', times: [1000, 4000, 17000, 25000] },
  { engine: yquake2, sample: 'samples/quake2/yq2dm_Alice.dm2', times: [2200, 11300, 17300, 33300, 42600, 71900] },
  { engine: yquake2, sample: 'samples/quake2/q2pmulti_Alice.dm2', times: [1300, 8700] },
];

const [, , only, again] = process.argv;
mkdirSync(folder, { recursive: true });
const [server, browser] = [await serve(), await launchAsInstalled()];
for (const { engine, sample, times } of moments) {
  const name = basename(sample).replace(/\..*/, '');
  if (only && !name.includes(only)) continue;
  if (!existsSync(engine.program)) {
    console.error(`${engine.program} is not installed: nothing beside ${name}`);
    continue;
  }
  // an engine may run as somebody who sees no other folder
  const home = join(tmpdir(), 'fragreel-beside', name);
  const kept = times.map((time) => join(folder, `${name}-${time}.tga`));
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const { recording, files } = engine.prepare(join(root, sample), home);
  // engines take long to start; with `again` their pictures of before are used
  if (again !== 'again' || !kept.every(existsSync))
    (await engine.shoot(recording, times, home)).forEach((file, at) => copyFileSync(file, kept[at]));
  const made = await pagePictures(browser, server, { recording, files, times });
  for (const [at, time] of times.entries()) {
    const path = join(folder, `${name}-${time}.png`);
    await writePair(browser, kept[at], made[at], path);
    console.log(path);
  }
}
await browser.close();
server.close();
