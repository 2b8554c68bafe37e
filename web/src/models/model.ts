// A game's model: triangles with their places in a picture, and the poses that they can take. Every count and offset in a file is checked.

/** One surface, covered by one picture. */
export interface Surface {
  name: string;
  /** Files to look for its picture in, without extension, or a number of the model's own pictures. */
  skins: (string | number)[];
  indices: Uint32Array;
  /** Two numbers a vertex, 0 to 1. */
  texels: Float32Array;
  /** Of moving vertices: three numbers a vertex, pose after pose; of vertices on bones: one pose, each in its bone's space. */
  positions: Float32Array;
  /** The same for normals, 127 is 1. */
  normals: Int8Array;
  /** The bone of each vertex, where the model has bones. */
  bones: Uint8Array | null;
  /** Whether color 255 of its picture is a hole. */
  masked: boolean;
  /** Where it mirrors its surroundings: how much of its picture is seen from one side of it to the other. */
  chrome?: [number, number] | null;
}

/** A picture inside of a model: colors by number, of a palette of its own or of the game's. */
export interface Inside {
  width: number;
  height: number;
  indices: Uint8Array;
  palette: Uint8Array | null;
  /** The colors that have a player's hues: from the first, from the second, and up to the last. */
  hues?: [top: number, bottom: number, last: number] | null;
  /** Whether it is added to what is behind it. */
  added?: boolean;
}

/** Where another model is attached: for each pose its origin and its axes, twelve numbers. */
export interface Tag {
  name: string;
  places: Float32Array;
}

/** A movement of bones. */
export interface Sequence {
  frames: number;
  rate: number;
  loops: boolean;
  /** For each frame and bone: origin, and rotation as a quaternion. Seven numbers. */
  bones: Float32Array;
  /** The same at the other end of what the sequence blends, and the values of both ends. */
  other: Float32Array | null;
  range: [start: number, end: number];
}

/** What turns or moves a bone beside the sequence. */
export interface Controller {
  bone: number;
  /** Of the bone's place and angles, which. */
  axis: number;
  /** The number that an entity states it by. */
  index: number;
  start: number;
  end: number;
  /** Whether it goes round. */
  loops: boolean;
}

export interface Skeleton {
  /** The parent of each bone, or -1. Parents come first. */
  parents: Int16Array;
  names: string[];
  /** The bones that a player's gait moves. */
  gait: boolean[];
  controllers: Controller[];
  sequences: Sequence[];
  /** The choices of each body part: the first surface of each model and how many it has. */
  parts: { base: number; models: [first: number, count: number][] }[];
  /** The pictures of a skin: for each reference of a surface, one picture; family after family. */
  families: Int16Array;
  references: number;
}

/** A picture of a sprite: where its upper left corner is from its middle, and its size. */
export interface SpriteFrame {
  left: number;
  up: number;
  width: number;
  height: number;
  /** A number of the model's own pictures, or a file. */
  picture: number | string;
}

/** A picture instead of a shape. */
export interface Sprite {
  /** 0 upright as the eye looks, 1 upright toward the eye, 2 toward the eye, 3 as the thing is turned, 4 toward the eye and rolled. */
  orientation: number;
  /** How it is mixed with what is behind it; `alpha` is one color, and the pictures say how much of it is seen. */
  mix: 'solid' | 'added' | 'alpha' | 'holes';
  frames: SpriteFrame[];
}

export interface Model {
  format: 'MDL' | 'MD2' | 'MD3' | 'Half-Life' | 'BSP' | 'SPR' | 'SP2';
  poses: number;
  /** Poses that a frame plays by itself, where it is a group: the first pose and how many. */
  frames: [first: number, count: number][];
  surfaces: Surface[];
  pictures: Inside[];
  tags: Tag[];
  skeleton: Skeleton | null;
  /** What Quake does with it: 8 turns it. */
  flags: number;
  sprite?: Sprite;
}

export class BadModel extends Error {}

/** No model of a game has more vertices in a surface, more triangles, or more poses. */
export const [MOST_VERTICES, MOST_TRIANGLES, MOST_POSES] = [16384, 32768, 4096];
/** Numbers that all poses of a model may take. */
const MOST_NUMBERS = 1 << 24;

export class Reader {
  readonly view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  int(at: number): number {
    return this.view.getInt32(this.at(at, 4), true);
  }

  short(at: number): number {
    return this.view.getInt16(this.at(at, 2), true);
  }

  ushort(at: number): number {
    return this.view.getUint16(this.at(at, 2), true);
  }

  byte(at: number): number {
    return this.view.getUint8(this.at(at, 1));
  }

  float(at: number): number {
    const value = this.view.getFloat32(this.at(at, 4), true);
    if (!Number.isFinite(value)) throw new BadModel('a number is invalid');
    return value;
  }

  text(at: number, length: number): string {
    this.at(at, length);
    return String.fromCharCode(...this.bytes.subarray(at, at + length)).replace(/\0.*/s, '');
  }

  slice(at: number, length: number): Uint8Array {
    this.at(at, length);
    return this.bytes.slice(at, at + length);
  }

  /** A count that a table of this size in the file holds. */
  count(count: number, most: number, at: number, size: number): number {
    if (count < 0 || count > most) throw new BadModel(`it states a count of ${count}`);
    this.at(at, count * size);
    return count;
  }

  private at(at: number, size: number): number {
    if (!(at >= 0 && size >= 0 && at + size <= this.bytes.length)) throw new BadModel('it is truncated or damaged');
    return at;
  }
}

/** Room for all poses. */
export function room(poses: number, vertices: number, numbers = 3): number {
  const size = poses * vertices * numbers;
  if (size > MOST_NUMBERS) throw new BadModel('it is larger than any model of a game');
  return size;
}

/** Where the vertices of each pose look, by the triangles that they are corners of. */
export function normalsOf(positions: Float32Array, indices: Uint32Array, vertices: number): Int8Array {
  const normals = new Int8Array(positions.length);
  const sum = new Float32Array(vertices * 3);
  for (let pose = 0; pose < positions.length; pose += vertices * 3) {
    sum.fill(0);
    for (let corner = 0; corner < indices.length; corner += 3) {
      const [a, b, c] = [indices[corner] * 3, indices[corner + 1] * 3, indices[corner + 2] * 3];
      const at = (vertex: number, axis: number) => positions[pose + vertex + axis];
      const [ux, uy, uz] = [at(b, 0) - at(a, 0), at(b, 1) - at(a, 1), at(b, 2) - at(a, 2)];
      const [vx, vy, vz] = [at(c, 0) - at(a, 0), at(c, 1) - at(a, 1), at(c, 2) - at(a, 2)];
      // triangles go clockwise, seen from the front
      const [nx, ny, nz] = [vy * uz - vz * uy, vz * ux - vx * uz, vx * uy - vy * ux];
      for (const vertex of [a, b, c]) {
        sum[vertex] = sum[vertex] + nx;
        sum[vertex + 1] = sum[vertex + 1] + ny;
        sum[vertex + 2] = sum[vertex + 2] + nz;
      }
    }
    for (let at = 0; at < sum.length; at += 3) {
      const length = Math.hypot(sum[at], sum[at + 1], sum[at + 2]) || 1;
      for (let axis = 0; axis < 3; axis++) normals[pose + at + axis] = Math.round((sum[at + axis] / length) * 127);
    }
  }
  return normals;
}
