// What may be in the picture: balls around what is drawn.

import type { Level } from '../maps/level';
import type { Vector } from '../data/film';
import { type Camera, axes } from './camera';

export interface Ball {
  middle: Vector;
  radius: number;
}

/** A ball around triangles. */
export function ballAround({ positions }: Level, indices: Uint32Array): Ball {
  const [low, high]: [Vector, Vector] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (const vertex of indices) {
    for (let axis = 0; axis < 3; axis++) {
      const value = positions[vertex * 3 + axis]!;
      if (value < low[axis]!) low[axis] = value;
      if (value > high[axis]!) high[axis] = value;
    }
  }
  return { middle: low.map((value, axis) => (value + high[axis]!) / 2) as Vector, radius: Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) / 2 };
}

/** Says of balls whether a part of them may be in the picture of a camera. */
export function viewOf(camera: Camera): (ball: Ball) => boolean {
  if (camera.isFlat) return () => true;
  const [forward] = axes(camera.angles);
  const { eye, width, height } = camera;
  const tall = Math.tan((camera.fov * Math.PI) / 360) * 0.75;
  // the angle from the middle of the picture to its corners
  const corner = Math.atan(Math.hypot(tall, (tall * width) / height));
  return ({ middle, radius }) => {
    const way = [middle[0] - eye[0], middle[1] - eye[1], middle[2] - eye[2]] as const;
    const distance = Math.hypot(...way);
    if (!(distance > radius)) return true;
    const along = (way[0] * forward[0] + way[1] * forward[1] + way[2] * forward[2]) / distance;
    return Math.acos(Math.max(-1, Math.min(1, along))) <= corner + Math.asin(radius / distance);
  };
}
