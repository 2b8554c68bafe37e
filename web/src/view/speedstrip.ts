// A strip around the time that is shown: a player's speed, with jumps, strafes and keys below it.

import type { Jump, Strafe } from '../../answers';
import { KEYS } from '../data/layout';
import { type Movement, isCut, jumpsBetween, stateAt } from '../data/movement';
import { clock, h } from './dom';
import { flat } from './software';

/** Milliseconds that are shown, before the time and after it. */
export const [BEFORE, AFTER] = [4000, 2000];
/** What the names of rows take at the left, the plot of speed, the row of strafes, a key, and the times below. */
const [LEFT, PLOT, STRAFES, KEY, BELOW] = [52, 116, 34, 12, 18];
/** More states than that are not drawn. */
const MOST = 6000;
/** Pixels between the plot and what is below it. */
const GAP = 8;
/** The lane for marks of jumps above the speeds. */
const ABOVE = 16;
/** Units a second from one number of the scale to the next: the least that makes at most three steps. */
const STEPS = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000];
const INKS = ['ink', 'muted', 'faint', 'line', 'raised', 'hover', 'press', 'none'] as const;
type Inks = Record<(typeof INKS)[number], string>;

/** What a jump is, in one line. */
export function jumpText(jump: Jump): string {
  const inferred = jump.evidence === 'inferred' ? '~' : '';
  const figures = [
    `${(jump.distance_kz ?? jump.distance).toFixed(1)} units`,
    `pre-strafe ${Math.round(jump.speed_before)}`,
    `highest ${Math.round(jump.speed_max)}`,
    jump.strafe_count !== undefined && `${jump.strafe_count} strafes, sync ${Math.round(jump.sync)} %`,
    jump.efficiency !== undefined && `efficiency ${Math.round(jump.efficiency)} %`,
  ];
  return `${jump.kind.replaceAll('_', ' ')}${inferred}: ${figures.filter(Boolean).join(', ')}`;
}

function strafeText({ strafe, side, keys, gain, loss, sync }: Strafe): string {
  return `strafe ${strafe} ${side} (${keys}): ${signed(gain - loss)}, sync ${Math.round(sync)} %`;
}

export class SpeedStrip {
  readonly element: HTMLElement;
  private readonly canvas = h('canvas');
  private readonly tip = h('div', { class: 'tip', hidden: true });
  private readonly probe = h('span', { hidden: true });
  private shown: { movement: Movement; now: number } | null = null;
  /** The keys that the recording has, by their places in `KEYS`. */
  private keys: number[] = [];
  private drawn = '';

  constructor(seek: (time: number) => void) {
    this.element = h('div', { class: 'chart strip-of-speed', role: 'img' }, this.canvas, this.tip, this.probe);
    this.element.addEventListener(
      'click',
      ({ offsetX }) => this.shown && offsetX >= LEFT && seek(this.timeAt(offsetX)),
    );
    this.element.addEventListener('pointermove', (event) => this.point(event));
    this.element.addEventListener('pointerleave', () => (this.tip.hidden = true));
  }

  /** Shows the time around `now`. */
  update(movement: Movement, now: number): void {
    if (this.shown?.movement !== movement) {
      const all = movement.keys.reduce((all, keys) => all | keys, 0);
      this.keys = KEYS.flatMap((_, at) => (all & (1 << at) ? [at] : []));
    }
    this.shown = { movement, now };
    const width = this.element.clientWidth;
    this.probe.style.color = 'var(--ink)';
    const state = `${movement.times.length} ${now} ${width} ${getComputedStyle(this.probe).color}`;
    if (state === this.drawn || !width) return;
    this.drawn = state;
    this.draw(movement, now, width);
  }

  private get from(): number {
    return (this.shown?.now ?? 0) - BEFORE;
  }

  private timeAt(x: number): number {
    return this.from + ((x - LEFT) / (this.element.clientWidth - LEFT)) * (BEFORE + AFTER);
  }

