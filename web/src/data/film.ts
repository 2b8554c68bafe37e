// A recording's every frame in memory: any moment of it can be looked at without decoding anything again.

import { Happenings, type Heard } from './happenings';
import { type HandState, type ModelState, Hands, Looks } from './looks';
import { type Turn, Turning, gaitYaw, speedBetween } from './turning';

/** Text as a game sent it, and as a person reads it. */
export interface Text {
  raw: string;
  clean: string;
}

/** A thing by the game's own name and by the one that all games share. */
export interface Term {
  own: string;
  common?: string;
  amount?: number;
  until?: number;
}

export type Vector = [number, number, number];

/** How a place changes with time on the server's clock. */
export interface Motion {
  law: 'stationary' | 'interpolate' | 'linear' | 'linear_stop' | 'sine' | 'gravity';
  since: number;
  duration: number;
  base: Vector;
  delta: Vector;
  gravity: number;
}

/** The columns of one table, as the worker sends them. */
export interface Columns {
  keys: Uint32Array;
  starts: Uint32Array;
  frames: Uint32Array;
  floats: Float32Array;
  ints: Int32Array;
}

export const TABLES = ['place', 'speed', 'status', 'entity', 'about', 'figure', 'figurePose', 'figurePace', 'figureAim', 'look', 'lookPose', 'lookPace', 'lookAim', 'hand', 'happening', 'view'] as const;
export type TableName = (typeof TABLES)[number];

/** All that the worker sends of a recording's frames. */
export interface Tracks {
  times: Float64Array;
  serverTimes: Float64Array;
  matchTimes: Float64Array;
  levels: Uint32Array;
  messages: Uint32Array;
  numbers: Uint32Array;
  tables: Record<TableName, Columns>;
  words: string;
  damage: string;
}

export const KINDS = ['player', 'corpse', 'missile', 'item', 'mover', 'beam', 'effect', 'sound', 'other'] as const;
export type Kind = (typeof KINDS)[number];

export interface Player {
  slot: number;
  name: Text | null;
  team: string | null;
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
  kind: Kind;
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

/** What a figure does by itself. */
export interface Moves {
  /** How legs and torso have followed the view. */
  turn: Turn | null;
  /** Where the feet go. */
  gait: number | null;
  /** Whether the weapon flashes. */
  flashes: boolean;
}

/** Milliseconds for which a weapon flashes. */
const FLASH = 20;
const ABSENT = -2147483648;
/** Items that are gone for longer were dropped things. */
const LONGEST_RESPAWN = 120_000;
/** Numbers in a row of a player's status, and the bit that says that it is known whether he is on the ground; the next one says that he is. */
const [STATUS, ON_GROUND] = [11, 64];
/** A server's clock that differs by as much from the recording's began again. */
const RESTART = 1000;

type Numbers = Float64Array | Float32Array | Uint32Array | Int32Array;

/** Frames, and those behind them. */
function joined(before: Tracks, more: Tracks): Tracks {
  const tables = Object.fromEntries(TABLES.map((table) => [table, joinedColumns(before.tables[table], more.tables[table])])) as Record<TableName, Columns>;
  return {
    times: both(before.times, more.times),
    serverTimes: both(before.serverTimes, more.serverTimes),
    matchTimes: both(before.matchTimes, more.matchTimes),
    levels: both(before.levels, more.levels),
    messages: both(before.messages, more.messages),
    numbers: both(before.numbers, more.numbers),
    tables,
    words: before.words,
    damage: more.damage,
  };
}

function both<T extends Numbers>(before: T, more: T): T {
  const all = new (before.constructor as new (length: number) => T)(before.length + more.length);
  all.set(before);
  all.set(more, before.length);
  return all;
}

/** The rows of each subject, and behind them those that are new. */
function joinedColumns(before: Columns, more: Columns): Columns {
  const count = before.frames.length + more.frames.length;
  if (!more.frames.length) return before;
  const keys = Uint32Array.from(new Set([...before.keys, ...more.keys])).sort();
  const parts = [before, more].map((columns) => ({ columns, places: new Map([...columns.keys].map((key, place) => [key, place])) }));
  const [floats, ints] = [width(before.floats, more.floats, count), width(before.ints, more.ints, count)];
  const all: Columns = {
    keys,
    starts: new Uint32Array(keys.length + 1),
    frames: new Uint32Array(count),
    floats: new Float32Array(count * floats),
    ints: new Int32Array(count * ints),
  };
  let row = 0;
  keys.forEach((key, track) => {
    all.starts[track] = row;
    for (const { columns, places } of parts) {
      const place = places.get(key);
      if (place === undefined) continue;
      const [from, to] = [columns.starts[place]!, columns.starts[place + 1]!];
      all.frames.set(columns.frames.subarray(from, to), row);
      all.floats.set(columns.floats.subarray(from * floats, to * floats), row * floats);
      all.ints.set(columns.ints.subarray(from * ints, to * ints), row * ints);
      row += to - from;
    }
  });
  all.starts[keys.length] = row;
  return all;
}

/** Numbers in a row. */
function width(before: Numbers, more: Numbers, rows: number): number {
  return (before.length + more.length) / rows;
}

/** A table with a finger on the row that was looked at last. */
export class Table {
  private readonly last: Uint32Array;
  private readonly places = new Map<number, number>();

