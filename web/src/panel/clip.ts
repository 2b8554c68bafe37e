// Takes along: a part of the recording as a link, a file that the game plays, a video, a picture, a line of HTML.

import type { Store } from '../store/store';
import type { Camcorder } from '../view/camcorder';
import { clock, h, milliseconds } from '../view/dom';
import { icon } from '../view/icons';
import type { Panel } from '../view/panel';
import { bestWay } from './best';
import { clipFile } from './clipfile';
import { videoWay } from './video';
import { clipStem, download, markedPart, stem, way } from './ways';

/** `link` is the part of an address behind `#`, `address` that of the recording where it has one. */
export function clipPanel(store: Store, camcorder: Camcorder, link: () => string, address: () => string): Panel {
  const { clock: time, selection } = store;
  const field = (label: string) => h('input', { type: 'text', size: 10, 'aria-label': label, placeholder: 'm:ss' });
  const [from, to] = [field('from'), field('up to')];
  const report = h('div', { role: 'status' });
  const element = h('div');
  const mark = (end: 0 | 1) => time.mark(end, time.own);
  const typed = () => time.setRange([milliseconds(from.value), milliseconds(to.value)]);
  from.addEventListener('change', typed);
  to.addEventListener('change', typed);
  const copy = async (text: string, done: string, otherwise: string) => {
    try {
      await navigator.clipboard.writeText(text);
      report.replaceChildren(done);
    } catch {
      report.replaceChildren(otherwise);
    }
  };
  const share = () => {
    const shared = new URL(location.href);
    shared.hash = link();
    history.replaceState(null, '', shared);
    // nobody else has a file of this disk
    const [done, otherwise] = address()
      ? ['The link is copied.', 'The link is in the address line.']
      : [
          'The link is copied. Send the packed clip along: who opens the link drops it there.',
          'The link is in the address line. Send the packed clip along.',
        ];
    return copy(shared.href, done, otherwise);
  };
  const poster = () => `${stem(store)}_${clock(time.own, 2).replaceAll(':', '.')}.png`;
  const embed = () => {
    const marked = markedPart(store);
    const part = marked ? ` clip="${+(marked[0] / 1000).toFixed(3)}-${+(marked[1] / 1000).toFixed(3)}" loop` : '';
    // the packed clip begins with the part that is marked
    const source = address() || `${clipStem(store)}.frp`;
    const pov = selection.followed === null ? '' : ` pov="${selection.followed}"`;
    const quoted = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    const shown = address() ? part : marked ? ' loop' : '';
    return `<fragreel-viewer src="${quoted(source)}"${shown}${pov} cam="${selection.directed ? 'director' : selection.camera}" poster="${quoted(poster())}" autoplay></fragreel-viewer>`;
  };
  const picture = async () => download(await camcorder.picture(), poster());
  const video = videoWay(store, camcorder, report);
  const file = clipFile(store, report);
  const best = bestWay(store, report, (parts) => video.make(parts));
  const warning = h(
    'p',
    { class: 'warning' },
    icon('tip'),
    'This recording came from your disk. A link alone does not bring it: send the packed clip along.',
  );
  const press = (title: string, run: () => void) => h('button', { class: 'edge', onclick: run }, title);
  element.append(
    h(
      'div',
      { class: 'choices' },
      h(
        'div',
        { class: 'mark' },
        h('label', {}, 'In ', from),
        h('button', { class: 'edge', title: 'from here', onclick: () => mark(0) }, 'here'),
      ),
      h(
        'div',
        { class: 'mark' },
        h('label', {}, 'Out ', to),
        h('button', { class: 'edge', title: 'up to here', onclick: () => mark(1) }, 'here'),
      ),
    ),
    best.element,
    warning,
    way(
      'link',
      'Link',
      'the moment, the player, the camera',
      press('Copy a link', () => void share()),
    ),
    ...file.elements,
    ...video.elements,
    way(
      'image',
      'Poster',
      'PNG of the picture, for previews',
      press('Save a picture', () => void picture()),
    ),
    way(
      'code',
      'Embed',
      'a line of HTML, with the poster',
      press('Copy the line', () => void copy(embed(), 'The line is copied.', embed())),
    ),
    report,
  );
  return {
    name: 'clip',
    title: 'Clip',
    element,
    reset() {
      warning.hidden = !selection.session || address() !== '';
      file.reset();
      best.reset();
    },
    update() {
      const focused = (element.getRootNode() as ShadowRoot).activeElement;
      for (const [input, at] of [
        [from, time.range[0]],
        [to, time.range[1]],
      ] as const)
        if (input !== focused) input.value = at === null ? '' : clock(at, 3);
      video.estimate();
    },
  };
}
