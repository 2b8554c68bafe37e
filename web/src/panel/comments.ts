// Comments at times: written here, shown on the line of time and over the picture, saved as a file that opens beside the recording.

import { type Comment, ENDING, writeComments } from '../data/comments';
import type { Store } from '../store/store';
import { clock, h } from '../view/dom';
import type { Panel } from '../view/panel';
import { download } from './ways';

export function commentsPanel(store: Store): Panel {
  const { clock: time, selection } = store;
  const text = h('input', { type: 'text', 'aria-label': 'comment', placeholder: 'what happens here', maxLength: 500 });
  const items = h('ol');
  const add = h('button', { class: 'edge', type: 'submit' }, 'Add');
  const save = h('button', { class: 'edge', onclick: () => write() }, 'Save the comments');
  const form = h('form', { class: 'choices comment' }, text, add);
  const all = (): Comment[] => selection.session?.comments ?? [];
  const put = (comments: Comment[]) => {
    const { session } = selection;
    if (!session) return;
    session.comments = comments.sort((a, b) => a.time - b.time);
    store.tell('comments');
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const said = text.value.trim();
    if (!said || !selection.session) return;
    put([...all(), { time: Math.round(time.own), text: said }]);
    text.value = '';
  });
  const write = () => {
    const { session } = selection;
    if (!session) return;
    const made = writeComments({
      recording: session.name,
      map: session.info.maps[0] ?? null,
      comments: session.comments,
      lines: store.pens.lines,
    });
    download(new Blob([made], { type: 'application/json' }), `${session.name}${ENDING}`);
  };
  const fill = () => {
    save.hidden = !all().length && !store.pens.lines.length;
    items.replaceChildren(
      ...all().map((comment) =>
        h(
          'li',
          {},
          h('button', { onclick: () => time.seekOwn(comment.time) }, clock(comment.time, 1)),
          ` ${comment.text} `,
          h(
            'button',
            { title: 'remove this comment', onclick: () => put(all().filter((one) => one !== comment)) },
            '×',
          ),
        ),
      ),
    );
    if (!all().length)
      items.append(
        h('li', { class: 'faint' }, 'no comments; drop a file of them with the recording, or write the first one'),
      );
  };
  store.on('comments', fill);
  fill();
  return {
    name: 'comments',
    title: 'Comments',
    element: h('div', {}, form, items, h('div', { class: 'choices' }, save)),
    reset: fill,
    update() {
      add.textContent = `Add at ${clock(time.own, 1)}`;
      save.hidden = !all().length && !store.pens.lines.length;
    },
  };
}
