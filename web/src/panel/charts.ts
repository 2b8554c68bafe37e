// How health, armor, score and speed went, for the followed player or the one through whose eyes was recorded, and who had the items.

import { type Movement, speedAt } from '../data/movement';
import type { Replay } from '../data/replay';
import type { Session } from '../data/session';
import { h } from '../view/dom';
import { type Line, armorWorn, itemsTaken } from './control';
import { type LineChart, lineChart } from './linechart';
import type { Store } from '../store/store';
import type { Panel } from '../view/panel';

const POINTS = 1200;

/** Series of one player at evenly spaced times. */
export function series(
  replay: Replay,
  slot: number,
  from: number,
  to: number,
): {
  times: number[];
  health: (number | null)[];
  armor: (number | null)[];
  score: (number | null)[];
} {
  const made = {
    times: [] as number[],
    health: [] as (number | null)[],
    armor: [] as (number | null)[],
    score: [] as (number | null)[],
  };
  const count = Math.max(2, Math.min(POINTS, replay.frameCount));
  for (let point = 0; point < count; point++) {
    const time = from + ((to - from) * point) / (count - 1);
    const player = replay.playerOf(slot, time);
    made.times.push(time / 1000);
    made.health.push(player?.health ?? null);
    made.armor.push(player?.armor ?? null);
    made.score.push(player?.score ?? null);
  }
  return made;
}

export function chartsPanel(store: Store): Panel {
  const { selection, clock } = store;
  const holder = h('div');
  const summary = h('div');
  const element = h('div', {}, holder, summary);
  let shown = '';
  let charts: LineChart[] = [];
  /** Whose speed is asked for, or known. */
  let asked: Promise<Movement> | null = null;
  let movement: Movement | null = null;
  let whose = '';
  const ask = (session: Session, slot: number) => {
    const answer = session.movement(slot);
    if (answer === asked) return;
    asked = answer;
    // what is known of a recording that is still written stays until more is
    if (whose !== `${session.name} ${slot}`) movement = null;
    whose = `${session.name} ${slot}`;
    answer.then(
      (found) => {
        if (asked !== answer) return;
        movement = found;
        shown = '';
        store.tell('content');
      },
      // without it there is no chart of it
      () => undefined,
    );
  };
  const draw = (session: Session, slot: number) => {
    // warm-up health and armor would flatten what is played
    const data = series(session.replay, slot, session.start, session.replay.duration);
    charts = [];
    holder.replaceChildren();
    const [width, ink] = [Math.max(200, holder.clientWidth || 320), getComputedStyle(element).color];
    const times = data.times.map((time) => time * 1000);
    const speeds = times.map((time) => {
      const speed = movement && speedAt(movement, time);
      return speed === null ? null : Math.round(speed);
    });
    const lines: [string, Line[]][] = [
      [
        'health and armor',
        [
          { label: 'health', color: '#d33a3f', values: data.health },
          { label: 'armor', color: '#3a7be0', values: data.armor },
        ],
      ],
      ['speed, units a second', [{ label: 'speed', color: '#b8860b', values: speeds }]],
      ['score', [{ label: 'score', color: '#2e9e6a', values: data.score }]],
      ['major items taken, all players', itemsTaken(session, times)],
      ['armor worn, all players', armorWorn(session, times)],
    ];
    const rows: HTMLElement[] = [];
    for (const [title, parts] of lines) {
      const known = parts.filter(({ values }) => values.some((value) => value !== null));
      if (!known.length) continue;
      // who is torn to pieces has a health of -999, and nobody else could be made out beside that
      const chart = lineChart(title, times, known, {
        width,
        ink,
        isLevel: title.startsWith('health'),
        seek: (time) => clock.seekOwn(time),
      });
      holder.append(h('h3', {}, title), chart.element);
      charts.push(chart);
      if (known.length > 1)
        holder.append(
          h(
            'p',
            { class: 'faint' },
            ...known.flatMap(({ label, color }) => [h('span', { style: `color: ${color}` }, '▬ '), `${label}  `]),
          ),
        );
      for (const { label, values } of known) {
        const numbers = values.filter((value): value is number => value !== null);
        const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
        rows.push(
          h(
            'tr',
            {},
            h(
              'th',
              { scope: 'row' },
              parts.length === 1 || title.startsWith('health') ? label : `${title.split(',')[0]}: ${label}`,
            ),
            ...[Math.min(...numbers), Math.round(mean), Math.max(...numbers)].map((value) =>
              h('td', {}, String(value)),
            ),
          ),
        );
      }
    }
    summary.replaceChildren(
      rows.length
        ? h(
            'table',
            {},
            h('caption', {}, 'figures'),
            h(
              'thead',
              {},
              h('tr', {}, ...['', 'least', 'mean', 'most'].map((name) => h('th', { scope: 'col' }, name || 'of'))),
            ),
            h('tbody', {}, ...rows),
          )
        : h('p', { class: 'faint' }, "The recording does not state this player's health, armor, score, or position."),
    );
  };
  return {
    name: 'charts',
    title: 'Charts',
    spoils: true,
    element,
    close() {
      charts = [];
      shown = '';
      [asked, movement] = [null, null];
    },
    update() {
      const { session, scene, followed } = selection;
      const slot = followed ?? scene?.view?.slot ?? session?.replay.slots[0] ?? null;
      if (slot === null || !session) return;
      ask(session, slot);
      const state = `${session.name} ${slot} ${element.clientWidth} ${session.events.length} ${session.replay.sides.length}`;
      if (state !== shown) {
        shown = state;
        draw(session, slot);
      }
      for (const chart of charts) chart.at(clock.own);
    },
  };
}
