// What the viewer says in the middle of the picture: what it reads, what went wrong, what there is to choose from.

import { type Offered, offered } from './offer';
import { h } from './dom';

export class Notice {
  readonly element = h('div', { class: 'notice', role: 'status' });

  get isEmpty(): boolean {
    return !this.element.childElementCount;
  }

  clear(): void {
    this.element.replaceChildren();
  }

  welcome(choose: () => void, sample?: () => void): void {
    this.element.replaceChildren(
      h(
        'div',
        {},
        'Drop a recording of Quake, QuakeWorld, Quake II, Quake III or Half-Life here. It stays on this machine.',
      ),
      h(
        'div',
        { class: 'aside' },
        'To see the level, drop the game’s .bsp, .pak or .pk3 as well. Without it, the plan shows where players were.',
      ),
      h('button', { onclick: choose }, 'Choose files…'),
      sample ? h('button', { onclick: sample }, 'Watch a sample') : '',
    );
  }

  /** Says what is read. Answers with what takes how much of it is done. */
  reading(name: string, cancel: () => void): (done: number) => void {
    const part = h('span', {}, '');
    this.element.replaceChildren(h('div', {}, `Reading ${name} `, part), h('button', { onclick: cancel }, 'Cancel'));
    return (done) => (part.textContent = `${Math.round(done * 100)} %`);
  }

  waits(text: string): void {
    this.element.replaceChildren(h('div', {}, text));
  }

  suggest(text: string, run: () => void): void {
    this.element.replaceChildren(h('button', { onclick: run }, text));
  }

  fail(text: string): void {
    this.element.replaceChildren(
      h('div', { role: 'alert' }, text),
      h('button', { onclick: () => this.clear() }, 'Close'),
    );
  }

  /** Says that something is odd, and what may be done all the same. */
  doubt(text: string, label: string, run: () => void): void {
    this.fail(text);
    const onclick = () => {
      run();
      this.clear();
    };
    this.element.append(h('button', { onclick }, label));
  }

  /** Offers recordings: the user opens one of them, or all. */
  choose<T extends Pick<Offered, 'name' | 'path' | 'about'>>(
    entries: T[],
    open: (entry: T) => void,
    all?: () => void,
  ): void {
    this.element.replaceChildren(offered(entries, open), all ? h('button', { onclick: all }, 'All, side by side') : '');
  }
}
