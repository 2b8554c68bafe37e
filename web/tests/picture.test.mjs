// The picture without a game's models: figures, the camera behind a player, and floors where nobody gave the map.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colors, shown as shownIn } from './ground.mjs';
import { drawsInSpace, drop, fragreel, samples, setUp } from './harness.mjs';
import { maps } from './maps.mjs';

const { server, browser } = await setUp();
const space = await drawsInSpace(browser);

/** Everybody is gone but one, who stands where it is wished. */
const alone = (page, changes) =>
  page.evaluate((changes) => {
    const viewer = document.querySelector('fragreel-viewer');
    const { replay } = viewer.session;
    const scene = replay.sceneAt(20000);
    const one = {
      ...scene.players.find(({ slot }) => slot === 2),
      alive: true,
      crouching: false,
      spectator: false,
      velocity: [0, 0, 0],
      weapon: null,
      powerups: [],
      ...changes,
    };
    one.side = one.team;
    replay.sceneAt = () => ({ ...scene, view: null, players: [one], entities: [] });
    viewer.seek(20000);
    // the scene is another one, also where the time is the same
    viewer.changed();
    viewer.advance(0);
  }, changes);

test('a figure has a body in the color of the team, a head, and a weapon', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shownIn(browser, server, samples.quake3);
  const place = [256, 256, 2000];
  const look = { mode: 'free', eye: [356, 256, 2004], angles: [0, 180, 0] };
  const at = async (changes) => {
    await alone(page, { origin: place, angles: [0, 0, 0], team: 'blue', ...changes });
    // chest, head, between the legs, and before the chest
    return colors(page, look, [
      [261, 256, 2010],
      [259, 256, 2030.6],
      [256, 256, 1984],
      [268, 251.5, 2015],
    ]);
  };
  const [chest, head, between, free] = await at({});
  const [nothing] = await colors(page, look, [[256, 220, 2030]]);
  assert.ok(chest[2] > chest[0] + 60, `the chest is blue: ${chest}`);
  assert.ok(head[0] > chest[0] + 30, `the head is paler: ${head}, ${chest}`);
  assert.deepEqual(between, nothing, 'one sees between the legs');
  const [, , , armed] = await at({ weapon: { own: 'x', common: 'rocket_launcher' } });
  assert.notDeepEqual(armed, free, 'the weapon is before the chest');
  const [red] = await at({ team: 'red' });
  assert.ok(red[0] > red[2] + 60, `red: ${red}`);
  const [dead] = await at({ alive: false });
  assert.deepEqual(dead, nothing, 'who is dead lies on the ground');
  assert.deepEqual(errors, []);
  await close();
});

test('the camera behind a player stays on his side of the wall', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shownIn(browser, server, samples.quake3);
  await alone(page, { origin: [480, 256, 24], angles: [0, 180, 0] });
  const eye = () =>
    page.evaluate(() => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.follow(2);
      viewer.camera = 'behind';
      viewer.advance(0);
      return viewer.stage.camera.eye;
    });
  assert.ok((await eye())[0] > 600, 'without a map nothing is in its way');
  await drop(page, { name: 'am_lavactf.bsp', bytes: maps['Quake III']() });
  await page.waitForFunction(() =>
    document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
  );
  const [x, y] = await eye();
  assert.ok(x > 480 && x < 512, `the wall is at 512, the eye at ${x}`);
  assert.equal(Math.round(y), 256);
  assert.deepEqual(errors, []);
  await close();
});

test('Quake III looks at who died from behind', async (context) => {
  if (!space) return context.skip('no WebGL2');
  for (const [file, behind] of [
    [samples.quake3, true],
    [samples.quake2, false],
  ]) {
    const { page, errors, close } = await shownIn(browser, server, file);
    const eye = (alive) =>
      page.evaluate((alive) => {
        const viewer = document.querySelector('fragreel-viewer');
        const { replay } = viewer.session;
        replay.truly ??= replay.sceneAt.bind(replay);
        const scene = replay.truly(5000);
        const one = {
          ...scene.players[0],
          slot: 2,
          origin: [256, 256, 2000],
          angles: [0, 0, 0],
          alive,
          crouching: false,
          spectator: false,
        };
        replay.sceneAt = () => ({ ...scene, view: null, players: [one], entities: [] });
        viewer.follow(2);
        viewer.camera = 'eyes';
        viewer.changed();
        viewer.advance(0);
        return [...viewer.stage.camera.eye];
      }, alive);
    const [alive, dead] = [await eye(true), await eye(false)];
    assert.equal(alive[0], 256);
    assert.equal(dead[0], behind ? 216 : 256, file);
    assert.deepEqual(errors, []);
    await close();
  }
});

