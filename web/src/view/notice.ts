// What the viewer says in the middle of the picture: its first screen, what it reads, what went wrong, what there is to choose from.

import type { Store } from '../store/store';
import { h } from './dom';
import { icon } from './icons';
import { type Offered, offered } from './offer';

/** A recording to try. */
export interface Sample {
  title: string;
  about: string;
  length: string;
  src: string;
  picture?: string;
}

export class Notice {
  readonly element = h('div', { class: 'notice', role: 'status' });
  /** What the first screen offers, and a picture for it. */
  samples: { all: Sample[]; picture: string } = { all: [], picture: '' };
  /** Opens one of them. */
  open: (address: string) => void = () => {};

  constructor(private readonly store: Store) {
    store.on('reading', (reading) => {
      const [part, bar] = [h('span', { class: 'name' }, ''), h('i')];
      reading.done = (done) => {
        part.textContent = `${Math.round(done * 100)} %`;
        bar.style.width = `${Math.round(done * 100)}%`;
      };
      this.put(
        'note',
        h('h3', {}, h('span', { class: 'spin' }), `Reading ${reading.name}`, part),
        h('div', { class: 'progress' }, bar),
        h('div', { class: 'row' }, h('button', { class: 'edge', onclick: reading.cancel }, 'Cancel')),
      );
    });
    store.on('rested', () => this.clear());
    store.on('awaited', (text) => this.put('note', h('h3', {}, h('span', { class: 'spin' }), text)));
    store.on('suggested', ({ text, run }) => {
      if (this.isEmpty) this.put('note', h('button', { class: 'edge', onclick: run }, text));
    });
    store.on('failed', (text) => this.fail(text));
    store.on('doubted', ({ text, keep }) => {
      const run = () => {
        keep();
        this.clear();
      };
      this.fail(text, h('button', { class: 'edge', onclick: run }, 'Remember it'));
    });
  }

  get isEmpty(): boolean {
    return !this.element.childElementCount;
  }

  private put(kind: string, ...parts: (HTMLElement | string)[]): void {
    this.element.className = `notice ${kind}`;
    this.element.replaceChildren(...parts);
  }

  /** Says nothing, or what it says where nothing is open. */
  clear(): void {
    if (this.store.selection.isEmpty && !this.store.selection.isBusy) this.welcome();
    else this.put('');
  }

  /** The first screen. */
  welcome(): void {
    const { all, picture } = this.samples;
    const image = (src: string) => h('img', { src, alt: '', class: 'shot', loading: 'lazy' });
    const card = ({ title, about, length, src, picture: shot }: Sample) =>
      h(
        'button',
        { class: 'card', 'aria-label': `Watch a sample of ${title}`, onclick: () => this.open(src) },
        h(
          'span',
          { class: 'shown' },
          shot && image(shot),
          h('small', {}, length),
          h('span', { class: 'round' }, icon('play')),
        ),
        h('strong', {}, title),
        h('small', {}, about),
      );
    this.put(
      'first',
      h(
        'div',
        { class: 'hero' },
        picture && image(picture),
        h(
          'div',
          { class: 'say' },
          h('h2', {}, 'Watch any demo,', h('br'), 'from any eyes.'),
          h('p', {}, 'Recordings of Quake, QuakeWorld, Quake II, Quake III and Half-Life, played here.'),
          h(
            'div',
            { class: 'row' },
            h(
              'button',
              { class: 'big', onclick: () => this.store.tell('wanted', 'files') },
              icon('open'),
              'Open a recording',
            ),
            h('small', {}, 'or drop files anywhere'),
          ),
        ),
      ),
      h(
        'div',
        { class: 'samples' },
        ...(all.length ? [h('h3', {}, 'Or try one'), h('div', { class: 'cards' }, ...all.map(card))] : []),
        h(
          'ul',
          {},
          ...[
            'Files stay on this device',
            'Several recordings: one after another, or side by side',
            'Add your game’s paks for levels, textures and sound',
          ].map((text) => h('li', {}, icon('check'), text)),
        ),
      ),
    );
  }

  private fail(text: string, ...more: HTMLElement[]): void {
    const { selection } = this.store;
    const open = h(
      'button',
      { class: 'edge', onclick: () => this.store.tell('wanted', 'files') },
      icon('open'),
      'Open a recording',
    );
    this.put(
      'note',
      h('div', { class: 'said' }, icon('warn'), h('div', { role: 'alert' }, text)),
      h(
        'div',
        { class: 'row' },
        ...more,
        ...(selection.isEmpty ? [open] : []),
        h('button', { class: 'edge', onclick: () => this.clear() }, 'Close'),
      ),
    );
  }

  /** Offers recordings: the user opens one of them, or all. */
  choose<T extends Pick<Offered, 'name' | 'path' | 'about'>>(
    entries: T[],
    open: (entry: T) => void,
    all?: () => void,
  ): void {
    this.put(
      'note choice',
      offered(entries, open),
      ...(all ? [h('button', { class: 'edge', onclick: all }, 'All, side by side')] : []),
    );
  }
}
