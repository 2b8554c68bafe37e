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
  const bright = luxelAt(light, luxels, indices, parts[0].first + hit.triangle * 3, [1 - hit.u - hit.v, hit.u, hit.v]);
  return bright.map((value) => BESIDE * (LEAST + (2 - LEAST) * value)) as Vector;
}

/** How bright a triangle's picture is at a place in its plane, as it is drawn. `first` is where in the indices it is. */
export function brightOn({ light, luxels, indices, positions }: Level, first: number, place: Vector): Vector {
  if (!light) return [UNKNOWN, UNKNOWN, UNKNOWN];
  const [a, b, c] = [0, 1, 2].map((corner) => {
    const at = indices[first + corner] * 3;
    return [positions[at], positions[at + 1], positions[at + 2]] as Vector;
  }) as [Vector, Vector, Vector];
  const [u, v, way] = [b, c, place].map((end) => end.map((value, axis) => value - a[axis]) as Vector) as [
    Vector,
    Vector,
    Vector,
  ];
  const dot = (one: Vector, other: Vector) => one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
  const [uu, uv, vv, uw, vw] = [dot(u, u), dot(u, v), dot(v, v), dot(u, way), dot(v, way)];
  const area = uu * vv - uv * uv || 1;
  const within = (part: number) => Math.max(0, Math.min(1, part));
  const onU = within((uw * vv - vw * uv) / area);
  const onV = Math.min(1 - onU, within((vw * uu - uw * uv) / area));
  return luxelAt(light, luxels, indices, first, [1 - onU - onV, onU, onV]).map((value) => 2 * value) as Vector;
}

/** The light on a triangle, from 0 to 1, by the weights of its corners. */
function luxelAt(
  light: NonNullable<Level['light']>,
  luxels: Float32Array,
  indices: Uint32Array,
  first: number,
  weights: Vector,
): Vector {
  const at = [0, 0];
  weights.forEach((part, corner) => {
    const vertex = indices[first + corner];
    for (const axis of [0, 1] as const) at[axis] += luxels[vertex * 2 + axis] * part;
  });
  const pixel = (part: number, size: number) => Math.max(0, Math.min(size - 1, Math.floor(part * size)));
  const from = (pixel(at[1], light.height) * light.width + pixel(at[0], light.width)) * 3;
  return [0, 1, 2].map((channel) => light.pixels[from + channel] / 255) as Vector;
}
