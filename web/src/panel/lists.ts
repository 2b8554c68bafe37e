// Lists of what happened: kills and the like, and chat.

import type { Event, Group } from '../data/events';
import { isOnlyHere } from '../data/session';
import { clock, h } from '../view/dom';
import { said } from '../view/words';
import type { Store } from '../store/store';
import type { Panel } from '../view/panel';

const MOST = 3000;

/** A list of events; a click goes there. */
function list(store: Store, name: string, title: string, kinds: [string, Group[], boolean][]): Panel {
  const items = h('ol');
  const boxes = kinds.map(([label, , on]) => ({ label, box: h('input', { type: 'checkbox', checked: on }) }));
  const choices = h(
    'div',
    { class: 'choices' },
    ...(kinds.length > 1 ? boxes.map(({ label, box }) => h('label', {}, box, label)) : []),
  );
  const element = h('div', {}, choices, items);
  let rows: { event: Event; row: HTMLElement }[] = [];
  let now: HTMLElement | null = null;
  const fill = () => {
    const { session, sessions } = store.selection;
    const wanted = new Set(kinds.flatMap(([, groups], at) => (boxes[at].box.checked ? groups : [])));
    const found = session?.events.filter((event) => wanted.has(event.group)) ?? [];
    rows = found.slice(0, MOST).map((event) => ({
      event,
      row: h(
        'li',
        {},
        h('button', { onclick: () => store.clock.seekOwn(event.time) }, clock(event.time, 1)),
        ' ',
        said(event.pieces ?? [event.sentence], session!.colored),
        event.evidence === 'inferred' &&
          event.kind !== 'chat' &&
          h('span', { class: 'faint', title: 'inferred from text or from a change of state' }, ' ~'),
        sessions.length > 1 && isOnlyHere(event, session!, sessions) && h('strong', {}, ' only here'),
      ),
    }));
    items.replaceChildren(...rows.map(({ row }) => row));
    if (found.length > MOST) items.append(h('li', { class: 'faint' }, `and ${found.length - MOST} more`));
    if (!found.length) items.append(h('li', { class: 'faint' }, 'nothing of this kind in the recording'));
  };
  choices.addEventListener('change', fill);
  return {
    name,
    title,
    element,
    reset: fill,
    update() {
      const { own } = store.clock;
      let found: HTMLElement | null = null;
      for (const { event, row } of rows) {
        if (event.time > own + 0.5) break;
        found = row;
      }
      if (found === now) return;
      now?.classList.remove('now');
      found?.classList.add('now');
      now = found;
      const pane = element.parentElement;
      if (found && pane && !element.contains((element.getRootNode() as ShadowRoot).activeElement)) {
        const [top, bottom] = [found.offsetTop - pane.offsetTop, found.offsetTop - pane.offsetTop + found.offsetHeight];
        if (top < pane.scrollTop || bottom > pane.scrollTop + pane.clientHeight)
          pane.scrollTop = top - pane.clientHeight / 2;
      }
    },
  };
}

export const happenedPanel = (store: Store): Panel =>
  list(store, 'events', 'Events', [
    ['kills', ['kills'], true],
    ['flags', ['flags'], true],
    ['match', ['match', 'awards'], true],
    ['people', ['people'], false],
    ['items', ['items'], false],
    ['shots', ['shots'], false],
    ['prints', ['prints'], false],
  ]);

export const chatPanel = (store: Store): Panel => list(store, 'chat', 'Chat', [['chat', ['chat'], true]]);
