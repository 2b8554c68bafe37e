// How health, armor, score and speed went, for the followed player or the one through whose eyes was recorded, and who had the items.

import type { Film } from '../data/film';
import { clock, h } from '../view/dom';
import { type Line, armorWorn, itemsTaken } from './control';
import type { App, Panel } from './panel';

const POINTS = 1200;

/** Series of one player at evenly spaced times. */
export function series(film: Film, slot: number, from: number, to: number): { times: number[]; health: (number | null)[]; armor: (number | null)[]; score: (number | null)[]; speed: (number | null)[] } {
  const made = { times: [] as number[], health: [] as (number | null)[], armor: [] as (number | null)[], score: [] as (number | null)[], speed: [] as (number | null)[] };
  const count = Math.max(2, Math.min(POINTS, film.frameCount));
  let last: { time: number; x: number; y: number } | null = null;
  for (let point = 0; point < count; point++) {
    const time = from + ((to - from) * point) / (count - 1);
    const player = film.playerOf(slot, time);
    made.times.push(time / 1000);
    made.health.push(player?.health ?? null);
    made.armor.push(player?.armor ?? null);
    made.score.push(player?.score ?? null);
    let speed: number | null = null;
    if (player?.velocity) speed = Math.hypot(player.velocity[0], player.velocity[1]);
    else if (player?.origin) {
      const passed = last ? (time - last.time) / 1000 : 0;
      if (last && passed > 0 && passed < 0.5) {
        speed = Math.hypot(player.origin[0] - last.x, player.origin[1] - last.y) / passed;
        // nobody runs that fast: he jumped there
        if (speed > 4000) speed = null;
      }
      last = { time, x: player.origin[0], y: player.origin[1] };
    } else last = null;
    made.speed.push(speed === null ? null : Math.round(speed));
  }
  return made;
}

export function chartsPanel(): Panel {
  const holder = h('div');
  const summary = h('div');
  const element = h('div', {}, holder, summary);
  let shown = '';
  let charts: { setCursor(at: { left: number; top: number }): void; valToPos(value: number, scale: string): number; destroy(): void }[] = [];
  const draw = async (app: App, slot: number) => {
    const session = app.session!;
    // some machines have no language that the browser understands, and the charts' library asks for one
    try {
      new Intl.NumberFormat(navigator.language);
    } catch {
      Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
    }
    const { default: uPlot } = await import('uplot');
    if (!element.isConnected) return;
    const data = series(session.film, slot, 0, session.film.duration);
    charts.forEach((chart) => chart.destroy());
    charts = [];
    holder.replaceChildren();
    const style = getComputedStyle(element);
    const ink = style.color;
    const times = data.times.map((time) => time * 1000);
    const lines: [string, Line[]][] = [
      ['health and armor', [{ label: 'health', color: '#d33a3f', values: data.health }, { label: 'armor', color: '#3a7be0', values: data.armor }]],
      ['speed, units a second', [{ label: 'speed', color: '#b8860b', values: data.speed }]],
      ['score', [{ label: 'score', color: '#2e9e6a', values: data.score }]],
      ['great items taken, all players', itemsTaken(session, times)],
      ['armor worn, all players', armorWorn(session, times)],
    ];
    const rows: HTMLElement[] = [];
    for (const [title, parts] of lines) {
      const known = parts.filter(({ values }) => values.some((value) => value !== null));
      if (!known.length) continue;
      const box = h('div', { class: 'chart', role: 'img', 'aria-label': `${title} over time; the table below has figures` });
      holder.append(h('h3', {}, title), box);
      const axis = { stroke: ink, grid: { stroke: 'rgba(128,128,128,0.25)' }, ticks: { stroke: 'rgba(128,128,128,0.25)' } };
      const chart = new uPlot(
        {
          width: Math.max(200, holder.clientWidth || 320),
          height: 130,
          hooks: { ready: [({ scales: { y } }) => box.setAttribute('aria-label', `${title} over time, between ${y?.min} and ${y?.max}; the table below has figures`)] },
          legend: { show: false },
          cursor: { drag: { x: false, y: false }, points: { show: false } },
          // who is torn to pieces has a health of -999, and nobody else could be made out beside that
          scales: { x: { time: false }, ...(title.startsWith('health') && { y: { range: (_: unknown, _least: number, most: number) => [0, Math.max(100, most)] as [number, number] } }) },
          axes: [{ ...axis, values: (_: unknown, ticks: number[]) => ticks.map((tick) => clock(tick * 1000, 0)) }, { ...axis, size: 44 }],
          series: [{}, ...known.map(({ label, color }) => ({ label, stroke: color, width: 1.5, spanGaps: false }))],
        },
        [data.times, ...known.map(({ values }) => values)],
        box,
      );
      chart.over.addEventListener('click', (event: MouseEvent) => app.seekSession(chart.posToVal(event.offsetX, 'x') * 1000));
      charts.push(chart);
      if (known.length > 1) box.after(h('p', { class: 'faint' }, ...known.flatMap(({ label, color }) => [h('span', { style: `color: ${color}` }, '▬ '), `${label}  `])));
      for (const { label, values } of known) {
        const numbers = values.filter((value): value is number => value !== null);
        const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
        rows.push(h('tr', {}, h('th', { scope: 'row' }, parts.length === 1 || title.startsWith('health') ? label : `${title.split(',')[0]}: ${label}`), ...[Math.min(...numbers), Math.round(mean), Math.max(...numbers)].map((value) => h('td', {}, String(value)))));
      }
    }
    summary.replaceChildren(
      rows.length
        ? h('table', {}, h('caption', {}, 'figures'), h('thead', {}, h('tr', {}, ...['', 'least', 'mean', 'most'].map((name) => h('th', { scope: 'col' }, name || 'of')))), h('tbody', {}, ...rows))
        : h('p', { class: 'faint' }, 'The recording says neither health, armor nor score of this player, nor where he is.'),
    );
  };
  return {
    name: 'charts',
    title: 'Charts',
    spoils: true,
    element,
    // the charts' library knows all charts of the page until they are ended
    close() {
      charts.forEach((chart) => chart.destroy());
      charts = [];
      shown = '';
    },
    update(app) {
      const slot = app.followed ?? app.stage?.scene?.view?.slot ?? app.session?.film.slots[0] ?? null;
      if (slot === null || !app.session) return;
      const state = `${app.session.name} ${slot} ${element.clientWidth} ${app.session.events.length}`;
      if (state !== shown) {
        shown = state;
        void draw(app, slot);
      }
      for (const chart of charts) chart.setCursor({ left: chart.valToPos(app.time / 1000, 'x'), top: 10 });
    },
  };
}
