// Patterns of textures that show which way up they are, and whether they are mirrored: each is a function of a pixel that gives a color's number.

import { shade } from './palette.mjs';

/** An F in sixteenths of the picture. */
const isLetter = (x, y) =>
  (x >= 4 && x < 7 && y >= 3 && y < 13) ||
  (x >= 7 && x < 12 && y >= 3 && y < 6) ||
  (x >= 7 && x < 10 && y >= 7 && y < 9);

/** Tiles of 64 pixels with a letter, brighter to the upper left. */
export const lettered =
  (row, letter, side = 64) =>
  (x, y) => {
    const [a, b] = [Math.floor(((x % side) / side) * 16), Math.floor(((y % side) / side) * 16)];
    if (a === 0 || b === 0) return shade(row, 3);
    if (isLetter(a, b)) return shade(letter, 12);
    return shade(row, 11 - Math.floor((a + b) / 6));
  };

/** Bricks of 32 by 16 pixels, every other row moved. */
export const bricks = (row) => (x, y) => {
  const line = Math.floor(y / 16);
  const along = (x + (line % 2) * 16) % 32;
  if (y % 16 < 2 || along < 2) return shade(row, 3);
  return shade(row, 7 + ((along * 7 + line * 5) % 5) - (y % 16 > 12 ? 2 : 0));
};

/** One picture of an animation: as many bars as its number says. */
export const bars = (row, number) => (x, y) =>
  y > 8 && y < 56 && x % 16 > 3 && x % 16 < 12 && Math.floor(x / 16) <= number ? shade(15, 13) : shade(row, 6);

/** Waves for water and the like. */
export const waves = (row) => (x, y) =>
  shade(
    row,
    Math.round(
      8 +
        3 * Math.sin((x / 64) * Math.PI * 4) * Math.cos((y / 64) * Math.PI * 2) +
        (isLetter(Math.floor(x / 4), Math.floor(y / 4)) ? 3 : 0),
    ),
  );

/** Quake's sky, 256 by 128: clouds with holes on the left, and what is behind them on the right. */
export const clouds = (x, y) => {
  const wave = (a, b) => Math.sin(((x * a) / 128) * Math.PI * 2) + Math.sin(((y * b) / 128) * Math.PI * 2);
  if (x < 128) return wave(2, 1) + wave(1, 3) > 1.2 ? shade(0, 11) : 0;
  return shade(2, Math.round(5 + wave(1, 1) * 1.5 + (isLetter(Math.floor((x - 128) / 8), Math.floor(y / 8)) ? 4 : 0)));
};
