// The line of time: where one is, what happened when, and how the lead went.

import type { Comment } from '../data/comments';
import { type Event, type Group, type Kill, involves, isKill } from '../data/events';
import { type Lead, leadOf } from '../data/lead';
import { type Round, roundsOf } from '../data/rounds';
import type { Session } from '../data/session';
import type { Marks } from '../store/look';
import type { Store } from '../store/store';
import { clock, h } from './dom';
import { Handles } from './handles';
import { flat } from './software';

/** So near, in pixels, a mark is meant. */
const NEAR = 5;
/** On both sides, so that the knob is over the time that it stands for. */
const EDGE = 8;
/** Pixels of one bin of kills, and of its bar. */
const [BIN, BAR] = [3, 2];
/** Pixels above the lanes for what lasts, and below them for the times. */
const [ABOVE, BELOW] = [6, 16];
/** Pixels between two written times at least, and the seconds that they may be apart. */
const APART = 64;
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

const SHOWN: [keyof Marks, Group[]][] = [
  ['chat', ['chat']],
  ['items', ['items', 'awards']],
  ['rounds', ['match']],
  ['flags', ['flags']],
  ['kills', ['kills']],
];

/** The color of each kind of mark, by its token. */
export const MARK_COLORS: Record<keyof Marks, string> = {
  chat: '--faint',
  items: '--item-quad',
  rounds: '--muted',
  flags: '--yellow',
  kills: '--ink',
  damage: '--bad',
};

const INKS = ['raised', 'line', 'line-strong', 'faint', 'muted', 'ink', 'none', 'bad', 'item-quad'] as const;
const SIDE_INKS = ['red', 'blue', 'green', 'yellow'] as const;
type Ink = (typeof INKS)[number] | (typeof SIDE_INKS)[number];

export class Timeline {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  private readonly canvas = h('canvas', { 'aria-hidden': 'true' });
  private readonly lead = h('canvas', { class: 'lead', 'aria-hidden': 'true' });
  private readonly ahead = h('div', { class: 'ahead' });
  private readonly knob = h('div', { class: 'knob' });
  private readonly tip = h('div', { class: 'tip', hidden: true });
  private readonly probe = h('span', { hidden: true });
  private readonly lanes = h('div', { class: 'lanes', 'aria-hidden': 'true' });
  private readonly handles: Handles;
  private drawn = '';
  /** What is drawn, for who points at it. */
  private last: { session: Session; duration: number } | null = null;
  private rounds: Round[] = [];
  private drags = false;

  constructor(private readonly store: Store) {
    const seek = (time: number) => store.clock.seek(time);
    this.input = h('input', { type: 'range', min: '0', max: '1', step: '1', value: '0', 'aria-label': 'time' });
    this.input.addEventListener('input', () => seek(Number(this.input.value)));
    this.handles = new Handles(EDGE, (end, time) => store.clock.mark(end, time));
    const line = h(
      'div',
      { class: 'line' },
      this.canvas,
      this.lead,
      this.ahead,
      this.input,
      this.knob,
      ...this.handles.elements,
      this.tip,
      this.probe,
    );
    this.element = h('div', { class: 'time' }, this.lanes, line);
    line.addEventListener('pointermove', (event) => {
      this.point(event);
      const found = this.drags && this.at(event);
      if (found) seek(found.time);
    });
    line.addEventListener('pointerleave', () => (this.tip.hidden = true));
    line.addEventListener('pointerdown', (event) => {
      if (event.button || (event.target as Element).classList.contains('handle')) return;
      const found = this.at(event);
      if (!found) return;
      this.drags = true;
      line.setPointerCapture(event.pointerId);
      const mark = found.comment ?? found.event;
      seek(mark ? mark.time + (this.last?.session.offset ?? 0) : found.time);
    });
    for (const kind of ['pointerup', 'pointercancel'] as const) line.addEventListener(kind, () => (this.drags = false));
  }

  /** The time under a pointer, and what happened there. */
  private at({
    clientX,
  }: MouseEvent): { time: number; event: Event | null; comment: Comment | null; round: Round | null } | null {
    const { last } = this;
    const { left, width } = this.canvas.getBoundingClientRect();
    if (!last || width <= EDGE * 2) return null;
    const { marks } = this.store.look;
    const scale = Math.max(last.duration, 1) / (width - EDGE * 2);
    const time = Math.min(Math.max((clientX - left - EDGE) * scale, 0), last.duration);
    const { session } = last;
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
    const comment = session.comments.find((one) => Math.abs(one.time - own) <= NEAR * scale) ?? null;
    const round = (marks.rounds && this.rounds.find(({ from, to }) => own >= from && own < to)) || null;
    return { time, event, comment, round };
  }

