// Draws what somebody drew on the plan, and has the tools for it.

import type { Pens } from '../store/pens';
import type { Store } from '../store/store';
import type { Camera } from './camera';
import { h } from './dom';
import { type Icon, icon } from './icons';

const COLORS = { white: '#ffffff', yellow: '#ffd84a' } as const;

export function drawPenLines(
  context: CanvasRenderingContext2D,
  pens: Pens,
  camera: Camera,
  time: number,
  level: number,
): void {
  context.save();
  [context.lineCap, context.lineJoin] = ['round', 'round'];
  for (const { line, part } of pens.shownAt(time, level)) {
    context.globalAlpha = part;
    const trace = () => {
      context.beginPath();
      for (const [x, y] of line.points) {
        const at = camera.project([x, y, 0]);
        if (at) context.lineTo(at.x, at.y);
      }
      context.stroke();
    };
    // a dark edge, so that it is seen on any ground
    [context.lineWidth, context.strokeStyle] = [6, 'rgb(13 15 19 / 60%)'];
    trace();
    [context.lineWidth, context.strokeStyle] = [3, COLORS[line.pen]];
    trace();
  }
  context.restore();
}

/** Pens, eraser and an empty sheet, over the picture while one draws. */
export function penTools(store: Store): { element: HTMLElement; update(): void } {
  const { pens } = store;
  const tool = (title: string, what: Pens['tool'], child: Node) =>
    h('button', { class: 'bare', title, 'aria-label': title, onclick: () => pens.choose(what) }, child);
  const dot = (pen: keyof typeof COLORS) => {
    const made = h('span', { class: 'dot' });
    made.style.background = COLORS[pen];
    return made;
  };
  const button = (title: string, name: Icon, run: () => void) =>
    h('button', { class: 'bare', title, 'aria-label': title, onclick: run }, icon(name));
  const all: [Pens['tool'], HTMLButtonElement][] = [
    ['white', tool('white pen', 'white', dot('white'))],
    ['yellow', tool('yellow pen', 'yellow', dot('yellow'))],
    ['eraser', tool('eraser', 'eraser', icon('erase'))],
  ];
  const element = h(
    'div',
    { class: 'pens plate', role: 'group', 'aria-label': 'drawing', hidden: true },
    ...all.map(([, made]) => made),
    button('clear the drawing', 'trash', () => pens.clear()),
    button('end drawing', 'close', () => pens.choose(null)),
  );
  return {
    element,
    update() {
      element.hidden = pens.tool === null;
      for (const [what, made] of all) made.setAttribute('aria-pressed', String(pens.tool === what));
    },
  };
}
