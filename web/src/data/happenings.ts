// What is seen or heard for a moment: sounds, explosions, beams. The library says what happens; here it is found by its time.

import { type FrameColumns, HAPPENING_KINDS, type HappeningKind, LASTS, type Tables } from './layout';
import type { Column, Packed } from './packed';
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
  /** Of a static entity its model and skin; `count` is its frame. */
  model: string | null;
  skin: number | null;
  /** Of a decal its picture in `decals.wad`. */
  picture: string | null;
}

/** Sounds that may last at a time; those that began first give way. */
const MOST_LASTING = 256;
/** Beginnings and ends of such sounds in a recording. */
const MOST_CHANGES = 8192;
const MOST_DECALS = 65536;

export class Happenings {
  /** Rows in the order of their times. */
  private order = new Uint32Array();
  /** Those that begin and end sounds that last, in that order. */
  private lasting: Happening[] = [];
  /** Those that set light styles. */
  private lights: Happening[] = [];
  /** Those that place static entities. */
  private statics: Happening[] = [];
  /** Those that place decals, and those that end all of them. */
  private decals: Happening[] = [];

  constructor(
    private readonly columns: Packed<Tables['happening']>,
    private readonly words: unknown[],
    private readonly frames: Pick<FrameColumns, 'levels'>,
  ) {
    this.take();
  }

  /** Takes the rows that came. */
  take(): void {
    const { columns, order } = this;
    const { time, kind, channel } = columns;
    const rows = rowsInOrder(time, order.length, columns.ends[0] ?? 0);
    if (!rows.length) return;
    this.order = merged(order, rows, (one, other) => time.at(one) <= time.at(other));
    const isLasting = (row: number) =>
      HAPPENING_KINDS[kind.at(row)] === 'silence' || (channel.at(row) > 0 && (channel.at(row) & LASTS) !== 0);
    const isLight = (row: number) => HAPPENING_KINDS[kind.at(row)] === 'lightstyle';
    const first = (before: Happening[], is: (row: number) => boolean, most = MOST_CHANGES) =>
      [...before, ...Array.from(rows.filter(is).subarray(0, most), (row) => this.read(row))]
        .sort((a, b) => a.time - b.time || a.number - b.number)
        .slice(0, most);
    this.lights = first(this.lights, isLight);
    this.lasting = first(this.lasting, isLasting);
    this.statics = first(this.statics, (row) => HAPPENING_KINDS[kind.at(row)] === 'static');
    this.decals = first(this.decals, (row) => HAPPENING_KINDS[kind.at(row)] === 'decal', MOST_DECALS);
  }

  /** The static entities of a level at a time. */
  staticsAt(time: number, level: number): Happening[] {
    return this.statics.filter(
      (one) => one.time <= time && this.frames.levels[this.columns.frames.at(one.number)] === level,
    );
  }

  /** The decals of a level at a time: at most the latest `most`, in their order. */
  decalsAt(time: number, level: number, most: number): Happening[] {
    const found: Happening[] = [];
    for (let at = countUntil(this.decals, time) - 1; at >= 0 && found.length < most; at--) {
      const one = this.decals[at]!;
      if (this.frames.levels[this.columns.frames.at(one.number)] !== level || !one.origin) break;
      found.push(one);
    }
    return found.reverse();
  }

  /** The sounds that last at a time in a level, each at its place. */
  lastingAt(time: number, level: number): Happening[] {
    const found = new Map<string, Happening>();
    for (const one of this.lasting) {
      if (one.time > time) break;
      if (!one.sound || this.frames.levels[this.columns.frames.at(one.number)] !== level) continue;
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
    return this.columns.time.at(this.order[at]);
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
    const place = (x: Column, y: Column, z: Column): Vector | null =>
      Number.isNaN(x.at(row)) ? null : [x.at(row), y.at(row), z.at(row)];
    const file = wordAt(this.words, columns.file, row);
    const kind = HAPPENING_KINDS[columns.kind.at(row)] ?? 'sound';
    const isLight = kind === 'lightstyle';
    const isStatic = kind === 'static';
    const isDecal = kind === 'decal';
    const channel = known(columns.channel.at(row)) ?? 0;
    return {
      number: row,
      time: columns.time.at(row),
      kind,
      origin: place(columns.x, columns.y, columns.z),
      end: place(columns.endX, columns.endY, columns.endZ),
      direction: place(columns.directionX, columns.directionY, columns.directionZ),
      subject: known(columns.subject.at(row)),
      color: colorOf(known(columns.color.at(row))),
      size: knownFloat(columns.size.at(row)),
      count: known(columns.count.at(row)),
      life: known(columns.life.at(row)),
      pattern: isLight ? file : null,
      model: isStatic ? file : null,
      skin: isStatic ? channel : null,
      picture: isDecal ? file : null,
      sound:
        file === null || isLight || isStatic || isDecal
          ? null
          : {
              file,
              volume: columns.volume.at(row),
              near: columns.near.at(row),
              far: columns.far.at(row),
              pitch: columns.pitch.at(row),
              channel: channel & (LASTS - 1),
              lasts: (channel & LASTS) !== 0,
            },
    };
  }
}

/** How many begin until a time. */
function countUntil(list: readonly Happening[], time: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]!.time <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The rows from one to before another, in the order of their times. */
function rowsInOrder(time: Column, from: number, end: number): Uint32Array {
  const times = Float64Array.from({ length: end - from }, (_, row) => time.at(from + row));
  return Uint32Array.from(times.keys())
    .sort((a, b) => times[a] - times[b] || a - b)
    .map((row) => from + row);
}

/** Two lists in order as one. Of two that are alike, the first list's comes first. */
function merged(
  first: Uint32Array,
  second: Uint32Array,
  isBefore: (one: number, other: number) => boolean,
): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(first.length + second.length);
  let [from, at] = [first.length, all.length];
  for (let next = second.length; next > 0; ) {
    const isFirst = from > 0 && !isBefore(first[from - 1], second[next - 1]);
    all[--at] = isFirst ? first[--from] : second[--next];
  }
  all.set(first.subarray(0, from));
  return all;
}
