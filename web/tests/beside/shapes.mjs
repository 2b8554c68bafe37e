// Models of boxes that show what is ahead, up and left, for Quake (MDL) and Quake II (MD2). Each side of a box has a cell of the skin, brighter above.

import { Bytes } from '../maps.mjs';
import { shade } from './palette.mjs';

/** The skin: 8 by 8 cells, each of 8 by 8 pixels. */
const [SIDE, CELL] = [64, 8];
/** Corners of the sides of a box: below, above, right, left, behind, ahead; clockwise seen from outside. A bit of a corner says whether it is at the high end of an axis. */
const SIDES = [
  [0, 1, 3, 2],
  [4, 6, 7, 5],
  [0, 4, 5, 1],
  [2, 3, 7, 6],
  [0, 2, 6, 4],
  [1, 5, 7, 3],
];
const AHEAD = 5;

/** A part of a model: its box in each frame, and the row of colors; what is ahead has another. */
const part = (row, box, front = row) => ({ row, front, box });
const still = (low, high) => () => [low, high];
const moved = ([low, high], [x, y, z]) => [
  [low[0] + x, low[1] + y, low[2] + z],
  [high[0] + x, high[1] + y, high[2] + z],
];

/** A player: shirt in the second row of colors, trousers in the seventh. He walks with each frame, and lies where `lies` says so. */
export function player(lies) {
  const swing = (frame) => Math.round(Math.sin((frame * Math.PI) / 3) * 7);
  const put = (low, high, step) => (frame) =>
    lies(frame)
      ? [
          [low[2], low[1], -24],
          [high[2], high[1], -24 + Math.max(2, high[0] - low[0])],
        ]
      : moved([low, high], [step(frame), 0, 0]);
  return [
    part(
      6,
      put([-4, -9, -24], [4, -2, -4], (frame) => swing(frame)),
    ),
    part(
      6,
      put([-4, 2, -24], [4, 9, -4], (frame) => -swing(frame)),
    ),
    part(
      1,
      put([-5, -10, -4], [5, 10, 18], () => 0),
      12,
    ),
    part(
      1,
      put([-3, -14, 0], [3, -10, 16], (frame) => -swing(frame) / 2),
    ),
    part(
      1,
      put([-3, 10, 0], [3, 14, 16], (frame) => swing(frame) / 2),
    ),
    part(
      5,
      put([-5, -5, 19], [5, 5, 30], () => 0),
      4,
    ),
    part(
      0,
      put([4, -13, 6], [26, -9, 10], () => 0),
      14,
    ),
  ];
}

/** A weapon before the eyes, to the right and below; it kicks with its first frames. */
export const handWeapon = [
  part(
    0,
    (frame) =>
      moved(
        [
          [6, -6, -12],
          [30, -1, -7],
        ],
        [frame && frame < 4 ? -4 : 0, 0, 0],
      ),
    14,
  ),
  part(3, (frame) =>
    moved(
      [
        [10, -5, -7],
        [18, -2, -4],
      ],
      [frame && frame < 4 ? -4 : 0, 0, 0],
    ),
  ),
];
export const missile = [part(4, still([-8, -2, -2], [6, 2, 2]), 14), part(0, still([6, -1, -1], [12, 1, 1]))];
export const grenade = [part(3, still([-4, -4, -4], [4, 4, 4]), 14)];
export const item = [part(5, still([-12, -12, 0], [12, 12, 4])), part(10, still([-8, -8, 4], [8, 8, 20]), 4)];
export const bolt = [part(13, still([-32, -2, -2], [32, 2, 2]), 15)];

/** Vertices of all sides, the places of them in the skin, and triangles. */
function shaped(parts) {
  const texels = [];
  const triangles = [];
  parts.forEach(({ row, front }, number) =>
    SIDES.forEach((corners, side) => {
      const [cell, first] = [(number * 2 + Number(side === AHEAD && front !== row)) % 64, texels.length];
      const [left, top] = [(cell % CELL) * CELL, Math.floor(cell / CELL) * CELL];
      for (const corner of corners)
        texels.push([
          left + (side > 3 ? (corner & 2 ? 1 : 6) : corner & 1 ? 6 : 1),
          top + (side > 1 ? (corner & 4 ? 1 : 6) : corner & 2 ? 6 : 1),
        ]);
      triangles.push([first, first + 1, first + 2], [first, first + 2, first + 3]);
    }),
  );
  const places = (frame) =>
    parts.flatMap(({ box }) => {
      const [low, high] = box(frame);
      return SIDES.flatMap((corners) =>
        corners.map((corner) => [0, 1, 2].map((axis) => (corner & (1 << axis) ? high : low)[axis])),
      );
    });
  return { texels, triangles, places };
}

