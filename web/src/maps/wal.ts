// Textures of Quake II, and the palette that they all have.

import { BadPicture, type Pixels, canBe, paletted } from './pixels';

const HEADER = 100;

export function readWal(bytes: Uint8Array, palette: Uint8Array): Pixels {
  if (bytes.length < HEADER) throw new BadPicture('it is cut off');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height, from] = [32, 36, 40].map((at) => view.getUint32(at, true)) as [number, number, number];
  if (!canBe(width, height)) throw new BadPicture('it has no size');
  return paletted(bytes.subarray(from, from + width * height), width, height, palette, null);
}

/** The palette at the end of a PCX file. */
export function palettePcx(bytes: Uint8Array): Uint8Array | null {
  const from = bytes.length - 768;
  return from > 128 && bytes[0] === 10 && bytes[from - 1] === 12 ? bytes.subarray(from) : null;
}
