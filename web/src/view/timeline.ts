// The line of time: where one is, and what happened when.

import { type Event, type Group, involves } from '../data/events';
import { type Round, roundsOf } from '../data/rounds';
import type { Session } from '../data/session';
import { clock, h } from './dom';
import { Handles } from './handles';
import { flat } from './software';

export interface Marks {
  kills: boolean;
  flags: boolean;
  items: boolean;
  chat: boolean;
  rounds: boolean;
  damage: boolean;
}

/** So near, in pixels, a mark is meant. */
const NEAR = 5;
/** Rounds are a bar of this many pixels above the marks, by turns of two colors. */
const ROUND_BAR = 4;
const ROUND_COLORS = ['#8f7bea', '#5b4fa3'] as const;
/** On both sides, so that the slider's thumb is over the time that it stands for. */
const EDGE = 8;

const SHOWN: [keyof Marks, Group[], string][] = [
  ['chat', ['chat'], '#9aa4b5'],
  ['items', ['items', 'awards'], '#c9a36a'],
  ['rounds', ['match'], '#8f7bea'],
  ['flags', ['flags'], '#e0b020'],
  ['kills', ['kills'], '#e5484d'],
];

/** The color of each kind of mark, for who wants to know what it stands for. */
export const MARK_COLORS = Object.fromEntries([
  ...SHOWN.map(([name, , color]) => [name, color]),
  ['damage', '#ff4fd8'],
]) as Record<keyof Marks, string>;

export class Timeline {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  private readonly canvas = h('canvas', { 'aria-hidden': 'true' });
  private readonly tip = h('div', { class: 'tip', hidden: true });
  private readonly handles: Handles;
  private drawn = '';
  /** What is drawn, for who points at it. */
  private last: { session: Session; duration: number; marks: Marks } | null = null;
  private rounds: Round[] = [];

  constructor(seek: (time: number) => void, clip: (end: 0 | 1, time: number) => void) {
    this.input = h('input', { type: 'range', min: '0', max: '1', step: '1', value: '0', 'aria-label': 'time' });
    this.input.addEventListener('input', () => seek(Number(this.input.value)));
    this.handles = new Handles(EDGE, clip);
    this.element = h('div', { class: 'line' }, this.canvas, this.input, ...this.handles.elements, this.tip);
    this.element.addEventListener('pointermove', (event) => this.point(event));
    this.element.addEventListener('pointerleave', () => (this.tip.hidden = true));
    this.canvas.addEventListener('click', (event) => {
      const found = this.at(event);
      if (found) seek(found.event ? found.event.time + (this.last?.session.offset ?? 0) : found.time);
    });
  }

  /** The time under a pointer, and what happened there. */
  private at({ clientX }: MouseEvent): { time: number; event: Event | null; round: Round | null } | null {
    const { last } = this;
    const { left, width } = this.canvas.getBoundingClientRect();
    if (!last || width <= EDGE * 2) return null;
    const scale = Math.max(last.duration, 1) / (width - EDGE * 2);
    const time = Math.min(Math.max((clientX - left - EDGE) * scale, 0), last.duration);
    const { session, marks } = last;
    let event: Event | null = null;
    let nearest = NEAR * scale;
    // what is drawn last is on top
    for (const [name, groups] of SHOWN) {
      if (!marks[name]) continue;
      for (const one of session.events) {
        const away = Math.abs(one.time + session.offset - time);
        if (away > nearest || !one.major || !groups.includes(one.group)) continue;
        [event, nearest] = [one, away];
      }
    }
    const own = time - session.offset;
    const round = (marks.rounds && this.rounds.find(({ from, to }) => own >= from && own < to)) || null;
    return { time, event, round };
  }

