// The dialog of keys and marks.

import { h } from './dom';
import { KEYS } from './keys';
import { LEGEND, symbol } from './legend';

export function helpDialog(): HTMLDialogElement {
  const rows = KEYS.map(([key, what]) => h('tr', {}, h('th', { scope: 'row' }, h('kbd', {}, key)), h('td', {}, what)));
  const legend = LEGEND.map(([name, what]) => h('tr', {}, h('td', {}, symbol(name)), h('td', {}, what)));
  return h(
    'dialog',
    { 'aria-label': 'keys' },
    h('form', { method: 'dialog' }, h('button', { class: 'edge' }, 'Close')),
    h('table', {}, h('caption', {}, 'Keys'), h('tbody', {}, ...rows)),
    h('table', {}, h('caption', {}, 'From above'), h('tbody', {}, ...legend)),
  );
}
