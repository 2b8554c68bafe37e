// An MP4 of pictures and sound, with its index before them.

import type { EncodedSound } from './soundencode';
import { SAMPLE_RATE } from './soundtrack';

export interface Chunk {
  bytes: Uint8Array;
  /** Which picture it is, in the order in which they are shown. */
  number: number;
  isKey: boolean;
}

/** What an index says of one track. */
interface Track {
  bytes: Uint8Array[];
  /** The length of each, in units, and units of a second. */
  lengths: number[];
  second: number;
  /** How many there are in each second of the file: players read both tracks side by side. */
  runs: number[];
  header: (whole: number) => Uint8Array[];
  media: Uint8Array[];
  entry: Uint8Array;
  more: Uint8Array[];
}

/** Units of a picture's time, and of a second of the whole. */
const [UNITS, SECOND] = [512, 1000];
const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

/** `description` is what the encoder says of its H.264; without it the pictures are VP9. */
export function mp4(
  description: Uint8Array | null,
  width: number,
  height: number,
  rate: number,
  chunks: Chunk[],
  sound: EncodedSound | null,
): Blob {
  const whole = Math.round((chunks.length * SECOND) / rate);
  const tracks = [pictures(description, width, height, rate, chunks), ...(sound ? [sounds(sound, whole)] : [])];
  // a run of each track by turns
  const runs: { track: number; bytes: Uint8Array[] }[] = [];
  const taken = tracks.map(() => 0);
  for (let second = 0; tracks.some((track) => second < track.runs.length); second++)
    tracks.forEach((track, number) => {
      const count = track.runs[second] ?? 0;
      if (count) runs.push({ track: number, bytes: track.bytes.slice(taken[number], taken[number] + count) });
      taken[number] += count;
    });
  const sizeOf = (bytes: Uint8Array[]) => bytes.reduce((sum, { length }) => sum + length, 0);
  const head = box('ftyp', text('isom'), words(0x200), text('isomiso2avc1mp41'));
  const index = (start: number) => {
    const places: number[][] = tracks.map(() => []);
    let at = start;
    for (const { track, bytes } of runs) {
      places[track].push(at);
      at += sizeOf(bytes);
    }
    return box(
      'moov',
      box(
        'mvhd',
        words(0, 0, 0, SECOND, whole, 0x10000, 0x1000000, 0, 0, ...MATRIX, 0, 0, 0, 0, 0, 0, tracks.length + 1),
      ),
      ...tracks.map((track, number) => trak(track, number + 1, places[number])),
    );
  };
  const start = head.length + index(0).length + 8;
  const all = runs.flatMap(({ bytes }) => bytes as Uint8Array<ArrayBuffer>[]);
  return new Blob([head, index(start), words(sizeOf(all) + 8), text('mdat'), ...all], { type: 'video/mp4' });
}

function trak(track: Track, number: number, places: number[]): Uint8Array {
  const length = track.lengths.reduce((sum, one) => sum + one, 0);
  const [identity, ...edits] = track.header(number);
  return box(
    'trak',
    identity,
    ...edits,
    box(
      'mdia',
      box('mdhd', words(0, 0, 0, track.second, length, 0x55c40000)),
      track.media[0],
      box(
        'minf',
        track.media[1],
        box('dinf', box('dref', words(0, 1), box('url ', words(1)))),
        box(
          'stbl',
          box('stsd', words(0, 1), track.entry),
          box('stts', words(0, ...pairs(track.lengths))),
          ...track.more,
          box('stsc', words(0, ...changes(track.runs.filter(Boolean)))),
          box('stsz', words(0, 0, track.bytes.length, ...track.bytes.map((bytes) => bytes.length))),
          box('stco', words(0, places.length, ...places)),
        ),
      ),
    ),
  );
}

