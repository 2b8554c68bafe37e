// The voices of a recording with place and distance: heard at once, or rendered for a video.

import type { Replay } from '../data/replay';
import type { Scene } from '../data/scene';
import type { Vector } from '../data/vector';
import type { Happening, Heard } from '../data/happenings';
import { type Camera, axes } from './camera';
import type { Decoded, SoundFiles } from './soundfiles';

const MOST_VOICES = 32;
/** Milliseconds in which sounds are got ready before they are heard. */
const AHEAD = 4000;
/** The same sound from the same place within these seconds is one. */
const TWICE = 0.04;
/** A quieter sound needs no voice. */
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
  volume: number;
  /** When it begins and is over, on the mixer's clock. */
  began: number;
  ends: number;
  /** Whether it ends when what makes it is gone. */
  lasts: boolean;
}

/** The step of time that is heard, and from where. */
export interface Step {
  replay: Replay;
  /** The time of the step before, in milliseconds. */
  from: number;
  scene: Scene;
  speed: number;
  camera: Camera;
  followed: number | null;
}

export class Mixer {
  voices: Voice[] = [];
  /** Sounds begun so far. */
  begun = 0;

  /** `clock` is the time of the step on the context's clock, in seconds. */
  constructor(
    private readonly context: BaseAudioContext,
    private readonly files: SoundFiles,
    private readonly clock: () => number,
  ) {}

  /** Time has passed. What began meanwhile is heard from where the eye is. */
  pass({ replay, from, scene, speed, camera, followed }: Step): void {
    const now = this.clock();
    this.voices = this.voices.filter(({ ends }) => ends > now);
    const ear = earOf(camera, scene, followed);
    for (const one of replay.happenings.between(from, scene.time)) {
      const when = Math.max(0, now - (scene.time - one.time) / 1000 / speed);
      if (one.kind === 'silence') this.silence(one, when);
      else if (one.sound && !(one.sound.lasts && this.files.get(one.sound.file)?.loop))
        this.begin(one, one.sound, {
          speed,
          ear,
          when,
          own: camera.mode === 'eyes' && one.subject === followed && followed !== null,
        });
    }
    for (const { sound } of replay.happenings.between(scene.time, scene.time + AHEAD))
      if (sound) this.files.bring(sound.file);
    this.last(lastingIn(replay, scene), speed, ear, camera.mode === 'eyes' ? followed : null);
    for (const voice of this.voices) this.place(voice, ear, Math.max(now, voice.began));
  }

  /** All voices end. */
  stop(): void {
    const now = this.clock();
    for (const voice of this.voices) this.end(voice, now);
    this.voices = [];
  }

  /** The sounds that go on now: of those that are too many the quietest are not heard. */
  private last(all: Lasting[], speed: number, ear: Ear, own: number | null): void {
    const now = this.clock();
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
      if (!one) this.end(voice, now);
      else voice.origin = one.origin;
      heard.delete(voice.key);
    }
    this.voices = this.voices.filter(
      (voice) => !voice.lasts || loud.some((one) => `${one.key} ${one.heard.file}` === voice.key),
    );
    for (const [key, one] of heard) {
      const decoded = this.files.get(one.heard.file);
      if (decoded === undefined) this.files.bring(one.heard.file);
      // what does not go on by itself was heard when it began
      if (decoded && (decoded.loop || !one.byFile))
        this.voice(decoded, one.heard, one.origin, key, {
          speed,
          ear,
          when: now,
          loop: one.byFile ? decoded.loop : [0, 0],
          lasts: true,
        });
    }
  }

  /** The sound on a channel ends. */
  private silence({ subject, sound }: Happening, when: number): void {
    const key = `${subject} ${sound?.channel ?? 0}`;
    for (const voice of this.voices) if (voice.key === key && !voice.lasts) this.end(voice, when);
  }

  private end(voice: Voice, when: number): void {
    voice.ends = Math.min(voice.ends, when);
    voice.source.stop(Math.max(when, voice.began));
  }

  private begin(
    one: Happening,
    heard: Heard,
    { speed, ear, when, own }: { speed: number; ear: Ear; when: number; own: boolean },
  ): void {
    const decoded = this.files.get(heard.file);
    if (decoded === undefined) this.files.bring(heard.file);
    if (!decoded) return;
    // somebody hears himself in both ears
    const origin = own ? null : one.origin;
    if (origin && volumeOf(heard, origin, ear.place) < SILENT) return;
    const key = `${one.subject} ${heard.channel}`;
    const same = this.voices.filter((voice) => voice.key === key && !voice.lasts);
    if (same.some((voice) => voice.heard.file === heard.file && when - voice.began < TWICE)) return;
    if (heard.channel && one.subject !== null) for (const voice of same) this.end(voice, when);
    if (this.voices.length >= MOST_VOICES) {
      const quietest = this.voices.reduce((least, voice) => (voice.volume < least.volume ? voice : least));
      this.end(quietest, when);
      this.voices = this.voices.filter((voice) => voice !== quietest);
    }
    // nothing could end a sound that goes on without a channel
    this.voice(decoded, heard, origin, key, {
      speed,
      ear,
      when,
      loop: heard.channel ? decoded.loop : null,
      lasts: false,
    });
  }

  /** `loop` is the part that goes on, in seconds; up to 0 it is all of it. */
  private voice(
    { buffer }: Decoded,
    heard: Heard,
    origin: Vector | null,
    key: string,
    how: { speed: number; ear: Ear; when: number; loop: [number, number] | null; lasts: boolean },
  ): void {
    const { context } = this;
    const { speed, ear, when, loop, lasts } = how;
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.loop = !!loop;
    if (loop) [source.loopStart, source.loopEnd] = loop;
    const rate = Math.min(4, Math.max(0.25, speed * (heard.pitch || 1)));
    source.playbackRate.value = rate;
    const gain = context.createGain();
    const pan = context.createStereoPanner?.() ?? null;
    source.connect(gain);
    if (pan) gain.connect(pan).connect(context.destination);
    else gain.connect(context.destination);
    const ends = loop ? Number.POSITIVE_INFINITY : when + buffer.duration / rate;
    const voice: Voice = { heard, origin, key, source, gain, pan, volume: 0, began: when, ends, lasts };
    this.place(voice, ear, when);
    source.start(when);
    this.voices.push(voice);
    this.begun++;
  }

  private place(voice: Voice, ear: Ear, when: number): void {
    const { heard, origin, gain, pan } = voice;
    voice.volume = origin ? volumeOf(heard, origin, ear.place) : heard.volume;
    gain.gain.setValueAtTime(voice.volume, when);
    if (!pan || !origin) return;
    const way = origin.map((value, axis) => value - ear.place[axis]);
    const length = Math.hypot(...way) || 1;
    const side = (-(way[0] * ear.left[0] + way[1] * ear.left[1] + way[2] * ear.left[2]) / length) * 0.8;
    pan.pan.setValueAtTime(Math.max(-1, Math.min(1, side)), when);
  }
}

interface Ear {
  place: Vector;
  left: Vector;
}

/** What makes sounds that last: entities and players as they are, and places. */
export function lastingIn(replay: Replay, scene: Scene): Lasting[] {
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
