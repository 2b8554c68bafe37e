// A recording's every frame in memory: any moment of it can be looked at without decoding anything again.

import type { Damage, Side, Term } from '../../answers';
import { Happenings, type Heard } from './happenings';
import { ALIVE, CROUCHING, ENTITY_KINDS, ON_GROUND, SPECTATOR, TELEPORTED, type Tables } from './layout';
import { type HandState, type ModelState, Hands, Looks } from './looks';
import { headingAt, motionAt } from './motion';
import type { Entity, Player, Scene, View } from './scene';
import { type Frames, Table, type Tracks, between, extend, known, knownFloat, noFrames, wordAt } from './table';
import { type Turn, Turning, gaitYaw, speedBetween } from './turning';
import { type Box, type Vector, mix, turn } from './vector';

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
/** Items that are gone for longer were dropped things. */
const LONGEST_RESPAWN = 120_000;
/** A server's clock that differs by as much from the recording's began again. */
const RESTART = 1000;

const NOWHERE: Box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };

/** A thing that is taken and comes back. */
export interface ItemClock {
  number: number;
  item: Term;
  /** When it was taken, where it is gone. */
  since: number | null;
  /** When it is there again, where it comes back. */
  returns: number | null;
}

/** What a pair of bits says: the lower one that it is known, the higher one that it is so. */
const fact = (bits: number, bit: number): boolean | null => (bits & bit ? (bits & (bit * 2)) !== 0 : null);

export class Replay {
  readonly words: unknown[] = [];
  damage: Damage[] = [];
  /** The sides, as the library names them. */
  sides: readonly Side[] = [];
  private place!: Table<Tables['place']>;
  private speed!: Table<Tables['speed']>;
  private status!: Table<Tables['status']>;
  private entity!: Table<Tables['entity']>;
  private about!: Table<Tables['about']>;
  private eyes!: Table<Tables['view']>;
  private figures!: Looks;
  private looks!: Looks;
  private hands!: Hands;
  private turning!: Turning;
  private ground: boolean | null = null;
  /** Sounds, explosions and the like. */
  readonly happenings: Happenings;
  /** How far players go in each level. */
  private readonly extents = new Map<number, Box>();
  /** The first frame of each level, and the end. */
  private readonly spans = new Map<number, [number, number]>();

  readonly tracks: Frames = noFrames();

  constructor(tracks: Tracks) {
    this.happenings = new Happenings(this.tracks.tables.happening, this.words, this.tracks);
    this.take(tracks);
  }

  /** Takes frames behind those that are there. */
  extend(more: Tracks): void {
    // what is known stays known
    this.ground ||= null;
    this.take(more);
  }

  private take(more: Tracks): void {
    const before = this.frameCount;
    extend(this.tracks, more);
    const { tables, levels } = this.tracks;
    for (let frame = before; frame < levels.length; frame++) {
      const span = this.spans.get(levels[frame]);
      if (span) span[1] = frame + 1;
      else this.spans.set(levels[frame], [frame, frame + 1]);
    }
    for (let at = 0; at < more.extents.length; at += 7) {
      const [level, ...corners] = more.extents.subarray(at, at + 7);
      const { min, max } = this.extents.get(level) ?? NOWHERE;
      this.extents.set(level, {
        min: min.map((least, axis) => Math.min(least, corners[axis])) as Vector,
        max: max.map((most, axis) => Math.max(most, corners[axis + 3])) as Vector,
      });
    }
    for (const word of JSON.parse(more.words || '[]') as unknown[]) this.words.push(word);
    this.damage = JSON.parse(more.damage || '[]') as Damage[];
    this.place = new Table(tables.place);
    this.speed = new Table(tables.speed);
    this.status = new Table(tables.status);
    this.entity = new Table(tables.entity);
    this.about = new Table(tables.about);
    this.eyes = new Table(tables.view);
    this.figures = new Looks(this.tracks, 'figure');
    this.looks = new Looks(this.tracks, 'look');
    this.hands = new Hands(this.tracks);
    this.turning = new Turning(this.tracks, this.place, this.figures);
    this.happenings.take();
  }

  /** The color of a team's side. */
  sideOf(team: string | null | undefined): Side['color'] | null {
    return this.sides.find(({ name }) => name === team)?.color ?? null;
  }

