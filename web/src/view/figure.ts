// A figure of our own for players, where no game's model is known: a body in the player's color that walks, looks and holds what he holds.

import type { Player } from '../data/scene';
import type { Vector } from '../data/vector';
import { axes } from './camera';

/** What takes triangles with a color; how bright they are follows from where they look. */
export interface TriangleSink {
  triangle(a: Vector, b: Vector, c: Vector, color: number[]): void;
}

export interface Pose {
  /** Where the feet and the top of the head are, above the player's origin. */
  feet: number;
  top: number;
  /** Units a second over the ground. */
  speed: number;
  /** Milliseconds, for the steps. */
  time: number;
}

/** The figure is made for this height, and stretched to the player's. */
const TALL = 56;
const [HIPS, SHOULDERS, HEAD] = [26, 44, 51];
const STEEL = [92, 98, 110];

/** Weapons as boxes: from, to, half as wide, lower and upper edge, and whether in the color of what they shoot. Forward is the first number. */
type Part = [from: number, to: number, half: number, low: number, high: number, bright?: boolean];
const LONG: Part[] = [
  [-5, 14, 1.3, -1.5, 1.5],
  [14, 22, 0.7, 0, 1.2],
  [-8, -4, 1, -4, 1],
];
const WEAPONS: Record<string, Part[]> = {
  melee: [
    [0, 15, 0.8, -0.8, 0.8],
    [10, 16, 0.6, -5, 5, true],
  ],
  pistol: [
    [2, 10, 1, 0, 2.4],
    [2, 5, 0.9, -4, 0],
  ],
  machine_gun: [
    [-5, 13, 1.5, -1.5, 1.8],
    [13, 22, 0.8, 0, 1.2],
    [3, 6, 1, -7, -1.5],
  ],
  heavy_machine_gun: [
    [-5, 14, 2, -2, 2.2],
    [14, 24, 1.1, -0.4, 1.6],
    [2, 8, 1.8, -7, -2],
  ],
  chaingun: [
    [-5, 8, 2.4, -2.4, 2.4],
    [8, 22, 0.8, 0.8, 2.2],
    [8, 22, 0.8, -2.2, -0.8],
    [2, 7, 2, -7, -2.4],
  ],
  shotgun: [
    [-8, 4, 1.2, -3, 1],
    [2, 22, 0.9, 0, 1.6],
    [8, 15, 1.1, -1.6, 0],
  ],
  super_shotgun: [
    [-8, 4, 1.4, -3, 1],
    [2, 21, 1.8, 0, 1.8],
  ],
  nailgun: [
    [-4, 9, 2, -2, 2],
    [9, 19, 2.2, 0.6, 1.6],
    [9, 19, 2.2, -1.6, -0.6],
  ],
  super_nailgun: [
    [-4, 9, 2.6, -2.6, 2.6],
    [9, 20, 2.8, 1, 2.2],
    [9, 20, 2.8, -2.2, -1],
  ],
  grenade_launcher: [
    [-8, 2, 1.2, -3, 1],
    [0, 17, 2, -2, 2],
    [4, 9, 2.6, -5, -1, true],
  ],
  hand_grenade: [[2, 7, 2.4, -2.4, 2.4, true]],
  rocket_launcher: [
    [-10, 20, 1.9, -1.9, 1.9],
    [-13, -9, 2.7, -2.7, 2.7],
    [18, 23, 2.8, -2.8, 2.8, true],
    [4, 7, 1, -6, -1.9],
  ],
  lightning_gun: [
    [-5, 12, 2, -2.2, 2.2],
    [12, 18, 2.8, 1.4, 2.6, true],
    [12, 18, 2.8, -2.6, -1.4, true],
  ],
  railgun: [
    [-7, 24, 0.9, -0.9, 0.9],
    [0, 8, 2, -3, 2.6],
    [10, 22, 1.4, 1, 2, true],
  ],
  plasma_gun: [
    [-5, 12, 2.2, -2.4, 2.4],
    [12, 19, 1.5, -1.5, 1.5, true],
  ],
  bfg: [
    [-6, 12, 3.4, -3.4, 3.4],
    [12, 20, 2.6, -2.6, 2.6, true],
  ],
  mine: [[2, 8, 3, -1.6, 1.6, true]],
  sniper_rifle: [
    [-8, 8, 1.1, -2.4, 1],
    [6, 28, 0.6, 0, 1.1],
    [-1, 8, 0.9, 1.8, 3.4],
  ],
  assault_rifle: LONG,
  submachine_gun: [
    [-2, 10, 1.3, -1.4, 1.6],
    [10, 15, 0.7, 0, 1],
    [3, 6, 1, -7, -1.4],
  ],
  grapple: [
    [-4, 12, 1.5, -1.5, 1.5],
    [12, 17, 3, -1, 1, true],
  ],
};
const SHOTS: Record<string, number[]> = {
  lightning_gun: [150, 190, 255],
  railgun: [80, 230, 120],
  plasma_gun: [110, 140, 255],
  bfg: [110, 255, 110],
  rocket_launcher: [200, 90, 60],
  grapple: [200, 200, 90],
};

