// Who won, and how well everybody did: what the library says of each match, stated before counted.

import type { Figure, Figures, Match } from '../../answers';
import type { Store } from '../store/store';
import { checksOf } from '../data/history';
import { sideClass } from '../view/colors';
import { clock, h } from '../view/dom';
import { icon, weaponIcon } from '../view/icons';
import type { Panel } from '../view/panel';
import { words } from '../view/words';

/** What is shown at once; all else on request. */
const FIRST = ['score', 'kills', 'deaths', 'suicides', 'captures', 'damage_given', 'accuracy'];
const MOST_FIRST = 5;
const MORE = ['team_kills', 'damage_taken', 'best_spree', 'ping'];
const TIMES = /_time$|^time_/;

const plain = (name: string) => name.replaceAll('_', ' ');

export function resultsPanel(store: Store): Panel {
  const element = h('div', { class: 'results' });
  let all = false;
  const more = () => {
    all = !all;
    fill();
  };
  const fill = () => {
    const matches = store.selection.session?.scores ?? [];
    element.replaceChildren(...matches.flatMap((match) => board(store, match, all)));
    if (!matches.length) element.append(h('p', { class: 'faint' }, 'The recording has no match.'));
    else
      element.append(
        h('button', { class: 'edge', onclick: more }, all ? 'Fewer columns' : 'All columns'),
        h('p', { class: 'faint' }, '~ counted from events; all else the server states.'),
      );
  };
  return { name: 'results', title: 'Results', spoils: true, element, reset: fill };
}

function board(store: Store, match: Match, all: boolean): HTMLElement[] {
  const session = store.selection.session!;
  const { colored, replay } = session;
  const present = new Set(match.players.flatMap((one) => Object.keys(one.stats)));
  const first = FIRST.filter((name) => present.has(name));
  const others = [...MORE, ...[...present].sort()].filter((name) => present.has(name) && !FIRST.includes(name));
  const columns = all ? [...new Set([...first, ...others])] : first.slice(0, MOST_FIRST);
  const facts = [match.map, match.mode, match.date, clock(match.to - match.from, 0)];
  const outcome = match.winner ? `won by ${match.winner}` : match.outcome;
  const cells = (stats: Figures) => columns.map((name) => h('td', {}, figure(stats[name], TIMES.test(name))));
  const teams = (match.teams ?? []).map((team) =>
    h(
      'tr',
      { class: `total ${sideClass(replay.sideOf(team.name))}` },
      h('th', { scope: 'row' }, team.name),
      ...cells(team.stats),
    ),
  );
  const players = match.players.map((one) => {
    const side = replay.sideOf(one.player.team);
    return h(
      'tr',
      {},
      h(
        'th',
        { scope: 'row', class: sideClass(side), title: one.player.team },
        side ? one.player.name.clean || 'somebody' : words(one.player.name, colored, 'somebody'),
      ),
      ...cells(one.stats),
    );
  });
  const made: HTMLElement[] = [
    h('h3', {}, `Match ${match.number}: ${outcome}`),
    h(
      'p',
      { class: 'faint' },
      h('button', { class: 'edge', onclick: () => store.clock.seekOwn(match.from) }, `go to ${clock(match.from, 0)}`),
      ` ${facts.filter(Boolean).join('  ·  ')}`,
    ),
    wide('players', ['Player', ...columns.map(plain)], [...teams, ...players]),
  ];
  const weapons = match.players.flatMap((one) =>
    Object.entries(one.weapons ?? {}).map(([weapon, stats]) => ({ one, weapon, stats })),
  );
  if (weapons.length) {
    const names = [...new Set(weapons.flatMap(({ stats }) => Object.keys(stats)))];
    const rows = weapons.map(({ one, weapon, stats }) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, words(one.player.name, colored)),
        h('td', { class: 'left', title: plain(weapon) }, weaponIcon(weapon) ?? plain(weapon)),
        ...names.map((name) => h('td', {}, figure(stats[name]))),
      ),
    );
    const table = wide('by weapon', ['Player', 'Weapon', ...names.map(plain)], rows);
    made.push(h('details', {}, h('summary', {}, `By weapon (${weapons.length})`), table));
  }
  for (const check of checksOf(session, match.number)) made.push(h('p', { class: 'finding' }, icon('warn'), check));
  return made;
}

/** A table that is scrolled sideways below its own names. */
function wide(caption: string, head: string[], rows: HTMLElement[]): HTMLElement {
  return h(
    'div',
    { class: 'wide', tabIndex: 0, role: 'group', 'aria-label': caption },
    h(
      'table',
      {},
      h('caption', { class: 'hidden' }, caption),
      h('thead', {}, h('tr', {}, ...head.map((name) => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, ...rows),
    ),
  );
}

function figure(value: Figure | undefined, time = false): string {
  const shown = (number: number) => (time ? clock(number, 0) : String(number));
  if (value?.stated !== undefined) return shown(value.stated);
  return value?.counted === undefined ? '' : `${shown(value.counted)}~`;
}
