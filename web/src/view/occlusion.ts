// What of a level is hidden behind other parts of it, where a processor draws: it computes hidden pixels like all others, and throws them away. A coarse picture of how far
// everything is, made here, costs less than that.

import type { Vector } from '../data/vector';
import type { Bounds } from './frustum';

/** Cells of the coarse picture. At 1280 by 720 one has 5 by 5 pixels. */
export const [WIDE, HIGH] = [256, 144];
/** Rows of cells in which the sky is looked for. */
const BAND = 8;
const NEAR = 4;
/** How much nearer something is taken to be, in parts: cells are coarse. */
const SLACK = 1.02;

export class Occlusion {
  /** For each cell, how near the nearest thing is: 1 by its distance; 0 is nothing. */
  private readonly drawn = new Float32Array(WIDE * HIGH);
  /** The farthest of each cell and those around it. */
  private readonly sure = new Float32Array(WIDE * HIGH);
  private readonly rows = new Float32Array(WIDE * HIGH);
  private m: ArrayLike<number> = [];
  /** Corners of a polygon: three numbers each, across, down, and 1 by distance. */
  private readonly corners = new Float64Array(3 * 4);
  private readonly clip = new Float64Array(3 * 3);

  begin(matrix: ArrayLike<number>): void {
    this.m = matrix;
    this.drawn.fill(0);
    this.sure.fill(0);
  }

  /** Draws a triangle that hides what is behind it; it goes clockwise, seen from its front. */
  add(positions: ArrayLike<number>, a: number, b: number, c: number): void {
    const { m, clip, corners } = this;
    for (let corner = 0; corner < 3; corner++) {
      const at = (corner === 0 ? a : corner === 1 ? b : c) * 3;
      const [x, y, z] = [positions[at], positions[at + 1], positions[at + 2]];
      clip[corner * 3] = m[0] * x + m[4] * y + m[8] * z + m[12];
      clip[corner * 3 + 1] = m[1] * x + m[5] * y + m[9] * z + m[13];
      clip[corner * 3 + 2] = m[3] * x + m[7] * y + m[11] * z + m[15];
    }
    // what is behind the eye is cut off
    let count = 0;
    for (let corner = 0; corner < 3; corner++) {
      const [from, to] = [corner * 3, ((corner + 1) % 3) * 3];
      const [w, next] = [clip[from + 2], clip[to + 2]];
      if (w >= NEAR) this.corner(count++, clip[from], clip[from + 1], w);
      if (w >= NEAR !== next >= NEAR) {
        const part = (NEAR - w) / (next - w);
        this.corner(
          count++,
          clip[from] + (clip[to] - clip[from]) * part,
          clip[from + 1] + (clip[to + 1] - clip[from + 1]) * part,
          NEAR,
        );
      }
    }
    for (let corner = 2; corner < count; corner++) this.fill(0, (corner - 1) * 3, corner * 3, corners);
  }

  private corner(number: number, x: number, y: number, w: number): void {
    const { corners } = this;
    corners[number * 3] = ((x / w + 1) / 2) * WIDE;
    corners[number * 3 + 1] = ((1 - y / w) / 2) * HIGH;
    corners[number * 3 + 2] = 1 / w;
  }

