// Walls and steps of a level that nobody has the map of, raised from the edges of its plan.

import type { Footprint } from './footprint';

/** A wall from its left to its right corner, for who sees it, and from one height to another. `side` is 0 along x and 1 along y. */
export interface Wall {
  from: [number, number];
  to: [number, number];
  low: number;
  high: number;
  side: 0 | 1;
}

/** Units that one walks up and down without a ledge, and the height of walls. */
const STEP = 40;
export const WALL = 96;

const SIDES = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const;

/**
 * Where nobody ever stood beside a place, a wall begins: players went along it. It is seen from its inner side alone, so that it hides nobody. Where the ground
 * beside a place is lower, there is a step or a ledge, which is seen from there.
 */
export function wallsOf({ box, cell, cells, width }: Footprint): Wall[] {
  const grounds = new Map<number, number[]>();
  const key = (x: number, y: number) => y * (width + 8) + x;
  for (let at = 0; at < cells.length; at += 3) {
    const place = key(cells[at], cells[at + 1]);
    const known = grounds.get(place);
    if (known) known.push(cells[at + 2]);
    else grounds.set(place, [cells[at + 2]]);
  }
  const walls: Wall[] = [];
  for (let at = 0; at < cells.length; at += 3) {
    const [x, y, z] = [cells[at], cells[at + 1], cells[at + 2]];
    // the same ground may be in two layers: the upper one has the edge
    if (grounds.get(key(x, y))!.some((other) => other > z && other <= z + STEP)) continue;
    for (const [dx, dy] of SIDES) {
      const beside = grounds.get(key(x + dx, y + dy)) ?? [];
      const level = beside.filter((other) => Math.abs(other - z) <= STEP);
      const lower = beside.filter((other) => other < z - STEP);
      // the one above has the ledge
      if (!level.length && !lower.length && beside.length) continue;
      const low = level.length ? Math.min(z, Math.max(...level)) : lower.length ? Math.max(...lower) : z;
      const high = level.length || lower.length ? z : z + WALL;
      if (high - low < 1) continue;
      const [east, north] = [box.min[0] + (x + dx * 0.5) * cell, box.min[1] + (y + dy * 0.5) * cell];
      // to the left of who looks that way
      const [ahead, aside] = [(-dy * cell) / 2, (dx * cell) / 2];
      const [left, right]: [number, number][] = [
        [east + ahead, north + aside],
        [east - ahead, north - aside],
      ];
      const isWall = low === z;
      walls.push({ from: isWall ? left : right, to: isWall ? right : left, low, high, side: dx ? 1 : 0 });
    }
  }
  return walls;
}