  constructor(
    readonly columns: Columns,
    readonly width: number,
    readonly height: number,
  ) {
    this.last = columns.starts.slice();
    columns.keys.forEach((key, place) => this.places.set(key, place));
  }

  /** The place of a subject's track. */
  track(key: number): number | undefined {
    return this.places.get(key);
  }

  /** The row of a track that stands at a frame, or -1. */
  row(track: number, frame: number): number {
    const { starts, frames } = this.columns;
    const [from, to] = [starts[track]!, starts[track + 1]!];
    let row = this.last[track]!;
    const stands = (at: number) => at >= from && at < to && frames[at]! <= frame && (at + 1 >= to || frames[at + 1]! > frame);
    if (!stands(row) && !stands(++row)) {
      let [low, high] = [from, to];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (frames[middle]! <= frame) low = middle + 1;
        else high = middle;
      }
      row = low - 1;
      if (row < from) return -1;
    }
    this.last[track] = row;
    return this.columns.ints[row * this.height] ? row : -1;
  }

  /** The row of a track at a frame, whether the subject is there or not. */
  anyRow(track: number, frame: number): number {
    const row = this.row(track, frame);
    return row >= 0 ? row : this.columns.frames[this.last[track]!]! <= frame ? this.last[track]! : -1;
  }

  /** The row of the next frame, when a subject is still there and did not jump. */
  next(track: number, row: number, frame: number): number {
    const { starts, frames, ints } = this.columns;
    const after = row + 1;
    if (after >= starts[track + 1]! || frames[after]! > frame + 1) return row;
    const bits = ints[after * this.height]!;
    return bits & 1 && !(bits & 2) ? after : -1;
  }
}

export class Film {
  readonly words: unknown[] = [];
  damage: { detail: string; offset: number; path: string }[] = [];
  private place!: Table;
  private speed!: Table;
  private status!: Table;
  private entity!: Table;
  private about!: Table;
  private eyes!: Table;
  private figures!: Looks;
  private looks!: Looks;
  private hands!: Hands;
  private turning!: Turning;
  /** Sounds, explosions and the like. */
  happenings!: Happenings;

  constructor(public tracks: Tracks) {
    this.take(tracks);
  }

  /** Takes frames behind those that are there. */
  extend(more: Tracks): void {
    this.tracks = joined(this.tracks, more);
    this.take(more);
  }

  private take(more: Tracks): void {
    const { tables } = this.tracks;
    for (const word of JSON.parse(more.words || '[]') as unknown[]) this.words.push(word);
    this.damage = JSON.parse(more.damage || '[]') as Film['damage'];
    this.place = new Table(tables.place, 6, 1);
    this.speed = new Table(tables.speed, 3, 1);
    this.status = new Table(tables.status, 0, STATUS);
    this.entity = new Table(tables.entity, 6, 1);
    this.about = new Table(tables.about, 0, 7);
    this.eyes = new Table(tables.view, 7, 2);
    this.figures = new Looks(this.tracks, 'figure');
    this.looks = new Looks(this.tracks, 'look');
    this.hands = new Hands(this.tracks);
    this.turning = new Turning(this.tracks, this.place, this.figures);
    this.happenings = new Happenings(tables.happening, this.words, this.tracks.levels);
  }

  get duration(): number {
    const { times } = this.tracks;
    return times.length ? times[times.length - 1]! : 0;
  }

  get frameCount(): number {
    return this.tracks.times.length;
  }

