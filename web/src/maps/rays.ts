// What a line meets of a map's world: the triangles that are not liquid, in columns from above.

import type { Level } from './format';

type Vector = [number, number, number];

const MOST_COLUMNS = 64;

export interface Hit {
  triangle: number;
  part: number;
  u: number;
  v: number;
}

export class Rays {
  private readonly cells: number[][] = [];
  private readonly min: [number, number] = [Infinity, Infinity];
  private readonly size: [number, number] = [1, 1];
  /** A triangle is tried once for each line. */
  private readonly tried: Uint32Array;
  private line = 0;

  constructor(private readonly level: Level) {
    const { positions } = level;
    const { first, count } = level.parts[0] ?? { first: 0, count: 0 };
    const max: [number, number] = [-Infinity, -Infinity];
    this.tried = new Uint32Array(count / 3);
    for (let at = first; at < first + count; at++) {
      for (const axis of [0, 1] as const) {
        const value = positions[level.indices[at] * 3 + axis];
        this.min[axis] = Math.min(this.min[axis], value);
        max[axis] = Math.max(max[axis], value);
      }
    }
    if (!count) return;
    for (const axis of [0, 1] as const) this.size[axis] = Math.max(1, (max[axis] - this.min[axis]) / MOST_COLUMNS);
    for (let triangle = 0; triangle < count / 3; triangle++) {
      const corners = this.corners(triangle);
      const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
      const [west, east] = [this.column(Math.min(...xs), 0), this.column(Math.max(...xs), 0)];
      const [south, north] = [this.column(Math.min(...ys), 1), this.column(Math.max(...ys), 1)];
      for (let y = south; y <= north; y++) {
        for (let x = west; x <= east; x++) {
          const cell = y * MOST_COLUMNS + x;
          this.cells[cell] ??= [];
          this.cells[cell].push(triangle);
        }
      }
    }
  }

  private column(value: number, axis: 0 | 1): number {
    return Math.min(MOST_COLUMNS - 1, Math.max(0, Math.floor((value - this.min[axis]) / this.size[axis])));
  }

  private corners(triangle: number): [Vector, Vector, Vector] {
    const { positions, indices, parts } = this.level;
    const corner = (number: number): Vector => {
      const at = indices[parts[0].first + triangle * 3 + number] * 3;
      return [positions[at], positions[at + 1], positions[at + 2]];
    };
    return [corner(0), corner(1), corner(2)];
  }

  /** Where a triangle looks, on one of its sides. Its length is 1, or 0 if the triangle has no area. */
  normal(triangle: number): Vector {
    const [a, b, c] = this.corners(triangle);
    const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
    const normal: Vector = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(...normal) || 1;
    return [normal[0] / length, normal[1] / length, normal[2] / length];
  }

  /** Where in the indices of the level the triangles are that may be so near to a place. */
  near([x, y]: Vector, reach: number): Set<number> {
    const found = new Set<number>();
    const { first } = this.level.parts[0] ?? { first: 0 };
    for (let north = this.column(y - reach, 1); north <= this.column(y + reach, 1); north++)
      for (let east = this.column(x - reach, 0); east <= this.column(x + reach, 0); east++)
        for (const triangle of this.cells[north * MOST_COLUMNS + east] ?? []) found.add(first + triangle * 3);
    return found;
  }

  /** Which part of a line is free before it meets something: 1 is all of it. */
  free(from: Vector, to: Vector): number {
    return this.hit(from, to)?.part ?? 1;
  }

  /** The first triangle that a line meets, which part of the line is before it, and where on the triangle it is: the weights of the second and the third corner. */
  hit(from: Vector, to: Vector): Hit | null {
    const way: Vector = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    this.line++;
    let nearest: Hit | null = null;
    const [west, east] = [this.column(Math.min(from[0], to[0]), 0), this.column(Math.max(from[0], to[0]), 0)];
    const [south, north] = [this.column(Math.min(from[1], to[1]), 1), this.column(Math.max(from[1], to[1]), 1)];
    for (let y = south; y <= north; y++) {
      for (let x = west; x <= east; x++) {
        for (const triangle of this.cells[y * MOST_COLUMNS + x] ?? []) {
          if (this.tried[triangle] === this.line) continue;
          this.tried[triangle] = this.line;
          const found = meets(from, way, this.corners(triangle));
          if (found && found.part < (nearest?.part ?? 1)) nearest = { triangle, ...found };
        }
      }
    }
    return nearest;
  }
}

/** Where a line meets a triangle, from either side (Möller and Trumbore). */
function meets(from: Vector, way: Vector, [a, b, c]: [Vector, Vector, Vector]): Omit<Hit, 'triangle'> | null {
  const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const [vx, vy, vz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
  const [px, py, pz] = [way[1] * vz - way[2] * vy, way[2] * vx - way[0] * vz, way[0] * vy - way[1] * vx];
  const area = ux * px + uy * py + uz * pz;
  if (Math.abs(area) < 1e-9) return null;
  const [tx, ty, tz] = [from[0] - a[0], from[1] - a[1], from[2] - a[2]];
  const u = (tx * px + ty * py + tz * pz) / area;
  if (u < -1e-6 || u > 1 + 1e-6) return null;
  const [qx, qy, qz] = [ty * uz - tz * uy, tz * ux - tx * uz, tx * uy - ty * ux];
  const v = (way[0] * qx + way[1] * qy + way[2] * qz) / area;
  if (v < -1e-6 || u + v > 1 + 1e-6) return null;
  const part = (vx * qx + vy * qy + vz * qz) / area;
  return part >= 0 && part < 1 ? { part, u, v } : null;
}
