// Written by `cargo xtask tables` from crates/wasm/src/layout.rs; a test of crates/wasm fails where the two differ.

import type { LastingSound, Motion, Term, Text } from '../../answers';

/** A whole number that the recording does not state. */
export const ABSENT = -2147483648;
/** The number of no word. */
export const NONE = -1;
/** Bit of every row: the subject is in the frame. */
export const PRESENT = 1;
/** Bit of a place, a speed, a view, or a state of movement: the subject did not move there. */
export const TELEPORTED = 2;
/** Bit of a status: it is known whether the player is alive. The next higher bit says so, as for all that a status states. */
export const ALIVE = 4;
/** Bit of a status: it is known whether the player is a spectator. */
export const SPECTATOR = 16;
/** Bit of a status, or of a state of movement: it is known whether the player stands on something. */
export const ON_GROUND = 64;
/** Bit of a status: it is known whether the player crouches. */
export const CROUCHING = 256;
/** Bit of a state of movement: the keys of the step that led to it are known. */
export const HELD = 1;
/** Bit of a state of movement: the speed is computed from places alone. */
export const PLACED = 4;
/** Bit of a look: it turns. */
export const ROTATES = 4;
/** Bit of a look: its shell alone is seen. */
export const ONLY_SHELL = 8;
/** Bit of an aim: the player fires. */
export const FIRES = 4;
/** Bit in the channel of a happening: its sound lasts. */
export const LASTS = 256;
/** Added to an entity's number where a subject may be a slot, too. */
export const ENTITY = 65536;
/** The most rows in a block of a column. */
export const BLOCK = 256;
/** Kind of a block: its numbers are all alike. */
export const ALIKE = 0;
/** Kind of a block: each number is a number of units above the base, in one byte. */
export const ONE_BYTE = 1;
/** Kind of a block: each number is a number of units above the base, in two bytes. */
export const TWO_BYTES = 2;
/** Kind of a block: the numbers are as they are. Also the bits of these four kinds. */
export const PLAIN = 3;
/** Bit in the kind of a block: each number is one more above the base than the one before it. */
export const COUNTING = 4;
/** The first bit in the kind of a block that has the place of its unit in `UNITS`. */
export const UNIT_SHIFT = 3;
/** The units that the numbers of a block may have. */
export const UNITS = [1, 0.125, 0.0054931640625] as const;

