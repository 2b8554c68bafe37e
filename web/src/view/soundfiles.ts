// Sounds of the game's files, decoded once.

import { loopOf, sentence } from './sentences';

const ENDINGS = ['.wav', '.ogg', '.opus', '.mp3'];
const SENTENCES = 'sound/sentences.txt';

/** A decoded file, and the part of it that goes on: seconds. */
export interface Decoded {
  buffer: AudioBuffer;
  loop: [number, number] | null;
}

export class SoundFiles {
  /** Decoded files by name: null is missing or unreadable, undefined is read now. */
  private readonly all = new Map<string, Decoded | null | undefined>();
  private readonly reading = new Set<Promise<void>>();
  private sentences: Promise<string> | null = null;
  private bytes = 0;
  private isClosed = false;

  /** `find` brings a file of the game; `most` bytes stay decoded. */
  constructor(
    private readonly context: BaseAudioContext,
    private readonly find: (name: string) => Promise<Uint8Array | null>,
    private readonly most: number,
  ) {}

  /** Undefined until the file is read. */
  get(name: string): Decoded | null | undefined {
    return this.all.get(name);
  }

  /** Forgets which files are missing: others were dropped. */
  refresh(): void {
    for (const [name, found] of this.all) if (found === null) this.all.delete(name);
    this.sentences = null;
  }

  close(): void {
    this.isClosed = true;
    this.all.clear();
  }

  /** Finds and decodes a file, once. */
  bring(name: string): void {
    if (this.all.has(name)) return;
    this.all.set(name, undefined);
    const done = (name.startsWith('!') ? this.said(name) : this.decoded(name)).then((found) => {
      this.reading.delete(done);
      if (!this.isClosed) this.keep(name, found);
    });
    this.reading.add(done);
  }

  /** Waits for all that were asked for. */
  async settled(): Promise<void> {
    while (this.reading.size) await Promise.all(this.reading);
  }

  private async decoded(name: string): Promise<Decoded | null> {
    const plain = name.toLowerCase();
    const stem = plain.replace(/\.\w+$/, '');
    for (const file of new Set([plain, ...ENDINGS.map((ending) => stem + ending)])) {
      const bytes = await this.find(file);
      if (this.isClosed) return null;
      const buffer = bytes && (await this.decode(bytes));
      // another ending may be one that the browser reads
      if (buffer) return { buffer, loop: loopOf(bytes) };
    }
    return null;
  }

  private decode(bytes: Uint8Array): Promise<AudioBuffer | null> {
    return this.context.decodeAudioData(bytes.slice().buffer as ArrayBuffer).catch(() => null);
  }

  /** A sentence: its words one after the other. */
  private async said(name: string): Promise<Decoded | null> {
    this.sentences ??= this.find(SENTENCES).then((bytes) => (bytes ? new TextDecoder('latin1').decode(bytes) : ''));
    const words: { buffer: AudioBuffer; pitch: number }[] = [];
    for (const { file, pitch } of sentence(await this.sentences, name.slice(1))) {
      const bytes = await this.find(file);
      if (this.isClosed) return null;
      const buffer = bytes && (await this.decode(bytes));
      if (buffer) words.push({ buffer, pitch });
    }
    const length = words.reduce((sum, { buffer, pitch }) => sum + Math.floor(buffer.length / pitch), 0);
    if (!length || length * 4 > this.most) return null;
    const whole = this.context.createBuffer(1, length, this.context.sampleRate);
    const into = whole.getChannelData(0);
    let at = 0;
    for (const { buffer, pitch } of words) {
      const from = buffer.getChannelData(0);
      for (let to = Math.floor(buffer.length / pitch), sample = 0; sample < to; sample++)
        into[at++] = from[Math.min(from.length - 1, Math.floor(sample * pitch))];
    }
    return { buffer: whole, loop: null };
  }

  private keep(name: string, decoded: Decoded | null): void {
    const size = ({ buffer }: Decoded) => buffer.length * buffer.numberOfChannels * 4;
    this.all.set(name, decoded);
    if (!decoded) return;
    this.bytes += size(decoded);
    for (const [old, kept] of this.all) {
      if (this.bytes <= this.most || old === name) break;
      if (!kept) continue;
      this.bytes -= size(kept);
      this.all.delete(old);
    }
  }
}
