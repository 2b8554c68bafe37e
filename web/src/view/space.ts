// The level and what moves in it, drawn by WebGL2. Without a map the ground is what players stood on.

import type { Entity, Scene, Vector } from '../data/film';
import type { Level, Part } from '../maps/level';
import type { Light } from '../maps/light';
import { type Camera, axes } from './camera';
import { itemColor, playerColor } from './colors';
import { type Footprint, shade } from './footprint';
import type { Look } from './overlay';
import { type Batch, type Skins, skinsOf } from './skins';
import { isSoftware } from './software';

const VERTEX = `#version 300 es
uniform mat4 matrix;
uniform vec3 offset;
uniform mat3 turned;
uniform bool dressed;
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;
layout(location = 2) in vec2 luxel;
layout(location = 3) in vec3 texel;
layout(location = 4) in vec4 tint;
out vec4 shown;
out vec2 at;
out vec3 on;
out float height;
void main() {
  vec3 place = turned * position + offset;
  gl_Position = matrix * vec4(place, 1.0);
  // the half of a tint is a picture as it is
  shown = dressed ? vec4(tint.rgb * 2.0, tint.a) : color;
  at = luxel;
  on = texel;
  height = place.z;
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
uniform float ceiling;
uniform sampler2D light;
uniform bool lit;
uniform mediump sampler2DArray skin;
uniform bool dressed;
uniform bool clear;
uniform float cut;
in vec4 shown;
in highp vec2 at;
in highp vec3 on;
in highp float height;
out vec4 pixel;
void main() {
  vec4 color = shown;
  float alpha = 1.0;
  if (dressed) {
    vec4 found = texture(skin, on);
    alpha = found.a;
    color = vec4(shown.rgb * found.rgb, clear ? shown.a * alpha : shown.a);
  }
  if (height > ceiling || alpha < cut) discard;
  if (lit) {
    // half of the full value is a surface's own color; what no light reaches can still be made out. Textures are darker than flat colors, as games
    // brighten them, too, but less where it is bright
    vec3 bright = texture(light, at).rgb;
    color.rgb *= dressed ? 0.6 + bright * (2.8 - 1.2 * bright) : 0.3 + 2.3 * bright;
  }
  pixel = color;
}`;

const UNTURNED = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const NO_CEILING = 1e9;
/** Numbers of a vertex of moving things: place, then color as bytes in one. */
const WIDTH = 4;
/** What vertices have besides, each in a buffer of its own. */
const [LUXEL, TEXEL, TINT] = [2, 3, 4];
const UNIFORMS = ['matrix', 'offset', 'turned', 'ceiling', 'lit', 'dressed', 'clear', 'cut', 'skin'] as const;

interface Ground {
  array: WebGLVertexArrayObject;
  count: number;
  buffers: WebGLBuffer[];
  light: WebGLTexture | null;
  /** Its pictures, where there are any. */
  skins: Skins | null;
}

export class Space {
  private readonly program: WebGLProgram;
  private readonly uniforms: Record<(typeof UNIFORMS)[number], WebGLUniformLocation | null>;
  private readonly moving: { array: WebGLVertexArrayObject; buffer: WebGLBuffer };
  private ground: Ground | null = null;
  private groundOf: Level | Footprint | null = null;
  private level: Level | null = null;
  private data = new Float32Array(1 << 14);
  private bytes = new Uint8Array(this.data.buffer);
  private used = 0;
  /** Where parts of the map were seen last. */
  private readonly places = new Map<number, { origin: Vector; angles: Vector | null }>();
  /** Triangles drawn last. */
  triangles = 0;

  private constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = program(gl);
    this.uniforms = Object.fromEntries(UNIFORMS.map((name) => [name, gl.getUniformLocation(this.program, name)])) as typeof this.uniforms;
    const buffer = gl.createBuffer()!;
    this.moving = { array: layout(gl, buffer), buffer };
    gl.enable(gl.DEPTH_TEST);
    // faces go clockwise, seen from the front
    gl.frontFace(gl.CW);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Nothing where the browser has no WebGL2: the plan is drawn without. */
  static on(canvas: HTMLCanvasElement, keep: boolean): Space | null {
    try {
      const gl = canvas.getContext('webgl2', { antialias: !isSoftware(), alpha: true, preserveDrawingBuffer: keep });
      return gl ? new Space(gl) : null;
    } catch {
      return null;
    }
  }

  close(): void {
    this.gl.getExtension('WEBGL_lose_context')?.loseContext();
  }

