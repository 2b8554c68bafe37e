// Takes along: a part of the recording as a file that the game plays, a link, a picture, a video.

import type { Format } from '../../answers';
import type { Camcorder, Wishes } from '../view/camcorder';
import { clock, h, milliseconds } from '../view/dom';
import type { App, Panel } from '../view/panel';

const SIZES = ['426×240', '640×360', '854×480', '1280×720', '1920×1080'];
const RATES = [10, 25, 30, 50, 60];

export function clipPanel(camcorder: Camcorder): Panel {
  const field = (label: string) => h('input', { type: 'text', size: 10, 'aria-label': label, placeholder: 'm:ss' });
  const [from, to] = [field('from'), field('up to')];
  const scrub = h('input', { type: 'checkbox' });
  const chat = h('input', { type: 'checkbox' });
  const format = h('select', { 'aria-label': 'format' }, h('option', { value: '' }, 'as it is'));
  const report = h('div', { role: 'status' });
  const save = h('button', {}, 'Make the clip');
  const element = h('div');
  let app: App | null = null;
  let asked = '';
  const range = (): [number, number] | null => {
    const [a, b] = [milliseconds(from.value), milliseconds(to.value)];
    return a !== null && b !== null && a < b ? [a, b] : null;
  };
  const mark = (end: 0 | 1) => {
    if (!app) return;
    app.range[end] = app.time;
    app.changed();
  };
  const typed = () => {
    if (!app) return;
    app.range = [milliseconds(from.value), milliseconds(to.value)];
    app.changed();
  };
  from.addEventListener('change', typed);
  to.addEventListener('change', typed);
  const name = () => (app?.session?.name ?? 'recording').replace(/(\.gz)?$/i, '').replace(/\.[^.]+$/, '');
  /** Through whose eyes: only where the recording does not have one pair of eyes anyway. */
  const pov = () => (app?.followed == null || app.stage?.scene?.view ? undefined : String(app.followed));
  const make = async () => {
    const session = app?.session;
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
  const share = async () => {
    if (!app) return;
    const address = new URL(location.href);
    address.hash = app.link();
    history.replaceState(null, '', address);
    try {
      await navigator.clipboard.writeText(address.href);
      report.replaceChildren('The link is copied.');
    } catch {
      report.replaceChildren('The link is in the address line.');
    }
  };
  const picture = async () =>
    download(await camcorder.picture(), `${name()}_${clock(app?.time ?? 0, 2).replaceAll(':', '.')}.png`);
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
  const shoot = h('button', {}, 'Make a video');
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
    const session = app?.session;
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
  const other = h('button', { onclick: () => void formats() }, 'What can it become?');
  element.append(
    h(
      'div',
      { class: 'choices' },
      h('label', {}, 'From ', from),
      h('button', { onclick: () => mark(0) }, 'here'),
      h('label', {}, 'up to ', to),
      h('button', { onclick: () => mark(1) }, 'here'),
    ),
    h(
      'div',
      { class: 'choices' },
      h('label', {}, scrub, 'scrub names, addresses, identifiers'),
      h('label', {}, chat, 'and chat'),
    ),
    h('div', { class: 'choices' }, h('label', {}, 'Format ', format), other),
    h(
      'div',
      { class: 'choices' },
      save,
      h('button', { onclick: () => void share() }, 'Copy a link'),
      h('button', { onclick: () => void picture() }, 'Save a picture'),
    ),
    h('div', { class: 'choices' }, shoot, kind, size, rate, h('label', {}, over, 'with score, kills and display')),
    report,
    h('p', { class: 'faint' }, 'The clip is made and checked on this machine; the game plays it.'),
  );
  return {
    name: 'clip',
    title: 'Clip',
    element,
    reset(now) {
      app = now;
      if (asked && asked !== now.session?.name) {
        asked = '';
        format.replaceChildren(h('option', { value: '' }, 'as it is'));
      }
    },
    update(now) {
      app = now;
      const focused = (element.getRootNode() as ShadowRoot).activeElement;
      for (const [input, time] of [
        [from, now.range[0]],
        [to, now.range[1]],
      ] as const)
        if (input !== focused) input.value = time === null ? '' : clock(time, 3);
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
