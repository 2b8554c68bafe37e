// The sounds of a recording, out of the game files that somebody dropped: with place and distance, at speeds at which they are still themselves.

import type { Replay } from '../data/replay';
import type { Scene } from '../data/scene';
import type { Vector } from '../data/vector';
import type { Happening, Heard } from '../data/happenings';
import { loopOf, sentence } from './sentences';
import { type Camera, axes } from './camera';

/** Speeds at which sounds are heard. */
const [SLOWEST, FASTEST] = [0.5, 2];
/** A longer step of time is a jump. */
const LONGEST_STEP = 400;
const MOST_VOICES = 32;
/** Bytes of sounds that are kept decoded. */
const MOST_BYTES = 32 << 20;
/** Milliseconds in which sounds are got ready before they are heard. */
const AHEAD = 4000;
/** The same sound from the same place within these milliseconds is one. */
const TWICE = 40;
const ENDINGS = ['.wav', '.ogg', '.opus', '.mp3'];
const SENTENCES = 'sound/sentences.txt';
/** A sound that lasts and is quieter than this needs no voice. */
const SILENT = 0.005;

/** A sound that goes on for now: whose it is, and where. */
interface Lasting {
  key: string;
  heard: Heard;
  origin: Vector | null;
  /** Whether its file says which part of it goes on; else that is all of it. */
  byFile: boolean;
}

interface Voice {
  heard: Heard;
  origin: Vector | null;
  key: string;
  source: AudioBufferSourceNode;
  gain: GainNode;
  pan: StereoPannerNode | null;
  /** When it began, on the context's clock. */
  began: number;
  /** Whether it ends when what makes it is gone. */
  lasts: boolean;
}

/** A decoded file, and the part of it that goes on: seconds. */
interface Decoded {
  buffer: AudioBuffer;
  loop: [number, number] | null;
}

export class Sounds {
  private context: AudioContext | null = null;
  private readonly files = new Map<string, Decoded | null | undefined>();
  private sentences: Promise<string> | null = null;
  private bytes = 0;
  private voices: Voice[] = [];
  /** Sounds begun since it was turned on. */
  begun = 0;

  /** `find` brings a file of the game. */
  constructor(private readonly find: (name: string) => Promise<Uint8Array | null>) {}

  /** How loud a sound is at a place. */
  readonly volumeAt = volumeOf;

  get isOn(): boolean {
    return this.context !== null;
  }

  /** Browsers let a page be heard after a click or a key only. */
  turn(on: boolean): void {
    if (on === this.isOn) return;
    if (on) {
      this.context = new AudioContext();
      void this.context.resume();
      return;
    }
    this.stop();
    void this.context?.close();
    this.context = null;
    this.files.clear();
    this.sentences = null;
    this.bytes = this.begun = 0;
  }

  /** Forgets which files are not there: others were dropped. */
  refresh(): void {
    for (const [name, found] of this.files) if (found === null) this.files.delete(name);
    this.sentences = null;
  }

  /** Time has passed. What began meanwhile is heard from where the eye is; a jump ends all. */
  pass(replay: Replay, from: number, scene: Scene, speed: number, camera: Camera, followed: number | null): void {
    if (!this.context) return;
    const passed = scene.time - from;
    if (speed < SLOWEST || speed > FASTEST || passed < 0 || passed > LONGEST_STEP) {
      this.stop();
      return;
    }
    if (!passed) return;
    const ear = earOf(camera, scene, followed);
    for (const one of replay.happenings.between(from, scene.time))
      if (one.kind === 'silence') this.silence(one);
      else if (one.sound && !(one.sound.lasts && this.files.get(one.sound.file)?.loop))
        this.begin(one, one.sound, speed, ear, camera.mode === 'eyes' && one.subject === followed && followed !== null);
    for (const { sound } of replay.happenings.between(scene.time, scene.time + AHEAD))
      if (sound) this.bring(sound.file);
    this.last(lastingIn(replay, scene), speed, ear, camera.mode === 'eyes' ? followed : null);
    for (const voice of this.voices) this.place(voice, ear);
  }

