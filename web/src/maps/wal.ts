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

/** The texture that comes after one in its animation. */
export function nextWal(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(56, 88))
    .replace(/\0.*/s, '')
    .replaceAll('\\', '/')
    .toLowerCase();
}

/** A picture in runs of bytes, with its palette behind it. Pixels of the index `clear` are holes. */
export function readPcx(bytes: Uint8Array, clear: number | null = null): Pixels {
  const { width, height, indices, palette } = indicesPcx(bytes);
  return paletted(indices, width, height, palette, clear);
}

/** A PCX file's colors by number, and its palette. */
export function indicesPcx(bytes: Uint8Array): {
  width: number;
  height: number;
  indices: Uint8Array;
  palette: Uint8Array;
} {
  const palette = palettePcx(bytes);
  if (!palette || bytes[2] !== 1 || bytes[3] !== 8 || bytes[65] !== 1)
    throw new BadPicture('a kind of PCX that no game has');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [left, top, right, bottom, row] = [4, 6, 8, 10, 66].map((at) => view.getUint16(at, true)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const [width, height] = [right - left + 1, bottom - top + 1];
  if (!canBe(width, height) || row < width) throw new BadPicture('it has no size');
  const end = bytes.length - 769;
  // a run is two bytes and 63 pixels at most
  if ((end - 128) * 32 < row * height) throw new BadPicture('it is cut off');
  const indices = new Uint8Array(width * height);
  let at = 128;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < row; ) {
      if (at >= end) throw new BadPicture('it is cut off');
      const byte = bytes[at++];
      const count = byte >= 0xc0 ? byte & 0x3f : 1;
      const index = byte >= 0xc0 ? bytes[at++] : byte;
      for (let times = 0; times < count && x < row; times++, x++) if (x < width) indices[y * width + x] = index;
    }
  }
  return { width, height, indices, palette };
}

/** The palette at the end of a PCX file. */
export function palettePcx(bytes: Uint8Array): Uint8Array | null {
  const from = bytes.length - 768;
  return from > 128 && bytes[0] === 10 && bytes[from - 1] === 12 ? bytes.subarray(from) : null;
}
