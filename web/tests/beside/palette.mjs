// Colors of our own for Quake and Quake II: sixteen rows of sixteen shades. Players dye the second row and the seventh; the last two shine.

const ROWS = [
  [1, 1, 1],
  [0.75, 0.6, 0.45],
  [0.5, 0.6, 0.8],
  [0.55, 0.75, 0.4],
  [0.8, 0.25, 0.2],
  [0.85, 0.7, 0.3],
  [0.6, 0.45, 0.75],
  [0.9, 0.55, 0.35],
  [0.85, 0.6, 0.7],
  [0.65, 0.4, 0.45],
  [0.4, 0.7, 0.65],
  [0.5, 0.5, 0.35],
  [0.8, 0.85, 0.25],
  [0.25, 0.4, 0.95],
  [1, 0.6, 0.15],
  [1, 0.95, 0.8],
];
const SHADES = 16;

/** Those from the ninth row on go from bright to dark, as in the game. */
export const palette = Buffer.from(
  ROWS.flatMap((color, row) =>
    Array.from({ length: SHADES }, (_, at) => ((row >= 8 && row < 14 ? SHADES - at : at + 1) / SHADES) * 255).flatMap(
      (bright) => color.map((part) => Math.round(part * bright)),
    ),
  ),
);

/** A shade of a row, 0 to 15 from dark to bright. */
export const shade = (row, bright) => row * SHADES + (row >= 8 && row < 14 ? SHADES - 1 - bright : bright);

export const color = (index) => [...palette.subarray(index * 3, index * 3 + 3)];

/** For 64 steps of light, the nearest color: Quake's renderer on the processor lights by it, and later ones look for what shines. */
export function colormap(rows = 64) {
  const map = Buffer.alloc(rows * 256);
  const all = Array.from({ length: 256 }, (_, index) => color(index));
  for (let row = 0; row < rows; row++) {
    const bright = 2 - (row / (rows - 1)) * 2;
    for (let index = 0; index < 256; index++) {
      if (index >= 224) {
        map[row * 256 + index] = index;
        continue;
      }
      const wanted = all[index].map((value) => Math.min(255, value * bright));
      let [best, least] = [0, Infinity];
      for (let other = 0; other < 224; other++) {
        const far = all[other].reduce((sum, value, channel) => sum + (value - wanted[channel]) ** 2, 0);
        if (far < least) [best, least] = [other, far];
      }
      map[row * 256 + index] = best;
    }
  }
  return map;
}
