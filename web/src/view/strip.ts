// The players in a row below the picture: a press, or a key from 1 to 9, follows one.

import type { Player } from '../data/scene';
import type { Store } from '../store/store';
import { bar } from './bars';
import { playerColor, sideClass } from './colors';
import { h } from './dom';
import { icon, weaponIcon } from './icons';
import { words } from './words';

/** More players than that do not fit beside each other. */
const MOST = 16;

/** Who plays, sides together, in the order of the keys. */
export function inOrder(players: readonly Player[]): Player[] {
  return players
    .filter(({ spectator }) => !spectator)
    .sort((a, b) => (a.side ?? '').localeCompare(b.side ?? '') * -1 || a.slot - b.slot);
}

export class Strip {
  readonly element = h('div', { class: 'strip', role: 'group', 'aria-label': 'players' });
  private shown = '';

  constructor(private readonly store: Store) {}

  update(): void {
    const { selection } = this.store;
    const { session, scene, followed } = selection;
    const players = scene ? inOrder(scene.players).slice(0, MOST) : [];
    const state = JSON.stringify([
      session?.name,
      session?.colored.size,
      followed,
      players.map((one) => [one.slot, one.name, one.side, one.alive, one.health, one.armor, one.weapon, one.items]),
    ]);
    if (state === this.shown || !session) return;
    this.shown = state;
    const focused = (this.element.getRootNode() as ShadowRoot).activeElement as HTMLElement | null;
    const at = focused?.parentElement === this.element ? [...this.element.children].indexOf(focused) : -1;
    this.element.replaceChildren(
      ...players.map((player, number) => {
        const { slot, name, side, alive, weapon, health } = player;
        const isDead = alive === false;
        const cell = h(
          'button',
          {
            class: `cell ${sideClass(side)} ${isDead ? 'dead' : ''}`,
            'aria-pressed': String(slot === followed),
            title: player.isView ? 'recorded through these eyes' : 'follow',
            onclick: () => selection.follow(followed === slot ? null : slot),
          },
          h('kbd', {}, number < 9 ? String(number + 1) : ''),
          h(
            'span',
            { class: 'who' },
            h(
              'span',
              { class: 'name' },
              side ? (name?.clean ?? `slot ${slot}`) : words(name, session.colored, `slot ${slot}`),
            ),
            isDead ? h('small', {}, 'dead') : health !== null && bar(player),
          ),
          isDead ? icon('skull') : weaponIcon(weapon?.common),
        );
        if (!side) cell.style.setProperty('--mark', playerColor(player));
        return cell;
      }),
    );
    if (at >= 0) (this.element.children[at] as HTMLElement | undefined)?.focus();
  }
}
