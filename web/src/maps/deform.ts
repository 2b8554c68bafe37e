// What shaders of Quake III do with the places of corners: `deformVertexes`.

import { SHAPES, type Wave, readWave, waveAt } from './stage';

export interface Deform {
  /** `sprite` faces the eye, `spindle` turns around its longer axis to the eye. */
  kind: 'swell' | 'move' | 'sprite' | 'spindle';
  /** Along the normal, or along `way`. */
  wave: Wave;
  way: [number, number, number];
  /** How much later it comes by a unit on each axis, and by the width of the picture. */
  spread: [number, number, number, number];
}

/** Of one kind, the first counts. */
const KINDS: Record<string, Deform['kind']> = {
  wave: 'swell',
  bulge: 'swell',
  move: 'move',
  autosprite: 'sprite',
  autosprite2: 'spindle',
};
/** No corner of a real map goes farther than that. */
const FARTHEST = 1024;
const STILL: Wave = { shape: 'sin', base: 0, height: 0, phase: 0, rate: 0 };

const bounded = (value: number) => Math.max(-FARTHEST, Math.min(FARTHEST, value));

/** Reads what stands behind `deformVertexes`. What only changes normals is left out. */
export function readDeform(deforms: Deform[], [word = '', ...words]: string[]): void {
  const kind = Object.hasOwn(KINDS, word) ? KINDS[word] : null;
  if (!kind || deforms.some((one) => one.kind === kind)) return;
  const [a, b, c] = [0, 1, 2].map((at) => Number(words[at]) || 0) as [number, number, number];
  const made: Deform = { kind, wave: STILL, way: [0, 0, 0], spread: [0, 0, 0, 0] };
  if (word === 'bulge') {
    // width, height, and radians in a second
    made.wave = { ...STILL, height: bounded(b), rate: c / (2 * Math.PI) };
    made.spread[3] = a / (2 * Math.PI);
  } else if (kind === 'swell' || kind === 'move') {
    const wave = readWave(words.slice(kind === 'move' ? 3 : 1));
    if (!wave) return;
    made.wave = { ...wave, base: bounded(wave.base), height: bounded(wave.height) };
    if (kind === 'move') made.way = [bounded(a), bounded(b), bounded(c)];
    // what stands still is alike everywhere
    else if (wave.rate) made.spread.fill(1 / (a || 100), 0, 3);
  }
  deforms.push(made);
}

/** Where what moves as one is at a time. */
export function movedBy(deforms: readonly Deform[], seconds: number): [number, number, number] {
  const move = deforms.find(({ kind }) => kind === 'move');
  const by = move ? waveAt(move.wave, seconds) : 0;
  return move ? (move.way.map((value) => value * by) as [number, number, number]) : [0, 0, 0];
}

/** How far corners go at most along each axis, backward and forward; what faces the eye goes as far as it is wide. */
export function reachOf(deforms: readonly Deform[], width: number): [number, number][] {
  return [0, 1, 2].map((axis) => {
    const reach: [number, number] = [-width, width];
    for (const {
      kind,
      wave: { shape, base, height },
      way,
    } of deforms) {
      // a sawtooth goes to one side
      const ends = [base + height, shape.endsWith('sawtooth') ? base : base - height].map((value) =>
        kind === 'move' ? value * way[axis] : value,
      );
      if (kind === 'swell') ends.push(...ends.map((value) => -value));
      reach[0] += Math.min(0, ...ends);
      reach[1] += Math.max(0, ...ends);
    }
    return reach;
  });
}

/** The number of a wave's shape in the program that draws. */
export const shapeNumber = ({ shape }: Wave): number => Object.keys(SHAPES).indexOf(shape);