/** From a part's own space into the figure's, or into the level. */
type Place = (point: Vector) => Vector;

/** A figure that looks along the first axis, with its feet's height as it is in the level. */
export interface Figure {
  /** Nine numbers a triangle. */
  points: Float32Array;
  /** Three numbers a triangle: where it looks. */
  normals: Float32Array;
  colors: Uint8Array;
}

/** Figures that were made: few steps of a walk look different. */
const made = new Map<string, Figure>();
const MOST_MADE = 600;
/** Steps of a walk, and degrees of a nod. */
const [STEPS, NOD] = [24, 6];

/** The figure of a player. The caller turns it by the player's yaw and moves it to the player's place. */
export function figureOf(player: Player, color: number[], pose: Pose): Figure {
  const isDead = player.alive === false;
  const pitch = isDead ? 0 : Math.round((player.angles?.[0] ?? 0) / NOD) * NOD;
  const stride = isDead ? 0.15 : Math.round(Math.min(1, pose.speed / 300) * 4) / 4;
  const step = stride ? Math.floor((((pose.time / 1000) * 13) / (Math.PI * 2)) * STEPS) % STEPS : 0;
  const weapon = isDead ? '' : (player.weapon?.common ?? player.weapon?.own ?? '');
  const key = [color, pose.feet, pose.top, isDead, pitch, stride, step, weapon].join();
  let figure = made.get(key);
  if (!figure) {
    if (made.size >= MOST_MADE) made.clear();
    figure = build(player, color, pose, isDead, pitch, Math.sin((step / STEPS) * Math.PI * 2) * stride);
    made.set(key, figure);
  }
  return figure;
}

function build(player: Player, color: number[], pose: Pose, isDead: boolean, pitch: number, swing: number): Figure {
  const [points, normals, colors]: [number[], number[], number[]] = [[], [], []];
  const pen: TriangleSink = {
    triangle(a, b, c, color) {
      points.push(...a, ...b, ...c);
      normals.push(...normal(a, b, c));
      colors.push(...color.map((value) => Math.min(255, value)));
    },
  };
  const scale = (pose.top - pose.feet) / TALL;
  // who is dead lies on his back
  const place: Place = ([forward, left, up]) =>
    isDead ? [TALL / 2 - up, left, pose.feet + forward * 0.8 + 5] : [forward, left, pose.feet + up * scale];
  const shade = (by: number) => color.map((value) => value * by);
  for (const side of [-1, 1]) leg(pen, place, side, swing * side, shade(0.62));
  // hips, chest, and what one sees of him from above: shoulders
  limb(pen, place, [0, 0, HIPS - 4], [0, 0, HIPS + 4], [4, 5.5], [4.4, 5], shade(0.5));
  limb(pen, place, [0, 0, HIPS + 3], [0.5, 0, SHOULDERS + 1], [4.2, 5], [5.2, 8], color);
  limb(pen, place, [0, 0, SHOULDERS + 1], [0.5, 0, SHOULDERS + 3], [5.2, 8], [2.4, 3], shade(1.12));
  head(pen, place, pitch, color);
  arms(pen, place, player, isDead ? 80 : pitch, shade(0.78));
  return { points: Float32Array.from(points), normals: Float32Array.from(normals), colors: Uint8Array.from(colors) };
}

