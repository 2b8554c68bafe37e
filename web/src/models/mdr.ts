// Models of Team Arena and ioquake3 whose vertices are means of places on bones. Each frame is worked out to places of vertices.

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
import type { Matrix } from './matrix';

const VERSION = 2;
const [FRAME, PACKED_FRAME, BONE, PACKED_BONE, TAG, SURFACE, VERTEX, WEIGHT] = [56, 40, 48, 24, 36, 168, 24, 20];
const [MOST_BONES, MOST_SURFACES, MOST_TAGS, MOST_WEIGHTS] = [256, 64, 256, 16];
/** What the numbers of packed bones are parts of: places and axes. */
const [PLACE, AXIS, HALF] = [1 / 64, 1 / 32766, 32768];

export function parseMdr(bytes: Uint8Array): Model {
  const file = new Reader(bytes);
  if (file.int(4) !== VERSION) throw new BadModel(`version ${file.int(4)} is none of the game's`);
  const [frames, bones, stated, details, detailsAt, tagCount, tagsAt] = [72, 76, 80, 84, 88, 92, 96].map((at) =>
    file.int(at),
  ) as [number, number, number, number, number, number, number];
  const isPacked = stated < 0;
  const [framesAt, size] = [Math.abs(stated), isPacked ? PACKED_FRAME + bones * PACKED_BONE : FRAME + bones * BONE];
  if (frames < 1 || bones < 0 || bones > MOST_BONES || details < 1) throw new BadModel('it has no shape');
  file.count(frames, MOST_POSES, framesAt, size);
  room(frames, bones, 12);
  const poses = Array.from({ length: frames }, (_, frame) =>
    Array.from({ length: bones }, (_, bone) =>
      isPacked
        ? packedBone(file, framesAt + frame * size + PACKED_FRAME + bone * PACKED_BONE)
        : wholeBone(file, framesAt + frame * size + FRAME + bone * BONE),
    ),
  );
  const tags = Array.from({ length: file.count(tagCount, MOST_TAGS, tagsAt, TAG) }, (_, tag): Tag => {
    const bone = file.int(tagsAt + tag * TAG);
    if (bone < 0 || bone >= bones) throw new BadModel('a tag is on a bone that is not there');
    const places = new Float32Array(frames * 12);
    poses.forEach((pose, frame) => places.set([...pose[bone].subarray(9), ...pose[bone].subarray(0, 9)], frame * 12));
    return { name: file.text(tagsAt + tag * TAG + 4, 32).toLowerCase(), places };
  });
  // of several the finest
  const surfaceCount = file.int(detailsAt);
  if (surfaceCount < 0 || surfaceCount > MOST_SURFACES)
    throw new BadModel(`it says that it has ${surfaceCount} surfaces`);
  const surfaces: Surface[] = [];
  let [at, numbers] = [detailsAt + file.int(detailsAt + 4), 0];
  for (let surface = 0; surface < surfaceCount; surface++) {
    // surfaces may share their bytes, and must not make more of the file than it has
    numbers += Math.max(0, file.int(at + 140)) * 3;
    room(frames, numbers, 1);
    surfaces.push(readSurface(file, at, poses));
    const length = file.int(at + 164);
    if (length < SURFACE) throw new BadModel('a surface has no size');
    at += length;
  }
  return {
    format: 'MD3',
    poses: frames,
    frames: poses.map((_, pose) => [pose, 1]),
    surfaces,
    pictures: [],
    tags,
    skeleton: null,
    flags: 0,
  };
}

function readSurface(file: Reader, start: number, poses: Matrix[][]): Surface {
  const word = (place: number) => file.int(start + place);
  const vertices = word(140);
  if (vertices < 0 || vertices > MOST_VERTICES) throw new BadModel('it has more vertices than any model of a game');
  const trianglesAt = start + word(152);
  const triangles = file.count(word(148), MOST_TRIANGLES, trianglesAt, 12);
  const texels = new Float32Array(vertices * 2);
  const positions = new Float32Array(room(poses.length, vertices));
  const normals = new Int8Array(positions.length);
  let at = start + word(144);
  for (let vertex = 0; vertex < vertices; vertex++) {
    const look = [0, 4, 8].map((place) => file.float(at + place)) as [number, number, number];
    texels.set([file.float(at + 12), file.float(at + 16)], vertex * 2);
    const weights = file.count(file.int(at + 20), MOST_WEIGHTS, at + VERTEX, WEIGHT);
    const parts = Array.from({ length: weights }, (_, one) => {
      const from = at + VERTEX + one * WEIGHT;
      const bone = file.int(from);
      if (bone < 0 || bone >= poses[0].length) throw new BadModel('a vertex is on a bone that is not there');
      return {
        bone,
        weight: file.float(from + 4),
        offset: [8, 12, 16].map((place) => file.float(from + place)) as [number, number, number],
      };
    });
    poses.forEach((pose, frame) => {
      const to = (frame * vertices + vertex) * 3;
      const seen = [0, 0, 0];
      for (const { bone, weight, offset } of parts) {
        const matrix = pose[bone];
        for (let axis = 0; axis < 3; axis++) {
          const turned = ([x, y, z]: [number, number, number]) =>
            x * matrix[axis] + y * matrix[3 + axis] + z * matrix[6 + axis];
          positions[to + axis] = positions[to + axis] + weight * (turned(offset) + matrix[9 + axis]);
          seen[axis] = seen[axis] + weight * turned(look);
        }
      }
      const length = Math.hypot(...seen) || 1;
      for (let axis = 0; axis < 3; axis++) normals[to + axis] = Math.round((seen[axis] / length) * 127);
    });
    at += VERTEX + weights * WEIGHT;
  }
  const indices = new Uint32Array(triangles * 3);
  for (let corner = 0; corner < indices.length; corner++) {
    const vertex = file.int(trianglesAt + corner * 4);
    if (vertex < 0 || vertex >= vertices) throw new BadModel('a triangle has a corner that is not there');
    indices[corner] = vertex;
  }
  const skin = file
    .text(start + 68, 64)
    .replaceAll('\\', '/')
    .toLowerCase();
  return {
    name: file.text(start + 4, 64).toLowerCase(),
    skins: skin ? [skin] : [],
    indices,
    texels,
    positions,
    normals,
    bones: null,
    masked: false,
  };
}

/** Three rows of four numbers as axes and a place. */
function wholeBone(file: Reader, at: number): Matrix {
  return Float32Array.from({ length: 12 }, (_, number) =>
    file.float(at + (number % 3) * 16 + Math.floor(number / 3) * 4),
  );
}

/** The same in 16 bits each: the place, then the rows of the axes. */
function packedBone(file: Reader, at: number): Matrix {
  const value = (number: number) => file.ushort(at + number * 2) - HALF;
  return Float32Array.from({ length: 12 }, (_, number) =>
    number < 9 ? value(3 + (number % 3) * 3 + Math.floor(number / 3)) * AXIS : value(number - 9) * PLACE,
  );
}
