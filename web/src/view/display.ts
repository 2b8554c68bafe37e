// What lies over the picture: who killed whom, and how the followed player stands.

import { type Kill, isKill, isSuicide, means } from '../data/events';
import type { Player } from '../data/film';
import type { Session } from '../data/session';
import { h } from './dom';
import { known, words } from './words';

/** How long a kill stays in the feed, and how many do. */
const [FEED, MOST] = [6000, 6];

export class Display {
  readonly feed = h('div', { class: 'feed', 'aria-hidden': 'true' });
  readonly hud = h('div', { class: 'hud' });

  clear(): void {
    this.feed.replaceChildren();
    this.hud.replaceChildren();
  }

  update(session: Session, time: number, followed: Player | null): void {
    this.showFeed(session, time);
    this.showHud(session, followed);
  }

  private showFeed(session: Session, time: number): void {
    const recent: Kill[] = [];
    for (const event of session.events) {
      if (event.time > time) break;
      if (isKill(event) && event.time > time - FEED) recent.push(event);
    }
    const family = session.info.family;
    const line = (kill: Kill) =>
      isSuicide(kill) || !kill.attacker
        ? h('div', {}, words(kill.victim.name, family, 'somebody'), ` † ${means(kill)}`)
        : h('div', {}, words(kill.attacker.name, family, 'somebody'), ` [${means(kill)}${kill.headshot ? ', head' : ''}] `, words(kill.victim.name, family, 'somebody'));
    this.feed.replaceChildren(...recent.slice(-MOST).map(line));
  }

  private showHud(session: Session, player: Player | null): void {
    if (!player) {
      this.hud.replaceChildren();
      return;
    }
    const ammo = player.ammo.map((one) => `${one.common ?? one.own} ${one.amount ?? ''}`).join(', ');
    const powers = player.powerups.map((one) => (one.common ?? one.own).replaceAll('_', ' ')).join(', ');
    const weapon = (player.weapon?.common ?? player.weapon?.own ?? '').replaceAll('_', ' ');
    const parts = [player.health === null ? '' : `health ${known(player.health)}`, player.armor === null ? '' : `armor ${known(player.armor)}`, weapon, powers, player.alive === false ? 'dead' : ''];
    this.hud.replaceChildren(words(player.name, session.info.family, `slot ${player.slot}`), ...parts.filter(Boolean).map((part) => h('span', {}, part)));
    this.hud.title = ammo;
  }
}
