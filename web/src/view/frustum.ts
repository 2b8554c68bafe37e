// What a camera may see: the space between the four sides of its picture, before the eye.

import type { Vector } from '../data/vector';

/** A box whose sides go along the axes. */
export interface Bounds {
  min: Vector;
  max: Vector;
}

export class Frustum {
  /** Left, right, bottom, top, near: a place is inside where x·a + y·b + z·c + d is positive. */
  private readonly planes: [number, number, number, number, number][];

  /** By the matrix to clip space, column by column. */
  constructor(m: ArrayLike<number>) {
    const row = (number: number) => [m[number], m[number + 4], m[number + 8], m[number + 12]];
    const w = row(3);
    this.planes = [0, 1].flatMap((axis) =>
      [1, -1].map((sign) => plane(w.map((value, at) => value + sign * row(axis)[at]))),
    );
    this.planes.push(plane(w.map((value, at) => value + row(2)[at])));
  }

  /** Whether some of a box may be seen. */
  box({ min, max }: Bounds): boolean {
    for (const [a, b, c, d] of this.planes)
      if (a * (a > 0 ? max : min)[0] + b * (b > 0 ? max : min)[1] + c * (c > 0 ? max : min)[2] + d < 0) return false;
    return true;
  }

  /** Whether some of a ball may be seen. */
  ball([x, y, z]: Vector, radius: number): boolean {
    for (const [a, b, c, d, length] of this.planes) if (a * x + b * y + c * z + d < -radius * length) return false;
    return true;
  }
}

const plane = ([a, b, c, d]: number[]): [number, number, number, number, number] => [
  a!,
  b!,
  c!,
  d!,
  Math.hypot(a!, b!, c!),
];

/** How far a box is, as the square of it. */
export function distance({ min, max }: Bounds, [x, y, z]: Vector): number {
  const way = (at: number, low: number, high: number) => (at < low ? low - at : at > high ? at - high : 0);
  return way(x, min[0], max[0]) ** 2 + way(y, min[1], max[1]) ** 2 + way(z, min[2], max[2]) ** 2;
}
