// Small drawings of our own: controls and marks in a square of 16 by 16, weapons from the side in 32 by 14.

const SQUARE = {
  panels: 'M2 3h12v2H2zM2 7h12v2H2zM2 11h12v2H2z',
  whole: 'M2 2h5v2H4v3H2zM14 2v5h-2V4H9V2zM2 14V9h2v3h3v2zM14 14H9v-2h3V9h2z',
  fit: 'M1 1h5v2H3v3H1zM15 1v5h-2V3h-3V1zM1 15v-5h2v3h3v2zM15 15h-5v-2h3v-3h2zM6 6h4v4H6z',
  health: 'M6 1h4v5h5v4h-5v5H6v-5H1V6h5z',
  armor: 'M8 0l6 2v6c0 4-3 6.500-6 8-3-1.500-6-4-6-8V2z',
  skull:
    'M8 1c4 0 6 2.500 6 5.500 0 2-1 3.200-2 4V14h-2v-2H9v2H7v-2H6v2H4v-3.500c-1-.8-2-2-2-4C2 3.500 4 1 8 1zM5.500 5.500a1.500 1.500 0 100 3 1.500 1.500 0 000-3zM10.500 5.500a1.500 1.500 0 100 3 1.500 1.500 0 000-3z',
  head: 'M8 0a8 8 0 110 16A8 8 0 018 0zm0 2a6 6 0 100 12A6 6 0 008 2zm0 3.500a2.500 2.500 0 110 5 2.500 2.500 0 010-5z',
  shells: 'M3 2h4v9H3zM9 2h4v9H9zM3 12h4v2H3zM9 12h4v2H9z',
  bullets: 'M3 6l2-5 2 5v9H3zM9 6l2-5 2 5v9H9z',
  nails: 'M3 1h4v2H6v10l-1 3-1-3V3H3zM9 1h4v2h-1v10l-1 3-1-3V3H9z',
  grenades: 'M6 1h4v3H6zM8 4a5.500 5.500 0 110 11A5.500 5.500 0 018 4z',
  rockets: 'M8 0l3 5v6l2 4H3l2-4V5z',
  cells: 'M9 0L3 9h4l-1 7 7-10H8z',
  slugs: 'M2 3h8l5 5-5 5H2z',
  mines: 'M2 11a6 6 0 0112 0v3H2zM7 1h2v4H7z',
} as const;

const WIDE: Record<string, string> = {
  melee: 'M2 9l18-4 1 2L3 12zM18 1c6 0 10 3 11 7-4 0-6 0-8 3-3-3-4-6-3-10z',
  pistol: 'M7 3h18v4H15l-2 6H8l2-6H7z',
  machine_gun: 'M1 5h19V4h11v2H20v2h-3l1 5h-4l-1-5H9l-3 3H1z',
  heavy_machine_gun: 'M1 4h18V3h12v4H19v2h-2v5h-6V9H8l-3 3H1z',
  chaingun: 'M1 3h9v9H7v2H3v-2H1zM11 3h20v2H11zM11 6h20v2H11zM11 9h20v2H11z',
  shotgun: 'M1 9l7-4h11V4h12v2.500H20v2h-7V8H9l-4 4H1z',
  super_shotgun: 'M1 10l7-5h8V2h15v2.500H17v1h14V8H10l-5 5H1z',
  nailgun: 'M1 5h12V3h18v2H14v1h17v2H13l-1 5H8V8H1z',
  super_nailgun: 'M1 4h11V1h19v2H13v1h18v2H13v1h18v2H13v1h-1v4H8V9H1z',
  grenade_launcher: 'M1 9l6-4h8V3h16v6H15V8h-5l-5 5H1z',
  hand_grenade: 'M14 1h7l3 4h-2l-2-2v2c3 1 4 3 4 5a5 5 0 11-8-4V3h-2z',
  rocket_launcher: 'M1 3l5 2h19l6-2v8l-6-2h-8l1 5h-4l-1-5H6l-5 2z',
  lightning_gun: 'M1 4h13v6h-4l-1 4H5v-4H1zM23 1l-7 6h5l-2 5 9-6h-5l3-5z',
  railgun: 'M1 5h7V3h7v2h16v3H15v2h-3l-1 4H7l1-5H1zM18 2h3v2h-3zM24 2h3v2h-3z',
  plasma_gun: 'M1 4h11V3h9v1h2v6h-2v1h-8l-1 3H7V9H1zM28 4.500a2.500 2.500 0 110 5 2.500 2.500 0 010-5z',
  bfg: 'M1 4h8V1h15l7 4v4l-7 4H9v-3H1z',
  mine: 'M6 12a10 8 0 0120 0v1H6zM15 1h2v4h-2zM6 4l3 3-1 1-3-3zM26 4l1 1-3 3-1-1z',
  sniper_rifle: 'M1 9l7-3h8V5h15v2H18l-1 1h-7l-5 4H1zM10 2h9v2h-9z',
  assault_rifle: 'M1 5h7V4h14v1h9v2h-9v1h-4l1 5h-4l-2-5H8l-4 3H1z',
  submachine_gun: 'M5 4h13V3h9v3h-9v1h-2v6h-4V7H9v4H5z',
  grapple: 'M1 6h14v3H1zM16 3h6v2h-4v5h4v2h-6zM22 1c5 1 8 3 9 6.500-1 3-4 5-9 6 2-2 4-4 4-6.500S24 3 22 1z',
};

export type Icon = keyof typeof SQUARE;

const SVG = 'http://www.w3.org/2000/svg';

function drawn(shape: string, box: string, kind: string): SVGSVGElement {
  const [picture, path] = [document.createElementNS(SVG, 'svg'), document.createElementNS(SVG, 'path')];
  picture.setAttribute('viewBox', box);
  picture.setAttribute('class', kind);
  picture.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', shape);
  path.setAttribute('fill-rule', 'evenodd');
  picture.append(path);
  return picture;
}

/** A drawing in the color of the text around it; it says nothing to who cannot see it. */
export const icon = (name: Icon): SVGSVGElement => drawn(SQUARE[name], '0 0 16 16', 'icon');

/** A weapon by its common name, where there is a drawing of it. */
export function weaponIcon(common: string | undefined): SVGSVGElement | null {
  const shape = WIDE[common ?? ''];
  return shape ? drawn(shape, '0 0 32 14', 'weapon') : null;
}

/** The outline of a weapon, 32 long and 14 high, for a canvas. */
export const weaponShape = (common: string | undefined): string | null => WIDE[common ?? ''] ?? null;

const AMMO: Record<string, Icon> = {
  shells: 'shells',
  bullets: 'bullets',
  belts: 'bullets',
  nails: 'nails',
  grenades: 'grenades',
  rockets: 'rockets',
  cells: 'cells',
  lightning: 'cells',
  slugs: 'slugs',
  bfg_ammo: 'cells',
  mines: 'mines',
};

export function ammoIcon(common: string | undefined): SVGSVGElement | null {
  const name = AMMO[common ?? ''];
  return name ? icon(name) : null;
}
