// Handles on the line of time: where a clip begins and ends.

import { clock, h } from './dom';

/** Milliseconds that a key moves a handle by, with Shift and without. */
const [FINE, COARSE] = [100, 1000];

export class Handles {
  readonly elements: HTMLElement[];
  private range: [number | null, number | null] = [null, null];
  private duration = 0;

  /** `edge` is left free on both sides of the line; `moved` hears when somebody moves a handle. */
  constructor(
    private readonly edge: number,
    private readonly moved: (end: 0 | 1, time: number) => void,
  ) {
    this.elements = ([0, 1] as const).map((end) => this.make(end));
  }

  private make(end: 0 | 1): HTMLElement {
    const handle = h('div', {
      class: end ? 'handle out' : 'handle in',
      role: 'slider',
      tabIndex: 0,
      hidden: true,
      'aria-label': end ? 'end of the clip' : 'start of the clip',
    });
    handle.addEventListener('pointerdown', (event) => {
      handle.setPointerCapture(event.pointerId);
      event.preventDefault();
      handle.focus();
    });
    handle.addEventListener('pointermove', (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const { left, width } = handle.parentElement!.getBoundingClientRect();
      this.move(end, ((event.clientX - left - this.edge) / Math.max(1, width - this.edge * 2)) * this.duration);
    });
    handle.addEventListener('keydown', (event) => {
      const way = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
      if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      // the same keys move the playhead elsewhere
      event.stopPropagation();
      this.move(end, (this.range[end] ?? 0) + way * (event.shiftKey ? FINE : COARSE));
    });
    return handle;
  }

  /** No handle passes the other one. */
  private move(end: 0 | 1, time: number): void {
    const [least, most] = end ? [this.range[0] ?? 0, this.duration] : [0, this.range[1] ?? this.duration];
    const found = Math.round(Math.min(Math.max(time, least), most));
    this.moved(end, found);
    // the next key goes on from there, before anything is drawn
    this.update(end ? [this.range[0], found] : [found, this.range[1]], this.duration);
  }

  /** Puts the handles where a clip begins and ends. */
  update(range: [number | null, number | null], duration: number): void {
    if (range[0] === this.range[0] && range[1] === this.range[1] && duration === this.duration) return;
    this.range = [...range];
    this.duration = duration;
    this.elements.forEach((handle, end) => {
      const time = range[end as 0 | 1];
      handle.hidden = time === null;
      if (time === null) return;
      const part = time / Math.max(1, duration);
      handle.style.left = `calc(${this.edge}px + (100% - ${this.edge * 2}px) * ${part})`;
      handle.setAttribute('aria-valuemin', '0');
      handle.setAttribute('aria-valuemax', String(Math.ceil(duration)));
      handle.setAttribute('aria-valuenow', String(time));
      handle.setAttribute('aria-valuetext', clock(time, 1));
    });
  }
}
