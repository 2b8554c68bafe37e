// Pictures of a moment as the game's own engine draws it, and as the page does, beside each other: `npm run beside`. People look at them; nothing is compared by numbers.
// It needs the engine and free data of its game, and is no part of the tests.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { launch, open, ready, root, serve } from './harness.mjs';

const [WIDTH, HEIGHT] = [1280, 720];
const folder = join(root, 'target/web/beside');

/** Milliseconds from one picture of an engine to the next. */
const STEP = 50;

/** OpenArena: the recording is played with a fixed time from picture to picture, so that a number of pictures is a time. */
const openArena = {
  data: '/usr/share/games/openarena/baseoa',
  program: '/usr/games/openarena',
  files() {
    return readdirSync(this.data).filter((name) => name.endsWith('.pk3')).sort().map((name) => join(this.data, name));
  },
  shoot(sample, times, home, settings = []) {
    const game = join(home, 'baseoa');
    mkdirSync(join(game, 'demos'), { recursive: true });
    copyFileSync(join(root, sample), join(game, 'demos', basename(sample)));
    // it shows the second picture before the one that it computes
    let past = -2 * STEP;
    const waits = times.flatMap((time, number) => {
      // the engine runs its commands twice for each picture
      const count = Math.round((time - past) / STEP) * 2;
      past = time;
      return [`wait ${count}`, `screenshot moment${number}`];
    });
    const script = [`demo ${basename(sample)}`, `set fixedtime ${STEP}`, 'set cg_draw2D 0', 'set con_notifytime 0', 'set cg_fov 106.26', ...settings, ...waits, 'wait 2', 'quit'];
    writeFileSync(join(game, 'beside.cfg'), script.join('\n'));
    const sets = { fs_homepath: home, r_fullscreen: 0, r_mode: -1, r_customwidth: WIDTH, r_customheight: HEIGHT, s_initsound: 0, com_maxfps: 0, sv_pure: 0, cl_renderer: 'opengl1' };
    run('openarena', [...Object.entries(sets).flatMap(([name, value]) => ['+set', name, String(value)]), '+exec', 'beside.cfg'], home);
    return times.map((_, number) => join(game, 'screenshots', `moment${number}.tga`));
  },
};

/** What is shown: recordings, times of the recording in milliseconds, and through whose eyes. */
const moments = [
  { engine: openArena, sample: 'samples/quake3/dm_bots.dm_71', times: [2450, 13500, 20000] },
  { engine: openArena, sample: 'samples/quake3/ctf_bots.dm_71', times: [8000, 20000, 35000, 50000] },
  { engine: openArena, sample: 'samples/quake3/spectator.dm_71', times: [3000, 12000, 35000, 50000] },
];

function run(program, args, home) {
  const { status, stderr } = spawnSync('xvfb-run', ['-a', '-s', `-screen 0 ${WIDTH}x${HEIGHT}x24`, program, ...args], {
    env: { ...process.env, HOME: home, PATH: `${process.env.PATH}:/usr/games` },
    encoding: 'utf8',
    timeout: 600_000,
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr?.slice(-500)}`);
}

/** The pictures of the page. */
async function page(browser, server, { engine, sample, times }) {
  const { page, close } = await open(browser, server, { width: WIDTH, height: HEIGHT });
  await page.evaluate(() => Object.assign(document.querySelector('fragreel-viewer'), { keep: true, manual: true }));
  const input = page.getByLabel('recordings and maps');
  await input.setInputFiles(join(root, sample));
  await ready(page);
  await input.setInputFiles(engine.files());
  const map = () => page.waitForFunction(() => { const viewer = document.querySelector('fragreel-viewer'); return viewer.map(viewer.session, 0)?.pictures.some(Boolean); }, null, { timeout: 120_000 });
  await map();
  const made = [];
  for (const time of times) {
    await page.evaluate(({ time }) => {
      const viewer = document.querySelector('fragreel-viewer');
      const { stage } = viewer;
      Object.assign(stage.element.style, { position: 'fixed', inset: '0', zIndex: 1000 });
      stage.canvas.style.visibility = 'hidden';
      viewer.camera = 'eyes';
      viewer.follow(stage.session.film.sceneAt(time).view?.slot ?? null);
      viewer.seek(time);
      viewer.advance(0);
    }, { time });
    // models are read when they are drawn first
    for (let tries = 0; tries < 12; tries++) {
      await page.waitForTimeout(250);
      await page.evaluate(() => (document.querySelector('fragreel-viewer').changed(), document.querySelector('fragreel-viewer').advance(0)));
    }
    made.push(await page.evaluate(() => document.querySelector('fragreel-viewer').stage.ground.toDataURL('image/png')));
  }
  await close();
  return made;
}

/** An uncompressed TGA from below as rows from above. */
function pixels(file) {
  const bytes = readFileSync(file);
  const [width, height, from, depth] = [bytes.readUInt16LE(12), bytes.readUInt16LE(14), 18 + bytes[0], bytes[16] / 8];
  return { width, height, depth, above: (bytes[17] & 0x20) !== 0, base64: bytes.subarray(from, from + width * height * depth).toString('base64') };
}

/** Puts both beside each other: the engine left. */
async function join2(browser, left, right, path) {
  const sheet = await browser.newPage({ viewport: { width: WIDTH * 2, height: HEIGHT } });
  await sheet.setContent('<style>body{margin:0}canvas,img{position:fixed;top:0;width:50%;height:100%}img{left:50%}</style><canvas></canvas><img>');
  await sheet.evaluate(async ({ left, right }) => {
    const canvas = document.querySelector('canvas');
    const { width, height, depth, above } = left;
    const bytes = Uint8Array.from(atob(left.base64), (c) => c.charCodeAt(0));
    Object.assign(canvas, { width, height });
    const image = new ImageData(width, height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const [to, from] = [(y * width + x) * 4, ((above ? y : height - 1 - y) * width + x) * depth];
        image.data.set([bytes[from + 2], bytes[from + 1], bytes[from], 255], to);
      }
    }
    canvas.getContext('2d').putImageData(image, 0, 0);
    document.querySelector('img').src = right;
    await document.querySelector('img').decode();
  }, { left, right });
  await sheet.screenshot({ path });
  await sheet.close();
}

const only = process.argv[2];
mkdirSync(folder, { recursive: true });
const [server, browser] = [await serve(), await launch()];
for (const moment of moments) {
  const name = basename(moment.sample).replace(/\..*/, '');
  if (only && !name.includes(only)) continue;
  if (!existsSync(moment.engine.program)) {
    console.error(`${moment.engine.program} is not installed: nothing beside ${name}`);
    continue;
  }
  const home = join(folder, 'home');
  const kept = moment.times.map((time) => join(folder, `${name}-${time}.tga`));
  // engines take long to start; with `again` their pictures of before are used
  if (process.argv[3] !== 'again' || !kept.every(existsSync)) {
    rmSync(home, { recursive: true, force: true });
    moment.engine.shoot(moment.sample, moment.times, home, moment.settings).forEach((file, at) => copyFileSync(file, kept[at]));
  }
  const made = await page(browser, server, moment);
  for (const [at, time] of moment.times.entries()) {
    const path = join(folder, `${name}-${time}.png`);
    await join2(browser, pixels(kept[at]), made[at], path);
    console.log(path);
  }
}
await browser.close();
server.close();
