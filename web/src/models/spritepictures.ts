// The pictures of a sprite, as they are drawn.

import type { GameFiles } from '../maps/files';
import { type Pixels, paletted } from '../maps/pixels';
import type { Picture } from '../maps/format';
import { readPcx } from '../maps/wal';
import type { Inside, Model } from './model';

/** The index of what is left open, and that of the color of a picture that says how much of it is seen. */
const CLEAR = 255;

/** Nothing where a picture is missing. */
export async function spritePictures({ sprite, pictures, format }: Model, game: GameFiles): Promise<Picture[] | null> {
  if (!sprite) return null;
  const { mix } = sprite;
  const quake =
    format === 'SPR' && pictures.some(({ palette }) => !palette) ? await game.find('gfx/palette.lmp') : null;
  const inside = ({ width, height, indices, palette }: Inside): Pixels | null => {
    const colors = palette ?? quake;
    if (!colors) return null;
    return mix === 'alpha'
      ? oneColor(indices, width, height, colors)
      : paletted(indices, width, height, colors, mix === 'holes' ? CLEAR : null);
  };
  const blend: [string, string] | null =
    mix === 'added' ? ['ONE', 'ONE'] : mix === 'alpha' ? ['SRC_ALPHA', 'ONE_MINUS_SRC_ALPHA'] : null;
  const found: Picture[] = [];
  for (const { picture } of sprite.frames) {
    const bytes = typeof picture === 'string' ? await game.find(picture) : null;
    const pixels = typeof picture === 'number' ? inside(pictures[picture]) : bytes && readPcx(bytes, CLEAR);
    if (!pixels) return null;
    found.push({ ...pixels, cut: mix === 'holes' ? 0.5 : 0, blend, both: true, hidden: false, scale: [1, 1] });
  }
  return found.length ? found : null;
}

/** The last color of the palette; an index says how much of it is seen. */
function oneColor(indices: Uint8Array, width: number, height: number, palette: Uint8Array): Pixels {
  const pixels = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at++) {
    pixels.set(palette.subarray(CLEAR * 3, CLEAR * 3 + 3), at * 4);
    pixels[at * 4 + 3] = indices[at];
  }
  return { width, height, pixels };
}
