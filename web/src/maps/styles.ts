// Light styles: how bright lights are, ten times a second, as the recording states it.

/** `a` is dark, `m` as bright as the map states. */
const [DARK, PLAIN] = ['a'.charCodeAt(0), 'm'.charCodeAt(0) - 'a'.charCodeAt(0)];

/** Whether lights of a style may change: those of the first never do. */
export const mayChange = (style: number): boolean => style !== 0;

/** How bright a style is at a time; 1 is as the map states. Without a pattern, its lights are on. */
export function brightness(pattern: string | undefined, seconds: number): number {
  if (!pattern) return 1;
  return Math.max(0, pattern.charCodeAt(Math.floor(Math.max(0, seconds) * 10) % pattern.length) - DARK) / PLAIN;
}
