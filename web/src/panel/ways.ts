// What the ways to take a moment along have in common.

import { clock, h } from '../view/dom';
import { type Icon, icon } from '../view/icons';
import type { Store } from '../store/store';

/** The part that is marked, where both ends are. */
export function markedPart(store: Store): [number, number] | null {
  const [from, to] = store.clock.range;
  return from !== null && to !== null && from < to ? [from, to] : null;
}

/** The name of the recording's file, without what its format adds. */
export const stem = (store: Store): string =>
  (store.selection.session?.name ?? 'recording').replace(/(\.gz)?$/i, '').replace(/\.[^.]+$/, '');

/** The name of a clip of it, with the part that is marked. */
export function clipStem(store: Store): string {
  const part = markedPart(store);
  return part ? `${stem(store)}_${part.map((time) => clock(time, 0).replaceAll(':', '.')).join('-')}` : stem(store);
}

/** One line: a picture, what it gives, and what to press. */
export const way = (
  picture: Icon,
  title: string,
  text: string | Node,
  ...rest: (HTMLElement | string)[]
): HTMLElement =>
  h('div', { class: 'way' }, icon(picture), h('div', {}, h('strong', {}, title), h('small', {}, text)), ...rest);

export const choice = (label: string, values: [string, string][]): HTMLSelectElement =>
  h('select', { 'aria-label': label }, ...values.map(([value, text]) => h('option', { value }, text)));

/** Hands a file to the person. */
export function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = h('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
