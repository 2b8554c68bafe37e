// The light at a place: that of the floor below it.

import type { Level } from './format';
import type { Rays } from './rays';

type Vector = [number, number, number];

/** How far below the floor is looked for. */
const DEEP = 2048;
/** Light where nothing is known, and how bright things are beside the faces around them. */
const [UNKNOWN, BESIDE] = [1, 0.85];
/** How bright things are where no light falls. */
const LEAST = 0.2;

/** How bright a thing is at a place: red, green, blue; 1 is its own color. */
export function lightAt(level: Level, rays: Rays, [x, y, z]: Vector): Vector {
  const { light, luxels, indices, parts } = level;
  const hit = light && rays.hit([x, y, z + 8], [x, y, z - DEEP]);
  if (!light || !hit) return [UNKNOWN, UNKNOWN, UNKNOWN];
  const at = [0, 0];
  [1 - hit.u - hit.v, hit.u, hit.v].forEach((part, corner) => {
    const vertex = indices[parts[0].first + hit.triangle * 3 + corner];
    for (const axis of [0, 1] as const) at[axis] += luxels[vertex * 2 + axis] * part;
  });
  const pixel = (part: number, size: number) => Math.max(0, Math.min(size - 1, Math.floor(part * size)));
  const from = (pixel(at[1], light.height) * light.width + pixel(at[0], light.width)) * 3;
  return [0, 1, 2].map((channel) => {
    const bright = light.pixels[from + channel] / 255;
    return BESIDE * (LEAST + (2 - LEAST) * bright);
  }) as Vector;
}
