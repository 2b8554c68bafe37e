// Lists of what happened: kills and the like, and chat.

import { type Event, sentence } from '../data/events';
import { isOnlyHere } from '../data/session';
import { clock, h } from '../view/dom';
import { said } from '../view/words';
import type { App, Panel } from './panel';

const MOST = 3000;

/** A list of events; a click goes there. */
function list(name: string, title: string, kinds: [string, string[], boolean][]): Panel {
  const items = h('ol');
  const boxes = kinds.map(([label, , on]) => ({ label, box: h('input', { type: 'checkbox', checked: on }) }));
  const choices = h('div', { class: 'choices' }, ...(kinds.length > 1 ? boxes.map(({ label, box }) => h('label', {}, box, label)) : []));
  const element = h('div', {}, choices, items);
  let rows: { event: Event; row: HTMLElement }[] = [];
  let now: HTMLElement | null = null;
  const fill = (app: App) => {
    const session = app.session;
    const wanted = new Set(kinds.flatMap(([, names], at) => (boxes[at]!.box.checked ? names : [])));
    const found = session?.events.filter((event) => wanted.has(event.kind)) ?? [];
    rows = found.slice(0, MOST).map((event) => ({
      event,
      row: h(
        'li',
        {},
        h('button', { onclick: () => app.seekSession(event.time) }, clock(event.time, 1)),
        ' ',
        said(sentence(event), session!.info.family),
        event.evidence === 'inferred' && event.kind !== 'chat' && h('span', { class: 'faint', title: 'concluded from text or from a change of state' }, ' ~'),
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
        if (top < pane.scrollTop || bottom > pane.scrollTop + pane.clientHeight) pane.scrollTop = top - pane.clientHeight / 2;
      }
    },
  };
}

export const happenedPanel = (): Panel =>
  list('events', 'Events', [
    ['kills', ['kill'], true],
    ['flags', ['flag'], true],
    ['match', ['match', 'round', 'level', 'award', 'finish'], true],
    ['people', ['join', 'leave', 'rename', 'team'], false],
    ['items', ['item'], false],
    ['shots', ['shot', 'weapon', 'damage', 'money'], false],
    ['prints', ['print', 'center_print', 'command'], false],
  ]);

export const chatPanel = (): Panel => list('chat', 'Chat', [['chat', ['chat'], true]]);
