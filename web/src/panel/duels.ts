// Who killed whom how often, and exchanges between two players as one line each.

import type { Text } from '../../answers';
import { type Kill, isKill } from '../data/events';
import { clock, h } from '../view/dom';
import { words } from '../view/words';
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

export function duelsPanel(): Panel {
  const element = h('div');
  return {
    name: 'duels',
    title: 'Duels',
    spoils: true,
    element,
    update() {},
    reset(app) {
      const session = app.session;
      const kills = session?.events.filter(isKill) ?? [];
      const family = session?.info.family ?? '';
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
        element.replaceChildren(h('p', { class: 'faint' }, 'Nobody killed anybody.'));
        return;
      }
      const all = [...people.values()];
      const matrix = h(
        'table',
        {},
        h('caption', {}, 'kills: rows killed columns'),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, 'by'),
            ...all.map((name) => h('th', { scope: 'col' }, words(name, family))),
          ),
        ),
        h(
          'tbody',
          {},
          ...all.map((by) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, words(by, family)),
              ...all.map((of) => h('td', {}, String(counts.get(`${by.raw}\n${of.raw}`) ?? ''))),
            ),
          ),
        ),
      );
      const lines = duels(kills).map((duel) =>
        h(
          'li',
          {},
          h('button', { onclick: () => app.seekSession(Math.max(0, duel.from - 3000)) }, clock(duel.from, 0)),
          ' ',
          words(duel.names[0], family),
          ` ${duel.kills[0]} : ${duel.kills[1]} `,
          words(duel.names[1], family),
        ),
      );
      element.replaceChildren(matrix, h('h3', {}, 'exchanges'), h('ol', {}, ...lines));
    },
  };
}
