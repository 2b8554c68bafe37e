// Pictures in space: sprites, and explosions of the game's files. They are few, and each is drawn with its own picture.

import type { Vector } from '../data/vector';
import type { Picture } from '../maps/format';
import { type Moved, UNMOVED } from './moved';
import { fillPictures } from './picturearray';
import type { SkinUnit } from './skinunit';
import { PICTURED, vertexArray } from './vertexarray';

const CORNERS = 6;
/** Those of one picture at most, and textures that are kept. */
const [MOST, MOST_TEXTURES] = [128, 128];
/** Of four corners, those of two triangles, and where each is in its picture. */
const ORDER = [0, 1, 2, 0, 2, 3];
const TEXELS = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
] as const;

/** How a picture is drawn: the program that is in use. */
export interface BillboardPainter {
  use(picture: Picture, moved: Moved): void;
}

const apart = (a: Vector, b: Vector): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** The corners of the triangles of a shape, by the number of its corners. */
const fan = (corners: number): number[] => Array.from({ length: corners - 2 }, (_, at) => [0, at + 1, at + 2]).flat();

export class Billboards {
  private readonly buffer: WebGLBuffer;
  private readonly array: WebGLVertexArrayObject;
  private readonly textures = new Map<Picture, WebGLTexture>();
  private readonly data: Float32Array<ArrayBuffer>;
  private readonly bytes: Uint8Array;
  private sees: (place: Vector, reach: number) => boolean = () => true;
  private used: { picture: Picture; moved: Moved; first: number; end: number }[] = [];
  /** Corners of triangles. */
  private corners = 0;

  constructor(
    private readonly gl: WebGL2RenderingContext,
    private readonly unit: SkinUnit,
    /** How many of four corners there is room for. */
    private readonly most = MOST,
  ) {
    this.data = new Float32Array(most * CORNERS * PICTURED);
    this.bytes = new Uint8Array(this.data.buffer);
    this.buffer = gl.createBuffer()!;
    this.array = vertexArray(gl, this.buffer, PICTURED);
  }

  get triangles(): number {
    return this.corners / 3;
  }

  /** Begins a picture; `sees` says of a place and what is so far around it whether it may be seen. */
  begin(sees: (place: Vector, reach: number) => boolean): void {
    this.used = [];
    this.corners = 0;
    this.sees = sees;
  }

  /** Adds a picture around a place: `right` and `up` are as long as half of its sides. */
  around(picture: Picture, place: Vector, right: Vector, up: Vector, moved: Moved = UNMOVED): void {
    const corner = (x: number, y: number) =>
      [0, 1, 2].map((axis) => place[axis] + right[axis] * x + up[axis] * y) as Vector;
    this.add(picture, [corner(-1, 1), corner(1, 1), corner(1, -1), corner(-1, -1)], moved);
  }

  /** Adds a picture with its corners: the upper left, the upper right, the lower right, the lower left. */
  add(picture: Picture, corners: readonly Vector[], moved: Moved = UNMOVED): void {
    this.patch(picture, corners, TEXELS, moved);
  }

  /** Adds a part of a picture: a shape without dents, and where in the picture each of its corners is. */
  patch(
    picture: Picture,
    corners: readonly Vector[],
    texels: readonly (readonly [number, number])[],
    moved: Moved = UNMOVED,
  ): void {
    const order = corners.length === 4 ? ORDER : fan(corners.length);
    const [first, end] = [this.corners, this.corners + order.length];
    if (end > this.most * CORNERS || picture.hidden) return;
    const [a, , c] = corners;
    const middle = a.map((value, axis) => (value + c[axis]) / 2) as Vector;
    if (!this.sees(middle, Math.max(...corners.map((corner) => apart(corner, middle))))) return;
    this.used.push({ picture, moved, first, end });
    this.corners = end;
    let at = first * PICTURED;
    for (const corner of order) {
      this.data.set(corners[corner], at);
      this.data.set(texels[corner], at + 3);
      this.data[at + 5] = 0;
      // the half of the full value is the picture as it is
      this.bytes.set([128, 128, 128, 255], (at + 6) * 4);
      at += PICTURED;
    }
  }

  draw(painter: BillboardPainter): void {
    const { gl, used } = this;
    if (!used.length) return;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.data.subarray(0, this.corners * PICTURED), gl.STREAM_DRAW);
    for (let at = 0; at < used.length; ) {
      const { picture, moved } = used[at];
      // what is drawn alike takes one call
      let end = at + 1;
      while (end < used.length && used[end].picture === picture && used[end].moved === moved) end++;
      this.show(picture);
      painter.use(picture, moved);
      const { first } = used[at];
      gl.drawArrays(gl.TRIANGLES, first, used[end - 1].end - first);
      at = end;
    }
    gl.bindVertexArray(null);
  }

  private show(picture: Picture): void {
    const { gl, textures, unit } = this;
    const known = textures.get(picture);
    if (known) {
      unit.show(known);
      return;
    }
    for (const [old, texture] of textures) {
      if (textures.size < MOST_TEXTURES) break;
      gl.deleteTexture(texture);
      textures.delete(old);
    }
    const texture = gl.createTexture()!;
    textures.set(picture, texture);
    unit.fill(texture, () => {
      fillPictures(gl, texture, picture.frames ?? [picture], gl.LINEAR_MIPMAP_NEAREST);
      for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
        gl.texParameteri(gl.TEXTURE_2D_ARRAY, side, gl.CLAMP_TO_EDGE);
    });
  }
}
