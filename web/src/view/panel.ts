// What the side panels know of the viewer.

import type { Session } from '../data/session';
import type { Stage } from './stage';

export interface App {
  readonly sessions: Session[];
  readonly session: Session | null;
  readonly stage: Stage | null;
  /** On the clock of the session. */
  readonly time: number;
  followed: number | null;
  range: [number | null, number | null];
  seek(time: number): void;
  seekSession(time: number): void;
  follow(slot: number | null): void;
  pause(): void;
  changed(): void;
  say(text: string): void;
  link(): string;
}

export interface Panel {
  readonly name: string;
  readonly title: string;
  readonly element: HTMLElement;
  /** Whether it gives away how a match ends: it is shown on request. */
  readonly spoils?: boolean;
  /** Called when something it shows may have changed: often while playing. */
  update(app: App): void;
  /** Called when another recording is shown or more is known of it. */
  reset?(app: App): void;
  /** Gives back what it holds outside of its element. */
  close?(): void;
}
