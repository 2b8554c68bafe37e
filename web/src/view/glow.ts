// Light, smoke and drops without pictures: discs, ribbons and dots whose edges are clear, on the graphics card.

import type { Vector } from '../data/vector';
import { COLORED, vertexArray } from './vertexarray';

/** Corners of one picture at most. */
const MOST = 90_000;
const [SIDES, ROUND] = [
  10,
  Array.from(
    { length: 11 },
    (_, side) => [Math.cos((side / 10) * Math.PI * 2), Math.sin((side / 10) * Math.PI * 2)] as const,
  ),
];

/** What is drawn in one way: `bright` is added to what is behind it, the rest covers it. */
class Layer {
  data = new Float32Array(1 << 13);
  bytes = new Uint8Array(this.data.buffer);
  used = 0;

  corner(x: number, y: number, z: number, [red, green, blue]: Vector, alpha: number): void {
    if (this.used + COLORED > this.data.length) {
      const larger = new Float32Array(this.data.length * 2);
      larger.set(this.data);
      [this.data, this.bytes] = [larger, new Uint8Array(larger.buffer)];
    }
    const { data, bytes, used } = this;
    data[used] = x;
    data[used + 1] = y;
    data[used + 2] = z;
    const at = (used + 3) * 4;
    bytes[at] = red;
    bytes[at + 1] = green;
    bytes[at + 2] = blue;
    bytes[at + 3] = Math.max(0, Math.min(255, alpha * 255));
    this.used += COLORED;
  }

  get isFull(): boolean {
    return this.used >= MOST * COLORED;
  }
}

export class Glow {
  private readonly layers = { bright: new Layer(), dull: new Layer() };
  private readonly buffer: WebGLBuffer;
  private readonly array: WebGLVertexArrayObject;
  private eye: Vector = [0, 0, 0];
  private left: Vector = [0, 1, 0];
  private up: Vector = [0, 0, 1];
  triangles = 0;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.buffer = gl.createBuffer()!;
    this.array = vertexArray(gl, this.buffer, COLORED);
  }

  begin(eye: Vector, left: Vector, up: Vector): void {
    [this.eye, this.left, this.up] = [eye, left, up];
    this.layers.bright.used = this.layers.dull.used = this.triangles = 0;
  }

  /** A round cloud that faces the eye, clear at its edge. */
  disc([x, y, z]: Vector, radius: number, color: Vector, alpha: number, dull = false): void {
    const layer = dull ? this.layers.dull : this.layers.bright;
    if (layer.isFull || alpha <= 0 || radius <= 0) return;
    const { left, up } = this;
    const rim = (side: number) => {
      const [cos, sin] = ROUND[side];
      layer.corner(
        x + (left[0] * cos + up[0] * sin) * radius,
        y + (left[1] * cos + up[1] * sin) * radius,
        z + (left[2] * cos + up[2] * sin) * radius,
        color,
        0,
      );
    };
    for (let side = 0; side < SIDES; side++) {
      layer.corner(x, y, z, color, alpha);
      rim(side);
      rim(side + 1);
    }
  }

  /** A small square that faces the eye. */
  dot([x, y, z]: Vector, half: number, color: Vector, alpha: number, dull = false): void {
    const layer = dull ? this.layers.dull : this.layers.bright;
    if (layer.isFull || alpha <= 0) return;
    const { left, up } = this;
    const corner = (a: number, b: number) =>
      layer.corner(
        x + (left[0] * a + up[0] * b) * half,
        y + (left[1] * a + up[1] * b) * half,
        z + (left[2] * a + up[2] * b) * half,
        color,
        alpha,
      );
    for (const [a, b] of [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, -1],
      [1, 1],
      [-1, 1],
    ] as const)
      corner(a, b);
  }

  /** A ribbon between two places that faces the eye: brightest in its middle, clear at both edges. */
  ribbon(from: Vector, to: Vector, half: number, color: Vector, alpha: number, fades = alpha): void {
    const layer = this.layers.bright;
    if (layer.isFull) return;
    const along = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    const view = [from[0] - this.eye[0], from[1] - this.eye[1], from[2] - this.eye[2]];
    const side: Vector = [
      along[1] * view[2] - along[2] * view[1],
      along[2] * view[0] - along[0] * view[2],
      along[0] * view[1] - along[1] * view[0],
    ];
    const length = Math.hypot(...side) || 1;
    for (const sign of [-1, 1]) {
      const [x, y, z] = side.map((value) => (value / length) * half * sign) as Vector;
      layer.corner(...from, color, alpha);
      layer.corner(...to, color, fades);
      layer.corner(to[0] + x, to[1] + y, to[2] + z, color, 0);
      layer.corner(...from, color, alpha);
      layer.corner(to[0] + x, to[1] + y, to[2] + z, color, 0);
      layer.corner(from[0] + x, from[1] + y, from[2] + z, color, 0);
    }
  }

  /** Draws what was added: smoke first, then light. */
  draw(): void {
    const { gl } = this;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const [layer, mix] of [
      [this.layers.dull, gl.ONE_MINUS_SRC_ALPHA],
      [this.layers.bright, gl.ONE],
    ] as const) {
      if (!layer.used) continue;
      gl.blendFunc(gl.SRC_ALPHA, mix);
      gl.bufferData(gl.ARRAY_BUFFER, layer.data.subarray(0, layer.used), gl.STREAM_DRAW);
      gl.drawArrays(gl.TRIANGLES, 0, layer.used / COLORED);
      this.triangles += layer.used / COLORED / 3;
    }
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.bindVertexArray(null);
  }
}
