// What players and things are drawn with at a time: models, and the poses between which they are.

import { type Scene, Table, type Tracks, type Vector, mix } from './film';
import type { Heard } from './happenings';

export interface ModelState {
  /** The model's file; of a player of Quake III the folder of its three parts. */
  model: string;
  /** The weapon's file. */
  held: string | null;
  skin: string | null;
  skinNumber: number | null;
  /** Shirt and trousers. */
  colors: [number, number] | null;
  body: number | null;
  frame: number;
  /** The frame before that one, and the milliseconds since it changed. */
  before: number;
  since: number;
  /** The frame of the recording's next frame, and how much of the way there has passed. */
  next: number;
  part: number;
  /** The sequence, or the animation of the legs, and the milliseconds since it began; then the same of gait or torso. */
  sequence: number | null;
  sequenceSince: number;
  second: number | null;
  secondSince: number;
  /** Milliseconds since the frame was as stated, and how fast it goes on. */
  began: number | null;
  rate: number;
  /** A second model on it, and the skin of that one. */
  carried: string | null;
  carriedSkin: number | null;
  /** The color of a shell around it, from 0 to 255, and whether the shell alone is seen. */
  shell: Vector | null;
  onlyShell: boolean;
  rotates: boolean;
  /** What the weapon does, where the recording states it. */
  firing: Firing | null;
  /** How far blends and controllers are on their way, of 255. */
  blends: number[] | null;
  controllers: number[] | null;
}

export interface Firing {
  fires: boolean;
  /** Milliseconds since that changed, and how long it was fired before. */
  since: number;
  before: number;
}

/** The weapon as a player sees it. */
export interface HandState {
  model: string;
  /** The frame, or the number of the sequence; nothing where the recording does not state it. */
  frame: number | null;
  before: number | null;
  /** Milliseconds since the frame changed. */
  since: number;
  /** Where the weapon is from the eye and how it is turned, where the recording states it: ahead, to the right, up. */
  offset: Vector | null;
  turn: Vector | null;
  /** How far the view is knocked aside. */
  kick: Vector | null;
  /** How far the player's step is, of 256. */
  step: number | null;
}

const ABSENT = -2147483648;
/** Numbers in a row: those with a fraction of a hand are its frame, offset, turn, kick, and step. */
const [COLUMNS, AIM, HAND] = [13, 4, 11];
/** Bits of a row: it turns, its shell alone is seen; of an aim: the player fires. */
const [ROTATES, ONLY_SHELL, FIRES] = [4, 8, 4];
/** Rows that are looked through for the start of an animation. */
const MOST_ROWS = 2000;

/** What is drawn, of players by slot, or of entities by number. */
export class Looks {
  private readonly looks: Table;
  private readonly poses: Table;
  private readonly paces: Table;
  private readonly aims: Table;

  constructor(
    private readonly tracks: Tracks,
    name: 'figure' | 'look',
  ) {
    this.looks = new Table(tracks.tables[name], 0, COLUMNS);
    this.poses = new Table(tracks.tables[`${name}Pose`], 1, 1);
    this.paces = new Table(tracks.tables[`${name}Pace`], 1, 2);
    this.aims = new Table(tracks.tables[`${name}Aim`], 0, AIM);
  }

