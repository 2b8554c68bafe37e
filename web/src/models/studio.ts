// Models of Half-Life: vertices on bones, sequences that move the bones, and choices of body parts.

import {
  BadModel,
  type Inside,
  MOST_TRIANGLES,
  MOST_VERTICES,
  type Controller,
  type Model,
  Reader,
  type Sequence,
  type Skeleton,
  type Surface,
  room,
} from './model';

const VERSION = 10;
const [
  MOST_BONES,
  MOST_SEQUENCES,
  MOST_FRAMES,
  MOST_PARTS,
  MOST_MODELS,
  MOST_MESHES,
  MOST_SURFACES,
  MOST_TEXTURES,
  LARGEST_SIDE,
] = [256, 2048, 4096, 64, 256, 1024, 4096, 512, 4096];
const [BONE, CONTROLLER, SEQUENCE, PART, MODEL, MESH, TEXTURE] = [112, 24, 176, 76, 112, 20, 80];
const [MOST_CONTROLLERS, MOUTH, ROUND] = [64, 4, 0x8000];
/** Offsets of a bone's six movements, for each bone of each blend. */
const MOVEMENTS = 12;
const LOOPS = 1;
/** Flags of a picture: it mirrors its surroundings, it is added to what is behind it, it has holes. */
const [CHROME, ADDED, MASKED] = [2, 0x20, 0x40];
/** Pixels of a picture that mirrors, from one side to the other. */
const MIRROR = 64;
/** Numbers of a bone in a frame: place and rotation. */
export const BONE_NUMBERS = 7;

/** Where pictures are when a model has none of its own. */
export const hasNoPictures = (bytes: Uint8Array): boolean => new Reader(bytes).int(180) === 0;

/** Reads a model; `textures` is the file with its pictures, where that is another. */
export function parseStudio(bytes: Uint8Array, textures: Uint8Array | null): Model {
  const file = new Reader(bytes);
  if (file.int(4) !== VERSION) throw new BadModel(`version ${file.int(4)} is none of the game's`);
  const covers = new Reader(textures ?? bytes);
  const pictures = readPictures(covers);
  const references = covers.count(covers.int(192), MOST_TEXTURES, covers.int(200), 2);
  const families = new Int16Array(
    references * covers.count(covers.int(196), MOST_TEXTURES, covers.int(200), references * 2),
  );
  for (let number = 0; number < families.length; number++)
    families[number] = covers.short(covers.int(200) + number * 2);
  const bonesAt = file.int(144);
  const bones = file.count(file.int(140), MOST_BONES, bonesAt, BONE);
  const parents = new Int16Array(bones);
  const names = Array.from({ length: bones }, (_, bone) => file.text(bonesAt + bone * BONE, 32).toLowerCase());
  for (let bone = 0; bone < bones; bone++) {
    const parent = file.int(bonesAt + bone * BONE + 32);
    if (parent < -1 || parent >= bone) throw new BadModel('a bone comes before its parent');
    parents[bone] = parent;
  }
  const surfaces: Surface[] = [];
  // choices may share triangles, up to a few times
  const budget = { bytes: bytes.length * 4 };
  const parts: Skeleton['parts'] = [];
  const partsAt = file.int(208);
  const partCount = file.count(file.int(204), MOST_PARTS, partsAt, PART);
  for (let part = 0; part < partCount; part++) {
    const at = partsAt + part * PART;
    const modelsAt = file.int(at + 72);
    const models: [number, number][] = [];
    for (let model = 0; model < file.count(file.int(at + 64), MOST_MODELS, modelsAt, MODEL); model++) {
      const first = surfaces.length;
      readModel(file, modelsAt + model * MODEL, bones, covers, pictures.length, families, surfaces, budget);
      models.push([first, surfaces.length - first]);
    }
    parts.push({ base: Math.max(1, file.int(at + 68)), models });
  }
  const skeleton = {
    parents,
    names,
    gait: gaitOf(names, parents),
    controllers: readControllers(file, bonesAt, bones),
    sequences: readSequences(file, bonesAt, bones),
    parts,
    families,
    references,
  };
  return { format: 'Half-Life', poses: 1, frames: [[0, 1]], surfaces, pictures, tags: [], skeleton, flags: 0 };
}