  /** The ground to draw: a map, or the footprint. */
  setGround(ground: Level | Footprint | null): void {
    if (ground === this.groundOf) return;
    this.groundOf = ground;
    const { gl } = this;
    if (this.ground) {
      gl.deleteVertexArray(this.ground.array);
      for (const buffer of this.ground.buffers) gl.deleteBuffer(buffer);
      for (const texture of [this.ground.light, ...(this.ground.skins?.textures ?? [])]) gl.deleteTexture(texture);
      this.ground = null;
    }
    this.level = ground && 'parts' in ground ? ground : null;
    this.places.clear();
    if (!ground) return;
    const mesh = 'parts' in ground ? ground : tiles(ground);
    const skins = this.level?.pictures.length ? skinsOf(gl, this.level) : null;
    const [vertices, elements] = [gl.createBuffer()!, gl.createBuffer()!];
    const count = mesh.positions.length / 3;
    const data = new Float32Array(count * WIDTH);
    const bytes = new Uint8Array(data.buffer);
    for (let at = 0; at < count; at++) {
      data.set(mesh.positions.subarray(at * 3, at * 3 + 3), at * WIDTH);
      bytes.set(mesh.colors.subarray(at * 4, at * 4 + 4), (at * WIDTH + 3) * 4);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, vertices);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    const array = layout(gl, vertices);
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, elements);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, skins?.indices ?? mesh.indices, gl.STATIC_DRAW);
    const buffers = [vertices, elements];
    const light = this.level?.light ? picture(gl, this.level.light) : null;
    if (light) buffers.push(attribute(gl, LUXEL, 2, this.level!.luxels));
    if (skins) buffers.push(attribute(gl, TEXEL, 3, skins.places), attribute(gl, TINT, 4, this.level!.tints));
    gl.bindVertexArray(null);
    this.ground = { array, count: mesh.indices.length, buffers, light, skins };
  }

  draw(scene: Scene, camera: Camera, width: number, height: number, ceiling: number | null, look: Look): void {
    const { gl, uniforms } = this;
    gl.viewport(0, 0, width, height);
    const sky = look.dark ? [0.1, 0.12, 0.16] : [0.15, 0.17, 0.21];
    gl.clearColor(sky[0]!, sky[1]!, sky[2]!, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.program);
    gl.uniformMatrix4fv(uniforms.matrix, false, camera.update());
    gl.uniform1f(uniforms.ceiling, camera.isFlat && ceiling !== null ? ceiling : NO_CEILING);
    this.triangles = 0;
    const isLit = look.light && !!this.ground?.light;
    if (isLit) gl.bindTexture(gl.TEXTURE_2D, this.ground!.light);
    gl.uniform1i(uniforms.lit, Number(isLit));
    gl.uniform1i(uniforms.skin, 1);
    const dressed = look.textures && !!this.ground?.skins;
    this.drawGround(scene, false, dressed);
    gl.uniform1i(uniforms.lit, 0);
    if (!camera.isFlat) this.drawMoving(scene, camera, look.followed);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    this.drawGround(scene, true, dressed);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  private drawGround(scene: Scene, clear: boolean, dressed: boolean): void {
    const { gl, ground, level } = this;
    if (!ground) return;
    gl.bindVertexArray(ground.array);
    if (!level) {
      if (clear) return;
      gl.disable(gl.CULL_FACE);
      this.place([0, 0, 0], null);
      this.elements(0, ground.count);
      return;
    }
    // the surface of water is seen from both sides
    if (clear) gl.disable(gl.CULL_FACE);
    else gl.enable(gl.CULL_FACE);
    if (!clear) this.findParts(scene);
    level.parts.forEach((part, number) => {
      const [first, count] = clear ? [part.liquidFirst, part.liquidCount] : [part.first, part.count];
      if (!count && !(clear && dressed)) return;
      const place = number ? this.placeOf(part, number) : { origin: [0, 0, 0] as Vector, angles: null };
      if (!place) return;
      this.place(place.origin, place.angles);
      if (!dressed) this.elements(first, count);
      else for (const batch of ground.skins!.batches[number]!) if (batch.clear === clear) this.drawBatch(batch);
    });
    gl.disable(gl.CULL_FACE);
  }

  /** Triangles with their pictures. */
  private drawBatch({ texture, cut, blend, both, clear, first, count }: Batch): void {
    const { gl, uniforms } = this;
    if (!texture) {
      this.elements(first, count);
      return;
    }
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
    gl.activeTexture(gl.TEXTURE0);
    gl.uniform1i(uniforms.dressed, 1);
    gl.uniform1f(uniforms.cut, cut);
    if (blend) {
      const factor = (name: string) => gl[name as 'ONE'];
      gl.uniform1i(uniforms.clear, 1);
      gl.blendFunc(factor(blend[0]), factor(blend[1]));
      // what lies on a wall is in front of it
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(-1, -1);
      if (!both) gl.enable(gl.CULL_FACE);
    } else if (both) gl.disable(gl.CULL_FACE);
    this.elements(first, count);
    if (blend) {
      gl.uniform1i(uniforms.clear, 0);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      gl.disable(gl.POLYGON_OFFSET_FILL);
      gl.disable(gl.CULL_FACE);
    } else if (both && !clear) gl.enable(gl.CULL_FACE);
    gl.uniform1i(uniforms.dressed, 0);
    gl.uniform1f(uniforms.cut, 0);
  }

  private findParts(scene: Scene): void {
    for (const { model, origin, angles } of scene.entities) {
      if (model?.startsWith('*') && origin) this.places.set(Number(model.slice(1)), { origin, angles });
    }
  }

  private placeOf(part: Part, number: number): { origin: Vector; angles: Vector | null } | null {
    return this.places.get(number) ?? (part.drawn ? { origin: part.origin, angles: null } : null);
  }

  private place(origin: Vector, angles: Vector | null): void {
    const { gl, uniforms } = this;
    gl.uniform3fv(uniforms.offset, origin);
    const turned = angles?.some((angle) => angle) ? axes(angles).flat() : UNTURNED;
    gl.uniformMatrix3fv(uniforms.turned, false, turned);
  }

  private elements(first: number, count: number): void {
    this.gl.drawElements(this.gl.TRIANGLES, count, this.gl.UNSIGNED_INT, first * 4);
    this.triangles += count / 3;
  }

  private drawMoving(scene: Scene, camera: Camera, followed: number | null): void {
    this.used = 0;
    for (const player of scene.players) {
      if (!player.origin || player.spectator || (camera.mode === 'eyes' && (player.slot === followed || player.isView))) continue;
      const color = rgb(playerColor(player));
      const [x, y, z] = player.origin;
      if (player.alive === false) this.box([x - 20, y - 20, z - 24], [x + 20, y + 20, z - 14], color);
      else {
        const top = player.crouching ? 12 : 28;
        this.box([x - 14, y - 14, z - 24], [x + 14, y + 14, z + top], color);
        if (player.angles) {
          const [forward] = axes(player.angles);
          const eye: Vector = [x, y, z + top - 8];
          this.beam(eye, [eye[0] + forward[0] * 42, eye[1] + forward[1] * 42, eye[2] + forward[2] * 42], 2.5, [255, 255, 255]);
        }
      }
    }
    for (const entity of scene.entities) this.thing(entity);
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.moving.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.data.subarray(0, this.used), gl.STREAM_DRAW);
    gl.bindVertexArray(this.moving.array);
    this.place([0, 0, 0], null);
    gl.drawArrays(gl.TRIANGLES, 0, this.used / WIDTH);
    this.triangles += this.used / WIDTH / 3;
  }

  private thing(entity: Entity): void {
    if (!entity.origin) return;
    const around = (size: number, color: number[]) => {
      const [x, y, z] = entity.origin!;
      this.box([x - size, y - size, z - size], [x + size, y + size, z + size], color);
    };
    if (entity.kind === 'item') around(9, rgb(itemColor(entity.item?.common)));
    else if (entity.kind === 'missile') around(4, [255, 160, 60]);
    else if (entity.kind === 'corpse') around(10, [130, 60, 60]);
    else if (entity.kind === 'effect') around(7, [255, 225, 130]);
    else if (entity.kind === 'mover' && !this.level && !entity.model?.startsWith('*')) around(16, [150, 150, 165]);
  }

  private box([ax, ay, az]: Vector, [bx, by, bz]: Vector, color: number[]): void {
    const side = (corners: Vector[], light: number) => {
      for (const at of [0, 1, 2, 0, 2, 3]) this.corner(corners[at]!, color, light);
    };
    side([[ax, ay, bz], [ax, by, bz], [bx, by, bz], [bx, ay, bz]], 1);
    side([[ax, ay, az], [bx, ay, az], [bx, by, az], [ax, by, az]], 0.45);
    side([[ax, ay, az], [ax, ay, bz], [bx, ay, bz], [bx, ay, az]], 0.7);
    side([[ax, by, az], [bx, by, az], [bx, by, bz], [ax, by, bz]], 0.75);
    side([[ax, ay, az], [ax, by, az], [ax, by, bz], [ax, ay, bz]], 0.62);
    side([[bx, ay, az], [bx, ay, bz], [bx, by, bz], [bx, by, az]], 0.85);
  }

  private beam(from: Vector, to: Vector, half: number, color: number[]): void {
    for (const across of [[half, 0, 0], [0, half, 0], [0, 0, half]] as Vector[]) {
      const corner = (end: Vector, sign: number): Vector => [end[0] + across[0] * sign, end[1] + across[1] * sign, end[2] + across[2] * sign];
      const corners = [corner(from, -1), corner(from, 1), corner(to, 1), corner(to, -1)];
      for (const at of [0, 1, 2, 0, 2, 3]) this.corner(corners[at]!, color, 1);
    }
  }

  private corner([x, y, z]: Vector, color: number[], light: number): void {
    if (this.used + WIDTH > this.data.length) {
      const larger = new Float32Array(this.data.length * 2);
      larger.set(this.data);
      this.data = larger;
      this.bytes = new Uint8Array(larger.buffer);
    }
    this.data[this.used] = x;
    this.data[this.used + 1] = y;
    this.data[this.used + 2] = z;
    const at = (this.used + 3) * 4;
    for (let channel = 0; channel < 3; channel++) this.bytes[at + channel] = color[channel]! * light;
    this.bytes[at + 3] = 255;
    this.used += WIDTH;
  }
}

