// What the marks on the plan stand for.

const SVG = 'http://www.w3.org/2000/svg';

/** Drawings as on the plan, in 20 by 20: path, fill, line. */
const SYMBOLS = {
  player: ['M10 5a5 5 0 110 10 5 5 0 010-10zM10 10h9', '#e5484d', '#e5484d'],
  followed: ['M10 5a5 5 0 110 10 5 5 0 010-10z', '#4a8cff', '#ffffff'],
  dead: ['M5 5l10 10M15 5L5 15', 'none', '#e5484d'],
  ghost: ['M10 4a6 6 0 110 12 6 6 0 010-12z', 'none', '#3ecf8e'],
  item: ['M10 4l6 6-6 6-6-6z', '#c9a36a', '#000000'],
  taken: ['M10 3a7 7 0 110 14 7 7 0 010-14zM10 6v4h3', 'none', '#c9a36a'],
  flag: ['M6 17V3l9 4-9 4', '#ff3030', '#ffffff'],
  missile: ['M10 7a3 3 0 110 6 3 3 0 010-6zM10 10L3 17', '#ff9a3c', '#ff9a3c'],
  corpse: ['M6 6h8v8H6z', 'none', '#c05050'],
  sound: ['M10 4a6 6 0 110 12 6 6 0 010-12z', 'none', '#8cbeff'],
} as const;

type Symbol = keyof typeof SYMBOLS;

export const LEGEND: [Symbol, string][] = [
  ['player', 'player, with view direction'],
  ['followed', 'the followed player'],
  ['dead', 'dead player'],
  ['ghost', 'player that only another recording shows'],
  ['item', 'item'],
  ['taken', 'taken item, with the seconds since'],
  ['flag', 'flag'],
  ['missile', 'missile'],
  ['corpse', 'corpse; in gray, a door or lift'],
  ['sound', 'sound; a star is an effect, a disc an explosion, a line a beam'],
];

export function symbol(name: Symbol): SVGSVGElement {
  const [shape, fill, line] = SYMBOLS[name];
  const [picture, path] = [document.createElementNS(SVG, 'svg'), document.createElementNS(SVG, 'path')];
  picture.setAttribute('viewBox', '0 0 20 20');
  picture.setAttribute('class', 'symbol');
  picture.setAttribute('aria-hidden', 'true');
  for (const [key, value] of Object.entries({
    d: shape,
    fill,
    stroke: line,
    'stroke-width': '1.5',
    ...(name === 'ghost' && { 'stroke-dasharray': '3 3' }),
  }))
    path.setAttribute(key, value);
  picture.append(path);
  return picture;
}