function readPictures(file: Reader): Inside[] {
  const at = file.int(184);
  return Array.from({ length: file.count(file.int(180), MOST_TEXTURES, at, TEXTURE) }, (_, number) => {
    const [width, height, from] = [68, 72, 76].map((place) => file.int(at + number * TEXTURE + place)) as [
      number,
      number,
      number,
    ];
    if (width < 1 || height < 1 || width > LARGEST_SIDE || height > LARGEST_SIDE)
      throw new BadModel('a picture has no size');
    return {
      width,
      height,
      indices: file.slice(from, width * height),
      palette: file.slice(from + width * height, 768),
      hues: huesOf(file.text(at + number * TEXTURE, 64).toLowerCase()),
      added: (file.int(at + number * TEXTURE + 64) & ADDED) !== 0,
    };
  });
}

/** The colors of a picture that a player chooses follow from its name. */
function huesOf(name: string): Inside['hues'] {
  if (name.startsWith('dm_base')) return [160, 192, 223];
  const [, first, middle, last] = /^remap\w_(\d{3})_(\d{3})_(\d{3})/.exec(name) ?? [];
  return last ? [Number(first), Number(middle) + 1, Math.min(255, Number(last))] : null;
}

/** The surfaces of one choice of a body part. */
function readModel(
  file: Reader,
  at: number,
  bones: number,
  covers: Reader,
  pictures: number,
  families: Int16Array,
  surfaces: Surface[],
  budget: { bytes: number },
): void {
  const word = (place: number) => file.int(at + place);
  const [meshesAt, bonesAt, verticesAt, normalBonesAt, normalsAt] = [word(76), word(84), word(88), word(96), word(100)];
  const meshes = file.count(word(72), MOST_MESHES, meshesAt, MESH);
  const vertices = file.count(word(80), MOST_VERTICES, verticesAt, 12);
  file.count(vertices, MOST_VERTICES, bonesAt, 1);
  const normals = file.count(word(92), MOST_VERTICES, normalsAt, 12);
  file.count(normals, MOST_VERTICES, normalBonesAt, 1);
  for (let mesh = 0; mesh < meshes; mesh++) {
    if (surfaces.length >= MOST_SURFACES) throw new BadModel('it has more surfaces than any model of a game');
    const reference = file.int(meshesAt + mesh * MESH + 8);
    const picture = families[reference] ?? -1;
    const isKnown = picture >= 0 && picture < pictures;
    const record = isKnown ? covers.int(184) + picture * TEXTURE : -1;
    const [width, height] = isKnown ? [covers.int(record + 68), covers.int(record + 72)] : [1, 1];
    const [positions, looks, texels, on, indices]: number[][] = [[], [], [], [], []];
    const corners = new Map<string, number>();
    const corner = (from: number): number => {
      const [vertex, normal, s, t] = [0, 2, 4, 6].map((place) => file.short(from + place)) as [
        number,
        number,
        number,
        number,
      ];
      if (vertex < 0 || vertex >= vertices || normal < 0 || normal >= normals)
        throw new BadModel('a triangle has a corner that is not there');
      const key = `${vertex} ${normal} ${s} ${t}`;
      let found = corners.get(key);
      if (found === undefined) {
        const bone = file.byte(bonesAt + vertex);
        if (bone >= bones) throw new BadModel('a vertex is on a bone that is not there');
        found = on!.push(bone) - 1;
        corners.set(key, found);
        for (let axis = 0; axis < 3; axis++) {
          positions!.push(file.float(verticesAt + vertex * 12 + axis * 4));
          looks!.push(Math.round(Math.max(-1, Math.min(1, file.float(normalsAt + normal * 12 + axis * 4))) * 127));
        }
        texels!.push((s + 0.5) / width, (t + 0.5) / height);
      }
      return found;
    };
    // strips, and with a count below zero fans, until a count of none
    let from = file.int(meshesAt + mesh * MESH + 4);
    for (let count = file.short(from); count; count = file.short(from)) {
      from += 2;
      const length = Math.abs(count);
      budget.bytes -= length * 8;
      if (budget.bytes < 0) throw new BadModel('it uses more triangles than it has');
      const row = Array.from({ length }, (_, place) => corner(from + place * 8));
      from += length * 8;
      for (let place = 2; place < length; place++) {
        const [a, b, c] =
          count < 0
            ? [row[0], row[place - 1], row[place]]
            : place % 2
              ? [row[place - 1], row[place - 2], row[place]]
              : [row[place - 2], row[place - 1], row[place]];
        indices!.push(a, b, c);
      }
      if (indices!.length > MOST_TRIANGLES * 3) throw new BadModel('it has more triangles than any model of a game');
    }
    surfaces.push({
      name: '',
      skins: [reference],
      indices: Uint32Array.from(indices!),
      texels: Float32Array.from(texels!),
      positions: Float32Array.from(positions!),
      normals: Int8Array.from(looks!),
      bones: Uint8Array.from(on!),
      masked: isKnown && (covers.int(record + 64) & MASKED) !== 0,
      chrome: isKnown && (covers.int(record + 64) & CHROME) !== 0 ? [MIRROR / width, MIRROR / height] : null,
    });
  }
}