/** Where a triangle looks. */
export function normal(a: Vector, b: Vector, c: Vector): Vector {
  const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
  const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const length = Math.hypot(nx, ny, nz) || 1;
  return [nx / length, ny / length, nz / length];
}

function leg(pen: TriangleSink, place: Place, side: number, swing: number, color: number[]): void {
  const hip: Vector = [0, side * 3.2, HIPS - 2];
  const knee: Vector = [2 + swing * 7, side * 3.8, 13 + Math.max(0, swing) * 3];
  const foot: Vector = [swing * 11 - Math.max(0, -swing) * 2, side * 4.2, 2 + Math.max(0, -swing) * 5];
  limb(pen, place, hip, knee, [3.2, 3], [2.5, 2.3], color);
  limb(pen, place, knee, foot, [2.4, 2.2], [1.9, 1.9], color);
  limb(
    pen,
    place,
    [foot[0] - 1.5, foot[1], foot[2] - 1],
    [foot[0] + 5, foot[1], foot[2] - 1.2],
    [1.4, 2.2],
    [1, 1.9],
    color.map((value) => value * 0.6),
  );
}

/** A head with a dark visor: one sees where he looks. */
function head(pen: TriangleSink, place: Place, pitch: number, color: number[]): void {
  const nod = (Math.max(-60, Math.min(60, pitch)) * Math.PI) / 180;
  const turned = ([forward, left, up]: Vector): Vector =>
    place([
      forward * Math.cos(nod) + up * Math.sin(nod) + 1,
      left,
      HEAD + up * Math.cos(nod) - forward * Math.sin(nod),
    ]);
  const pale = color.map((value) => value * 0.45 + 130);
  limb(pen, turned, [0, 0, -5], [0, 0, -1], [3, 2.8], [4.4, 4], pale);
  limb(pen, turned, [0, 0, -1], [0, 0, 3], [4.4, 4], [4.2, 3.8], pale);
  limb(pen, turned, [0, 0, 3], [0, 0, 5], [4.2, 3.8], [1.8, 1.6], pale);
  box(pen, turned, 2.6, 5, 2.9, -0.6, 2, [26, 30, 38]);
}

function arms(pen: TriangleSink, place: Place, player: Player, pitch: number, color: number[]): void {
  const [forward, left, up] = axes([Math.max(-75, Math.min(75, pitch)), 0, 0]);
  const grip: Vector = [3, -4.5, SHOULDERS - 6];
  const held: Place = ([f, l, u]) =>
    place([0, 1, 2].map((axis) => grip[axis] + (f + 4) * forward[axis] + l * left[axis] + u * up[axis]) as Vector);
  const at = (f: number, l: number, u: number): Vector =>
    [0, 1, 2].map((axis) => grip[axis] + (f + 4) * forward[axis] + l * left[axis] + u * up[axis]) as Vector;
  for (const [side, hand] of [
    [-1, at(0, -0.5, -1.5)],
    [1, at(9, 1, -1.5)],
  ] as [number, Vector][]) {
    const shoulder: Vector = [0.5, side * 8, SHOULDERS - 0.5];
    const elbow: Vector = [
      (shoulder[0] + hand[0]) / 2 - 2,
      (shoulder[1] + hand[1]) / 2 + side * 2.5,
      (shoulder[2] + hand[2]) / 2 - 4,
    ];
    limb(pen, place, shoulder, elbow, [2.5, 2.5], [2, 2], color);
    limb(pen, place, elbow, hand, [2, 2], [1.5, 1.5], color);
  }
  if (player.alive === false || !player.weapon) return;
  const common = player.weapon.common ?? '';
  for (const [from, to, half, low, high, isBright] of WEAPONS[common] ?? LONG)
    box(pen, held, from, to, half, low, high, isBright ? (SHOTS[common] ?? [190, 150, 90]) : STEEL);
}

