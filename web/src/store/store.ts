// What the parts of the viewer share. Each reads it, changes it by its methods, and hears of changes; none knows another.

import type { Level } from '../maps/format';
import type { Rays } from '../maps/rays';
import type { ModelStore } from '../files/modelstore';
import type { Run } from '../data/compare';
import type { Session } from '../data/session';
import { Clock } from './clock';
import { Look } from './look';
import { Pens } from './pens';
import { Selection } from './selection';
import { Topics } from './topics';

/** What is known of levels from the files of games. */
export interface World {
  /** The map that is played at a time, where somebody gave it. */
  at(session: Session, time: number): Level | null;
  /** What lines meet in it. */
  raysAt(session: Session, time: number): Rays | null;
  /** The models in the files; nothing without any files. */
  readonly models: ModelStore | null;
  /** Whether something that is drawn is still read. */
  readonly reads: boolean;
  /** Whether there are sounds among the files. */
  readonly hasSounds: boolean;
  /** A file of the game's. */
  find(name: string): Promise<Uint8Array | null>;
}

export class Store extends Topics {
  readonly selection = new Selection(this);
  readonly clock = new Clock(this, this.selection);
  readonly look = new Look(this);
  readonly pens = new Pens(this);
  /** Who knows files of games puts it here. */
  world: World = {
    at: () => null,
    raysAt: () => null,
    models: null,
    reads: false,
    hasSounds: false,
    find: async () => null,
  };
  /** Two ways that are compared: the second is a ghost in the picture of the first. */
  beside: { first: Run & { session: Session }; second: Run & { session: Session } } | null = null;
  /** Whether the page is the viewer's own: keys and wheel are its without focus. */
  ownsPage = false;
  /** For tests and pictures: what was drawn can be read again, and time passes only on request. */
  keep = false;
  manual = false;

  /** Whether pictures follow each other as time passes. */
  get moves(): boolean {
    return this.clock.playing && !this.manual;
  }
}
