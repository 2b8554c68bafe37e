// A file in an archive, which is read when it is wanted.

import { BadMap } from './format';

/** Larger than any map. */
export const LARGEST = 256 << 20;

export interface Entry {
  name: string;
  size: number;
  blob(): Promise<Blob>;
  read(): Promise<Uint8Array>;
}

export function entry(name: string, size: number, blob: () => Promise<Blob>): Entry {
  return { name, size, blob, read: async () => whole(await blob()) };
}

/** A part of a file, which is not read yet. */
export function within(file: Blob, from: number, to: number): Blob {
  if (from < 0 || to > file.size || from > to) throw new BadMap('the archive names a place outside the file');
  return file.slice(from, to);
}

export async function whole(file: Blob): Promise<Uint8Array> {
  if (file.size > LARGEST) throw new BadMap('an entry is larger than any map');
  return new Uint8Array(await file.arrayBuffer());
}
