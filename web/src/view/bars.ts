// Health and armor as bars.

import type { Term } from '../../answers';
import type { Player } from '../data/scene';
import { h } from './dom';

/** Games show less health than that in another color. */
const LOW = 30;
/** A full bar. */
const [HEALTH, ARMOR] = [100, 200];

const part = (value: number, full: number) => `${Math.max(0, Math.min(100, (value / full) * 100))}%`;

/** The kind of armor that somebody wears, where it is known. */
export const armorOf = (items: readonly Term[]): string =>
  items.find(({ common }) => common === 'red_armor' || common === 'yellow_armor' || common === 'green_armor')?.common ??
  '';

/** Health over armor. */
export function bar({ health, armor, items }: Pick<Player, 'health' | 'armor' | 'items'>): HTMLElement {
  const parts: HTMLElement[] = [];
  if (health !== null) parts.push(healthBar(health));
  if (armor !== null) parts.push(armorBar(armor, items));
  return h('span', { class: 'bars', 'aria-hidden': 'true' }, ...parts);
}

export function healthBar(health: number): HTMLElement {
  const element = h('i', { class: `bar ${health < LOW ? 'low' : ''}` });
  element.style.setProperty('--part', part(health, HEALTH));
  return element;
}

export function armorBar(armor: number, items: readonly Term[]): HTMLElement {
  const element = h('i', { class: `bar armor ${armorOf(items)}` });
  element.style.setProperty('--part', part(armor, ARMOR));
  return element;
}