/** The skin of a model: the color of a pixel. */
export const skinOf = (parts) => (x, y) => {
  const cell = Math.floor(y / CELL) * CELL + Math.floor(x / CELL);
  const one = parts[cell >> 1];
  return one ? shade(cell & 1 ? one.front : one.row, 12 - (y % CELL)) : 0;
};
export const skinSide = SIDE;

const packed = (place) => place.map((value) => Math.max(0, Math.min(255, Math.round(value) + 128)));

/** Quake's: `flags` are what the engine does with it. */
export function mdl(parts, frames, flags = 0) {
  const { texels, triangles, places } = shaped(parts);
  const draw = skinOf(parts);
  const file = new Bytes()
    .text('IDPO', 4)
    .int(6)
    .float(1, 1, 1, -128, -128, -128, 40, 0, 0, 0)
    .int(1, SIDE, SIDE, texels.length, triangles.length, frames, 0, flags)
    .float(8);
  file.int(0).byte(...Array.from({ length: SIDE * SIDE }, (_, at) => draw(at % SIDE, Math.floor(at / SIDE))));
  for (const [s, t] of texels) file.int(0, s, t);
  for (const triangle of triangles) file.int(1, ...triangle);
  for (let frame = 0; frame < frames; frame++)
    file
      .int(0)
      .byte(0, 0, 0, 0, 255, 255, 255, 0)
      .text(`frame${frame}`, 16)
      .byte(...places(frame).flatMap((place) => [...packed(place), 0]));
  return file.buffer;
}

/** Quake II's, with the list by which its first renderers draw: each triangle by itself. */
export function md2(parts, frames, skin) {
  const { texels, triangles, places } = shaped(parts);
  const size = 40 + texels.length * 4;
  const at = { skins: 68, texels: 132 };
  at.triangles = at.texels + texels.length * 4;
  at.frames = at.triangles + triangles.length * 12;
  at.list = at.frames + frames * size;
  const words = triangles.length * 10 + 1;
  const file = new Bytes()
    .text('IDP2', 4)
    .int(
      8,
      SIDE,
      SIDE,
      size,
      1,
      texels.length,
      texels.length,
      triangles.length,
      words,
      frames,
      at.skins,
      at.texels,
      at.triangles,
      at.frames,
      at.list,
      at.list + words * 4,
    );
  file.text(skin, 64);
  for (const texel of texels) file.short(...texel);
  for (const triangle of triangles) file.short(...triangle, ...triangle);
  for (let frame = 0; frame < frames; frame++)
    file
      .float(1, 1, 1, -128, -128, -128)
      .text(`frame${frame}`, 16)
      .byte(...places(frame).flatMap((place) => [...packed(place), 0]));
  for (const triangle of triangles) {
    file.int(3);
    for (const vertex of triangle)
      file.float((texels[vertex][0] + 0.5) / SIDE, (texels[vertex][1] + 0.5) / SIDE).int(vertex);
  }
  return file.int(0).buffer;
}

/** A sprite of Quake: a fire that grows and goes out, in frames of 64 by 64. */
export function spr(frames) {
  const side = 64;
  const file = new Bytes().text('IDSP', 4).int(1, 2).float(45).int(side, side, frames).float(0).int(0);
  for (let frame = 0; frame < frames; frame++) {
    const radius = 12 + (frame / frames) * 18;
    file.int(0, -side / 2, side / 2, side, side).byte(
      ...Array.from({ length: side * side }, (_, at) => {
        const [x, y] = [(at % side) - side / 2, Math.floor(at / side) - side / 2];
        const far = Math.hypot(x, y) / radius;
        return far > 1 || (frame > frames / 2 && far < 0.4)
          ? 255
          : shade(y < -radius / 2 ? 15 : 14, Math.round(14 - far * 10));
      }),
    );
  }
  return file.buffer;
}
