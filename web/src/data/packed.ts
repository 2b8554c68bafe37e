// Packed tables of numbers. The page reads any number in place, so every time is quick to reach.

import {
  ABSENT,
  ALIKE,
  BLOCK,
  COLUMNS,
  COUNTING,
  ONE_BYTE,
  PLAIN,
  type Rows,
  type TableName,
  TWO_BYTES,
  UNIT_SHIFT,
  UNITS,
  type Words,
} from './layout';

/** Numbers beside each other. */
export type Numbers = Float64Array | Float32Array | Uint32Array | Int32Array | Uint16Array | Uint8Array;

/** The blocks of a column, as the library packs them. */
export interface Blocks {
  kinds: Uint8Array;
  bases: Float64Array;
  ones: Uint8Array;
  twos: Uint16Array;
  plain: Float32Array | Int32Array;
}

/** Rows of a table, subject after subject. The first block of a subject takes the place of its last one before, if that was not full. */
export interface PackedRows {
  keys: Uint32Array;
  sizes: Uint32Array;
  columns: Record<string, Blocks>;
}

/** The rows in a block, as a shift. */
const SHIFT = 31 - Math.clz32(BLOCK);
/** The largest numbers of one and of two bytes. They stand for what the recording does not state. */
const [NO_BYTE, NO_WORD] = [0xff, 0xffff];

/** Numbers in a page of a pool, as a shift. */
const PAGE = 14;

/** Numbers that only grow more. They lie in pages, so that those that are there are not copied for those that come. */
class Pool<T extends Numbers> {
  private readonly pages: T[] = [];
  length = 0;

  constructor(private readonly of: new (length: number) => T) {}

  at(place: number): number {
    return this.pages[place >> PAGE][place & ((1 << PAGE) - 1)];
  }

  add(more: T): void {
    for (let from = 0; from < more.length; ) {
      const [page, at] = [this.length >> PAGE, this.length & ((1 << PAGE) - 1)];
      const count = Math.min((1 << PAGE) - at, more.length - from);
      this.room(page, at + count).set(more.subarray(from, from + count), at);
      this.length += count;
      from += count;
    }
  }

  /** A page that has room for this number of numbers. */
  private room(page: number, count: number): T {
    const old = this.pages[page];
    if (old && old.length >= count) return old;
    const larger = new this.of(old ? Math.min(1 << PAGE, Math.max(count, old.length * 2)) : count);
    if (old) larger.set(old);
    this.pages[page] = larger;
    return larger;
  }

  get bytes(): number {
    return this.pages.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }
}

/** Where the blocks of a table come from when rows are added: from its blocks, or, below 0, from the new ones. */
interface Merge {
  sources: Int32Array;
  /** The number of rows in each new block. */
  sizes: Uint16Array;
}

/** A column of a table. */
export class Column {
  private kinds: Uint8Array = new Uint8Array();
  private bases: Float64Array = new Float64Array();
  private starts: Uint32Array = new Uint32Array();
  private readonly ones = new Pool<Uint8Array>(Uint8Array);
  private readonly twos = new Pool<Uint16Array>(Uint16Array);
  private readonly plain: Pool<Float32Array> | Pool<Int32Array>;
  private readonly missing: number;

  constructor(isFloat: boolean) {
    this.plain = isFloat ? new Pool(Float32Array) : new Pool(Int32Array);
    this.missing = isFloat ? Number.NaN : ABSENT;
  }

  /** The number in a row. */
  at(row: number): number {
    const block = row >>> SHIFT;
    const place = row & (BLOCK - 1);
    const kind = this.kinds[block];
    const base = this.bases[block];
    const at = this.starts[block] + place;
    switch (kind & PLAIN) {
      case ALIKE:
        return kind & COUNTING ? base + place : base;
      case ONE_BYTE: {
        const steps = this.ones.at(at);
        if (kind & COUNTING) return base + place + steps;
        return steps === NO_BYTE ? this.missing : base + steps * UNITS[kind >> UNIT_SHIFT];
      }
      case TWO_BYTES: {
        const steps = this.twos.at(at);
        return steps === NO_WORD ? this.missing : base + steps * UNITS[kind >> UNIT_SHIFT];
      }
      default:
        return this.plain.at(at);
    }
  }