test('without a map there is floor only where somebody stood', async () => {
  const { page, errors, close } = await shownIn(browser, server, samples.quake3);
  const tiles = await page.evaluate(() => {
    const { cells, cell, box } = document.querySelector('fragreel-viewer').stage.plan;
    return Array.from({ length: cells.length / 3 }, (_, at) => [
      box.min[0] + cells[at * 3] * cell,
      box.min[1] + cells[at * 3 + 1] * cell,
      cells[at * 3 + 2],
    ]);
  });
  const stood = fragreel('frames', '--json', samples.quake3)
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line).players)
    .filter(({ on_ground, origin }) => on_ground && origin)
    .map(({ origin }) => origin);
  assert.ok(tiles.length > 1000, `${tiles.length} tiles`);
  const bare = tiles.filter(
    ([x, y, z]) =>
      !stood.some((place) => Math.hypot(place[0] - x, place[1] - y) < 72 && Math.abs(place[2] - 24 - z) < 40),
  );
  assert.ok(bare.length < tiles.length * 0.01, `${bare.length} of ${tiles.length} tiles are where nobody stood`);
  assert.deepEqual(errors, []);
  await close();
});

test('names are elements over a picture in space, and part of a picture that is read', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shownIn(browser, server, samples.quake3);
  await alone(page, { origin: [256, 256, 24], angles: [0, 0, 0], health: 73, armor: 20 });
  const look = (mode, isRead = false) =>
    page.evaluate(
      ({ mode, isRead }) => {
        const viewer = document.querySelector('fragreel-viewer');
        const { stage } = viewer;
        viewer.follow(mode === 'top' ? null : 2);
        viewer.camera = mode;
        stage.isRead = isRead;
        viewer.changed();
        viewer.advance(0);
        stage.isRead = false;
        const { width, height } = stage.canvas;
        const pixels = stage.canvas.getContext('2d').getImageData(0, 0, width, height).data;
        const shadow = stage.element;
        const name = stage.scene.players[0].name.clean;
        return {
          names: [...shadow.querySelectorAll('.plates div:not(.crosshair)')].map((plate) =>
            [...plate.children].map((line) => (line.textContent === name ? 'name' : line.textContent)),
          ),
          aims: !shadow.querySelector('.crosshair').hidden,
          isPainted: !stage.canvas.hidden && pixels.some((value, at) => at % 4 === 3 && value > 0),
          isInPicture: pixels.some((value, at) => at % 4 === 3 && value > 0),
        };
      },
      { mode, isRead },
    );
  assert.deepEqual(await look('behind', true), { names: [], aims: false, isPainted: false, isInPicture: true });
  assert.deepEqual(await look('behind'), {
    names: [['name', '73/20']],
    aims: false,
    isPainted: false,
    isInPicture: true,
  });
  const eyes = await look('eyes');
  assert.deepEqual([eyes.names, eyes.aims], [[], true], 'nobody is followed through his own name');
  const top = await look('top');
  assert.deepEqual([top.names, top.aims, top.isPainted], [[], false, true]);
  assert.deepEqual(errors, []);
  await close();
});

test('the view of who died lies on its side in Quake', async () => {
  const { page, close } = await shownIn(browser, server, samples.quake1);
  const rolls = [];
  for (const alive of [true, false]) {
    rolls.push(
      await page.evaluate((alive) => {
        const viewer = document.querySelector('fragreel-viewer');
        const { replay } = viewer.session;
        replay.truly ??= replay.sceneAt.bind(replay);
        const scene = replay.truly(20000);
        const one = {
          ...scene.players.find(({ origin }) => origin),
          origin: [256, 256, 24],
          angles: [10, 20, 0],
          alive,
        };
        replay.sceneAt = () => ({ ...scene, view: null, players: [one] });
        viewer.follow(one.slot);
        viewer.camera = 'eyes';
        viewer.advance(0);
        return viewer.stage.camera.angles;
      }, alive),
    );
  }
  assert.deepEqual(rolls, [
    [10, 20, 0],
    [10, 20, 80],
  ]);
  await close();
});
