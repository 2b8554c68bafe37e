// A plan of a level that nobody has the map of: where players ever stood, by height.

import type { Film } from '../data/film';
import type { Box } from './camera';

/** Units a cell of the plan is wide, and a layer high. */
const CELL = 16;
const LAYER = 48;
/** Farther than that in one step is no walk. */
const STEP = 160;
const MOST_CELLS = 1024;

export interface Layer {
  z: number;
  picture: HTMLCanvasElement;
}

export interface Footprint {
  box: Box;
  cell: number;
  layers: Layer[];
  /** The layers as they were drawn last, in one picture: one for each would be drawn dozens of times over. */
  drawn?: { near: string; picture: HTMLCanvasElement };
  /** Where somebody was, cell by cell, with the height of the ground there. */
  cells: { x: number; y: number; z: number }[];
}

/** How far a player's origin is above the ground. */
const STANDS = 24;

/** What players and things of a level fill. */
export function bounds(film: Film, level: number): Box | null {
  const box: Box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
  const { levels } = film.tracks;
  const { floats, frames, ints } = film.tracks.tables.place;
  for (let row = 0; row < frames.length; row++) {
    if (!ints[row] || levels[frames[row]!] !== level || Number.isNaN(floats[row * 6]!)) continue;
    for (let axis = 0; axis < 3; axis++) {
      const value = floats[row * 6 + axis]!;
      // a place beyond every map is no place
      if (Math.abs(value) > 65536) continue;
      box.min[axis] = Math.min(box.min[axis]!, value);
      box.max[axis] = Math.max(box.max[axis]!, value);
    }
  }
  if (!Number.isFinite(box.min[0])) return null;
  for (const axis of [0, 1]) {
    box.min[axis]! -= 128;
    box.max[axis]! += 128;
  }
  return box;
}

/** The plan of a level. */
export function footprint(film: Film, level: number): Footprint | null {
  const box = bounds(film, level);
  if (!box) return null;
  const wide = Math.max(box.max[0] - box.min[0], box.max[1] - box.min[1]);
  const cell = Math.max(CELL, Math.ceil(wide / MOST_CELLS));
  const [width, height] = [Math.ceil((box.max[0] - box.min[0]) / cell) + 1, Math.ceil((box.max[1] - box.min[1]) / cell) + 1];
  const grids = new Map<number, Uint8Array>();
  const grounds = new Map<number, Float32Array>();
  const radius = Math.max(1, Math.round(28 / cell));
  const mark = (x: number, y: number, z: number) => {
    const layer = Math.floor(z / LAYER);
    let grid = grids.get(layer);
    if (!grid) {
      grids.set(layer, (grid = new Uint8Array(width * height)));
      grounds.set(layer, new Float32Array(width * height).fill(Infinity));
    }
    const ground = grounds.get(layer)!;
    const [cx, cy] = [Math.round((x - box.min[0]) / cell), Math.round((y - box.min[1]) / cell)];
    for (let dy = -radius; dy <= radius; dy++) {
      for (let dx = -radius; dx <= radius; dx++) {
        if (dx * dx + dy * dy > radius * radius + 1) continue;
        const [px, py] = [cx + dx, cy + dy];
        if (px >= 0 && py >= 0 && px < width && py < height) {
          const at = py * width + px;
          if (grid[at]! < 255) grid[at]!++;
          if (z < ground[at]!) ground[at] = z;
        }
      }
    }
  };
  const { levels } = film.tracks;
  const { starts, frames, floats, ints, keys } = film.tracks.tables.place;
  for (let track = 0; track < keys.length; track++) {
    let last = -1;
    for (let row = starts[track]!; row < starts[track + 1]!; row++) {
      const at = row * 6;
      if (!ints[row] || levels[frames[row]!] !== level || Number.isNaN(floats[at]!) || Math.abs(floats[at]!) > 65536) {
        last = -1;
        continue;
      }
      const [x, y, z] = [floats[at]!, floats[at + 1]!, floats[at + 2]!];
      const from = last < 0 || ints[row]! & 2 ? at : last;
      const [fx, fy, fz] = [floats[from]!, floats[from + 1]!, floats[from + 2]!];
      const way = Math.hypot(x - fx, y - fy, z - fz);
      const pieces = way > STEP ? 1 : Math.max(1, Math.ceil(way / cell));
      for (let piece = 1; piece <= pieces; piece++) {
        const part = way > STEP ? 1 : piece / pieces;
        mark(fx + (x - fx) * part, fy + (y - fy) * part, fz + (z - fz) * part);
      }
      last = at;
    }
  }
  const heights = [...grids.keys()].sort((a, b) => a - b);
  const [low, high] = [heights[0] ?? 0, heights[heights.length - 1] ?? 0];
  const cells: Footprint['cells'] = [];
  const layers = heights.map((layer) => {
    const picture = document.createElement('canvas');
    [picture.width, picture.height] = [width, height];
    const context = picture.getContext('2d')!;
    const image = context.createImageData(width, height);
    const grid = grids.get(layer)!;
    const part = high > low ? (layer - low) / (high - low) : 0.5;
    const color = shade(part);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const count = grid[y * width + x]!;
        if (!count) continue;
        cells.push({ x, y, z: grounds.get(layer)![y * width + x]! - STANDS });
        // north is up
        const at = ((height - 1 - y) * width + x) * 4;
        const edge = !grid[y * width + x - 1] || !grid[y * width + x + 1] || !grid[(y - 1) * width + x] || !grid[(y + 1) * width + x];
        image.data.set([color[0] * (edge ? 0.6 : 1), color[1] * (edge ? 0.6 : 1), color[2] * (edge ? 0.6 : 1), 235], at);
      }
    }
    context.putImageData(image, 0, 0);
    return { z: (layer + 0.5) * LAYER, picture };
  });
  return { box, cell, layers, cells };
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
  const top = camera.height / 2 - (plan.box.min[1] - plan.cell / 2 + height * plan.cell - camera.center[1]) * camera.scale;
  context.drawImage(picture, left, top, width * size, height * size);
}

/** The layers in one picture, those away from the floor faint. */
function together(plan: Footprint, floor: number | null): HTMLCanvasElement | null {
  const isNear = (layer: Layer) => floor === null || Math.abs(layer.z - floor) < 96;
  const near = plan.layers.map((layer) => Number(isNear(layer))).join('');
  if (plan.drawn?.near === near) return plan.drawn.picture;
  const first = plan.layers[0];
  if (!first) return null;
  const picture = plan.drawn?.picture ?? document.createElement('canvas');
  [picture.width, picture.height] = [first.picture.width, first.picture.height];
  const context = picture.getContext('2d')!;
  for (const layer of plan.layers) {
    context.globalAlpha = isNear(layer) ? 1 : 0.12;
    context.drawImage(layer.picture, 0, 0);
  }
  plan.drawn = { near, picture };
  return picture;
}
