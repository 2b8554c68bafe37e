// Two runs, compared where people are, not when: who is ahead at each place, and how fast each is there.

import type { Replay } from './replay';
import type { Vector } from './vector';

/** Where somebody went in a recording, between two times in milliseconds. */
export interface Run {
  replay: Replay;
  slot: number;
  from: number;
  to: number;
}

export interface Place {
  time: number;
  /** Units gone since the start, without teleports. */
  distance: number;
  origin: Vector;
  /** Units a second over ground; null at the start and behind a teleport. */
  speed: number | null;
}

export interface Difference {
  /** Units that the first has gone. */
  distance: number;
  /** When the first was there. */
  time: number;
  /** Seconds that the first is ahead there; null where the second does not come by. */
  ahead: number | null;
  speeds: [number | null, number | null];
}

/** Two runs are at the same place where they are so near, in units. */
const NEAR = 256;
/** So far ahead on the second run, in units, its next place is looked for. */
const REACH = 2048;
/** Milliseconds over which speeds are taken. */
const OVER = 100;
const MOST = 800;

export function placesOf({ replay, slot, from, to }: Run): Place[] {
  const places: Place[] = [];
  let start = 0;
  for (const { time, origin, jumped } of replay.way(slot, from, to)) {
    const last = places.at(-1);
    if (!last || jumped) {
      start = places.length;
      places.push({ time, distance: last?.distance ?? 0, origin, speed: null });
      continue;
    }
    const distance = last.distance + Math.hypot(...origin.map((value, axis) => value - last.origin[axis]));
    while (start < places.length - 1 && time - places[start + 1].time >= OVER) start++;
    const since = places[start];
    const passed = (time - since.time) / 1000;
    const gone = Math.hypot(origin[0] - since.origin[0], origin[1] - since.origin[1]);
    places.push({ time, distance, origin, speed: passed > 0 ? gone / passed : null });
  }
  return places;
}

/** The first run, place by place, with the second beside it. */
export function compare(first: readonly Place[], second: readonly Place[]): Difference[] {
  const [a0, b0] = [first[0], second[0]];
  if (!a0 || !b0) return [];
  const step = Math.max(1, Math.ceil(first.length / MOST));
  const found: Difference[] = [];
  let at = 0;
  for (let number = 0; number < first.length; number += step) {
    const a = first[number];
    const best = nearest(a.origin, second, at);
    if (!best) {
      found.push({ distance: a.distance, time: a.time, ahead: null, speeds: [a.speed, null] });
      continue;
    }
    at = best.at;
    const ahead = (best.time - b0.time - (a.time - a0.time)) / 1000;
    found.push({ distance: a.distance, time: a.time, ahead, speeds: [a.speed, second[at].speed] });
  }
  return found;
}

/** Where the second run comes nearest to a place, from a number of its places on, and when. */
function nearest([x, y, z]: Vector, places: readonly Place[], from: number): { at: number; time: number } | null {
  let best: { at: number; time: number; apart: number } | null = null;
  for (let at = from; at < places.length && places[at].distance - places[from].distance < REACH; at++) {
    const [here, next] = [places[at], places[at + 1] ?? places[at]];
    const way = next.origin.map((value, axis) => value - here.origin[axis]);
    const length = way[0] ** 2 + way[1] ** 2 + way[2] ** 2;
    const to = [x - here.origin[0], y - here.origin[1], z - here.origin[2]];
    const isOne = next.speed !== null && length > 0;
    const part = isOne ? Math.max(0, Math.min(1, (to[0] * way[0] + to[1] * way[1] + to[2] * way[2]) / length)) : 0;
    const apart = Math.hypot(to[0] - way[0] * part, to[1] - way[1] * part, to[2] - way[2] * part);
    if (!best || apart < best.apart) best = { at, time: here.time + (next.time - here.time) * part, apart };
  }
  return best && best.apart <= NEAR ? best : null;
}