  /** Fills the cells whose middle is in a triangle. */
  private fill(a: number, b: number, c: number, p: Float64Array): void {
    const [ax, ay, az, bx, by, bz, cx, cy, cz] = [
      p[a],
      p[a + 1],
      p[a + 2],
      p[b],
      p[b + 1],
      p[b + 2],
      p[c],
      p[c + 1],
      p[c + 2],
    ];
    const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    // down is up here: what is seen from its front has a positive area
    if (!(area > 1e-9)) return;
    const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5));
    const bottom = Math.min(HIGH - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
    const [left, right] = [Math.min(ax, bx, cx), Math.max(ax, bx, cx)];
    if (right < 0 || left > WIDE) return;
    const zx = ((bz - az) * (cy - ay) - (cz - az) * (by - ay)) / area;
    const zy = ((cz - az) * (bx - ax) - (bz - az) * (cx - ax)) / area;
    const { drawn } = this;
    for (let row = top; row <= bottom; row++) {
      const y = row + 0.5;
      let [from, to] = [left, right];
      // each edge ends the row on one side
      for (let edge = 0; edge < 3; edge++) {
        const [x1, y1, x2, y2] = edge === 0 ? [ax, ay, bx, by] : edge === 1 ? [bx, by, cx, cy] : [cx, cy, ax, ay];
        if (y1 === y2) continue;
        const x = x1 + ((x2 - x1) * (y - y1)) / (y2 - y1);
        if (y2 < y1) from = Math.max(from, x);
        else to = Math.min(to, x);
      }
      const first = Math.max(0, Math.ceil(from - 0.5));
      const last = Math.min(WIDE - 1, Math.floor(to - 0.5));
      let near = az + zx * (first + 0.5 - ax) + zy * (y - ay);
      for (let at = row * WIDE + first; at <= row * WIDE + last; at++, near += zx)
        if (near > drawn[at]) drawn[at] = near;
    }
  }

  /** Ends the drawing: a gap of a cell may be wider than it looks, and what is seen through it is not hidden. */
  finish(): void {
    const { drawn, rows, sure } = this;
    for (let row = 0; row < HIGH; row++) {
      const at = row * WIDE;
      for (let cell = 0; cell < WIDE; cell++) {
        const here = drawn[at + cell];
        rows[at + cell] = Math.min(
          here,
          cell ? drawn[at + cell - 1] : here,
          cell + 1 < WIDE ? drawn[at + cell + 1] : here,
        );
      }
    }
    for (let row = 0; row < HIGH; row++) {
      const at = row * WIDE;
      for (let cell = 0; cell < WIDE; cell++) {
        const here = rows[at + cell];
        sure[at + cell] = Math.min(
          here,
          row ? rows[at + cell - WIDE] : here,
          row + 1 < HIGH ? rows[at + cell + WIDE] : here,
        );
      }
    }
  }

  /** Whether nothing of a box is seen. */
  hides({ min, max }: Bounds): boolean {
    const { m } = this;
    let [left, right, top, bottom, nearest] = [Infinity, -Infinity, Infinity, -Infinity, 0];
    for (let corner = 0; corner < 8; corner++) {
      const [x, y, z] = [(corner & 1 ? max : min)[0], (corner & 2 ? max : min)[1], (corner & 4 ? max : min)[2]];
      const w = m[3] * x + m[7] * y + m[11] * z + m[15];
      if (w < NEAR) return false;
      const across = (((m[0] * x + m[4] * y + m[8] * z + m[12]) / w + 1) / 2) * WIDE;
      const down = ((1 - (m[1] * x + m[5] * y + m[9] * z + m[13]) / w) / 2) * HIGH;
      [left, right, top, bottom] = [
        Math.min(left, across),
        Math.max(right, across),
        Math.min(top, down),
        Math.max(bottom, down),
      ];
      nearest = Math.max(nearest, 1 / w);
    }
    return this.covers(left, top, right, bottom, nearest);
  }

  /** Whether a ball is hidden. */
  hidesBall([x, y, z]: Vector, radius: number): boolean {
    return this.hides({ min: [x - radius, y - radius, z - radius], max: [x + radius, y + radius, z + radius] });
  }

  /** The parts of a picture where nothing was drawn, at most one for each band: left, bottom, width, height. */
  open(width: number, height: number): [number, number, number, number][] {
    const found: [number, number, number, number][] = [];
    for (let band = 0; band < HIGH; band += BAND) {
      let [left, right] = [WIDE, -1];
      for (let row = band; row < band + BAND; row++) {
        for (let cell = 0; cell < WIDE; cell++) {
          if (this.sure[row * WIDE + cell]) continue;
          if (cell < left) left = cell;
          if (cell > right) right = cell;
        }
      }
      if (right < 0) continue;
      const [x, end] = [Math.floor((left / WIDE) * width), Math.ceil(((right + 1) / WIDE) * width)];
      const [y, top] = [Math.floor((1 - (band + BAND) / HIGH) * height), Math.ceil((1 - band / HIGH) * height)];
      found.push([x, y, end - x, top - y]);
    }
    return found;
  }

  /** Whether something nearer is before all of a part of the picture, in cells. */
  covers(left: number, top: number, right: number, bottom: number, near: number): boolean {
    const [x1, x2] = [Math.max(0, Math.floor(left)), Math.min(WIDE - 1, Math.floor(right))];
    const [y1, y2] = [Math.max(0, Math.floor(top)), Math.min(HIGH - 1, Math.floor(bottom))];
    const { sure } = this;
    const limit = near * SLACK;
    for (let row = y1; row <= y2; row++)
      for (let at = row * WIDE + x1; at <= row * WIDE + x2; at++) if (sure[at] <= limit) return false;
    return true;
  }
}
