// Models of Quake: one surface, whose pictures are inside. Frames may be groups that play by themselves.

import {
  BadModel,
  type Inside,
  MOST_POSES,
  MOST_TRIANGLES,
  MOST_VERTICES,
  type Model,
  Reader,
  normalsOf,
  room,
} from './model';

const HEADER = 84;
const [MOST_SKINS, MOST_GROUP, LARGEST_SIDE] = [256, 256, 4096];

export function parseMdl(bytes: Uint8Array): Model {
  const file = new Reader(bytes);
  const vector = (at: number) => [file.float(at), file.float(at + 4), file.float(at + 8)] as const;
  const [scale, origin] = [vector(8), vector(20)];
  const [skinCount, width, height] = [file.int(48), file.int(52), file.int(56)];
  const [vertexCount, triangleCount, frameCount, flags] = [file.int(60), file.int(64), file.int(68), file.int(76)];
  if (width < 1 || height < 1 || width > LARGEST_SIDE || height > LARGEST_SIDE)
    throw new BadModel('its pictures have no size');
  let at = HEADER;
  const pictures: Inside[] = [];
  file.count(skinCount, MOST_SKINS, at, width * height);
  for (let skin = 0; skin < skinCount; skin++) {
    // of a group the first
    const group = file.int(at);
    const count = group ? file.count(file.int(at + 4), MOST_GROUP, at + 8, 4 + width * height) : 1;
    at += group ? 8 + count * 4 : 4;
    if (!count) throw new BadModel('a group has no pictures');
    pictures.push({ width, height, indices: file.slice(at, width * height), palette: null });
    at += count * width * height;
  }
  const places = at;
  at += file.count(vertexCount, MOST_VERTICES, at, 12) * 12;
  const triangles = at;
  at += file.count(triangleCount, MOST_TRIANGLES, at, 16) * 16;
  // a vertex on the seam of front and back has two places in the picture
  const corners = new Map<number, number>();
  const source: number[] = [];
  const texels: number[] = [];
  const indices = new Uint32Array(triangleCount * 3);
  for (let corner = 0; corner < indices.length; corner++) {
    const triangle = triangles + Math.floor(corner / 3) * 16;
    const vertex = file.int(triangle + 4 + (corner % 3) * 4);
    if (vertex < 0 || vertex >= vertexCount) throw new BadModel('a triangle has a corner that is not there');
    const isBack = !file.int(triangle) && file.int(places + vertex * 12) !== 0;
    const key = vertex * 2 + Number(isBack);
    let found = corners.get(key);
    if (found === undefined) {
      found = source.push(vertex) - 1;
      corners.set(key, found);
      texels.push(
        (file.int(places + vertex * 12 + 4) + (isBack ? width / 2 : 0) + 0.5) / width,
        (file.int(places + vertex * 12 + 8) + 0.5) / height,
      );
    }
    indices[corner] = found;
  }
  const frames: [number, number][] = [];
  const poses: number[] = [];
  const pose = 24 + vertexCount * 4;
  file.count(frameCount, MOST_POSES, at, 4 + pose);
  for (let frame = 0; frame < frameCount; frame++) {
    const group = file.int(at);
    const count = group ? file.count(file.int(at + 4), MOST_GROUP, at + 16, 4 + pose) : 1;
    at += group ? 16 + count * 4 : 4;
    frames.push([poses.length, count]);
    for (let one = 0; one < count; one++, at += pose) poses.push(at + 24);
    if (poses.length > MOST_POSES) throw new BadModel('it has more frames than any model of a game');
  }
  const positions = new Float32Array(room(poses.length, source.length));
  let to = 0;
  for (const from of poses)
    for (const vertex of source)
      for (let axis = 0; axis < 3; axis++)
        positions[to++] = file.byte(from + vertex * 4 + axis) * scale[axis] + origin[axis];
  const surface = {
    name: '',
    skins: pictures.map((_, number) => number),
    indices,
    texels: Float32Array.from(texels),
    positions,
    normals: normalsOf(positions, indices, source.length),
    bones: null,
    masked: false,
  };
  return { format: 'MDL', poses: poses.length, frames, surfaces: [surface], pictures, tags: [], skeleton: null, flags };
}
