// Recordings to choose from.

import { h } from './dom';

export interface Offered {
  name: string;
  /** Where it is, which is shown rather than its name. */
  path?: string;
  src: string;
  /** What is known of it. */
  about?: string | null;
}

/** More than that are easier found than looked for. */
const FEW = 10;
/** More recordings than that are not one match: one is chosen. */
export const MOST_AT_ONCE = 8;
/** As many lines of the list as are shown at once. */
const MOST = 500;

/** A list of recordings, with a field to find one by its name or by what is known of it. */
export function offered<T extends Pick<Offered, 'name' | 'path' | 'about'>>(
  entries: T[],
  open: (entry: T) => void,
): HTMLElement {
  const list = h('ul', { class: 'offer' });
  const rest = h('div', { class: 'faint' });
  const fill = (wanted: string) => {
    const parts = wanted.toLowerCase().split(/\s+/);
    const found = entries.filter((entry) =>
      parts.every((part) => `${entry.path ?? entry.name} ${entry.about ?? ''}`.toLowerCase().includes(part)),
    );
    const line = (entry: T) =>
      h(
        'li',
        {},
        h('button', { onclick: () => open(entry) }, entry.path ?? entry.name),
        entry.about && h('div', { class: 'faint' }, entry.about),
      );
    list.replaceChildren(...found.slice(0, MOST).map(line));
    rest.textContent =
      found.length > MOST ? `and ${found.length - MOST} more` : found.length ? '' : 'none of that kind';
  };
  const field = h('input', { type: 'search', placeholder: 'name, map, player …', 'aria-label': 'find a recording' });
  field.addEventListener('input', () => fill(field.value));
  fill('');
  return h('div', {}, h('div', {}, `${entries.length} recordings`), entries.length > FEW && field, list, rest);
}
