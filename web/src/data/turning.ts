// How the legs and the torso of a player of Quake III follow the view: they swing after it. The same time has the same answer from wherever one comes, because
// it is computed from the frames before.

import { TELEPORTED, type Tables } from './layout';
import type { Looks } from './looks';
import type { Player, Scene } from './scene';
import type { Column } from './packed';
import type { Frames, Table } from './table';
import { type Vector, turn } from './vector';

/** Yaw of the legs, yaw and pitch of the torso. */
export interface Turn {
  legs: number;
  torso: number;
  pitch: number;
}

/** An angle that follows another one. */
interface Swing {
  angle: number;
  swings: boolean;
}

type Swings = Record<keyof Turn, Swing>;

/** Off by how many degrees something begins to follow, how far off it may be, and degrees a millisecond. */
const LAWS: Record<keyof Turn, [tolerance: number, most: number, speed: number]> = {
  legs: [40, 90, 0.3],
  torso: [25, 90, 0.3],
  pitch: [15, 30, 0.1],
};
const PARTS = ['legs', 'torso', 'pitch'] as const;
/** Of the view, what the torso turns with the legs and nods. */
const [QUARTER, NOD] = [0.25, 0.75];
/** Who moves is turned wholly after as many milliseconds: what was before no longer counts. */
const SETTLED = 500;
/** Who stands turns only now and then, so that no stretch of time is surely long enough. */
const MOST_FRAMES = 400;
/** Units a second below which somebody stands, how fast the gait turns then, and after how many milliseconds it is turned. */
const [SLOWEST, DRIFT, FORGOTTEN] = [5, 4, 2000];

/** The animations of a player of Quake III who stands: of the legs, and of the torso. The lowest bits number them, the next one changes when one begins again. */
const [IDLE, STAND, NUMBER] = [22, 11, 127];

/** Whether somebody stands still: legs and torso. */
const isIdle = (legs: number, torso: number): boolean => (legs & NUMBER) === IDLE && (torso & NUMBER) === STAND;

const apart = (from: number, to: number): number => turn(from, to, 1) - from;

export class Turning {
  /** Where each player was left, to go on from there. */
  private readonly known = new Map<number, { from: number; frame: number; swings: Swings }>();

  constructor(
    private readonly tracks: Frames,
    private readonly places: Table<Tables['place']>,
    private readonly figures: Looks,
  ) {}

  at({ slot, angles }: Player, scene: Scene): Turn | null {
    const track = this.places.track(slot);
    if (track === undefined || !angles) return null;
    const { times } = this.tracks;
    const from = this.start(slot, scene.frame);
    let known = this.known.get(slot);
    if (known?.from !== from || known.frame > scene.frame) {
      known = { from, frame: from, swings: this.straight(slot, this.viewAt(track, from) ?? angles, from) };
      this.known.set(slot, known);
    }
    for (; known.frame < scene.frame; known.frame++) {
      const next = known.frame + 1;
      const view = this.viewAt(track, next);
      if (!view) continue;
      if (this.jumped(track, next)) known.swings = this.straight(slot, view, next);
      else known.swings = this.swung(slot, known.swings, view, next, times[next] - times[known.frame]);
    }
    const { legs, torso, pitch } = this.swung(slot, known.swings, angles, scene.frame, scene.time - times[scene.frame]);
    return { legs: legs.angle, torso: torso.angle, pitch: pitch.angle };
  }

  /** The frame from which on the frames decide: where somebody appears, or has moved for long enough. */
  private start(slot: number, frame: number): number {
    const { times } = this.tracks;
    const least = Math.max(0, frame - MOST_FRAMES);
    let [end, moves] = [frame, false];
    let until = times[frame];
    for (const { first, numbers } of this.figures.before(slot, frame)) {
      if (!numbers) return Math.min(end, frame);
      const idle = isIdle(...numbers);
      if (idle) moves = false;
      else {
        if (!moves) until = times[end];
        moves = true;
        if (until - times[Math.max(first, least)] >= SETTLED) {
          let found = end;
          while (found > first && until - times[found] < SETTLED) found--;
          return Math.max(found, least);
        }
      }
      end = first;
      if (first <= least) break;
    }
    return Math.max(least, Math.min(end, frame));
  }

  private viewAt(track: number, frame: number): [number, number] | null {
    const row = this.places.row(track, frame);
    const { pitch, yaw } = this.places.columns;
    return row < 0 || Number.isNaN(pitch.at(row)) ? null : [pitch.at(row), yaw.at(row)];
  }

