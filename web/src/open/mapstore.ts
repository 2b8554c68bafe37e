// The maps that were given, which recording they are of, and their textures.

import { messageOf } from '../data/reason';
import type { Session } from '../data/session';
import { isMap } from '../maps/archive';
import { pathOf } from '../files/dropped';
import { GameFiles, type Pack } from '../maps/files';
import { type MapChecks, type MapMatch, matchMap, statedChecksum, mapChecks } from '../maps/fit';
import type { Level } from '../maps/format';
import { Cancelled } from '../data/client';
import { Parser } from '../files/parser';
import type { Store, World } from '../store/store';
import { ModelStore } from '../files/modelstore';
import { recall, recallTextures, remember, rememberTextures } from '../maps/memory';
import { addTextures } from '../maps/textures';

interface LoadedMap extends MapChecks {
  level: Level;
  read(): Promise<Uint8Array>;
  /** Whether the browser remembers it, and with it its textures. */
  isRemembered: boolean;
}

export class MapStore implements World {
  private readonly maps = new Map<string, LoadedMap>();
  private readonly game = new GameFiles();
  private readonly parser = new Parser();
  /** The models in the game files that were given. */
  private readonly all = new ModelStore(this.game, this.parser, () => this.store.tell('files'));
  /** Maps are given their textures one after the other. */
  private dressing: Promise<void> = Promise.resolve();
  /** How much of that is still to come. */
  private undressed = 0;
  /** What was given is taken one after the other: what is said of the last is said last. */
  private taking: Promise<unknown> = Promise.resolve();

  private aborter = new AbortController();

  constructor(private readonly store: Store) {
    store.world = this;
  }

  get models(): ModelStore | null {
    return this.game.isEmpty ? null : this.all;
  }

  get reads(): boolean {
    return this.undressed > 0 || this.all.reads;
  }

  get hasSounds(): boolean {
    return this.game.hasSounds;
  }

  /** A file of the game's. */
  find(name: string): Promise<Uint8Array | null> {
    return this.game.find(name);
  }

  /** The map that is played at a time, where somebody gave it. */
  at(session: Session, time: number): Level | null {
    return this.kept(session, time)?.level ?? null;
  }

  /** What lines meet in it. */
  raysAt(session: Session, time: number): MapChecks['rays'] | null {
    return this.kept(session, time)?.rays ?? null;
  }

  private fail(text: string): void {
    this.store.tell('failed', text);
  }

  private kept(session: Session, time: number): LoadedMap | null {
    return this.maps.size ? (this.maps.get(nameAt(session, time)) ?? null) : null;
  }

  /** Takes maps, those that the open recordings were played on, or the only one there is; and whatever textures of them there are. */
  add(files: File[]): Promise<string[]> {
    const taken = this.taking.then(() => this.takeFiles(files));
    this.taking = taken.catch(() => undefined);
    return taken;
  }

  /** Waits for all that was given so far. */
  async settled(): Promise<void> {
    await this.taking;
  }

  private async takeFiles(files: File[]): Promise<string[]> {
    const taken: string[] = [];
    const wanted = new Set(this.store.selection.sessions.flatMap(namesOf));
    let failed = false;
    const packs: Pack[] = [];
    for (const file of files) {
      try {
        const { entries: all, pack } = await this.game.add(file, pathOf(file));
        packs.push(pack);
        const entries = all.filter((entry) => isMap(entry.name));
        const names = entries.map((entry) =>
          (entry.name.split(/[/\\]/).pop() ?? '').replace(/\.bsp$/i, '').toLowerCase(),
        );
        for (const [at, entry] of entries.entries()) {
          const name = names[at];
          if (!wanted.has(name) && !(isMap(file.name) && !wanted.size)) continue;
          await this.take(name, await entry.read(), () => entry.read(), file.name);
          taken.push(name);
        }
      } catch (error) {
        if (error instanceof Cancelled) return taken;
        failed = true;
        this.fail(`${file.name}: ${messageOf(error)}`);
      }
    }
    this.all.refresh();
    this.store.tell('files');
    // textures may have come for maps that are there
    for (const name of files.every((file) => isMap(file.name)) ? taken : this.maps.keys()) await this.addTextures(name);
    const models = packs.some((pack) => pack.hasModels);
    const useful = models || packs.some((pack) => pack.used || pack.hasSounds);
    if (!taken.length && !useful && !failed)
      this.fail(
        `${files.map((file) => file.name).join(', ')}: the map ${[...wanted].join(', ')} is not in it${this.maps.size ? ', nor are textures of it' : ''}`,
      );
    if (taken.length) this.store.tell('said', `map ${taken.join(', ')} is shown`);
    else if (useful)
      this.store.tell(
        'said',
        models
          ? 'models are taken from it'
          : packs.some((pack) => pack.used)
            ? 'textures are shown'
            : 'sounds are taken from it',
      );
    return taken;
  }

