// Chooses the heat map.

import { h } from '../view/dom';
import { HEATS, type Heat, type HeatWish } from '../view/heat';
import type { App, Panel } from '../view/panel';

export interface HeatPanel extends Panel {
  wish(app: App): HeatWish | null;
  next(): void;
}

export function heatPanel(changed: () => void): HeatPanel {
  const what = h('select', { 'aria-label': 'heat of' }, ...HEATS.map((name) => h('option', { value: name }, name)));
  const only = h('input', { type: 'checkbox' });
  const clip = h('input', { type: 'checkbox' });
  const radius = h('input', { type: 'range', min: '24', max: '200', value: '64', 'aria-label': 'radius in units' });
  const count = h('p', { class: 'faint', role: 'status' });
  const element = h(
    'div',
    { class: 'choices' },
    h('label', {}, 'Heat of ', what),
    h('label', {}, only, 'only the followed player'),
    h('label', {}, clip, 'only between in and out'),
    h('label', {}, 'Radius ', radius),
    count,
  );
  element.addEventListener('input', changed);
  return {
    name: 'heat',
    title: 'Heat',
    element,
    update() {},
    wish(app) {
      const session = app.session;
      if (what.value === 'none' || !session) return null;
      const [from, to] = clip.checked ? app.range : [null, null];
      return {
        what: what.value as Heat,
        slot: only.checked ? app.followed : null,
        radius: Number(radius.value),
        from: from ?? 0,
        to: to ?? session.replay.duration,
      };
    },
    next() {
      what.selectedIndex = (what.selectedIndex + 1) % HEATS.length;
      changed();
    },
  };
}