  /** The slots of all players, ever. */
  get slots(): number[] {
    return [...this.tracks.tables.status.keys];
  }

  /** The last frame at or before a time; the first for earlier ones. */
  frameAt(time: number): number {
    const { times } = this.tracks;
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** What the game looks like at a time, between two frames as its engine draws it. */
  sceneAt(time: number): Scene {
    const { times, serverTimes, matchTimes, levels } = this.tracks;
    const frame = this.frameAt(time);
    const scene: Scene = { frame, time: 0, serverTime: 0, matchTime: null, level: 0, view: null, players: [], entities: [] };
    if (!times.length) return scene;
    const [from, to] = [times[frame]!, times[frame + 1] ?? times[frame]!];
    const [span, passed] = [to - from, Math.min(Math.max(time - from, 0), Math.max(to - from, 0))];
    const agree = span > 0 && levels[frame] === levels[frame + 1] && Math.abs(serverTimes[frame + 1]! - serverTimes[frame]! - span) < RESTART;
    const part = agree ? passed / span : 0;
    scene.time = from + passed;
    scene.serverTime = serverTimes[frame]! + passed;
    const shown = matchTimes[frame]!;
    scene.matchTime = Number.isNaN(shown) ? null : matchTimes[frame + 1] === shown ? shown : shown + passed;
    scene.level = levels[frame]!;
    scene.view = this.viewAt(frame, part);
    this.tracks.tables.status.keys.forEach((slot, track) => {
      const player = this.playerAt(slot, track, frame, part);
      if (player) {
        player.isView = scene.view?.slot === slot;
        scene.players.push(player);
      }
    });
    this.tracks.tables.about.keys.forEach((number, track) => {
      const entity = this.entityAt(number, track, frame, part, scene.serverTime);
      if (entity) scene.entities.push(entity);
    });
    return scene;
  }

  /** What a player is drawn with in a scene. */
  figureOf(slot: number, scene: Scene): ModelState | null {
    return this.figures.at(slot, scene, this.words);
  }

  /** How a player moves beside what the recording states. Figures of Quake III say whether they fire, those of Half-Life how they blend. */
  movesOf(player: Player, state: ModelState, scene: Scene): Moves {
    const { slot, angles } = player;
    if (state.firing) return { turn: this.turning.at(player, scene), gait: null, flashes: this.happenings.between(scene.time - FLASH, scene.time).some((one) => one.kind === 'flash' && one.subject === slot) };
    const gait = state.blends && angles ? gaitYaw(this.tracks, this.place, slot, angles[1], scene.frame, scene.time - this.tracks.times[scene.frame]!) : null;
    return { turn: null, gait, flashes: false };
  }

  /** How fast a player goes: as the recording states it, else by the places of the frames. */
  velocityOf({ slot, velocity }: Player, scene: Scene): Vector | null {
    return velocity ?? speedBetween(this.tracks, this.place, slot, scene.frame);
  }

  /** The sound that lasts of a player, or of an entity. */
  soundOf(kind: 'player' | 'entity', number: number, scene: Scene): Heard | null {
    return (kind === 'player' ? this.figures : this.looks).soundAt(number, scene.frame, this.words);
  }

  /** What an entity is drawn with in a scene. */
  lookOf(number: number, scene: Scene): ModelState | null {
    return this.looks.at(number, scene, this.words);
  }

  /** The weapon as a player sees it. */
  handOf(slot: number, scene: Scene): HandState | null {
    return this.hands.at(slot, scene, this.words);
  }

  /** One player at the last frame at or before a time. */
  playerOf(slot: number, time: number): Player | null {
    const track = this.status.track(slot);
    return track === undefined ? null : this.playerAt(slot, track, this.frameAt(time), 0);
  }

  /** Whether a player stands on something at a frame, where the recording says that. */
  onGroundAt(slot: number, frame: number): boolean | null {
    const track = this.status.track(slot);
    const row = track === undefined ? -1 : this.status.row(track, frame);
    const bits = row < 0 ? 0 : this.status.columns.ints[row * STATUS]!;
    return bits & ON_GROUND ? (bits & (ON_GROUND * 2)) !== 0 : null;
  }

  /** Whether the recording ever says of anybody that he stands on something. */
  get knowsGround(): boolean {
    const { ints, frames } = this.status.columns;
    for (let row = 0; row < frames.length; row++) if ((ints[row * STATUS]! & (ON_GROUND * 3)) === ON_GROUND * 3) return true;
    return false;
  }

  /** Where a player was at each frame of a stretch of time. */
  way(slot: number, from: number, to: number): { time: number; origin: Vector; jumped: boolean }[] {
    const track = this.place.track(slot);
    if (track === undefined) return [];
    const { floats, ints } = this.place.columns;
    const found: { time: number; origin: Vector; jumped: boolean }[] = [];
    let gap = true;
    for (let frame = this.frameAt(from); frame < this.frameCount && this.tracks.times[frame]! <= to; frame++) {
      const row = this.place.row(track, frame);
      if (row < 0 || Number.isNaN(floats[row * 6]!)) {
        gap = true;
        continue;
      }
      const jumped = gap || (ints[row]! & 2) !== 0;
      found.push({ time: this.tracks.times[frame]!, origin: [floats[row * 6]!, floats[row * 6 + 1]!, floats[row * 6 + 2]!], jumped });
      gap = false;
    }
    return found;
  }

  /** Where an entity is at a time, if it is there. */
  entityPlace(number: number, time: number): Vector | null {
    const track = this.about.track(number);
    if (track === undefined || time < 0) return null;
    const frame = this.frameAt(time);
    return this.entityAt(number, track, frame, 0, this.tracks.serverTimes[frame]! + time - this.tracks.times[frame]!)?.origin ?? null;
  }

  /** Whether the recording shows everything, not what one player saw: only then what is gone was taken. */
  get seesAll(): boolean {
    return !this.eyes.columns.keys.length;
  }

  /** Items that are gone, where they were, and since when. */
  takenItems(time: number): { origin: Vector; item: Term | null; since: number }[] {
    const found: { origin: Vector; item: Term | null; since: number }[] = [];
    if (!this.seesAll) return found;
    const frame = this.frameAt(time);
    const { ints, frames, starts } = this.about.columns;
    this.about.columns.keys.forEach((number, track) => {
      const row = this.about.anyRow(track, frame);
      if (row <= starts[track]! || ints[row * 7] || KINDS[ints[(row - 1) * 7 + 1]!] !== 'item') return;
      const since = this.tracks.times[frames[row]!]!;
      const origin = this.entityAt(number, track, frames[row]! - 1, 0, 0)?.origin;
      if (origin && time - since < LONGEST_RESPAWN) found.push({ origin, item: this.word<Term>(ints[(row - 1) * 7 + 4]!), since });
    });
    return found;
  }

  /** A word that rows name by number. */
  word<T>(number: number): T | null {
    return number >= 0 ? (this.words[number] as T) : null;
  }

  private viewAt(frame: number, part: number): View | null {
    const row = this.eyes.columns.keys.length ? this.eyes.row(0, frame) : -1;
    if (row < 0) return null;
    const { floats, ints } = this.eyes.columns;
    const following = this.eyes.next(0, row, frame);
    const next = following >= 0 && ints[following * 2 + 1] === ints[row * 2 + 1] ? following : row;
    const slot = ints[row * 2 + 1]!;
    const fov = floats[row * 7 + 6]!;
    return {
      slot: slot === ABSENT ? null : slot,
      origin: between(floats, row * 7, next * 7, part, mix) ?? [0, 0, 0],
      angles: between(floats, row * 7 + 3, next * 7 + 3, part, turn) ?? [0, 0, 0],
      fov: Number.isNaN(fov) ? null : fov,
    };
  }

  private playerAt(slot: number, track: number, frame: number, part: number): Player | null {
    const row = this.status.row(track, frame);
    if (row < 0) return null;
    const ints = this.status.columns.ints;
    const at = row * STATUS;
    const bits = ints[at]!;
    const fact = (bit: number) => (bits & bit ? (bits & (bit * 2)) !== 0 : null);
    const number = (column: number) => (ints[at + column] === ABSENT ? null : ints[at + column]!);
    const word = <T>(column: number) => this.word<T>(ints[at + column]!);
    const place = this.vectors(this.place, slot, frame, part);
    return {
      slot,
      name: word<Text>(4),
      team: word<string>(5),
      alive: fact(4),
      spectator: fact(16),
      onGround: fact(ON_GROUND),
      crouching: fact(256),
      origin: place?.origin ?? null,
      angles: place?.angles ?? null,
      velocity: this.velocityAt(slot, frame, part),
      health: number(1),
      armor: number(2),
      weapon: word<Term>(3),
      score: number(6),
      ping: number(7),
      powerups: word<Term[]>(8) ?? [],
      items: word<Term[]>(9) ?? [],
      ammo: word<Term[]>(10) ?? [],
      isView: false,
    };
  }

  private velocityAt(slot: number, frame: number, part: number): Vector | null {
    const track = this.speed.track(slot);
    const row = track === undefined ? -1 : this.speed.row(track, frame);
    if (track === undefined || row < 0) return null;
    const following = this.speed.next(track, row, frame);
    return between(this.speed.columns.floats, row * 3, (following < 0 ? row : following) * 3, part, mix);
  }

  private entityAt(number: number, track: number, frame: number, part: number, serverTime: number): Entity | null {
    const row = this.about.row(track, frame);
    if (row < 0) return null;
    const ints = this.about.columns.ints;
    const at = row * 7;
    const [kind, model, owner, item] = [ints[at + 1]!, ints[at + 2]!, ints[at + 3]!, ints[at + 4]!];
    const [motion, turning] = [this.word<Motion>(ints[at + 5]!), this.word<Motion>(ints[at + 6]!)];
    const place = this.vectors(this.entity, number, frame, part);
    const flies = motion?.law === 'linear' || motion?.law === 'gravity';
    return {
      number,
      kind: KINDS[kind] ?? 'other',
      model: this.word<string>(model),
      owner: owner === ABSENT ? null : owner,
      item: this.word<Term>(item),
      origin: motion && motion.law !== 'interpolate' ? motionAt(motion, serverTime) : (place?.origin ?? null),
      angles: turning && turning.law !== 'interpolate' ? motionAt(turning, serverTime) : (place?.angles ?? null),
      heading: flies ? headingAt(motion, serverTime) : null,
    };
  }

  private vectors(table: Table, key: number, frame: number, part: number): { origin: Vector | null; angles: Vector | null } | null {
    const track = table.track(key);
    const row = track === undefined ? -1 : table.row(track, frame);
    if (track === undefined || row < 0) return null;
    const following = table.next(track, row, frame);
    const next = following < 0 ? row : following;
    const { floats } = table.columns;
    return { origin: between(floats, row * 6, next * 6, part, mix), angles: between(floats, row * 6 + 3, next * 6 + 3, part, turn) };
  }
}

function between(
  floats: Float32Array,
  from: number,
  to: number,
  part: number,
  way: (from: number, to: number, part: number) => number,
): Vector | null {
  if (Number.isNaN(floats[from]!)) return null;
  const known = !Number.isNaN(floats[to]!);
  const axis = (at: number) => (known && part > 0 && from !== to ? way(floats[from + at]!, floats[to + at]!, part) : floats[from + at]!);
  return [axis(0), axis(1), axis(2)];
}

export function mix(from: number, to: number, part: number): number {
  return from + (to - from) * part;
}

/** Between two angles in degrees, the short way round. */
export function turn(from: number, to: number, part: number): number {
  let way = (to - from) % 360;
  if (way > 180) way -= 360;
  else if (way < -180) way += 360;
  return from + way * part;
}

/** Where a motion goes. */
function headingAt({ law, delta: [x, y, z], gravity, since }: Motion, serverTime: number): Vector {
  return [x, y, law === 'gravity' ? z - (gravity * (serverTime - since)) / 1000 : z];
}

/** Where a motion has come to. */
export function motionAt(motion: Motion, serverTime: number): Vector {
  const elapsed = serverTime - motion.since;
  const moved = (by: number): Vector => [
    motion.base[0] + motion.delta[0] * by,
    motion.base[1] + motion.delta[1] * by,
    motion.base[2] + motion.delta[2] * by,
  ];
  switch (motion.law) {
    case 'linear':
      return moved(elapsed / 1000);
    case 'linear_stop':
      return moved(Math.max(0, Math.min(elapsed, motion.duration)) / 1000);
    case 'sine':
      return moved(Math.sin((elapsed / Math.max(motion.duration, 1)) * Math.PI * 2));
    case 'gravity': {
      const seconds = elapsed / 1000;
      const place = moved(seconds);
      place[2] -= 0.5 * motion.gravity * seconds * seconds;
      return place;
    }
    default:
      return [...motion.base];
  }
}
