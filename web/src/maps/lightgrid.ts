// The light grid of maps of Quake III: how bright things are at places in the room.

import type { Vector } from '../data/vector';

/** Units between two places, where the map states nothing else. */
const USUAL: Vector = [64, 64, 128];
/** Bytes of a place: ambient red, green and blue, the same of the light from one direction, and that direction. */
const SAMPLE = 8;
/** More places than any map has. */
const MOST = 1 << 22;
/** What the game takes of ambient light, what it adds to that, and the most of it: 255 is twice a picture's own color. */
const [AMBIENT, LEAST, MOST_AMBIENT] = [0.6, 16, 127];
const TURN = (Math.PI * 2) / 256;

export interface LightGrid {
  /** The first place, the units from one to the next, and how many there are along each axis. */
  origin: Vector;
  size: Vector;
  counts: Vector;
  samples: Uint8Array;
}

/** Light at a place, where 1 is a picture's own color: from everywhere, and from one direction. */
export interface Shade {
  ambient: Vector;
  directed: Vector;
  toward: Vector;
}

/** How bright something is: everywhere alike, or by where its faces look. */
export type Lit = Vector | Shade;

/** Whether light is everywhere alike. */
export const isEven = (light: Lit): light is Vector => Array.isArray(light);

/** The grid of a world between two corners. Nothing where it has another size than the map says, as in the game. */
export function readGrid(
  bytes: Uint8Array,
  low: Vector,
  high: Vector,
  stated: string | undefined,
  doubled: (light: Uint8Array) => Uint8Array,
): LightGrid | null {
  const numbers = (stated ?? '').split(/\s+/).map(Number);
  const size = numbers.length === 3 && numbers.every((one) => one >= 1) ? (numbers as Vector) : USUAL;
  const origin = size.map((step, axis) => step * Math.ceil(low[axis]! / step)) as Vector;
  const counts = size.map((step, axis) => Math.floor(high[axis]! / step) - Math.ceil(low[axis]! / step) + 1) as Vector;
  const places = counts[0] * counts[1] * counts[2];
  if (!counts.every((count) => count > 0) || !(places <= MOST) || bytes.length !== places * SAMPLE) return null;
  const samples = bytes.slice();
  for (let at = 0; at < samples.length; at += SAMPLE) samples.set(doubled(samples.subarray(at, at + 6)), at);
  return { origin, size, counts, samples };
}

/** The light at a place: between those of the eight places around it that are in no wall. */
export function shadeAt({ origin, size, counts, samples }: LightGrid, place: Vector): Shade {
  const [first, part]: [number[], number[]] = [[], []];
  for (let axis = 0; axis < 3; axis++) {
    const at = (place[axis]! - origin[axis]!) / size[axis]!;
    part[axis] = at - Math.floor(at);
    first[axis] = Math.max(0, Math.min(counts[axis]! - 1, Math.floor(at)));
  }
  // ambient, directed, and the direction
  const sums = new Float64Array(9);
  let total = 0;
  for (let corner = 0; corner < 8; corner++) {
    const at = first.map((value, axis) => value + ((corner >> axis) & 1));
    if (at.some((value, axis) => value >= counts[axis]!)) continue;
    const from = ((at[2]! * counts[1] + at[1]!) * counts[0] + at[0]!) * SAMPLE;
    if (!(samples[from]! + samples[from + 1]! + samples[from + 2]!)) continue;
    const weight = part.reduce((product, value, axis) => product * ((corner >> axis) & 1 ? value : 1 - value), 1);
    for (let byte = 0; byte < 6; byte++) sums[byte] = sums[byte]! + weight * samples[from + byte]!;
    const [around, down] = [samples[from + 7]! * TURN, samples[from + 6]! * TURN];
    const way = [Math.cos(around) * Math.sin(down), Math.sin(around) * Math.sin(down), Math.cos(down)];
    way.forEach((value, axis) => (sums[6 + axis] = sums[6 + axis]! + weight * value));
    total += weight;
  }
  const whole = total > 0 && total < 0.99 ? total : 1;
  const three = (from: number, by: number) =>
    Array.from(sums.subarray(from, from + 3), (value) => (value / whole) * by) as Vector;
  const [ambient, directed, way] = [three(0, AMBIENT), three(3, 1), three(6, 1)];
  const length = Math.hypot(...way) || 1;
  return {
    ambient: ambient.map((value) => (Math.min(MOST_AMBIENT, value + LEAST) * 2) / 255) as Vector,
    directed: directed.map((value) => (value * 2) / 255) as Vector,
    toward: way.map((value) => value / length) as Vector,
  };
}
