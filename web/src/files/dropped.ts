// Files and folders that somebody dropped.

import { messageOf } from '../data/reason';
import { Client } from '../data/client';
import { entriesIn, isArchive, isLoose, isMap, isModel } from '../maps/archive';

const MOST_FILES = 20_000;
const RECORDING = /\.(dm_?\d+|dm2|dem|mvd|mvd2|qwd|rla|urtdemo|frpa?|qwz|gz)$/i;
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

/** What an archive has of recordings. */
export interface Inside {
  files: File[];
  /** Why it is of no use at all; empty where it is a game's, or no archive. */
  why: string;
}

/** Archives in archives are opened so deep. */
const DEEPEST = 2;

/** The recordings in an archive, in archives in it, too. A game's own archive has some, which nobody means who drops it with its maps. */
export async function recordingsIn(file: File): Promise<Inside> {
  if (/\.frpa$/i.test(file.name)) return packedIn(file);
  if (!isZip(file.name)) return { files: [], why: '' };
  try {
    const { files, others } = await inZip(file, DEEPEST);
    if (files.length && (isPlain(file.name) || !others.some(({ name }) => isMap(name) || isModel(name))))
      return { files, why: '' };
    const useful = others.some(({ name }) => isMap(name) || isArchive(name) || isLoose(name));
    return { files: [], why: useful || !isPlain(file.name) ? '' : nothingIn(file, others) };
  } catch (error) {
    return { files: [], why: `${file.name}: ${messageOf(error)}` };
  }
}

const isZip = (name: string): boolean => /\.(zip|pk3|pk4|pkz)$/i.test(name);
const isPlain = (name: string): boolean => /\.zip$/i.test(name);

/** What was found in place of a recording. */
function nothingIn(file: File, entries: { name: string }[]): string {
  const kinds = [...new Set(entries.map(({ name }) => /\.[^./\\]+$/.exec(name)?.[0].toLowerCase() ?? 'no ending'))];
  const found = entries.length ? `${entries.length} files (${kinds.slice(0, 4).join(', ')})` : 'nothing';
  return `${file.name} has no recording, map or model in it: ${found}. Drop a recording, or the archive that has one.`;
}

async function inZip(file: File, deep: number): Promise<{ files: File[]; others: { name: string }[] }> {
  const entries = (await entriesIn(file, file.name)).filter(({ name }) => !name.endsWith('/'));
  const files: File[] = [];
  const others: { name: string }[] = [];
  for (const entry of entries) {
    const name = entry.name.split(/[/\\]/).pop() ?? entry.name;
    if (files.length >= MOST_INSIDE) break;
    if (RECORDING.test(name)) files.push(new File([await entry.blob()], name));
    else if (deep > 1 && isPlain(name)) {
      const inner = await inZip(new File([await entry.blob()], name), deep - 1);
      files.push(...inner.files);
      others.push(...inner.others);
    } else others.push(entry);
  }
  return { files: files.slice(0, MOST_INSIDE), others };
}

/** The recordings in an archive that `fragreel pack` made. */
async function packedIn(file: File): Promise<Inside> {
  const client = new Client();
  try {
    const names = await client.archive(new Uint8Array(await file.arrayBuffer()));
    const files: File[] = [];
    for (const [at, path] of names.slice(0, MOST_INSIDE).entries())
      files.push(new File([await client.member(at)], path.split(/[/\\]/).pop() ?? path));
    return { files, why: files.length ? '' : `${file.name} has no recording in it` };
  } catch (error) {
    return { files: [], why: `${file.name}: ${messageOf(error)}` };
  } finally {
    client.close();
  }
}
