// One recording in a thread of its own. What it answers is typed arrays, which are handed over without a copy, and JSON.

import { messageOf } from './data/reason';
import init, { type Movement, Recording, type Tracks as Made } from './generated/fragreel.js';
import address from './generated/fragreel_bg.wasm?url';
import initTake, { Members, Recording as Source } from './generated/fragreel_take.js';
import addressOfTake from './generated/fragreel_take_bg.wasm?url';
import type { Level } from './maps/format';
import { parseLevel } from './maps/level';
import type { Model } from './models/model';
import { parseModel } from './models/parse';
import type { Info } from '../answers';
import { COLUMNS, type FrameColumns, OF_FRAMES, OF_STEPS, type StepColumns, type TableName } from './data/layout';
import type { Blocks, PackedRows } from './data/packed';
import { TABLES, type Tracks } from './data/table';

export interface Request {
  id: number;
  call: string;
  args: unknown[];
}

let recording: Recording | null = null;
let members: Members | null = null;
/** The recording in the library that has what few ask for, and the size of its file: one that is still written grows. */
let source: { recording: Source; size: number } | null = null;
let taking: Promise<unknown> | null = null;
/** How many messages it has. */
let messages = 1;

const calls: Record<string, (id: number, ...args: never[]) => unknown> = {
  async open(_id, bytes: Uint8Array, name: string) {
    await begin();
    source = null;
    recording = new Recording(bytes, name);
    const info = recording.info();
    messages = Math.max(1, (JSON.parse(info) as Info).messages);
    return info;
  },
  tracks: (id) =>
    columns(opened().tracks((message: number) => postMessage({ id, progress: Math.min(1, message / messages) }))),
  grow: (_id, more: Uint8Array, last: boolean, total: number) => columns(opened().grow(more, last, total)),
  info: () => opened().info(),
  events: () => opened().events(),
  scores: () => opened().scores(),
  audit: () => opened().audit(),
  moments: () => opened().moments(),
  keys: () => opened().keys(),
  movement: (_id, slot: number) => steps(opened().movement(slot)),
  colored: (_id, texts: string) => opened().colored(texts),
  // what the other library answers comes with the file and its name
  verify: async (_id, file: Blob, name: string) => (await sourceOf(file, name)).verify(),
  state: async (_id, file: Blob, name: string, time: number) => (await sourceOf(file, name)).state(time),
  explain: async (_id, file: Blob, name: string, message: number) => (await sourceOf(file, name)).explain(message),
  formats: async (_id, file: Blob, name: string, pov: string | undefined) => (await sourceOf(file, name)).formats(pov),
  async clip(_id, file: Blob, name: string, wishes: string) {
    const clip = (await sourceOf(file, name)).clip(wishes);
    return { bytes: clip.bytes(), extension: clip.extension(), report: clip.report() };
  },
  // a worker that reads archives or game files has no recording
  async archive(_id, bytes: Uint8Array) {
    await beginTake();
    members = new Members(bytes);
    return members.names();
  },
  member: (_id, at: number) => members?.read(at) ?? new Uint8Array(),
  model: (_id, bytes: Uint8Array, more: Uint8Array | null): Model => parseModel(bytes, more),
  level: (_id, bytes: Uint8Array): Level => parseLevel(bytes),
};

async function begin(): Promise<void> {
  await init({ module_or_path: inside()?.watch ?? address });
}

async function beginTake(): Promise<void> {
  taking ??= initTake({ module_or_path: inside()?.take ?? addressOfTake });
  try {
    await taking;
  } catch (error) {
    // it may be there the next time
    taking = null;
    throw error;
  }
}

/** A page in one file brings the bytes of both libraries along, the npm package their addresses. */
function inside(): Record<'watch' | 'take', Uint8Array<ArrayBuffer> | string> | undefined {
  return (globalThis as { fragreelWasm?: Record<'watch' | 'take', Uint8Array<ArrayBuffer> | string> }).fragreelWasm;
}

async function sourceOf(file: Blob, name: string): Promise<Source> {
  await beginTake();
  if (source?.size !== file.size) {
    source?.recording.free();
    source = null;
    source = { recording: new Source(new Uint8Array(await file.arrayBuffer()), name), size: file.size };
  }
  return source.recording;
}

function opened(): Recording {
  if (!recording) throw new Error('no recording is open');
  return recording;
}

const of = <T extends object>(names: readonly string[], column: (name: string) => unknown) =>
  Object.fromEntries(names.map((name) => [name, column(name)])) as T;

function steps(made: Movement): StepColumns & { jumps: string } {
  const answer = {
    ...of<StepColumns>(OF_STEPS.doubles, (name) => made.doubles(name)),
    ...of<StepColumns>(OF_STEPS.counts, (name) => made.counts(name)),
    jumps: made.jumps(),
  };
  made.free();
  return answer;
}

function columns(made: Made): Tracks {
  const blocks = (table: TableName, plain: 'floats' | 'ints', column: string): Blocks => ({
    kinds: made.kinds(table, column),
    bases: made.bases(table, column),
    ones: made.ones(table, column),
    twos: made.twos(table, column),
    plain: made[plain](table, column),
  });
  const rows = (table: TableName): PackedRows => ({
    keys: made.keys(table),
    sizes: made.sizes(table),
    columns: {
      ...of<PackedRows['columns']>(COLUMNS[table].floats, (name) => blocks(table, 'floats', name)),
      ...of<PackedRows['columns']>(['frames', ...COLUMNS[table].ints], (name) => blocks(table, 'ints', name)),
    },
  });
  const answer: Tracks = {
    ...of<FrameColumns>(OF_FRAMES.doubles, (name) => made.doubles(name)),
    ...of<FrameColumns>(OF_FRAMES.counts, (name) => made.counts(name)),
    tables: of<Tracks['tables']>(TABLES, (name) => rows(name as TableName)),
    extents: made.extents(),
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
