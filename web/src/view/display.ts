// What lies over one picture: how the match stands, who killed whom, when great items are back, and how the followed player does.

import type { Term } from '../../answers';
import type { Kill } from '../data/events';
import { lastKills } from '../data/feed';
import { greatItems, takenBy } from '../data/great';
import { standing } from '../data/history';
import type { ItemClock } from '../data/replay';
import { roundAt } from '../data/rounds';
import type { Player, Scene } from '../data/scene';
import type { Session } from '../data/session';
import { type SideColor, playerColor, sideClass } from './colors';
import { clock, h } from './dom';
import { ammoIcon, glyph, icon, weaponIcon } from './icons';
import { words } from './words';

/** How long a kill stays in the feed, and how many do. */
const [FEED, MOST] = [6000, 6];
/** How long a comment stays. */
const CAPTION = 5000;
/** Games show less health than that in another color. */
const LOW = 30;
/** The number of great items that have a clock. */
const MOST_CLOCKS = 6;

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

interface Side {
  name: string;
  side: SideColor | null;
  color: string;
  score: number;
}

type Part = 'score' | 'feed' | 'timers' | 'hud' | 'caption';

export class Display {
  readonly score = h('div', { class: 'score plate', role: 'group', 'aria-label': 'score' });
  readonly feed = h('div', { class: 'feed', 'aria-hidden': 'true' });
  readonly timers = h('ul', { class: 'timers plate', 'aria-label': 'items' });
  readonly hud = h('div', { class: 'hud plate', role: 'group', 'aria-label': 'followed player' });
  readonly caption = h('p', { class: 'caption plate', role: 'status' });
  readonly elements = [this.score, this.timers, this.feed, this.hud, this.caption];
  private shown: Record<Part, string> = { score: '', feed: '', timers: '', hud: '', caption: '' };

  update(session: Session, scene: Scene, followed: number | null): void {
    this.showScore(session, scene, followed);
    this.showFeed(session, scene.time, followed);
    this.showTimers(session, scene.time);
    this.showCaption(session, scene.time);
    this.showHud(session, scene, scene.players.find((one) => one.slot === followed) ?? null);
  }

  /** The comment of this moment. */
  private showCaption({ comments }: Session, time: number): void {
    const last = comments.filter((one) => one.time <= time + 1 && one.time > time - CAPTION).pop();
    this.put('caption', last?.text ?? '', () => (last ? [document.createTextNode(last.text)] : []));
  }

  /** Draws a part again where what it says has changed. */
  private put(part: Part, state: unknown, make: () => Node[]): void {
    const text = JSON.stringify(state);
    if (text === this.shown[part]) return;
    this.shown[part] = text;
    this[part].replaceChildren(...make());
  }

  /** Teams and their scores on both sides of the clock; without teams, the first and the followed player. */
  private showScore(session: Session, scene: Scene, followed: number | null): void {
    const stands = standing(session.history, scene.time);
    const sides: Side[] = [];
    const playing = new Set(scene.players.map(({ team }) => team?.toLowerCase()));
    const teams = [...stands.teams]
      .filter(([team]) => playing.has(team.toLowerCase()) || stands.teams.size === 2)
      .slice(0, 4);
    if (teams.length > 1)
      for (const [name, score] of teams)
        sides.push({ name, score, side: session.replay.sideOf(name), color: 'var(--none)' });
    else {
      const ranked = scene.players
        .filter((player) => !player.spectator)
        .map((player) => ({ player, score: player.score ?? stands.players.get(player.slot)?.score ?? null }))
        .filter((one): one is { player: Player; score: number } => one.score !== null)
        .sort((a, b) => b.score - a.score || a.player.slot - b.player.slot);
      // two of one side do not stand against each other
      const hasSides = new Set(ranked.map(({ player }) => player.side)).size > 1;
      const other = ranked.findIndex(({ player }) => player.slot === followed);
      const two = ranked.length > 1 && !(hasSides && ranked.length > 2) ? [ranked[0], ranked[Math.max(1, other)]] : [];
      for (const { player, score } of two)
        sides.push({
          name: player.name?.clean ?? `slot ${player.slot}`,
          score,
          side: player.side,
          color: playerColor(player),
        });
    }
    const round = roundAt(session.events, session.replay.duration, scene.time);
    const time = scene.matchTime === null ? '' : clock(scene.matchTime, 0);
    const phase = round
      ? `round ${round.number}`
      : session.scores.length && stands.number === null
        ? 'warm-up'
        : session.scores.length > 1 && stands.number !== null
          ? `match ${stands.number}`
          : '';
    this.put('score', [session.name, sides, time, phase], () => {
      if (!sides.length && !time && !phase) return [];
      const side = ({ name, color, side, score }: Side, at: number) => {
        const parts = [
          h('span', { class: 'name', title: name }, name),
          h('strong', { class: 'number' }, String(score)),
        ];
        const element = h('span', { class: `of ${sideClass(side)}` }, ...(at % 2 ? parts.reverse() : parts));
        if (!side) element.style.setProperty('--mark', color);
        return element;
      };
      const half = Math.ceil(sides.length / 2);
      return [
        ...sides.slice(0, half).map((one) => side(one, 0)),
        h('span', { class: 'mid' }, time && h('time', {}, time), phase && h('small', {}, phase)),
        ...sides.slice(half).map((one) => side(one, 1)),
      ];
    });
  }

