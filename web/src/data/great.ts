// Great items: those whose taking the library counts as major.

import type { ItemEvent, Person, Term } from '../../answers';
import type { Event } from './events';

const known = new WeakMap<readonly Event[], { names: Set<string>; taken: (Event & ItemEvent)[] }>();

function of(events: readonly Event[]): { names: Set<string>; taken: (Event & ItemEvent)[] } {
  let found = known.get(events);
  if (!found) {
    const taken = events.filter((event): event is Event & ItemEvent => event.kind === 'item' && event.major === true);
    found = { names: new Set(taken.flatMap(({ item, common }) => (common ? [item, common] : [item]))), taken };
    known.set(events, found);
  }
  return found;
}

/** The names of the great items that somebody took, the games' own and the common ones. */
export const greatItems = (events: readonly Event[]): ReadonlySet<string> => of(events).names;

/** Between the entity that is gone and the event of it. */
const APART = 500;

/** Who took an item at a time. */
export function takenBy(events: readonly Event[], { own, common }: Term, time: number): Person | null {
  const near = of(events).taken.filter(
    (event) =>
      Math.abs(event.time - time) < APART && (event.item === own || (common !== undefined && event.common === common)),
  );
  near.sort((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time));
  return near[0]?.player ?? null;
}
