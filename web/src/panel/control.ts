// Who has the items: great ones taken so far, and armor worn, of teams, or of players where there are no teams.

import type { Player } from '../data/scene';
import type { Session } from '../data/session';
import { playerColor } from '../view/colors';

export interface Line {
  label: string;
  color: string;
  values: (number | null)[];
}

/** More lines than that look alike. */
const MOST = 8;

type Someone = Pick<Player, 'slot' | 'team' | 'side' | 'name'>;

/** Great items taken until each time, in milliseconds. */
export function itemsTaken(session: Session, times: number[]): Line[] {
  const lines = new Lines(times.length, 0);
  let at = 0;
  for (const event of session.events) {
    if (event.kind !== 'item' || event.major !== true) continue;
    while (at < times.length && times[at] < event.time) at++;
    const { slot, name, team } = event.player;
    if (slot === undefined) continue;
    const { values } = lines.of({ slot, name, team: team ?? null, side: session.replay.sideOf(team) });
    for (let rest = at; rest < times.length; rest++) values[rest]++;
  }
  return lines.most();
}

/** Armor worn at each time, where a recording says it of more than one player. */
export function armorWorn(session: Session, times: number[]): Line[] {
  const lines = new Lines(times.length, null);
  const wearers = new Set<number>();
  times.forEach((time, at) => {
    for (const player of session.replay.sceneAt(time).players) {
      if (player.armor === null || player.spectator) continue;
      wearers.add(player.slot);
      const { values } = lines.of(player);
      values[at] = (values[at] ?? 0) + Math.max(0, player.armor);
    }
  });
  return wearers.size > 1 ? lines.most() : [];
}

class Lines {
  private readonly found = new Map<string, Line>();

  constructor(
    private readonly length: number,
    private readonly start: number | null,
  ) {}

  of(player: Someone): Line & { values: number[] } {
    const label = player.side && player.team ? player.team : (player.name?.clean ?? `slot ${player.slot}`);
    let line = this.found.get(label);
    if (!line) {
      line = { label, color: playerColor(player), values: Array<number | null>(this.length).fill(this.start) };
      this.found.set(label, line);
    }
    return line as Line & { values: number[] };
  }

  most(): Line[] {
    const sum = ({ values }: Line) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    return [...this.found.values()].sort((a, b) => sum(b) - sum(a)).slice(0, MOST);
  }
}
