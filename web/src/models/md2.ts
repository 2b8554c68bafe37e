// Models of Quake II: one surface, whose pictures are files.

import { BadModel, MOST_POSES, MOST_TRIANGLES, MOST_VERTICES, type Model, Reader, normalsOf, room } from './model';

const VERSION = 8;
const [MOST_SKINS, NAME] = [256, 64];
/** A frame before its vertices: scale, origin, name. */
const FRAME = 40;

export function parseMd2(bytes: Uint8Array): Model {
  const file = new Reader(bytes);
  const head = (place: number) => file.int(place * 4);
  if (head(1) !== VERSION) throw new BadModel(`version ${head(1)} is none of the game's`);
  const [width, height, frameSize] = [head(2), head(3), head(4)];
  const [skinsAt, texelsAt, trianglesAt, framesAt] = [head(11), head(12), head(13), head(14)];
  const skinCount = file.count(head(5), MOST_SKINS, skinsAt, NAME);
  const vertexCount = head(6);
  const texelCount = file.count(head(7), MOST_VERTICES * 2, texelsAt, 4);
  const triangleCount = file.count(head(8), MOST_TRIANGLES, trianglesAt, 12);
  if (width < 1 || height < 1 || vertexCount < 0 || vertexCount > MOST_VERTICES || frameSize < FRAME + vertexCount * 4)
    throw new BadModel('it has no shape');
  const poses = file.count(head(10), MOST_POSES, framesAt, frameSize);
  const skins = Array.from({ length: skinCount }, (_, skin) =>
    file
      .text(skinsAt + skin * NAME, NAME)
      .replaceAll('\\', '/')
      .toLowerCase()
      .replace(/\.\w+$/, ''),
  );
  // places and places in the picture have numbers of their own
  const corners = new Map<number, number>();
  const source: number[] = [];
  const texels: number[] = [];
  const indices = new Uint32Array(triangleCount * 3);
  for (let corner = 0; corner < indices.length; corner++) {
    const at = trianglesAt + Math.floor(corner / 3) * 12 + (corner % 3) * 2;
    const [vertex, texel] = [file.ushort(at), file.ushort(at + 6)];
    if (vertex >= vertexCount || texel >= texelCount) throw new BadModel('a triangle has a corner that is not there');
    const key = vertex * MOST_VERTICES * 2 + texel;
    let found = corners.get(key);
    if (found === undefined) {
      found = source.push(vertex) - 1;
      corners.set(key, found);
      texels.push(
        (file.short(texelsAt + texel * 4) + 0.5) / width,
        (file.short(texelsAt + texel * 4 + 2) + 0.5) / height,
      );
    }
    indices[corner] = found;
  }
  const positions = new Float32Array(room(poses, source.length));
  let to = 0;
  for (let pose = 0; pose < poses; pose++) {
    const at = framesAt + pose * frameSize;
    const [scale, origin] = [0, 12].map((from) => [0, 4, 8].map((axis) => file.float(at + from + axis))) as [
      number[],
      number[],
    ];
    for (const vertex of source)
      for (let axis = 0; axis < 3; axis++)
        positions[to++] = file.byte(at + FRAME + vertex * 4 + axis) * scale[axis] + origin[axis];
  }
  const surface = {
    name: '',
    skins,
    indices,
    texels: Float32Array.from(texels),
    positions,
    normals: normalsOf(positions, indices, source.length),
    bones: null,
    masked: false,
  };
  return {
    format: 'MD2',
    poses,
    frames: Array.from({ length: poses }, (_, pose) => [pose, 1]),
    surfaces: [surface],
    pictures: [],
    tags: [],
    skeleton: null,
    flags: 0,
  };
}
