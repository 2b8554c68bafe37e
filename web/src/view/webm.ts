// A WebM of pictures and sound: what players of Matroska need, and an index to jump by.

import type { Chunk } from './mp4';
import type { EncodedSound } from './soundencode';
import { SAMPLE_RATE } from './soundtrack';

/** Milliseconds of a cluster: places in it are short numbers. */
const LONGEST = 30_000;
/** Nanoseconds that a decoder of Opus needs after a jump. */
const PRE_ROLL = 80_000_000;

interface Block {
  track: 1 | 2;
  time: number;
  bytes: Uint8Array;
  isKey: boolean;
}

export function webm(
  codec: 'V_VP8' | 'V_VP9',
  width: number,
  height: number,
  rate: number,
  chunks: Chunk[],
  sound: EncodedSound | null,
): Blob {
  const pictures = chunks.map(
    ({ bytes, number, isKey }): Block => ({ track: 1, time: Math.round((number * 1000) / rate), bytes, isKey }),
  );
  const heard = (sound?.chunks ?? []).map(
    ({ bytes, at }): Block => ({ track: 2, time: Math.round((at * 1000) / SAMPLE_RATE), bytes, isKey: true }),
  );
  // pictures stay in the order of the encoder; sound goes between them by its time
  const all: Block[] = [];
  let next = 0;
  for (const picture of pictures) {
    while (next < heard.length && heard[next].time < picture.time) all.push(heard[next++]);
    all.push(picture);
  }
  all.push(...heard.slice(next));
  const clusters: { time: number; data: Uint8Array<ArrayBuffer> }[] = [];
  let blocks: Uint8Array[] = [];
  let began = 0;
  const end = () => {
    if (blocks.length) clusters.push({ time: began, data: element(0x1f43b675, integer(0xe7, began), ...blocks) });
    blocks = [];
  };
  for (const { track, time, bytes, isKey } of all) {
    if ((track === 1 && isKey) || time - began > LONGEST) end();
    if (!blocks.length) began = time;
    const part = time - began;
    blocks.push(element(0xa3, Uint8Array.of(0x80 | track, (part >> 8) & 255, part & 255, isKey ? 0x80 : 0), bytes));
  }
  end();
  const information = element(
    0x1549a966,
    integer(0x2ad7b1, 1_000_000),
    text(0x4d80, 'fragreel'),
    text(0x5741, 'fragreel'),
    float(0x4489, (chunks.length * 1000) / rate),
  );
  const track = element(
    0xae,
    integer(0xd7, 1),
    integer(0x73c5, 1),
    integer(0x83, 1),
    integer(0x9c, 0),
    text(0x86, codec),
    element(0xe0, integer(0xb0, width), integer(0xba, height)),
  );
  const tracks = element(0x1654ae6b, track, ...(sound ? [soundTrack(sound)] : []));
  let at = information.length + tracks.length;
  // eight bytes for each place, so that the size of the index does not depend on them
  const cues = (places: number[]) =>
    element(
      0x1c53bb6b,
      ...clusters.map(({ time }, cluster) =>
        element(0xbb, integer(0xb3, time), element(0xb7, integer(0xf7, 1), element(0xf1, eight(places[cluster])))),
      ),
    );
  at += cues(clusters.map(() => 0)).length;
  const places = clusters.map(({ data }) => {
    at += data.length;
    return at - data.length;
  });
  const head = element(
    0x1a45dfa3,
    integer(0x4286, 1),
    integer(0x42f7, 1),
    integer(0x42f2, 4),
    integer(0x42f3, 8),
    text(0x4282, 'webm'),
    integer(0x4287, 4),
    integer(0x4285, 2),
  );
  return new Blob([head, element(0x18538067, information, tracks, cues(places), ...clusters.map(({ data }) => data))], {
    type: 'video/webm',
  });
}

function soundTrack({ channels, head, skip }: EncodedSound): Uint8Array {
  return element(
    0xae,
    integer(0xd7, 2),
    integer(0x73c5, 2),
    integer(0x83, 2),
    integer(0x9c, 0),
    text(0x86, 'A_OPUS'),
    integer(0x56aa, Math.round((skip * 1e9) / SAMPLE_RATE)),
    integer(0x56bb, PRE_ROLL),
    element(0x63a2, head),
    element(0xe1, float(0xb5, SAMPLE_RATE), integer(0x9f, channels)),
  );
}

function element(id: number, ...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  const name = bytesOf(id);
  const made = new Uint8Array(name.length + 8 + size);
  made.set(name);
  made.set(eight(size), name.length);
  // the first bit says that the size has eight bytes
  made[name.length] = 1;
  let at = name.length + 8;
  for (const part of parts) {
    made.set(part, at);
    at += part.length;
  }
  return made;
}

function bytesOf(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value; left; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return bytes.length ? bytes : [0];
}

function eight(value: number): Uint8Array {
  const made = new Uint8Array(8);
  new DataView(made.buffer).setBigUint64(0, BigInt(value));
  return made;
}

const integer = (id: number, value: number) => element(id, Uint8Array.from(bytesOf(value)));
const text = (id: number, value: string) => element(id, new TextEncoder().encode(value));

function float(id: number, value: number): Uint8Array {
  const made = new Uint8Array(8);
  new DataView(made.buffer).setFloat64(0, value);
  return element(id, made);
}
