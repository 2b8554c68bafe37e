// A plan of a level that nobody has the map of: where players ever stood, by height.

import type { Replay } from '../data/replay';
import { TELEPORTED } from '../data/layout';
import type { Box } from './camera';
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

/** How often somebody was in the cells of a layer, and the lowest that he was there. */
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

/** What players and things of a level fill. */
export function bounds(replay: Replay, level: number): Box | null {
  const box: Box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
  const { levels } = replay.tracks;
  const { x, y, z, bits, frames } = replay.tracks.tables.place;
  [x, y, z].forEach((column, axis) => {
    for (let row = 0; row < frames.length; row++) {
      if (!bits[row] || levels[frames[row]] !== level || Number.isNaN(x[row]) || Math.abs(column[row]) > FARTHEST)
        continue;
      box.min[axis] = Math.min(box.min[axis], column[row]);
      box.max[axis] = Math.max(box.max[axis], column[row]);
    }
  });
  if (!Number.isFinite(box.min[0])) return null;
  for (const axis of [0, 1]) {
    box.min[axis] -= 128;
    box.max[axis] += 128;
  }
  return box;
}

/** The plan of a level. */
export function footprint(replay: Replay, level: number): Footprint | null {
  const box = bounds(replay, level);
  if (!box) return null;
  const wide = Math.max(box.max[0] - box.min[0], box.max[1] - box.min[1]);
  const cell = Math.max(CELL, Math.ceil(wide / MOST_CELLS));
  const [width, height] = [
    Math.ceil((box.max[0] - box.min[0]) / cell) + 1,
    Math.ceil((box.max[1] - box.min[1]) / cell) + 1,
  ];
  const radius = Math.max(1, Math.round(28 / cell));
  const cellOf = (x: number, y: number): [number, number] => [
    Math.round((x - box.min[0]) / cell),
    Math.round((y - box.min[1]) / cell),
  ];
  // how far each layer reaches comes first: most are a small part of the plan
  const reach = new Map<number, [number, number, number, number]>();
  walked(replay, level, cell, (x, y, z) => {
    const [cx, cy] = cellOf(x, y);
    const layer = Math.floor(z / LAYER);
    const known = reach.get(layer);
    if (!known) reach.set(layer, [cx, cy, cx, cy]);
    else {
      known[0] = Math.min(known[0], cx);
      known[1] = Math.min(known[1], cy);
      known[2] = Math.max(known[2], cx);
      known[3] = Math.max(known[3], cy);
    }
  });
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
  walked(replay, level, cell, (x, y, z, isGround) =>
    mark(grids.get(Math.floor(z / LAYER))!, cellOf(x, y), z, radius, isGround),
  );
  const heights = [...grids.keys()].sort((a, b) => a - b);
  const [low, high] = [heights[0] ?? 0, heights[heights.length - 1] ?? 0];
  const layers = heights.map((layer) => {
    const grid = grids.get(layer)!;
    const picture = drawn(grid, shade(high > low ? (layer - low) / (high - low) : 0.5));
    return { z: (layer + 0.5) * LAYER, left: grid.left, bottom: grid.bottom, picture };
  });
  return { box, cell, width, height, layers, cells: filled(heights.map((layer) => grids.get(layer)!)) };
}

/** Goes where players went, a cell at a step, and says where they had ground under their feet. Where the recording never says that, all of it counts. */
function walked(
  replay: Replay,
  level: number,
  cell: number,
  visit: (x: number, y: number, z: number, isGround: boolean) => void,
): void {
  const knows = replay.knowsGround;
  const { levels } = replay.tracks;
  const { starts, frames, x, y, z, bits, keys } = replay.tracks.tables.place;
  for (let track = 0; track < keys.length; track++) {
    let last = -1;
    let stood = false;
    for (let row = starts[track]; row < starts[track + 1]; row++) {
      // a place beyond every map is no place
      if (
        !bits[row] ||
        levels[frames[row]] !== level ||
        !(Math.max(Math.abs(x[row]), Math.abs(y[row]), Math.abs(z[row])) <= FARTHEST)
      ) {
        last = -1;
        continue;
      }
      const from = last < 0 || bits[row] & TELEPORTED ? row : last;
      const stands = !knows || replay.onGroundAt(keys[track], frames[row]) === true;
      const isGround = stands && (stood || from === row);
      stood = stands;
      const [fx, fy, fz] = [x[from], y[from], z[from]];
      const [dx, dy, dz] = [x[row] - fx, y[row] - fy, z[row] - fz];
      const way = Math.hypot(dx, dy, dz);
      const pieces = way > STEP ? 1 : Math.max(1, Math.ceil(way / cell));
      for (let piece = 1; piece <= pieces; piece++) {
        const part = way > STEP ? 1 : piece / pieces;
        visit(fx + dx * part, fy + dy * part, fz + dz * part, isGround);
      }
      last = row;
    }
  }
}

/** Somebody was in a cell, and filled those around it. */
function mark(grid: Grid, [cx, cy]: [number, number], z: number, radius: number, isGround: boolean): void {
  for (let dy = -radius; dy <= radius; dy++) {
    for (let dx = -radius; dx <= radius; dx++) {
      if (dx * dx + dy * dy > radius * radius + 1) continue;
      const [x, y] = [cx + dx - grid.left, cy + dy - grid.bottom];
      if (x < 0 || y < 0 || x >= grid.width || y >= grid.height) continue;
      const at = y * grid.width + x;
      if (grid.counts[at] < 255) grid.counts[at]++;
      if (isGround && z < grid.grounds[at]) grid.grounds[at] = z;
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
