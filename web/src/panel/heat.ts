// Chooses the heat map.

import { HEATS, type Heat } from '../store/look';
import type { Store } from '../store/store';
import { h } from '../view/dom';
import type { Panel } from '../view/panel';

export function heatPanel({ look }: Store): Panel {
  const what = h('select', { 'aria-label': 'heat of' }, ...HEATS.map((name) => h('option', { value: name }, name)));
  const mine = h('input', { type: 'checkbox' });
  const clip = h('input', { type: 'checkbox' });
  const radius = h('input', { type: 'range', min: '24', max: '200', value: '64', 'aria-label': 'radius in units' });
  const element = h(
    'div',
    { class: 'choices' },
    h('label', {}, 'Heat of ', what),
    h('label', {}, mine, 'only the followed player'),
    h('label', {}, clip, 'only between in and out'),
    h('label', {}, 'Radius ', radius),
  );
  element.addEventListener('input', () =>
    look.set({
      heat: { what: what.value as Heat, mine: mine.checked, clip: clip.checked, radius: Number(radius.value) },
    }),
  );
  return {
    name: 'heat',
    title: 'Heat',
    element,
    update: () => (what.value = look.heat.what),
  };
}
