// The sounds of a video: the same mixer as while it plays, rendered faster than they are heard.

import type { Replay } from '../data/replay';
import type { Part } from '../store/clock';
import type { Camera } from './camera';
import { Mixer, lastingIn } from './mixer';
import { SoundFiles } from './soundfiles';

/** Samples a second: Opus has this rate itself. */
export const SAMPLE_RATE = 48_000;
/** A longer video has no sound: its samples are all in memory at once. */
export const LONGEST_SOUND = 10 * 60_000;
/** Milliseconds between two looks at what goes on. */
const STEP = 250;
/** Bytes of sounds that are decoded at once. */
const MOST_BYTES = 128 << 20;

export class Soundtrack {
  private last = 0;
  private part: Part | null = null;
  private now = 0;

  private constructor(
    private readonly context: OfflineAudioContext,
    files: SoundFiles,
    private readonly replay: Replay,
  ) {
    this.mixer = new Mixer(context, files, () => this.now);
  }

  private readonly mixer: Mixer;

  /** Reads what is heard in parts of a recording. Null where nothing of it is there, and where the browser cannot. */
  static async of(
    replay: Replay,
    parts: readonly Part[],
    find: (name: string) => Promise<Uint8Array | null>,
  ): Promise<Soundtrack | null> {
    const whole = parts.reduce((sum, { from, to }) => sum + to - from, 0);
    if (typeof OfflineAudioContext === 'undefined' || whole > LONGEST_SOUND) return null;
    const length = Math.max(1, Math.round((whole * SAMPLE_RATE) / 1000));
    const context = new OfflineAudioContext(2, length, SAMPLE_RATE);
    const files = new SoundFiles(context, find, MOST_BYTES);
    const names = new Set<string>();
    for (const { from, to } of parts) {
      for (const { sound } of replay.happenings.between(from - STEP, to)) if (sound) names.add(sound.file);
      for (let time = from; time < to; time += STEP)
        for (const { heard } of lastingIn(replay, replay.sceneAt(time))) names.add(heard.file);
    }
    for (const name of names) files.bring(name);
    await files.settled();
    return [...names].some((name) => files.get(name)) ? new Soundtrack(context, files, replay) : null;
  }

  /** The picture of a time in a part is drawn, by this camera; `at` is its time in the video. */
  pass(part: Part, time: number, at: number, camera: Camera, followed: number | null): void {
    this.now = at / 1000;
    if (part !== this.part) {
      this.mixer.stop();
      // what begins with the first picture is heard
      [this.part, this.last] = [part, part.from - 0.001];
    }
    const scene = this.replay.sceneAt(time);
    this.mixer.pass({ replay: this.replay, from: this.last, scene, speed: 1, camera, followed });
    this.last = time;
  }

  render(): Promise<AudioBuffer> {
    return this.context.startRendering();
  }
}
