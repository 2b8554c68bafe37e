// Models without bones on the graphics card, all poses of them. It puts the vertices in their places: sixteen players are 300,000 numbers that need not go there for each
// picture.

import type { Vector } from '../data/vector';
import type { Picture } from '../maps/format';
import { type Lit, isEven } from '../maps/lightgrid';
import type { Model, Surface } from '../models/model';
import type { Covers } from './covers';
import type { Between, Frame } from './pose';
import type { Programs } from './programs';

/** Bytes of a vertex in a pose: place as four short numbers, normal as four bytes. */
const STRIDE = 12;
const SHORT = 32767;
/** What models may take on the card; those not drawn last make room. */
const MOST_BYTES = 192 << 20;
/** Where light falls from: above, and a little from one side. */
const LIGHT: Vector = [0.14, 0.08, 0.3];
const [TEXEL, HERE, THERE, NORMAL] = [3, 5, 6, 7];

interface Mesh {
  array: WebGLVertexArrayObject;
  buffers: WebGLBuffer[];
  poses: WebGLBuffer;
  /** Units that the largest number stands for. */
  unit: number;
  /** Bytes of a pose, and of all. */
  pose: number;
  bytes: number;
  count: number;
  /** The picture that it was drawn for last. */
  drawn: number;
}

interface Call {
  mesh: Mesh;
  from: number;
  to: number;
  part: number;
  frame: Frame;
  light: Lit;
}

export class ModelMeshes {
  private readonly meshes = new Map<Surface, Mesh>();
  /** What is drawn, by picture. */
  private readonly calls = new Map<Picture, Call[]>();
  private bytes = 0;
  private picture = 0;
  triangles = 0;
  /** Whether what is added is drawn. */
  isOn = true;

  constructor(
    private readonly gl: WebGL2RenderingContext,
    private readonly covers: Covers,
  ) {}

  begin(): void {
    this.calls.clear();
    this.triangles = 0;
    if (this.bytes > MOST_BYTES)
      for (const [surface, mesh] of this.meshes) if (mesh.drawn !== this.picture) this.forget(surface, mesh);
    this.picture++;
  }

  /** Adds a surface between two poses. */
  add(model: Model, surface: Surface, { from, to, part }: Between, frame: Frame, picture: Picture, light: Lit): void {
    if (!this.isOn || picture.hidden || !surface.indices.length || !model.poses) return;
    let mesh = this.meshes.get(surface);
    if (!mesh) {
      mesh = this.upload(surface);
      this.meshes.set(surface, mesh);
    }
    mesh.drawn = this.picture;
    const pose = (number: number) => Math.max(0, Math.min(model.poses - 1, Math.floor(number)));
    const call = { mesh, from: pose(from), to: pose(to), part, frame, light };
    const known = this.calls.get(picture);
    if (known) known.push(call);
    else this.calls.set(picture, [call]);
  }

  /** Draws them; `use` takes what the next triangles are drawn by, `through` what is between the eye and a place and so far around it, and what lights that. */
  draw(
    programs: Programs,
    use: (picture: Picture) => void,
    clear: boolean,
    through: (place: Vector, reach: number, picture: Picture) => void,
  ): void {
    const { gl } = this;
    for (const [picture, calls] of this.calls) {
      if (!!picture.blend !== clear) continue;
      this.covers.bind(picture);
      use(picture);
      programs.set('stretch', picture.scale);
      for (const call of calls) {
        through(call.frame.origin, call.mesh.unit * Math.sqrt(3) * Math.hypot(...call.frame.axes[0]), picture);
        this.call(programs, call);
      }
    }
    programs.turn('shaded', false);
    gl.bindVertexArray(null);
  }

  private call(programs: Programs, { mesh, from, to, part, frame: { origin, axes }, light }: Call): void {
    const { gl } = this;
    const { unit, pose } = mesh;
    programs.set(
      'turned',
      axes.flatMap((axis) => axis.map((value) => value * unit)),
    );
    programs.set('offset', origin);
    programs.set('part', part);
    programs.set('grain', unit);
    const even = isEven(light);
    const toward = even ? LIGHT : light.toward;
    programs.turn('shaded', !even);
    programs.set(
      'slope',
      axes.map((axis) => axis[0] * toward[0] + axis[1] * toward[1] + axis[2] * toward[2]),
    );
    programs.set('bright', even ? light : light.ambient);
    if (!even) programs.set('directed', light.directed);
    programs.use();
    gl.bindVertexArray(mesh.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.poses);
    gl.vertexAttribPointer(HERE, 4, gl.SHORT, true, STRIDE, from * pose);
    gl.vertexAttribPointer(THERE, 4, gl.SHORT, true, STRIDE, to * pose);
    gl.vertexAttribPointer(NORMAL, 4, gl.BYTE, true, STRIDE, from * pose + 8);
    gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_SHORT, 0);
    this.triangles += mesh.count / 3;
  }

  private upload({ positions, normals, texels, indices }: Surface): Mesh {
    const { gl } = this;
    const vertices = positions.length / 3;
    let reach = 0;
    for (const value of positions) reach = Math.max(reach, Math.abs(value));
    const data = new ArrayBuffer(vertices * STRIDE);
    const [shorts, bytes] = [new Int16Array(data), new Int8Array(data)];
    for (let vertex = 0; vertex < vertices; vertex++) {
      for (let axis = 0; axis < 3; axis++) {
        shorts[vertex * 6 + axis] = Math.round((positions[vertex * 3 + axis] / (reach || 1)) * SHORT);
        bytes[vertex * STRIDE + 8 + axis] = normals[vertex * 3 + axis];
      }
    }
    const array = gl.createVertexArray()!;
    gl.bindVertexArray(array);
    const buffer = (target: number, content: ArrayBuffer | ArrayBufferView) => {
      const made = gl.createBuffer()!;
      gl.bindBuffer(target, made);
      gl.bufferData(target, content as ArrayBuffer, gl.STATIC_DRAW);
      return made;
    };
    const elements = buffer(gl.ELEMENT_ARRAY_BUFFER, Uint16Array.from(indices));
    const places = buffer(gl.ARRAY_BUFFER, texels);
    gl.vertexAttribPointer(TEXEL, 2, gl.FLOAT, false, 0, 0);
    const poses = buffer(gl.ARRAY_BUFFER, data);
    for (const location of [TEXEL, HERE, THERE, NORMAL]) gl.enableVertexAttribArray(location);
    gl.bindVertexArray(null);
    const size = data.byteLength + texels.byteLength + indices.length * 2;
    this.bytes += size;
    return {
      array,
      buffers: [elements, places, poses],
      poses,
      unit: reach || 1,
      pose: (texels.length / 2) * STRIDE,
      bytes: size,
      count: indices.length,
      drawn: this.picture,
    };
  }

  private forget(surface: Surface, { array, buffers, bytes }: Mesh): void {
    const { gl } = this;
    gl.deleteVertexArray(array);
    for (const buffer of buffers) gl.deleteBuffer(buffer);
    this.meshes.delete(surface);
    this.bytes -= bytes;
  }
}
