// Small drawings of our own: controls in a square of 20 by 20, weapons from the side in 32 by 14.

/** Lines of 1.6 with round ends. */
const LINES = {
  plan: 'M3 5.2 7.6 3l4.8 2.2L17 3v11.8L12.4 17l-4.8-2.2L3 17zM7.6 3v11.8M12.4 5.2V17',
  eyes: 'M2.2 10S5 4.8 10 4.8 17.8 10 17.8 10 15 15.2 10 15.2 2.2 10 2.2 10zM7.6 10a2.4 2.4 0 1 0 4.8 0a2.4 2.4 0 1 0 -4.8 0z',
  behind: 'M7.4 5.6a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0 -5.2 0zM4.6 17c0-3.6 2.2-5.6 5.4-5.6s5.4 2 5.4 5.6',
  free: 'M10 2.5v15M2.5 10h15M10 2.5 8 4.6M10 2.5l2 2.1M10 17.5l-2-2.1M10 17.5l2-2.1M2.5 10l2.1-2M2.5 10l2.1 2M17.5 10l-2.1-2M17.5 10l-2.1 2',
  sound: 'M3 7.8v4.4h2.8L9.6 15.4V4.6L5.8 7.8zM12.6 7.4a3.6 3.6 0 0 1 0 5.2M14.9 5.2a6.8 6.8 0 0 1 0 9.6',
  full: 'M3.5 7.5v-4h4M12.5 3.5h4v4M16.5 12.5v4h-4M7.5 16.5h-4v-4',
  clip: 'M3 5.4a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0 -4.4 0zM3 14.6a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0 -4.4 0zM7 6.8 16.5 14M7 13.2 16.5 6',
  multi:
    'M4.2 3.5h3.6a1.2 1.2 0 0 1 1.2 1.2v3.1a1.2 1.2 0 0 1 -1.2 1.2h-3.6a1.2 1.2 0 0 1 -1.2 -1.2v-3.1a1.2 1.2 0 0 1 1.2 -1.2zM12.2 3.5h3.6a1.2 1.2 0 0 1 1.2 1.2v3.1a1.2 1.2 0 0 1 -1.2 1.2h-3.6a1.2 1.2 0 0 1 -1.2 -1.2v-3.1a1.2 1.2 0 0 1 1.2 -1.2zM4.2 11h3.6a1.2 1.2 0 0 1 1.2 1.2v3.1a1.2 1.2 0 0 1 -1.2 1.2h-3.6a1.2 1.2 0 0 1 -1.2 -1.2v-3.1a1.2 1.2 0 0 1 1.2 -1.2zM12.2 11h3.6a1.2 1.2 0 0 1 1.2 1.2v3.1a1.2 1.2 0 0 1 -1.2 1.2h-3.6a1.2 1.2 0 0 1 -1.2 -1.2v-3.1a1.2 1.2 0 0 1 1.2 -1.2z',
  draw: 'M3.5 16.5 4.4 13 13.2 4.2a1.6 1.6 0 0 1 2.3 0l.3.3a1.6 1.6 0 0 1 0 2.3L7 15.6zM11.6 5.8l2.6 2.6',
  erase:
    'M8.2 16.5H16M4.2 13.6 12.6 5.2a1.5 1.5 0 0 1 2.1 0l1.6 1.6a1.5 1.5 0 0 1 0 2.1l-7.6 7.6H6.9l-2.700-2.700zM9 8.800 13 12.800',
  trash: 'M4 5.500h12M8 5.500V3.500h4v2M5.500 5.500 6.300 16.500h7.400L14.500 5.500M8.500 8.500v5M11.500 8.500v5',
  pip: 'M4.600 4h10.800A1.600 1.600 0 0 1 17 5.600v8.800a1.600 1.600 0 0 1-1.600 1.600H4.600A1.600 1.600 0 0 1 3 14.400V5.600A1.600 1.600 0 0 1 4.600 4zM10.500 10H14v3h-3.500z',
  note: 'M4 4.500h12v8.500h-6L6.500 16v-3H4z',
  share: 'M10 12.5v-9M6.6 6.4 10 3l3.4 3.4M4 10.5v5a1.5 1.5 0 0 0 1.5 1.5h9a1.5 1.5 0 0 0 1.5-1.5v-5',
  open: 'M3 15.5v-10A1.5 1.5 0 0 1 4.5 4h3.2l1.8 2h6A1.5 1.5 0 0 1 17 7.5v8a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1z',
  help: 'M2.8 10a7.2 7.2 0 1 0 14.4 0a7.2 7.2 0 1 0 -14.4 0zM7.8 7.8a2.2 2.2 0 1 1 3.3 1.9c-.8.5-1.1.9-1.1 1.7M10 14v.1',
  plus: 'M10 4.5v11M4.5 10h11',
  minus: 'M4.5 10h11',
  fit: 'M3.5 7V3.5H7M13 3.5h3.5V7M16.5 13v3.5H13M7 16.5H3.5V13M8 10a2 2 0 1 0 4 0a2 2 0 1 0 -4 0z',
  close: 'M5 5l10 10M15 5 5 15',
  check: 'M4 10.6 8 14.5 16 6',
  copy: 'M8.6 7h6.3a1.6 1.6 0 0 1 1.6 1.6v6.3a1.6 1.6 0 0 1 -1.6 1.6h-6.3a1.6 1.6 0 0 1 -1.6 -1.6v-6.3a1.6 1.6 0 0 1 1.6 -1.6zM13 7V5a1.5 1.5 0 0 0-1.5-1.5H5A1.5 1.5 0 0 0 3.5 5v6.5A1.5 1.5 0 0 0 5 13h2',
  link: 'M8.4 11.6a3 3 0 0 0 4.3 0l3-3a3 3 0 0 0-4.3-4.3l-1 1M11.6 8.4a3 3 0 0 0-4.3 0l-3 3a3 3 0 0 0 4.3 4.3l1-1',
  pack: 'M3.5 6.5 10 3l6.5 3.5v7L10 17l-6.5-3.5zM3.5 6.5 10 10l6.5-3.5M10 10v7',
  film: 'M4.6 4h10.8a1.6 1.6 0 0 1 1.6 1.6v8.8a1.6 1.6 0 0 1 -1.6 1.6h-10.8a1.6 1.6 0 0 1 -1.6 -1.6v-8.8a1.6 1.6 0 0 1 1.6 -1.6zM6.5 4v12M13.5 4v12M3 8h3.5M3 12h3.5M13.5 8H17M13.5 12H17',
  image:
    'M4.6 4h10.8a1.6 1.6 0 0 1 1.6 1.6v8.8a1.6 1.6 0 0 1 -1.6 1.6h-10.8a1.6 1.6 0 0 1 -1.6 -1.6v-8.8a1.6 1.6 0 0 1 1.6 -1.6zM5.9 8a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0zM3.5 15 8 11l2.6 2.4L13.4 10l3.4 4',
  code: 'M7 6 3 10l4 4M13 6l4 4-4 4',
  warn: 'M10 3.4 17.4 16H2.6zM10 8v3.6M10 13.8v.1',
  skip: 'M4 5l5 5-5 5M10 5l5 5-5 5',
  down: 'M5 8l5 5 5-5',
  right: 'M8 5l5 5-5 5',
  flag: 'M5 17V3.5M5 4.2c3.5-2 6.5 2 10.5 0v6.6c-4 2-7-2-10.5 0',
  tip: 'M2.8 10a7.2 7.2 0 1 0 14.4 0a7.2 7.2 0 1 0 -14.4 0zM10 9.2V14M10 6.4v.1',
} as const;

