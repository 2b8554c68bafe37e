// What is seen or heard for a moment: sounds, explosions, beams. The library says what happens; here it is found by its time.

import type { Columns, Vector } from './film';

/** In the library's order. */
export const HAPPENINGS = ['sound', 'explosion', 'impact', 'blood', 'gibs', 'flash', 'rail', 'lightning', 'laser', 'tracer', 'teleport', 'respawn', 'splash', 'bubbles', 'smoke', 'silence', 'lightstyle'] as const;
export type HappeningKind = (typeof HAPPENINGS)[number];

export interface Heard {
  file: string;
  volume: number;
  /** Units up to which it is loudest, and from which on it is silent; everywhere where that is not a number. */
  near: number;
  far: number;
  channel: number;
  pitch: number;
  /** Whether it goes on until its channel is silenced or the level ends. */
  lasts: boolean;
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
  /** Of a light style its pattern; `count` is its number. */
  pattern: string | null;
}

const ABSENT = -2147483648;
/** Numbers with a fraction and whole numbers in a row. */
const [FLOATS, INTS] = [14, 8];
/** In a channel: its sound lasts. */
const LASTS = 256;
/** Sounds that may last at a time; those that began first give way. */
const MOST_LASTING = 256;
/** Beginnings and ends of such sounds in a recording. */
const MOST_CHANGES = 8192;

export class Happenings {
  /** Rows in the order of their times. */
  private readonly order: Uint32Array;
  /** Those that begin and end sounds that last, in that order. */
  private readonly lasting: Happening[] = [];
  /** Those that set light styles. */
  private readonly lights: Happening[] = [];

  constructor(
    private readonly columns: Columns,
    private readonly words: unknown[],
    private readonly levels: Uint32Array,
  ) {
    const { ints, frames } = columns;
    this.order = Uint32Array.from(frames, (_, row) => row);
    this.order.sort((a, b) => ints[a * INTS]! - ints[b * INTS]! || a - b);
    const isLasting = (row: number) => HAPPENINGS[ints[row * INTS + 1]!] === 'silence' || (ints[row * INTS + 7]! > 0 && (ints[row * INTS + 7]! & LASTS) !== 0);
    const isLight = (row: number) => HAPPENINGS[ints[row * INTS + 1]!] === 'lightstyle';
    for (const row of this.order) if (this.lights.length < MOST_CHANGES && isLight(row)) this.lights.push(this.read(row));
    for (const row of this.order) if (this.lasting.length < MOST_CHANGES && isLasting(row)) this.lasting.push(this.read(row));
  }

  /** The sounds that last at a time in a level, each at its place. */
  lastingAt(time: number, level: number): Happening[] {
    const found = new Map<string, Happening>();
    for (const one of this.lasting) {
      if (one.time > time) break;
      if (!one.sound || this.levels[this.columns.frames[one.number]!] !== level) continue;
      const { channel, file } = one.sound;
      const key = one.subject === null && !channel ? `${one.number}` : `${one.subject} ${channel} ${file}`;
      found.delete(key);
      if (one.kind !== 'silence') found.set(key, one);
      if (found.size > MOST_LASTING) found.delete(found.keys().next().value!);
    }
    return [...found.values()];
  }

  /** The patterns of the light styles at a time, by number. */
  lightsAt(time: number): Map<number, string> {
    const found = new Map<number, string>();
    for (const { time: since, count, pattern } of this.lights) {
      if (since > time) break;
      found.set(count!, pattern!);
    }
    return found;
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
    const kind = HAPPENINGS[whole(1) ?? 0] ?? 'sound';
    const isLight = kind === 'lightstyle';
    return {
      number: row,
      time: ints[row * INTS]!,
      kind,
      origin: place(0),
      end: place(3),
      direction: place(6),
      subject: whole(2),
      color: color === null ? null : [color >> 16, (color >> 8) & 255, color & 255],
      size: known(9),
      count: whole(4),
      life: whole(5),
      pattern: isLight ? (this.words[file] as string) : null,
      sound: file < 0 || isLight ? null : { file: this.words[file] as string, volume: float(10), near: float(11), far: float(12), pitch: float(13), channel: (whole(7) ?? 0) & (LASTS - 1), lasts: ((whole(7) ?? 0) & LASTS) !== 0 },
    };
  }
}
