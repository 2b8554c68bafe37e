// Places and angles, and what is between two of them.

export type Vector = [number, number, number];

/** A box along the axes. */
export interface Box {
  min: Vector;
  max: Vector;
}

/** Between two numbers: nothing of the way is the first, all of it the second. */
export type Way = (from: number, to: number, part: number) => number;

export function mix(from: number, to: number, part: number): number {
  return from + (to - from) * part;
}

/** Between two angles in degrees, the short way round. */
export function turn(from: number, to: number, part: number): number {
  let way = (to - from) % 360;
  if (way > 180) way -= 360;
  else if (way < -180) way += 360;
  return from + way * part;
}

/** A color from 0 to 255 of a number with red, green, and blue from the third byte on. */
export function colorOf(color: number | null): Vector | null {
  return color === null ? null : [color >> 16, (color >> 8) & 255, color & 255];
}
