// Whom to watch, so that the next kill is seen: the one who makes it, from before it until after it.

import { type Event, type Kill, isKill } from './events';

/** Milliseconds before a kill in which one should be with who makes it, and how long one stays. */
const [BEFORE, AFTER] = [4000, 1500];

/** The slot to follow at a time, or nothing where it makes no difference. `isShown` says of whom there is a place then. */
export function watched(events: Event[], time: number, isShown: (slot: number) => boolean): number | null {
  const near = events.filter(
    (event): event is Kill => isKill(event) && event.time > time - AFTER && event.time < time + BEFORE,
  );
  // one that was just made is looked at until its end, unless the next is made by somebody else within that time
  const past = near.filter((kill) => kill.time <= time).pop();
  const next = near.find((kill) => kill.time > time);
  const order = past && (!next || next.time - time > AFTER) ? [past, next] : [next, past];
  for (const kill of order) {
    if (!kill) continue;
    const sides = kill.suicide || !kill.attacker ? [kill.victim] : [kill.attacker, kill.victim];
    for (const { slot } of sides) if (slot !== undefined && isShown(slot)) return slot;
  }
  return null;
}