  private point(pointer: PointerEvent): void {
    const found = pointer.pointerType === 'touch' ? null : this.at(pointer);
    this.tip.hidden = !found;
    if (!found || !this.last) return;
    const { left, width } = this.canvas.getBoundingClientRect();
    const round = found.round && `round ${found.round.number ?? this.rounds.indexOf(found.round) + 1}`;
    // what is still ahead is not given away
    const isAhead = !this.store.look.spoilers && found.time > this.store.clock.now;
    this.tip.textContent = [
      clock(found.comment?.time ?? found.event?.time ?? found.time - this.last.session.offset, 1),
      round,
      found.comment && `“${found.comment.text}”`,
      isAhead && found.event?.group === 'match' ? null : found.event?.sentence,
    ]
      .filter(Boolean)
      .join('  ');
    const x = pointer.clientX - left;
    this.tip.style.left = x > width / 2 ? '' : `${x}px`;
    this.tip.style.right = x > width / 2 ? `${width - x}px` : '';
  }

  /** Shows the time, and draws again what has changed. */
  update(): void {
    const { clock: time, selection, look } = this.store;
    const { session, duration, offset } = selection;
    this.input.max = String(Math.max(1, Math.ceil(duration)));
    this.input.value = String(Math.round(time.now));
    this.input.setAttribute('aria-valuetext', clock(time.now - offset, 1));
    const part = time.now / Math.max(1, duration);
    const left = `calc(${EDGE}px + (100% - ${EDGE * 2}px) * ${part})`;
    this.knob.style.left = left;
    this.ahead.style.left = left;
    this.lead.style.clipPath = look.spoilers
      ? ''
      : `inset(0 calc((100% - ${EDGE * 2}px) * ${1 - part} + ${EDGE}px) 0 0)`;
    if (session) this.draw(session, duration);
  }

  private inks(): Record<Ink, string> {
    const found = [...INKS, ...SIDE_INKS].map((name) => {
      this.probe.style.color = `var(--${name})`;
      return [name, getComputedStyle(this.probe).color];
    });
    return Object.fromEntries(found) as Record<Ink, string>;
  }

