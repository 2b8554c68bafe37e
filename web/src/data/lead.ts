// How far one of two sides leads, by the scores that the library gives.

import type { Scores, Side } from '../../answers';

export interface Lead {
  /** The first one's lead is positive. */
  sides: [Side, Side];
  /** Times, and the lead from then on. */
  points: [number, number | null][];
  end: number;
}

interface Led {
  readonly history: Scores;
  readonly replay: { readonly duration: number };
}

const known = new WeakMap<Scores, Lead | null>();

/** The lead of a recording with two sides; nothing where there are others. */
export function leadOf({ history, replay }: Led): Lead | null {
  const before = known.get(history);
  if (before !== undefined && before?.end === replay.duration) return before;
  const found = lead(history, replay.duration);
  known.set(history, found);
  return found;
}

/** Red is above, for any other side. */
const ORDER: readonly Side['color'][] = ['red', 'yellow', 'green', 'blue'];

function lead({ sides: all, parts }: Scores, end: number): Lead | null {
  if (all.length !== 2) return null;
  const sides = [...all].sort((a, b) => ORDER.indexOf(a.color) - ORDER.indexOf(b.color));
  const points: [number, number | null][] = [];
  for (const { from, teams } of parts) {
    const changes = teams.flatMap(({ name, changes }) => {
      const side = sides.findIndex((one) => one.name === name);
      return side < 0 ? [] : changes.map(([time, score]) => ({ time, side, score }));
    });
    if (!changes.length) continue;
    changes.sort((a, b) => a.time - b.time);
    points.push([from, 0]);
    const scores: (number | null)[] = [0, 0];
    for (const { time, side, score } of changes) {
      scores[side] = score;
      // unknown while a score is
      const [first, second] = scores;
      const now = first === null || second === null ? null : first - second;
      const last = points[points.length - 1];
      if (last[0] === time) last[1] = now;
      else if (last[1] !== now) points.push([time, now]);
    }
  }
  return { sides: [sides[0], sides[1]], points, end };
}
