// Models of Quake III: surfaces with the shaders that cover them, and tags to attach other models to.

import {
  BadModel,
  MOST_POSES,
  MOST_TRIANGLES,
  MOST_VERTICES,
  type Model,
  Reader,
  type Surface,
  type Tag,
  room,
} from './model';

const VERSION = 15;
const [MOST_SURFACES, MOST_TAGS, MOST_SHADERS] = [64, 64, 256];
const [HEADER, FRAME, TAG, SHADER] = [108, 56, 112, 68];

export function parseMd3(bytes: Uint8Array): Model {
  const file = new Reader(bytes);
  if (file.int(4) !== VERSION) throw new BadModel(`version ${file.int(4)} is none of the game's`);
  const [framesAt, tagsAt] = [file.int(92), file.int(96)];
  const poses = file.count(file.int(76), MOST_POSES, framesAt, FRAME);
  const tagCount = file.count(file.int(80), MOST_TAGS, tagsAt, TAG);
  const surfaceCount = file.int(84);
  if (surfaceCount < 0 || surfaceCount > MOST_SURFACES)
    throw new BadModel(`it says that it has ${surfaceCount} surfaces`);
  file.count(poses * tagCount, MOST_POSES * MOST_TAGS, tagsAt, TAG);
  const tags: Tag[] = [];
  for (let tag = 0; tag < tagCount; tag++) {
    const places = new Float32Array(poses * 12);
    for (let pose = 0; pose < poses; pose++)
      for (let number = 0; number < 12; number++)
        places[pose * 12 + number] = file.float(tagsAt + (pose * tagCount + tag) * TAG + 64 + number * 4);
    tags.push({ name: file.text(tagsAt + tag * TAG, 64).toLowerCase(), places });
  }
  const surfaces: Surface[] = [];
  let [at, numbers] = [file.int(100), 0];
  for (let surface = 0; surface < surfaceCount; surface++) {
    // surfaces may share their bytes, and must not make more of the file than it has
    numbers += file.int(at + 80) * 3;
    room(poses, numbers, 1);
    surfaces.push(readSurface(file, at, poses));
    const size = file.int(at + 104);
    // a surface that ends where it begins would come again and again
    if (size < HEADER) throw new BadModel('a surface has no size');
    at += size;
  }
  return {
    format: 'MD3',
    poses,
    frames: Array.from({ length: poses }, (_, pose) => [pose, 1]),
    surfaces,
    pictures: [],
    tags,
    skeleton: null,
    flags: 0,
  };
}

function readSurface(file: Reader, start: number, poses: number): Surface {
  const [trianglesAt, shadersAt, texelsAt, placesAt] = [88, 92, 96, 100].map(
    (place) => start + file.int(start + place),
  ) as [number, number, number, number];
  if (file.int(start + 72) !== poses) throw new BadModel('a surface has another number of frames');
  const shaders = file.count(file.int(start + 76), MOST_SHADERS, shadersAt, SHADER);
  const vertices = file.count(file.int(start + 80), MOST_VERTICES, texelsAt, 8);
  const triangles = file.count(file.int(start + 84), MOST_TRIANGLES, trianglesAt, 12);
  file.count(poses * vertices, MOST_POSES * MOST_VERTICES, placesAt, 8);
  const positions = new Float32Array(room(poses, vertices));
  const normals = new Int8Array(positions.length);
  for (let vertex = 0; vertex < poses * vertices; vertex++) {
    const at = placesAt + vertex * 8;
    for (let axis = 0; axis < 3; axis++) positions[vertex * 3 + axis] = file.short(at + axis * 2) / 64;
    const [longitude, latitude] = [file.byte(at + 6), file.byte(at + 7)].map((angle) => (angle * Math.PI) / 128) as [
      number,
      number,
    ];
    const normal = [
      Math.cos(latitude) * Math.sin(longitude),
      Math.sin(latitude) * Math.sin(longitude),
      Math.cos(longitude),
    ];
    normal.forEach((value, axis) => (normals[vertex * 3 + axis] = Math.round(value * 127)));
  }
  const indices = new Uint32Array(triangles * 3);
  for (let corner = 0; corner < indices.length; corner++) {
    const vertex = file.int(trianglesAt + corner * 4);
    if (vertex < 0 || vertex >= vertices) throw new BadModel('a triangle has a corner that is not there');
    indices[corner] = vertex;
  }
  const texels = new Float32Array(vertices * 2);
  for (let number = 0; number < texels.length; number++) texels[number] = file.float(texelsAt + number * 4);
  const skins = Array.from({ length: shaders }, (_, shader) =>
    file
      .text(shadersAt + shader * SHADER, 64)
      .replaceAll('\\', '/')
      .toLowerCase(),
  ).filter(Boolean);
  // models with fewer triangles have the number of their level behind the names that skins use
  const name = file
    .text(start + 4, 64)
    .toLowerCase()
    .replace(/(?<=..)_.$/, '');
  return { name, skins, indices, texels, positions, normals, bones: null, masked: false };
}
