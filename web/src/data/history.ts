// Kills, deaths and scores at any time, as the library counts them.

import type { ScoreHistory } from '../../answers';

export interface Standing {
  teams: Map<string, number>;
  /** By slot. */
  players: Map<number, { kills: number | null; deaths: number | null; score: number | null }>;
}

/** How the match stands at a time. */
export function standing({ parts }: ScoreHistory, time: number): Standing {
  const stands: Standing = { teams: new Map(), players: new Map() };
  const part = last(parts, time, ({ from }) => from);
  for (const { name, changes } of part?.teams ?? []) {
    const change = last(changes, time, ([at]) => at);
    if (change) stands.teams.set(name, change[1]);
  }
  for (const { changes } of part?.players ?? []) {
    const [, slot, [kills, deaths, score]] = last(changes, time, ([at]) => at) ?? [0, null, [null, null, null]];
    if (slot !== null) stands.players.set(slot, { kills, deaths, score });
  }
  return stands;
}

/** The last one that began until a time. */
function last<T>(all: T[], time: number, began: (one: T) => number): T | undefined {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (began(all[middle]) <= time) low = middle + 1;
    else high = middle;
  }
  return all[low - 1];
}
