// Lines over the distance that somebody went, with a mark where he is.

import { h } from '../view/dom';

const [HEIGHT, LEFT, BELOW] = [96, 44, 18];
const GRID = 'rgba(128, 128, 128, 0.25)';

export interface DistanceLine {
  color: string;
  values: readonly (number | null)[];
}

export interface DistanceChart {
  element: HTMLElement;
  at(distance: number): void;
}

/** `go` is called with the distance that somebody pressed. */
export function distanceChart(
  title: string,
  distances: readonly number[],
  lines: readonly DistanceLine[],
  { width, ink, digits, go }: { width: number; ink: string; digits: number; go: (distance: number) => void },
): DistanceChart {
  const values = lines.flatMap((line) => line.values.filter((value): value is number => value !== null));
  const low = Math.min(0, ...values);
  const high = Math.max(low + 10 ** -digits, ...values);
  const most = Math.max(1, distances.at(-1) ?? 1);
  const x = (distance: number) => LEFT + (distance / most) * (width - LEFT);
  const y = (value: number) => 6 + (1 - (value - low) / (high - low)) * (HEIGHT - BELOW - 6);
  const [canvas, cursor] = [h('canvas'), h('div', { class: 'cursor' })];
  const label = `${title} over the distance, between ${low.toFixed(digits)} and ${high.toFixed(digits)}`;
  const element = h('div', { class: 'chart', role: 'img', 'aria-label': label }, canvas, cursor);
  element.style.width = `${width}px`;
  element.style.height = `${HEIGHT}px`;
  element.addEventListener('click', ({ offsetX }) => go(((offsetX - LEFT) / (width - LEFT)) * most));
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  [canvas.width, canvas.height] = [width * ratio, HEIGHT * ratio];
  const context = canvas.getContext('2d')!;
  context.scale(ratio, ratio);
  context.font = '11px system-ui, sans-serif';
  [context.fillStyle, context.strokeStyle, context.textBaseline, context.textAlign] = [ink, GRID, 'middle', 'right'];
  context.beginPath();
  for (const value of new Set([low, 0, high])) {
    context.moveTo(LEFT, y(value));
    context.lineTo(width, y(value));
    context.fillText(value.toFixed(digits), LEFT - 6, y(value));
  }
  context.stroke();
  context.fillText(`${Math.round(most)} units`, width, HEIGHT - BELOW / 2);
  context.lineWidth = 1.5;
  for (const { color, values } of lines) {
    context.strokeStyle = color;
    context.beginPath();
    values.forEach((value, at) => {
      if (value === null) return;
      if (at === 0 || values[at - 1] === null) context.moveTo(x(distances[at]), y(value));
      else context.lineTo(x(distances[at]), y(value));
    });
    context.stroke();
  }
  return { element, at: (distance) => (cursor.style.left = `${Math.max(LEFT, Math.min(width, x(distance)))}px`) };
}