  private jumped(track: number, frame: number): boolean {
    const row = this.places.row(track, frame);
    const { frames, bits } = this.places.columns;
    return frames.at(row) === frame && (bits.at(row) & TELEPORTED) !== 0;
  }

  /** Where the parts are to turn to. */
  private goals(slot: number, [pitch, yaw]: ArrayLike<number> & Iterable<number>, frame: number): Turn {
    const stride = this.figures.strideAt(slot, frame);
    return { legs: yaw! + stride, torso: yaw! + stride * QUARTER, pitch: pitch! * NOD };
  }

  private straight(slot: number, view: ArrayLike<number> & Iterable<number>, frame: number): Swings {
    const goals = this.goals(slot, view, frame);
    return {
      legs: { angle: goals.legs, swings: false },
      torso: { angle: goals.torso, swings: false },
      pitch: { angle: goals.pitch, swings: false },
    };
  }

  private swung(
    slot: number,
    swings: Swings,
    view: ArrayLike<number> & Iterable<number>,
    frame: number,
    passed: number,
  ): Swings {
    const goals = this.goals(slot, view, frame);
    const { value } = this.figures.before(slot, frame).next() as { value?: { numbers: [number, number] | null } };
    const moves = !!value?.numbers && !isIdle(...value.numbers);
    const made = {} as Swings;
    for (const part of PARTS) made[part] = swing(swings[part], goals[part], moves, passed, LAWS[part]);
    return made;
  }
}

/** How fast somebody goes from a frame to the next one, as far as he is there and does not jump. */
export function speedBetween(
  { times }: Frames,
  places: Table<Tables['place']>,
  slot: number,
  frame: number,
): Vector | null {
  const track = places.track(slot);
  const row = track === undefined ? -1 : places.row(track, frame);
  const next = row < 0 || frame + 1 >= times.length ? -1 : places.next(track!, row, frame);
  const seconds = (times[frame + 1] - times[frame]) / 1000;
  if (next < 0 || !(seconds > 0)) return null;
  const { x, y, z } = places.columns;
  const change = (column: Column) => (column.at(next) - column.at(row)) / seconds;
  const speed: Vector = [change(x), change(y), change(z)];
  return speed.every(Number.isFinite) ? speed : null;
}

/** The gait of a figure of Half-Life looks where its feet go; who stands is turned to the view by and by. `frame` and what follows are as in a scene. */
export function gaitYaw(
  tracks: Frames,
  places: Table<Tables['place']>,
  slot: number,
  yaw: number,
  frame: number,
  passed: number,
): number {
  const track = places.track(slot);
  if (track === undefined) return yaw;
  const { times } = tracks;
  const { yaw: yaws } = places.columns;
  const rowAt = (of: number) => (of < times.length ? places.row(track, of) : -1);
  const wayOf = (from: number): number | null => {
    const [x, y] = speedBetween(tracks, places, slot, from) ?? [0, 0];
    return Math.hypot(x, y) > SLOWEST ? (Math.atan2(y, x) * 180) / Math.PI : null;
  };
  const now = wayOf(frame);
  if (now !== null) return now;
  // after two seconds nothing is left of where somebody went
  for (let from = frame - 1; from >= 0 && times[frame] - times[from] < FORGOTTEN; from--) {
    let at = wayOf(from);
    if (at === null) continue;
    for (let next = from + 1; next <= frame; next++) {
      const row = rowAt(next);
      const view = next === frame || row < 0 ? yaw : yaws.at(row);
      const seconds = (next === frame ? passed : times[next + 1] - times[next]) / 1000;
      at += apart(at, view) * (1 - Math.exp(-DRIFT * seconds));
    }
    return at;
  }
  return yaw;
}

/** An angle after some milliseconds on the way to a goal. */
export function swing(
  { angle, swings }: Swing,
  goal: number,
  moves: boolean,
  passed: number,
  [tolerance, most, speed]: (typeof LAWS)[keyof Turn],
): Swing {
  let way = apart(angle, goal);
  let [at, still] = [angle, swings || moves || Math.abs(way) > tolerance];
  if (still) {
    const fast = Math.abs(way) < tolerance / 2 ? 0.5 : Math.abs(way) < tolerance ? 1 : 2;
    const step = passed * fast * speed;
    if (step >= Math.abs(way)) [at, still] = [goal, false];
    else at += Math.sign(way) * step;
  }
  way = apart(at, goal);
  if (Math.abs(way) > most) at = goal - Math.sign(way) * (most - 1);
  return { angle: at, swings: still };
}
