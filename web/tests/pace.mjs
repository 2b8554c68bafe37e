// How long pictures of a full match take, in docs/performance.md: `npm run pace`. 64 players and 500 things over a map of 25,000 triangles, drawn as fast as the browser shows
// them: by WebGL without a graphics card here.

import { resolve } from 'node:path';
import { crowd } from './crowd.mjs';
import { four } from './four.mjs';
import { drop, launchAsInstalled, open, root, serve } from './harness.mjs';

const PICTURES = 90;
const server = await serve();
const browser = await launchAsInstalled();
const { page, close } = await open(browser, server);
await page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
await drop(page, resolve(root, 'samples/quake3/dm_bots.dm_71'));
await page.waitForFunction(() => document.querySelector('fragreel-viewer').session?.audit, null, { timeout: 120000 });
const { size, rows } = await page.evaluate(async (pictures) => {
  const stage = document.querySelector('fragreel-viewer').stage;
  const { replay } = stage.session;
  const scene = replay.sceneAt(1000);
  const any = (reach) => (Math.random() - 0.5) * reach;
  const place = () => ({ origin: [any(2000), any(2000), 30], angles: [0, any(360), 0] });
  const players = Array.from({ length: 64 }, (_, slot) => ({
    ...scene.players[slot % scene.players.length],
    slot,
    ...place(),
    alive: true,
    spectator: false,
  }));
  const kinds = ['item', 'missile', 'corpse', 'effect', 'mover'];
  const entities = Array.from({ length: 500 }, (_, number) => ({
    number,
    kind: kinds[number % 5],
    ...place(),
    model: null,
    item: null,
  }));
  replay.sceneAt = () => ({ ...scene, players, entities, view: null });
  // hills
  const side = 112;
  const [positions, colors, indices, texels] = [[], [], [], []];
  for (let y = 0; y <= side; y++) {
    for (let x = 0; x <= side; x++) {
      texels.push(x * 24, y * 24);
      positions.push((x - side / 2) * 24, (y - side / 2) * 24, 40 * Math.sin(x / 5) * Math.cos(y / 7) - 40);
      colors.push(120, 110 + (x % 9) * 8, 100 + (y % 7) * 9, 255);
      const at = y * (side + 1) + x;
      if (x < side && y < side) indices.push(at, at + side + 1, at + 1, at + 1, at + side + 1, at + side + 2);
    }
  }
  const ground = {
    positions: Float32Array.from(positions),
    colors: Uint8Array.from(colors),
    indices: Uint32Array.from(indices),
  };
  // 64 textures of four sizes, each on a part of them
  const runs = Array.from({ length: 64 }, (_, material) => ({
    material,
    first: Math.floor(indices.length / 384) * 6 * material,
    count: Math.floor(indices.length / 384) * 6,
    liquid: false,
  }));
  const pixels = (material) => 64 << (material % 4);
  const covers = runs.map((_, material) => ({
    width: pixels(material),
    height: pixels(material),
    pixels: new Uint8Array(pixels(material) ** 2 * 4).map(() => any(255) + 128),
    scale: [1 / pixels(material), 1 / pixels(material)],
    cut: 0,
    blend: null,
    both: false,
    hidden: false,
  }));
  const part = {
    first: 0,
    count: indices.length,
    liquidFirst: 0,
    liquidCount: 0,
    origin: [0, 0, 0],
    drawn: true,
    runs,
  };
  const level = {
    ...ground,
    luxels: new Float32Array(),
    light: null,
    corners: null,
    fogs: [],
    grid: null,
    pictures: [],
    box: { min: [-1344, -1344, -100], max: [1344, 1344, 100] },
    parts: [part],
  };
  const textured = {
    ...level,
    pictures: covers,
    texels: Float32Array.from(texels),
    tints: new Uint8Array((side + 1) * (side + 1) * 4).fill(128),
  };
  const next = () => new Promise((done) => requestAnimationFrame(done));
  const rows = [];
  for (const [name, map, mode] of [
    ['in space', level, 'free'],
    ['in space, textures', textured, 'free'],
    ['from above, a map', level, 'top'],
    ['from above, a map, textures', textured, 'top'],
    ['from above, the plan', null, 'top'],
  ]) {
    stage.app.map = () => map;
    stage.setMode(mode);
    if (mode === 'free') Object.assign(stage.camera, { eye: [-900, -900, 500], angles: [25, 45, 0] });
    else stage.fit();
    const times = [];
    for (let picture = 0; picture < pictures; picture++) {
      const began = performance.now();
      stage.draw(1000, 0);
      await next();
      times.push(performance.now() - began);
    }
    const mean = times.reduce((sum, time) => sum + time, 0) / pictures;
    times.sort((a, b) => a - b);
    rows.push([name, times[pictures >> 1], mean]);
  }
  return { size: [stage.canvas.width, stage.canvas.height], rows };
}, PICTURES);
console.log(`| ${size.join(' by ')} | median, ms | mean, ms | pictures a second |`);
console.log('|---|---|---|---|');
for (const [name, median, mean] of rows)
  console.log(`| ${name} | ${median.toFixed(0)} | ${mean.toFixed(0)} | ${(1000 / mean).toFixed(0)} |`);
await close();
await browser.close();
server.close();
await crowd();
await four();