  /** The sounds that go on now: of those that are too many the quietest are not heard. */
  private last(all: Lasting[], speed: number, ear: Ear, own: number | null): void {
    const volume = ({ heard, origin }: Lasting) => (origin ? volumeOf(heard, origin, ear.place) : heard.volume);
    const loud = all
      .map((one) => (one.key === `player ${own}` ? { ...one, origin: null } : one))
      .filter((one) => volume(one) > SILENT);
    const free = MOST_VOICES - this.voices.filter(({ lasts }) => !lasts).length;
    if (loud.length > free) loud.sort((a, b) => volume(b) - volume(a)).length = Math.max(0, free);
    const heard = new Map(loud.map((one) => [`${one.key} ${one.heard.file}`, one]));
    for (const voice of this.voices) {
      if (!voice.lasts) continue;
      const one = heard.get(voice.key);
      if (!one) voice.source.stop();
      else voice.origin = one.origin;
      heard.delete(voice.key);
    }
    this.voices = this.voices.filter(
      (voice) => !voice.lasts || loud.some((one) => `${one.key} ${one.heard.file}` === voice.key),
    );
    for (const [key, one] of heard) {
      const decoded = this.files.get(one.heard.file);
      if (decoded === undefined) this.bring(one.heard.file);
      // what does not go on by itself was heard when it began
      if (decoded && (decoded.loop || !one.byFile))
        this.voice(decoded, one.heard, one.origin, key, speed, ear, one.byFile ? decoded.loop : [0, 0], true);
    }
  }

  /** The sound on a channel ends. */
  private silence({ subject, sound }: Happening): void {
    const key = `${subject} ${sound?.channel ?? 0}`;
    for (const voice of this.voices) if (voice.key === key && !voice.lasts) voice.source.stop();
  }

  /** Nothing is heard while nothing moves. */
  stop(): void {
    for (const { source } of this.voices) source.stop();
    this.voices = [];
  }

  private begin(one: Happening, heard: Heard, speed: number, ear: Ear, own: boolean): void {
    const { context } = this;
    const decoded = this.files.get(heard.file);
    if (decoded === undefined) this.bring(heard.file);
    if (!context || !decoded) return;
    // somebody hears himself in both ears
    const origin = own ? null : one.origin;
    if (origin && volumeOf(heard, origin, ear.place) < 0.005) return;
    const key = `${one.subject} ${heard.channel}`;
    if (heard.channel && one.subject !== null)
      for (const voice of this.voices) if (voice.key === key) voice.source.stop();
    if (
      this.voices.some(
        (voice) =>
          voice.heard.file === heard.file && voice.key === key && context.currentTime - voice.began < TWICE / 1000,
      )
    )
      return;
    if (this.voices.length >= MOST_VOICES) {
      const quietest = this.voices.reduce((least, voice) =>
        voice.gain.gain.value < least.gain.gain.value ? voice : least,
      );
      quietest.source.stop();
      this.voices = this.voices.filter((voice) => voice !== quietest);
    }
    // nothing could end a sound that goes on without a channel
    this.voice(decoded, heard, origin, key, speed, ear, heard.channel ? decoded.loop : null, false);
  }

  /** `loop` is the part that goes on, in seconds; up to 0 it is all of it. */
  private voice(
    { buffer }: Decoded,
    heard: Heard,
    origin: Vector | null,
    key: string,
    speed: number,
    ear: Ear,
    loop: [number, number] | null,
    lasts: boolean,
  ): void {
    const context = this.context!;
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.loop = !!loop;
    if (loop) [source.loopStart, source.loopEnd] = loop;
    source.playbackRate.value = Math.min(4, Math.max(0.25, speed * (heard.pitch || 1)));
    const gain = context.createGain();
    const pan = context.createStereoPanner?.() ?? null;
    source.connect(gain);
    if (pan) gain.connect(pan).connect(context.destination);
    else gain.connect(context.destination);
    const voice: Voice = { heard, origin, key, source, gain, pan, began: context.currentTime, lasts };
    this.place(voice, ear);
    source.addEventListener('ended', () => (this.voices = this.voices.filter((other) => other !== voice)));
    source.start();
    this.voices.push(voice);
    this.begun++;
  }

