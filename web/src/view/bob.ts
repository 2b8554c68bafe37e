// How a weapon moves before one's eyes with the steps of its player, as each engine moves it.

import type { Vector } from '../data/vector';
import type { HandState } from '../data/looks';
import type { Model } from '../models/model';

/** Where a weapon is from the eye: ahead, to the left, up; and how it is turned: pitch, yaw, roll. */
export interface Sway {
  offset: Vector;
  turn: Vector;
}

/** Seconds of a step and units of a unit a second. */
const QUAKE = { cycle: 0.6, size: 0.02 };
const HALF_LIFE = { cycle: 0.8, size: 0.01 };
const [LOWEST, HIGHEST] = [-7, 4];
/** Of 256, half of a step of Quake III. */
const HALF = 128;

/** `velocity` is that of the player, `time` in milliseconds. */
export function swayOf(model: Model, { offset, turn, step }: HandState, velocity: Vector | null, time: number): Sway {
  const speed = velocity ? Math.hypot(velocity[0], velocity[1]) : 0;
  switch (model.format) {
    case 'MDL': {
      const bob = bobOf(QUAKE, speed, time);
      return { offset: [bob * 0.4, 0, 0], turn: [0, 0, 0] };
    }
    case 'Half-Life': {
      const bob = bobOf(HALF_LIFE, speed, time);
      return { offset: [bob * 0.4, 0, -1], turn: [-bob * 0.3, -bob * 0.5, -bob] };
    }
    case 'MD3': {
      // the second half of a step is the other foot's; who stands sways a little
      const foot = step === null ? 0 : Math.abs(Math.sin(((step % HALF) / (HALF - 1)) * Math.PI));
      const side = step !== null && step >= HALF ? -speed : speed;
      const idle = (speed + 40) * Math.sin(time / 1000) * 0.01;
      return {
        offset: [0, 0, 0],
        turn: [speed * foot * 0.005 + idle, side * foot * 0.01 + idle, side * foot * 0.005 + idle],
      };
    }
    default:
      return { offset: offset ? [offset[0], -offset[1], offset[2]] : [0, 0, 0], turn: turn ?? [0, 0, 0] };
  }
}

/** How high a step lifts the eye of Quake and Half-Life. */
function bobOf({ cycle, size }: typeof QUAKE, speed: number, time: number): number {
  const part = ((time / 1000) % cycle) / cycle;
  const lift = speed * size;
  return Math.max(LOWEST, Math.min(HIGHEST, lift * 0.3 + lift * 0.7 * Math.sin(part * Math.PI * 2)));
}