function pictures(description: Uint8Array | null, width: number, height: number, rate: number, chunks: Chunk[]): Track {
  const whole = Math.round((chunks.length * SECOND) / rate);
  const config = description
    ? box('avcC', description)
    : box('vpcC', words(0x1000000), Uint8Array.of(0, 41, 0x82, 1, 1, 1, 0, 0));
  const entry = box(
    description ? 'avc1' : 'vp09',
    shorts(0, 0, 0, 1, ...Array(8).fill(0), width, height),
    words(0x480000, 0x480000, 0),
    shorts(1),
    new Uint8Array(32),
    shorts(24, 0xffff),
    config,
  );
  // encoders may give pictures before those that they are made from
  const late = chunks.map(({ number }, at) => (number - at) * UNITS);
  const keys = chunks.flatMap(({ isKey }, at) => (isKey ? [at + 1] : []));
  return {
    bytes: chunks.map(({ bytes }) => bytes),
    lengths: chunks.map(() => UNITS),
    second: Math.round(rate * UNITS),
    runs: inSeconds(chunks.map((_, at) => at / rate)),
    header: (number) => [
      box('tkhd', words(3, 0, 0, number, 0, whole, 0, 0, 0, 0, ...MATRIX, width * 0x10000, height * 0x10000)),
    ],
    media: [handler('vide'), box('vmhd', words(1, 0, 0))],
    entry,
    more: [
      ...(late.some(Boolean) ? [box('ctts', words(0x1000000, chunks.length, ...late.flatMap((one) => [1, one])))] : []),
      box('stss', words(0, keys.length, ...keys)),
    ],
  };
}

function sounds({ codec, channels, head, skip, chunks }: EncodedSound, whole: number): Track {
  const config =
    codec === 'opus'
      ? // the same facts as `OpusHead` behind its name, with the most significant byte first
        box(
          'dOps',
          Uint8Array.of(0, head[9], head[11], head[10], head[15], head[14], head[13], head[12], head[17], head[16], 0),
        )
      : box('esds', words(0), ...streamOf(head));
  return {
    bytes: chunks.map(({ bytes }) => bytes),
    lengths: chunks.map(({ count }) => count),
    second: SAMPLE_RATE,
    runs: inSeconds(chunks.map(({ at }) => at / SAMPLE_RATE)),
    header: (number) => [
      box('tkhd', words(3, 0, 0, number, 0, whole, 0, 0, 0, 0x1000000, ...MATRIX, 0, 0)),
      box('edts', box('elst', words(0, 1, whole, skip, 0x10000))),
    ],
    media: [handler('soun'), box('smhd', words(0, 0))],
    entry: box(
      codec === 'opus' ? 'Opus' : 'mp4a',
      shorts(0, 0, 0, 1, 0, 0, 0, 0, channels, 16, 0, 0),
      words(SAMPLE_RATE * 0x10000),
      config,
    ),
    more: [],
  };
}

/** The descriptors of an elementary stream of AAC. */
function streamOf(config: Uint8Array): Uint8Array[] {
  const part = (tag: number, ...bytes: number[]): number[] => [tag, bytes.length, ...bytes];
  const decoder = part(4, 0x40, 0x15, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, ...part(5, ...config));
  return [Uint8Array.from(part(3, 0, 1, 0, ...decoder, ...part(6, 2)))];
}

const handler = (kind: string): Uint8Array => box('hdlr', words(0, 0), text(kind), words(0, 0, 0), Uint8Array.of(0));

/** How many begin in each second. */
function inSeconds(times: number[]): number[] {
  const counts: number[] = [];
  for (const time of times) {
    const second = Math.floor(time + 1e-9);
    while (counts.length <= second) counts.push(0);
    counts[second]++;
  }
  return counts;
}

/** How many pairs, then how many values are alike and that value. */
function pairs(values: number[]): number[] {
  const found: [number, number][] = [];
  for (const value of values) {
    const last = found.at(-1);
    if (last?.[1] === value) last[0]++;
    else found.push([1, value]);
  }
  return [found.length, ...found.flat()];
}

/** From which run on there are this number in each. */
function changes(runs: number[]): number[] {
  const found: number[] = [];
  runs.forEach((count, at) => {
    if (count !== runs[at - 1]) found.push(at + 1, count, 1);
  });
  return [found.length / 3, ...found];
}

function box(name: string, ...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const size = parts.reduce((sum, { length }) => sum + length, 8);
  const made = new Uint8Array(size);
  made.set(words(size));
  made.set(text(name), 4);
  let at = 8;
  for (const part of parts) {
    made.set(part, at);
    at += part.length;
  }
  return made;
}

const text = (value: string): Uint8Array<ArrayBuffer> => Uint8Array.from(value, (letter) => letter.charCodeAt(0));

function words(...values: number[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  values.forEach((value, at) => view.setInt32(at * 4, value));
  return new Uint8Array(view.buffer);
}

function shorts(...values: number[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(values.length * 2));
  values.forEach((value, at) => view.setInt16(at * 2, value));
  return new Uint8Array(view.buffer);
}
