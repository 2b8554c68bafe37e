// Motions that the recording states as laws.

import type { Motion } from '../../answers';
import type { Vector } from './vector';

/** Where a motion goes. */
export function headingAt({ trajectory, delta: [x, y, z], gravity, since }: Motion, serverTime: number): Vector {
  return [x, y, trajectory === 'gravity' ? z - (gravity * (serverTime - since)) / 1000 : z];
}

/** Where a motion has come to. */
export function motionAt(motion: Motion, serverTime: number): Vector {
  const elapsed = serverTime - motion.since;
  const moved = (by: number): Vector => [
    motion.base[0] + motion.delta[0] * by,
    motion.base[1] + motion.delta[1] * by,
    motion.base[2] + motion.delta[2] * by,
  ];
  switch (motion.trajectory) {
    case 'linear':
      return moved(elapsed / 1000);
    case 'linear_stop':
      return moved(Math.max(0, Math.min(elapsed, motion.duration)) / 1000);
    case 'sine':
      return moved(Math.sin((elapsed / Math.max(motion.duration, 1)) * Math.PI * 2));
    case 'gravity': {
      const seconds = elapsed / 1000;
      const place = moved(seconds);
      place[2] -= 0.5 * motion.gravity * seconds * seconds;
      return place;
    }
    default:
      return [...motion.base];
  }
}
