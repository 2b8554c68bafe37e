// Kills, deaths and scores at any time, as the library counts them.

import type { Scores } from '../../answers';

export interface Standing {
  /** The number of the match that is played; nothing in warm-up. */
  number: number | null;
  teams: Map<string, number>;
  /** By slot. */
  players: Map<number, { kills: number | null; deaths: number | null; score: number | null }>;
}

/** How the match stands at a time. */
export function standing({ parts }: Pick<Scores, 'parts'>, time: number): Standing {
  const stands: Standing = { number: null, teams: new Map(), players: new Map() };
  const part = last(parts, time, ({ from }) => from);
  stands.number = part?.number ?? null;
  for (const { name, changes } of part?.teams ?? []) {
    const change = last(changes, time, ([at]) => at);
    if (change && change[1] !== null) stands.teams.set(name, change[1]);
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

/** What does not agree in a match, in sentences of the library. */
export const checksOf = ({ history }: { history: Scores }, match: number): readonly string[] =>
  history.checks.find(({ number }) => number === match)?.sentences ?? [];
