// Maps of the compiler for engines, read by the page: all of a room is there, and light falls where lamps shine.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compile } from './compiled.mjs';
import { palette as shades, shade } from './beside/palette.mjs';
import { colors, recordings, shown } from './ground.mjs';
import { drawsInSpace, drop, setUp } from './harness.mjs';
import { miptex, palette, plain, tga } from './images.mjs';
import { pak } from './maps.mjs';

const { server, browser } = await setUp();
const space = await drawsInSpace(browser);

const SIDE = 300;
const [LOW, HIGH] = [112, 160];
const room = { min: [0, 0, 0], max: [SIDE, SIDE, SIDE] };
const water = { min: [0, 200, 0], max: [100, SIDE, 16] };
/** A room with a pillar up to its sky, a lamp in one corner, water in another, and a door. */
const made = (version, own, cover = plain(1)) =>
  compile(version, {
    room,
    walls: (axis, sign) => (axis === 2 && sign < 0 ? 'sky1' : 'wall1'),
    boxes: [
      { min: [LOW, LOW, 0], max: [HIGH, HIGH, SIDE], texture: 'pillar' },
      { ...water, kind: 'water', texture: '*water1' },
    ],
    doors: [[{ min: [-8, -32, 0], max: [8, 32, 64], texture: 'door1' }]],
    lamps: [{ at: [40, 40, 100], reach: 600, bright: 200 }],
    inside: Object.fromEntries(
      ['wall1', 'pillar', 'sky1', '*water1', 'door1'].map((name) => [
        name,
        version === 38 ? null : miptex(name, cover, own),
      ]),
    ),
    entities: [
      { classname: 'worldspawn', message: 'Compiled' },
      { classname: 'func_door', model: '*1' },
    ],
  });

for (const [format, version, own] of [
  ['Quake', 29, false],
  ['Half-Life', 30, palette],
  ['Quake II', 38, false],
]) {
  describe(format, () => {
    test('a compiled room has all of its faces, and its light', async () => {
      const [file, name] = recordings[format];
      const { page, errors, close } = await shown(browser, server, file);
      await drop(page, { name: `${name}.bsp`, bytes: made(version, own) });
      await page.waitForFunction(() =>
        document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
      );
      const level = await page.evaluate(() => {
        const viewer = document.querySelector('fragreel-viewer');
        const { title, positions, indices, parts, luxels, light } = viewer.map(viewer.session, viewer.time);
        const bright = (vertex) => {
          const [x, y] = [
            Math.floor(luxels[vertex * 2] * light.width),
            Math.floor(luxels[vertex * 2 + 1] * light.height),
          ];
          return light.pixels[(y * light.width + x) * 3];
        };
        return {
          title,
          positions: [...positions],
          indices: [...indices],
          parts: parts.map(({ first, count, liquidFirst, liquidCount }) => [first, count, liquidFirst, liquidCount]),
          bright: Array.from({ length: positions.length / 3 }, (_, vertex) => bright(vertex)),
        };
      });
      assert.equal(level.title, 'Compiled');
      const place = (vertex) => level.positions.slice(vertex * 3, vertex * 3 + 3);
      /** The area that looks along each axis, and against it. Triangles go clockwise, seen from the front. */
      const areas = (first, count) => {
        const found = {};
        for (let at = first; at < first + count; at += 3) {
          const [a, b, c] = [0, 1, 2].map((corner) => place(level.indices[at + corner]));
          const [u, v] = [c, b].map((corner) => corner.map((value, axis) => value - a[axis]));
          const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
          const axis = normal.findIndex((value) => value !== 0);
          const key = `${normal[axis] > 0 ? '+' : '-'}${'xyz'[axis]}`;
          found[key] = (found[key] ?? 0) + Math.abs(normal[axis]) / 2;
        }
        return found;
      };
      const [[first, count, liquidFirst, liquidCount], [doorFirst, doorCount]] = level.parts;
      const wall = SIDE * SIDE + (HIGH - LOW) * SIDE;
      assert.deepEqual(areas(first, count), {
        '+x': wall,
        '-x': wall,
        '+y': wall,
        '-y': wall,
        '+z': SIDE * SIDE - (HIGH - LOW) ** 2,
      });
      // the water is seen from above and from below, and from its two sides
      assert.deepEqual(areas(liquidFirst, liquidCount), {
        '+x': 1600,
        '-x': 1600,
        '+y': 1600,
        '-y': 1600,
        '+z': 10000,
        '-z': 10000,
      });
      assert.deepEqual(areas(doorFirst, doorCount), {
        '+x': 4096,
        '-x': 4096,
        '+y': 1024,
        '-y': 1024,
        '+z': 1024,
        '-z': 1024,
      });
      const floor = [...new Set(level.indices.slice(first, first + count))].filter((vertex) => place(vertex)[2] === 0);
      const at = (x, y) =>
        Math.max(
          ...floor
            .filter((vertex) => place(vertex)[0] === x && place(vertex)[1] === y)
            .map((vertex) => level.bright[vertex]),
        );
      assert.ok(at(0, 0) > 100, `the corner below the lamp: ${at(0, 0)}`);
      assert.ok(at(SIDE, SIDE) < 40, `the corner behind the pillar: ${at(SIDE, SIDE)}`);
      assert.deepEqual(errors, []);
      await close();
    });
  });
}

test('colors that shine are as bright in the dark, and lit walls are as bright as their light, whatever way they look', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const [file, name] = recordings.Quake;
  const { page, errors, close } = await shown(browser, server, file);
  // the upper half of a texture is of a color that shines, the lower one of its like in another row
  const [shining, dull] = [shade(14, 12), shade(7, 12)];
  await drop(page, {
    name: 'pak0.pak',
    bytes: pak([
      { name: `maps/${name}.bsp`, bytes: made(29, false, (_, y) => (y < 8 ? shining : dull)) },
      { name: 'gfx/palette.lmp', bytes: shades },
    ]),
  });
  await page.waitForFunction(() =>
    document
      .querySelector('fragreel-viewer')
      .map(document.querySelector('fragreel-viewer').session, 0)
      ?.pictures.some(Boolean),
  );
  // the side of the pillar that the lamp does not reach; the texture goes down from 0 every 16 units
  const [glowing, dark] = await colors(page, { mode: 'free', eye: [250, 136, 56], angles: [0, 180, 0] }, [
    [HIGH, 136, 60],
    [HIGH, 136, 52],
  ]);
  const wanted = [...shades.subarray(shining * 3, shining * 3 + 3)];
  assert.ok(
    glowing.slice(0, 3).every((value, channel) => Math.abs(value - wanted[channel]) < 6),
    `${glowing} and ${wanted}`,
  );
  assert.ok(dark[0] < 100, `what does not shine is dark there: ${dark}`);
  const tints = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    return [...new Set([...viewer.map(viewer.session, 0).tints].filter((_, at) => at % 4 < 3))];
  });
  assert.deepEqual(tints, [128]);
  assert.deepEqual(errors, []);
  await close();
});

test('a map of Quake II that names no sky has that of the first unit', async () => {
  const [file, name] = recordings['Quake II'];
  const { page, close } = await shown(browser, server, file);
  const sides = ['rt', 'bk', 'lf', 'ft', 'up', 'dn'].map((side) => ({
    name: `env/unit1_${side}.tga`,
    bytes: tga(plain(2)),
  }));
  await drop(page, { name: 'pak0.pak', bytes: pak([{ name: `maps/${name}.bsp`, bytes: made(38, false) }, ...sides]) });
  await page.waitForFunction(
    () =>
      document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0)?.sky?.box
        ?.length === 6,
  );
  await close();
});
