// One picture, and what it shows.

import type { Mode } from '../data/link';
import type { Scene } from '../data/scene';
import type { Session } from '../data/session';

/** One picture: a recording, who is followed in it, and from where it is seen. */
export interface Pane {
  readonly session: Session;
  followed: number | null;
  camera: Mode;
  /** Whether the one who makes the next kill is followed. */
  directed: boolean;
  /** What it showed last. */
  scene: Scene | null;
}