  private place({ heard, origin, gain, pan }: Voice, ear: Ear): void {
    gain.gain.value = origin ? volumeOf(heard, origin, ear.place) : heard.volume;
    if (!pan || !origin) return;
    const way = origin.map((value, axis) => value - ear.place[axis]);
    const length = Math.hypot(...way) || 1;
    pan.pan.value = Math.max(
      -1,
      Math.min(1, (-(way[0] * ear.left[0] + way[1] * ear.left[1] + way[2] * ear.left[2]) / length) * 0.8),
    );
  }

  /** Finds and decodes a file, once. */
  private bring(name: string): void {
    const { context } = this;
    if (!context || this.files.has(name)) return;
    this.files.set(name, undefined);
    void (async () => {
      if (name.startsWith('!')) {
        const said = await this.said(name, context);
        if (this.context === context) this.keep(name, said);
        return;
      }
      const plain = name.toLowerCase();
      const stem = plain.replace(/\.\w+$/, '');
      for (const file of new Set([plain, ...ENDINGS.map((ending) => stem + ending)])) {
        const bytes = await this.find(file);
        if (!bytes || this.context !== context) continue;
        try {
          const buffer = await context.decodeAudioData(bytes.slice().buffer as ArrayBuffer);
          this.keep(name, { buffer, loop: loopOf(bytes) });
          return;
        } catch {
          // another ending may be one that the browser reads
        }
      }
      if (this.context === context) this.files.set(name, null);
    })();
  }

  /** A sentence: its words one after the other. */
  private async said(name: string, context: AudioContext): Promise<Decoded | null> {
    this.sentences ??= this.find(SENTENCES).then((bytes) => (bytes ? new TextDecoder('latin1').decode(bytes) : ''));
    const words: { buffer: AudioBuffer; pitch: number }[] = [];
    for (const { file, pitch } of sentence(await this.sentences, name.slice(1))) {
      const bytes = await this.find(file);
      if (this.context !== context) return null;
      const buffer = bytes && (await context.decodeAudioData(bytes.slice().buffer as ArrayBuffer).catch(() => null));
      if (buffer) words.push({ buffer, pitch });
    }
    const length = words.reduce((sum, { buffer, pitch }) => sum + Math.floor(buffer.length / pitch), 0);
    if (!length || length * 4 > MOST_BYTES) return null;
    const whole = context.createBuffer(1, length, context.sampleRate);
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
    this.files.set(name, decoded);
    if (!decoded) return;
    this.bytes += size(decoded);
    for (const [old, kept] of this.files) {
      if (this.bytes <= MOST_BYTES || old === name) break;
      if (!kept) continue;
      this.bytes -= size(kept);
      this.files.delete(old);
    }
  }
}

interface Ear {
  place: Vector;
  left: Vector;
}

/** What makes sounds that last: entities and players as they are, and places. */
function lastingIn(replay: Replay, scene: Scene): Lasting[] {
  const found: Lasting[] = [];
  for (const { number, origin } of scene.entities) {
    const heard = origin && replay.soundOf('entity', number, scene);
    if (heard) found.push({ key: `entity ${number}`, heard, origin, byFile: false });
  }
  for (const { slot, origin } of scene.players) {
    const heard = origin && replay.soundOf('player', slot, scene);
    if (heard) found.push({ key: `player ${slot}`, heard, origin, byFile: false });
  }
  for (const { number, origin, sound } of replay.happenings.lastingAt(scene.time, scene.level))
    found.push({ key: `place ${number}`, heard: sound!, origin, byFile: true });
  return found;
}

/** Where one hears from: the eye, or on the plan the followed player. */
function earOf(camera: Camera, scene: Scene, followed: number | null): Ear {
  if (!camera.isFlat) return { place: camera.eye, left: axes(camera.angles)[1] };
  const player = scene.players.find((one) => one.slot === followed && one.origin);
  return {
    place: player?.origin ?? [
      camera.center[0],
      camera.center[1],
      scene.players.find((one) => one.origin)?.origin?.[2] ?? 0,
    ],
    left: [-1, 0, 0],
  };
}

/** How loud a sound is at a distance: it fades in proportion. */
export function volumeOf({ volume, near, far }: Heard, origin: Vector, ear: Vector): number {
  if (Number.isNaN(far)) return volume;
  const apart = Math.hypot(origin[0] - ear[0], origin[1] - ear[1], origin[2] - ear[2]);
  return volume * Math.max(0, Math.min(1, 1 - (apart - near) / Math.max(1, far - near)));
}