  private point(pointer: PointerEvent): void {
    const found = pointer.pointerType === 'touch' ? null : this.at(pointer);
    this.tip.hidden = !found;
    if (!found || !this.last) return;
    const { left, width } = this.canvas.getBoundingClientRect();
    const round = found.round && `round ${found.round.number ?? this.rounds.indexOf(found.round) + 1}`;
    this.tip.textContent = [
      clock(found.event?.time ?? found.time - this.last.session.offset, 1),
      round,
      found.event?.sentence,
    ]
      .filter(Boolean)
      .join('  ');
    const x = pointer.clientX - left;
    this.tip.style.left = x > width / 2 ? '' : `${x}px`;
    this.tip.style.right = x > width / 2 ? `${width - x}px` : '';
  }

  update(time: number, duration: number, shown: (time: number) => string): void {
    this.input.max = String(Math.max(1, Math.ceil(duration)));
    this.input.value = String(Math.round(time));
    this.input.setAttribute('aria-valuetext', shown(time));
  }

  /** Draws the marks of a recording; `marks` says which. */
  draw(
    session: Session,
    duration: number,
    marks: Marks,
    followed: number | null,
    range: [number | null, number | null],
  ): void {
    const { canvas } = this;
    this.last = { session, duration, marks };
    this.handles.update(range, duration);
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    const state = [
      session.name,
      session.events.length,
      session.audit?.findings.length ?? -1,
      duration,
      width,
      followed,
      session.offset,
      ...range,
      ...Object.values(marks),
    ].join();
    if (state === this.drawn || !width) return;
    this.drawn = state;
    [canvas.width, canvas.height] = [width, height];
    const context = flat(canvas);
    const edge = EDGE * ratio;
    const x = (time: number) => edge + ((time + session.offset) / Math.max(duration, 1)) * (width - edge * 2);
    const [from, to] = range;
    if (from !== null || to !== null) {
      context.fillStyle = 'rgba(127,176,255,0.35)';
      const left = x((from ?? 0) - session.offset);
      context.fillRect(left, 0, x((to ?? duration) - session.offset) - left, height);
    }
    this.rounds = roundsOf(session.events, session.replay.duration);
    if (marks.rounds) {
      this.rounds.forEach(({ from, to }, number) => {
        context.fillStyle = ROUND_COLORS[number % 2];
        context.fillRect(x(from), 0, Math.max(1, x(to) - x(from)), ROUND_BAR * ratio);
      });
    }
    for (const [name, groups, color] of SHOWN) {
      if (!marks[name]) continue;
      for (const event of session.events) {
        if (!event.major || !groups.includes(event.group)) continue;
        const mine = followed === null || involves(event, followed);
        context.globalAlpha = mine ? 1 : 0.3;
        context.fillStyle = color;
        const tall = event.group === 'kills' ? 1 : event.group === 'chat' ? 0.35 : 0.7;
        context.fillRect(Math.round(x(event.time)), height * (1 - tall), Math.max(1, ratio), height * tall);
      }
    }
    context.globalAlpha = 1;
    if (marks.damage) {
      for (const finding of session.audit?.findings ?? []) {
        if (finding.time === undefined && finding.grade === 'normal') continue;
        context.fillStyle = finding.grade === 'damaged' || finding.grade === 'edited' ? '#ff4fd8' : '#8a94a6';
        const at = x(finding.time ?? timeOf(session, finding.message));
        context.beginPath();
        context.moveTo(at - 4 * ratio, 0);
        context.lineTo(at + 4 * ratio, 0);
        context.lineTo(at, 7 * ratio);
        context.fill();
      }
    }
  }
}

/** The time of a message: that of the last frame at or before it. */
export function timeOf(session: Session, message: number): number {
  const { messages, times } = session.replay.tracks;
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (messages[middle] <= message) low = middle + 1;
    else high = middle;
  }
  return times[Math.max(0, low - 1)] ?? 0;
}

/** The next event of a kind after a time, or the last before it. */
export function neighbor(
  events: Event[],
  time: number,
  direction: 1 | -1,
  wanted: (event: Event) => boolean,
): Event | null {
  const found = events.filter(wanted);
  if (direction > 0) return found.find((event) => event.time > time + 1) ?? null;
  return found.filter((event) => event.time < time - 1).pop() ?? null;
}

export { clock };
