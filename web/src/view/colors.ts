// Which color things have.

import type { Player } from '../data/scene';

const TEAMS: Record<string, string> = {
  red: '#e5484d',
  blue: '#4a8cff',
  green: '#30a46c',
  yellow: '#e5c02b',
  terrorist: '#d9a441',
  terrorists: '#d9a441',
  t: '#d9a441',
  ct: '#5b9bd5',
  'counter-terrorists': '#5b9bd5',
};
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

export const teamColor = (team: string): string | undefined => TEAMS[team.toLowerCase()];

/** A player's color: the team's, or one of his own. */
export function playerColor(player: Pick<Player, 'team' | 'slot'>): string {
  return TEAMS[player.team?.toLowerCase() ?? ''] ?? PEOPLE[player.slot % PEOPLE.length];
}

/** An item's color. */
export function itemColor(common: string | undefined): string {
  return THINGS[common ?? ''] ?? '#c9a36a';
}
