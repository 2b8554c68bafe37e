// WAD files of Quake and Half-Life: textures by their names.

import { type Entry, entry, within } from './entry';

const MOST = 50_000;
const ENTRY = 32;
/** Kinds of entries that are textures. */
const MIPTEX = [0x43, 0x44];

/** The textures in a WAD file, as `wad/name`. */
export async function wadEntries(file: Blob): Promise<Entry[]> {
  const head = new DataView(await within(file, 0, 12).arrayBuffer());
  const count = Math.min(head.getUint32(4, true), MOST);
  const offset = head.getUint32(8, true);
  const bytes = new Uint8Array(await within(file, offset, offset + count * ENTRY).arrayBuffer());
  const view = new DataView(bytes.buffer);
  const entries: Entry[] = [];
  for (let at = 0; at < bytes.length; at += ENTRY) {
    const [from, size] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    // nobody's tools pack them
    if (!MIPTEX.includes(bytes[at + 12]) || bytes[at + 13]) continue;
    const name = String.fromCharCode(...bytes.subarray(at + 16, at + 32)).replace(/\0.*/s, '');
    entries.push(entry(`wad/${name}`, size, async () => within(file, from, from + size)));
  }
  return entries;
}