const SIDES = 6;

/** A limb between two places: a prism that grows wider or narrower; its first radius is along the body or upwards, the second across. */
function limb(
  pen: TriangleSink,
  place: Place,
  from: Vector,
  to: Vector,
  [a1, b1]: [number, number],
  [a2, b2]: [number, number],
  color: number[],
): void {
  const way: Vector = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
  const length = Math.hypot(...way) || 1;
  // across is left where the limb is upright or lies forward
  const first: Vector = Math.abs(way[2]) > length * 0.5 ? [1, 0, 0] : [0, 0, 1];
  const ring = (middle: Vector, a: number, b: number): Vector[] =>
    Array.from({ length: SIDES }, (_, side) => {
      const angle = ((side + 0.5) / SIDES) * Math.PI * 2;
      const [along, across] = [Math.cos(angle) * a, Math.sin(angle) * b];
      return place([middle[0] + first[0] * along, middle[1] + across, middle[2] + first[2] * along]);
    });
  const [low, high] = [ring(from, a1, b1), ring(to, a2, b2)];
  for (let side = 0; side < SIDES; side++) {
    const next = (side + 1) % SIDES;
    pen.triangle(low[side], low[next], high[next], color);
    pen.triangle(low[side], high[next], high[side], color);
    if (side > 1) {
      pen.triangle(low[0], low[side], low[side - 1], color);
      pen.triangle(high[0], high[side - 1], high[side], color);
    }
  }
}

const FACES: [number, number, number, number][] = [
  [0, 1, 3, 2],
  [4, 6, 7, 5],
  [0, 4, 5, 1],
  [2, 3, 7, 6],
  [0, 2, 6, 4],
  [1, 5, 7, 3],
];

function box(
  pen: TriangleSink,
  place: Place,
  from: number,
  to: number,
  half: number,
  low: number,
  high: number,
  color: number[],
): void {
  const corners = Array.from({ length: 8 }, (_, corner) =>
    place([corner & 4 ? to : from, corner & 2 ? half : -half, corner & 1 ? high : low]),
  );
  for (const [a, b, c, d] of FACES) {
    pen.triangle(corners[a], corners[b], corners[c], color);
    pen.triangle(corners[a], corners[c], corners[d], color);
  }
}

/** Items and the like: two pyramids on each other, or a cross for what heals. */
export function drawThing(
  pen: TriangleSink,
  [x, y, z]: Vector,
  common: string | undefined,
  size: number,
  color: number[],
  turn: number,
): void {
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  const place: Place = ([forward, left, up]) => [
    x + forward * cos - left * sin,
    y + forward * sin + left * cos,
    z + up,
  ];
  if (common?.includes('health')) {
    box(pen, place, -size * 0.3, size * 0.3, size, -size * 0.35, size * 0.35, color);
    box(pen, place, -size * 0.3, size * 0.3, size * 0.35, -size, size, color);
  } else if (common?.endsWith('_flag')) {
    box(pen, place, -1, 1, 1, -20, 34, [200, 205, 215]);
    for (const across of [0.3, -0.3])
      pen.triangle(place([1, across, 34]), place([24, across, 26]), place([1, across, 16]), color);
  } else if (WEAPONS[common ?? '']) {
    for (const [from, to, half, low, high, isBright] of WEAPONS[common!])
      box(pen, place, (from - 6) * 1.2, (to - 6) * 1.2, half * 1.2, low * 1.2, high * 1.2, isBright ? color : STEEL);
  } else {
    const [top, bottom] = [place([0, 0, size * 1.2]), place([0, 0, -size * 1.2])];
    const ring = [0, 1, 2, 3].map((corner) =>
      place([Math.cos((corner * Math.PI) / 2) * size, Math.sin((corner * Math.PI) / 2) * size, 0]),
    );
    ring.forEach((one, at) => {
      const next = ring[(at + 1) % 4];
      pen.triangle(one, next, top, color);
      pen.triangle(next, one, bottom, color);
    });
  }
}
