// How a match stands at a time, as the recording states it.

import { type Event, type Kill, isKill } from './events';

/** The events that scores and feeds are made of, once for each list of events. */
interface Sorted {
  kills: Kill[];
  scores: Event[];
}

const known = new WeakMap<readonly Event[], Sorted>();

function sorted(events: readonly Event[]): Sorted {
  let found = known.get(events);
  if (!found) {
    found = { kills: events.filter(isKill), scores: events.filter(({ kind }) => kind === 'score' || kind === 'scores' || kind === 'level') };
    known.set(events, found);
  }
  return found;
}

/** The last kills before a time. */
export function lastKills(events: readonly Event[], time: number, since: number, most: number): Kill[] {
  const { kills } = sorted(events);
  let [low, high] = [0, kills.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (kills[middle]!.time <= time) low = middle + 1;
    else high = middle;
  }
  let from = low;
  while (from > 0 && low - from < most && kills[from - 1]!.time > time - since) from--;
  return kills.slice(from, low);
}

export interface Standing {
  /** Scores of teams, and of slots, that were stated up to a time on this level. */
  teams: Map<string, number>;
  slots: Map<number, number>;
}

export function standing(events: readonly Event[], time: number): Standing {
  const [teams, slots] = [new Map<string, number>(), new Map<number, number>()];
  for (const event of sorted(events).scores) {
    if (event.time > time) break;
    if (event.kind === 'level') {
      teams.clear();
      slots.clear();
    } else if (event.kind === 'scores') {
      for (const [team, score] of (event['teams'] ?? []) as [string, number][]) teams.set(team, score);
      for (const { player, score } of event['players'] as { player: { slot?: number }; score: number }[]) if (player.slot !== undefined) slots.set(player.slot, score);
    } else if (event['team'] !== undefined) teams.set(event['team'] as string, event['score'] as number);
    else {
      const slot = (event['player'] as { slot?: number } | undefined)?.slot;
      if (slot !== undefined) slots.set(slot, event['score'] as number);
    }
  }
  return { teams, slots };
}
