// What is left out of the picture in space because nobody sees it, and how large that picture is where a processor draws.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colors, shown as shownIn } from './ground.mjs';
import { drawsInSpace, drop, samples, setUp } from './harness.mjs';
import { COLORS, plain, png } from './images.mjs';
import { maps, pk3 } from './maps.mjs';
import { md3 } from './models.mjs';

const { server, browser } = await setUp();
const space = await drawsInSpace(browser);
const shown = (file) => shownIn(browser, server, file);

/** Triangles of a picture from a place in a direction, with players at places. */
const triangles = (page, { eye, angles, players = [] }) =>
  page.evaluate(
    ({ eye, angles, players }) => {
      const viewer = document.querySelector('fragreel-viewer');
      const { replay } = viewer.session;
      replay.found ??= replay.sceneAt.bind(replay);
      const find = replay.found;
      replay.sceneAt = (time) => {
        const scene = find(time);
        const [one] = scene.players;
        return {
          ...scene,
          view: null,
          entities: [],
          players: players.map((origin, slot) => ({
            ...one,
            slot,
            origin,
            angles: [0, 0, 0],
            alive: true,
            spectator: false,
            isView: false,
          })),
        };
      };
      viewer.look.things = false;
      viewer.store.selection.follow(null);
      viewer.camera = 'free';
      Object.assign(viewer.stage.camera, { eye, angles });
      viewer.changed();
      viewer.advance(0);
      return viewer.stage.space.triangles;
    },
    { eye, angles, players },
  );

for (const [game, file, name] of [
  ['Quake II', samples.quake2, 'lab1.bsp'],
  ['Quake III', samples.quake3, 'am_lavactf.bsp'],
]) {
  test(`${game}: what is beside the picture, or hidden behind walls, is not drawn`, async (context) => {
    if (!space) return context.skip('no WebGL2');
    const { page, errors, close } = await shown(file);
    await drop(page, { name, bytes: maps[game]() });
    await page.waitForFunction(() =>
      document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
    );
    // from the middle to the east wall, which is at 512
    const east = { eye: [128, 256, 60], angles: [0, 0, 0] };
    const bare = await triangles(page, east);
    assert.ok(bare > 0);
    assert.ok((await triangles(page, { ...east, players: [[400, 256, 60]] })) > bare, 'before the wall');
    assert.equal(await triangles(page, { ...east, players: [[700, 256, 60]] }), bare, 'behind the wall');
    assert.equal(await triangles(page, { ...east, players: [[-200, 256, 60]] }), bare, 'behind the eye');
    // out there it is seen
    const outside = { eye: [900, 256, 60], angles: [0, 180, 0] };
    assert.ok(
      (await triangles(page, { ...outside, players: [[700, 256, 60]] })) > (await triangles(page, outside)),
      'from outside',
    );
    assert.deepEqual(errors, []);
    await close();
  });
}

test('far models of Quake III are those with fewer triangles', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake3);
  const box = (skin) =>
    md3(
      [
        [
          [-20, -20, -20],
          [20, 20, 20],
        ],
      ],
      `models/test/${skin}`,
    );
  const files = ['a', 'a_1', 'a_2'].flatMap((name, at) => [
    { name: `models/test/${name}.md3`, bytes: box(name) },
    { name: `models/test/${name}.png`, bytes: png(plain([5, 1, 2][at])) },
  ]);
  await drop(page, { name: 'models.pk3', bytes: await pk3(files) });
  await page.waitForFunction(() => document.querySelector('fragreel-viewer').models);
  await page.evaluate(() => {
    const { replay } = document.querySelector('fragreel-viewer').session;
    const find = replay.sceneAt.bind(replay);
    const one = {
      number: 100,
      kind: 'other',
      model: null,
      owner: null,
      item: null,
      origin: [0, 0, 2000],
      angles: null,
      heading: null,
    };
    replay.sceneAt = (time) => ({ ...find(time), view: null, players: [], entities: [one] });
    replay.lookOf = () => ({
      model: 'models/test/a.md3',
      held: null,
      skin: null,
      skinNumber: null,
      colors: null,
      body: null,
      frame: 0,
      before: 0,
      since: 0,
      next: 0,
      part: 0,
      sequence: null,
      second: null,
    });
  });
  // its radius is 35: a level of three begins where that is a fifth of two thirds, and of a third, of the picture's half height
  for (const [far, index] of [
    [120, 5],
    [450, 1],
    [1000, 2],
  ]) {
    const look = { mode: 'free', eye: [far, 0, 2000], angles: [0, 180, 0] };
    let seen = null;
    for (let times = 0; times < 6; times++) {
      [seen] = await colors(page, look, [[0, 0, 2000]]);
      await page.waitForFunction(() =>
        [...document.querySelector('fragreel-viewer').mapStore.models.found].every(([, value]) => value !== undefined),
      );
    }
    const part = Math.max(...seen.slice(0, 3)) / Math.max(...COLORS[index]);
    assert.ok(
      part > 0.5 && part < 1.4 && COLORS[index].every((value, channel) => Math.abs(value * part - seen[channel]) < 14),
      `from ${far}: ${seen}, not ${COLORS[index]}`,
    );
  }
  assert.deepEqual(errors, []);
  await close();
});

test('where a processor draws too slowly, the moving picture in space gets smaller', async () => {
  const { page, errors, close } = await shown(samples.quake3);
  const sizes = await page.evaluate(() => {
    const { sharpness } = document.querySelector('fragreel-viewer').stage;
    let now = 1000;
    const after = (count, gap, moves = true) => {
      let scale = 1;
      for (let picture = 0; picture < count; picture++) {
        now += gap;
        scale = sharpness.scale(moves, now);
      }
      return scale;
    };
    // at 60 pictures a second, at 20, standing still, at 20 for long, then fast, soon and later
    return [after(60, 16), after(14, 50), after(1, 50, false), after(60, 50), after(100, 16), after(3200, 16)];
  });
  const software = await page.evaluate(() => {
    const gl = document.querySelector('fragreel-viewer').stage.ground.getContext('webgl2');
    return (
      gl !== null &&
      /swiftshader|llvmpipe|software/i.test(
        gl.getParameter(gl.getExtension('WEBGL_debug_renderer_info').UNMASKED_RENDERER_WEBGL),
      )
    );
  });
  assert.deepEqual(sizes, software ? [1, 0.85, 1, 0.35, 0.35, 1] : [1, 1, 1, 1, 1, 1]);
  assert.deepEqual(errors, []);
  await close();
});
