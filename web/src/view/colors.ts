// Which color things have.

import type { Side } from '../../answers';
import type { Player } from '../data/scene';

export type SideColor = Side['color'];

/** As the tokens `--mark-…` have them: what is drawn on the dark picture. */
const SIDES: Record<SideColor, string> = { red: '#ef5158', blue: '#4a8bf5', green: '#3dbb70', yellow: '#e6b934' };
const PEOPLE = [
  '#f5a524',
  '#3ecf8e',
  '#b57bee',
  '#4cc9f0',
  '#f2709c',
  '#c3d82c',
  '#ff8a5c',
  '#7aa2f7',
  '#e6d8ad',
  '#2dd4bf',
  '#f87171',
  '#a3a3ff',
];
const THINGS: Record<string, string> = {
  mega_health: '#4aa8ff',
  health: '#7ddc7d',
  red_armor: '#ff5050',
  yellow_armor: '#ffd23e',
  green_armor: '#50d050',
  armor_shard: '#a0a0a0',
  quad: '#5060ff',
  invulnerability: '#ff40c0',
  red_flag: '#ff3030',
  blue_flag: '#3070ff',
};

/** A player's color: that of the side, or one of his own. */
export function playerColor({ side, slot }: Pick<Player, 'side' | 'slot'>): string {
  return side ? SIDES[side] : PEOPLE[slot % PEOPLE.length];
}

/** What an element has in the color of a side. */
export const sideClass = (side: SideColor | null | undefined): string => (side ? `side ${side}` : '');

/** An item's color. */
export function itemColor(common: string | undefined): string {
  return THINGS[common ?? ''] ?? '#c9a36a';
}
