// A plan of a level that nobody has the map of: where players ever stood, by height.

import type { Replay } from '../data/replay';
import { TELEPORTED } from '../data/layout';
import type { Box, Vector } from '../data/vector';
import { flat } from './software';

/** Units a cell of the plan is wide, and a layer high. */
const CELL = 16;
const LAYER = 48;
/** Farther than that in one step is no walk. */
const STEP = 160;
const MOST_CELLS = 1024;
/** Beyond every map. */
const FARTHEST = 65536;

export interface Layer {
  z: number;
  /** The part of the plan that the layer has anything in: its lowest cells, from the west and the south. */
  left: number;
  bottom: number;
  picture: HTMLCanvasElement;
}

export interface Footprint {
  box: Box;
  cell: number;
  /** Cells from west to east, and from south to north. */
  width: number;
  height: number;
  layers: Layer[];
  /** The layers as they were drawn last, in one picture: one for each would be drawn dozens of times over. */
  drawn?: { near: string; picture: HTMLCanvasElement };
  /** Where somebody stood, three numbers for each cell: its place from the west and from the south, and the height of the ground there. */
  cells: Float32Array;
}

/** Where somebody was in the cells of a layer, and the lowest that he stood there. */
interface Grid {
  left: number;
  bottom: number;
  width: number;
  height: number;
  counts: Uint8Array;
  grounds: Float32Array;
}

/** How far a player's origin is above the ground. */
const STANDS = 24;

