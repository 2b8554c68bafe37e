// Marks that hits leave on walls in Quake III: holes and scorches. They are quads on the wall, and only where the wall is as wide as they are.

import type { Replay } from '../data/replay';
import type { Scene } from '../data/scene';
import type { Vector } from '../data/vector';
import type { Happening } from '../data/happenings';
import type { Rays } from '../maps/rays';
import type { Picture } from '../maps/format';
import type { ModelStore } from '../files/modelstore';
import type { Billboards } from './billboards';
import { chance } from './chance';
import { type Moved, UNMOVED, layersAt } from './moved';
import type { Pellets } from './pellets';

/** The latest that are drawn, how long each lasts, and how long it fades at the end. */
const [MOST, LIFE, FADE] = [64, 10_000, 1000];
/** How far from a wall something hits it. */
const NEAR = 24;
/** How far from its wall a mark is. */
const APART = 0.25;
const WAYS: Vector[] = [
  [0, 0, -1],
  [0, 0, 1],
  [1, 0, 0],
  [-1, 0, 0],
  [0, 1, 0],
  [0, -1, 0],
];

/** Our own marks, and the shaders of those of Quake III. */
export type Kind = 'hole' | 'scorch' | 'stain' | 'blood';
const SHADERS: Partial<Record<Kind, string>> = {
  hole: 'gfx/damage/bullet_mrk',
  scorch: 'gfx/damage/burn_med_mrk',
  stain: 'gfx/damage/plasma_mrk',
};

interface Mark {
  kind: Kind;
  time: number;
  corners: Vector[];
}

/** What leaves a mark, and how large it is. */
function markOf({ kind, color, size }: Happening): { kind: Kind; radius: number } | null {
  if (kind === 'impact') return { kind: 'hole', radius: size ?? 8 };
  if (kind !== 'explosion') return null;
  return (size ?? 0) >= 48
    ? { kind: 'scorch', radius: color && color[1] > color[0] ? 32 : 64 }
    : { kind: 'stain', radius: size ?? 16 };
}

export class Marks {
  /** By the number of what made them: where they are, or nothing where there is no wall. */
  private readonly found = new Map<number, Mark | null>();
  private readonly whole = new WeakMap<Picture, Moved>();
  private replay: Replay | null = null;
  private rays: Rays | null = null;
  private frame = -1;
  private shown: Mark[] = [];

  /** Adds the marks of a time. */
  add(boards: Billboards, replay: Replay, scene: Scene, rays: Rays, models: ModelStore | null, pellets: Pellets): void {
    if (replay !== this.replay || rays !== this.rays) {
      [this.replay, this.rays, this.frame] = [replay, rays, -1];
      this.found.clear();
    }
    // which there are changes with the recording's frames
    if (scene.frame !== this.frame) {
      this.frame = scene.frame;
      const latest = replay.happenings
        .between(scene.time - LIFE, scene.time)
        .filter((one) => one.origin && (one.kind === 'pellet' || markOf(one)))
        // some pellets leave no mark
        .slice(-MOST * 2)
        .flatMap((one) => pellets.landed(one) ?? [])
        .filter(markOf)
        .slice(-MOST);
      this.shown = latest.flatMap((one) => this.mark(one, rays) ?? []);
    }
    for (const { kind, time, corners } of this.shown) {
      const left = Math.min(1, (LIFE - (scene.time - time)) / FADE);
      if (left <= 0 || time > scene.time) continue;
      const game = models?.layers(SHADERS[kind]!)?.[0];
      boards.add(
        game ?? ownPicture(kind),
        corners,
        game ? this.faded(game, left) : left < 1 ? { ...WHOLE, dye: [1, 1, 1, left] } : WHOLE,
      );
    }
  }

  /** A mark of the game, as much of it as is left. Those that are whole are one, so that they are drawn together. */
  private faded(game: Picture, left: number): Moved {
    if (left < 1) return faded(game, left);
    const known = this.whole.get(game) ?? faded(game, 1);
    this.whole.set(game, known);
    return known;
  }

  private mark(one: Happening, rays: Rays): Mark | null {
    const known = this.found.get(one.number);
    if (known !== undefined) return known;
    if (this.found.size > MOST * 64) this.found.clear();
    const { kind, radius } = markOf(one)!;
    const wall = wallAt(one, rays);
    const corners = wall && (around(wall, radius, one.number, rays) ?? around(wall, radius / 2, one.number, rays));
    const made = corners && { kind, time: one.time, corners };
    this.found.set(one.number, made);
    return made;
  }
}