/** Those that entities state: the mouth moves by what it says. */
function readControllers(file: Reader, bonesAt: number, bones: number): Controller[] {
  const at = file.int(152);
  const count = file.count(file.int(148), MOST_CONTROLLERS, at, CONTROLLER);
  const found: Controller[] = [];
  for (let bone = 0; bone < bones; bone++) {
    for (let axis = 0; axis < 6; axis++) {
      const number = file.int(bonesAt + bone * BONE + 40 + axis * 4);
      if (number < 0 || number >= count) continue;
      const from = at + number * CONTROLLER;
      const index = file.int(from + 20);
      if (index < 0 || index >= MOUTH) continue;
      found.push({
        bone,
        axis,
        index,
        start: file.float(from + 8),
        end: file.float(from + 12),
        loops: (file.int(from + 4) & ROUND) !== 0,
      });
    }
  }
  return found;
}

/** Which bones a gait moves: all up to the spine, and what hangs on the pelvis. */
function gaitOf(names: string[], parents: Int16Array): boolean[] {
  let moves = true;
  return names.map((name, bone) => {
    if (name === 'bip01 spine') moves = false;
    else if (names[parents[bone]] === 'bip01 pelvis') moves = true;
    return moves;
  });
}

function readSequences(file: Reader, bonesAt: number, bones: number): Sequence[] {
  const at = file.int(168);
  const count = file.count(file.int(164), MOST_SEQUENCES, at, SEQUENCE);
  const sequences: Sequence[] = [];
  let numbers = 0;
  for (let sequence = 0; sequence < count; sequence++) {
    const from = at + sequence * SEQUENCE;
    const [frames, blends, group] = [file.int(from + 56), file.int(from + 120), file.int(from + 156)];
    if (frames < 0 || frames > MOST_FRAMES || blends < 0 || blends > 64) throw new BadModel('a sequence has no length');
    const made: Sequence = {
      frames: 0,
      rate: file.float(from + 32),
      loops: (file.int(from + 36) & LOOPS) !== 0,
      bones: new Float32Array(0),
      other: null,
      range: [0, 0],
    };
    sequences.push(made);
    // other groups are in files of their own
    if (group || !frames || !blends) continue;
    numbers += room(frames, bones, BONE_NUMBERS);
    room(1, numbers, 1);
    const start = file.int(from + 124);
    const blend = (number: number) => readMovement(file, start + number * bones * MOVEMENTS, bonesAt, bones, frames);
    // of nine the middle
    made.bones = blend(blends === 2 ? 0 : Math.floor(blends / 2));
    if (blends === 2) {
      numbers += room(frames, bones, BONE_NUMBERS);
      room(1, numbers, 1);
      made.other = blend(1);
      made.range = [file.float(from + 136), file.float(from + 144)];
    }
    made.frames = frames;
  }
  return sequences;
}

