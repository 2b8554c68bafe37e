// Sprites of Quake II: the names of pictures, and where their middle is.

import { BadModel, MOST_POSES, type Model, Reader, type SpriteFrame } from './model';

const VERSION = 2;
const [HEADER, FRAME, NAME] = [12, 80, 64];
const LARGEST_SIDE = 4096;
/** They face the eye. */
const PARALLEL = 2;

export function parseSp2(bytes: Uint8Array): Model {
  const file = new Reader(bytes);
  if (file.int(4) !== VERSION) throw new BadModel(`version ${file.int(4)} is none of the game's`);
  const count = file.count(file.int(8), MOST_POSES, HEADER, FRAME);
  const places = Array.from({ length: count }, (_, frame): SpriteFrame => {
    const at = HEADER + frame * FRAME;
    const [width, height, left, up] = [0, 4, 8, 12].map((place) => file.int(at + place)) as [
      number,
      number,
      number,
      number,
    ];
    if (width < 1 || height < 1 || width > LARGEST_SIDE || height > LARGEST_SIDE)
      throw new BadModel('a picture has no size');
    const name = file
      .text(at + 16, NAME)
      .replaceAll('\\', '/')
      .toLowerCase();
    return { left: -left, up: height - up, width, height, picture: name };
  });
  return {
    format: 'SP2',
    poses: count,
    frames: places.map((_, frame) => [frame, 1]),
    surfaces: [],
    pictures: [],
    tags: [],
    skeleton: null,
    flags: 0,
    sprite: { orientation: PARALLEL, mix: 'holes', frames: places },
  };
}
