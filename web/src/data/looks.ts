// What players and things are drawn with at a time: models, and the poses between which they are.

import type { Heard } from './happenings';
import { FIRES, ONLY_SHELL, ROTATES, type Tables } from './layout';
import type { Scene } from './scene';
import type { Column, Packed } from './packed';
import { type Frames, Table, between, known, knownFloat, wordAt } from './table';
import { type Vector, colorOf, mix } from './vector';

export interface ModelState {
  /** The model's file; of a player of Quake III the folder of its three parts. */
  model: string;
  /** The weapon's file, and the model to draw with it in place of the other. */
  held: string | null;
  bare: string | null;
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
  /** How Half-Life draws it, if not in the usual way. */
  render: Render | null;
  rotates: boolean;
  /** What the weapon does, where the recording states it. */
  firing: Firing | null;
  /** How far blends and controllers are on their way, of 255. */
  blends: number[] | null;
  controllers: number[] | null;
}

/** How Half-Life draws something, by its own numbers. */
export interface Render {
  mode: number;
  /** How much of it is seen, of 255. */
  amount: number;
  effect: number;
  /** From 0 to 255. */
  color: Vector;
}

/** A model that never moves. */
export function stillOf(model: string, frame: number, skinNumber: number): ModelState {
  return {
    ...{ model, frame, skinNumber, before: frame, next: frame, since: 0, part: 0 },
    ...{ held: null, bare: null, skin: null, colors: null, body: null, carried: null, carriedSkin: null },
    ...{ sequence: null, sequenceSince: 0, second: null, secondSince: 0, began: null, rate: 0 },
    ...{ shell: null, onlyShell: false, render: null, rotates: false, firing: null, blends: null, controllers: null },
  };
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

/** Rows that are looked through for the start of an animation. */
const MOST_ROWS = 2000;

/** What is drawn, of players by slot, or of entities by number. */
export class Looks {
  private readonly looks: Table<Tables['look']>;
  private readonly poses: Table<Tables['lookPose']>;
  private readonly paces: Table<Tables['lookPace']>;
  private readonly aims: Table<Tables['lookAim']>;

  constructor(
    private readonly tracks: Frames,
    name: 'figure' | 'look',
  ) {
    this.looks = new Table(tracks.tables[name]);
    this.poses = new Table(tracks.tables[`${name}Pose`]);
    this.paces = new Table(tracks.tables[`${name}Pace`]);
    this.aims = new Table(tracks.tables[`${name}Aim`]);
  }

  /** What somebody or something is drawn with in a scene. */
  at(key: number, scene: Scene, words: unknown[]): ModelState | null {
    const track = this.looks.track(key);
    const row = track === undefined ? -1 : this.looks.row(track, scene.frame);
    if (track === undefined || row < 0) return null;
    const { columns: looks } = this.looks;
    const model = wordAt(words, looks.model, row);
    if (!model) return null;
    const worn = looks.model.at(row);
    /** Since when something is as it is now. */
    const since = (column: Column) =>
      this.since(
        this.looks,
        track,
        row,
        scene,
        (of) => looks.bits.at(of) !== 0 && looks.model.at(of) === worn && column.at(of) === column.at(row),
      );
    const colors = known(looks.colors.at(row));
    return {
      model,
      held: wordAt(words, looks.held, row),
      bare: wordAt(words, looks.bare, row),
      skin: wordAt(words, looks.skin, row),
      skinNumber: known(looks.skinNumber.at(row)),
      colors: colors === null ? null : [colors >> 8, colors & 255],
      body: known(looks.body.at(row)),
      sequence: known(looks.sequence.at(row)),
      sequenceSince: since(looks.sequence),
      second: known(looks.secondSequence.at(row)),
      secondSince: since(looks.secondSequence),
      ...this.poseAt(key, scene, since(looks.model)),
      ...this.paceAt(key, scene),
      carried: wordAt(words, looks.carried, row),
      carriedSkin: known(looks.carriedSkin.at(row)),
      shell: colorOf(known(looks.shell.at(row))),
      render: renderOf(looks.render.at(row), looks.renderColor.at(row)),
      onlyShell: (looks.bits.at(row) & ONLY_SHELL) !== 0,
      rotates: (looks.bits.at(row) & ROTATES) !== 0,
      ...this.aimAt(key, scene),
    };
  }

  /** The sound that is heard from somebody or something. */
  soundAt(key: number, frame: number, words: unknown[]): Heard | null {
    const row = this.looks.rowOf(key, frame);
    const sound = row < 0 ? null : wordAt(words, this.looks.columns.sound, row);
    return sound && { ...sound, far: sound.far ?? Number.NaN, channel: 0, lasts: true };
  }

  /** The animations of legs and torso from a frame back: their numbers, or nothing while nobody is there, and the first frame with them. */
  *before(key: number, frame: number): Generator<{ first: number; numbers: [number, number] | null }> {
    const track = this.looks.track(key);
    const standing = track === undefined ? -1 : this.looks.anyRow(track, frame);
    if (track === undefined || standing < 0) return;
    const { bits, sequence, secondSequence, frames, starts } = this.looks.columns;
    for (let row = standing; row >= starts[track]; row--) {
      yield { first: frames.at(row), numbers: bits.at(row) ? [sequence.at(row), secondSequence.at(row)] : null };
    }
  }

  /** Degrees from the view to where the legs go at a frame. */
  strideAt(key: number, frame: number): number {
    const row = this.aims.rowOf(key, frame);
    return row < 0 ? 0 : this.aims.columns.stride.at(row);
  }

  private aimAt(key: number, scene: Scene): Pick<ModelState, 'firing' | 'blends' | 'controllers'> {
    const { aims } = this;
    const track = aims.track(key);
    const row = track === undefined ? -1 : aims.row(track, scene.frame);
    if (track === undefined || row < 0) return { firing: null, blends: null, controllers: null };
    const { bits, blends, controllers, starts, frames } = aims.columns;
    const fires = (of: number) => (bits.at(of) & FIRES) !== 0;
    /** The first row of those before a row that are like it. */
    const firstOf = (row: number): number => {
      const least = Math.max(starts[track], row - MOST_ROWS);
      let found = row;
      while (found > least && fires(found - 1) === fires(row)) found--;
      return found;
    };
    const [first, time] = [firstOf(row), (of: number) => this.tracks.times[frames.at(of)]];
    return {
      firing: {
        fires: fires(row),
        since: scene.time - time(first),
        before: first > starts[track] ? time(first) - time(firstOf(first - 1)) : 0,
      },
      blends: bytesOf(blends.at(row))?.slice(0, 2) ?? null,
      controllers: bytesOf(controllers.at(row)),
    };
  }

  /** The frame, the one before, and the next one; none before the model became what it is. */
  private poseAt(
    key: number,
    scene: Scene,
    worn: number,
  ): Pick<ModelState, 'frame' | 'before' | 'since' | 'next' | 'part'> {
    const { poses } = this;
    const track = poses.track(key);
    const row = track === undefined ? -1 : poses.row(track, scene.frame);
    if (track === undefined || row < 0) return { frame: 0, before: 0, since: 0, next: 0, part: 0 };
    const { frame, bits, starts } = poses.columns;
    const { times } = this.tracks;
    const since = this.since(poses, track, row, scene, () => false);
    const hasBefore = row > starts[track] && bits.at(row - 1) !== 0 && since < worn;
    const following = poses.next(track, row, scene.frame);
    const from = times[scene.frame];
    const span = (times[scene.frame + 1] ?? from) - from;
    return {
      frame: frame.at(row),
      before: frame.at(hasBefore ? row - 1 : row),
      since,
      next: frame.at(following >= 0 ? following : row),
      part: span > 0 ? Math.max(0, Math.min(1, (scene.time - from) / span)) : 0,
    };
  }

  private paceAt(key: number, scene: Scene): Pick<ModelState, 'began' | 'rate'> {
    const row = this.paces.rowOf(key, scene.frame);
    if (row < 0) return { began: null, rate: 1 };
    const [rate, began] = [this.paces.columns.rate.at(row), known(this.paces.columns.began.at(row))];
    return { began: began === null ? null : scene.serverTime - began, rate: Number.isNaN(rate) ? 1 : rate };
  }

  /** Milliseconds since the first of the rows that are the same as a row. */
  private since(
    { columns: { starts, frames } }: { columns: Packed },
    track: number,
    row: number,
    scene: Scene,
    same: (of: number) => boolean,
  ): number {
    const least = Math.max(starts[track], row - MOST_ROWS);
    let found = row;
    while (found > least && same(found - 1)) found--;
    return scene.time - this.tracks.times[frames.at(found)];
  }
}

const bytesOf = (word: number): number[] | null =>
  known(word) === null ? null : [0, 8, 16, 24].map((shift) => (word >> shift) & 255);

function renderOf(word: number, color: number): Render | null {
  const bytes = bytesOf(word);
  return bytes && { mode: bytes[0]!, amount: bytes[1]!, effect: bytes[2]!, color: colorOf(known(color)) ?? [0, 0, 0] };
}

/** Weapons as players see them, by slot. */
export class Hands {
  private readonly table: Table<Tables['hand']>;

  constructor(private readonly tracks: Frames) {
    this.table = new Table(tracks.tables.hand);
  }

  at(slot: number, scene: Scene, words: unknown[]): HandState | null {
    const track = this.table.track(slot);
    const row = track === undefined ? -1 : this.table.row(track, scene.frame);
    if (track === undefined || row < 0) return null;
    const { columns: hand } = this.table;
    const model = wordAt(words, hand.model, row);
    if (model === null) return null;
    const worn = hand.model.at(row);
    const isSameModel = (of: number) => hand.model.at(of) === worn;
    const frame = (of: number) => knownFloat(hand.frame.at(of));
    const first = (of: number) => {
      const least = Math.max(hand.starts[track], of - MOST_ROWS);
      let found = of;
      // rows stand where the step or the kick changes, too
      while (found > least && frame(found - 1) === frame(of) && isSameModel(found - 1)) found--;
      return found;
    };
    const began = first(row);
    const hasBefore = began > hand.starts[track] && isSameModel(began - 1);
    const { times } = this.tracks;
    const following = this.table.next(track, row, scene.frame);
    const next = following < 0 ? row : following;
    const span = (times[scene.frame + 1] ?? 0) - times[scene.frame];
    const part = span > 0 ? Math.max(0, Math.min(1, (scene.time - times[scene.frame]) / span)) : 0;
    const vector = (x: Column, y: Column, z: Column) => between(x, y, z, row, next, part, mix);
    const [step, after] = [knownFloat(hand.step.at(row)), knownFloat(hand.step.at(next))];
    return {
      model,
      frame: frame(row),
      before: frame(hasBefore ? began - 1 : row),
      since: scene.time - times[hand.frames.at(began)],
      offset: vector(hand.ahead, hand.right, hand.up),
      turn: vector(hand.turnPitch, hand.turnYaw, hand.turnRoll),
      kick: vector(hand.kickPitch, hand.kickYaw, hand.kickRoll),
      step: step === null || after === null ? step : (step + ((after - step + 256) % 256) * part) % 256,
    };
  }
}
