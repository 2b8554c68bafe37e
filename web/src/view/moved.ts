// What a shader does with a picture at a time, as the program that draws takes it.

import { dyeAt, placeAt } from '../maps/stage';
import type { Batch } from './skins';

export interface Moved {
  /** Column by column. */
  bend: [number, number, number, number];
  shift: [number, number];
  /** The layer of its picture, or -1 where the vertices state it. */
  sheet: number;
  turb: [number, number];
  mirror: boolean;
  /** Whether what its corners are tinted with does not count; whether what that lacks of white does; whether how much is seen of them does. */
  plain: boolean;
  lacking: boolean;
  veiled: boolean;
  /** Whether it is seen where it shines, and from how far on all of it is. */
  gloss: boolean;
  far: number;
  /** Whether its picture is there once. */
  once: boolean;
  dye: [number, number, number, number];
}

/** A picture that stays as it is. */
export const UNMOVED: Moved = {
  bend: [1, 0, 0, 1],
  shift: [0, 0],
  sheet: -1,
  turb: [0, 0],
  mirror: false,
  plain: false,
  lacking: false,
  veiled: false,
  gloss: false,
  far: 0,
  once: false,
  dye: [1, 1, 1, 1],
};

/** Whether a batch is drawn in another way than the vertices state. */
export const isMoved = ({ motion, frames, switched }: Batch): boolean =>
  !!motion || frames.length > 0 || switched.length > 0;

/** How a batch is drawn at a time. Without light, what never changes is shown as its picture is. */
export function layersAt(
  { motion, frames, rate, blend }: Pick<Batch, 'motion' | 'frames' | 'switched' | 'rate' | 'blend'>,
  seconds: number,
  isLit: boolean,
): Moved {
  const sheet = frames.length ? frames[Math.floor(Math.max(0, seconds) * rate) % frames.length] : -1;
  if (!motion) return { ...UNMOVED, sheet };
  const {
    matrix: [a, b, c, d, x, y],
    turb,
  } = placeAt(motion.moves, seconds);
  const [red, green, blue, alpha] = dyeAt(motion, seconds);
  // what multiplies and what the light falls on is as bright as it says; the rest is shown twice as bright
  const isFilter = blend?.[0] === 'DST_COLOR' || blend?.[1] === 'SRC_COLOR';
  const by = isFilter || motion.lit ? 1 : 2;
  const isPlain = !isLit && !blend && 'value' in motion.color;
  return {
    bend: [a, b, c, d],
    shift: [x, y],
    sheet,
    turb,
    mirror: motion.mirror,
    plain: !motion.lit && !motion.byCorner,
    lacking: motion.lacking,
    veiled: motion.seenByCorner,
    gloss: motion.gloss,
    far: motion.far,
    once: motion.once,
    dye: isPlain ? [1, 1, 1, alpha] : [red * by, green * by, blue * by, alpha],
  };
}
