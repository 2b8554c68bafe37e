// Lists of what happened: kills and the like, and chat.

import type { Event, Group } from '../data/events';
import { isOnlyHere } from '../data/session';
import { clock, h } from '../view/dom';
import { said } from '../view/words';
import type { App, Panel } from '../view/panel';

const MOST = 3000;

/** A list of events; a click goes there. */
function list(name: string, title: string, kinds: [string, Group[], boolean][]): Panel {
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
  const fill = (app: App) => {
    const session = app.session;
    const wanted = new Set(kinds.flatMap(([, groups], at) => (boxes[at].box.checked ? groups : [])));
    const found = session?.events.filter((event) => wanted.has(event.group)) ?? [];
    rows = found.slice(0, MOST).map((event) => ({
      event,
      row: h(
        'li',
        {},
        h('button', { onclick: () => app.seekSession(event.time) }, clock(event.time, 1)),
        ' ',
        said(event.pieces ?? [event.sentence], session!.info.family),
        event.evidence === 'inferred' &&
          event.kind !== 'chat' &&
          h('span', { class: 'faint', title: 'concluded from text or from a change of state' }, ' ~'),
        app.sessions.length > 1 && isOnlyHere(event, session!, app.sessions) && h('strong', {}, ' only here'),
      ),
    }));
    items.replaceChildren(...rows.map(({ row }) => row));
    if (found.length > MOST) items.append(h('li', { class: 'faint' }, `and ${found.length - MOST} more`));
    if (!found.length) items.append(h('li', { class: 'faint' }, 'nothing of this kind in the recording'));
  };
  let last: App | null = null;
  choices.addEventListener('change', () => last && fill(last));
  return {
    name,
    title,
    element,
    reset(app) {
      last = app;
      fill(app);
    },
    update(app) {
      let found: HTMLElement | null = null;
      for (const { event, row } of rows) {
        if (event.time > app.time + 0.5) break;
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

export const happenedPanel = (): Panel =>
  list('events', 'Events', [
    ['kills', ['kills'], true],
    ['flags', ['flags'], true],
    ['match', ['match', 'awards'], true],
    ['people', ['people'], false],
    ['items', ['items'], false],
    ['shots', ['shots'], false],
    ['prints', ['prints'], false],
  ]);

export const chatPanel = (): Panel => list('chat', 'Chat', [['chat', ['chat'], true]]);
