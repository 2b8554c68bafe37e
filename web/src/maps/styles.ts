// Light styles: how bright lights are, ten times a second. The games set the same ones when a level begins.

/** A letter for each tenth of a second: `a` is dark, `m` is as it is, `z` is twice as bright. */
const STYLES = [
  'm',
  'mmnmmommommnonmmonqnmmo',
  'abcdefghijklmnopqrstuvwxyzyxwvutsrqponmlkjihgfedcba',
  'mmmmmaaaaammmmmaaaaaabcdefgabcdefg',
  'mamamamamama',
  'jklmnopqrstuvwxyzyxwvutsrqponmlkj',
  'nmonqnmomnmomomno',
  'mmmaaaabcdefgmmmmaaaammmaamm',
  'mmmaaammmaaammmabcdefaaaammmmabcdefmmmaaaa',
  'aaaaaaaazzzzzzzz',
  'mmamammmmammamamaaamammma',
  'abcdefghijklmnopqrrqponmlkjihgfedcba',
  'mmnnmmnnnmmnn',
];
const [DARK, PLAIN] = ['a'.charCodeAt(0), 'm'.charCodeAt(0) - 'a'.charCodeAt(0)];

/** Whether a style is not always the same. */
export const changes = (style: number): boolean => (STYLES[style]?.length ?? 1) > 1;

/** How bright a style is at a time; 1 is as the map says. Lights that something switches are on. */
export function styleAt(style: number, seconds: number): number {
  const pattern = STYLES[style] ?? 'm';
  return (pattern.charCodeAt(Math.floor(Math.max(0, seconds) * 10) % pattern.length) - DARK) / PLAIN;
}
