// How a player moved, as the library says it: speed and keys at each state, and the jumps with their strafes.

import type { Jump } from '../../answers';
import { ON_GROUND, PLACED, TELEPORTED, HELD, type StepColumns } from './layout';

export interface Movement extends StepColumns {
  jumps: Jump[];
}

/** Milliseconds after a state from which on nobody knows the speed. */
const LASTS = 500;

/** The number of the last state at or before a time; -1 before the first. */
export function stateAt({ times }: Movement, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The horizontal speed at a time; null where the player was not followed. */
export function speedAt(movement: Movement, time: number): number | null {
  const at = stateAt(movement, time);
  return at >= 0 && time - movement.times[at] < LASTS ? movement.speeds[at] : null;
}

/** Jumps and falls that are under way between two times. */
export function jumpsBetween({ jumps }: Movement, from: number, to: number): Jump[] {
  return jumps.filter(({ time, time_to }) => time <= to && time_to >= from);
}

/** What the recording does not allow to say of the player; empty if it has all. */
export function lacks({ bits, jumps }: Movement): string[] {
  if (!bits.length) return ['The recording does not show how this player moves.'];
  const some = (bit: number) => bits.some((one) => (one & bit) !== 0);
  return [
    some(PLACED) && 'Speeds are computed from places alone.',
    !jumps.length &&
      (some(ON_GROUND)
        ? 'No jump of this player was seen.'
        : 'Ground contact of this player is not recorded: jumps are not known.'),
    !some(HELD) && 'Keys of this player are not recorded.',
  ].filter((one): one is string => !!one);
}

/** Whether no step leads to a state from the one before. */
export const isCut = (bits: number): boolean => (bits & TELEPORTED) !== 0;
