// What is seen or heard for a moment: sounds, explosions, beams. The library says what happens; here it is found by its time.

import type { Columns, Vector } from './film';

/** In the library's order. */
export const HAPPENINGS = ['sound', 'explosion', 'impact', 'blood', 'gibs', 'flash', 'rail', 'lightning', 'laser', 'tracer', 'teleport', 'respawn', 'splash', 'bubbles', 'smoke'] as const;
export type HappeningKind = (typeof HAPPENINGS)[number];

export interface Heard {
  file: string;
  volume: number;
  /** Units up to which it is loudest, and from which on it is silent; everywhere where that is not a number. */
  near: number;
  far: number;
  channel: number;
  pitch: number;
}

export interface Happening {
  /** Its place in the list, which never changes: what is random about it follows from that. */
  number: number;
  time: number;
  kind: HappeningKind;
  origin: Vector | null;
  end: Vector | null;
  direction: Vector | null;
  /** A slot, or an entity's number and 65536. */
  subject: number | null;
  color: Vector | null;
  size: number | null;
  count: number | null;
  life: number | null;
  sound: Heard | null;
}

const ABSENT = -2147483648;
/** Numbers with a fraction and whole numbers in a row. */
const [FLOATS, INTS] = [14, 8];

export class Happenings {
  /** Rows in the order of their times. */
  private readonly order: Uint32Array;

  constructor(
    private readonly columns: Columns,
    private readonly words: unknown[],
  ) {
    const { ints, frames } = columns;
    this.order = Uint32Array.from(frames, (_, row) => row);
    this.order.sort((a, b) => ints[a * INTS]! - ints[b * INTS]! || a - b);
  }

  get count(): number {
    return this.order.length;
  }

  /** What begins after a time and until another. */
  between(after: number, until: number): Happening[] {
    const found: Happening[] = [];
    for (let at = this.firstAfter(after); at < this.order.length && this.timeAt(at) <= until; at++) found.push(this.read(this.order[at]!));
    return found;
  }

  private timeAt(at: number): number {
    return this.columns.ints[this.order[at]! * INTS]!;
  }

  private firstAfter(time: number): number {
    let [low, high] = [0, this.order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.timeAt(middle) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private read(row: number): Happening {
    const { floats, ints } = this.columns;
    const float = (column: number) => floats[row * FLOATS + column]!;
    const known = (column: number) => (Number.isNaN(float(column)) ? null : float(column));
    const whole = (column: number) => (ints[row * INTS + column] === ABSENT ? null : ints[row * INTS + column]!);
    const place = (column: number): Vector | null => (Number.isNaN(float(column)) ? null : [float(column), float(column + 1), float(column + 2)]);
    const color = whole(3);
    const file = whole(6) ?? -1;
    return {
      number: row,
      time: ints[row * INTS]!,
      kind: HAPPENINGS[whole(1) ?? 0] ?? 'sound',
      origin: place(0),
      end: place(3),
      direction: place(6),
      subject: whole(2),
      color: color === null ? null : [color >> 16, (color >> 8) & 255, color & 255],
      size: known(9),
      count: whole(4),
      life: whole(5),
      sound: file < 0 ? null : { file: this.words[file] as string, volume: float(10), near: float(11), far: float(12), pitch: float(13), channel: whole(7) ?? 0 },
    };
  }
}