/** Filled shapes. */
const SHAPES = {
  play: 'M6.5 3.6v12.8a.8.8 0 0 0 1.2.7l9.6-6.4a.8.8 0 0 0 0-1.4L7.7 2.9a.8.8 0 0 0-1.2.7z',
  pause:
    'M6 3.5h1.6a1 1 0 0 1 1 1v11a1 1 0 0 1 -1 1h-1.6a1 1 0 0 1 -1 -1v-11a1 1 0 0 1 1 -1zM12.4 3.5h1.6a1 1 0 0 1 1 1v11a1 1 0 0 1 -1 1h-1.6a1 1 0 0 1 -1 -1v-11a1 1 0 0 1 1 -1z',
  prev: 'M15.5 4.6v10.8a.7.7 0 0 1-1.1.6L6.7 10.6a.7.7 0 0 1 0-1.2L14.4 4a.7.7 0 0 1 1.1.6zM4.6 4h0a1 1 0 0 1 1 1v10a1 1 0 0 1 -1 1h-0a1 1 0 0 1 -1 -1v-10a1 1 0 0 1 1 -1z',
  next: 'M4.5 4.6v10.8a.7.7 0 0 0 1.1.6l7.7-5.4a.7.7 0 0 0 0-1.2L5.6 4a.7.7 0 0 0-1.1.6zM15.4 4h0a1 1 0 0 1 1 1v10a1 1 0 0 1 -1 1h-0a1 1 0 0 1 -1 -1v-10a1 1 0 0 1 1 -1z',
  more: 'M3 10a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0zM8.5 10a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0zM14 10a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0z',
  skull:
    'M10 2.5c-4 0-6.8 2.7-6.8 6.3 0 2.4 1.2 4 2.8 5v2.4c0 .5.4.9.9.9h6.2c.5 0 .9-.4.9-.9v-2.4c1.6-1 2.8-2.6 2.8-5 0-3.6-2.800-6.300-6.800-6.300zM7.200 7.800a1.700 1.700 0 1 1 0 3.400 1.700 1.700 0 0 1 0-3.400zm5.600 0a1.700 1.700 0 1 1 0 3.400 1.700 1.700 0 0 1 0-3.400z',
  health: 'M8 3h4v5h5v4h-5v5H8v-5H3V8h5z',
  armor: 'M10 2.500 16.500 4.600v4.900c0 4-2.600 6.600-6.500 8-3.900-1.400-6.500-4-6.500-8V4.600z',
  ammo: 'M5 7.500C5 5 6 3.500 7 3c1 .5 2 2 2 4.500V17H5zM11 7.500c0-2.500 1-4 2-4.500 1 .5 2 2 2 4.500V17h-4z',
  quad: 'M10 2 18 10 10 18 2 10zM10 6a4 4 0 1 0 2.300 7.270l1 .93 1.100-1.150-1-.95A4 4 0 0 0 10 6zm0 1.800a2.200 2.200 0 1 1 0 4.400 2.200 2.200 0 0 1 0-4.400z',
  mega: 'M6 3h8a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3zm2.700 3.200v2.500H6.200v2.600h2.500v2.500h2.600v-2.500h2.500V8.700h-2.500V6.200z',
} as const;

