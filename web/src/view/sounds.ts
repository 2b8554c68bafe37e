// The sounds of a recording, out of the game files that somebody dropped: at speeds at which they are still themselves.

import { Mixer, type Step, volumeOf } from './mixer';
import { SoundFiles } from './soundfiles';

/** Speeds at which sounds are heard. */
const [SLOWEST, FASTEST] = [0.5, 2];
/** A longer step of time is a jump. */
const LONGEST_STEP = 400;
/** Bytes of sounds that are kept decoded. */
const MOST_BYTES = 32 << 20;

interface On {
  context: AudioContext;
  files: SoundFiles;
  mixer: Mixer;
}

export class Sounds {
  private on: On | null = null;

  /** `find` brings a file of the game. */
  constructor(private readonly find: (name: string) => Promise<Uint8Array | null>) {}

  /** How loud a sound is at a place. */
  readonly volumeAt = volumeOf;

  get isOn(): boolean {
    return this.on !== null;
  }

  get files(): SoundFiles | null {
    return this.on?.files ?? null;
  }

  get voices(): Mixer['voices'] {
    return this.on?.mixer.voices ?? [];
  }

  /** Sounds begun since it was turned on. */
  get begun(): number {
    return this.on?.mixer.begun ?? 0;
  }

  /** Browsers let a page be heard after a click or a key only. */
  turn(on: boolean): void {
    if (on === this.isOn) return;
    if (on) {
      const context = new AudioContext();
      const files = new SoundFiles(context, this.find, MOST_BYTES);
      this.on = { context, files, mixer: new Mixer(context, files, () => context.currentTime) };
      void context.resume();
      return;
    }
    this.stop();
    this.on?.files.close();
    void this.on?.context.close();
    this.on = null;
  }

  /** Forgets which files are missing: others were dropped. */
  refresh(): void {
    this.on?.files.refresh();
  }

  /** Time has passed; a jump ends all. */
  pass(step: Step): void {
    if (!this.on) return;
    const passed = step.scene.time - step.from;
    if (step.speed < SLOWEST || step.speed > FASTEST || passed < 0 || passed > LONGEST_STEP) this.stop();
    else if (passed) this.on.mixer.pass(step);
  }

  /** Nothing is heard while nothing moves. */
  stop(): void {
    if (this.on?.mixer.voices.length) this.on.mixer.stop();
  }
}
