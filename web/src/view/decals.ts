// Decals that recordings of Half-Life state: pictures on the faces of the map around a place, as the game cuts them out.

import { ENTITY } from '../data/layout';
import type { Happening } from '../data/happenings';
import type { Replay } from '../data/replay';
import type { Scene } from '../data/scene';
import type { Vector } from '../data/vector';
import type { ModelStore } from '../files/modelstore';
import type { Level, Picture } from '../maps/format';
import { brightOn } from '../maps/probe';
import type { Rays } from '../maps/rays';
import type { Billboards } from './billboards';
import { type Kind, ownPicture } from './marks';
import { type Moved, UNMOVED } from './moved';

/** The latest that are drawn: what the game keeps by default. */
const MOST = 300;
/** How far from its faces a decal may be, and how far before them it is drawn. */
const [NEAR, APART] = [4, 0.25];
/** Without the game's file: what a decal looks like by its name, and half of its side. */
const OWN: readonly [name: RegExp, kind: Kind, radius: number][] = [
  [/^\{(big)?shot/i, 'hole', 8],
  [/^\{(scorch|bigblow|smscorch|gaussshot)/i, 'scorch', 32],
  [/^\{y?bl(oo)?d/i, 'blood', 16],
];

/** A part of a face that a decal covers: corners, and where in the picture each is. */
interface Patch {
  corners: Vector[];
  texels: [number, number][];
}

interface Decal {
  picture: Picture;
  patches: Patch[];
  moved: Moved;
  /** The number of the entity that it is on. */
  entity: number | null;
}

export class Decals {
  private readonly made = new Map<string, Decal | null>();
  private replay: Replay | null = null;
  private rays: Rays | null = null;

  /** Adds all of a time. */
  add(boards: Billboards, replay: Replay, scene: Scene, level: Level, rays: Rays, models: ModelStore | null): void {
    if (replay !== this.replay || rays !== this.rays) {
      [this.replay, this.rays] = [replay, rays];
      this.made.clear();
    }
    for (const one of replay.happenings.decalsAt(scene.time, scene.level, MOST)) {
      const part = one.subject === null ? null : partOf(one.subject, scene);
      // what it is on is gone
      if (part && (part.number < 0 || !level.parts[part.number])) continue;
      const found = pictureOf(one.picture!, models);
      if (!found) continue;
      const key = `${one.number} ${found.isGame}`;
      let decal = this.made.get(key);
      if (decal === undefined) {
        decal = this.make(one, level, rays, found, part);
        this.made.set(key, decal);
      }
      if (!decal) continue;
      const { picture, moved } = decal;
      for (const { corners, texels } of decal.patches)
        boards.patch(picture, part ? corners.map((corner) => sum(corner, part.origin)) : corners, texels, moved);
    }
  }

  private make(
    { origin, time, subject }: Happening,
    level: Level,
    rays: Rays,
    { picture, size }: Found,
    part: Part | null,
  ): Decal | null {
    // on what moves, it keeps its place
    const then = part && subject !== null ? (this.replay!.entityPlace(subject - ENTITY, time) ?? part.origin) : null;
    const place = then ? (origin!.map((value, axis) => value - then[axis]) as Vector) : origin!;
    const reach = Math.hypot(...size);
    const triangles = part ? trianglesOf(level, part.number) : rays.near(place, reach);
    const patches: Patch[] = [];
    let bright: Vector | null = null;
    for (const first of triangles) {
      const patch = patchOn(level, first, place, size);
      if (!patch) continue;
      patches.push(patch);
      bright ??= brightOn(level, first, place);
    }
    return patches.length
      ? { picture, patches, moved: { ...UNMOVED, plain: true, dye: [...(bright ?? WHITE), 1] }, entity: subject }
      : null;
  }
}

const WHITE: Vector = [1, 1, 1];
const sum = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

interface Found {
  picture: Picture;
  /** Units to either side, and up and down, from the middle. */
  size: [number, number];
  isGame: boolean;
}

function pictureOf(name: string, models: ModelStore | null): Found | null {
  const game = models?.decal(name.toLowerCase());
  if (game) return { picture: game, size: [game.width / 2, game.height / 2], isGame: true };
  const own = OWN.find(([pattern]) => pattern.test(name));
  return own ? { picture: ownPicture(own[1]), size: [own[2], own[2]], isGame: false } : null;
}

interface Part {
  number: number;
  origin: Vector;
}

/** The part of the map that an entity is, and where it is now. */
function partOf(subject: number, { entities }: Scene): Part {
  const { model, origin } = entities.find(({ number }) => number === subject - ENTITY) ?? {};
  return { number: model?.startsWith('*') && origin ? Number(model.slice(1)) : -1, origin: origin ?? [0, 0, 0] };
}

/** Where in the indices the triangles of a part are. */
function trianglesOf({ parts }: Level, number: number): number[] {
  const { first, count } = parts[number]!;
  return Array.from({ length: count / 3 }, (_, triangle) => first + triangle * 3);
}

/** What a decal covers of a triangle, whose own picture says which way is right and down. */
function patchOn(level: Level, first: number, place: Vector, [wide, high]: [number, number]): Patch | null {
  const { positions, indices, texels } = level;
  const numbers = [0, 1, 2].map((corner) => indices[first + corner]!);
  const corners = numbers.map((at) => [...positions.subarray(at * 3, at * 3 + 3)] as Vector);
  const [u, v] = [1, 2].map((end) => corners[end]!.map((value, axis) => value - corners[0]![axis]) as Vector) as [
    Vector,
    Vector,
  ];
  // faces go clockwise, seen from the front
  const normal: Vector = [v[1] * u[2] - v[2] * u[1], v[2] * u[0] - v[0] * u[2], v[0] * u[1] - v[1] * u[0]];
  const area = Math.hypot(...normal);
  if (!area) return null;
  for (const axis of [0, 1, 2] as const) normal[axis] /= area;
  const from = place.map((value, axis) => value - corners[0]![axis]) as Vector;
  if (Math.abs(dot(from, normal)) >= NEAR) return null;
  const [right, down] = [0, 1].map((axis) => {
    const [a, b, c] = numbers.map((at) => texels[at * 2 + axis]!) as [number, number, number];
    return gradient(u, v, b - a, c - a);
  });
  if (!right || !down) return null;
  let shape = corners.map((corner) => {
    const way = corner.map((value, axis) => value - place[axis]) as Vector;
    return { corner, s: dot(way, right) / (2 * wide) + 0.5, t: dot(way, down) / (2 * high) + 0.5 };
  });
  for (const [key, sign] of [
    ['s', 1],
    ['s', -1],
    ['t', 1],
    ['t', -1],
  ] as const) {
    const inside = (one: (typeof shape)[number]) => (sign > 0 ? one[key] : 1 - one[key]);
    shape = shape.flatMap((one, at) => {
      const next = shape[(at + 1) % shape.length]!;
      const [here, there] = [inside(one), inside(next)];
      const kept = here >= 0 ? [one] : [];
      if (here >= 0 === there >= 0) return kept;
      const part = here / (here - there);
      const mix = (a: number, b: number) => a + (b - a) * part;
      return [
        ...kept,
        {
          corner: one.corner.map((value, axis) => mix(value, next.corner[axis])) as Vector,
          s: mix(one.s, next.s),
          t: mix(one.t, next.t),
        },
      ];
    });
    if (shape.length < 3) return null;
  }
  return {
    corners: shape.map(({ corner }) => corner.map((value, axis) => value + normal[axis] * APART) as Vector),
    texels: shape.map(({ s, t }) => [s, t]),
  };
}

/** The direction in a triangle in which a number grows that is so much larger at the ends of two of its sides. */
function gradient(u: Vector, v: Vector, atU: number, atV: number): Vector | null {
  const [uu, uv, vv] = [dot(u, u), dot(u, v), dot(v, v)];
  const [a, b] = [atU * vv - atV * uv, atV * uu - atU * uv];
  const way = u.map((value, axis) => value * a + v[axis] * b) as Vector;
  const length = Math.hypot(...way);
  return length > 0 ? (way.map((value) => value / length) as Vector) : null;
}