  private showFeed(session: Session, time: number, followed: number | null): void {
    const recent = lastKills(session.events, time, FEED, MOST);
    const { colored, replay } = session;
    const line = (kill: Kill) => {
      const how = weaponIcon(kill.weapon);
      const alone = kill.suicide || !kill.attacker;
      const name = (person: Kill['victim']) => {
        const side = replay.sideOf(person.team);
        return side
          ? h('span', { class: sideClass(side) }, person.name.clean || 'somebody')
          : words(person.name, colored, 'somebody');
      };
      const row = h(
        'div',
        { title: kill.how },
        !alone && name(kill.attacker!),
        alone ? icon('skull') : null,
        how ?? h('span', { class: 'means' }, kill.how),
        kill.headshot ? icon('head') : null,
        name(kill.victim),
      );
      if (kill.team_kill) row.classList.add('team-kill');
      if (followed !== null && (kill.attacker?.slot === followed || kill.victim.slot === followed))
        row.classList.add('mine');
      return row;
    };
    const state = recent.map(({ message, time }) => [message, time]);
    this.put('feed', [session.name, session.events.length, replay.sides, followed, state], () => recent.map(line));
  }

  /** Great items: who took them, and when they are back. */
  private showTimers(session: Session, time: number): void {
    const great = greatItems(session.events);
    const all = session.replay
      .itemClocks(time, ({ own, common }) => great.has(own) || (common !== undefined && great.has(common)))
      .filter(({ since, returns }) => since === null || returns !== null)
      .sort((a, b) => (a.returns ?? Infinity) - (b.returns ?? Infinity) || a.number - b.number)
      .slice(0, MOST_CLOCKS);
    const left = ({ returns }: ItemClock) => (returns === null ? '' : clock(Math.max(0, returns - time) + 999, 0));
    this.put('timers', [session.name, session.events.length, all.map((one) => [one.number, left(one)])], () =>
      all.map((one) => {
        const by = one.since === null ? null : takenBy(session.events, one.item, one.since);
        const side = session.replay.sideOf(by?.team);
        return h(
          'li',
          { class: one.since === null ? 'up' : '', title: plain(one.item) },
          glyph(one.item.common),
          h('span', { class: 't' }, left(one) || 'up'),
          h('span', { class: `by ${sideClass(side)}` }, by?.name.clean ?? plain(one.item)),
        );
      }),
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
    const { name, slot, side, health, armor, alive, weapon, ammo, items } = player;
    this.hud.dataset['family'] = session.info.family;
    const state = [session.name, session.colored.size, name, side, health, armor, alive, weapon, ammo, items, powers];
    this.put('hud', state, () => {
      const isDead = alive === false;
      const figure = (kind: string, what: string, value: number | null | undefined, picture: Node | null) =>
        value !== null &&
        value !== undefined &&
        h(
          'span',
          { class: `figure ${kind}`, title: what, role: 'img', 'aria-label': `${what} ${value}` },
          picture,
          h('span', { class: 'number' }, String(value)),
        );
      const vital = !isDead && figure('health', 'health', health, icon('health'));
      if (vital && health! <= LOW) vital.classList.add('low');
      const worn = items.find(({ common }) => common?.endsWith('_armor'))?.common;
      const others = ammo.filter((one) => one !== loaded);
      const all = [
        h(
          'span',
          { class: `who ${sideClass(side)}` },
          side ? (name?.clean ?? `slot ${slot}`) : words(name, session.colored, `slot ${slot}`),
        ),
        isDead && h('span', { class: 'dead-mark' }, icon('skull'), 'dead'),
        vital,
        !isDead && figure(`armor ${worn ?? ''}`, 'armor', armor, icon('armor')),
        !isDead && arms(items, weapon),
        !isDead && loaded && figure('ammo', plain(loaded), loaded.amount, ammoIcon(loaded.common) ?? icon('ammo')),
        !isDead &&
          others.length > 0 &&
          h(
            'span',
            { class: 'others' },
            ...others.map((one) =>
              h('span', { title: plain(one) }, ammoIcon(one.common) ?? plain(one), String(one.amount ?? '')),
            ),
          ),
        ...(isDead ? [] : powers.map((power) => h('span', { class: 'power' }, power))),
      ];
      return all.filter((one): one is HTMLElement => one instanceof HTMLElement);
    });
  }
}

/** The weapons that somebody owns, where that is known, with the one in hand marked. */
function arms(items: readonly Term[], held: Term | null): HTMLElement | null {
  const owned = items.filter(({ common }) => weaponIcon(common));
  if (held && !owned.some(({ own, common }) => (held.common ? common === held.common : own === held.own)))
    owned.push(held);
  if (!owned.length) return null;
  const isHeld = (one: Term) => one.own === held?.own || (one.common !== undefined && one.common === held?.common);
  return h(
    'span',
    { class: 'arms' },
    ...owned.map((one) =>
      h('span', { class: isHeld(one) ? 'held' : '', title: plain(one) }, weaponIcon(one.common) ?? plain(one)),
    ),
  );
}
