// Models of ioquake3 and Quake Live with bones and weights. Each frame is worked out to places of vertices: a joint is a tag.

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
import { type Matrix, UNMOVED, blended, inverse, matrixOf, placed, product } from './matrix';

const VERSION = 2;
const HEADER = 124;
const [MESH, TRIANGLE, JOINT, POSE, ARRAY] = [24, 12, 48, 88, 20];
const [MOST_MESHES, MOST_JOINTS, MOST_ARRAYS, MOST_TEXT] = [64, 256, 64, 1 << 20];
/** What arrays hold, and the kinds of their numbers. */
const [POSITION, TEXEL, NORMAL, INDEXES, WEIGHTS] = [0, 1, 2, 4, 5];
const [BYTE, FLOAT] = [1, 7];
/** Numbers of a pose: place, quaternion, scale. */
const CHANNELS = 10;

export function parseIqm(bytes: Uint8Array): Model {
  const file = new Reader(bytes);
  const head = (place: number) => file.int(16 + place * 4);
  if (file.int(16) !== VERSION) throw new BadModel(`version ${file.int(16)} is none of the game's`);
  const textAt = head(4);
  const texts = file.count(head(3), MOST_TEXT, textAt, 1);
  const name = (at: number) => {
    if (at < 0 || at >= texts) return '';
    return file
      .text(textAt + at, Math.min(64, texts - at))
      .replaceAll('\\', '/')
      .toLowerCase();
  };
  const [meshesAt, arraysAt, trianglesAt, jointsAt, posesAt, framesAt] = [6, 9, 11, 14, 16, 21].map(head) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const meshes = file.count(head(5), MOST_MESHES, meshesAt, MESH);
  const arrays = file.count(head(7), MOST_ARRAYS, arraysAt, ARRAY);
  const vertices = head(8);
  if (vertices < 0 || vertices > MOST_VERTICES) throw new BadModel('it has more vertices than any model of a game');
  const triangles = file.count(head(10), MOST_TRIANGLES, trianglesAt, TRIANGLE);
  const joints = file.count(head(13), MOST_JOINTS, jointsAt, JOINT);
  const poses = file.count(head(15), MOST_JOINTS, posesAt, POSE);
  const frames = head(19);
  const channels = head(20);
  if (channels < 0 || channels > MOST_JOINTS * CHANNELS || (frames > 0 && poses !== joints))
    throw new BadModel('its poses are not those of its joints');
  file.count(frames, MOST_POSES, framesAt, channels * 2);

  const found = new Map<number, { at: number; format: number }>();
  for (let array = 0; array < arrays; array++) {
    const [kind, , format, size, at] = [0, 4, 8, 12, 16].map((place) => file.int(arraysAt + array * ARRAY + place)) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const wanted = kind === TEXEL ? 2 : kind === POSITION || kind === NORMAL ? 3 : 4;
    if (kind > WEIGHTS || kind === 3 || size !== wanted) continue;
    if (format !== FLOAT && !(format === BYTE && kind > NORMAL)) continue;
    file.count(vertices, MOST_VERTICES, at, size * (format === FLOAT ? 4 : 1));
    found.set(kind, { at, format });
  }
  const read = (kind: number, size: number): Float32Array | null => {
    const array = found.get(kind);
    if (!array) return null;
    return Float32Array.from({ length: vertices * size }, (_, number) =>
      array.format === FLOAT ? file.float(array.at + number * 4) : file.byte(array.at + number),
    );
  };
  const [places, texels] = [read(POSITION, 3), read(TEXEL, 2)];
  if (!places || !texels) throw new BadModel('it has no shape');
  const normals = read(NORMAL, 3) ?? new Float32Array(places.length);
  const [on, weights] = [read(INDEXES, 4), read(WEIGHTS, 4)];

  const parents = new Int16Array(joints);
  const names: string[] = [];
  const rest: Matrix[] = [];
  for (let joint = 0; joint < joints; joint++) {
    const at = jointsAt + joint * JOINT;
    const parent = file.int(at + 4);
    if (parent < -1 || parent >= joint) throw new BadModel('a joint comes before its parent');
    parents[joint] = parent;
    names.push(name(file.int(at)));
    const own = matrixOf(Array.from({ length: CHANNELS }, (_, number) => file.float(at + 8 + number * 4)));
    rest.push(parent < 0 ? own : product(rest[parent], own));
  }
  const back = rest.map(inverse);
  const count = Math.max(1, frames);
  const all = meshesOf(file, meshesAt, meshes, trianglesAt, triangles, vertices, name);
  room(
    count,
    all.reduce((sum, mesh) => sum + mesh.vertices.length, 0),
  );
  const made = all.map(
    (mesh): Surface => ({
      ...mesh.surface,
      texels: Float32Array.from(mesh.vertices.flatMap((vertex) => [texels[vertex * 2], texels[vertex * 2 + 1]])),
      positions: new Float32Array(count * mesh.vertices.length * 3),
      normals: new Int8Array(count * mesh.vertices.length * 3),
    }),
  );
  room(count, joints, 12);
  const tags: Tag[] = names.map((one) => ({ name: one, places: new Float32Array(count * 12) }));

  const values = new Float32Array(CHANNELS);
  for (let frame = 0, next = framesAt; frame < count; frame++) {
    const now: Matrix[] = [];
    for (let joint = 0; joint < joints; joint++) {
      if (!frames) {
        now.push(rest[joint]);
        continue;
      }
      const at = posesAt + joint * POSE;
      const mask = file.int(at + 4);
      for (let channel = 0; channel < CHANNELS; channel++) {
        values[channel] = file.float(at + 8 + channel * 4);
        if (!(mask & (1 << channel))) continue;
        if (next + 2 > framesAt + frames * channels * 2)
          throw new BadModel('its poses have more numbers than its frames');
        values[channel] = values[channel] + file.ushort(next) * file.float(at + 48 + channel * 4);
        next += 2;
      }
      const own = matrixOf(values);
      now.push(parents[joint] < 0 ? own : product(now[parents[joint]], own));
    }
    now.forEach((matrix, joint) => tags[joint].places.set([...matrix.slice(9), ...matrix.slice(0, 9)], frame * 12));
    const moves = now.map((matrix, joint) => product(matrix, back[joint]));
    all.forEach((mesh, number) => {
      const surface = made[number];
      mesh.vertices.forEach((vertex, place) => {
        const to = (frame * mesh.vertices.length + place) * 3;
        const matrix = on && weights && joints ? blended(moves, on, weights, vertex * 4) : UNMOVED;
        placed(matrix, places, vertex * 3, surface.positions, to, normals, surface.normals);
      });
    });
  }
  return {
    format: 'MD3',
    poses: count,
    frames: Array.from({ length: count }, (_, pose) => [pose, 1]),
    surfaces: made,
    pictures: [],
    tags,
    skeleton: null,
    flags: 0,
  };
}

