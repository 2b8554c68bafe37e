// What pellets of shotguns hit, in Node.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './modules.mjs';

const { Pellets } = await load('view/pellets');
const { Rays } = await load('maps/rays');

/** A wall across the x axis at 2500. */
const wall = new Rays({
  positions: Float32Array.of(2500, -4000, -4000, 2500, 4000, -4000, 2500, 0, 4000),
  indices: Uint32Array.of(0, 1, 2),
  parts: [{ first: 0, count: 3 }],
});
const pellet = (direction, number = 1, more = {}) => ({
  ...{ number, kind: 'pellet', time: 1000, origin: [0, 0, 0], direction, subject: 0, color: [150, 145, 135], size: 4 },
  ...more,
});
/** Players by slot. */
const replay = (players) => ({
  slots: players.map((_, slot) => slot),
  playerOf: (slot, time) => (time === 1000 ? players[slot] : null),
});
const landed = (players, one, rays = wall) => {
  const pellets = new Pellets();
  pellets.begin(replay(players), rays);
  return pellets.landed(one);
};
const shooter = { origin: [0, 0, 0] };

test('a pellet ends at the first wall, whose face looks back', () => {
  const hit = landed([shooter], pellet([1, 0, 0]));
  assert.deepEqual(
    [hit.kind, hit.size, hit.direction.map((value) => Math.round(value) + 0)],
    ['impact', 4, [-1, 0, 0]],
  );
  assert.ok(Math.abs(hit.origin[0] - 2500) < 0.01, `${hit.origin}`);
  assert.equal(landed([shooter], pellet([-1, 0, 0])), null, 'there is no wall');
  assert.equal(landed([shooter], pellet([1, 0, 0]), null), null, 'no level is known');
});

test('a pellet ends in a player who stands before the wall', () => {
  const other = { origin: [500, 0, 20] };
  const hit = landed([shooter, other], pellet([1, 0, 0]));
  assert.deepEqual([hit.kind, hit.origin], ['blood', [485, 0, 0]]);
  for (const [what, changes] of [
    ['is behind the wall', { origin: [2600, 0, 0] }],
    ['is beside the way', { origin: [500, 40, 0] }],
    ['is below the way', { origin: [500, 0, -33] }],
    ['is dead', { alive: false }],
    ['looks on', { spectator: true }],
    ['crouches', { origin: [500, 0, -20], crouching: true }],
    ['is behind the shooter', { origin: [-500, 0, 0] }],
  ])
    assert.equal(landed([shooter, { ...other, ...changes }], pellet([1, 0, 0])).kind, 'impact', what);
  assert.equal(landed([shooter, { origin: [500, 0, -20] }], pellet([1, 0, 0])).kind, 'blood');
});

test('anything else stays as it is', () => {
  const other = pellet([1, 0, 0], 1, { kind: 'flash' });
  assert.equal(landed([], other), other);
});
