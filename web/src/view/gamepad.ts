// A gamepad: the left stick moves, the right one looks, buttons are keys.

import type { Actions } from './keys';

/** What each button of the standard layout does. */
export const PAD: [number, string, (actions: Actions) => void][] = [
  [0, 'play, pause', (actions) => actions.toggle()],
  [1, 'camera', (actions) => actions.camera()],
  [2, 'four views', (actions) => actions.four()],
  [3, 'director', (actions) => actions.director()],
  [4, 'previous player', (actions) => actions.player(-1)],
  [5, 'next player', (actions) => actions.player(1)],
  [6, 'slower', (actions) => actions.speed(-1)],
  [7, 'faster', (actions) => actions.speed(1)],
  [8, 'keys and legend', (actions) => actions.help()],
  [9, 'full screen', (actions) => actions.whole()],
  [12, 'previous kill', (actions) => actions.kill(-1)],
  [13, 'next kill', (actions) => actions.kill(1)],
  [14, 'back', (actions) => actions.skip(-5000)],
  [15, 'forward', (actions) => actions.skip(5000)],
];

/** A stick rests within this part of its travel. */
const REST = 0.18;

export interface Sticks {
  left: [number, number];
  right: [number, number];
}

export class Pad {
  private held = new Set<number>();

  /** What is newly pressed is done; returns where the sticks are, or nothing without a gamepad. */
  read(actions: Actions): Sticks | null {
    const pad = navigator.getGamepads?.().find((one) => one?.connected && one.mapping === 'standard');
    if (!pad) return null;
    const now = new Set(pad.buttons.flatMap(({ pressed }, at) => (pressed ? [at] : [])));
    for (const [button, , run] of PAD) if (now.has(button) && !this.held.has(button)) run(actions);
    this.held = now;
    const axis = (at: number) => {
      const value = pad.axes[at] ?? 0;
      return Math.abs(value) < REST ? 0 : value;
    };
    const sticks: Sticks = { left: [axis(0), axis(1)], right: [axis(2), axis(3)] };
    return [...sticks.left, ...sticks.right].some(Boolean) ? sticks : null;
  }
}
