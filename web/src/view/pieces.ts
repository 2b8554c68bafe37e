// A level in pieces: triangles beside each other, so that what a camera cannot see is left out, and near ones are drawn before those that they hide. A processor that
// draws then computes few pixels twice.

import type { Vector } from '../data/vector';
import type { Bounds } from './frustum';

export interface Piece extends Bounds {
  first: number;
  count: number;
}

/** Triangles of a piece. A call costs as much as hundreds. */
const MOST = 192;
/** Smaller than that, a piece is not cut, in units. */
const SMALL = 192;

/** Cuts triangles, and puts those of a piece beside each other. */
export function piecesOf(positions: Float32Array, indices: Uint32Array, first: number, count: number): Piece[] {
  const found: Piece[] = [];
  const total = Math.floor(count / 3);
  const source = indices.slice(first, first + total * 3);
  const order = Uint32Array.from({ length: total }, (_, triangle) => triangle);
  const middles = new Float32Array(total * 3);
  for (let triangle = 0; triangle < total; triangle++) {
    for (let axis = 0; axis < 3; axis++)
      for (let corner = 0; corner < 3; corner++)
        middles[triangle * 3 + axis] += positions[source[triangle * 3 + corner] * 3 + axis] / 3;
  }
  const cut = (from: number, to: number): void => {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let at = from; at < to; at++) {
      for (let axis = 0; axis < 3; axis++) {
        const value = middles[order[at] * 3 + axis];
        if (value < low[axis]) low[axis] = value;
        if (value > high[axis]) high[axis] = value;
      }
    }
    const sizes = low.map((value, axis) => high[axis] - value);
    const size = Math.max(...sizes);
    if (to - from > MOST && size > SMALL) {
      const axis = sizes.indexOf(size);
      const middle = (low[axis] + high[axis]) / 2;
      const part = order.subarray(from, to);
      // halves of space, not of triangles: no list of hostile places makes it go deep
      const near = part.filter((triangle) => middles[triangle * 3 + axis] < middle);
      const far = part.filter((triangle) => middles[triangle * 3 + axis] >= middle);
      if (near.length && far.length) {
        part.set(near);
        part.set(far, near.length);
        cut(from, from + near.length);
        cut(from + near.length, to);
        return;
      }
    }
    const min: Vector = [Infinity, Infinity, Infinity];
    const max: Vector = [-Infinity, -Infinity, -Infinity];
    for (let at = from; at < to; at++) {
      for (let corner = 0; corner < 3; corner++) {
        const vertex = source[order[at] * 3 + corner];
        indices[first + at * 3 + corner] = vertex;
        for (let axis = 0; axis < 3; axis++) {
          const value = positions[vertex * 3 + axis];
          if (value < min[axis]) min[axis] = value;
          if (value > max[axis]) max[axis] = value;
        }
      }
    }
    found.push({ first: first + from * 3, count: (to - from) * 3, min, max });
  };
  if (total) cut(0, total);
  return found;
}
