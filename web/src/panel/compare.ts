// Two runs, or two players, beside each other: who is ahead at each place, how fast each is there, and which keys each held.

import type { Held } from '../../answers';
import { type Difference, type Run, compare, placesOf } from '../data/compare';
import type { Session } from '../data/session';
import type { Store } from '../store/store';
import { clock, h } from '../view/dom';
import type { Panel } from '../view/panel';
import { timeOf } from '../view/timeline';
import { markedPart } from './ways';
import { type DistanceChart, distanceChart } from './distancechart';

/** One that can be chosen: its place in lists is its value. */
interface Choice extends Run {
  session: Session;
  text: string;
}

const [FIRST, SECOND] = ['var(--ink)', 'var(--yellow)'];
/** Milliseconds of keys that are shown, and the keys. */
const KEYS_FOR = 6000;
const KEYS = ['forward', 'back', 'left', 'right', 'jump', 'duck', 'attack'];

/** What somebody held, from when to when. */
type HeldKeys = { slot: number | null; changes: { time: number; keys: readonly string[] }[] }[];

export function comparePanel(store: Store): Panel {
  const { clock: time } = store;
  const [first, second] = ['first', 'second'].map((label) => h('select', { 'aria-label': label }));
  const about = h('p', { class: 'faint', role: 'status' });
  const charts = h('div');
  const keys = h('div', { class: 'keys' });
  let choices: Choice[] = [];
  let shown = '';
  /** What somebody chose; what is found later moves it in the lists. */
  const chosen = ['', ''];
  let found: Difference[] = [];
  let drawn: DistanceChart[] = [];
  const held = new Map<Session, HeldKeys>();
  const list = () => {
    choices = choicesOf(store);
    for (const select of [first, second])
      select.replaceChildren(...choices.map(({ text }, at) => h('option', { value: String(at) }, text)));
    [first, second].forEach((select, number) => {
      const wanted = choices.findIndex(({ text }) => text === chosen[number]);
      select.value = String(wanted < 0 ? Math.min(number, choices.length - 1) : wanted);
    });
    shown = '';
  };
  const pair = (): [Choice, Choice] | null => {
    const [a, b] = [choices[Number(first.value)], choices[Number(second.value)]];
    return a && b && first.value !== second.value ? [a, b] : null;
  };
  const show = (beside: Store['beside']) => {
    if (!beside && !store.beside) return;
    store.beside = beside;
    store.tell('picture');
  };
  const go = (distance: number) => {
    const at = found.find((one) => one.distance >= distance);
    const two = pair();
    if (at && two) time.seek(at.time + two[0].session.offset);
  };
  const draw = (a: Choice, b: Choice) => {
    found = compare(placesOf(a), placesOf(b));
    show({ first: a, second: b });
    const how = { width: Math.max(240, charts.clientWidth || 300), ink: getComputedStyle(charts).color, go };
    const colors = [FIRST, SECOND].map((color) => colorOf(charts, color));
    const distances = found.map(({ distance }) => distance);
    const speed = distanceChart(
      'speed',
      distances,
      [0, 1].map((at) => ({ color: colors[at], values: found.map(({ speeds }) => speeds[at]) })),
      { ...how, digits: 0 },
    );
    const ahead = distanceChart('ahead', distances, [{ color: colors[0], values: found.map((one) => one.ahead) }], {
      ...how,
      digits: 2,
    });
    drawn = [speed, ahead];
    charts.replaceChildren(
      h('h3', {}, 'Speed, units a second'),
      speed.element,
      h('h3', {}, 'First ahead, seconds'),
      ahead.element,
    );
    for (const { session } of [a, b]) void bring(session);
  };
  const bring = async (session: Session) => {
    if (held.has(session)) return;
    held.set(session, []);
    const all = await session.client.ask<Held[]>('keys').catch(() => []);
    const bySlot = new Map<number | null, HeldKeys[number]>();
    for (const { message, slot = null, keys } of all) {
      const one = bySlot.get(slot) ?? { slot, changes: [] };
      one.changes.push({ time: timeOf(session, message), keys });
      bySlot.set(slot, one);
    }
    held.set(session, [...bySlot.values()]);
    store.tell('content');
  };
  const showKeys = (runs: { run: Choice; now: number; color: string }[]) =>
    keys.replaceChildren(
      ...runs.flatMap(({ run, now, color }) => keyRows(held.get(run.session) ?? [], run, now, color)),
    );
  [first, second].forEach((select, number) =>
    select.addEventListener('change', () => {
      chosen[number] = choices[Number(select.value)]?.text ?? '';
      shown = '';
    }),
  );
  return {
    name: 'compare',
    title: 'Compare',
    element: h(
      'div',
      { class: 'compare' },
      h('div', { class: 'choices' }, h('label', {}, 'First ', first), h('label', {}, 'Second ', second)),
      about,
      charts,
      keys,
    ),
    reset: list,
    close() {
      held.clear();
      show(null);
    },
    update() {
      const two = pair();
      if (!two) {
        about.textContent = 'Two runs or two players are needed.';
        charts.replaceChildren();
        show(null);
        return;
      }
      const [a, b] = two;
      const state = [a.text, b.text, a.from, a.to, b.from, b.to, charts.clientWidth].join();
      if (state !== shown) {
        draw(a, b);
        shown = state;
      }
      const now = time.now - a.session.offset;
      const here = found.filter((one) => one.time <= now).at(-1) ?? found[0];
      for (const chart of drawn) chart.at(here?.distance ?? 0);
      about.textContent = here ? sentenceOf(here) : 'It is not known where they went.';
      showKeys([
        { run: a, now, color: FIRST },
        { run: b, now: b.from + now - a.from, color: SECOND },
      ]);
    },
  };
}

