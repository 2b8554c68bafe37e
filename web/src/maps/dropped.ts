// Files and folders that somebody dropped.

import { isArchive, isLoose, isMap } from './archive';

const MOST_FILES = 20_000;
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
      if (!isMap(entry.name) && !isArchive(entry.name) && !isLoose(entry.name) && !/\.(dm_?\d+|dm2|dem|mvd|mvd2|qwd|rla|urtdemo|gz)$/i.test(entry.name)) return;
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
