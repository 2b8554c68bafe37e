// Small maps that Quake draws as things: boxes of ammunition and health.

import { parseLevel } from '../maps/level';
import { BadModel, type Inside, type Model, Reader, type Surface, normalsOf } from './model';

const LARGEST_SIDE = 4096;

export function parseBrush(bytes: Uint8Array): Model {
  const { format, parts, indices, positions, texels, materials } = parseLevel(bytes);
  if (format !== 'Quake' || !parts[0]) throw new BadModel('not a Quake brush model');
  const pictures: Inside[] = [];
  const surfaces = parts[0].runs.map(({ material, first, count }): Surface => {
    const picture = readInside(materials[material]?.inside ?? null);
    const [width, height] = picture ? [picture.width, picture.height] : [1, 1];
    const places = new Map<number, number>();
    const own = Uint32Array.from(indices.subarray(first, first + count), (vertex) => {
      if (!places.has(vertex)) places.set(vertex, places.size);
      return places.get(vertex)!;
    });
    const vertices = [...places.keys()];
    const corners = Float32Array.from(
      vertices.flatMap((vertex) => [...positions.subarray(vertex * 3, vertex * 3 + 3)]),
    );
    return {
      name: '',
      skins: picture ? [pictures.push(picture) - 1] : [],
      indices: own,
      texels: Float32Array.from(
        vertices.flatMap((vertex) => [texels[vertex * 2] / width, texels[vertex * 2 + 1] / height]),
      ),
      positions: corners,
      normals: normalsOf(corners, own, vertices.length),
      bones: null,
      masked: false,
    };
  });
  return { format: 'BSP', poses: 1, frames: [[0, 1]], surfaces, pictures, tags: [], skeleton: null, flags: 0 };
}

/** The largest size of a texture. */
function readInside(bytes: Uint8Array | null): Inside | null {
  if (!bytes) return null;
  const file = new Reader(bytes);
  const [width, height, from] = [16, 20, 24].map((at) => file.int(at)) as [number, number, number];
  if (width < 1 || height < 1 || width > LARGEST_SIDE || height > LARGEST_SIDE) return null;
  return { width, height, indices: file.slice(from, width * height), palette: null };
}
