// What players and things are drawn with at a time: models, and the poses between which they are.

import { type Scene, Table, type Tracks } from './film';

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
}

/** The weapon as a player sees it. */
export interface HandState {
  model: string;
  /** The frame, or the number of the sequence; nothing where the recording does not state it. */
  frame: number | null;
  before: number | null;
  /** Milliseconds since the frame changed. */
  since: number;
}

const ABSENT = -2147483648;
/** Numbers in a row. */
const COLUMNS = 9;
/** Rows that are looked through for the start of an animation. */
const MOST_ROWS = 2000;

/** What is drawn, of players by slot, or of entities by number. */
export class Looks {
  private readonly looks: Table;
  private readonly poses: Table;
  private readonly paces: Table;

  constructor(
    private readonly tracks: Tracks,
    name: 'figure' | 'look',
  ) {
    this.looks = new Table(tracks.tables[name], 0, COLUMNS);
    this.poses = new Table(tracks.tables[`${name}Pose`], 1, 1);
    this.paces = new Table(tracks.tables[`${name}Pace`], 1, 2);
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

/** Weapons as players see them, by slot. */
export class Hands {
  private readonly table: Table;

  constructor(private readonly tracks: Tracks) {
    this.table = new Table(tracks.tables.hand, 1, 2);
  }

  at(slot: number, scene: Scene, words: unknown[]): HandState | null {
    const track = this.table.track(slot);
    const row = track === undefined ? -1 : this.table.row(track, scene.frame);
    if (track === undefined || row < 0) return null;
    const { floats, ints, frames, starts } = this.table.columns;
    const model = ints[row * 2 + 1]!;
    if (model < 0) return null;
    const frame = (of: number) => (Number.isNaN(floats[of]!) ? null : floats[of]!);
    const hasBefore = row > starts[track]! && ints[(row - 1) * 2 + 1] === model;
    return { model: words[model] as string, frame: frame(row), before: frame(hasBefore ? row - 1 : row), since: scene.time - this.tracks.times[frames[row]!]! };
  }
}