/** The surfaces, and which vertices each has. */
function meshesOf(
  file: Reader,
  meshesAt: number,
  meshes: number,
  trianglesAt: number,
  triangles: number,
  vertices: number,
  name: (at: number) => string,
): { surface: Surface; vertices: number[] }[] {
  return Array.from({ length: meshes }, (_, mesh) => {
    const [named, material, , , first, count] = [0, 4, 8, 12, 16, 20].map((place) =>
      file.int(meshesAt + mesh * MESH + place),
    ) as [number, number, number, number, number, number];
    if (first < 0 || count < 0 || first + count > triangles)
      throw new BadModel('a mesh has triangles that are not there');
    const places = new Map<number, number>();
    const indices = new Uint32Array(count * 3);
    for (let corner = 0; corner < indices.length; corner++) {
      const vertex = file.int(trianglesAt + (first * 3 + corner) * 4);
      if (vertex < 0 || vertex >= vertices) throw new BadModel('a triangle has a corner that is not there');
      let place = places.get(vertex);
      if (place === undefined) {
        place = places.size;
        places.set(vertex, place);
      }
      indices[corner] = place;
    }
    const skin = name(material);
    const none = new Float32Array(0);
    return {
      vertices: [...places.keys()],
      surface: {
        name: name(named),
        skins: skin ? [skin] : [],
        indices,
        texels: none,
        positions: none,
        normals: new Int8Array(0),
        bones: null,
        masked: false,
      },
    };
  });
}

export const isIqm = (bytes: Uint8Array): boolean =>
  bytes.length >= HEADER && String.fromCharCode(...bytes.subarray(0, 15)) === 'INTERQUAKEMODEL';
