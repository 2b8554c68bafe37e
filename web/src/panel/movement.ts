// How the followed player moves: a strip of speed and keys around the time that is shown, and the jumps in it.

import type { Jump } from '../../answers';
import { type Movement, jumpsBetween, lacks, speedAt } from '../data/movement';
import { messageOf } from '../data/reason';
import type { Session } from '../data/session';
import type { Store } from '../store/store';
import { clock, h } from '../view/dom';
import type { Panel } from '../view/panel';
import { AFTER, BEFORE, SpeedStrip, jumpText } from '../view/speedstrip';

export function movementPanel({ selection, clock: time }: Store): Panel {
  const about = h('p', { role: 'status' });
  const strip = new SpeedStrip((to) => time.seekOwn(to));
  const table = h('div');
  const notes = h('p', { class: 'faint' });
  const element = h('div', { class: 'movement' }, about, strip.element, table, notes);
  /** Whose movement is asked for, or shown. */
  let asked: Promise<Movement> | null = null;
  let movement: Movement | null = null;
  let whose = '';
  /** The jumps in the table, by their numbers; null before it is known which. */
  let listed: string | null = null;
  const ask = (session: Session, slot: number) => {
    const answer = session.movement(slot);
    if (answer === asked) return;
    asked = answer;
    // what is known of a recording that is still written stays until more is
    if (whose !== `${session.name} ${slot}`) {
      [movement, listed] = [null, null];
      about.textContent = notes.textContent = '';
      table.replaceChildren();
    }
    whose = `${session.name} ${slot}`;
    answer.then(
      (found) => {
        if (asked !== answer) return;
        [movement, listed] = [found, null];
        notes.textContent = lacks(found).join(' ');
        show();
      },
      (error: unknown) => {
        if (asked === answer) notes.textContent = messageOf(error);
      },
    );
  };
  const glide = () => movement && strip.update(movement, time.own);
  const show = () => {
    strip.element.hidden = !movement?.times.length;
    if (!movement) return;
    const now = time.own;
    const speed = speedAt(movement, now);
    about.textContent = speed === null ? '' : `${Math.round(speed)} units a second`;
    glide();
    const jumps = jumpsBetween(movement, now - BEFORE, now + AFTER).filter(({ jumped }) => jumped);
    const state = jumps.map(({ number }) => number).join();
    if (state === listed) return;
    listed = state;
    table.replaceChildren(...(jumps.length ? [tableOf(jumps, (to) => time.seekOwn(to))] : []));
  };
  return {
    name: 'movement',
    title: 'Speed',
    element,
    glide,
    close() {
      [asked, movement, listed, whose] = [null, null, null, ''];
    },
    update() {
      const { session, scene, followed } = selection;
      const slot = followed ?? scene?.view?.slot ?? session?.replay.slots[0] ?? null;
      if (slot === null || !session) return;
      ask(session, slot);
      show();
    },
  };
}

function tableOf(jumps: Jump[], seek: (time: number) => void): HTMLElement {
  const figure = (value: number | undefined, unit = '') => (value === undefined ? '–' : `${Math.round(value)}${unit}`);
  const heads: [string, string][] = [
    ['Time', 'of the take-off'],
    ['Kind', 'of the jump; ~ is inferred'],
    ['Units', 'distance; in Half-Life it includes the hull, as in KZ plug-ins'],
    ['Before', 'the horizontal speed of the last state on the ground: the pre-strafe'],
    ['Most', 'the highest horizontal speed in the air'],
    ['Sync', 'percentage of steps in the air that gain speed'],
    ['Eff.', 'gain as a percentage of the greatest gain that the physics allows'],
  ];
  return h(
    'table',
    {},
    h('caption', {}, 'jumps in the strip'),
    h('thead', {}, h('tr', {}, ...heads.map(([name, title]) => h('th', { scope: 'col', title }, name)))),
    h(
      'tbody',
      {},
      ...jumps.map((jump) =>
        h(
          'tr',
          { title: jumpText(jump) },
          h('td', {}, h('button', { class: 'link', onclick: () => seek(jump.time) }, clock(jump.time, 1))),
          h('td', {}, `${jump.kind.replaceAll('_', ' ')}${jump.evidence === 'inferred' ? '~' : ''}`),
          h('td', {}, (jump.distance_kz ?? jump.distance).toFixed(1)),
          h('td', {}, figure(jump.speed_before)),
          h('td', {}, figure(jump.speed_max)),
          h('td', {}, figure(jump.strafe_count === undefined ? undefined : jump.sync, ' %')),
          h('td', {}, figure(jump.efficiency, ' %')),
        ),
      ),
    ),
  );
}
