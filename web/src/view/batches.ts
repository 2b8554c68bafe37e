// Models on bones. The page puts the vertices in their places, picture after picture.

import type { Vector } from '../data/vector';
import type { Surface } from '../models/model';
import type { Picture } from '../maps/format';
import type { Covers } from './covers';
import { type Put, onBones } from './pose';
import { PICTURED, vertexArray } from './vertexarray';

const FIRST = 1 << 14;

interface Batch {
  picture: Picture;
  data: Float32Array;
  bytes: Uint8Array;
  used: number;
}

export class ModelBatches {
  private readonly buffer: WebGLBuffer;
  private readonly array: WebGLVertexArrayObject;
  private readonly batches = new Map<Picture, Batch>();
  /** The vertices of one surface: place and color. */
  private corners = new Float32Array(FIRST);
  private colors = new Uint8Array(FIRST);
  triangles = 0;
  /** Whether what is added is drawn. */
  isOn = true;
  /** To the left and up of who looks. */
  private sides: [Vector, Vector] = [
    [0, 1, 0],
    [0, 0, 1],
  ];
  private mirrored = new Float32Array(FIRST);

  constructor(
    private readonly gl: WebGL2RenderingContext,
    private readonly covers: Covers,
  ) {
    this.buffer = gl.createBuffer()!;
    this.array = vertexArray(gl, this.buffer, PICTURED);
  }

  begin(left: Vector, up: Vector): void {
    this.sides = [left, up];
    for (const [picture, batch] of this.batches) {
      if (!batch.used) this.batches.delete(picture);
      batch.used = 0;
    }
    this.triangles = 0;
  }

  /** Adds a surface on bones, and which part of it is seen if it is mixed with what is behind it. */
  addOnBones(surface: Surface, bones: Float32Array, picture: Picture, light: Vector, seen = 1): void {
    if (!this.isOn) return;
    onBones(surface, bones, this.room(surface, light));
    this.add(surface, picture, seen);
  }

  /** Draws them; `use` takes what the next triangles are drawn by. */
  draw(use: (picture: Picture) => void, clear: boolean): void {
    const { gl } = this;
    for (const { picture, data, used } of this.batches.values()) {
      if (!used || !!picture.blend !== clear) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data.subarray(0, used), gl.STREAM_DRAW);
      this.covers.bind(picture);
      use(picture);
      gl.bindVertexArray(this.array);
      gl.drawArrays(gl.TRIANGLES, 0, used / PICTURED);
      this.triangles += used / PICTURED / 3;
    }
    gl.bindVertexArray(null);
  }

  private room({ texels, chrome }: Surface, light: Vector): Put {
    const count = texels.length / 2;
    if (this.corners.length < count * 3)
      [this.corners, this.colors, this.mirrored] = [
        new Float32Array(count * 6),
        new Uint8Array(count * 6),
        new Float32Array(count * 6),
      ];
    const {
      corners,
      colors,
      mirrored,
      sides: [left, up],
    } = this;
    return (vertex, x, y, z, nx, ny, nz) => {
      corners[vertex * 3] = x;
      corners[vertex * 3 + 1] = y;
      corners[vertex * 3 + 2] = z;
      if (chrome) {
        // the middle of the picture is what looks at the eye
        mirrored[vertex * 2] = ((1 - nx * left[0] - ny * left[1] - nz * left[2]) / 2) * chrome[0];
        mirrored[vertex * 2 + 1] = ((1 - nx * up[0] - ny * up[1] - nz * up[2]) / 2) * chrome[1];
      }
      // the half of the full value is the picture as it is
      const bright = 127 * (0.76 + 0.14 * nx + 0.08 * ny + 0.3 * nz);
      for (let channel = 0; channel < 3; channel++)
        colors[vertex * 3 + channel] = Math.max(0, Math.min(255, bright * light[channel]));
    };
  }

  private add({ indices, texels: own, chrome }: Surface, picture: Picture, seen: number): void {
    if (picture.hidden) return;
    let batch = this.batches.get(picture);
    if (!batch) {
      batch = batchOf(picture, new Float32Array(FIRST));
      this.batches.set(picture, batch);
    }
    if (batch.used + indices.length * PICTURED > batch.data.length) {
      const larger = new Float32Array((batch.used + indices.length * PICTURED) * 2);
      larger.set(batch.data.subarray(0, batch.used));
      [batch.data, batch.bytes] = [larger, new Uint8Array(larger.buffer)];
    }
    const { data, bytes } = batch;
    const { corners, colors } = this;
    const texels = chrome ? this.mirrored : own;
    const [s, t] = picture.scale;
    let at = batch.used;
    for (const vertex of indices) {
      data[at] = corners[vertex * 3];
      data[at + 1] = corners[vertex * 3 + 1];
      data[at + 2] = corners[vertex * 3 + 2];
      data[at + 3] = texels[vertex * 2] * s;
      data[at + 4] = texels[vertex * 2 + 1] * t;
      data[at + 5] = 0;
      const byte = (at + 6) * 4;
      bytes[byte] = colors[vertex * 3];
      bytes[byte + 1] = colors[vertex * 3 + 1];
      bytes[byte + 2] = colors[vertex * 3 + 2];
      bytes[byte + 3] = 255 * seen;
      at += PICTURED;
    }
    batch.used = at;
  }
}

const batchOf = (picture: Picture, data: Float32Array): Batch => ({
  picture,
  data,
  bytes: new Uint8Array(data.buffer),
  used: 0,
});
