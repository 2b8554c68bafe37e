// What the page around the viewer hears of it, as events named `fragreel-…`.

import type { FragreelViewerEvents } from '../../fragreel-viewer';
import { type Event as Happened, isKill } from './events';
import type { Scene } from './scene';

/** How often a page hears the time while it passes. */
const INTERVAL = 250;

export class Reporter {
  private at = 0;
  /** The state that the page heard last. */
  private sent = '';
  private frame = -1;
  private slot: number | null = null;

  constructor(private readonly target: HTMLElement) {}

  send<Name extends keyof FragreelViewerEvents>(name: Name, detail: FragreelViewerEvents[Name]['detail']): void {
    this.target.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Another recording has other frames. */
  reset(): void {
    this.frame = -1;
    this.sent = '';
  }

  /** The time passed or was chosen. */
  moved(scene: Scene, state: { time: number; duration: number; playing: boolean; speed: number }): void {
    if (scene.frame !== this.frame) {
      this.frame = scene.frame;
      this.send('fragreel-frame', { frame: scene.frame, time: scene.time });
    }
    const now = performance.now();
    // each drawn frame comes here
    if (state.playing && now - this.at < INTERVAL) return;
    const text = JSON.stringify(state);
    if (text === this.sent) return;
    [this.at, this.sent] = [now, text];
    this.send('fragreel-time', state);
  }

  /** Kills of a stretch that was played. */
  passed(events: readonly Happened[], from: number, to: number): void {
    for (const event of events) {
      if (event.time > to) break;
      if (event.time > from && isKill(event)) this.send('fragreel-kill', event);
    }
  }

  follows(slot: number | null, name: string | null): void {
    if (slot === this.slot) return;
    this.slot = slot;
    this.send('fragreel-pov', { slot, name });
  }
}
