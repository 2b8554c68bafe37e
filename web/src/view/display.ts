// What lies over the picture: how the match stands, who killed whom, and how the followed player does.

import type { Term } from '../../answers';
import type { Kill } from '../data/events';
import { lastKills } from '../data/feed';
import { standing } from '../data/history';
import type { Player, Scene } from '../data/scene';
import type { Session } from '../data/session';
import { playerColor, teamColor } from './colors';
import { clock, h } from './dom';
import { ammoIcon, icon, weaponIcon } from './icons';
import { words } from './words';

/** How long a kill stays in the feed, and how many do. */
const [FEED, MOST] = [6000, 6];
/** Games show less health than that in another color. */
const LOW = 25;

/** What weapons use, the likeliest first: games differ. */
const USES: Record<string, string[]> = {
  machine_gun: ['bullets'],
  heavy_machine_gun: ['bullets'],
  chaingun: ['belts', 'bullets'],
  shotgun: ['shells'],
  super_shotgun: ['shells'],
  nailgun: ['nails'],
  super_nailgun: ['nails'],
  grenade_launcher: ['grenades', 'rockets'],
  hand_grenade: ['grenades'],
  rocket_launcher: ['rockets'],
  lightning_gun: ['lightning', 'cells'],
  railgun: ['slugs'],
  plasma_gun: ['cells'],
  bfg: ['bfg_ammo', 'cells'],
  mine: ['mines'],
};

const plain = (term: Term) => (term.common ?? term.own).replaceAll('_', ' ');

export class Display {
  readonly score = h('div', { class: 'score', role: 'group', 'aria-label': 'score' });
  readonly feed = h('div', { class: 'feed', 'aria-hidden': 'true' });
  readonly hud = h('div', { class: 'hud', role: 'group', 'aria-label': 'followed player' });
  readonly elements = [this.score, this.feed, this.hud];
  private shown = { score: '', feed: '', hud: '' };

  clear(): void {
    for (const element of this.elements) element.replaceChildren();
    this.shown = { score: '', feed: '', hud: '' };
  }

  update(session: Session, scene: Scene, followed: number | null): void {
    this.showScore(session, scene, followed);
    this.showFeed(session, scene.time);
    this.showHud(session, scene, scene.players.find((one) => one.slot === followed) ?? null);
  }

  /** Draws a part again where what it says has changed. */
  private put(part: 'score' | 'feed' | 'hud', state: unknown, make: () => Node[]): void {
    const text = JSON.stringify(state);
    if (text === this.shown[part]) return;
    this.shown[part] = text;
    this[part].replaceChildren(...make());
  }

  /** Teams and their scores on both sides of the clock; without teams, the first and the followed player. */
  private showScore(session: Session, scene: Scene, followed: number | null): void {
    const stands = standing(session.history, scene.time);
    const sides: { name: string; color: string; score: number }[] = [];
    const playing = new Set(scene.players.map(({ team }) => team?.toLowerCase()));
    const teams = [...stands.teams]
      .filter(([team]) => playing.has(team.toLowerCase()) || stands.teams.size === 2)
      .slice(0, 4);
    if (teams.length > 1)
      for (const [name, score] of teams) sides.push({ name, score, color: teamColor(name) ?? '#c9ced8' });
    else {
      const ranked = scene.players
        .filter((player) => !player.spectator)
        .map((player) => ({ player, score: player.score ?? stands.players.get(player.slot)?.score ?? null }))
        .filter((one): one is { player: Player; score: number } => one.score !== null)
        .sort((a, b) => b.score - a.score || a.player.slot - b.player.slot);
      const other = ranked.findIndex(({ player }) => player.slot === followed);
      for (const one of ranked.length > 1 ? [ranked[0], ranked[Math.max(1, other)]] : []) {
        sides.push({
          name: one.player.name?.clean ?? `slot ${one.player.slot}`,
          score: one.score,
          color: playerColor(one.player),
        });
      }
    }
    const time = clock(scene.matchTime ?? scene.time, 0);
    this.put('score', [session.name, sides, time], () => {
      const side = ({ name, color, score }: (typeof sides)[number], at: number) => {
        const parts = [h('span', { class: 'name' }, name), h('span', { class: 'number' }, String(score))];
        const element = h('span', { class: 'side' }, ...(at % 2 ? parts.reverse() : parts));
        element.style.setProperty('--team', color);
        return element;
      };
      const half = Math.ceil(sides.length / 2);
      return [
        ...sides.slice(0, half).map((one) => side(one, 0)),
        h('time', {}, time),
        ...sides.slice(half).map((one) => side(one, 1)),
      ];
    });
  }