/** The rows of each player's places that begin in a level: of a long recording of many levels they are few. */
function rowsOf(replay: Replay, level: number): [number, number][] {
  const [first, end] = replay.framesOf(level);
  const { starts, ends, frames, keys } = replay.tracks.tables.place;
  const rowAt = (track: number, frame: number) => {
    let [low, high] = [starts[track], ends[track]];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (frames.at(middle) < frame) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return [...keys.keys()].map((track) => [rowAt(track, first), rowAt(track, end)]);
}

/** What players and things of a level fill. */
export function bounds(replay: Replay, level: number): Box | null {
  const extent = replay.extentOf(level);
  if (!extent) return null;
  const box: Box = { min: [...extent.min], max: [...extent.max] };
  for (const axis of [0, 1]) {
    box.min[axis] -= 128;
    box.max[axis] += 128;
  }
  return box;
}

/** The number of places that make the plan of a level. */
export const placesIn = (replay: Replay, level: number): number =>
  rowsOf(replay, level).reduce((sum, [from, to]) => sum + to - from, 0);

/** A plan without anything on it, until the real one is there. */
export const blank = (box: Box): Footprint => ({
  box,
  cell: CELL,
  width: 1,
  height: 1,
  layers: [],
  cells: new Float32Array(),
});

/** The plan of a level. */
export function footprint(replay: Replay, level: number): Footprint | null {
  const steps = planning(replay, level);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Rows and cells between two pauses. */
const STRETCH = 4096;

/** Makes the plan of a level with pauses, in which the page has its turn. */
export function* planning(replay: Replay, level: number): Generator<void, Footprint | null> {
  const box = bounds(replay, level);
  if (!box) return null;
  const wide = Math.max(box.max[0] - box.min[0], box.max[1] - box.min[1]);
  const cell = Math.max(CELL, Math.ceil(wide / MOST_CELLS));
  const [width, height] = [
    Math.ceil((box.max[0] - box.min[0]) / cell) + 1,
    Math.ceil((box.max[1] - box.min[1]) / cell) + 1,
  ];
  const radius = Math.max(1, Math.round(28 / cell));
  const visited = yield* walked(replay, level, cell, box);
  // how far each layer reaches comes first: most are a small part of the plan
  const reach = new Map<number, [number, number, number, number]>();
  for (const place of visited.keys()) {
    const [cx, cy, layer] = placeOf(place);
    const known = reach.get(layer);
    if (!known) reach.set(layer, [cx, cy, cx, cy]);
    else {
      known[0] = Math.min(known[0], cx);
      known[1] = Math.min(known[1], cy);
      known[2] = Math.max(known[2], cx);
      known[3] = Math.max(known[3], cy);
    }
  }
  const grids = new Map<number, Grid>();
  for (const [layer, [west, south, east, north]] of reach) {
    const [left, bottom] = [Math.max(0, west - radius), Math.max(0, south - radius)];
    const size = {
      width: Math.min(width, east + radius + 1) - left,
      height: Math.min(height, north + radius + 1) - bottom,
    };
    const cells = size.width * size.height;
    grids.set(layer, {
      left,
      bottom,
      ...size,
      counts: new Uint8Array(cells),
      grounds: new Float32Array(cells).fill(Infinity),
    });
  }
  let count = 0;
  for (const [place, ground] of visited) {
    const [cx, cy, layer] = placeOf(place);
    mark(grids.get(layer)!, cx, cy, ground, radius);
    if (++count % STRETCH === 0) yield;
  }
  const heights = [...grids.keys()].sort((a, b) => a - b);
  const [low, high] = [heights[0] ?? 0, heights[heights.length - 1] ?? 0];
  const layers: Layer[] = [];
  for (const layer of heights) {
    const grid = grids.get(layer)!;
    const picture = drawn(grid, shade(high > low ? (layer - low) / (high - low) : 0.5));
    layers.push({ z: (layer + 0.5) * LAYER, left: grid.left, bottom: grid.bottom, picture });
    yield;
  }
  return { box, cell, width, height, layers, cells: filled(heights.map((layer) => grids.get(layer)!)) };
}

/** More cells than a plan has in one direction, and layers below the lowest. */
const [SPAN, BELOW] = [2048, 2048];

/** The number of the cell and the layer of a place. */
const placeAt = (x: number, y: number, z: number, min: Vector, cell: number): number =>
  ((Math.floor(z / LAYER) + BELOW) * SPAN + Math.round((y - min[1]) / cell)) * SPAN + Math.round((x - min[0]) / cell);

/** The cell and the layer of such a number. */
const placeOf = (place: number): [number, number, number] => [
  place % SPAN,
  Math.floor(place / SPAN) % SPAN,
  Math.floor(place / SPAN / SPAN) - BELOW,
];

/**
 * Goes where players went, a cell at a step. Answers with the cells and layers where anybody was, and how low he was there with ground under his feet. Where the
 * recording never says that, all of it counts.
 */
function* walked(replay: Replay, level: number, cell: number, { min }: Box): Generator<void, Map<number, number>> {
  const found = new Map<number, number>();
  const knows = replay.knowsGround;
  const { levels } = replay.tracks;
  const { frames, x, y, z, bits, keys } = replay.tracks.tables.place;
  for (const [track, [first, end]] of rowsOf(replay, level).entries()) {
    let last: Vector | null = null;
    let stood = false;
    // most steps stay in their cell
    let [before, lowest] = [-1, Infinity];
    for (let row = first; row < end; row++) {
      if (row % STRETCH === 0) yield;
      const [px, py, pz, facts, frame] = [x.at(row), y.at(row), z.at(row), bits.at(row), frames.at(row)];
      // a place beyond every map is no place
      if (!facts || levels[frame] !== level || !(Math.max(Math.abs(px), Math.abs(py), Math.abs(pz)) <= FARTHEST)) {
        last = null;
        continue;
      }
      const from: Vector | null = facts & TELEPORTED ? null : last;
      const stands = !knows || replay.onGroundAt(keys[track], frame) === true;
      const isGround = stands && (stood || !from);
      stood = stands;
      last = [px, py, pz];
      const isThere = before === placeAt(px, py, pz, min, cell) && !((isGround ? pz : Infinity) < lowest);
      if (isThere && from) continue;
      const [fx, fy, fz] = from ?? last;
      const [dx, dy, dz] = [px - fx, py - fy, pz - fz];
      const way = Math.hypot(dx, dy, dz);
      const pieces = way > STEP ? 1 : Math.max(1, Math.ceil(way / cell));
      for (let piece = 1; piece <= pieces; piece++) {
        const part = way > STEP ? 1 : piece / pieces;
        const height = fz + dz * part;
        const place = placeAt(fx + dx * part, fy + dy * part, height, min, cell);
        const ground = isGround ? height : Infinity;
        if (place === before && !(ground < lowest)) continue;
        const known = found.get(place) ?? Infinity;
        if (ground < known || !found.has(place)) found.set(place, ground);
        [before, lowest] = [place, Math.min(known, ground)];
      }
    }
  }
  return found;
}

/** Somebody was in a cell, and filled those around it. */
function mark(grid: Grid, cx: number, cy: number, ground: number, radius: number): void {
  for (let dy = -radius; dy <= radius; dy++) {
    for (let dx = -radius; dx <= radius; dx++) {
      if (dx * dx + dy * dy > radius * radius + 1) continue;
      const [x, y] = [cx + dx - grid.left, cy + dy - grid.bottom];
      if (x < 0 || y < 0 || x >= grid.width || y >= grid.height) continue;
      const at = y * grid.width + x;
      grid.counts[at] = 1;
      if (ground < grid.grounds[at]) grid.grounds[at] = ground;
    }
  }
}

/** A layer in a color, with its edges darker; north is up. */
function drawn({ width, height, counts }: Grid, color: [number, number, number]): HTMLCanvasElement {
  const picture = document.createElement('canvas');
  [picture.width, picture.height] = [width, height];
  const context = flat(picture);
  const image = context.createImageData(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const cell = y * width + x;
      if (!counts[cell]) continue;
      const inside =
        x > 0 && x + 1 < width && counts[cell - 1] && counts[cell + 1] && counts[cell - width] && counts[cell + width];
      const at = ((height - 1 - y) * width + x) * 4;
      for (let channel = 0; channel < 3; channel++) image.data[at + channel] = color[channel] * (inside ? 1 : 0.6);
      image.data[at + 3] = 235;
    }
  }
  context.putImageData(image, 0, 0);
  return picture;
}

/** The cells that have ground. */
function filled(grids: Grid[]): Float32Array {
  let count = 0;
  for (const { grounds } of grids) for (const ground of grounds) count += ground === Infinity ? 0 : 1;
  const cells = new Float32Array(count * 3);
  let at = 0;
  for (const { left, bottom, width, grounds } of grids) {
    for (let cell = 0; cell < grounds.length; cell++) {
      if (grounds[cell] === Infinity) continue;
      cells[at++] = left + (cell % width);
      cells[at++] = bottom + Math.floor(cell / width);
      cells[at++] = grounds[cell] - STANDS;
    }
  }
  return cells;
}

/** Deep is dark and blue, high is light and warm. */
export function shade(part: number): [number, number, number] {
  return [60 + 130 * part, 74 + 96 * part, 104 + 34 * part];
}

/** Draws the layers from below. With a floor given, only what is near it. */
export function drawFootprint(
  context: CanvasRenderingContext2D,
  plan: Footprint,
  camera: { width: number; height: number; scale: number; center: [number, number] },
  floor: number | null,
): void {
  const left = (plan.box.min[0] - plan.cell / 2 - camera.center[0]) * camera.scale + camera.width / 2;
  const size = plan.cell * camera.scale;
  context.imageSmoothingEnabled = size < 1 || size > 3;
  const picture = together(plan, floor);
  if (!picture) return;
  const { width, height } = picture;
  const top =
    camera.height / 2 - (plan.box.min[1] - plan.cell / 2 + height * plan.cell - camera.center[1]) * camera.scale;
  context.drawImage(picture, left, top, width * size, height * size);
}

/** The layers in one picture, those away from the floor faint. */
function together(plan: Footprint, floor: number | null): HTMLCanvasElement | null {
  const isNear = (layer: Layer) => floor === null || Math.abs(layer.z - floor) < 96;
  const near = plan.layers.map((layer) => Number(isNear(layer))).join('');
  if (plan.drawn?.near === near) return plan.drawn.picture;
  if (plan.layers.length === 0) return null;
  const picture = plan.drawn?.picture ?? document.createElement('canvas');
  [picture.width, picture.height] = [plan.width, plan.height];
  const context = flat(picture);
  for (const layer of plan.layers) {
    context.globalAlpha = isNear(layer) ? 1 : 0.12;
    context.drawImage(layer.picture, layer.left, plan.height - layer.bottom - layer.picture.height);
  }
  plan.drawn = { near, picture };
  return picture;
}
