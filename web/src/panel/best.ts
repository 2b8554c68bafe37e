// The best moments of a recording: to go to, to play one after the other, and as one video.

import type { BestMoment } from '../../answers';
import { messageOf } from '../data/reason';
import type { Session } from '../data/session';
import type { Part } from '../store/clock';
import type { Store } from '../store/store';
import { clock, h } from '../view/dom';

/** The number of moments that one press takes. */
const MOST = 10;

const REASONS: Record<string, string> = {
  kills: 'kills in a row',
  multi_rail: 'kills by one shot',
  capture: 'capture',
  air_shot: 'air shot',
  mid_air: 'in mid-air',
  flick: 'quick turn',
};

export interface BestWay {
  element: HTMLElement;
  reset(): void;
}

/** `make` makes one video of parts. */
export function bestWay(store: Store, report: HTMLElement, make: (parts: readonly Part[]) => Promise<void>): BestWay {
  const { clock: time, selection } = store;
  const rows = h('ol', { class: 'best' });
  const tools = h('div', { class: 'choices', hidden: true });
  let asked: Session | null = null;
  let parts: Part[] = [];
  const find = async () => {
    const { session } = selection;
    if (!session || asked === session) return;
    asked = session;
    report.replaceChildren('Looking for the best moments…');
    try {
      const all = await session.client.ask<BestMoment[]>('moments');
      if (asked !== session) return;
      const best = [...all].sort((a, b) => b.points - a.points).slice(0, MOST);
      best.sort((a, b) => a.from - b.from);
      parts = best.map((moment) => ({ ...inside(moment, session), slot: slotOf(moment) }));
      rows.replaceChildren(...best.map((moment, at) => row(moment, parts[at])));
      tools.hidden = !parts.length;
      report.replaceChildren(parts.length ? '' : 'Nothing stands out in this recording.');
    } catch (error) {
      asked = null;
      report.replaceChildren(messageOf(error));
    }
  };
  const row = (moment: BestMoment, part: Part) =>
    h(
      'li',
      {},
      h('button', { onclick: () => show(part) }, clock(part.from, 0)),
      ` ${moment.players.map(({ clean }) => clean).join(', ')}: ${reasonsOf(moment)}`,
    );
  const show = (part: Part) => {
    time.setRange([part.from, part.to]);
    if (part.slot !== undefined && part.slot !== null) selection.follow(part.slot);
    time.seekOwn(part.from);
  };
  tools.append(
    h('button', { class: 'edge', onclick: () => time.playParts(parts) }, 'Play them'),
    h('button', { class: 'edge', onclick: () => void make(parts) }, 'One video of them'),
  );
  const button = h('button', { class: 'edge', onclick: () => void find() }, 'Best moments');
  return {
    element: h('div', {}, h('div', { class: 'choices' }, button), tools, rows),
    reset() {
      if (!asked || asked === selection.session) return;
      [asked, parts] = [null, []];
      rows.replaceChildren();
      tools.hidden = true;
    },
  };
}

const inside = ({ from, to }: BestMoment, { replay }: Session): Part => ({
  from: Math.max(0, from),
  to: Math.min(to, replay.duration),
});

const slotOf = ({ reasons }: BestMoment): number | null => reasons.find(({ player }) => player)?.player?.slot ?? null;

function reasonsOf({ reasons }: BestMoment): string {
  const words = reasons.map(({ reason, ...rest }) => {
    const { kills } = rest as { kills?: number };
    const name = REASONS[reason] ?? reason.replaceAll('_', ' ');
    return kills ? `${kills} ${name}` : name;
  });
  return [...new Set(words)].join(', ');
}
