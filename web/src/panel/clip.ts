// Takes along: a part of the recording as a file that the game plays, a link, a picture, a video.

import type { Format } from '../../answers';
import type { Camcorder, Wishes } from '../view/camcorder';
import { clock, h, milliseconds } from '../view/dom';
import type { Store } from '../store/store';
import { type Icon, icon } from '../view/icons';
import { bytesOfVideo } from '../view/filmsize';
import type { Panel } from '../view/panel';

const SIZES = ['426×240', '480×270', '640×360', '854×480', '1280×720', '1920×1080', '720×1280', '1080×1920'];
const RATES = [10, 12, 25, 30, 50, 60];
/** A GIF holds each picture whole: it is small, and slow. */
const [GIF_SIZE, GIF_RATE] = ['480×270', '12'];

/** `link` is the part of an address behind `#`, `address` that of the recording where it has one. */
export function clipPanel(store: Store, camcorder: Camcorder, link: () => string, address: () => string): Panel {
  const { clock: time, selection } = store;
  const field = (label: string) => h('input', { type: 'text', size: 10, 'aria-label': label, placeholder: 'm:ss' });
  const [from, to] = [field('from'), field('up to')];
  const scrub = h('input', { type: 'checkbox' });
  const chat = h('input', { type: 'checkbox' });
  const format = h('select', { 'aria-label': 'format' }, h('option', { value: '' }, 'as it is'));
  const report = h('div', { role: 'status' });
  const save = h('button', { class: 'edge' }, 'Make the clip');
  const element = h('div');
  let asked = '';
  const range = (): [number, number] | null => {
    const [a, b] = [milliseconds(from.value), milliseconds(to.value)];
    return a !== null && b !== null && a < b ? [a, b] : null;
  };
  const mark = (end: 0 | 1) => time.mark(end, time.own);
  const typed = () => time.setRange([milliseconds(from.value), milliseconds(to.value)]);
  from.addEventListener('change', typed);
  to.addEventListener('change', typed);
  const name = () => (selection.session?.name ?? 'recording').replace(/(\.gz)?$/i, '').replace(/\.[^.]+$/, '');
  /** Through whose eyes: only where the recording does not have one pair of eyes anyway. */
  const pov = () => (selection.followed === null || selection.scene?.view ? undefined : String(selection.followed));
  const make = async () => {
    const { session } = selection;
    if (!session) return;
    const wanted = range();
    if (!wanted && !scrub.checked && !format.value) {
      report.replaceChildren('Mark in and out first, or choose to scrub or another format.');
      return;
    }
    save.disabled = true;
    report.replaceChildren('Cutting and checking…');
    try {
      const wishes = {
        ...(wanted && { from: wanted[0], to: wanted[1] }),
        scrub: scrub.checked,
        chat: chat.checked,
        ...(format.value && { format: format.value, ...(pov() !== undefined && { pov: pov()! }) }),
      };
      const clip = await session.client.clip(wishes);
      const { whole, differing, frames, actions, losses, differences } = clip.report;
      const sound = whole && differing === 0;
      const marks = wanted
        ? `_${clock(wanted[0], 0).replaceAll(':', '.')}-${clock(wanted[1], 0).replaceAll(':', '.')}`
        : '';
      report.replaceChildren(
        h(
          'p',
          { class: sound ? '' : 'bad' },
          sound
            ? `The clip is whole; ${frames} frames compared with the source, none differs.`
            : `The clip is ${whole ? 'whole' : 'damaged'}; ${differing} of ${frames} frames differ from the source.`,
        ),
        h(
          'ul',
          {},
          ...actions.map((line) => h('li', {}, line)),
          ...losses.map((line) => h('li', {}, `lost: ${line}`)),
          ...differences.map((line) => h('li', { class: 'bad' }, line)),
        ),
      );
      download(new Blob([clip.bytes]), `${name()}${marks}.${clip.extension}`);
    } catch (error) {
      report.replaceChildren(h('p', { class: 'bad' }, error instanceof Error ? error.message : String(error)));
    } finally {
      save.disabled = false;
    }
  };
  save.addEventListener('click', () => void make());
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
          'The link is copied. Send the clip along: who opens the link drops it there.',
          'The link is in the address line. Send the clip along.',
        ];
    return copy(shared.href, done, otherwise);
  };
  const embed = () => {
    const [start, stop] = time.range;
    const part =
      start !== null && stop !== null ? ` clip="${+(start / 1000).toFixed(3)}-${+(stop / 1000).toFixed(3)}" loop` : '';
    const source = address() || `${name()}.frp`;
    const quoted = source.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    return `<fragreel-viewer src="${quoted}"${part} cam="${selection.camera}" autoplay></fragreel-viewer>`;
  };
  const picture = async () =>
    download(await camcorder.picture(), `${name()}_${clock(time.own, 2).replaceAll(':', '.')}.png`);
  const choice = (label: string, values: [string, string][]) =>
    h('select', { 'aria-label': label }, ...values.map(([value, text]) => h('option', { value }, text)));
  const kind = choice('kind of video', [
    ['mp4', 'MP4'],
    ['webm', 'WebM'],
    ['gif', 'GIF'],
  ]);
  const size = choice('size of video', [['', 'as shown'], ...SIZES.map((one): [string, string] => [one, one])]);
  const rate = choice(
    'pictures a second',
    RATES.map((one) => [String(one), `${one} a second`]),
  );
  rate.value = '30';
  const over = h('input', { type: 'checkbox', checked: true });
  const shoot = h('button', { class: 'edge' }, 'Make a video');
  const about = h('p', { class: 'faint' });
  kind.addEventListener('change', () => {
    const isGif = kind.value === 'gif';
    if (isGif) [size.value, rate.value] = [GIF_SIZE, GIF_RATE];
    else if (rate.value === GIF_RATE) [size.value, rate.value] = ['', '30'];
    estimate();
  });
  for (const one of [size, rate]) one.addEventListener('change', () => estimate());
  /** Says what a video costs before it is made. */
  const estimate = () => {
    const wanted = range();
    const [width, height] = size.value.split('×').map(Number);
    const most =
      wanted &&
      bytesOfVideo(
        kind.value as Wishes['kind'],
        width || 1280,
        height || 720,
        Number(rate.value),
        (wanted[1] - wanted[0]) / 1000,
      );
    about.textContent = most ? `about ${(most / 1e6).toFixed(1)} MB, without sound` : 'without sound';
  };
  let running: AbortController | null = null;
  const video = async () => {
    if (running) {
      running.abort();
      return;
    }
    const wanted = range();
    if (!wanted) {
      report.replaceChildren('Mark in and out first.');
      return;
    }
    const [width, height] = size.value.split('×').map(Number);
    const wishes: Wishes = {
      kind: kind.value as Wishes['kind'],
      rate: Number(rate.value),
      from: wanted[0],
      to: wanted[1],
      over: over.checked,
      ...(width && height && { width, height }),
    };
    running = new AbortController();
    const { signal } = running;
    const made = camcorder.video(
      wishes,
      (part) => report.replaceChildren(`Making the video: ${Math.round(part * 100)} %`),
      signal,
    );
    if (!made) {
      running = null;
      report.replaceChildren('This browser cannot record videos.');
      return;
    }
    shoot.textContent = 'Cancel';
    try {
      download(await made, `${name()}.${wishes.kind}`);
      report.replaceChildren('The video is saved. It has no sound.');
    } catch (error) {
      report.replaceChildren(
        signal.aborted ? 'The video is cancelled.' : String(error instanceof Error ? error.message : error),
      );
    } finally {
      running = null;
      shoot.textContent = 'Make a video';
    }
  };
  shoot.addEventListener('click', () => void video());
  /** What it can become costs conversions, so it is asked when somebody wants to know. */
  const formats = async () => {
    const { session } = selection;
    if (!session || asked === session.name) return;
    asked = session.name;
    try {
      const found = await session.client.ask<Format[]>('formats', pov());
      format.replaceChildren(
        h('option', { value: '' }, 'as it is'),
        ...found.map((one) =>
          h(
            'option',
            { value: one.format, title: [...one.losses, one.needs].filter(Boolean).join('; ') },
            one.needs ? `${one.format} (follow a player first)` : one.format,
          ),
        ),
      );
    } catch (error) {
      report.replaceChildren(error instanceof Error ? error.message : String(error));
    }
  };
  const other = h('button', { class: 'edge', onclick: () => void formats() }, 'What can it become?');
  const warning = h(
    'p',
    { class: 'warning' },
    icon('tip'),
    'This recording came from your disk. A link alone does not bring it: send the clip along.',
  );
  const row = (picture: Icon, title: string, text: string, ...rest: (HTMLElement | string)[]) =>
    h('div', { class: 'way' }, icon(picture), h('div', {}, h('strong', {}, title), h('small', {}, text)), ...rest);
  element.append(
    h(
      'div',
      { class: 'choices' },
      h('label', {}, 'In ', from),
      h('button', { class: 'edge', title: 'from here', onclick: () => mark(0) }, 'here'),
      h('label', {}, 'Out ', to),
      h('button', { class: 'edge', title: 'up to here', onclick: () => mark(1) }, 'here'),
    ),
    warning,
    row(
      'link',
      'Link',
      'the moment, the player, the camera',
      h('button', { class: 'edge', onclick: () => void share() }, 'Copy a link'),
    ),
    row('pack', 'Clip', 'a recording that the game plays, made and checked here', save),
    h(
      'details',
      { class: 'choices' },
      h('summary', {}, 'How the clip is made'),
      h('label', {}, scrub, 'scrub names, addresses, identifiers'),
      h('label', {}, chat, 'and chat'),
      h('label', {}, 'Format ', format),
      other,
    ),
    row('film', 'Film', 'drawn and encoded here', shoot),
    h('div', { class: 'choices' }, kind, size, rate, h('label', {}, over, 'with score, kills and display'), about),
    row(
      'image',
      'Poster',
      'PNG of the picture',
      h('button', { class: 'edge', onclick: () => void picture() }, 'Save a picture'),
    ),
    row(
      'code',
      'Embed',
      'a line of HTML',
      h(
        'button',
        { class: 'edge', onclick: () => void copy(embed(), 'The line is copied.', embed()) },
        'Copy the line',
      ),
    ),
    report,
  );
  return {
    name: 'clip',
    title: 'Clip',
    element,
    reset() {
      warning.hidden = !selection.session || address() !== '';
      if (asked && asked !== selection.session?.name) {
        asked = '';
        format.replaceChildren(h('option', { value: '' }, 'as it is'));
      }
    },
    update() {
      const focused = (element.getRootNode() as ShadowRoot).activeElement;
      for (const [input, at] of [
        [from, time.range[0]],
        [to, time.range[1]],
      ] as const)
        if (input !== focused) input.value = at === null ? '' : clock(at, 3);
      estimate();
    },
  };
}

/** Hands a file to the person. */
export function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = h('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
