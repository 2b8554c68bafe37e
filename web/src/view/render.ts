// How Half-Life draws what states a render mode: the part of it that is seen changes with time, and its pictures are mixed with what is behind them.

import type { Picture } from '../maps/format';
import type { Render } from '../data/looks';
import type { Vector } from '../data/vector';
import { chance } from './chance';

/** `rendermode`. */
export const [ONE_COLOR, TRANSLUCENT, GLOW, HOLES, ADDED] = [1, 2, 3, 4, 5];
/** `renderfx`: the angles that a pulse turns in a second, and how far it goes. */
const PULSES: Record<number, [rate: number, reach: number]> = { 1: [2, 16], 2: [8, 16], 3: [2, 64], 4: [8, 64] };
/** The same of what is there or not: the sum of two waves. The first wave of a flicker is the same for everything. */
const STROBES: Record<number, number> = { 9: 4, 10: 16, 11: 36 };
const FLICKERS: Record<number, [number, number]> = { 12: [2, 17], 13: [16, 23] };
const NO_DISSIPATION = 14;
const [DISTORT, HOLOGRAM] = [15, 16];
/** What a hologram has, how much that changes by chance, and how far it is seen: all of it, and nothing. */
const [HOLOGRAM_AMOUNT, NOISE, NEAR, FAR] = [180, 32, 100, 500];
/** Changes of that in a second. */
const RATE = 30;
/** Things of one time differ by their numbers. */
const APART = 363;
/** A glow is as bright as at this distance, at least this bright, and as large as it is at that one. */
const [BRIGHT, LEAST, LARGE] = [Math.sqrt(19_000), 0.05, 200];

/** The part of something that is seen, from 0 to 1. `far` is how far it is before the eye. */
export function amountOf({ amount, effect }: Render, number: number, seconds: number, far: number): number {
  const wave = (rate: number) => Math.sin(seconds * rate + number * APART);
  let seen = amount;
  const [pulse, strobe, flicker] = [PULSES[effect], STROBES[effect], FLICKERS[effect]];
  if (pulse) seen = amount + pulse[1] * wave(pulse[0]);
  else if (strobe) seen = wave(strobe) < 0 ? 0 : amount;
  else if (flicker) seen = Math.sin(seconds * flicker[0]) + wave(flicker[1]) < 0 ? 0 : amount;
  else if (effect === HOLOGRAM || effect === DISTORT) {
    const place = effect === DISTORT ? 1 : far;
    const part = Math.min(1, (FAR - place) / (FAR - NEAR));
    const noise = (chance(number, Math.floor(seconds * RATE)) * 2 - 1) * NOISE;
    seen = place <= 0 ? 0 : HOLOGRAM_AMOUNT * part + noise;
  }
  return Math.max(0, Math.min(255, Math.trunc(seen))) / 255;
}

/** How bright and how large a glow is that is so far from the eye. */
export function glowOf({ effect }: Render, distance: number): { bright: number; scale: number } {
  if (effect === NO_DISSIPATION) return { bright: 1, scale: 1 };
  return { bright: Math.max(LEAST, Math.min(1, (BRIGHT / distance) ** 2)), scale: distance / LARGE };
}

/** What a picture is multiplied with. Editors write black for white. */
export function colorOf({ mode, color }: Render): Vector {
  const isWhite = mode !== ONE_COLOR && color.every((value) => value === 0);
  return isWhite ? [1, 1, 1] : (color.map((value) => value / 255) as Vector);
}

const mixed = new WeakMap<Picture, Map<string, Picture>>();
/** What is less than that is a hole. */
const HOLE = 0.004;

/** A picture as it is mixed with what is behind it. */
export function mixedPicture(picture: Picture, source: string, target: string): Picture {
  const known = mixed.get(picture) ?? new Map<string, Picture>();
  mixed.set(picture, known);
  const key = `${source} ${target}`;
  const made = known.get(key) ?? {
    ...picture,
    blend: [source, target],
    cut: picture.cut ? HOLE : 0,
    hides: target === 'ONE_MINUS_SRC_ALPHA',
  };
  known.set(key, made);
  return made;
}