  get duration(): number {
    const { times } = this.tracks;
    return times.length ? times[times.length - 1] : 0;
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
      if (times[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** What the game looks like at a time, between two frames as its engine draws it. */
  sceneAt(time: number): Scene {
    const { times, serverTimes, matchTimes, levels } = this.tracks;
    const frame = this.frameAt(time);
    const scene: Scene = {
      frame,
      time: 0,
      serverTime: 0,
      matchTime: null,
      level: 0,
      view: null,
      players: [],
      entities: [],
    };
    if (!times.length) return scene;
    const [from, to] = [times[frame], times[frame + 1] ?? times[frame]];
    const [span, passed] = [to - from, Math.min(Math.max(time - from, 0), Math.max(to - from, 0))];
    const agree =
      span > 0 &&
      levels[frame] === levels[frame + 1] &&
      Math.abs(serverTimes[frame + 1] - serverTimes[frame] - span) < RESTART;
    const part = agree ? passed / span : 0;
    scene.time = from + passed;
    scene.serverTime = serverTimes[frame] + passed;
    const shown = matchTimes[frame];
    scene.matchTime = Number.isNaN(shown) ? null : matchTimes[frame + 1] === shown ? shown : shown + passed;
    scene.level = levels[frame];
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
    if (state.firing)
      return {
        turn: this.turning.at(player, scene),
        gait: null,
        flashes: this.happenings
          .between(scene.time - FLASH, scene.time)
          .some((one) => one.kind === 'flash' && one.subject === slot),
      };
    const gait =
      state.blends && angles
        ? gaitYaw(this.tracks, this.place, slot, angles[1], scene.frame, scene.time - this.tracks.times[scene.frame])
        : null;
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
    const row = this.status.rowOf(slot, frame);
    return row < 0 ? null : fact(this.status.columns.bits.at(row), ON_GROUND);
  }

  /** Whether the recording ever says of anybody that he stands on something. */
  get knowsGround(): boolean {
    this.ground ??= this.everOnGround();
    return this.ground;
  }

  private everOnGround(): boolean {
    const { starts, ends, bits } = this.status.columns;
    for (const [track, start] of starts.entries())
      for (let row = start; row < ends[track]; row++) if (fact(bits.at(row), ON_GROUND)) return true;
    return false;
  }

  /** The frames of a level, from the first to before the end. */
  framesOf(level: number): [number, number] {
    return this.spans.get(level) ?? [0, 0];
  }

  /** How far players go in a level, if any are there. */
  extentOf(level: number): Box | null {
    const extent = this.extents.get(level);
    return extent && Number.isFinite(extent.min[0]) ? extent : null;
  }

  /** Where a player was at each frame of a stretch of time. */
  way(slot: number, from: number, to: number): { time: number; origin: Vector; jumped: boolean }[] {
    const track = this.place.track(slot);
    if (track === undefined) return [];
    const { x, y, z, bits } = this.place.columns;
    const found: { time: number; origin: Vector; jumped: boolean }[] = [];
    let gap = true;
    for (let frame = this.frameAt(from); frame < this.frameCount && this.tracks.times[frame] <= to; frame++) {
      const row = this.place.row(track, frame);
      if (row < 0 || Number.isNaN(x.at(row))) {
        gap = true;
        continue;
      }
      const jumped = gap || (bits.at(row) & TELEPORTED) !== 0;
      found.push({ time: this.tracks.times[frame], origin: [x.at(row), y.at(row), z.at(row)], jumped });
      gap = false;
    }
    return found;
  }

  /** Where an entity is at a time, if it is there. */
  entityPlace(number: number, time: number): Vector | null {
    const track = this.about.track(number);
    if (track === undefined || time < 0) return null;
    const frame = this.frameAt(time);
    return (
      this.entityAt(number, track, frame, 0, this.tracks.serverTimes[frame] + time - this.tracks.times[frame])
        ?.origin ?? null
    );
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
    const { kind, item, bits, frames, starts } = this.about.columns;
    this.about.columns.keys.forEach((number, track) => {
      const row = this.about.anyRow(track, frame);
      if (row <= starts[track] || bits.at(row) || ENTITY_KINDS[kind.at(row - 1)] !== 'item') return;
      const gone = frames.at(row);
      const since = this.tracks.times[gone];
      const origin = this.entityAt(number, track, gone - 1, 0, 0)?.origin;
      if (origin && time - since < LONGEST_RESPAWN)
        found.push({ origin, item: wordAt(this.words, item, row - 1), since });
    });
    return found;
  }

  /** Items that are worth a clock: what is gone, since when, and when it is back, as the recording itself shows. */
  itemClocks(time: number, isGreat: (item: Term) => boolean): ItemClock[] {
    const found: ItemClock[] = [];
    if (!this.seesAll) return found;
    const frame = this.frameAt(time);
    const { kind, item, bits, frames, starts, ends } = this.about.columns;
    this.about.columns.keys.forEach((number, track) => {
      const row = this.about.anyRow(track, frame);
      if (row < starts[track]) return;
      const isHere = bits.at(row) !== 0;
      const shown = isHere ? row : row - 1;
      if (shown < starts[track] || ENTITY_KINDS[kind.at(shown)] !== 'item') return;
      const term = wordAt(this.words, item, shown);
      if (!term || !isGreat(term)) return;
      const end = ends[track];
      let next = isHere ? row : row + 1;
      while (next < end && !(bits.at(next) && ENTITY_KINDS[kind.at(next)] === 'item')) next++;
      found.push({
        number,
        item: term,
        since: isHere ? null : this.tracks.times[frames.at(row)],
        returns: isHere || next >= end ? null : this.tracks.times[frames.at(next)],
      });
    });
    return found;
  }

  private viewAt(frame: number, part: number): View | null {
    const row = this.eyes.columns.keys.length ? this.eyes.row(0, frame) : -1;
    if (row < 0) return null;
    const { x, y, z, pitch, yaw, roll, fov, slot } = this.eyes.columns;
    const following = this.eyes.next(0, row, frame);
    const next = following >= 0 && slot.at(following) === slot.at(row) ? following : row;
    return {
      slot: known(slot.at(row)),
      origin: between(x, y, z, row, next, part, mix) ?? [0, 0, 0],
      angles: between(pitch, yaw, roll, row, next, part, turn) ?? [0, 0, 0],
      fov: knownFloat(fov.at(row)),
    };
  }

  private playerAt(slot: number, track: number, frame: number, part: number): Player | null {
    const row = this.status.row(track, frame);
    if (row < 0) return null;
    const { columns: status } = this.status;
    const { words } = this;
    const bits = status.bits.at(row);
    const team = wordAt(words, status.team, row);
    const place = this.vectors(this.place, slot, frame, part);
    return {
      slot,
      name: wordAt(words, status.name, row),
      team,
      side: this.sideOf(team),
      alive: fact(bits, ALIVE),
      spectator: fact(bits, SPECTATOR),
      onGround: fact(bits, ON_GROUND),
      crouching: fact(bits, CROUCHING),
      origin: place?.origin ?? null,
      angles: place?.angles ?? null,
      velocity: this.velocityAt(slot, frame, part),
      health: known(status.health.at(row)),
      armor: known(status.armor.at(row)),
      weapon: wordAt(words, status.weapon, row),
      score: known(status.score.at(row)),
      ping: known(status.ping.at(row)),
      powerups: wordAt(words, status.powerups, row) ?? [],
      items: wordAt(words, status.items, row) ?? [],
      ammo: wordAt(words, status.ammo, row) ?? [],
      isView: false,
    };
  }

  private velocityAt(slot: number, frame: number, part: number): Vector | null {
    const track = this.speed.track(slot);
    const row = track === undefined ? -1 : this.speed.row(track, frame);
    if (track === undefined || row < 0) return null;
    const following = this.speed.next(track, row, frame);
    const { x, y, z } = this.speed.columns;
    return between(x, y, z, row, following < 0 ? row : following, part, mix);
  }

  private entityAt(number: number, track: number, frame: number, part: number, serverTime: number): Entity | null {
    const row = this.about.row(track, frame);
    if (row < 0) return null;
    const { columns: about } = this.about;
    const { words } = this;
    const [motion, turning] = [wordAt(words, about.motion, row), wordAt(words, about.turning, row)];
    const place = this.vectors(this.entity, number, frame, part);
    const flies = motion?.trajectory === 'linear' || motion?.trajectory === 'gravity';
    return {
      number,
      kind: ENTITY_KINDS[about.kind.at(row)] ?? 'other',
      model: wordAt(words, about.model, row),
      owner: known(about.owner.at(row)),
      item: wordAt(words, about.item, row),
      origin: motion && motion.trajectory !== 'interpolate' ? motionAt(motion, serverTime) : (place?.origin ?? null),
      angles: turning && turning.trajectory !== 'interpolate' ? motionAt(turning, serverTime) : (place?.angles ?? null),
      heading: flies ? headingAt(motion, serverTime) : null,
    };
  }

  private vectors(
    table: Table<Tables['place' | 'entity']>,
    key: number,
    frame: number,
    part: number,
  ): { origin: Vector | null; angles: Vector | null } | null {
    const track = table.track(key);
    const row = track === undefined ? -1 : table.row(track, frame);
    if (track === undefined || row < 0) return null;
    const following = table.next(track, row, frame);
    const next = following < 0 ? row : following;
    const { x, y, z, pitch, yaw, roll } = table.columns;
    return { origin: between(x, y, z, row, next, part, mix), angles: between(pitch, yaw, roll, row, next, part, turn) };
  }
}
