// The tables of a recording's frames: a row stands where something of its subject changes.

import {
  ABSENT,
  COLUMNS,
  type FrameColumns,
  OF_FRAMES,
  PRESENT,
  type Rows,
  TELEPORTED,
  type TableName,
  type Tables,
  type Words,
} from './layout';
import type { Vector, Way } from './vector';

/** All that the worker sends of a recording's frames. */
export interface Tracks extends FrameColumns {
  tables: Tables;
  words: string;
  damage: string;
}

export const TABLES = Object.keys(COLUMNS) as TableName[];

type Numbers = Float64Array | Float32Array | Uint32Array | Int32Array;
/** A table with its columns by name. */
export type Columns = Rows & Record<string, Numbers>;

/** Frames, and those behind them. */
export function joined(before: Tracks, more: Tracks): Tracks {
  const of = <T>(names: readonly string[], join: (name: string) => unknown) =>
    Object.fromEntries(names.map((name) => [name, join(name)])) as T;
  const frames = [before, more].map((tracks) => tracks as unknown as Record<string, Numbers>) as [
    Record<string, Numbers>,
    Record<string, Numbers>,
  ];
  return {
    ...of<FrameColumns>([...OF_FRAMES.doubles, ...OF_FRAMES.counts], (name) => both(frames[0][name], frames[1][name])),
    tables: of<Tables>(TABLES, (name) =>
      joinedRows(name as TableName, before.tables[name as TableName], more.tables[name as TableName]),
    ),
    words: before.words,
    damage: more.damage,
  };
}

function both<T extends Numbers>(before: T, more: T): T {
  const all = made(before, before.length + more.length);
  all.set(before);
  all.set(more, before.length);
  return all;
}

const made = <T extends Numbers>(like: T, length: number): T =>
  new (like.constructor as new (length: number) => T)(length);

/** The rows of each subject, and behind them those that are new. */
function joinedRows(table: TableName, before: Rows, more: Rows): Rows {
  const count = before.frames.length + more.frames.length;
  if (!more.frames.length) return before;
  const keys = Uint32Array.from(new Set([...before.keys, ...more.keys])).sort();
  const parts = [before, more].map((rows) => ({
    columns: rows as Columns,
    places: new Map([...rows.keys].map((key, place) => [key, place])),
  }));
  const names = ['frames', ...COLUMNS[table].floats, ...COLUMNS[table].ints];
  const all = Object.fromEntries(names.map((name) => [name, made((before as Columns)[name], count)])) as Columns;
  Object.assign(all, { keys, starts: new Uint32Array(keys.length + 1) });
  let row = 0;
  keys.forEach((key, track) => {
    all.starts[track] = row;
    for (const { columns, places } of parts) {
      const place = places.get(key);
      if (place === undefined) continue;
      const [from, to] = [columns.starts[place], columns.starts[place + 1]];
      for (const name of names) all[name].set(columns[name].subarray(from, to), row);
      row += to - from;
    }
  });
  all.starts[keys.length] = row;
  return all;
}

/** A whole number that the recording states. */
export const known = (value: number): number | null => (value === ABSENT ? null : value);

/** A number with a fraction that the recording states. */
export const knownFloat = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** A table that is looked at frame by frame: it remembers the row that each subject had last. */
export class Table<C extends Rows & { bits: Int32Array }> {
  private readonly last: Uint32Array;
  private readonly places = new Map<number, number>();

  constructor(readonly columns: C) {
    this.last = columns.starts.slice();
    columns.keys.forEach((key, place) => this.places.set(key, place));
  }

  /** The place of a subject's track. */
  track(key: number): number | undefined {
    return this.places.get(key);
  }

  /** The row of a subject at a frame, or -1. */
  rowOf(key: number, frame: number): number {
    const track = this.places.get(key);
    return track === undefined ? -1 : this.row(track, frame);
  }

  /** The row of a track that stands at a frame, or -1. */
  row(track: number, frame: number): number {
    const { starts, frames, bits } = this.columns;
    const [from, to] = [starts[track], starts[track + 1]];
    let row = this.last[track];
    const stands = (at: number) =>
      at >= from && at < to && frames[at] <= frame && (at + 1 >= to || frames[at + 1] > frame);
    if (!stands(row) && !stands(++row)) {
      let [low, high] = [from, to];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (frames[middle] <= frame) low = middle + 1;
        else high = middle;
      }
      row = low - 1;
      if (row < from) return -1;
    }
    this.last[track] = row;
    return bits[row] ? row : -1;
  }

  /** The row of a track at a frame, whether the subject is there or not. */
  anyRow(track: number, frame: number): number {
    const row = this.row(track, frame);
    return row >= 0 ? row : this.columns.frames[this.last[track]] <= frame ? this.last[track] : -1;
  }

  /** The row of the next frame, when a subject is still there and did not jump. */
  next(track: number, row: number, frame: number): number {
    const { starts, frames, bits } = this.columns;
    const after = row + 1;
    if (after >= starts[track + 1] || frames[after] > frame + 1) return row;
    return bits[after] & PRESENT && !(bits[after] & TELEPORTED) ? after : -1;
  }
}

/** What rows name by number. */
export function wordAt<T>(words: readonly unknown[], column: Words<T>, row: number): T | null {
  return column[row] >= 0 ? (words[column[row]] as T) : null;
}

/** Three columns between two rows. */
export function between(
  x: Float32Array,
  y: Float32Array,
  z: Float32Array,
  from: number,
  to: number,
  part: number,
  way: Way,
): Vector | null {
  if (Number.isNaN(x[from])) return null;
  if (part <= 0 || from === to || Number.isNaN(x[to])) return [x[from], y[from], z[from]];
  return [way(x[from], x[to], part), way(y[from], y[to], part), way(z[from], z[to], part)];
}
