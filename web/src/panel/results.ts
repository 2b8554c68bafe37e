// Who won, and how well everybody did: what the library says of each match, stated before counted.

import type { Figure, Match } from '../../answers';
import { clock, h, table } from '../view/dom';
import { words } from '../view/words';
import type { App, Panel } from '../view/panel';

const FIRST = [
  'score',
  'kills',
  'deaths',
  'suicides',
  'team_kills',
  'captures',
  'damage_given',
  'damage_taken',
  'accuracy',
  'best_spree',
  'ping',
];
const TIMES = /_time$|^time_/;

export function resultsPanel(): Panel {
  const element = h('div');
  return {
    name: 'results',
    title: 'Results',
    spoils: true,
    element,
    update() {},
    reset(app) {
      const matches = app.session?.scores ?? [];
      element.replaceChildren(...matches.flatMap((match) => board(app, match)));
      if (!matches.length) element.append(h('p', { class: 'faint' }, 'The recording has no match.'));
      else element.append(h('p', { class: 'faint' }, '~ counted from events; all else the server states.'));
    },
  };
}

function board(app: App, match: Match): HTMLElement[] {
  const family = app.session!.info.family;
  const present = new Set(match.players.flatMap((one) => Object.keys(one.stats)));
  const columns = [
    ...FIRST.filter((name) => present.has(name)),
    ...[...present].filter((name) => !FIRST.includes(name)).sort(),
  ];
  const facts = [
    `match ${match.number}`,
    match.map,
    match.mode,
    match.date,
    clock(match.to - match.from, 0),
    match.winner ? `won by ${match.winner}` : match.outcome,
  ];
  const rows = match.players.map((one) => [
    words(one.player.name, family, 'somebody'),
    one.player.team ?? '',
    ...columns.map((name) => figure(one.stats[name], TIMES.test(name))),
  ]);
  const made: HTMLElement[] = [
    h('button', { onclick: () => app.seekSession(match.from) }, `go to ${clock(match.from, 0)}`),
    table(
      facts.filter(Boolean).join(', '),
      ['Player', 'Team', ...columns.map((name) => name.replaceAll('_', ' '))],
      rows,
    ),
  ];
  const weapons = match.players.flatMap((one) =>
    Object.entries(one.weapons ?? {}).map(([weapon, stats]) => ({ one, weapon, stats })),
  );
  if (weapons.length) {
    const names = [...new Set(weapons.flatMap(({ stats }) => Object.keys(stats)))];
    made.push(
      table(
        'by weapon',
        ['Player', 'Weapon', ...names.map((name) => name.replaceAll('_', ' '))],
        weapons.map(({ one, weapon, stats }) => [
          words(one.player.name, family),
          weapon.replaceAll('_', ' '),
          ...names.map((name) => figure(stats[name])),
        ]),
      ),
    );
  }
  return made;
}

function figure(value: Figure | undefined, time = false): string {
  const shown = (number: number) => (time ? clock(number, 0) : String(number));
  if (value?.stated !== undefined) return shown(value.stated);
  return value?.counted === undefined ? '' : `${shown(value.counted)}~`;
}
