// TGA pictures: of true colors or gray, packed in runs or not.

import { BadPicture, type Pixels, canBe } from './pixels';

export function readTga(bytes: Uint8Array): Pixels {
  if (bytes.length < 18) throw new BadPicture('it is cut off');
  const [type, bits] = [bytes[2], bytes[16]];
  const [width, height] = [bytes[12] | (bytes[13] << 8), bytes[14] | (bytes[15] << 8)];
  const depth = bits / 8;
  const gray = type === 3 || type === 11;
  if (bytes[1] || (!gray && type !== 2 && type !== 10) || !(gray ? depth === 1 : depth === 3 || depth === 4))
    throw new BadPicture('a kind of TGA that no game has');
  if (!canBe(width, height)) throw new BadPicture('it has no size');
  const packed = type > 8;
  const count = width * height;
  // a packet of five bytes is 128 pixels at most
  if (bytes.length - 18 < (packed ? count / 128 : count) * depth) throw new BadPicture('it is cut off');
  const pixels = new Uint8Array(count * 4);
  // rows come from below, unless they say something else
  const flipped = !(bytes[17] & 0x20);
  let [at, done] = [18 + bytes[0], 0];
  const put = (from: number) => {
    if (from + depth > bytes.length) throw new BadPicture('it is cut off');
    const row = Math.floor(done / width);
    const to = ((flipped ? height - 1 - row : row) * width + (done % width)) * 4;
    pixels[to] = bytes[from + (gray ? 0 : 2)];
    pixels[to + 1] = bytes[from + (gray ? 0 : 1)];
    pixels[to + 2] = bytes[from];
    pixels[to + 3] = depth === 4 ? bytes[from + 3] : 255;
    done++;
  };
  while (done < count) {
    if (!packed) {
      put(at);
      at += depth;
      continue;
    }
    const head = bytes[at++] ?? 0;
    for (let times = (head & 0x7f) + 1; times > 0 && done < count; times--) {
      put(at);
      if (!(head & 0x80)) at += depth;
    }
    if (head & 0x80) at += depth;
  }
  return { width, height, pixels };
}
