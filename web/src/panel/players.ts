// Who plays, and how they stand: sides with their totals, and what each of them has.

import { type Standing, checksOf, standing } from '../data/history';
import type { Player } from '../data/scene';
import type { Store } from '../store/store';
import { armorBar, healthBar } from '../view/bars';
import { type SideColor, playerColor, sideClass } from '../view/colors';
import { h } from '../view/dom';
import { glyph, icon, weaponIcon } from '../view/icons';
import type { Panel } from '../view/panel';
import { known, words } from '../view/words';

interface Group {
  title: string;
  side: SideColor | null;
  score: number | null;
  players: Player[];
}

/** What a row has beside the name; a column that nobody has anything in is left out. */
type Column = 'score' | 'kills' | 'deaths' | 'health' | 'armor' | 'has' | 'ping';

const HEADS: Record<Column, [string, string]> = {
  score: ['Score', 'score'],
  kills: ['Kills', 'kills'],
  deaths: ['Deaths', 'deaths'],
  health: ['Health', 'health'],
  armor: ['Armor', 'armor'],
  has: ['Has', 'weapon, and what is owned'],
  ping: ['Ping', 'ping'],
};

/** Weapons that decide, by their common names, and as people write them. */
const OWNED: [string, string][] = [
  ['rocket_launcher', 'RL'],
  ['lightning_gun', 'LG'],
];

export function playersPanel(store: Store): Panel {
  const element = h('div', { class: 'match' });
  let shown = '';
  return {
    name: 'players',
    title: 'Match',
    element,
    update() {
      const { session, scene, followed } = store.selection;
      if (!session || !scene) return;
      const stands = standing(session.history, scene.time);
      const checks = store.look.spoilers && stands.number !== null ? checksOf(session, stands.number) : [];
      const state = JSON.stringify([
        session.name,
        session.colored.size,
        followed,
        [...stands.teams],
        checks.length,
        scene.players.map((p) => [
          p.slot,
          p.name,
          p.team,
          p.side,
          p.alive,
          p.spectator,
          p.health,
          p.armor,
          p.weapon,
          p.items,
          p.powerups.map(({ own }) => own),
          p.score,
          p.ping,
          stands.players.get(p.slot),
        ]),
      ]);
      if (state === shown) return;
      shown = state;
      const score = (player: Player) => player.score ?? stands.players.get(player.slot)?.score ?? null;
      const groups = groupsOf(scene.players, stands, score);
      const columns = columnsOf(
        groups.flatMap(({ players }) => players),
        stands,
        score,
      );
      const focused = (element.getRootNode() as ShadowRoot).activeElement as HTMLElement | null;
      const slot = focused?.dataset['slot'];
      const spectators = scene.players.filter(({ spectator }) => spectator);
      element.replaceChildren(
        ...groups.map((group, at) => board(store, group, columns, stands, score, at === 0)),
        ...(spectators.length
          ? [
              h(
                'p',
                { class: 'faint' },
                'Watching: ',
                ...spectators.flatMap(({ name, slot }, at) => [
                  at ? ', ' : '',
                  words(name, session.colored, `slot ${slot}`),
                ]),
              ),
            ]
          : []),
        ...checks.map((check) => h('p', { class: 'finding' }, icon('warn'), check)),
      );
      if (slot) element.querySelector<HTMLElement>(`[data-slot="${CSS.escape(slot)}"]`)?.focus();
    },
  };
}

function groupsOf(all: readonly Player[], stands: Standing, score: (player: Player) => number | null): Group[] {
  const groups = new Map<string, Group>();
  for (const player of all) {
    if (player.spectator) continue;
    const title = player.side ? (player.team ?? '') : '';
    let group = groups.get(title);
    if (!group) {
      group = { title: title || 'Players', side: player.side, score: stands.teams.get(title) ?? null, players: [] };
      groups.set(title, group);
    }
    group.players.push(player);
  }
  const value = (player: Player) => score(player) ?? stands.players.get(player.slot)?.kills ?? 0;
  for (const { players } of groups.values()) players.sort((a, b) => value(b) - value(a) || a.slot - b.slot);
  return [...groups.values()].sort((a, b) => (b.side ?? '').localeCompare(a.side ?? ''));
}

