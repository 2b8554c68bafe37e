// Who killed whom how often, and exchanges between two players as one line each.

import type { Text } from '../../answers';
import { type Event, type Kill, isKill } from '../data/events';
import type { Colored } from '../data/text';
import { clock, h } from '../view/dom';
import { words } from '../view/words';
import type { Store } from '../store/store';
import type { Panel } from '../view/panel';

/** Kills between the same two with no longer pause are one exchange. */
const PAUSE = 12_000;

export interface Duel {
  from: number;
  to: number;
  names: [Text, Text];
  kills: [number, number];
}

/** Exchanges of blows between two players, in order. */
export function duels(kills: Kill[]): Duel[] {
  const open = new Map<string, Duel>();
  const found: Duel[] = [];
  for (const kill of kills) {
    if (!kill.attacker?.name.clean || kill.suicide) continue;
    const pair = [kill.attacker.name, kill.victim.name].sort((a, b) => (a.raw < b.raw ? -1 : 1)) as [Text, Text];
    const key = `${pair[0].raw}\n${pair[1].raw}`;
    let duel = open.get(key);
    if (!duel || kill.time - duel.to > PAUSE) {
      duel = { from: kill.time, to: kill.time, names: pair, kills: [0, 0] };
      open.set(key, duel);
      found.push(duel);
    }
    duel.to = kill.time;
    duel.kills[kill.attacker.name.raw === pair[0].raw ? 0 : 1]++;
  }
  return found;
}

export function duelsPanel({ selection, clock: time }: Store): Panel {
  const element = h('div');
  return {
    name: 'duels',
    title: 'Duels',
    spoils: true,
    element,
    reset() {
      const { session } = selection;
      // what is played before a match and after it, is none of it
      const isPlayed = (at: number) =>
        !session?.scores.length || session.scores.some(({ from, to }) => at >= from && at <= to);
      const kills =
        session?.events.filter((event): event is Kill & Event => isKill(event) && isPlayed(event.time)) ?? [];
      const colored: Colored = session?.colored ?? new Map();
      const people = new Map<string, Text>();
      const counts = new Map<string, number>();
      for (const kill of kills) {
        if (!kill.attacker?.name.clean || kill.suicide) continue;
        people.set(kill.attacker.name.raw, kill.attacker.name);
        people.set(kill.victim.name.raw, kill.victim.name);
        const key = `${kill.attacker.name.raw}\n${kill.victim.name.raw}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      if (!people.size) {
        element.replaceChildren(h('p', { class: 'faint' }, 'There are no kills.'));
        return;
      }
      const all = [...people.values()];
      const matrix = h(
        'table',
        { class: 'matrix' },
        h('caption', {}, 'kills: rows killed columns'),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, 'by'),
            ...all.map((name) => h('th', { scope: 'col' }, words(name, colored))),
          ),
        ),
        h(
          'tbody',
          {},
          ...all.map((by) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, words(by, colored)),
              ...all.map((of) => h('td', {}, String(counts.get(`${by.raw}\n${of.raw}`) ?? ''))),
            ),
          ),
        ),
      );
      const lines = duels(kills).map((duel) =>
        h(
          'li',
          {},
          h('button', { onclick: () => time.seekOwn(Math.max(0, duel.from - 3000)) }, clock(duel.from, 0)),
          ' ',
          words(duel.names[0], colored),
          ` ${duel.kills[0]} : ${duel.kills[1]} `,
          words(duel.names[1], colored),
        ),
      );
      element.replaceChildren(
        h('div', { class: 'wide', tabIndex: 0, role: 'group', 'aria-label': 'kills' }, matrix),
        h('h3', {}, 'exchanges'),
        h('ol', {}, ...lines),
      );
    },
  };
}
