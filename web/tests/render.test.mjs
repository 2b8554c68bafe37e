// Render modes of Half-Life: amounts in Node, and what is drawn.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alone, drawn, given, PLACE, LOOK } from './alone.mjs';
import { colors, recordings, shown } from './ground.mjs';
import { drawsInSpace, drop, setUp } from './harness.mjs';
import { COLORS, palette, plain } from './images.mjs';
import { maps, pak } from './maps.mjs';
import { studio } from './models.mjs';
import { load } from './modules.mjs';

const { amountOf, colorOf, glowOf } = await load('view/render');
const { server, browser } = await setUp();
const space = await drawsInSpace(browser);

const of = (mode, amount, effect = 0, color = [0, 0, 0]) => ({ mode, amount, effect, color });
const at = (render, seconds, number = 0, far = 0) => Math.round(amountOf(render, number, seconds, far) * 255);

test('the amount that is seen changes by the effect', () => {
  assert.equal(at(of(2, 100), 7), 100);
  const quarter = (rate) => Math.PI / 2 / rate;
  for (const [effect, rate, reach] of [
    [1, 2, 16],
    [2, 8, 16],
    [3, 2, 64],
    [4, 8, 64],
  ]) {
    assert.equal(at(of(2, 100, effect), quarter(rate)), 100 + reach, `a pulse, ${effect}`);
    assert.equal(at(of(2, 100, effect), quarter(rate) * 3), 100 - reach, `a pulse, ${effect}`);
  }
  assert.equal(at(of(2, 255, 3), quarter(2)), 255, 'not more than all');
  for (const [effect, rate] of [
    [9, 4],
    [10, 16],
    [11, 36],
  ])
    assert.deepEqual(
      [1, 3].map((part) => at(of(5, 90, effect), quarter(rate) * part)),
      [90, 0],
      `a strobe, ${effect}`,
    );
  const flickers = new Set(Array.from({ length: 200 }, (_, step) => at(of(5, 90, 12), step / 50)));
  assert.deepEqual([...flickers].sort(), [0, 90]);
  assert.notDeepEqual(
    [1, 2].map((number) => at(of(2, 100, 3), 1, number)),
    [at(of(2, 100, 3), 1), at(of(2, 100, 3), 1)],
    'things of one time differ',
  );
  // a hologram fades between 100 and 500 units before the eye
  assert.equal(at(of(2, 255, 16), 1, 0, -5), 0);
  const near = at(of(2, 255, 16), 1, 0, 50);
  assert.ok(near >= 148 && near <= 212, `${near}`);
  assert.ok(at(of(2, 255, 16), 1, 0, 480) < 45);
});

test('a glow is darker and larger far away, and black is white', () => {
  assert.deepEqual(glowOf(of(3, 255), 50), { bright: 1, scale: 0.25 });
  const far = glowOf(of(3, 255), 275.68);
  assert.ok(Math.abs(far.bright - 0.25) < 0.001 && Math.abs(far.scale - 1.378) < 0.001, `${far.bright}`);
  assert.equal(glowOf(of(3, 255), 5000).bright, 0.05);
  assert.deepEqual(glowOf(of(3, 255, 14), 5000), { bright: 1, scale: 1 });
  assert.deepEqual(
    [colorOf(of(5, 1)), colorOf(of(1, 1)), colorOf(of(5, 1, 0, [255, 0, 51]))],
    [
      [1, 1, 1],
      [0, 0, 0],
      [1, 0, 0.2],
    ],
  );
});

const isNear = (seen, wanted, what, reach = 10) =>
  assert.ok(
    [0, 1, 2].every((channel) => Math.abs(seen[channel] - wanted[channel]) <= reach),
    `${what}: ${seen}, not ${wanted}`,
  );

