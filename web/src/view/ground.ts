// The level on the graphics card: its vertices, its light, and its pictures. Without a map it is what players stood on.

import type { Level } from '../maps/format';
import type { Light } from '../maps/light';
import { Flicker } from './flicker';
import { type Footprint, shade } from './footprint';
import { type Piece, piecesOf } from './pieces';
import { type Skins, skinsOf } from './skins';
import { SPRITE } from './sprites';
import { COLORED, vertexArray } from './vertexarray';
import { wallsOf } from './walls';

/** What vertices have besides, each in a buffer of its own. */
const [LUXEL, TEXEL, TINT, HERE, THERE, NORMAL] = [2, 3, 4, 5, 6, 7];

export interface Ground {
  array: WebGLVertexArrayObject;
  count: number;
  buffers: WebGLBuffer[];
  light: WebGLTexture | null;
  flicker: Flicker | null;
  /** Its pictures, where there are any. */
  skins: Skins | null;
  /** The pieces of its solid world without them. */
  pieces: Piece[];
  indices: Uint32Array;
}

/** Brings a map or a footprint there. */
export function groundOf(gl: WebGL2RenderingContext, ground: Level | Footprint): Ground {
  const level = 'parts' in ground ? ground : null;
  const mesh = 'parts' in ground ? ground : tiles(ground);
  const skins = level?.pictures.length ? skinsOf(gl, level) : null;
  const [vertices, elements] = [gl.createBuffer()!, gl.createBuffer()!];
  const count = mesh.positions.length / 3;
  const data = new Float32Array(count * COLORED);
  const bytes = new Uint8Array(data.buffer);
  for (let at = 0; at < count; at++) {
    data.set(mesh.positions.subarray(at * 3, at * 3 + 3), at * COLORED);
    bytes.set(mesh.colors.subarray(at * 4, at * 4 + 4), (at * COLORED + 3) * 4);
  }
  gl.bindBuffer(gl.ARRAY_BUFFER, vertices);
  gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  const array = vertexArray(gl, vertices, COLORED);
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, elements);
  const indices = skins?.indices ?? mesh.indices.slice();
  const [world] = level?.parts ?? [];
  const pieces = world && !skins ? piecesOf(mesh.positions, indices, world.first, world.count) : [];
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
  const buffers = [vertices, elements];
  const light = level?.light ? picture(gl, level.light) : null;
  if (light) buffers.push(attribute(gl, LUXEL, 2, level!.luxels));
  if (skins) buffers.push(attribute(gl, TEXEL, 3, skins.places), attribute(gl, TINT, 4, skins.tints));
  if (skins?.normals) buffers.push(attribute(gl, NORMAL, 3, skins.normals));
  if (skins?.sprites) {
    buffers.push(attribute(gl, HERE, 4, skins.sprites, SPRITE * 4));
    gl.enableVertexAttribArray(THERE);
    gl.vertexAttribPointer(THERE, 4, gl.FLOAT, false, SPRITE * 4, 16);
  }
  gl.bindVertexArray(null);
  return {
    array,
    count: mesh.indices.length,
    buffers,
    light,
    flicker: light && new Flicker(level!.light!),
    skins,
    pieces,
    indices,
  };
}

export function forgetGround(gl: WebGL2RenderingContext, { array, buffers, light, skins }: Ground): void {
  gl.deleteVertexArray(array);
  for (const buffer of buffers) gl.deleteBuffer(buffer);
  for (const texture of [light, ...(skins?.textures ?? [])]) gl.deleteTexture(texture);
}

/** What players stood on, as tiles, and walls at its edges. */
function tiles(plan: Footprint): { positions: Float32Array; colors: Uint8Array; indices: Uint32Array } {
  const { box, cell, cells, layers } = plan;
  const walls = wallsOf(plan);
  const floors = cells.length / 3;
  const count = floors + walls.length;
  const [positions, colors, indices] = [
    new Float32Array(count * 12),
    new Uint8Array(count * 16),
    new Uint32Array(count * 6),
  ];
  const [low, high] = [layers[0]?.z ?? 0, layers[layers.length - 1]?.z ?? 0];
  const color = (z: number, light: number) =>
    shade(high > low ? Math.max(0, Math.min(1, (z - low) / (high - low))) : 0.5).map((value) =>
      Math.max(0, Math.min(255, value * light)),
    );
  let made = 0;
  const put = (corners: number[], lights: number[][]) => {
    positions.set(corners, made * 12);
    lights.forEach(([red, green, blue], corner) => colors.set([red!, green!, blue!, 255], made * 16 + corner * 4));
    const first = made * 4;
    indices.set([first, first + 1, first + 2, first, first + 2, first + 3], made * 6);
    made++;
  };
  for (let tile = 0; tile < floors; tile++) {
    const [x, y, z] = [cells[tile * 3], cells[tile * 3 + 1], cells[tile * 3 + 2]];
    const [left, bottom] = [box.min[0] + (x - 0.5) * cell, box.min[1] + (y - 0.5) * cell];
    const light = color(z, (x + y) % 2 ? 0.94 : 1);
    put(
      [left, bottom, z, left, bottom + cell, z, left + cell, bottom + cell, z, left + cell, bottom, z],
      [light, light, light, light],
    );
  }
  for (const { from, to, low: foot, high: top, side } of walls) {
    // one side is in the light
    const [dark, light] = [color(foot, side ? 0.5 : 0.62), color(foot, side ? 0.64 : 0.78)];
    const corners = [
      [...from, foot],
      [...from, top],
      [...to, top],
      [...to, foot],
    ];
    put(corners.flat(), [dark, light, light, dark]);
  }
  return { positions, colors, indices };
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
function attribute(
  gl: WebGL2RenderingContext,
  location: number,
  numbers: number,
  data: Float32Array | Uint8Array | Int8Array,
  stride = 0,
): WebGLBuffer {
  const buffer = gl.createBuffer()!;
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(location);
  const kind = data instanceof Float32Array ? gl.FLOAT : data instanceof Int8Array ? gl.BYTE : gl.UNSIGNED_BYTE;
  gl.vertexAttribPointer(location, numbers, kind, kind !== gl.FLOAT, stride, 0);
  return buffer;
}
