// JPEG and PNG pictures, which the browser decodes. How large they get is looked at first.

import { BadPicture, type Sized, canBe } from './pixels';

export const isBitmap = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xd8) || (bytes[0] === 0x89 && bytes[1] === 0x50);

/** A picture, made smaller where a side is longer than that. */
export async function readBitmap(bytes: Uint8Array, longest: number): Promise<Sized> {
  const of = size(bytes);
  if (!of || !canBe(...of)) throw new BadPicture('it has no size');
  const bitmap = await createImageBitmap(new Blob([bytes as BlobPart]), {
    premultiplyAlpha: 'none',
    colorSpaceConversion: 'none',
  });
  try {
    const part = Math.min(1, longest / Math.max(...of));
    const [width, height] = of.map((side) => Math.max(1, Math.round(side * part))) as [number, number];
    const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d', {
      willReadFrequently: true,
    })!;
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, width, height);
    const { data } = context.getImageData(0, 0, width, height);
    return { width, height, pixels: new Uint8Array(data.buffer), of };
  } finally {
    bitmap.close();
  }
}

function size(bytes: Uint8Array): [number, number] | null {
  const word = (at: number) => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  if (bytes[0] === 0x89) return [word(16) * 65536 + word(18), word(20) * 65536 + word(22)];
  // JPEG: marker after marker, up to the frame's
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1];
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc)
      return [word(at + 7), word(at + 5)];
    at += marker === 0xff ? 1 : 2 + word(at + 2);
  }
  return null;
}