function sentenceOf({ ahead, speeds, distance }: Difference): string {
  const speed = speeds.map((one) => (one === null ? '–' : String(Math.round(one)))).join(' and ');
  const time =
    ahead === null
      ? 'the second does not come by here'
      : `the first is ${Math.abs(ahead).toFixed(2)} s ${ahead < 0 ? 'behind' : 'ahead'}`;
  return `After ${Math.round(distance)} units ${time}; speeds ${speed}.`;
}

/** Runs that were finished, then players over the marked part or all of the match. */
function choicesOf(store: Store): Choice[] {
  const { sessions } = store.selection;
  const name = (session: Session) => (sessions.length > 1 ? `, ${session.name}` : '');
  const runs = sessions.flatMap((session) =>
    session.events.flatMap((event): Choice[] => {
      if (event.kind !== 'finish' || event.from === undefined) return [];
      const slot = event.player?.slot ?? session.replay.sceneAt(event.to).view?.slot;
      if (slot === undefined || slot === null) return [];
      const text = `run ${clock(event.to - event.from, 2)} ${event.player?.name.clean ?? ''}${name(session)}`;
      return [{ session, replay: session.replay, slot, from: event.from, to: event.to, text }];
    }),
  );
  const marked = markedPart(store);
  const players = sessions.flatMap((session) => {
    const { replay } = session;
    const [from, to] = marked ?? [session.start, replay.duration];
    return replay.sceneAt((from + to) / 2).players.flatMap((player): Choice[] =>
      player.spectator
        ? []
        : [
            {
              session,
              replay,
              slot: player.slot,
              from,
              to,
              text: `${player.name?.clean ?? player.slot}${name(session)}`,
            },
          ],
    );
  });
  return [...runs, ...players];
}

function keyRows(all: HeldKeys, { slot, replay }: Choice, now: number, color: string): HTMLElement[] {
  // keys without a slot are the recorder's
  const own = replay.sceneAt(now).view?.slot === slot ? null : slot;
  const changes = (all.find((one) => one.slot === slot) ?? all.find((one) => one.slot === own))?.changes ?? [];
  const from = now - KEYS_FOR;
  return KEYS.flatMap((key) => {
    const parts: HTMLElement[] = [];
    changes.forEach(({ time, keys }, at) => {
      const until = changes[at + 1]?.time ?? now;
      if (!keys.includes(key) || until < from || time > now) return;
      const [left, right] = [Math.max(from, time), Math.min(now, until)];
      const part = h('i');
      part.style.left = `${((left - from) / KEYS_FOR) * 100}%`;
      part.style.width = `${((right - left) / KEYS_FOR) * 100}%`;
      part.style.background = color;
      parts.push(part);
    });
    return parts.length ? [h('div', { class: 'key' }, h('span', {}, key), h('div', {}, ...parts))] : [];
  });
}

function colorOf(element: HTMLElement, color: string): string {
  const probe = h('span');
  probe.style.color = color;
  element.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
