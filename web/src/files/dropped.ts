// Files and folders that somebody dropped.

import { entriesIn, isArchive, isLoose, isMap } from './archive';

const MOST_FILES = 20_000;
const RECORDING = /\.(dm_?\d+|dm2|dem|mvd|mvd2|qwd|rla|urtdemo|gz)$/i;
/** More than that are not unpacked at once. */
const MOST_INSIDE = 64;
const paths = new WeakMap<File, string>();

/** Where a file lay in the folder that was dropped, or its name. */
export const pathOf = (file: File): string => paths.get(file) ?? (file.webkitRelativePath || file.name);

export async function dropped(transfer: DataTransfer): Promise<File[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const plain = [...transfer.files];
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  const files: File[] = [];
  const walk = async (entry: FileSystemEntry): Promise<void> => {
    if (files.length >= MOST_FILES) return;
    if (entry.isFile) {
      // of a game's folder only what is of use
      if (!isMap(entry.name) && !isArchive(entry.name) && !isLoose(entry.name) && !RECORDING.test(entry.name)) return;
      const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
      paths.set(file, entry.fullPath);
      files.push(file);
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      // a folder is read in pieces, until there is none
      const piece = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
      if (!piece.length) return;
      for (const one of piece) await walk(one);
    }
  };
  for (const entry of entries) if (entry) await walk(entry);
  return files;
}

/** The recordings in a `.zip`. A game's own archives have some, too, which nobody means who drops them. */
export async function recordingsIn(file: File): Promise<File[]> {
  if (!/\.zip$/i.test(file.name)) return [];
  try {
    const found = (await entriesIn(file, file.name)).filter(({ name }) => RECORDING.test(name)).slice(0, MOST_INSIDE);
    return await Promise.all(
      found.map(async (one) => new File([await one.blob()], one.name.split(/[/\\]/).pop() ?? one.name)),
    );
  } catch {
    // the reader of game files reports what is wrong with it
    return [];
  }
}