  /** Adds blocks, and puts all of them in their order. */
  merge({ kinds, bases, ones, twos, plain }: Blocks, { sources, sizes }: Merge): void {
    const starts = new Uint32Array(kinds.length);
    const ends = [0, this.ones.length, this.twos.length, this.plain.length];
    for (let block = 0; block < kinds.length; block++) {
      const width = kinds[block] & PLAIN;
      starts[block] = ends[width];
      ends[width] += sizes[block];
    }
    this.ones.add(ones);
    this.twos.add(twos);
    (this.plain as Pool<Numbers>).add(plain);
    this.kinds = merged(this.kinds, kinds, sources);
    this.bases = merged(this.bases, bases, sources);
    this.starts = merged(this.starts, starts, sources);
  }

  /** What it takes in memory. */
  get bytes(): number {
    const { kinds, bases, starts, ones, twos, plain } = this;
    return kinds.byteLength + bases.byteLength + starts.byteLength + ones.bytes + twos.bytes + plain.bytes;
  }
}

/** A column of numbers of words. */
export type ColumnOf<T> = Column & { readonly of?: T };

/** A table whose columns are packed. The rows of a subject stand from its start to before its end. */
export type Packed<C extends Rows = Rows> = {
  keys: Uint32Array;
  starts: Uint32Array;
  ends: Uint32Array;
  frames: Column;
} & { [K in Exclude<keyof C, keyof Rows>]: C[K] extends Words<infer T> ? ColumnOf<T> : Column };

function merged<T extends Numbers>(old: T, more: T, sources: Int32Array): T {
  const all = new (old.constructor as new (length: number) => T)(sources.length);
  for (let at = 0; at < sources.length; at++) all[at] = sources[at] >= 0 ? old[sources[at]] : more[~sources[at]];
  return all;
}

/** A table without rows. */
export function emptyTable(table: TableName): Packed {
  const { floats, ints } = COLUMNS[table];
  return {
    keys: new Uint32Array(),
    starts: new Uint32Array(),
    ends: new Uint32Array(),
    ...Object.fromEntries(['frames', ...ints].map((name) => [name, new Column(false)])),
    ...Object.fromEntries(floats.map((name) => [name, new Column(true)])),
  } as Packed;
}

/** Puts rows behind those of the same subjects. */
export function append(to: Packed, more: PackedRows): void {
  if (!more.keys.length) return;
  const keys = Uint32Array.from(new Set([...to.keys, ...more.keys])).sort();
  const [starts, ends] = [new Uint32Array(keys.length), new Uint32Array(keys.length)];
  const old = new Map([...to.keys].map((key, track) => [key, track]));
  const sources: number[] = [];
  const sizes: number[] = [];
  /** Where the new blocks of each subject begin. */
  const begins = new Map<number, number>();
  for (const [track, key] of more.keys.entries()) {
    begins.set(key, sizes.length);
    for (let left = more.sizes[track]; left > 0; left -= BLOCK) sizes.push(Math.min(left, BLOCK));
  }
  const counts = new Map([...more.keys].map((key, track) => [key, more.sizes[track]]));
  for (const [track, key] of keys.entries()) {
    const before = old.get(key);
    const count = counts.get(key);
    const [from, end] = before === undefined ? [0, 0] : [to.starts[before], to.ends[before]];
    // new rows come with those of a block that was not full
    const stay = count === undefined ? end - from : (end - from) & ~(BLOCK - 1);
    starts[track] = sources.length << SHIFT;
    ends[track] = starts[track] + stay + (count ?? 0);
    for (let row = 0; row < stay; row += BLOCK) sources.push((from + row) >>> SHIFT);
    const begin = begins.get(key) ?? 0;
    for (let row = 0; row < (count ?? 0); row += BLOCK) sources.push(~(begin + (row >>> SHIFT)));
  }
  const merge = { sources: Int32Array.from(sources), sizes: Uint16Array.from(sizes) };
  const columns = to as unknown as Record<string, Column>;
  for (const [name, column] of Object.entries(more.columns)) columns[name].merge(column, merge);
  Object.assign(to, { keys, starts, ends });
}

/** What the columns of a table take in memory. */
export function bytesOf(table: Packed): number {
  let sum = table.keys.byteLength + table.starts.byteLength + table.ends.byteLength;
  for (const column of Object.values(table)) if (column instanceof Column) sum += column.bytes;
  return sum;
}
