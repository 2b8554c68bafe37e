// From the game's space to the screen. The game's z points up; angles are pitch (positive downwards), yaw and roll in degrees.

import type { Mode } from '../data/link';
import type { Box, Vector } from '../data/vector';

const RADIANS = Math.PI / 180;
const NEAR = 4;
const FAR = 65536;

/** Forward, left and up of a view. */
export function axes([pitch, yaw, roll]: Vector): [Vector, Vector, Vector] {
  const [sp, cp] = [Math.sin(pitch * RADIANS), Math.cos(pitch * RADIANS)];
  const [sy, cy] = [Math.sin(yaw * RADIANS), Math.cos(yaw * RADIANS)];
  const [sr, cr] = [Math.sin(roll * RADIANS), Math.cos(roll * RADIANS)];
  return [
    [cp * cy, cp * sy, -sp],
    [sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, sr * cp],
    [cr * sp * cy + sr * sy, cr * sp * sy - sr * cy, cr * cp],
  ];
}

export class Camera {
  mode: Mode = 'top';
  width = 1;
  height = 1;
  /** Of the plan: what is in the middle, and pixels a unit. */
  center: [number, number] = [0, 0];
  scale = 0.25;
  /** Pixels at the top, right, bottom and left that something lies over. */
  free: [number, number, number, number] = [0, 0, 0, 0];
  /** In space: where the eye is and where it looks. */
  eye: Vector = [0, 0, 0];
  angles: Vector = [0, 0, 0];
  /** Horizontal, in degrees, for a picture of 4 to 3, as the games count it. */
  fov = 90;
  private matrix = new Float32Array(16);

  get isFlat(): boolean {
    return this.mode === 'top';
  }

  /** Shows all of a box. */
  fit(box: Box): void {
    const [width, height] = [box.max[0] - box.min[0] || 512, box.max[1] - box.min[1] || 512];
    const [top, right, bottom, left] = this.free;
    const [wide, high] = [Math.max(40, this.width - left - right), Math.max(40, this.height - top - bottom)];
    this.scale = Math.min(wide / width, high / height) * 0.94;
    this.lookAt((box.min[0] + box.max[0]) / 2, (box.min[1] + box.max[1]) / 2);
  }

  /** Puts a place of the plan into the middle of what is free. */
  lookAt(x: number, y: number): void {
    const [top, right, bottom, left] = this.free;
    this.center = [x - (left - right) / 2 / this.scale, y - (bottom - top) / 2 / this.scale];
  }

  /** Column by column, to clip space. */
  update(): Float32Array {
    const { width, height } = this;
    if (this.isFlat) {
      const [sx, sy] = [(2 * this.scale) / width, (2 * this.scale) / height];
      const sz = -1 / FAR;
      this.matrix.set([sx, 0, 0, 0, 0, sy, 0, 0, 0, 0, sz, 0, -this.center[0] * sx, -this.center[1] * sy, 0, 1]);
      return this.matrix;
    }
    const [forward, left, up] = axes(this.angles);
    // the games widen the view on wide screens, and keep its height
    const tall = Math.tan((this.fov * RADIANS) / 2) * 0.75;
    const [fx, fy] = [height / width / tall, 1 / tall];
    const [a, b] = [(FAR + NEAR) / (FAR - NEAR), (-2 * FAR * NEAR) / (FAR - NEAR)];
    const dot = (axis: Vector) => -(axis[0] * this.eye[0] + axis[1] * this.eye[1] + axis[2] * this.eye[2]);
    const [df, dl, du] = [dot(forward), dot(left), dot(up)];
    const m = this.matrix;
    for (let axis = 0; axis < 3; axis++) {
      m[axis * 4] = -left[axis] * fx;
      m[axis * 4 + 1] = up[axis] * fy;
      m[axis * 4 + 2] = forward[axis] * a;
      m[axis * 4 + 3] = forward[axis];
    }
    m.set([-dl * fx, du * fy, df * a + b, df], 12);
    return m;
  }

  /** Where a place is on the screen, in pixels, and how many pixels a unit has there; nothing when it is behind the eye. */
  project([x, y, z]: Vector): { x: number; y: number; scale: number } | null {
    const m = this.matrix;
    const w = m[3] * x + m[7] * y + m[11] * z + m[15];
    if (w < (this.isFlat ? 0 : NEAR)) return null;
    const cx = (m[0] * x + m[4] * y + m[8] * z + m[12]) / w;
    const cy = (m[1] * x + m[5] * y + m[9] * z + m[13]) / w;
    const scale = this.isFlat ? this.scale : this.height / 2 / (Math.tan((this.fov * RADIANS) / 2) * 0.75) / w;
    return { x: ((cx + 1) / 2) * this.width, y: ((1 - cy) / 2) * this.height, scale };
  }

  /** The place of the plan under a pixel. */
  unproject(x: number, y: number): [number, number] {
    return [(x - this.width / 2) / this.scale + this.center[0], (this.height / 2 - y) / this.scale + this.center[1]];
  }

  /** Zooms the plan around a pixel. */
  zoom(factor: number, x = this.width / 2, y = this.height / 2): void {
    const [wx, wy] = this.unproject(x, y);
    this.scale = Math.min(Math.max(this.scale * factor, 0.005), 20);
    const [nx, ny] = this.unproject(x, y);
    this.center = [this.center[0] + wx - nx, this.center[1] + wy - ny];
  }
}