  /** What somebody or something is drawn with in a scene. */
  at(key: number, scene: Scene, words: unknown[]): ModelState | null {
    const track = this.looks.track(key);
    const row = track === undefined ? -1 : this.looks.row(track, scene.frame);
    if (track === undefined || row < 0) return null;
    const { ints } = this.looks.columns;
    const int = (column: number, of = row) => ints[of * COLUMNS + column]!;
    const word = (column: number) => (int(column) >= 0 ? (words[int(column)] as string) : null);
    const number = (column: number) => (int(column) === ABSENT ? null : int(column));
    const model = word(1);
    if (!model) return null;
    /** Since when something is as it is now. */
    const since = (column: number) => this.since(this.looks, track, row, scene, (of) => int(0, of) !== 0 && int(1, of) === int(1) && int(column, of) === int(column));
    const colors = number(5);
    return {
      model,
      held: word(2),
      skin: word(3),
      skinNumber: number(4),
      colors: colors === null ? null : [colors >> 8, colors & 255],
      body: number(6),
      sequence: number(7),
      sequenceSince: since(7),
      second: number(8),
      secondSince: since(8),
      ...this.poseAt(key, scene, since(1)),
      ...this.paceAt(key, scene),
      carried: word(9),
      carriedSkin: number(10),
      shell: colorOf(number(11)),
      onlyShell: (int(0) & ONLY_SHELL) !== 0,
      rotates: (int(0) & ROTATES) !== 0,
      ...this.aimAt(key, scene),
    };
  }

  /** The sound that is heard from somebody or something. */
  soundAt(key: number, frame: number, words: unknown[]): Heard | null {
    const track = this.looks.track(key);
    const row = track === undefined ? -1 : this.looks.row(track, frame);
    const number = row < 0 ? -1 : this.looks.columns.ints[row * COLUMNS + 12]!;
    if (number < 0) return null;
    const [file, volume, near, far, pitch] = words[number] as [string, number, number, number | null, number];
    return { file, volume, near, far: far ?? Number.NaN, pitch, channel: 0, lasts: true };
  }

  /** The animations of legs and torso from a frame back: their numbers, or nothing while nobody is there, and the first frame with them. */
  *before(key: number, frame: number): Generator<{ first: number; numbers: [number, number] | null }> {
    const track = this.looks.track(key);
    const standing = track === undefined ? -1 : this.looks.anyRow(track, frame);
    if (track === undefined || standing < 0) return;
    const { ints, frames, starts } = this.looks.columns;
    for (let row = standing; row >= starts[track]!; row--) {
      const at = row * COLUMNS;
      yield { first: frames[row]!, numbers: ints[at] ? [ints[at + 7]!, ints[at + 8]!] : null };
    }
  }

  /** Degrees from the view to where the legs go at a frame. */
  strideAt(key: number, frame: number): number {
    const track = this.aims.track(key);
    const row = track === undefined ? -1 : this.aims.row(track, frame);
    return row < 0 ? 0 : this.aims.columns.ints[row * AIM + 1]!;
  }

  private aimAt(key: number, scene: Scene): Pick<ModelState, 'firing' | 'blends' | 'controllers'> {
    const { aims } = this;
    const track = aims.track(key);
    const row = track === undefined ? -1 : aims.row(track, scene.frame);
    if (track === undefined || row < 0) return { firing: null, blends: null, controllers: null };
    const { ints, starts, frames } = aims.columns;
    const fires = (of: number) => (ints[of * AIM]! & FIRES) !== 0;
    /** The first row of those before a row that are like it. */
    const firstOf = (row: number): number => {
      const least = Math.max(starts[track]!, row - MOST_ROWS);
      let found = row;
      while (found > least && fires(found - 1) === fires(row)) found--;
      return found;
    };
    const [first, time] = [firstOf(row), (of: number) => this.tracks.times[frames[of]!]!];
    return {
      firing: { fires: fires(row), since: scene.time - time(first), before: first > starts[track]! ? time(first) - time(firstOf(first - 1)) : 0 },
      blends: bytesOf(ints[row * AIM + 2]!)?.slice(0, 2) ?? null,
      controllers: bytesOf(ints[row * AIM + 3]!),
    };
  }

