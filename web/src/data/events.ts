// What happened, as the library says it (docs/json.md), with what it says of each event for the page.

import type { Text } from './film';

export interface Person {
  slot?: number;
  name: Text;
  team?: string;
}

/** A piece of a sentence: words, or a name with its colors. */
export type Piece = string | Text;

/** How the library groups events. */
export type Group = 'kills' | 'flags' | 'match' | 'awards' | 'items' | 'people' | 'shots' | 'chat' | 'scores' | 'prints';

export interface Event {
  time: number;
  server_time: number;
  match_time?: number;
  message: number;
  evidence: 'stated' | 'inferred';
  kind: string;
  group: Group;
  /** Whether timelines should show it. */
  major?: true;
  sentence: string;
  /** The sentence in pieces, where a name in it has colors. */
  pieces?: Piece[];
  /** The slots of who did it and to whom. */
  slots?: number[];
  [key: string]: unknown;
}

export interface Kill extends Event {
  attacker: Person | null;
  victim: Person;
  /** The means of death in words. */
  how: string;
  suicide?: true;
  headshot?: boolean;
  team_kill?: boolean;
}

export const isKill = (event: Event): event is Kill => event.kind === 'kill';

/** Whether a player has a part in an event. */
export const involves = (event: Event, slot: number): boolean => event.slots?.includes(slot) ?? false;
