// What the game looks like at one time.

import type { Side, Term, Text } from '../../answers';
import type { EntityKind } from './layout';
import type { Vector } from './vector';

export interface Player {
  slot: number;
  name: Text | null;
  team: string | null;
  /** The color of the side, where there are sides. */
  side: Side['color'] | null;
  alive: boolean | null;
  spectator: boolean | null;
  onGround: boolean | null;
  crouching: boolean | null;
  origin: Vector | null;
  angles: Vector | null;
  velocity: Vector | null;
  health: number | null;
  armor: number | null;
  weapon: Term | null;
  powerups: Term[];
  items: Term[];
  ammo: Term[];
  score: number | null;
  ping: number | null;
  /** Whether it is the player through whose eyes was recorded. */
  isView: boolean;
}

export interface Entity {
  number: number;
  kind: EntityKind;
  model: string | null;
  owner: number | null;
  item: Term | null;
  origin: Vector | null;
  angles: Vector | null;
  /** Where it flies, where the game states that. */
  heading: Vector | null;
}

export interface View {
  slot: number | null;
  origin: Vector;
  angles: Vector;
  fov: number | null;
}

/** Everything at one time. */
export interface Scene {
  /** Index of the frame at or before the time. */
  frame: number;
  time: number;
  serverTime: number;
  matchTime: number | null;
  level: number;
  view: View | null;
  players: Player[];
  entities: Entity[];
}