  /** The frame, the one before, and the next one; none before the model became what it is. */
  private poseAt(key: number, scene: Scene, worn: number): Pick<ModelState, 'frame' | 'before' | 'since' | 'next' | 'part'> {
    const { poses } = this;
    const track = poses.track(key);
    const row = track === undefined ? -1 : poses.row(track, scene.frame);
    if (track === undefined || row < 0) return { frame: 0, before: 0, since: 0, next: 0, part: 0 };
    const { floats, ints, starts } = poses.columns;
    const { times } = this.tracks;
    const since = this.since(poses, track, row, scene, () => false);
    const hasBefore = row > starts[track]! && ints[row - 1] && since < worn;
    const following = poses.next(track, row, scene.frame);
    const from = times[scene.frame]!;
    const span = (times[scene.frame + 1] ?? from) - from;
    return {
      frame: floats[row]!,
      before: floats[hasBefore ? row - 1 : row]!,
      since,
      next: floats[following >= 0 ? following : row]!,
      part: span > 0 ? Math.max(0, Math.min(1, (scene.time - from) / span)) : 0,
    };
  }

  private paceAt(key: number, scene: Scene): Pick<ModelState, 'began' | 'rate'> {
    const track = this.paces.track(key);
    const row = track === undefined ? -1 : this.paces.row(track, scene.frame);
    if (row < 0) return { began: null, rate: 1 };
    const { floats, ints } = this.paces.columns;
    const [rate, began] = [floats[row]!, ints[row * 2 + 1]!];
    return { began: began === ABSENT ? null : scene.serverTime - began, rate: Number.isNaN(rate) ? 1 : rate };
  }

  /** Milliseconds since the first of the rows that are the same as a row. */
  private since({ columns: { starts, frames } }: Table, track: number, row: number, scene: Scene, same: (of: number) => boolean): number {
    const least = Math.max(starts[track]!, row - MOST_ROWS);
    let found = row;
    while (found > least && same(found - 1)) found--;
    return scene.time - this.tracks.times[frames[found]!]!;
  }
}

const colorOf = (color: number | null): Vector | null => (color === null ? null : [color >> 16, (color >> 8) & 255, color & 255]);

const bytesOf = (word: number): number[] | null => (word === ABSENT ? null : [0, 8, 16, 24].map((shift) => (word >> shift) & 255));

/** Weapons as players see them, by slot. */
export class Hands {
  private readonly table: Table;

  constructor(private readonly tracks: Tracks) {
    this.table = new Table(tracks.tables.hand, HAND, 2);
  }

  at(slot: number, scene: Scene, words: unknown[]): HandState | null {
    const track = this.table.track(slot);
    const row = track === undefined ? -1 : this.table.row(track, scene.frame);
    if (track === undefined || row < 0) return null;
    const { floats, ints, frames, starts } = this.table.columns;
    const model = ints[row * 2 + 1]!;
    if (model < 0) return null;
    const float = (of: number, column = 0) => (Number.isNaN(floats[of * HAND + column]!) ? null : floats[of * HAND + column]!);
    const first = (of: number) => {
      const least = Math.max(starts[track]!, of - MOST_ROWS);
      let found = of;
      // rows stand where the step or the kick changes, too
      while (found > least && float(found - 1) === float(of) && ints[(found - 1) * 2 + 1] === model) found--;
      return found;
    };
    const began = first(row);
    const hasBefore = began > starts[track]! && ints[(began - 1) * 2 + 1] === model;
    const { times } = this.tracks;
    const following = this.table.next(track, row, scene.frame);
    const next = following < 0 ? row : following;
    const span = (times[scene.frame + 1] ?? 0) - times[scene.frame]!;
    const part = span > 0 ? Math.max(0, Math.min(1, (scene.time - times[scene.frame]!) / span)) : 0;
    const vector = (column: number): Vector | null => {
      if (float(row, column) === null) return null;
      return [0, 1, 2].map((axis) => mix(float(row, column + axis)!, float(next, column + axis) ?? float(row, column + axis)!, part)) as Vector;
    };
    const [step, after] = [float(row, 10), float(next, 10)];
    return {
      model: words[model] as string,
      frame: float(row),
      before: float(hasBefore ? began - 1 : row),
      since: scene.time - times[frames[began]!]!,
      offset: vector(1),
      turn: vector(4),
      kick: vector(7),
      step: step === null || after === null ? step : (step + ((after - step + 256) % 256) * part) % 256,
    };
  }
}
