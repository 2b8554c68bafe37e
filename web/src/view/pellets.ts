// What the pellets of shotguns hit: a wall of the level, or somebody. The recording states only how they fly.

import type { Happening } from '../data/happenings';
import type { Replay } from '../data/replay';
import type { Player } from '../data/scene';
import type { Vector } from '../data/vector';
import type { Rays } from '../maps/rays';

/** How far a pellet is followed, and how far at a time: a shorter line meets fewer triangles. */
const [FAR, STEP] = [16384, 1024];
/** The box around a player of Quake III, and its top where the player crouches. */
const [SIDE, BOTTOM, TOP, CROUCHING] = [15, -24, 32, 16];
/** What is known at most. */
const MOST = 8192;
const [RED, DROPS]: [Vector, number] = [[150, 15, 10], 8];

export class Pellets {
  private readonly found = new Map<number, Happening | null>();
  private replay: Replay | null = null;
  private rays: Rays | null = null;

  /** Takes a recording and its level. */
  begin(replay: Replay, rays: Rays | null): void {
    if (replay === this.replay && rays === this.rays && this.found.size < MOST) return;
    [this.replay, this.rays] = [replay, rays];
    this.found.clear();
  }

  /** What happens where a pellet ends, in place of it. Anything else stays as it is. */
  landed(one: Happening): Happening | null {
    if (one.kind !== 'pellet') return one;
    const known = this.found.get(one.number);
    if (known !== undefined) return known;
    const made = this.end(one);
    this.found.set(one.number, made);
    return made;
  }

  private end(one: Happening): Happening | null {
    const { origin, direction } = one;
    if (!this.rays || !origin || !direction) return null;
    const wall = wallOn(origin, direction, this.rays);
    const body = this.replay!.slots.reduce((nearest, slot) => {
      const player = slot === one.subject ? null : this.replay!.playerOf(slot, one.time);
      return Math.min(nearest, player ? toBody(origin, direction, player) : Infinity);
    }, Infinity);
    const at = (far: number) => origin.map((value, axis) => value + direction[axis] * far) as Vector;
    if (body < (wall?.far ?? FAR))
      return { ...one, kind: 'blood', origin: at(body), direction: null, subject: null, color: RED, count: DROPS };
    return wall && { ...one, kind: 'impact', origin: at(wall.far), direction: wall.normal, subject: null };
  }
}

/** The first wall on a way: how far it is, and where it looks. */
function wallOn(from: Vector, way: Vector, rays: Rays): { far: number; normal: Vector } | null {
  const at = (far: number) => from.map((value, axis) => value + way[axis] * far) as Vector;
  for (let far = 0; far < FAR; far += STEP) {
    const hit = rays.hit(at(far), at(far + STEP));
    if (!hit) continue;
    const normal = rays.normal(hit.triangle);
    const isBehind = normal.reduce((sum, value, axis) => sum + value * way[axis], 0) > 0;
    return { far: far + STEP * hit.part, normal: isBehind ? (normal.map((value) => -value) as Vector) : normal };
  }
  return null;
}

/** How far a player's box is on a way. */
function toBody(from: Vector, way: Vector, { origin, alive, spectator, crouching }: Player): number {
  if (!origin || alive === false || spectator) return Infinity;
  const [low, high] = [
    [-SIDE, -SIDE, BOTTOM],
    [SIDE, SIDE, crouching ? CROUCHING : TOP],
  ];
  let [near, far] = [0, Infinity];
  for (let axis = 0; axis < 3; axis++) {
    const ends = [low![axis]!, high![axis]!].map((end) => (origin[axis] + end - from[axis]) / way[axis]);
    // along the box's sides there is no end: it is in between, or never
    if (ends.some(Number.isNaN)) continue;
    near = Math.max(near, Math.min(...ends));
    far = Math.min(far, Math.max(...ends));
  }
  return near <= far ? near : Infinity;
}