test('a model is mixed with what is behind it', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(browser, server, recordings['Half-Life'][0]);
  const pose = {
    ...{ model: 'models/player/gordon/gordon.mdl', before: 0, frame: 0, next: 0, part: 0, since: 1000, skinNumber: 0 },
    ...{ colors: null, body: 0, sequence: 0, second: 0, began: 0, rate: 0, render: null },
  };
  const box = [
    [-10, -10, -20],
    [10, 10, 30],
  ];
  await drop(page, {
    name: 'pak0.pak',
    bytes: pak([{ name: pose.model, bytes: studio(box, [0, 16], plain(4), palette) }]),
  });
  await given(page);
  const seen = async (render) => {
    await alone(page, PLACE, { state: { ...pose, render } });
    await drawn(page);
    return (await colors(page, LOOK, [[266, 256, 2005]]))[0].slice(0, 3);
  };
  const [solid, behind] = [await seen(null), await seen(of(2, 0))];
  assert.notDeepEqual(solid, behind, 'nothing is seen of it');
  const mixed = (part) => solid.map((value, channel) => value * part + behind[channel] * (1 - part));
  isNear(await seen(of(2, 128)), mixed(0.5), 'half of it');
  isNear(await seen(of(4, 64)), mixed(0.25), 'a quarter of it');
  const added = await seen(of(5, 128));
  // no light darkens what is added
  const wanted = COLORS[4].map((value, channel) => Math.min(255, behind[channel] + value * 0.5));
  isNear(added, wanted, 'what is added', 24);
  assert.deepEqual(errors, []);
  await close();
});

test('a part of the map is seen through', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const [file, name] = recordings['Half-Life'];
  const { page, errors, close } = await shown(browser, server, file);
  await page.evaluate(() => (document.querySelector('fragreel-viewer').look.light = false));
  await drop(page, { name: `${name}.bsp`, bytes: maps['Half-Life']() });
  await page.waitForFunction(() =>
    document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
  );
  /** The middle of the door from above, drawn as it is stated. */
  const seen = async (render, isThere = true) => {
    const middle = await page.evaluate(
      ({ render, isThere }) => {
        const viewer = document.querySelector('fragreel-viewer');
        const { replay } = viewer.session;
        replay.truly ??= replay.sceneAt.bind(replay);
        const level = viewer.map(viewer.session, 0);
        const { first } = level.parts[1];
        const corners = Array.from({ length: level.parts[1].count }, (_, at) => level.indices[first + at] * 3);
        const along = (axis) => corners.map((at) => level.positions[at + axis]);
        const [x, y, z] = [0, 1, 2].map((axis) => [Math.min(...along(axis)), Math.max(...along(axis))]);
        const origin = isThere ? level.parts[1].origin : [0, 0, 90000];
        const door = { number: 77, kind: 'mover', model: '*1', origin, angles: null, item: null, heading: null };
        replay.sceneAt = () => ({ ...replay.truly(100), view: null, players: [], entities: [door] });
        replay.lookOf = () => render && { model: '*1', frame: 0, render };
        const at = level.parts[1].origin;
        return [(x[0] + x[1]) / 2 + at[0], (y[0] + y[1]) / 2 + at[1], z[1] + at[2]];
      },
      { render, isThere },
    );
    const camera = { mode: 'free', eye: [middle[0], middle[1], middle[2] + 60], angles: [89.9, 0, 0] };
    return (await colors(page, camera, [middle]))[0].slice(0, 3);
  };
  const [solid, behind] = [await seen(null), await seen(null, false)];
  assert.notDeepEqual(solid, behind);
  assert.deepEqual(await seen(of(2, 0)), behind, 'nothing of it');
  assert.deepEqual(await seen(of(4, 255)), solid, 'with its holes');
  const whole = await seen(of(2, 255));
  const half = await seen(of(2, 128));
  isNear(
    half,
    whole.map((value, channel) => (value + behind[channel]) / 2),
    'half of it',
    4,
  );
  const color = await seen(of(1, 255, 0, [10, 200, 90]));
  isNear(color, [10, 200, 90], 'one color', 4);
  const added = await seen(of(5, 255));
  isNear(
    added,
    whole.map((value, channel) => Math.min(255, value + behind[channel])),
    'added',
    6,
  );
  assert.deepEqual(errors, []);
  await close();
});