/** What players stood on, as tiles. */
function tiles(plan: Footprint): { positions: Float32Array; colors: Uint8Array; indices: Uint32Array } {
  const { box, cell, cells, layers } = plan;
  const count = cells.length / 3;
  const [positions, colors, indices] = [new Float32Array(count * 12), new Uint8Array(count * 16), new Uint32Array(count * 6)];
  const [low, high] = [layers[0]?.z ?? 0, layers[layers.length - 1]?.z ?? 0];
  for (let tile = 0; tile < count; tile++) {
    const [x, y, z] = [cells[tile * 3]!, cells[tile * 3 + 1]!, cells[tile * 3 + 2]!];
    const [left, bottom] = [box.min[0] + (x - 0.5) * cell, box.min[1] + (y - 0.5) * cell];
    positions.set([left, bottom, z, left, bottom + cell, z, left + cell, bottom + cell, z, left + cell, bottom, z], tile * 12);
    const light = (x + y) % 2 ? 0.94 : 1;
    const [red, green, blue] = shade(high > low ? (z - low) / (high - low) : 0.5).map((value) => Math.max(0, Math.min(255, value * light)));
    for (let corner = 0; corner < 4; corner++) colors.set([red!, green!, blue!, 255], tile * 16 + corner * 4);
    const first = tile * 4;
    indices.set([first, first + 1, first + 2, first, first + 2, first + 3], tile * 6);
  }
  return { positions, colors, indices };
}