function readMovement(file: Reader, start: number, bonesAt: number, bones: number, frames: number): Float32Array {
  const made = new Float32Array(frames * bones * BONE_NUMBERS);
  const values = new Float32Array(frames * 6);
  for (let bone = 0; bone < bones; bone++) {
    for (let movement = 0; movement < 6; movement++) {
      const record = bonesAt + bone * BONE + 64 + movement * 4;
      const [rest, scale] = [file.float(record), file.float(record + 24)];
      const entry = start + bone * MOVEMENTS;
      const offset = file.ushort(entry + movement * 2);
      // runs: how many values there are, and for how many frames
      let [run, left] = [entry + offset, offset ? 0 : Infinity];
      let [valid, total] = [0, 0];
      for (let frame = 0; frame < frames; frame++) {
        if (left === 0) {
          if (total) run += 2 + valid * 2;
          [valid, total] = [file.byte(run), file.byte(run + 1)];
          if (!total || !valid) throw new BadModel('a movement has no length');
          left = total;
        }
        const value = offset ? file.short(run + 2 + Math.min(total - left, valid - 1) * 2) : 0;
        values[frame * 6 + movement] = rest + value * scale;
        left--;
      }
    }
    for (let frame = 0; frame < frames; frame++) {
      const to = (frame * bones + bone) * BONE_NUMBERS;
      const [x, y, z, roll, pitch, yaw] = values.subarray(frame * 6, frame * 6 + 6) as unknown as [
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      made.set([x, y, z], to);
      made.set(rotation(roll, pitch, yaw), to + 3);
    }
  }
  return made;
}

/** A bone between two frames. */
export function mixBone(
  from: Float32Array,
  a: number,
  to: Float32Array,
  b: number,
  part: number,
  into: Float32Array,
  at: number,
): void {
  let along = 0;
  for (let number = 3; number < BONE_NUMBERS; number++) along += from[a + number] * to[b + number];
  // the short way round
  const sign = along < 0 ? -1 : 1;
  let length = 0;
  for (let number = 0; number < BONE_NUMBERS; number++) {
    const value = from[a + number] * (1 - part) + to[b + number] * part * (number < 3 ? 1 : sign);
    into[at + number] = value;
    if (number > 2) length += value * value;
  }
  length = Math.sqrt(length) || 1;
  for (let number = 3; number < BONE_NUMBERS; number++) into[at + number] = into[at + number] / length;
}

/** The quaternion of three angles. */
function rotation(roll: number, pitch: number, yaw: number): number[] {
  const [sr, cr, sp, cp, sy, cy] = [roll, pitch, yaw].flatMap((angle) => [
    Math.sin(angle / 2),
    Math.cos(angle / 2),
  ]) as [number, number, number, number, number, number];
  return [
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
    cr * cp * cy + sr * sp * sy,
  ];
}

/** Moves a bone, or turns it about one of its axes, as far as a controller is, of 255. */
export function turnBone(bone: Float32Array, { axis, start, end, loops }: Controller, value: number): void {
  const by = loops ? value * (360 / 256) + start : start + (end - start) * (value / 255);
  if (axis < 3) {
    bone[axis] = bone[axis] + by;
    return;
  }
  const [x, y, z, w] = bone.subarray(3, 7) as unknown as [number, number, number, number];
  const angles: [number, number, number] = [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x)))),
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
  angles[axis - 3] = angles[axis - 3] + (by * Math.PI) / 180;
  bone.set(rotation(...angles), 3);
}
