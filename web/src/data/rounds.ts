// The rounds of a recording, as its events have them.

import type { Event } from './events';

export interface Round {
  /** Where the game counts them. */
  number: number | null;
  from: number;
  to: number;
}

/** The rounds from their start to their end. One without an end goes on until the next one, or to the end of the recording. */
export function roundsOf(events: Event[], duration: number): Round[] {
  const rounds: Round[] = [];
  let open: Round | null = null;
  for (const event of events) {
    if (event.kind !== 'round' && event.kind !== 'level') continue;
    if (open) {
      open.to = event.time;
      open.number ??= event.kind === 'round' && !event.started ? (event.number ?? null) : null;
      rounds.push(open);
      open = null;
    }
    if (event.kind === 'round' && event.started)
      open = { number: event.number ?? null, from: event.time, to: duration };
  }
  if (open) rounds.push(open);
  return rounds.filter(({ from, to }) => to > from);
}

const known = new WeakMap<Event[], Round[]>();

/** The round that is played at a time. */
export function roundAt(events: Event[], duration: number, time: number): { number: number } | null {
  let rounds = known.get(events);
  if (!rounds) {
    rounds = roundsOf(events, duration);
    known.set(events, rounds);
  }
  const at = rounds.findIndex(({ from, to }) => time >= from && time < to);
  return at < 0 ? null : { number: rounds[at].number ?? at + 1 };
}
