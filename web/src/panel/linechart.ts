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

export interface LineChart {
  readonly element: HTMLElement;
  /** Marks a time. */
  at(time: number): void;
}

/** Shows lines of values at times, which rise, in milliseconds; `isLevel` keeps the axis at 0 to 100 at least, whatever is less. */
export function lineChart(
  title: string,
  times: readonly number[],
  lines: readonly Line[],
  { width, ink, isLevel, seek }: { width: number; ink: string; isLevel: boolean; seek: (time: number) => void },
): LineChart {
  const values = lines.flatMap((line) => line.values.filter((value): value is number => value !== null));
  const most = values.reduce((most, value) => Math.max(most, value), isLevel ? 100 : Number.NEGATIVE_INFINITY);
  const least = isLevel ? 0 : values.reduce((least, value) => Math.min(least, value), most);
  const step = stepOf(least, most);
  const low = Math.floor(least / step) * step;
  const high = isLevel ? most : Math.max(low + step, Math.ceil(most / step) * step);
  const [plot, below] = [width - LEFT, HEIGHT - BELOW];
  const [first, span] = [times[0] ?? 0, Math.max(1, (times.at(-1) ?? 0) - (times[0] ?? 0))];
  const x = (time: number) => LEFT + ((time - first) / span) * plot;
  const y = (value: number) => ABOVE + (1 - (value - low) / (high - low)) * (below - ABOVE);
  const [canvas, cursor] = [h('canvas'), h('div', { class: 'cursor' })];
  const element = h(
    'div',
    {
      class: 'chart',
      role: 'img',
      'aria-label': `${title} over time, between ${low} and ${high}; the table below has figures`,
      style: `width: ${width}px`,
    },
    canvas,
    cursor,
  );
  element.addEventListener('click', ({ offsetX }) => offsetX >= LEFT && seek(first + ((offsetX - LEFT) / plot) * span));
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  [canvas.width, canvas.height] = [width * ratio, HEIGHT * ratio];
  const context = canvas.getContext('2d')!;
  context.scale(ratio, ratio);
  context.font = '11px system-ui, sans-serif';
  [context.fillStyle, context.strokeStyle, context.textBaseline] = [ink, GRID, 'middle'];
  context.beginPath();
  context.textAlign = 'right';
  for (let value = low; value <= high; value += step) {
    context.moveTo(LEFT, y(value));
    context.lineTo(width, y(value));
    context.fillText(String(Number(value.toFixed(6))), LEFT - 6, y(value));
  }
  context.textAlign = 'center';
  const every =
    1000 *
    (SECONDS.find((seconds) => ((seconds * 1000) / span) * plot >= APART_IN_TIME) ??
      Math.ceil(span / 3_600_000 / 4) * 3600);
  for (let time = Math.ceil(first / every) * every; time <= first + span; time += every) {
    context.moveTo(x(time), ABOVE);
    context.lineTo(x(time), below);
    if (x(time) < width - 14) context.fillText(clock(time, 0), x(time), HEIGHT - BELOW / 2 + 2);
  }
  context.stroke();
  context.beginPath();
  context.rect(LEFT, 0, plot, below + 1);
  context.clip();
  context.lineWidth = 1.5;
  for (const { color, values } of lines) {
    context.strokeStyle = color;
    context.beginPath();
    values.forEach((value, at) => {
      if (value === null) return;
      if (values[at - 1] === null) context.moveTo(x(times[at]), y(value));
      else context.lineTo(x(times[at]), y(value));
    });
    context.stroke();
  }
  return { element, at: (time) => (cursor.style.left = `${Math.max(LEFT, Math.min(width, x(time)))}px`) };
}

/** A round step, so that numbers of an axis stand apart. */
function stepOf(low: number, high: number): number {
  const least = (Math.max(high - low, 1e-6) * APART) / (HEIGHT - BELOW - ABOVE);
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((step) => step * power >= least) ?? 10);
}
