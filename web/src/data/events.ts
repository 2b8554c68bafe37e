// What happened, as the library says it (docs/json.md), with what it says of each event for the page.

import type { KillEvent, Event as Said, Shown, Text } from '../../answers';

/** A piece of a sentence: words, or a name with its colors. */
export type Piece = string | Text;

/** How the library groups events. */
export type Group = Shown['group'];

export type Event = Said & Shown;
export type Kill = KillEvent & Shown;

export const isKill = (event: Event): event is Kill => event.kind === 'kill';

/** Whether a player has a part in an event. */
export const involves = (event: Event, slot: number): boolean => event.slots?.includes(slot) ?? false;