  /** Fetches the maps of a recording: addresses with blanks between them, in which `{map}` stands for a map's name. */
  async fetch(session: Session, addresses: string): Promise<void> {
    const names = namesOf(session).filter((name) => !this.maps.has(name));
    if (!names.length) return;
    const all = addresses
      .split(/\s+/)
      .flatMap((one) =>
        one.includes('{map}')
          ? names.map((name) => one.replaceAll('{map}', encodeURIComponent(name)))
          : one
            ? [one]
            : [],
      );
    const { signal } = this.aborter;
    for (const address of all) {
      try {
        const answer = await fetch(address, { signal });
        if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
        const blob = await answer.blob();
        if (!signal.aborted)
          await this.add([
            new File([blob], decodeURIComponent(new URL(address, document.baseURI).pathname.split('/').pop() ?? '')),
          ]);
      } catch (error) {
        if (!signal.aborted) this.store.tell('missed', `${address}: ${messageOf(error)}`);
      }
    }
  }

  /** Ends what is fetched. */
  close(): void {
    this.aborter.abort();
    this.aborter = new AbortController();
    this.all.close();
  }

  /** Takes a map. One of another recording is not remembered, and does not replace the right one. */
  private async take(name: string, bytes: Uint8Array, read: () => Promise<Uint8Array>, file: string): Promise<void> {
    const level = await this.parser.level(bytes);
    const kept: LoadedMap = { level, ...mapChecks(bytes, level), read, isRemembered: false };
    const verdict = this.verdict(name, kept);
    const before = this.maps.get(name);
    if (verdict && verdict !== 'same' && before && this.verdict(name, before) === 'same') {
      this.fail(`${file} is not the recording's ${name}: ${verdict.why}. The matching map is shown.`);
      return;
    }
    this.maps.set(name, kept);
    this.report(name, kept, verdict, file);
  }

  private report(name: string, kept: LoadedMap, verdict: MapMatch, file: string): void {
    // the name decides if nothing else does
    if (!verdict || verdict === 'same') {
      if (this.store.selection.sessions.some((session) => namesOf(session).includes(name)))
        void this.remember(name, kept);
    } else
      this.store.tell('doubted', {
        text: `${file} is not the recording's ${name}: ${verdict.why}. It is shown, but not remembered.`,
        keep: () => void this.remember(name, kept, true),
      });
  }

  private verdict(name: string, sums: MapChecks): MapMatch {
    let found: MapMatch = null;
    for (const session of this.store.selection.sessions) {
      if (!namesOf(session).includes(name)) continue;
      const verdict = matchMap(
        session,
        sums,
        (time) => session.info.maps.length === 1 || (session.events.length > 0 && nameAt(session, time) === name),
      );
      if (verdict && verdict !== 'same') return verdict;
      found ??= verdict;
    }
    return found;
  }

  /** Whose recordings a map is kept for though it is another one. */
  private recordingKey(name: string): string {
    return this.store.selection.sessions
      .filter((session) => namesOf(session).includes(name))
      .map(statedChecksum)
      .join();
  }

  private async remember(name: string, kept: LoadedMap, anyway = false): Promise<void> {
    if (kept.isRemembered) return;
    kept.isRemembered = true;
    await remember(name, await kept.read(), anyway ? `for ${this.recordingKey(name)}` : undefined);
    const { pictures } = kept.level;
    if (pictures.some(Boolean)) await this.addTextures(name);
  }

  /** Brings the maps of a recording that somebody gave before it, or on another day. */
  async recall(session: Session): Promise<void> {
    for (const name of namesOf(session)) {
      const before = this.maps.get(name);
      if (before) {
        this.report(name, before, this.verdict(name, before), `${name}.bsp`);
        continue;
      }
      try {
        const found = await recall(name);
        if (!found) continue;
        const level = await this.parser.level(found.bytes);
        // somebody gave one meanwhile
        if (this.maps.has(name)) continue;
        const kept: LoadedMap = {
          level,
          ...mapChecks(found.bytes, level),
          read: async () => found.bytes,
          isRemembered: true,
        };
        const verdict = this.verdict(name, kept);
        // another recording's map of that name
        if (verdict && verdict !== 'same' && found.anyway !== `for ${this.recordingKey(name)}`) continue;
        this.maps.set(name, kept);
        void this.addTextures(name);
      } catch {
        // what was kept is no map any more: it is as if nobody had given one
      }
    }
    this.store.tell('files');
  }

  /** Gives a map its textures, as far as they were dropped, now or on another day. */
  private addTextures(name: string): Promise<void> {
    const next = async () => {
      const kept = this.maps.get(name);
      if (!kept) return;
      const { pictures, sky, fogs, files, fresh } = await addTextures(
        kept.level,
        this.game,
        await recallTextures(name),
      );
      if (this.maps.get(name) !== kept || !(sky || pictures.some(Boolean))) return;
      kept.level = { ...kept.level, pictures, sky, fogs };
      this.store.tell('files');
      if (fresh && kept.isRemembered) void rememberTextures(name, files);
    };
    this.undressed++;
    this.dressing = this.dressing.then(next).finally(() => this.undressed--);
    return this.dressing;
  }
}

const namesOf = (session: Session): string[] => session.info.maps.map((name) => name.toLowerCase());

/** Which map is played at a time. */
function nameAt(session: Session, time: number): string {
  let name = session.info.maps[0];
  for (const event of session.events) {
    if (event.time > time) break;
    if (event.kind === 'level') name = event.map;
  }
  return name?.toLowerCase() ?? '';
}
