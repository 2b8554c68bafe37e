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
} from './layout';
import { type Column, type ColumnOf, type Numbers, type Packed, type PackedRows, append, emptyTable } from './packed';
import type { Vector, Way } from './vector';

export const TABLES = Object.keys(COLUMNS) as TableName[];

/** The frames of a part of a recording, or of all of it. */
export interface Tracks extends FrameColumns {
  tables: Record<TableName, PackedRows>;
  /** How far players go in each level: its number, the least x, y and z, and the largest ones. */
  extents: Float64Array;
  words: string;
  damage: string;
}

/** Frames in memory. */
export interface Frames extends FrameColumns {
  tables: { [K in TableName]: Packed<Tables[K]> };
}

/** No frames yet. */
export const noFrames = (): Frames => ({
  ...of<FrameColumns>(OF_FRAMES.doubles, () => new Float64Array()),
  ...of<FrameColumns>(OF_FRAMES.counts, () => new Uint32Array()),
  tables: of<Frames['tables']>(TABLES, (name) => emptyTable(name as TableName)),
});

/** Adds the frames behind those that are there. */
export function extend(frames: Frames, more: Tracks): void {
  const columns = frames as unknown as Record<string, Numbers>;
  for (const name of [...OF_FRAMES.doubles, ...OF_FRAMES.counts]) columns[name] = both(columns[name], more[name]);
  for (const name of TABLES) append(frames.tables[name], more.tables[name]);
}

const of = <T>(names: readonly string[], column: (name: string) => unknown) =>
  Object.fromEntries(names.map((name) => [name, column(name)])) as T;

/** Numbers, and those behind them. They have room for more, so that most parts copy nothing of those before. */
function both<T extends Numbers>(before: T, more: T): T {
  if (!before.length) return more;
  const of = before.constructor as new (length: number | ArrayBufferLike, from?: number, count?: number) => T;
  const length = before.length + more.length;
  const hasRoom = before.buffer.byteLength >= length * before.BYTES_PER_ELEMENT;
  const room = hasRoom ? before : new of(length + (length >> 2));
  if (!hasRoom) room.set(before);
  const all = new of(room.buffer, 0, length);
  all.set(more, before.length);
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

  constructor(readonly columns: Packed<C>) {
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
    const { starts, ends, frames, bits } = this.columns;
    const [from, to] = [starts[track], ends[track]];
    let row = this.last[track];
    const stands = (at: number) =>
      at >= from && at < to && frames.at(at) <= frame && (at + 1 >= to || frames.at(at + 1) > frame);
    if (!stands(row) && !stands(++row)) {
      let [low, high] = [from, to];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (frames.at(middle) <= frame) low = middle + 1;
        else high = middle;
      }
      row = low - 1;
      if (row < from) return -1;
    }
    this.last[track] = row;
    return bits.at(row) ? row : -1;
  }

  /** The row of a track at a frame, whether the subject is there or not. */
  anyRow(track: number, frame: number): number {
    const row = this.row(track, frame);
    return row >= 0 ? row : this.columns.frames.at(this.last[track]) <= frame ? this.last[track] : -1;
  }

  /** The row of the next frame, when a subject is still there and did not jump. */
  next(track: number, row: number, frame: number): number {
    const { ends, frames, bits } = this.columns;
    const after = row + 1;
    if (after >= ends[track] || frames.at(after) > frame + 1) return row;
    const facts = bits.at(after);
    return facts & PRESENT && !(facts & TELEPORTED) ? after : -1;
  }
}

/** What rows name by number. */
export function wordAt<T>(words: readonly unknown[], column: ColumnOf<T>, row: number): T | null {
  const number = column.at(row);
  return number >= 0 ? (words[number] as T) : null;
}

/** Three columns between two rows. */
export function between(
  x: Column,
  y: Column,
  z: Column,
  from: number,
  to: number,
  part: number,
  way: Way,
): Vector | null {
  const start = x.at(from);
  if (Number.isNaN(start)) return null;
  const end = x.at(to);
  if (part <= 0 || from === to || Number.isNaN(end)) return [start, y.at(from), z.at(from)];
  return [way(start, end, part), way(y.at(from), y.at(to), part), way(z.at(from), z.at(to), part)];
}
