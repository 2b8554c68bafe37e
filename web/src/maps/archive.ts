// Game files: alone, in `.pak`, in `.pk3` (zip) and in `.wad`. Of an archive only the directory and the wanted entries are read.

import { type Entry, LARGEST, entry, whole, within } from './entry';
import { BadMap } from './format';
import { wadEntries } from './wad';

const MOST_ENTRIES = 200_000;

export const isArchive = (name: string): boolean => /\.(pak|pk3|pk4|pkz|zip|wad)$/i.test(name);
/** True for archives of a kind that only games use. */
export const isPack = (name: string): boolean => isArchive(name) && !/\.zip$/i.test(name);
export const isMap = (name: string): boolean => /\.bsp$/i.test(name);
export const isModel = (name: string): boolean => /\.(mdl|md2|md3|spr|sp2)$/i.test(name);
export const isSound = (name: string): boolean => /\.(wav|ogg|opus)$/i.test(name);
/** Pictures, palettes, scripts, models and sounds, as they lie in a game's folder. */
export const isLoose = (name: string): boolean =>
  isModel(name) || isSound(name) || /\.(wal|tga|jpe?g|png|pcx|lmp|shader|skin|cfg)$/i.test(name);

/** What is in a file that somebody dropped; `path` is where it lay. */
export async function entriesIn(file: File, path: string): Promise<Entry[]> {
  if (isMap(file.name) || isLoose(file.name)) return [entry(path, file.size, async () => file)];
  const magic = String.fromCharCode(...(await part(file, 0, Math.min(4, file.size))));
  if (magic === 'WAD2' || magic === 'WAD3') return wadEntries(file);
  return magic === 'PACK' ? pakEntries(file) : zipEntries(file);
}

const part = (file: Blob, from: number, to: number): Promise<Uint8Array> => whole(within(file, from, to));

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

async function pakEntries(file: File): Promise<Entry[]> {
  const head = viewOf(await part(file, 0, 12));
  const [offset, length] = [head.getUint32(4, true), head.getUint32(8, true)];
  const bytes = await part(file, offset, offset + length);
  const view = viewOf(bytes);
  const entries: Entry[] = [];
  for (let at = 0; at + 64 <= bytes.length && entries.length < MOST_ENTRIES; at += 64) {
    const end = bytes.subarray(at, at + 56).indexOf(0);
    const name = String.fromCharCode(...bytes.subarray(at, at + (end < 0 ? 56 : end)));
    const [from, size] = [view.getUint32(at + 56, true), view.getUint32(at + 60, true)];
    entries.push(entry(name, size, async () => within(file, from, from + size)));
  }
  return entries;
}

async function zipEntries(file: File): Promise<Entry[]> {
  const from = Math.max(0, file.size - 66000);
  const tail = await part(file, from, file.size);
  let end = tail.length - 22;
  while (end >= 0 && !(tail[end] === 0x50 && tail[end + 1] === 0x4b && tail[end + 2] === 5 && tail[end + 3] === 6))
    end--;
  if (end < 0) throw new BadMap('neither a map nor an archive of maps');
  const view = viewOf(tail);
  const [size, start] = [view.getUint32(end + 12, true), view.getUint32(end + 16, true)];
  const bytes = await part(file, start, start + size);
  const directory = viewOf(bytes);
  const entries: Entry[] = [];
  for (
    let at = 0;
    at + 46 <= bytes.length && directory.getUint32(at, true) === 0x02014b50 && entries.length < MOST_ENTRIES;
  ) {
    const [method, packed, unpacked] = [
      directory.getUint16(at + 10, true),
      directory.getUint32(at + 20, true),
      directory.getUint32(at + 24, true),
    ];
    const [nameLength, extra, comment, local] = [
      directory.getUint16(at + 28, true),
      directory.getUint16(at + 30, true),
      directory.getUint16(at + 32, true),
      directory.getUint32(at + 42, true),
    ];
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    entries.push(entry(name, unpacked, () => unzip(file, local, method, packed, unpacked)));
    at += 46 + nameLength + extra + comment;
  }
  return entries;
}

async function unzip(file: File, local: number, method: number, packed: number, unpacked: number): Promise<Blob> {
  const head = viewOf(await part(file, local, local + 30));
  const from = local + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  const bytes = within(file, from, from + packed);
  if (method === 0) return bytes;
  if (method !== 8) throw new BadMap('its compression is unknown');
  if (unpacked > LARGEST) throw new BadMap('an entry is larger than any map');
  const stream = bytes.stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const pieces: BlobPart[] = [];
  let length = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(pieces);
    // what gives more than it says is not unpacked to its end
    length += value.length;
    if (length > unpacked) throw new BadMap('an entry is larger than the archive says');
    pieces.push(value);
  }
}