export const ENTITY_KINDS = ['player', 'corpse', 'missile', 'item', 'mover', 'beam', 'effect', 'sound', 'other'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

export const HAPPENING_KINDS = ['sound', 'explosion', 'impact', 'blood', 'gibs', 'flash', 'rail', 'lightning', 'laser', 'tracer', 'teleport', 'respawn', 'splash', 'bubbles', 'smoke', 'silence', 'lightstyle', 'static', 'pellet', 'decal'] as const;
export type HappeningKind = (typeof HAPPENING_KINDS)[number];

/** Numbers of words of a type, or `NONE`. */
export type Words<T> = Int32Array & { readonly of?: T };

export const KEYS = ['forward', 'back', 'left', 'right', 'jump', 'duck', 'attack'] as const;
export type Key = (typeof KEYS)[number];

/** What is known of each frame. */
export interface FrameColumns {
  /** Milliseconds since the recording's first frame. */
  times: Float64Array;
  /** The server's clock in milliseconds. */
  serverTimes: Float64Array;
  /** The match clock in milliseconds, NaN while none runs. */
  matchTimes: Float64Array;
  /** The number of the level. */
  levels: Uint32Array;
  /** The number of the message. */
  messages: Uint32Array;
  /** The frame's own number. */
  numbers: Uint32Array;
}

/** The states of a player's movement. A step leads to each of them from the one before, unless its bits are `TELEPORTED`. */
export interface StepColumns {
  /** Milliseconds since the recording's first frame. */
  times: Float64Array;
  /** The horizontal speed in units a second. */
  speeds: Float64Array;
  /** `HELD`, `TELEPORTED`, `PLACED`, and the pair `ON_GROUND`. */
  bits: Uint32Array;
  /** The keys that were held in the step: of each the bit at its place in `KEYS`. */
  keys: Uint32Array;
}

/** The rows of a table, subject after subject. */
export interface Rows {
  /** The subjects. */
  keys: Uint32Array;
  /** Where the rows of each subject begin, and the end. */
  starts: Uint32Array;
  /** The frame of each row. */
  frames: Uint32Array;
}

/** Where each player is and looks, by slot. */
export interface PlaceColumns extends Rows {
  /** Along x. In units. */
  x: Float32Array;
  /** Along y. In units. */
  y: Float32Array;
  /** Along z, which points up. In units. */
  z: Float32Array;
  /** Positive looks down. In degrees. */
  pitch: Float32Array;
  /** Positive turns to the left. In degrees. */
  yaw: Float32Array;
  /** Positive leans to the right. In degrees. */
  roll: Float32Array;
  /** `PRESENT`, `TELEPORTED`. */
  bits: Int32Array;
}

/** How fast each player goes, by slot. */
export interface SpeedColumns extends Rows {
  /** Along x. In units a second. */
  x: Float32Array;
  /** Along y. In units a second. */
  y: Float32Array;
  /** Along z, which points up. In units a second. */
  z: Float32Array;
  /** `PRESENT`, `TELEPORTED`. */
  bits: Int32Array;
}

/** How each player stands, by slot. */
export interface StatusColumns extends Rows {
  /** `PRESENT`, and pairs of known and true: `ALIVE`, `SPECTATOR`, `ON_GROUND`, `CROUCHING`. */
  bits: Int32Array;
  /** Health. In points. */
  health: Int32Array;
  /** Armor. In points. */
  armor: Int32Array;
  /** The weapon in hand. */
  weapon: Words<Term>;
  /** The name. */
  name: Words<Text>;
  /** The team. */
  team: Words<string>;
  /** The score that the recording states. In points. */
  score: Int32Array;
  /** The ping. In milliseconds. */
  ping: Int32Array;
  /** Active power-ups. */
  powerups: Words<Term[]>;
  /** Owned items. */
  items: Words<Term[]>;
  /** Ammunition by kind. */
  ammo: Words<Term[]>;
}

/** Where each entity is, by number. NaN where a motion of `about` says it. */
export interface EntityColumns extends Rows {
  /** Along x. In units. */
  x: Float32Array;
  /** Along y. In units. */
  y: Float32Array;
  /** Along z, which points up. In units. */
  z: Float32Array;
  /** Positive looks down. In degrees. */
  pitch: Float32Array;
  /** Positive turns to the left. In degrees. */
  yaw: Float32Array;
  /** Positive leans to the right. In degrees. */
  roll: Float32Array;
  /** `PRESENT`, `TELEPORTED`. */
  bits: Int32Array;
}

/** What each entity is, by number. */
export interface AboutColumns extends Rows {
  /** `PRESENT`. */
  bits: Int32Array;
  /** The place in `ENTITY_KINDS`. */
  kind: Int32Array;
  /** The model's file. */
  model: Words<string>;
  /** The slot of its owner. */
  owner: Int32Array;
  /** The item that it is. */
  item: Words<Term>;
  /** The change of its place with time. */
  motion: Words<Motion>;
  /** The change of its angles with time. */
  turning: Words<Motion>;
}

/** What is drawn, of players by slot and of entities by number. */
export interface LookColumns extends Rows {
  /** `PRESENT`, `ROTATES`, `ONLY_SHELL`. */
  bits: Int32Array;
  /** The model's file; of a player of Quake III the folder of its three parts. */
  model: Words<string>;
  /** The file of the weapon in hand. */
  held: Words<string>;
  /** The model to draw with the weapon's file, where the other one has a weapon of its own. */
  bare: Words<string>;
  /** The skin's file or name. */
  skin: Words<string>;
  /** The number of the skin. */
  skinNumber: Int32Array;
  /** Shirt in the second byte, trousers in the first. */
  colors: Int32Array;
  /** The number of the body. */
  body: Int32Array;
  /** The sequence, or the animation of the legs. */
  sequence: Int32Array;
  /** The sequence of the gait, or the animation of the torso. */
  secondSequence: Int32Array;
  /** The file of a second model on it. */
  carried: Words<string>;
  /** The number of that model's skin. */
  carriedSkin: Int32Array;
  /** The color of a shell around it: red, green, and blue from the third byte on. */
  shell: Int32Array;
  /** The render mode, the amount, and the effect of Half-Life, from the first byte on. */
  render: Int32Array;
  /** The render color: red, green, and blue from the third byte on. */
  renderColor: Int32Array;
  /** The looping sound. */
  sound: Words<LastingSound>;
}

/** How figures are turned and what they do, of players by slot and of entities by number. */
export interface AimColumns extends Rows {
  /** `PRESENT`, `FIRES`. */
  bits: Int32Array;
  /** From the view to the direction of the legs. In degrees. */
  stride: Int32Array;
  /** Two blends, from the first byte on. In parts of 255. */
  blends: Int32Array;
  /** Four controllers, from the first byte on. In parts of 255. */
  controllers: Int32Array;
}

/** The frames of models, for those that are seen; there are no rows for absence. */
export interface PoseColumns extends Rows {
  /** The frame of the model. */
  frame: Float32Array;
  /** `PRESENT`. */
  bits: Int32Array;
}

/** How fast animations go on, for those that are seen; there are no rows for absence. */
export interface PaceColumns extends Rows {
  /** 1 is as fast as the model states. */
  rate: Float32Array;
  /** `PRESENT`. */
  bits: Int32Array;
  /** When the animation began, on the server's clock. In milliseconds. */
  began: Int32Array;
}

/** The weapon as each player sees it, by slot. */
export interface HandColumns extends Rows {
  /** The frame of the model, or its sequence. */
  frame: Float32Array;
  /** From the eye, ahead. In units. */
  ahead: Float32Array;
  /** From the eye, to the right. In units. */
  right: Float32Array;
  /** From the eye, up. In units. */
  up: Float32Array;
  /** The angles of the weapon. In degrees. */
  turnPitch: Float32Array;
  /** The angles of the weapon. In degrees. */
  turnYaw: Float32Array;
  /** The angles of the weapon. In degrees. */
  turnRoll: Float32Array;
  /** The kick of the view. In degrees. */
  kickPitch: Float32Array;
  /** The kick of the view. In degrees. */
  kickYaw: Float32Array;
  /** The kick of the view. In degrees. */
  kickRoll: Float32Array;
  /** The phase of the player's step. In parts of 256. */
  step: Float32Array;
  /** `PRESENT`. */
  bits: Int32Array;
  /** The model's file. */
  model: Words<string>;
}

/** What is seen or heard for a moment, a row for each at the frame at which it was known. The only subject is 0. */
export interface HappeningColumns extends Rows {
  /** Along x. In units. */
  x: Float32Array;
  /** Along y. In units. */
  y: Float32Array;
  /** Along z, which points up. In units. */
  z: Float32Array;
  /** The other end of a beam. In units. */
  endX: Float32Array;
  /** The other end of a beam. In units. */
  endY: Float32Array;
  /** The other end of a beam. In units. */
  endZ: Float32Array;
  /** Away from the surface that was hit, or the direction of a weapon, a pellet, or a static entity. */
  directionX: Float32Array;
  /** Away from the surface that was hit, or the direction of a weapon, a pellet, or a static entity. */
  directionY: Float32Array;
  /** Away from the surface that was hit, or the direction of a weapon, a pellet, or a static entity. */
  directionZ: Float32Array;
  /** Its radius or width. In units. */
  size: Float32Array;
  /** The sound's volume, from 0 to 1. */
  volume: Float32Array;
  /** The distance up to which the sound has full volume. In units. */
  near: Float32Array;
  /** The distance from which on the sound is silent; NaN: it has the same volume everywhere. In units. */
  far: Float32Array;
  /** The sound's speed; 1 is normal. */
  pitch: Float32Array;
  /** Its start, since the recording's first frame. In milliseconds. */
  time: Int32Array;
  /** The place in `HAPPENING_KINDS`. */
  kind: Int32Array;
  /** A slot, or an entity's number and `ENTITY`. */
  subject: Int32Array;
  /** Red, green, and blue from the third byte on. */
  color: Int32Array;
  /** The number of particles, or of the light style, or the frame of the static entity. */
  count: Int32Array;
  /** The time for which it is visible. In milliseconds. */
  life: Int32Array;
  /** The sound's file, the light style's pattern, the static entity's model, or the decal's picture. */
  file: Words<string>;
  /** The sound's channel and `LASTS`, or the static entity's skin. */
  channel: Int32Array;
}

/** Through whose eyes the recording was made. The only subject is 0. */
export interface ViewColumns extends Rows {
  /** Along x. In units. */
  x: Float32Array;
  /** Along y. In units. */
  y: Float32Array;
  /** Along z, which points up. In units. */
  z: Float32Array;
  /** Positive looks down. In degrees. */
  pitch: Float32Array;
  /** Positive turns to the left. In degrees. */
  yaw: Float32Array;
  /** Positive leans to the right. In degrees. */
  roll: Float32Array;
  /** The horizontal field of view. In degrees. */
  fov: Float32Array;
  /** `PRESENT`, `TELEPORTED`. */
  bits: Int32Array;
  /** The player's slot. */
  slot: Int32Array;
}

export interface Tables {
  place: PlaceColumns;
  speed: SpeedColumns;
  status: StatusColumns;
  entity: EntityColumns;
  about: AboutColumns;
  figure: LookColumns;
  look: LookColumns;
  figureAim: AimColumns;
  lookAim: AimColumns;
  figurePose: PoseColumns;
  lookPose: PoseColumns;
  figurePace: PaceColumns;
  lookPace: PaceColumns;
  hand: HandColumns;
  happening: HappeningColumns;
  view: ViewColumns;
}

export type TableName = keyof Tables;

/** The columns of the frames by the kind of their numbers. */
export const OF_FRAMES = { doubles: ['times', 'serverTimes', 'matchTimes'], counts: ['levels', 'messages', 'numbers'] } as const;

/** The columns of the steps by the kind of their numbers. */
export const OF_STEPS = { doubles: ['times', 'speeds'], counts: ['bits', 'keys'] } as const;

/** The columns of each table by the kind of their numbers. */
export const COLUMNS = {
  place: { floats: ['x', 'y', 'z', 'pitch', 'yaw', 'roll'], ints: ['bits'] },
  speed: { floats: ['x', 'y', 'z'], ints: ['bits'] },
  status: { floats: [], ints: ['bits', 'health', 'armor', 'weapon', 'name', 'team', 'score', 'ping', 'powerups', 'items', 'ammo'] },
  entity: { floats: ['x', 'y', 'z', 'pitch', 'yaw', 'roll'], ints: ['bits'] },
  about: { floats: [], ints: ['bits', 'kind', 'model', 'owner', 'item', 'motion', 'turning'] },
  figure: { floats: [], ints: ['bits', 'model', 'held', 'bare', 'skin', 'skinNumber', 'colors', 'body', 'sequence', 'secondSequence', 'carried', 'carriedSkin', 'shell', 'render', 'renderColor', 'sound'] },
  look: { floats: [], ints: ['bits', 'model', 'held', 'bare', 'skin', 'skinNumber', 'colors', 'body', 'sequence', 'secondSequence', 'carried', 'carriedSkin', 'shell', 'render', 'renderColor', 'sound'] },
  figureAim: { floats: [], ints: ['bits', 'stride', 'blends', 'controllers'] },
  lookAim: { floats: [], ints: ['bits', 'stride', 'blends', 'controllers'] },
  figurePose: { floats: ['frame'], ints: ['bits'] },
  lookPose: { floats: ['frame'], ints: ['bits'] },
  figurePace: { floats: ['rate'], ints: ['bits', 'began'] },
  lookPace: { floats: ['rate'], ints: ['bits', 'began'] },
  hand: { floats: ['frame', 'ahead', 'right', 'up', 'turnPitch', 'turnYaw', 'turnRoll', 'kickPitch', 'kickYaw', 'kickRoll', 'step'], ints: ['bits', 'model'] },
  happening: { floats: ['x', 'y', 'z', 'endX', 'endY', 'endZ', 'directionX', 'directionY', 'directionZ', 'size', 'volume', 'near', 'far', 'pitch'], ints: ['time', 'kind', 'subject', 'color', 'count', 'life', 'file', 'channel'] },
  view: { floats: ['x', 'y', 'z', 'pitch', 'yaw', 'roll', 'fov'], ints: ['bits', 'slot'] },
} as const;
