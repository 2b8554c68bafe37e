// What parts of the viewer announce without knowing each other.

import type { Session } from '../data/session';
import type { Pane } from './pane';

/** What is announced, and what comes with it. */
export interface Told {
  /** The time, how it passes, and the part that is marked. */
  clock: undefined;
  /** What is open, what of it is shown, and who is followed. */
  selection: undefined;
  /** How it is drawn. */
  look: undefined;
  /** More is known of what is open. */
  content: undefined;
  /** Comments have changed. */
  comments: undefined;
  /** Other files of the game are there. */
  files: undefined;
  /** A picture is to be drawn again. */
  picture: undefined;
  /** Other recordings stand in the picture. */
  panes: undefined;
  opened: { session: Session; beside: boolean };
  /** All is known of it. */
  ready: Session;
  followed: Pane;
  /** For who does not see it. */
  said: string;
  failed: string;
  /** A page has not got what it promised; its readers need not know. */
  missed: string;
  /** Something is odd, and may be kept all the same. */
  doubted: { text: string; keep: () => void };
  /** A file is read; it may be cancelled. The answer takes how much is done. */
  reading: { name: string; cancel: () => void; done: (part: number) => void };
  /** It is not read any more. */
  rested: undefined;
  /** Something is awaited. */
  awaited: string;
  suggested: { text: string; run: () => void };
  /** Somebody wants to choose files, to see the help, or more or less of the level; or the picture shall have the focus. */
  wanted: 'files' | 'help' | 'whole level' | 'closer' | 'further' | 'focus';
  /** Another player is to be followed: the next one, or the previous one. */
  nextPlayer: 1 | -1;
  /** Files that somebody chose or dropped. */
  given: File[];
}

export type Topic = keyof Told;

export class Topics {
  private readonly listeners = new Map<Topic, Set<(value: never) => void>>();

  /** Hears of a topic from now on, until the answer is called. */
  on<K extends Topic>(topic: K, run: (value: Told[K]) => void): () => void {
    let all = this.listeners.get(topic);
    if (!all) {
      all = new Set();
      this.listeners.set(topic, all);
    }
    all.add(run);
    return () => void all.delete(run);
  }

  tell<K extends Topic>(topic: K, ...[value]: Told[K] extends undefined ? [] : [Told[K]]): void {
    // who stops to hear meanwhile hears no more
    for (const run of [...(this.listeners.get(topic) ?? [])])
      if (this.listeners.get(topic)?.has(run)) run(value as never);
  }
}
