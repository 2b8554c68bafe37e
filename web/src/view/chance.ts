// What is random about a happening: the same whenever it is shown.

import type { Vector } from '../data/vector';

/** A number from 0 to 1 that is always the same for the same numbers. */
export function chance(number: number, part: number): number {
  let hash = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(part + 1, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 4294967296;
}

/** A direction by chance. */
export function anyway(number: number, part: number): Vector {
  const [z, turn] = [chance(number, part * 3 + 1) * 2 - 1, chance(number, part * 3 + 2) * Math.PI * 2];
  const flat = Math.sqrt(1 - z * z);
  return [flat * Math.cos(turn), flat * Math.sin(turn), z];
}
