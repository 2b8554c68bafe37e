// Places in the level: of tags between two poses, and of vertices on bones.

import type { Vector } from '../data/vector';
import type { Model, Sequence, Skeleton, Surface, Tag } from '../models/model';
import { BONE_NUMBERS, mixBone, turnBone } from '../models/studio';
import { axes } from './camera';

/** From a model's space into another: an origin, and the directions of its axes. */
export interface Frame {
  origin: Vector;
  axes: [Vector, Vector, Vector];
}

export const frameAt = (origin: Vector, angles: Vector): Frame => ({ origin, axes: axes(angles) });

/** A frame that is given in another one. */
export function within({ origin, axes }: Frame, inner: Frame): Frame {
  const along = (vector: Vector): Vector =>
    [0, 1, 2].map((at) => vector[0] * axes[0][at] + vector[1] * axes[1][at] + vector[2] * axes[2][at]) as Vector;
  const moved = along(inner.origin);
  return {
    origin: [origin[0] + moved[0], origin[1] + moved[1], origin[2] + moved[2]],
    axes: [along(inner.axes[0]), along(inner.axes[1]), along(inner.axes[2])],
  };
}

/** Between which poses a model is. */
export interface Between {
  from: number;
  to: number;
  part: number;
}

const pose = (model: Model, number: number) => Math.max(0, Math.min(model.poses - 1, Math.floor(number)));

/** Where something is attached. */
export function tagFrame(model: Model, name: string, { from, to, part }: Between): Frame | null {
  const tag = model.tags.find((one) => one.name === name);
  if (!tag || !model.poses) return null;
  const numbers = mixTag(tag, pose(model, from), pose(model, to), part);
  const unit = (at: number): Vector => {
    const vector = numbers.slice(at, at + 3) as Vector;
    const length = Math.hypot(...vector) || 1;
    return vector.map((value) => value / length) as Vector;
  };
  return { origin: numbers.slice(0, 3) as Vector, axes: [unit(3), unit(6), unit(9)] };
}

function mixTag({ places }: Tag, from: number, to: number, part: number): number[] {
  return Array.from({ length: 12 }, (_, at) => places[from * 12 + at] * (1 - part) + places[to * 12 + at] * part);
}

/** Who takes the vertices of a surface: place and normal, in the level. */
export type Put = (vertex: number, x: number, y: number, z: number, nx: number, ny: number, nz: number) => void;

/** A sequence at a moment: the number of its frame, with a fraction. */
export interface Played {
  sequence: Sequence | undefined;
  frame: number;
  /** How far it is on the way to its other end; without it halfway. */
  blend?: number;
}

const BONE = 12;

/** Where each bone is in the level: origin and axes. The gait moves the legs; `controls` says how far each controller is, of 255; `over` are bones of another figure, whose names take the place of the model's own. */
export function bonesOf(
  skeleton: Skeleton,
  played: Played,
  gait: Played | null,
  frame: Frame,
  over?: { names: string[]; bones: Float32Array } | null,
  controls: number[] | null = null,
): Float32Array {
  const { parents, names, gait: isGait } = skeleton;
  const made = new Float32Array(parents.length * BONE);
  const [local, end] = [new Float32Array(BONE_NUMBERS), new Float32Array(BONE_NUMBERS)];
  const root = [...frame.axes.flat(), ...frame.origin];
  const outer = new Float32Array([...root.slice(9), ...root.slice(0, 9)]);
  for (let bone = 0; bone < parents.length; bone++) {
    const other = over ? over.names.indexOf(names[bone]) : -1;
    if (other >= 0) {
      made.set(over!.bones.subarray(other * BONE, other * BONE + BONE), bone * BONE);
      continue;
    }
    const by = gait && isGait[bone] && gait.sequence?.frames ? gait : played;
    const { sequence, frame: number, blend = 0.5 } = by;
    if (sequence?.frames) {
      const first = Math.max(0, Math.min(sequence.frames - 1, Math.floor(number)));
      const second = first + 1 < sequence.frames ? first + 1 : first;
      const [from, to, part] = [
        (first * parents.length + bone) * BONE_NUMBERS,
        (second * parents.length + bone) * BONE_NUMBERS,
        Math.min(1, Math.max(0, number - first)),
      ];
      mixBone(sequence.bones, from, sequence.bones, to, part, local, 0);
      if (sequence.other) {
        mixBone(sequence.other, from, sequence.other, to, part, end, 0);
        mixBone(local, 0, end, 0, blend, local, 0);
      }
    } else local.set([0, 0, 0, 0, 0, 0, 1]);
    if (controls)
      for (const controller of skeleton.controllers)
        if (controller.bone === bone) turnBone(local, controller, controls[controller.index] ?? 0);
    const parent = parents[bone];
    place(local, parent < 0 ? outer : made, parent < 0 ? 0 : parent * BONE, made, bone * BONE);
  }
  return made;
}

/** A bone in its parent's place. */
function place(local: Float32Array, parent: Float32Array, from: number, into: Float32Array, to: number): void {
  const [x, y, z, qx, qy, qz, qw] = local as unknown as [number, number, number, number, number, number, number];
  const along = (at: number, a: number, b: number, c: number) => {
    for (let axis = 0; axis < 3; axis++)
      into[to + at + axis] = a * parent[from + 3 + axis] + b * parent[from + 6 + axis] + c * parent[from + 9 + axis];
  };
  along(0, x, y, z);
  for (let axis = 0; axis < 3; axis++) into[to + axis] = into[to + axis] + parent[from + axis];
  along(3, 1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy + qz * qw), 2 * (qx * qz - qy * qw));
  along(6, 2 * (qx * qy - qz * qw), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz + qx * qw));
  along(9, 2 * (qx * qz + qy * qw), 2 * (qy * qz - qx * qw), 1 - 2 * (qx * qx + qy * qy));
}

/** The vertices of a surface on bones. */
export function onBones({ positions, normals, bones }: Surface, places: Float32Array, put: Put): void {
  for (let vertex = 0; vertex < bones!.length; vertex++) {
    const [at, bone] = [vertex * 3, bones![vertex] * BONE];
    const [x, y, z] = [positions[at], positions[at + 1], positions[at + 2]];
    const [nx, ny, nz] = [normals[at] / 127, normals[at + 1] / 127, normals[at + 2] / 127];
    const of = (axis: number) =>
      places[bone + axis] + x * places[bone + 3 + axis] + y * places[bone + 6 + axis] + z * places[bone + 9 + axis];
    const to = (axis: number) =>
      nx * places[bone + 3 + axis] + ny * places[bone + 6 + axis] + nz * places[bone + 9 + axis];
    put(vertex, of(0), of(1), of(2), to(0), to(1), to(2));
  }
}