  private draw(session: Session, duration: number): void {
    const { canvas, lead } = this;
    const { clock: time, selection, look } = this.store;
    const { followed } = selection;
    const { marks } = look;
    this.last = { session, duration };
    this.handles.update(time.range, duration);
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    this.probe.style.color = 'var(--ink)';
    const state = [
      session.name,
      session.events.length,
      session.audit?.findings.length ?? -1,
      ...session.comments.map(({ time }) => time),
      session.history.parts.length,
      session.replay.sides.length,
      duration,
      width,
      height,
      followed,
      session.offset,
      ...time.range,
      ...Object.values(marks),
      getComputedStyle(this.probe).color,
    ].join();
    if (state === this.drawn || !width) return;
    this.drawn = state;
    for (const one of [canvas, lead]) [one.width, one.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const inks = this.inks();
    const context = flat(canvas);
    context.scale(ratio, ratio);
    const x = (time: number) => EDGE + ((time + session.offset) / Math.max(duration, 1)) * (width - EDGE * 2);
    const [above, below] = height < 48 ? [0, 0] : [ABOVE, BELOW];
    const [top, bottom] = [above, height - below];
    const middle = Math.round((top + bottom) / 2);
    context.fillStyle = inks.raised;
    context.beginPath();
    context.roundRect(EDGE, top, width - EDGE * 2, bottom - top, 4);
    context.fill();
    this.ticks(context, { width, top, bottom, below, duration, offset: session.offset, inks });
    const [from, to] = time.range;
    if (from !== null || to !== null) {
      context.globalAlpha = 0.16;
      context.fillStyle = inks.ink;
      const left = x((from ?? 0) - session.offset);
      context.fillRect(left, top, x((to ?? duration) - session.offset) - left, bottom - top);
      context.globalAlpha = 1;
    }
    this.rounds = roundsOf(session.events, session.replay.duration);
    if (marks.rounds)
      this.rounds.forEach(({ from, to }, number) => {
        context.fillStyle = number % 2 ? inks['line-strong'] : inks.muted;
        context.fillRect(x(from), 0, Math.max(1, x(to) - x(from) - 1), 3);
      });
    const known = leadOf(session);
    this.name(known);
    this.drawLead(known, { x, top, middle, bottom, ratio, inks });
    if (marks.kills) drawKills(context, { session, followed, known, x, top, middle, bottom, inks });
    for (const [name, groups] of SHOWN) {
      if (!marks[name] || name === 'kills' || (name === 'rounds' && this.rounds.length)) continue;
      for (const event of session.events) {
        if (!event.major || !groups.includes(event.group)) continue;
        context.globalAlpha = followed === null || involves(event, followed) ? 1 : 0.5;
        const side = 'player' in event ? session.replay.sideOf(event.player?.team) : null;
        context.fillStyle = side ? inks[side] : inks[MARK_COLORS[name].slice(2) as Ink];
        const at = Math.round(x(event.time));
        if (name === 'chat') context.fillRect(at, bottom - 3, 1, 3);
        else context.fillRect(at - 2, 0, 4, 3);
      }
    }
    context.globalAlpha = 1;
    // a comment is a flag on the lower edge
    context.fillStyle = inks.ink;
    for (const comment of session.comments) {
      const at = Math.round(x(comment.time));
      context.fillRect(at, bottom - 12, 1.5, 12);
      context.fillRect(at, bottom - 12, 7, 5);
    }
    if (marks.damage)
      for (const finding of session.audit?.findings ?? []) {
        if (finding.time === undefined && finding.grade === 'normal') continue;
        context.fillStyle = finding.grade === 'damaged' || finding.grade === 'edited' ? inks.bad : inks.faint;
        const at = x(finding.time ?? timeOf(session, finding.message));
        context.beginPath();
        context.moveTo(at - 4, top);
        context.lineTo(at + 4, top);
        context.lineTo(at, top + 7);
        context.fill();
      }
  }

  /** The names of two sides stand beside their lanes. */
  private name(known: Lead | null): void {
    this.lanes.replaceChildren(
      ...(known?.sides ?? []).map(({ name, color }) => h('span', { class: `side ${color}`, title: name }, name)),
    );
  }

  private ticks(
    context: CanvasRenderingContext2D,
    of: {
      width: number;
      top: number;
      bottom: number;
      below: number;
      duration: number;
      offset: number;
      inks: Record<Ink, string>;
    },
  ): void {
    const { width, top, bottom, below, duration, offset, inks } = of;
    const plot = width - EDGE * 2;
    const span = Math.max(1, duration);
    const every = 1000 * (SECONDS.find((seconds) => ((seconds * 1000) / span) * plot >= APART) ?? 7200);
    context.fillStyle = inks.line;
    const first = Math.ceil(-offset / every) * every;
    for (let time = first; time <= span - offset; time += every) {
      const x = EDGE + ((time + offset) / span) * plot;
      context.fillRect(Math.round(x), top, 1, bottom - top);
    }
    if (!below) return;
    context.fillStyle = inks.faint;
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'bottom';
    for (let time = first; time <= span - offset; time += every) {
      const x = EDGE + ((time + offset) / span) * plot;
      context.textAlign = x < 24 ? 'left' : x > width - 24 ? 'right' : 'center';
      context.fillText(clock(time, 0), x, bottom + below);
    }
  }

  private drawLead(
    known: Lead | null,
    of: {
      x: (time: number) => number;
      top: number;
      middle: number;
      bottom: number;
      ratio: number;
      inks: Record<Ink, string>;
    },
  ): void {
    const { x, top, middle, bottom, ratio, inks } = of;
    const context = flat(this.lead);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.lead.width, this.lead.height);
    if (!known?.points.length) return;
    const most = Math.max(4, ...known.points.map(([, lead]) => Math.abs(lead ?? 0)));
    const y = (lead: number) => middle - (lead / most) * (middle - top - 2);
    for (const [at, side] of known.sides.entries()) {
      context.save();
      context.beginPath();
      context.rect(0, at ? middle : top, this.lead.width, at ? bottom - middle : middle - top);
      context.clip();
      context.beginPath();
      context.moveTo(x(known.points[0][0]), middle);
      let last: number | null = 0;
      for (const [time, lead] of known.points) {
        // nothing is drawn while it is unknown
        if (last === null) context.moveTo(x(time), middle);
        else context.lineTo(x(time), y(last));
        context.lineTo(x(time), lead === null ? middle : y(lead));
        last = lead;
      }
      if (last !== null) context.lineTo(x(known.end), y(last));
      else context.moveTo(x(known.end), middle);
      context.lineTo(x(known.end), middle);
      context.fillStyle = inks[side.color];
      context.strokeStyle = inks[side.color];
      context.globalAlpha = 0.24;
      context.fill();
      context.globalAlpha = 0.7;
      context.lineWidth = 1.5;
      context.stroke();
      context.restore();
    }
  }
}

/** Kills of two sides above and below the middle, else above the lower edge; those of the followed player in ink. */
function drawKills(
  context: CanvasRenderingContext2D,
  of: {
    session: Session;
    followed: number | null;
    known: Lead | null;
    x: (time: number) => number;
    top: number;
    middle: number;
    bottom: number;
    inks: Record<Ink, string>;
  },
): void {
  const { session, followed, known, x, top, middle, bottom, inks } = of;
  const bins = new Map<string, { at: number; lane: number; count: number; mine: boolean }>();
  const laneOf = (kill: Kill) => {
    if (!known) return 0;
    const by = kill.attacker && !kill.suicide ? kill.attacker : kill.victim;
    return known.sides.findIndex(({ name }) => name === by.team);
  };
  for (const event of session.events) {
    if (!isKill(event)) continue;
    const lane = laneOf(event);
    if (lane < 0) continue;
    const at = Math.floor(x(event.time) / BIN);
    const key = `${at} ${lane}`;
    const bin = bins.get(key) ?? { at, lane, count: 0, mine: false };
    bin.count++;
    bin.mine ||= followed !== null && event.attacker?.slot === followed;
    bins.set(key, bin);
  }
  const room = (known ? middle - top : bottom - top) - 2;
  for (const { at, lane, count, mine } of bins.values()) {
    const tall = Math.min(room, room * (0.35 + 0.2 * count));
    context.fillStyle = mine ? inks.ink : known ? inks[known.sides[lane].color] : inks.none;
    const base = known ? middle : bottom - 1;
    context.fillRect(at * BIN, lane ? middle + 1 : base - 1 - tall, BAR, tall);
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
