// Small drawings of our own, in a square of 16 by 16.

const SHAPES = {
  panels: 'M2 3h12v2H2zM2 7h12v2H2zM2 11h12v2H2z',
  whole: 'M2 2h5v2H4v3H2zM14 2v5h-2V4H9V2zM2 14V9h2v3h3v2zM14 14H9v-2h3V9h2z',
} as const;

export type Icon = keyof typeof SHAPES;

const SVG = 'http://www.w3.org/2000/svg';

/** A drawing in the color of the text around it; it says nothing to who cannot see it. */
export function icon(name: Icon): SVGSVGElement {
  const [picture, path] = [document.createElementNS(SVG, 'svg'), document.createElementNS(SVG, 'path')];
  picture.setAttribute('viewBox', '0 0 16 16');
  picture.setAttribute('class', 'icon');
  picture.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', SHAPES[name]);
  picture.append(path);
  return picture;
}
