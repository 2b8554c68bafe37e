// Lines over time, with both axes, a mark at the time that is shown, and a click that goes there.

import { clock, h } from '../view/dom';
import type { Line } from './control';

const HEIGHT = 130;
/** What the axes take at the left and below. */
const [LEFT, BELOW, ABOVE] = [44, 22, 6];
/** Pixels between two numbers of an axis at least. */
const [APART, APART_IN_TIME] = [28, 70];
const GRID = 'rgba(128, 128, 128, 0.25)';
/** Seconds between two times of an axis. */
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

export class LineChart {
  readonly element: HTMLElement;
  private readonly cursor = h('div', { class: 'cursor' });
  private readonly plot: number;

  /** Shows lines of values at times, which rise, in milliseconds; `isLevel` keeps the axis at 0 to 100 at least, whatever is less. */
  constructor(title: string, times: readonly number[], lines: readonly Line[], { width, ink, isLevel, seek }: { width: number; ink: string; isLevel: boolean; seek: (time: number) => void }) {
    const values = lines.flatMap((line) => line.values.filter((value): value is number => value !== null));
    const most = values.reduce((most, value) => Math.max(most, value), isLevel ? 100 : Number.NEGATIVE_INFINITY);
    const step = stepOf(isLevel ? 0 : values.reduce((least, value) => Math.min(least, value), most), most);
    const low = isLevel ? 0 : Math.floor(values.reduce((least, value) => Math.min(least, value), most) / step) * step;
    const high = isLevel ? most : Math.max(low + step, Math.ceil(most / step) * step);
    this.plot = width - LEFT;
    const canvas = h('canvas');
    this.element = h('div', { class: 'chart', role: 'img', 'aria-label': `${title} over time, between ${low} and ${high}; the table below has figures`, style: `width: ${width}px` }, canvas, this.cursor);
    const [first, span] = [times[0] ?? 0, Math.max(1, (times.at(-1) ?? 0) - (times[0] ?? 0))];
    this.element.addEventListener('click', ({ offsetX }) => offsetX >= LEFT && seek(first + ((offsetX - LEFT) / this.plot) * span));
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    [canvas.width, canvas.height] = [width * ratio, HEIGHT * ratio];
    const context = canvas.getContext('2d')!;
    context.scale(ratio, ratio);
    const x = (time: number) => LEFT + ((time - first) / span) * this.plot;
    const y = (value: number) => ABOVE + (1 - (value - low) / (high - low)) * (HEIGHT - BELOW - ABOVE);
    context.font = '11px system-ui, sans-serif';
    [context.fillStyle, context.strokeStyle, context.textBaseline] = [ink, GRID, 'middle'];
    const grid = (...[fromX, fromY, toX, toY]: [number, number, number, number]) => {
      context.beginPath();
      context.moveTo(fromX, fromY);
      context.lineTo(toX, toY);
      context.stroke();
    };
    context.textAlign = 'right';
    for (let value = low; value <= high; value += step) {
      grid(LEFT, y(value), width, y(value));
      context.fillText(String(Number(value.toFixed(6))), LEFT - 6, y(value));
    }
    context.textAlign = 'center';
    const every = 1000 * (SECONDS.find((seconds) => ((seconds * 1000) / span) * this.plot >= APART_IN_TIME) ?? Math.ceil(span / 3_600_000 / 4) * 3600);
    for (let time = Math.ceil(first / every) * every; time <= first + span; time += every) {
      grid(x(time), ABOVE, x(time), HEIGHT - BELOW);
      if (x(time) < width - 14) context.fillText(clock(time, 0), x(time), HEIGHT - BELOW / 2 + 2);
    }
    context.beginPath();
    context.rect(LEFT, 0, this.plot, HEIGHT - BELOW + 1);
    context.clip();
    context.lineWidth = 1.5;
    for (const { color, values } of lines) {
      context.strokeStyle = color;
      context.beginPath();
      let isDrawn = false;
      values.forEach((value, at) => {
        if (value !== null) context[isDrawn ? 'lineTo' : 'moveTo'](x(times[at]!), y(value));
        isDrawn = value !== null;
      });
      context.stroke();
    }
    this.at = (time) => (this.cursor.style.left = `${Math.max(LEFT, Math.min(width, x(time)))}px`);
  }

  /** Marks a time. */
  readonly at: (time: number) => void;
}

/** A round step, so that numbers of an axis stand apart. */
function stepOf(low: number, high: number): number {
  const least = (Math.max(high - low, 1e-6) * APART) / (HEIGHT - BELOW - ABOVE);
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((step) => step * power >= least) ?? 10);
}