  private showFeed(session: Session, time: number): void {
    const recent = lastKills(session.events, time, FEED, MOST);
    const family = session.info.family;
    const line = (kill: Kill) => {
      const how = weaponIcon(kill.weapon);
      const alone = kill.suicide || !kill.attacker;
      const row = h(
        'div',
        { title: kill.how },
        !alone && words(kill.attacker!.name, family, 'somebody'),
        alone ? icon('skull') : null,
        how ?? h('span', { class: 'means' }, kill.how),
        kill.headshot ? icon('head') : null,
        words(kill.victim.name, family, 'somebody'),
      );
      if (kill.team_kill) row.classList.add('team-kill');
      return row;
    };
    this.put('feed', [session.name, session.events.length, recent.map(({ message, time }) => [message, time])], () =>
      recent.map(line),
    );
  }

  private showHud(session: Session, scene: Scene, player: Player | null): void {
    if (!player) {
      this.put('hud', null, () => []);
      return;
    }
    const left = (term: Term) =>
      term.until === undefined ? '' : ` ${Math.max(0, Math.ceil((term.until - scene.serverTime) / 1000))}`;
    const powers = player.powerups.map((one) => plain(one) + left(one));
    const wanted = USES[player.weapon?.common ?? ''] ?? [];
    const loaded =
      player.ammo.length === 1
        ? player.ammo[0]
        : wanted.map((name) => player.ammo.find(({ common }) => common === name)).find(Boolean);
    const { name, slot, health, armor, alive, weapon, ammo } = player;
    this.hud.dataset['family'] = session.info.family;
    this.put('hud', [session.name, name, health, armor, alive, weapon, ammo, powers], () => {
      const figure = (kind: string, what: string, value: number | null | undefined, picture: Node | null) =>
        value !== null &&
        value !== undefined &&
        h(
          'span',
          { class: `figure ${kind}`, title: what, role: 'img', 'aria-label': `${what} ${value}` },
          picture,
          h('span', { class: 'number' }, String(value)),
        );
      const vital = figure('health', 'health', health, icon('health'));
      if (vital && health! <= LOW) vital.classList.add('low');
      const others =
        ammo.length > 1
          ? h(
              'span',
              { class: 'others' },
              ...ammo
                .filter((one) => one !== loaded)
                .map((one) =>
                  h('span', { title: plain(one) }, ammoIcon(one.common) ?? plain(one), String(one.amount ?? '')),
                ),
            )
          : null;
      const all = [
        h(
          'span',
          { class: 'who' },
          words(name, session.info.family, `slot ${slot}`),
          alive === false && h('span', { class: 'dead-mark' }, icon('skull'), 'dead'),
        ),
        vital,
        figure('armor', 'armor', armor, icon('armor')),
        weapon && h('span', { class: 'held', title: plain(weapon) }, weaponIcon(weapon.common) ?? plain(weapon)),
        loaded && figure('ammo', plain(loaded), loaded.amount, ammoIcon(loaded.common)),
        others,
        ...powers.map((power) => h('span', { class: 'power' }, power)),
      ];
      return all.filter((one): one is HTMLElement => one instanceof HTMLElement);
    });
  }
}
