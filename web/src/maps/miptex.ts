// Textures of Quake and Half-Life, as maps and WAD files hold them: four sizes of one picture, and in Half-Life a palette of its own.

import { textAt } from './chars';
import { BadPicture, type Pixels, canBe, paletted } from './pixels';

const HEADER = 40;
/** The index of what `{` textures leave open, and the first of those that no light darkens. */
const [CLEAR, SHINES] = [255, 224];

export interface Miptex {
  name: string;
  /** Nothing where the map only names it. */
  bytes: Uint8Array | null;
}

/** The textures of a map, with palettes of their own or not. Ranges that overlap cannot make much more of the file than it has. */
export function miptexes(view: DataView, own: boolean): Miptex[] {
  if (view.byteLength < 4) return [];
  const count = Math.min(view.getInt32(0, true), Math.floor(view.byteLength / 4) - 1);
  const found: Miptex[] = [];
  let left = view.byteLength * 2;
  for (let texture = 0; texture < count; texture++) {
    const offset = view.getInt32(4 + texture * 4, true);
    const name = offset >= 0 ? textAt(view, offset, 16) : '';
    let bytes: Uint8Array | null = null;
    if (offset >= 0 && offset + HEADER <= view.byteLength && view.getUint32(offset + 24, true)) {
      const [width, height] = [view.getUint32(offset + 16, true), view.getUint32(offset + 20, true)];
      const size = canBe(width, height)
        ? Math.min(HEADER + Math.ceil((width * height * 85) / 64) + (own ? 2 + 768 : 0), view.byteLength - offset)
        : Infinity;
      if (size <= left) {
        left -= size;
        bytes = new Uint8Array(view.buffer, view.byteOffset + offset, size).slice();
      }
    }
    found.push({ name, bytes });
  }
  return found;
}

/** The layers of Quake's sky, which stand side by side: the far one on the right, and the near one, whose first color is a hole. */
export function readSky(bytes: Uint8Array, palette: Uint8Array): [Pixels, Pixels] {
  if (bytes.length < HEADER) throw new BadPicture('it is cut off');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height, from] = [16, 20, 24].map((at) => view.getUint32(at, true)) as [number, number, number];
  const half = width >> 1;
  if (!canBe(half, height) || from + width * height > bytes.length) throw new BadPicture('it has no size');
  const layer = (left: number, clear: number | null) => {
    const indices = new Uint8Array(half * height);
    for (let y = 0; y < height; y++)
      indices.set(bytes.subarray(from + y * width + left, from + y * width + left + half), y * half);
    return paletted(indices, half, height, palette, clear);
  };
  return [layer(half, null), layer(0, 0)];
}

/** Where the picture of one is, and the palette behind its smallest size. */
function inside(bytes: Uint8Array): { width: number; height: number; indices: Uint8Array; own: Uint8Array } {
  if (bytes.length < HEADER) throw new BadPicture('it is cut off');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height, from, smallest] = [16, 20, 24, 36].map((at) => view.getUint32(at, true)) as [
    number,
    number,
    number,
    number,
  ];
  if (!canBe(width, height)) throw new BadPicture('it has no size');
  const palette = smallest + (width >> 3) * (height >> 3) + 2;
  return {
    width,
    height,
    indices: bytes.subarray(from, from + width * height),
    own: bytes.subarray(palette, palette + 768),
  };
}

/** The picture of one. Without the game's palette it has one of its own. */
export function readMiptex(bytes: Uint8Array, name: string, game: Uint8Array | null): Pixels {
  const { width, height, indices, own } = inside(bytes);
  return paletted(indices, width, height, game ?? own, name.startsWith('{') ? CLEAR : null);
}

/** The picture of a decal of Half-Life: its last color, as much of it as the number of each pixel says. */
export function readDecal(bytes: Uint8Array): Pixels {
  const { width, height, indices, own } = inside(bytes);
  const made = paletted(indices, width, height, own, null);
  indices.forEach((seen, at) => made.pixels.set([...own.subarray(CLEAR * 3), seen], at * 4));
  return made;
}

/** What of a picture shines by itself in Quake; all else of it is clear. Nothing where nothing shines. */
export function readShining(bytes: Uint8Array, name: string, palette: Uint8Array): Pixels | null {
  const picture = readMiptex(bytes, name, palette);
  let some = false;
  inside(bytes).indices.forEach((index, at) => {
    if (index >= SHINES && !(index === CLEAR && name.startsWith('{'))) some = true;
    else picture.pixels[at * 4 + 3] = 0;
  });
  return some ? picture : null;
}
