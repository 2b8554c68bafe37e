// Game files that were dropped since the page was opened. Archives that came later have the last word, and loose files before all of them.

import type { Entry } from './entry';
import { entriesIn, isArchive, isModel, isSound } from './archive';
import { wadEntries } from './wad';

const MOST_ARCHIVES = 256;
/** No picture or script is larger than that. */
const LARGEST = 80 << 20;
const LARGEST_SCRIPT = 4 << 20;
const LARGEST_SCRIPTS = 64 << 20;

export interface Pack {
  entries: Map<string, Entry>;
  /** WAD files in an archive, which are looked into when a texture is asked of them. */
  wads: Entry[];
  /** Whether anything of it was of use. */
  used: boolean;
  /** Whether it has models, which are looked for when they are drawn. */
  hasModels: boolean;
  /** Whether it has sounds, which are looked for when they are heard. */
  hasSounds: boolean;
}

export const plainPath = (path: string): string => path.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();

export class GameFiles {
  private readonly loose: Pack = { entries: new Map(), wads: [], used: false, hasModels: false, hasSounds: false };
  private packs: Pack[] = [];

  /** Whether there is nothing but maps. */
  get isEmpty(): boolean {
    return !this.packs.length && !this.loose.hasModels;
  }

  get hasSounds(): boolean {
    return this.loose.hasSounds || this.packs.some((pack) => pack.hasSounds);
  }

  /** Adds what a file has, and says what that is and where it went. */
  async add(file: File, path: string): Promise<{ entries: Entry[]; pack: Pack }> {
    const entries = await entriesIn(file, path);
    if (!isArchive(file.name)) {
      this.loose.used = false;
      this.loose.hasModels ||= isModel(file.name);
      this.loose.hasSounds ||= isSound(file.name);
      // in whatever folder the game's own is
      for (const one of entries)
        for (let name = plainPath(one.name); name; name = name.includes('/') ? name.slice(name.indexOf('/') + 1) : '')
          this.loose.entries.set(name, one);
      return { entries, pack: this.loose };
    }
    const pack: Pack = {
      entries: new Map(entries.map((one) => [plainPath(one.name), one])),
      wads: entries.filter((one) => /\.wad$/i.test(one.name)),
      used: false,
      hasModels: entries.some((one) => isModel(one.name)),
      hasSounds: entries.some((one) => isSound(one.name)),
    };
    this.packs = [...this.packs, pack].slice(-MOST_ARCHIVES);
    return { entries, pack };
  }

  /** The bytes of a file, or `wad/name` for a texture of whatever WAD. */
  async find(name: string): Promise<Uint8Array | null> {
    for (const pack of [this.loose, ...[...this.packs].reverse()]) {
      if (name.startsWith('wad/')) await openWads(pack);
      const found = pack.entries.get(name);
      if (!found || found.size > LARGEST) continue;
      try {
        const bytes = await found.read();
        pack.used = true;
        return bytes;
      } catch {
        // what cannot be read is not there
      }
    }
    return null;
  }

  /** The shader scripts and where they are, those first that have the last word. */
  async *scripts(): AsyncGenerator<[string, Pack]> {
    let left = LARGEST_SCRIPTS;
    for (const pack of [this.loose, ...[...this.packs].reverse()]) {
      for (const [name, one] of pack.entries) {
        if (!/^scripts\/[^/]*\.shader$/.test(name) || one.size > Math.min(left, LARGEST_SCRIPT)) continue;
        left -= one.size;
        try {
          yield [new TextDecoder('latin1').decode(await one.read()), pack];
        } catch {
          // nor is a script that cannot be read
        }
      }
    }
  }
}

async function openWads(pack: Pack): Promise<void> {
  for (const wad of pack.wads.splice(0)) {
    try {
      for (const one of await wadEntries(await wad.blob())) pack.entries.set(plainPath(one.name), one);
    } catch {
      // a broken one has no textures
    }
  }
}
