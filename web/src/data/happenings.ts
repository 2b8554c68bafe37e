// What is seen or heard for a moment: sounds, explosions, beams. The library says what happens; here it is found by its time.

import { HAPPENING_KINDS, type HappeningKind, LASTS, type Tables } from './layout';
import { known, knownFloat, wordAt } from './table';
import { type Vector, colorOf } from './vector';

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
  /** A slot, or an entity's number and `ENTITY`. */
  subject: number | null;
  color: Vector | null;
  size: number | null;
  count: number | null;
  life: number | null;
  sound: Heard | null;
  /** Of a light style its pattern; `count` is its number. */
  pattern: string | null;
}

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
    private readonly columns: Tables['happening'],
    private readonly words: unknown[],
    private readonly levels: Uint32Array,
  ) {
    const { time, kind, channel, frames } = columns;
    this.order = Uint32Array.from(frames, (_, row) => row);
    this.order.sort((a, b) => time[a] - time[b] || a - b);
    const isLasting = (row: number) =>
      HAPPENING_KINDS[kind[row]] === 'silence' || (channel[row] > 0 && (channel[row] & LASTS) !== 0);
    const isLight = (row: number) => HAPPENING_KINDS[kind[row]] === 'lightstyle';
    for (const row of this.order)
      if (this.lights.length < MOST_CHANGES && isLight(row)) this.lights.push(this.read(row));
    for (const row of this.order)
      if (this.lasting.length < MOST_CHANGES && isLasting(row)) this.lasting.push(this.read(row));
  }

  /** The sounds that last at a time in a level, each at its place. */
  lastingAt(time: number, level: number): Happening[] {
    const found = new Map<string, Happening>();
    for (const one of this.lasting) {
      if (one.time > time) break;
      if (!one.sound || this.levels[this.columns.frames[one.number]] !== level) continue;
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
    for (let at = this.firstAfter(after); at < this.order.length && this.timeAt(at) <= until; at++)
      found.push(this.read(this.order[at]));
    return found;
  }

  private timeAt(at: number): number {
    return this.columns.time[this.order[at]];
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
    const { columns } = this;
    const place = (x: Float32Array, y: Float32Array, z: Float32Array): Vector | null =>
      Number.isNaN(x[row]) ? null : [x[row], y[row], z[row]];
    const file = wordAt(this.words, columns.file, row);
    const kind = HAPPENING_KINDS[columns.kind[row]] ?? 'sound';
    const isLight = kind === 'lightstyle';
    const channel = known(columns.channel[row]) ?? 0;
    return {
      number: row,
      time: columns.time[row],
      kind,
      origin: place(columns.x, columns.y, columns.z),
      end: place(columns.endX, columns.endY, columns.endZ),
      direction: place(columns.directionX, columns.directionY, columns.directionZ),
      subject: known(columns.subject[row]),
      color: colorOf(known(columns.color[row])),
      size: knownFloat(columns.size[row]),
      count: known(columns.count[row]),
      life: known(columns.life[row]),
      pattern: isLight ? file : null,
      sound:
        file === null || isLight
          ? null
          : {
              file,
              volume: columns.volume[row],
              near: columns.near[row],
              far: columns.far[row],
              pitch: columns.pitch[row],
              channel: channel & (LASTS - 1),
              lasts: (channel & LASTS) !== 0,
            },
    };
  }
}