  private draw(movement: Movement, now: number, width: number): void {
    const { canvas, keys } = this;
    const [from, to] = [now - BEFORE, now + AFTER];
    const jumps = jumpsBetween(movement, from, to);
    const strafes = movement.jumps.some((jump) => jump.strafes?.length) ? STRAFES : 0;
    const height = PLOT + GAP + strafes + keys.length * KEY + BELOW;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    canvas.style.height = `${height}px`;
    const inks = this.inks();
    const context = flat(canvas);
    context.scale(ratio, ratio);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    const x = (time: number) => LEFT + ((time - from) / (BEFORE + AFTER)) * (width - LEFT);
    const rows = rowsBetween(movement, from, to);
    const { low, high, step, most } = scaleOf(rows.map((at) => movement.speeds[at]));
    const y = (speed: number) => PLOT - ((speed - low) / (high - low)) * (PLOT - ABOVE);

    context.fillStyle = context.strokeStyle = inks.line;
    context.textAlign = 'right';
    for (let speed = low; speed <= high; speed += step) {
      context.fillStyle = inks.line;
      context.fillRect(LEFT, Math.round(y(speed)), width - LEFT, 1);
      context.fillStyle = inks.faint;
      context.fillText(String(speed), LEFT - 6, y(speed));
    }
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, width - LEFT, height);
    context.clip();
    this.drawJumps(context, jumps, to, x, inks);
    context.lineWidth = 1.5;
    context.strokeStyle = inks.ink;
    context.beginPath();
    rows.forEach((at, number) => {
      const isStart = number === 0 || isCut(movement.bits[at]);
      context[isStart ? 'moveTo' : 'lineTo'](x(movement.times[at]), y(movement.speeds[at]));
    });
    context.stroke();
    if (strafes) drawStrafes(context, jumps, x, inks);
    keys.forEach((key, number) => {
      const middle = PLOT + GAP + strafes + (number + 0.5) * KEY;
      context.fillStyle = inks.raised;
      context.fillRect(LEFT, middle - 4, width - LEFT, 8);
      context.fillStyle = inks.muted;
      for (const [from, to] of held(movement, rows, key)) {
        context.fillRect(x(from), middle - 4, Math.max(1, x(to) - x(from)), 8);
      }
    });
    context.textAlign = 'center';
    context.fillStyle = inks.faint;
    for (let time = Math.ceil(from / 1000) * 1000; time <= to; time += 1000)
      if (time >= 0 && x(time) > LEFT + 14 && x(time) < width - 14)
        context.fillText(clock(time, 0), x(time), height - BELOW / 2 + 1);
    context.fillStyle = inks.ink;
    for (let dash = ABOVE; dash < height - BELOW; dash += 6) context.fillRect(Math.round(x(now)), dash, 1, 3);
    context.restore();
    context.textAlign = 'right';
    context.fillStyle = inks.muted;
    if (strafes) {
      context.fillText('gain', LEFT - 6, PLOT + GAP + 8);
      context.fillText('sync', LEFT - 6, PLOT + GAP + 21);
    }
    keys.forEach((key, number) => context.fillText(KEYS[key], LEFT - 6, PLOT + GAP + strafes + (number + 0.5) * KEY));
    this.element.setAttribute(
      'aria-label',
      [
        `speed from ${clock(Math.max(0, from), 1)} to ${clock(to, 1)}, at most ${Math.round(most)} units a second,`,
        `with ${jumps.filter(({ jumped }) => jumped).length} jumps, listed in the table below`,
      ].join(' '),
    );
  }

  /** Times in the air, and above them a triangle and the kind at each take-off. */
  private drawJumps(
    context: CanvasRenderingContext2D,
    jumps: Jump[],
    to: number,
    x: (time: number) => number,
    inks: Inks,
  ): void {
    context.textAlign = 'left';
    jumps.forEach((jump, number) => {
      const [left, right] = [x(jump.time), x(jump.time_to)];
      context.fillStyle = inks.raised;
      context.fillRect(left, ABOVE, Math.max(1, right - left), PLOT - ABOVE);
      if (!jump.jumped) return;
      context.fillStyle = inks.muted;
      context.fillRect(left, ABOVE - 4, 1, PLOT - ABOVE + 4);
      context.beginPath();
      context.moveTo(left, 3);
      context.lineTo(left + 4, 11);
      context.lineTo(left - 4, 11);
      context.fill();
      const text = `${jump.kind.replaceAll('_', ' ')} ${Math.round(jump.distance_kz ?? jump.distance)}`;
      const next = jumps.slice(number + 1).find((one) => one.jumped);
      if (left + 8 + context.measureText(text).width < (next ? x(next.time) - 8 : x(to)))
        context.fillText(text, left + 7, 8);
    });
  }

  private point({ offsetX }: PointerEvent): void {
    if (!this.shown || offsetX < LEFT) {
      this.tip.hidden = true;
      return;
    }
    const { movement } = this.shown;
    const time = this.timeAt(offsetX);
    const at = stateAt(movement, time);
    const jump = movement.jumps.findLast((one) => one.time <= time && one.time_to >= time);
    const strafe = jump?.strafes?.findLast((one) => one.time <= time);
    const lines = [
      at >= 0 && `${clock(movement.times[at], 2)}: ${Math.round(movement.speeds[at])} units a second`,
      jump && jumpText(jump),
      strafe && strafeText(strafe),
    ].filter((line): line is string => !!line);
    this.tip.replaceChildren(...lines.map((line) => h('div', {}, line)));
    this.tip.hidden = !lines.length;
    const room = this.element.clientWidth - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(room, offsetX + 8))}px`;
  }

  private inks(): Inks {
    const found = INKS.map((name) => {
      this.probe.style.color = `var(--${name})`;
      return [name, getComputedStyle(this.probe).color];
    });
    return Object.fromEntries(found) as Inks;
  }
}

/** A strafe is a bar to the left or to the right, with its gain and its sync where there is room. */
function drawStrafes(context: CanvasRenderingContext2D, jumps: Jump[], x: (time: number) => number, inks: Inks): void {
  context.textAlign = 'center';
  for (const strafe of jumps.flatMap(({ strafes }) => strafes ?? [])) {
    const [left, right] = [x(strafe.time), x(strafe.time + (strafe.duration ?? 0))];
    const width = Math.max(1, right - left - 1);
    context.fillStyle = strafe.side === 'left' ? inks.hover : inks.press;
    context.fillRect(left, PLOT + GAP, width, STRAFES - 5);
    context.fillStyle = inks.ink;
    const lines = [signed(strafe.gain - strafe.loss), `${Math.round(strafe.sync)}`];
    lines.forEach((line, number) => {
      if (context.measureText(line).width < width - 2)
        context.fillText(line, (left + right) / 2, PLOT + GAP + 8 + number * 13);
    });
  }
}

/** A scale of speeds, whose lowest number is 0 unless that would flatten them. */
function scaleOf(speeds: number[]): { low: number; high: number; step: number; most: number } {
  const most = speeds.reduce((most, speed) => Math.max(most, speed), 0);
  const least = speeds.reduce((least, speed) => Math.min(least, speed), most);
  const from = least > most / 2 ? least : 0;
  const step = STEPS.find((step) => most - from <= step * 3) ?? Math.max(1, most);
  const low = Math.floor(from / step) * step;
  return { low, high: Math.max(low + step, Math.ceil(most / step) * step), step, most };
}

/** The numbers of states between two times, with one more on each side. */
function rowsBetween(movement: Movement, from: number, to: number): number[] {
  const [first, last] = [
    Math.max(0, stateAt(movement, from)),
    Math.min(movement.times.length - 1, stateAt(movement, to) + 1),
  ];
  const count = Math.max(0, last - first + 1);
  const every = Math.max(1, Math.ceil(count / MOST));
  return Array.from({ length: Math.ceil(count / every) }, (_, number) => first + number * every);
}

/** When a key was held. The command of a state is that of the step before it. */
function held({ times, keys, bits }: Movement, rows: number[], key: number): [number, number][] {
  const found: [number, number][] = [];
  for (const at of rows) {
    if (at === 0 || isCut(bits[at]) || !(keys[at] & (1 << key))) continue;
    const last = found.at(-1);
    if (last?.[1] === times[at - 1]) last[1] = times[at];
    else found.push([times[at - 1], times[at]]);
  }
  return found;
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.round(Math.abs(value))}`;