interface Wall {
  place: Vector;
  normal: Vector;
}

const moved = (place: Vector, way: Vector, by: number): Vector => [
  place[0] + way[0] * by,
  place[1] + way[1] * by,
  place[2] + way[2] * by,
];

/** The wall that is hit: where the recording says how it looks, or the nearest one. */
function wallAt({ origin, direction }: Happening, rays: Rays): Wall | null {
  const place = origin!;
  if (direction) {
    const from = moved(place, direction, 4);
    const part = rays.free(from, moved(from, direction, -NEAR));
    return part < 1 ? { place: moved(from, direction, -NEAR * part), normal: direction } : null;
  }
  let nearest: Wall | null = null;
  let least = 1;
  for (const way of WAYS) {
    const part = rays.free(place, moved(place, way, NEAR));
    if (part < least)
      [least, nearest] = [
        part,
        { place: moved(place, way, NEAR * part), normal: way.map((value) => -value) as Vector },
      ];
  }
  return nearest;
}

/** The corners of a quad on a wall, turned by chance; nothing where the wall does not go so far. */
function around({ place, normal }: Wall, radius: number, number: number, rays: Rays): Vector[] | null {
  const [x, y, z] = normal;
  const side: Vector = Math.abs(z) > 0.9 ? [1, 0, 0] : [0, 0, 1];
  const across: Vector = [y * side[2] - z * side[1], z * side[0] - x * side[2], x * side[1] - y * side[0]];
  const length = Math.hypot(...across) || 1;
  const right = across.map((value) => value / length) as Vector;
  const up: Vector = [y * right[2] - z * right[1], z * right[0] - x * right[2], x * right[1] - y * right[0]];
  const turn = chance(number, 5) * Math.PI * 2;
  const corners: Vector[] = [];
  for (let corner = 0; corner < 4; corner++) {
    const angle = turn + (corner * Math.PI) / 2;
    const at = moved(
      moved(moved(place, right, Math.cos(angle) * radius * Math.SQRT2), up, Math.sin(angle) * radius * Math.SQRT2),
      normal,
      APART,
    );
    // the wall has to be just behind it
    if (rays.free(moved(at, normal, 1), moved(at, normal, -2)) === 1) return null;
    corners.push(at);
  }
  return corners;
}

const WHOLE: Moved = { ...UNMOVED, plain: true };

/** A mark of the game, as much of it as is left. */
function faded({ motion, blend }: Picture, left: number): Moved {
  const moved = layersAt({ motion: motion ?? null, frames: [], switched: [], rate: 0, blend }, 0, true);
  const isFilter = blend?.[0] === 'DST_COLOR';
  return {
    ...moved,
    plain: true,
    dye: moved.dye.map((value, channel) => (channel === 3 || !isFilter ? value * left : value)) as Moved['dye'],
  };
}

const own = new Map<Kind, Picture>();
const SIDE = 32;

/** Marks of our own: dark in the middle, ragged at the edge. */
export function ownPicture(kind: Kind): Picture {
  const known = own.get(kind);
  if (known) return known;
  const pixels = new Uint8Array(SIDE * SIDE * 4);
  const color = kind === 'blood' ? [90, 8, 6] : [12, 10, 9];
  const dense = kind === 'scorch' ? 0.75 : 0.9;
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const [dx, dy] = [(x + 0.5) / SIDE - 0.5, (y + 0.5) / SIDE - 0.5];
      const spoke = Math.floor((Math.atan2(dy, dx) / Math.PI) * 8) + 8;
      const reach = kind === 'hole' ? 0.4 : 0.3 + 0.18 * chance(spoke, kind.length);
      const seen = Math.max(0, 1 - Math.hypot(dx, dy) / reach);
      pixels.set([...color, 255 * Math.min(dense, seen * (kind === 'scorch' ? 1.2 : 3))], (y * SIDE + x) * 4);
    }
  }
  const made: Picture = {
    width: SIDE,
    height: SIDE,
    pixels,
    cut: 0,
    blend: ['SRC_ALPHA', 'ONE_MINUS_SRC_ALPHA'],
    both: true,
    hidden: false,
    scale: [1, 1],
  };
  own.set(kind, made);
  return made;
}
