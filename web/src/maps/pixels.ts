// Pictures as red, green, blue and alpha, whatever format they came in.

export interface Pixels {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** A picture that may have been made smaller, and how large it was then. */
export interface Sized extends Pixels {
  of?: [number, number];
}

/** No picture of a game is larger than that. */
const LARGEST_SIDE = 4096;

/** Whether a file's word on how large its picture is can be. */
export const canBe = (width: number, height: number): boolean =>
  width >= 1 && height >= 1 && width <= LARGEST_SIDE && height <= LARGEST_SIDE;

export class BadPicture extends Error {}

/** A picture of one byte a pixel. Pixels of the index `clear` are holes, of the color that the rest has on average: edges show nothing else. */
export function paletted(
  indices: Uint8Array,
  width: number,
  height: number,
  palette: Uint8Array,
  clear: number | null,
): Pixels {
  if (indices.length < width * height || palette.length < 768) throw new BadPicture('it is cut off');
  const colors = new Uint32Array(256);
  for (let index = 0; index < 256; index++)
    colors[index] =
      (palette[index * 3] | (palette[index * 3 + 1] << 8) | (palette[index * 3 + 2] << 16) | (255 << 24)) >>> 0;
  if (clear !== null) {
    const sum = [0, 0, 0];
    let count = 0;
    for (let at = 0; at < width * height; at++) {
      if (indices[at] === clear) continue;
      count++;
      for (let channel = 0; channel < 3; channel++) sum[channel] += palette[indices[at] * 3 + channel];
    }
    const [red, green, blue] = sum.map((value) => Math.round(value / Math.max(1, count))) as [number, number, number];
    colors[clear] = red | (green << 8) | (blue << 16);
  }
  const made = new Uint32Array(width * height);
  for (let at = 0; at < made.length; at++) made[at] = colors[indices[at]];
  return { width, height, pixels: new Uint8Array(made.buffer) };
}

/** Half as wide and half as high, as often as it takes. */
export function shrunk(picture: Pixels, side: number): Pixels {
  let { width, height, pixels } = picture;
  while (Math.max(width, height) > side) {
    const [w, h] = [Math.max(1, width >> 1), Math.max(1, height >> 1)];
    const [right, down] = [width > 1 ? 4 : 0, height > 1 ? width * 4 : 0];
    const made = new Uint8Array(w * h * 4);
    for (let y = 0; y < h; y++) {
      for (let x = 0; x < w; x++) {
        const [to, from] = [(y * w + x) * 4, (y * (height > 1 ? 2 : 1) * width + x * (width > 1 ? 2 : 1)) * 4];
        for (let channel = 0; channel < 4; channel++) {
          const at = from + channel;
          made[to + channel] = (pixels[at] + pixels[at + right] + pixels[at + down] + pixels[at + right + down]) >> 2;
        }
      }
    }
    [width, height, pixels] = [w, h, made];
  }
  return { width, height, pixels };
}