/** Filled shapes in a square of 16. */
const SMALL = {
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

export type Icon = keyof typeof LINES | keyof typeof SHAPES | keyof typeof SMALL;

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
export function icon(name: Icon): SVGSVGElement {
  if (name in LINES) return drawn(LINES[name as keyof typeof LINES], '0 0 20 20', 'icon lines');
  if (name in SHAPES) return drawn(SHAPES[name as keyof typeof SHAPES], '0 0 20 20', 'icon');
  return drawn(SMALL[name as keyof typeof SMALL], '0 0 16 16', 'icon');
}

/** Filled shapes of things, for a canvas: 20 long and high. */
export const shapeOf = (name: keyof typeof SHAPES): string => SHAPES[name];

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

const GLYPHS: Record<string, [Icon, string]> = {
  red_armor: ['armor', 'ra'],
  yellow_armor: ['armor', 'ya'],
  green_armor: ['armor', 'ga'],
  mega_health: ['mega', 'mh'],
  quad: ['quad', 'quad'],
};

/** A great item as a glyph in its own color. */
export function glyph(common: string | undefined): HTMLElement {
  const [name, kind] = GLYPHS[common ?? ''] ?? ['quad', 'other'];
  const element = document.createElement('span');
  element.className = `glyph ${kind}`;
  element.append(icon(name));
  return element;
}
