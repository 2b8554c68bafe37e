// The kills that a feed shows.

import { type Event, type Kill, isKill } from './events';

/** The kills of each list of events. */
const known = new WeakMap<readonly Event[], Kill[]>();

/** The last kills before a time. */
export function lastKills(events: readonly Event[], time: number, since: number, most: number): Kill[] {
  let kills = known.get(events);
  if (!kills) {
    kills = events.filter(isKill);
    known.set(events, kills);
  }
  let [low, high] = [0, kills.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (kills[middle].time <= time) low = middle + 1;
    else high = middle;
  }
  let from = low;
  while (from > 0 && low - from < most && kills[from - 1].time > time - since) from--;
  return kills.slice(from, low);
}
