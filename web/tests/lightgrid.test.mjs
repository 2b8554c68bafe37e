// The light grid of maps of Quake III, in Node.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './modules.mjs';

const { readGrid, shadeAt } = await load('maps/lightgrid');

const asItIs = (light) => light;
/** Two places along each axis, each the same but for its red. */
const bytes = (red = () => 100) =>
  Uint8Array.from(Array.from({ length: 8 }, (_, at) => [red(at), 50, 20, 60, 80, 120, 64, 64]).flat());
const near = (seen, wanted, what) =>
  assert.ok(
    wanted.every((value, at) => Math.abs(seen[at] - value) < 0.01),
    `${what}: ${seen}, not ${wanted}`,
  );

test('a grid has the size that the map states, or is none', () => {
  const { origin, size, counts } = readGrid(bytes(), [0, 0, 0], [100, 100, 200], undefined, asItIs);
  assert.deepEqual(
    [origin, size, counts],
    [
      [0, 0, 0],
      [64, 64, 128],
      [2, 2, 2],
    ],
  );
  assert.deepEqual(readGrid(bytes(), [1, 1, 1], [150, 150, 300], '64 64 128', asItIs).origin, [64, 64, 128]);
  for (const [why, ...of] of [
    ['too many bytes', [0, 0, 0], [100, 100, 100], undefined],
    ['too few', [0, 0, 0], [300, 100, 200], undefined],
    ['no size', [0, 0, 0], [100, 100, 200], '0 64 128'],
    ['nowhere', [Number.NaN, 0, 0], [100, 100, 200], undefined],
    ['endless', [0, 0, 0], [Infinity, 100, 200], undefined],
  ]) {
    const made = readGrid(bytes(), ...of, asItIs);
    if (why === 'no size') assert.deepEqual(made.size, [64, 64, 128], why);
    else assert.equal(made, null, why);
  }
});

test('light comes from everywhere and from one direction', () => {
  const two = readGrid(bytes(), [0, 0, 0], [100, 100, 200], undefined, asItIs);
  const { ambient, directed, toward } = shadeAt(two, [10, 20, 30]);
  near(ambient, [(76 * 2) / 255, (46 * 2) / 255, (28 * 2) / 255], 'ambient');
  near(directed, [(60 * 2) / 255, (80 * 2) / 255, (120 * 2) / 255], 'directed');
  // a quarter around, and a quarter down from the top
  near(toward, [0, 1, 0], 'toward');
  const full = readGrid(
    bytes(() => 255),
    [0, 0, 0],
    [100, 100, 200],
    undefined,
    asItIs,
  );
  near(shadeAt(full, [0, 0, 0]).ambient, [(127 * 2) / 255], 'as much as can be');
});

test('light is mixed, and places in walls do not count', () => {
  const along = readGrid(
    bytes((at) => (at & 1 ? 200 : 100)),
    [0, 0, 0],
    [100, 100, 200],
    undefined,
    asItIs,
  );
  const red = (of, x) => shadeAt(of, [x, 0, 0]).ambient[0] * 127.5 - 16;
  for (const [x, wanted] of [
    [0, 60],
    [32, 90],
    [48, 105],
  ])
    assert.ok(Math.abs(red(along, x) - wanted) < 0.1, `${x}: ${red(along, x)}`);
  const walls = bytes();
  for (let at = 0; at < 8; at++) if (at & 1) walls.fill(0, at * 8, at * 8 + 3);
  const half = readGrid(walls, [0, 0, 0], [100, 100, 200], undefined, asItIs);
  assert.ok(Math.abs(red(half, 48) - 60) < 0.1, `${red(half, 48)}`);
  // beyond the last place there is none
  assert.ok(Math.abs(red(along, 1000) - red(along, 64)) < 60);
});