function layout(gl: WebGL2RenderingContext, buffer: WebGLBuffer): WebGLVertexArrayObject {
  const array = gl.createVertexArray()!;
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, WIDTH * 4, 0);
  gl.enableVertexAttribArray(1);
  gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, WIDTH * 4, 12);
  gl.bindVertexArray(null);
  return array;
}

/** The light of a level. Where a browser's textures are smaller than that, there is none. */
function picture(gl: WebGL2RenderingContext, { width, height, pixels }: Light): WebGLTexture | null {
  if (Math.max(width, height) > (gl.getParameter(gl.MAX_TEXTURE_SIZE) as number)) return null;
  const texture = gl.createTexture()!;
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB8, width, height, 0, gl.RGB, gl.UNSIGNED_BYTE, pixels);
  for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  for (const size of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, size, gl.LINEAR);
  return texture;
}

/** What vertices have besides their place and color, for the array that is bound. */
function attribute(gl: WebGL2RenderingContext, location: number, numbers: number, data: Float32Array | Uint8Array): WebGLBuffer {
  const buffer = gl.createBuffer()!;
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(location);
  const bytes = data instanceof Uint8Array;
  gl.vertexAttribPointer(location, numbers, bytes ? gl.UNSIGNED_BYTE : gl.FLOAT, bytes, 0, 0);
  return buffer;
}

function program(gl: WebGL2RenderingContext): WebGLProgram {
  const made = gl.createProgram()!;
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made) ?? 'no program');
  return made;
}

const rgb = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
