// The clock: where it is, how fast it goes, and who else hears of it.

import { Show, type ShowState } from './show';

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16];
/** The picture may be so far from what games show before it jumps to them. */
const APART = 150;
/** So far behind the end of what is written the picture may be and still keep up with it. */
const BEHIND = 3000;

/** What the clock needs of its viewer. */
export interface TransportHost {
  /** Length of everything that is open. */
  readonly duration: number;
  /** Where the recording that is shown begins. */
  readonly offset: number;
  readonly isEmpty: boolean;
  /** Whether what is shown is still written, or another one will follow. */
  readonly grows: boolean;
  changed(): void;
  say(text: string): void;
}

export class Transport {
  /** On the clock that all open recordings share. */
  clock = 0;
  playing = false;
  speed = 1;
  /** In and out. */
  range: [number | null, number | null] = [null, null];
  /** Whether the picture keeps to the end of what is written. */
  keepsUp = false;
  /** How many games watch, in words. */
  watching = '';
  private show: Show | null = null;

  constructor(private readonly of: TransportHost) {}

  private inside(time: number): number {
    return Math.min(Math.max(time, 0), this.of.duration);
  }

  reset(): void {
    this.clock = 0;
    this.playing = false;
    this.range = [null, null];
  }

  seek(time: number): void {
    this.clock = this.inside(time);
    this.keepsUp = this.of.grows && this.clock >= this.of.duration - BEHIND;
    this.show?.order(`seek ${((this.clock - this.of.offset) / 1000).toFixed(3)}`);
    this.of.changed();
  }

  toggle(): void {
    const { duration, grows, isEmpty } = this.of;
    this.playing = !this.playing && !isEmpty;
    if (!this.playing) this.keepsUp = false;
    // from the end on there is nothing: begin again
    if (this.playing && this.speed > 0 && this.clock >= duration && !grows) this.clock = 0;
    if (this.playing && this.speed < 0 && this.clock <= 0) this.clock = duration;
    this.show?.order(this.playing ? 'play' : 'pause');
    if (this.playing && this.clock === 0) this.show?.order('seek 0');
    this.of.changed();
  }

  setSpeed(speed: number): void {
    if (this.show && speed < 0) {
      this.of.say('games cannot play backwards');
      return;
    }
    this.speed = speed;
    this.show?.order(`speed ${speed}`);
    this.of.changed();
  }

  /** One step slower or faster, in the direction that it goes. */
  step(by: 1 | -1): void {
    const at = SPEEDS.indexOf(Math.abs(this.speed));
    this.setSpeed(Math.sign(this.speed) * SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)]);
  }

  mark(end: 0 | 1, time: number): void {
    this.range[end] = time;
    const [from, to] = this.range;
    if (from !== null && to !== null && from > to) this.range = [to, from];
    this.of.changed();
  }

  advance(milliseconds: number): void {
    if (!this.playing) return;
    const time = this.clock + milliseconds * this.speed;
    this.clock = this.inside(time);
    if (time >= this.of.duration && this.speed > 0) this.reachEnd();
    if (time <= 0 && this.speed < 0) this.playing = false;
    this.of.changed();
  }

  private reachEnd(): void {
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
    this.of.changed();
  }

  private toEnd(): void {
    this.clock = Math.max(0, this.of.duration - BEHIND / 2);
  }

  /** More was written. */
  grew(): void {
    if (this.keepsUp && this.playing && this.clock < this.of.duration - BEHIND) this.toEnd();
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
        this.of.say('the show is over');
        this.of.changed();
      },
    );
    this.show.start();
  }

  private heard({ position, speed, paused, watching }: ShowState): void {
    this.watching = `${watching} ${watching === 1 ? 'game watches' : 'games watch'}`;
    this.of.changed();
    if (this.of.isEmpty) return;
    const clock = position + this.of.offset;
    if (Math.abs(clock - this.clock) > (paused ? 0 : APART * Math.max(1, speed))) this.clock = this.inside(clock);
    this.playing = !paused && this.clock < this.of.duration;
    this.speed = speed;
  }

  stop(): void {
    this.show?.stop();
    this.show = null;
    this.playing = false;
  }
}
