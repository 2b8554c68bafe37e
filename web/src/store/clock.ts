// The clock: where it is, how fast it goes, and who else hears of it.

import { Show, type ShowState } from '../data/show';
import type { Selection } from './selection';
import type { Topics } from './topics';

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16];
/** The picture may be so far from what games show before it jumps to them. */
const APART = 150;
/** So far behind the end of what is written the picture may be and still keep up with it. */
const BEHIND = 3000;

/** A part of the recording, and whom to follow in it. */
export interface Part {
  from: number;
  to: number;
  slot?: number | null;
}

export class Clock {
  /** On the clock that all open recordings share, in milliseconds. */
  now = 0;
  playing = false;
  speed = 1;
  /** In and out. */
  range: [number | null, number | null] = [null, null];
  /** Whether the picture keeps to the end of what is written. */
  keepsUp = false;
  /** How many games watch, in words. */
  watching = '';
  /** Parts that are played one after the other, and which of them it is. */
  playlist: { parts: readonly Part[]; at: number } | null = null;
  private show: Show | null = null;

  constructor(
    private readonly topics: Topics,
    private readonly of: Selection,
  ) {}

  /** Since the first frame of the recording that controls are for. */
  get own(): number {
    return this.now - this.of.offset;
  }

  private inside(time: number): number {
    return Math.min(Math.max(time, 0), this.of.duration);
  }

  reset(): void {
    this.now = 0;
    this.playlist = null;
    this.playing = false;
    this.range = [null, null];
  }

  seek(time: number): void {
    this.now = this.inside(time);
    // somebody wants to be elsewhere
    this.playlist = null;
    this.keepsUp = this.of.grows && this.now >= this.of.duration - BEHIND;
    this.show?.order(`seek ${((this.now - this.of.offset) / 1000).toFixed(3)}`);
    this.topics.tell('clock');
  }

  /** Seeks on the clock of the recording that controls are for. */
  seekOwn(time: number): void {
    this.seek(time + this.of.offset);
  }

  pause(): void {
    if (this.playing) this.toggle();
  }

  toggle(): void {
    const { duration, grows, isEmpty } = this.of;
    this.playing = !this.playing && !isEmpty;
    if (!this.playing) this.keepsUp = false;
    // from the end on there is nothing: begin again
    if (this.playing && this.speed > 0 && this.now >= duration && !grows) this.now = 0;
    if (this.playing && this.speed < 0 && this.now <= 0) this.now = duration;
    this.show?.order(this.playing ? 'play' : 'pause');
    if (this.playing && this.now === 0) this.show?.order('seek 0');
    this.topics.tell('clock');
  }

  setSpeed(speed: number): void {
    if (this.show && speed < 0) {
      this.topics.tell('said', 'games cannot play backwards');
      return;
    }
    this.speed = speed;
    // parts follow each other forward only
    if (speed < 0) this.playlist = null;
    this.show?.order(`speed ${speed}`);
    this.topics.tell('clock');
  }

  /** One step slower or faster, in the direction that it goes. */
  step(by: 1 | -1): void {
    const at = SPEEDS.indexOf(Math.abs(this.speed));
    this.setSpeed(Math.sign(this.speed) * SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)]);
  }

  /** Plays these parts of the recording that controls are for. */
  playParts(parts: readonly Part[]): void {
    if (!parts.length) return;
    if (this.speed < 0) this.setSpeed(-this.speed);
    this.playlist = { parts, at: -1 };
    this.nextPart();
    if (!this.playing) this.toggle();
  }

  /** Where the part that is played is over, the next one begins; after the last it pauses. */
  nextPart(): void {
    const { playlist } = this;
    if (!playlist) return;
    const part = playlist.parts[++playlist.at];
    if (!part) {
      this.playlist = null;
      this.pause();
      return;
    }
    if (part.slot !== undefined && part.slot !== null) this.of.follow(part.slot);
    const { parts } = playlist;
    this.seekOwn(part.from);
    this.playlist = { parts, at: parts.indexOf(part) };
  }

  mark(end: 0 | 1, time: number): void {
    this.range[end] = time;
    const [from, to] = this.range;
    if (from !== null && to !== null && from > to) this.range = [to, from];
    this.topics.tell('clock');
  }

  setRange(range: [number | null, number | null]): void {
    this.range = range;
    this.topics.tell('clock');
  }

  advance(milliseconds: number): void {
    if (!this.playing) return;
    const time = this.now + milliseconds * this.speed;
    this.now = this.inside(time);
    const part = this.playlist?.parts[this.playlist.at];
    if (part && this.own >= part.to) this.nextPart();
    if (time >= this.of.duration && this.speed > 0) this.reachEnd();
    if (time <= 0 && this.speed < 0) this.playing = false;
    this.topics.tell('clock');
  }

  private reachEnd(): void {
    // the rest of a large recording is still read
    if (!this.of.grows && this.of.session?.growing) return;
    if (!this.of.grows) {
      this.playing = false;
      return;
    }
    this.keepsUp = true;
    if (this.speed > 1) this.setSpeed(1);
  }

  /** Goes to the end of what is written, and stays there. */
  keepUp(): void {
    this.setSpeed(1);
    this.playAtEnd();
  }

  playAtEnd(): void {
    this.keepsUp = true;
    this.toEnd();
    this.playing = true;
    this.topics.tell('clock');
  }

  private toEnd(): void {
    this.now = Math.max(0, this.of.duration - BEHIND / 2);
  }

  /** More was written. */
  grew(): void {
    if (this.keepsUp && this.playing && this.now < this.of.duration - BEHIND) this.toEnd();
  }

  /** Has one clock with a show that games watch, which takes what is done here. */
  conduct(address: string): void {
    this.show?.stop();
    this.show = new Show(
      address,
      (state) => this.heard(state),
      () => {
        this.show = null;
        this.watching = '';
        this.topics.tell('said', 'the recording is over');
        this.topics.tell('clock');
      },
    );
    this.show.start();
  }

  private heard({ position, speed, paused, watching }: ShowState): void {
    this.watching = `${watching} ${watching === 1 ? 'game watches' : 'games watch'}`;
    this.topics.tell('clock');
    if (this.of.isEmpty) return;
    const clock = position + this.of.offset;
    if (Math.abs(clock - this.now) > (paused ? 0 : APART * Math.max(1, speed))) this.now = this.inside(clock);
    this.playing = !paused && this.now < this.of.duration;
    this.speed = speed;
  }

  stop(): void {
    this.show?.stop();
    this.show = null;
    this.playing = false;
  }
}
