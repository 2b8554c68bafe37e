// Marks that hits leave on walls: holes, scorches, and blood. They are quads on the wall, and only where the wall is as wide as they are.

import type { Replay } from '../data/replay';
import type { Scene } from '../data/scene';
import type { Vector } from '../data/vector';
import type { Happening } from '../data/happenings';
import type { Rays } from '../maps/rays';
import type { Picture } from '../maps/format';
import type { ModelStore } from '../files/modelstore';
import type { Billboards } from './billboards';
import { anyway, chance } from './chance';
import { type Moved, UNMOVED, layersAt } from './moved';

/** The latest that are drawn, how long each lasts, and how long it fades at the end. */
const [MOST, LIFE, FADE] = [64, 10_000, 1000];
/** How far from a wall something hits it, and how far blood flies. */
const [NEAR, FAR] = [24, 96];
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

/** Games that have marks, and what they are drawn with where the files are there. */
type Kind = 'hole' | 'scorch' | 'stain' | 'blood';
/** Of `decals.wad` of Half-Life: what the names of a kind begin with, how many there are, and how large they are from the middle. */
const DECALS: Partial<Record<Kind, [name: string, count: number, radius: number]>> = {
  hole: ['{shot', 5, 8],
  scorch: ['{scorch', 3, 32],
  blood: ['{blood', 6, 16],
};
const SHADERS: Record<Kind, string> = {
  hole: 'gfx/damage/bullet_mrk',
  scorch: 'gfx/damage/burn_med_mrk',
  stain: 'gfx/damage/plasma_mrk',
  blood: '',
};

interface Mark {
  kind: Kind;
  number: number;
  time: number;
  corners: Vector[];
}

/** What leaves a mark in a game, and how large it is. */
function markOf({ kind, color, size, number }: Happening, format: string): { kind: Kind; radius: number } | null {
  if (format !== 'Quake III' && format !== 'Half-Life') return null;
  if (kind === 'impact') return { kind: 'hole', radius: format === 'Quake III' ? (size ?? 8) : 2.5 };
  if (kind === 'explosion' && format === 'Half-Life') return { kind: 'scorch', radius: 32 };
  if (kind === 'explosion')
    return (size ?? 0) >= 48
      ? { kind: 'scorch', radius: color && color[1] > color[0] ? 32 : 64 }
      : { kind: 'stain', radius: size ?? 16 };
  if (kind === 'blood' && format === 'Half-Life') return { kind: 'blood', radius: 5 + 5 * chance(number, 3) };
  return null;
}

export class Marks {
  /** By the number of what made them: where they are, or nothing where there is no wall. */
  private readonly found = new Map<number, Mark | null>();
  private readonly whole = new WeakMap<Picture, Moved>();
  private replay: Replay | null = null;
  private rays: Rays | null = null;
  private frame = -1;
  private hasDecals = false;
  private shown: Mark[] = [];

  /** Adds the marks of a time. */
  add(boards: Billboards, replay: Replay, scene: Scene, rays: Rays, format: string, models: ModelStore | null): void {
    const hasDecals = format === 'Half-Life' && !!models?.decal(`${DECALS.hole![0]}1`);
    if (replay !== this.replay || rays !== this.rays || hasDecals !== this.hasDecals) {
      [this.replay, this.rays, this.frame, this.hasDecals] = [replay, rays, -1, hasDecals];
      this.found.clear();
    }
    // which there are changes with the recording's frames
    if (scene.frame !== this.frame) {
      this.frame = scene.frame;
      const latest = replay.happenings
        .between(scene.time - LIFE, scene.time)
        .filter((one) => one.origin && markOf(one, format))
        .slice(-MOST);
      this.shown = latest.flatMap((one) => this.mark(one, rays, format) ?? []);
    }
    for (const { kind, number, time, corners } of this.shown) {
      const left = Math.min(1, (LIFE - (scene.time - time)) / FADE);
      if (left <= 0 || time > scene.time) continue;
      const game = hasDecals
        ? decalOf(models!, kind, number)
        : SHADERS[kind]
          ? models?.layers(SHADERS[kind])?.[0]
          : null;
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

  private mark(one: Happening, rays: Rays, format: string): Mark | null {
    const known = this.found.get(one.number);
    if (known !== undefined) return known;
    if (this.found.size > MOST * 64) this.found.clear();
    const { kind, radius: own } = markOf(one, format)!;
    const radius = this.hasDecals ? (DECALS[kind]?.[2] ?? own) : own;
    const wall = wallAt(one, rays, kind);
    const corners = wall && (around(wall, radius, one.number, rays) ?? around(wall, radius / 2, one.number, rays));
    const made = corners && { kind, number: one.number, time: one.time, corners };
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
function wallAt({ origin, direction, number }: Happening, rays: Rays, kind: Kind): Wall | null {
  const place = origin!;
  if (kind === 'blood') {
    const way = anyway(number, 11);
    const part = rays.free(place, moved(place, way, FAR));
    // blood lies on floors and hangs on walls that are straight
    const axis = [0, 1, 2].reduce((best, one) => (Math.abs(way[one]) > Math.abs(way[best]) ? one : best), 0);
    return part < 1
      ? {
          place: moved(place, way, FAR * part),
          normal: [0, 1, 2].map((one) => (one === axis ? -Math.sign(way[one]) : 0)) as Vector,
        }
      : null;
  }
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

/** One of the decals of a kind, by chance. */
function decalOf(models: ModelStore, kind: Kind, number: number): Picture | null {
  const [name, count] = DECALS[kind] ?? [];
  return name ? models.decal(`${name}${1 + Math.floor(chance(number, 9) * count!)}`) : null;
}

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
function ownPicture(kind: Kind): Picture {
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