function columnsOf(
  players: readonly Player[],
  stands: Standing,
  score: (player: Player) => number | null,
): Set<Column> {
  const has: Record<Column, (player: Player) => boolean> = {
    score: (player) => score(player) !== null,
    kills: ({ slot }) => (stands.players.get(slot)?.kills ?? null) !== null,
    deaths: ({ slot }) => (stands.players.get(slot)?.deaths ?? null) !== null,
    health: ({ health }) => health !== null,
    armor: ({ armor }) => armor !== null,
    has: ({ weapon, items }) => weapon !== null || items.length > 0,
    ping: ({ ping }) => ping !== null,
  };
  // what is known of one player alone stands in his display
  const least = Math.max(1, Math.ceil(players.length / 4));
  const found = new Set((Object.keys(has) as Column[]).filter((column) => players.filter(has[column]).length >= least));
  // names come first: where there is no room for all, ping goes before kills
  if (found.size > 5) found.delete('ping');
  if (found.size > 5) found.delete('kills');
  return found;
}

function board(
  store: Store,
  { title, side, score: total, players }: Group,
  columns: Set<Column>,
  stands: Standing,
  score: (player: Player) => number | null,
  isFirst: boolean,
): HTMLElement {
  const row = (player: Player) => {
    const { slot } = player;
    const count = stands.players.get(slot);
    const isDead = player.alive === false;
    const cells: Record<Column, () => HTMLElement> = {
      score: () => h('td', { class: 'strong' }, known(score(player))),
      kills: () => h('td', { class: columns.has('score') ? '' : 'strong' }, known(count?.kills)),
      deaths: () => h('td', {}, known(count?.deaths)),
      health: () =>
        h(
          'td',
          { class: `vital ${(player.health ?? 100) < 30 ? 'low' : ''}` },
          known(player.health),
          player.health !== null && healthBar(player.health),
        ),
      armor: () =>
        h(
          'td',
          { class: 'vital' },
          player.armor === 0 ? '–' : known(player.armor),
          player.armor !== null && armorBar(player.armor, player.items),
        ),
      has: () => h('td', {}, owned(player)),
      ping: () => h('td', {}, known(player.ping)),
    };
    const vitals = (['health', 'armor'] as const).filter((column) => columns.has(column));
    const rest = [...columns].flatMap((column): HTMLElement[] => {
      if (!isDead || !vitals.includes(column as 'health')) return [cells[column]()];
      return column === vitals[0] ? [h('td', { class: 'gone', colSpan: vitals.length }, 'dead')] : [];
    });
    const follow = () => store.selection.follow(store.selection.followed === slot ? null : slot);
    const line = h(
      'tr',
      { class: `${isDead ? 'dead' : ''} ${store.selection.followed === slot ? 'on' : ''}` },
      h(
        'th',
        { scope: 'row' },
        h(
          'button',
          {
            'data-slot': String(slot),
            'aria-pressed': String(store.selection.followed === slot),
            title: player.isView ? 'recorded through these eyes' : 'follow',
            onclick: follow,
          },
          !side && dot(player),
          side
            ? (player.name?.clean ?? `slot ${slot}`)
            : words(player.name, store.selection.session!.colored, `slot ${slot}`),
          player.isView && h('span', { class: 'view', title: 'recorded through these eyes' }, icon('eyes')),
        ),
      ),
      ...rest,
    );
    // the whole row is meant
    line.addEventListener('click', (event) => (event.target as Element).closest('button') || follow());
    return line;
  };
  return h(
    'table',
    { class: `board ${sideClass(side)}` },
    h('caption', { class: 'hidden' }, title),
    h('colgroup', {}, h('col'), ...[...columns].map((column) => h('col', { class: `c-${column}` }))),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h(
          'th',
          { scope: 'col' },
          h('span', { class: 'title' }, title),
          total !== null && h('strong', {}, String(total)),
        ),
        ...[...columns].map((column) =>
          h(
            'th',
            { scope: 'col', title: HEADS[column][1], 'aria-label': HEADS[column][1] },
            isFirst && HEADS[column][0],
          ),
        ),
      ),
    ),
    h('tbody', {}, ...players.map(row)),
  );
}

function dot(player: Player): HTMLElement {
  const element = h('span', { class: 'dot' });
  element.style.background = playerColor(player);
  return element;
}

/** The weapon in hand as a drawing, power-ups, and the weapons that decide, where it is known what is owned. */
function owned({ weapon, items, powerups }: Player): HTMLElement {
  const name = weapon ? (weapon.common ?? weapon.own).replaceAll('_', ' ') : '';
  const picture = weaponIcon(weapon?.common);
  const mine = OWNED.filter(([common]) => items.some((item) => item.common === common));
  return h(
    'span',
    { class: 'own' },
    ...powerups.slice(0, 2).map((one) => glyph(one.common)),
    picture
      ? h('span', { title: name, role: 'img', 'aria-label': name }, picture)
      : h('span', { class: 'word', title: name }, name),
    ...mine.map(([, short]) => h('em', {}, short)),
  );
}
