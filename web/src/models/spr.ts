// Sprites of Quake (version 1) and Half-Life (version 2): pictures that face the eye.

import { BadModel, type Inside, MOST_POSES, type Model, Reader, type SpriteFrame } from './model';

const [QUAKE, HALF_LIFE] = [1, 2];
const [LARGEST_SIDE, MOST_GROUP] = [1024, 256];
/** Pixels of all frames together. */
const MOST_PIXELS = 1 << 23;
/** What Half-Life does with the last color, or with all of it. */
const [ADDED, ALPHA, HOLES] = [1, 2, 3];

export function parseSpr(bytes: Uint8Array): Model {
  const file = new Reader(bytes);
  const version = file.int(4);
  if (version !== QUAKE && version !== HALF_LIFE) throw new BadModel(`version ${version} is none of the game's`);
  const isQuake = version === QUAKE;
  const orientation = file.int(8);
  const format = isQuake ? HOLES : file.int(12);
  let at = isQuake ? 36 : 40;
  let palette: Uint8Array | null = null;
  if (!isQuake) {
    const colors = file.count(file.ushort(at), 256, at + 2, 3);
    palette = new Uint8Array(768);
    palette.set(file.slice(at + 2, colors * 3));
    at += 2 + colors * 3;
  }
  const count = file.count(file.int(isQuake ? 24 : 28), MOST_POSES, at, 4);
  const pictures: Inside[] = [];
  const frames: [number, number][] = [];
  const places: SpriteFrame[] = [];
  let pixels = 0;
  const picture = () => {
    const [left, up, width, height] = [0, 4, 8, 12].map((place) => file.int(at + place)) as [
      number,
      number,
      number,
      number,
    ];
    if (width < 1 || height < 1 || width > LARGEST_SIDE || height > LARGEST_SIDE)
      throw new BadModel('a picture has no size');
    pixels += width * height;
    if (pixels > MOST_PIXELS || pictures.length >= MOST_POSES)
      throw new BadModel('it has more pictures than any sprite of a game');
    places.push({
      left,
      up,
      width,
      height,
      picture: pictures.push({ width, height, indices: file.slice(at + 16, width * height), palette }) - 1,
    });
    at += 16 + width * height;
  };
  for (let frame = 0; frame < count; frame++) {
    const group = file.int(at);
    const size = group ? file.count(file.int(at + 4), MOST_GROUP, at + 8, 4) : 1;
    if (!size) throw new BadModel('a group has no pictures');
    at += group ? 8 + size * 4 : 4;
    frames.push([pictures.length, size]);
    for (let one = 0; one < size; one++) picture();
  }
  const mix = format === ADDED ? 'added' : format === ALPHA ? 'alpha' : format === HOLES ? 'holes' : 'solid';
  return {
    format: 'SPR',
    poses: places.length,
    frames,
    surfaces: [],
    pictures,
    tags: [],
    skeleton: null,
    flags: 0,
    sprite: { orientation, mix, frames: places },
  };
}
