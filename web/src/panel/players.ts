// Who plays, and how they stand now.

import { type Standing, standing } from '../data/history';
import type { Player } from '../data/scene';
import { playerColor } from '../view/colors';
import { h } from '../view/dom';
import { weaponIcon } from '../view/icons';
import { known, words } from '../view/words';
import type { App, Panel } from '../view/panel';

export function playersPanel(): Panel {
  const element = h('div');
  let shown = '';
  return {
    name: 'players',
    title: 'Players',
    element,
    update(app) {
      const { session, stage } = app;
      const scene = stage?.scene;
      if (!session || !scene) return;
      const stands = standing(session.history, scene.time).players;
      const score = (player: Player) => player.score ?? stands.get(player.slot)?.score ?? null;
      const state = JSON.stringify([
        session.name,
        app.followed,
        scene.players.map((p) => [
          p.slot,
          p.name,
          p.team,
          p.alive,
          p.health,
          p.armor,
          p.weapon,
          score(p),
          p.ping,
          stands.get(p.slot),
        ]),
      ]);
      if (state === shown) return;
      shown = state;
      const groups = new Map<string, Player[]>();
      for (const player of scene.players) {
        const team = player.spectator ? 'spectators' : (player.team ?? '');
        (groups.get(team) ?? groups.set(team, []).get(team)!).push(player);
      }
      const focused = (element.getRootNode() as ShadowRoot).activeElement as HTMLElement | null;
      const slot = focused?.dataset['slot'];
      element.replaceChildren(
        ...[...groups].map(([team, players]) => {
          players.sort(
            (a, b) =>
              (score(b) ?? stands.get(b.slot)?.kills ?? 0) - (score(a) ?? stands.get(a.slot)?.kills ?? 0) ||
              a.slot - b.slot,
          );
          return board(app, team, players, score, stands);
        }),
        h(
          'p',
          { class: 'faint' },
          'Score, kills (K), and deaths (D) of the match so far. Empty: no match is played, or the recording does not say it.',
        ),
      );
      if (slot) element.querySelector<HTMLElement>(`[data-slot="${CSS.escape(slot)}"]`)?.focus();
    },
  };
}

/** Name, score, kills, deaths, health, armor, weapon, ping. */
const WIDTHS = ['auto', '3.5em', '1.9em', '1.9em', '2.8em', '4.3em', '3.6em', '2.9em'];

function board(
  app: App,
  team: string,
  players: Player[],
  score: (player: Player) => number | null,
  stands: Standing['players'],
): HTMLElement {
  const family = app.session!.info.family;
  const head = ['Player', 'Score', 'K', 'D', 'HP', 'Armor', '', 'Ping'];
  const spoken: Record<string, string> = { K: 'kills', D: 'deaths', HP: 'health', '': 'weapon' };
  const row = (player: Player) => {
    const dot = h('span', { class: 'dot' });
    dot.style.background = playerColor(player);
    const name = h(
      'button',
      {
        'data-slot': String(player.slot),
        'aria-pressed': String(app.followed === player.slot),
        class: player.alive === false ? 'dead' : '',
        title: player.isView ? 'recorded through these eyes' : 'follow',
        onclick: () => app.follow(app.followed === player.slot ? null : player.slot),
      },
      dot,
      words(player.name, family, `slot ${player.slot}`),
      player.isView && ' *',
    );
    const count = stands.get(player.slot);
    const cells = [
      known(score(player)),
      known(count?.kills),
      known(count?.deaths),
      known(player.health),
      known(player.armor),
      weaponOf(player),
      known(player.ping),
    ];
    return h('tr', {}, h('th', { scope: 'row' }, name), ...cells.map((cell) => h('td', {}, cell)));
  };
  return h(
    'table',
    { class: 'board' },
    h('caption', {}, team && team !== 'free' ? team : 'players'),
    // the same columns for both teams
    h('colgroup', {}, ...WIDTHS.map((width) => h('col', { style: `width: ${width}` }))),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ...head.map((name) => h('th', { scope: 'col', title: spoken[name], 'aria-label': spoken[name] }, name)),
      ),
    ),
    h('tbody', {}, ...players.map(row)),
  );
}

/** The weapon as a drawing with its name, or the name alone. */
function weaponOf({ weapon }: Player): Node | string {
  if (!weapon) return '';
  const name = (weapon.common ?? weapon.own).replaceAll('_', ' ');
  const picture = weaponIcon(weapon.common);
  return picture ? h('span', { title: name, role: 'img', 'aria-label': name }, picture) : name;
}
