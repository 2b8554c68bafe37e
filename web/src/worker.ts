// One recording in a thread of its own. What it answers is typed arrays, which are handed over without a copy, and JSON.

import { messageOf } from './data/reason';
import init, { Members, Recording, type Tracks as Made } from './generated/fragreel.js';
import address from './generated/fragreel_bg.wasm?url';
import type { Level } from './maps/format';
import { parseLevel } from './maps/level';
import type { Model } from './models/model';
import { parseModel } from './models/parse';
import type { Info } from '../answers';
import { COLUMNS, type FrameColumns, OF_FRAMES, type TableName, type Tables } from './data/layout';
import { TABLES, type Tracks } from './data/table';

export interface Request {
  id: number;
  call: string;
  args: unknown[];
}

let recording: Recording | null = null;
let members: Members | null = null;
/** How many messages it has. */
let messages = 1;

const calls: Record<string, (id: number, ...args: never[]) => unknown> = {
  async open(_id, bytes: Uint8Array, name: string) {
    await begin();
    recording = new Recording(bytes, name);
    const info = recording.info();
    messages = Math.max(1, (JSON.parse(info) as Info).messages);
    return info;
  },
  tracks: (id) =>
    columns(opened().tracks((message: number) => postMessage({ id, progress: Math.min(1, message / messages) }))),
  grow: (_id, more: Uint8Array, last: boolean) => columns(opened().grow(more, last)),
  info: () => opened().info(),
  events: () => opened().events(),
  scores: () => opened().scores(),
  verify: () => opened().verify(),
  audit: () => opened().audit(),
  moments: () => opened().moments(),
  keys: () => opened().keys(),
  state: (_id, time: number) => opened().state(time),
  explain: (_id, message: number) => opened().explain(message),
  colored: (_id, texts: string) => opened().colored(texts),
  formats: (_id, pov: string | undefined) => opened().formats(pov),
  clip(_id, wishes: string) {
    const clip = opened().clip(wishes);
    return { bytes: clip.bytes(), extension: clip.extension(), report: clip.report() };
  },
  // a worker that reads archives or game files has no recording
  async archive(_id, bytes: Uint8Array) {
    await begin();
    members = new Members(bytes);
    return members.names();
  },
  member: (_id, at: number) => members?.read(at) ?? new Uint8Array(),
  model: (_id, bytes: Uint8Array, more: Uint8Array | null): Model => parseModel(bytes, more),
  level: (_id, bytes: Uint8Array): Level => parseLevel(bytes),
};

async function begin(): Promise<void> {
  // a page in one file brings the bytes along, the npm package an address
  const inside = (globalThis as { fragreelWasm?: Uint8Array<ArrayBuffer> | string }).fragreelWasm;
  await init({ module_or_path: inside ?? address });
}

function opened(): Recording {
  if (!recording) throw new Error('no recording is open');
  return recording;
}

function columns(made: Made): Tracks {
  const of = <T extends object>(names: readonly string[], column: (name: string) => unknown) =>
    Object.fromEntries(names.map((name) => [name, column(name)])) as T;
  const rows = (table: TableName) => ({
    keys: made.keys(table),
    starts: made.starts(table),
    frames: made.frames(table),
    ...of<object>(COLUMNS[table].floats, (name) => made.floats(table, name)),
    ...of<object>(COLUMNS[table].ints, (name) => made.ints(table, name)),
  });
  const answer: Tracks = {
    ...of<FrameColumns>(OF_FRAMES.doubles, (name) => made.doubles(name)),
    ...of<FrameColumns>(OF_FRAMES.counts, (name) => made.counts(name)),
    tables: of<Tables>(TABLES, (name) => rows(name as TableName)),
    words: made.words(),
    damage: made.damage(),
  };
  made.free();
  return answer;
}

/** The buffers in an answer. */
function buffers(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) found.add(value.buffer as ArrayBuffer);
  else if (value && typeof value === 'object') for (const part of Object.values(value)) buffers(part, found);
  return found;
}

/** The answer that is being made: one comes after the other, whatever is asked while a recording is still opened. */
let answering = Promise.resolve();

addEventListener('message', (event: MessageEvent<Request>) => {
  answering = answering.then(() => answer(event.data));
});

async function answer({ id, call, args }: Request): Promise<void> {
  try {
    const run = calls[call];
    if (!run) throw new Error(`no such call: ${call}`);
    const value = await run(id, ...(args as never[]));
    postMessage({ id, value }, { transfer: [...buffers(value)] });
  } catch (error) {
    // a fault inside the library leaves it unusable; the page starts another worker
    const dead = !(error instanceof Error) || error instanceof WebAssembly.RuntimeError;
    postMessage({ id, error: messageOf(error), dead });
  }
}
