// Textures in the formats of the four games, written from scratch, of colors that a test knows.

import { crc32, deflateSync } from 'node:zlib';
import { Bytes } from './maps.mjs';

/** The colors: the index of each is its place here. */
export const COLORS = [
  [0, 0, 0],
  [200, 40, 20],
  [20, 60, 220],
  [30, 170, 60],
  [210, 190, 40],
  [120, 130, 140],
  [150, 60, 170],
];
/** Of a texture with four quarters, the indices of the upper left, the upper right, the lower left and the lower right. */
export const QUARTERS = [1, 2, 3, 4];
/** Runs of a PCX: the longest, and what marks them. */
const [MOST_RUN, RUN] = [63, 0xc0];
/** Quarters of 8 by 8 pixels. */
const SIDE = 16;

export const quarters = (x, y, [a, b, c, d] = QUARTERS) =>
  y % SIDE < SIDE / 2 ? (x % SIDE < SIDE / 2 ? a : b) : x % SIDE < SIDE / 2 ? c : d;
export const plain = (index) => () => index;

export const palette = Buffer.alloc(768);
COLORS.forEach((color, index) => palette.set(color, index * 3));

const indices = (width, draw, height = width) =>
  Buffer.from(Array.from({ length: width * height }, (_, at) => draw(at % width, Math.floor(at / width))));
/** The four sizes of a picture. */
const sizes = (draw, [width, height]) =>
  [1, 2, 4, 8].map((step) => indices(width / step, (x, y) => draw(x * step, y * step), height / step));

/** The sizes of a picture, and what stands before them: a name of this number of bytes, their sides, and where each is, the first `at`. */
function headed(name, bytes, at, draw, size) {
  const pictures = sizes(draw, size);
  const head = new Bytes().text(name, bytes).int(...size);
  for (const { length } of pictures) {
    head.int(at);
    at += length;
  }
  return { head, pictures };
}

/** A texture of Quake, or with a palette of its own one of Half-Life: `own` may be that palette. */
export function miptex(name, draw, own = false, size = [SIDE, SIDE]) {
  const { head, pictures } = headed(name, 16, 40, draw, size);
  return Buffer.concat([
    head.buffer,
    ...pictures,
    ...(own ? [new Bytes().short(256).buffer, own === true ? palette : own, Buffer.alloc(2)] : []),
  ]);
}

export const wad = (textures, magic = 'WAD3') =>
  lumps(
    Object.entries(textures).map(([name, bytes]) => [name.toUpperCase(), 0x43, bytes]),
    magic,
  );

/** A WAD of lumps: each a name, a kind and bytes. */
export function lumps(entries, magic) {
  const directory = new Bytes();
  let at = 12;
  for (const [name, kind, { length }] of entries) {
    directory.int(at, length, length).byte(kind, 0, 0, 0).text(name, 16);
    at += length;
  }
  return Buffer.concat([
    new Bytes().text(magic, 4).int(entries.length, at).buffer,
    ...entries.map(([, , bytes]) => bytes),
    directory.buffer,
  ]);
}

/** A texture of Quake II, with the name of the next one of its animation. */
export function wal(name, draw, next = '', size = [SIDE, SIDE]) {
  const { head, pictures } = headed(name, 32, 100, draw, size);
  return Buffer.concat([head.text(next, 32).int(0, 0, 0).buffer, ...pictures]);
}

/** A picture of one color with a palette behind it: 16 by 16 pixels in runs. */
export function pcx(index = 0) {
  return drawnPcx(plain(index), [SIDE, SIDE], palette);
}

/** A picture with a palette behind it, in runs. */
export function drawnPcx(draw, [width, height], colors) {
  const head = Buffer.alloc(128);
  head.set([10, 5, 1, 8]);
  for (const [at, value] of [
    [8, width - 1],
    [10, height - 1],
    [66, width],
  ])
    head.writeUInt16LE(value, at);
  head[65] = 1;
  const body = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; ) {
      const index = draw(x, y);
      let run = 1;
      while (run < MOST_RUN && x + run < width && draw(x + run, y) === index) run++;
      body.push(RUN | run, index);
      x += run;
    }
  }
  return Buffer.concat([head, Buffer.from(body), Buffer.from([12]), colors]);
}

/** Red, green, blue and alpha of each pixel; index 255 is a hole. */
const rgba = (side, draw) =>
  Array.from({ length: side * side }, (_, at) => draw(at % side, Math.floor(at / side))).map((index) =>
    index === 255 ? [9, 9, 9, 0] : [...COLORS[index], 255],
  );

/** A TGA: from below or from above, with or without alpha, in runs or not. */
export function tga(draw, { above = false, alpha = false, packed = false } = {}) {
  const pixels = rgba(SIDE, draw).map(([red, green, blue, clear]) => [blue, green, red, ...(alpha ? [clear] : [])]);
  const rows = Array.from({ length: SIDE }, (_, row) => pixels.slice(row * SIDE, (row + 1) * SIDE));
  if (!above) rows.reverse();
  const body = rows.flatMap((row) => {
    if (!packed) return row.flat();
    // a run of each half, the second pixel by pixel
    const [left, right] = [row.slice(0, SIDE / 2), row.slice(SIDE / 2)];
    return [0x80 | (left.length - 1), ...left[0], right.length - 1, ...right.flat()];
  });
  const head = new Bytes()
    .byte(3, 0, packed ? 10 : 2)
    .short(0, 0)
    .byte(0)
    .short(0, 0, SIDE, SIDE)
    .byte(alpha ? 32 : 24, above ? 0x20 : 0)
    .text('abc', 3);
  return Buffer.concat([head.buffer, Buffer.from(body)]);
}

export function png(draw, side = SIDE) {
  // each line begins with how it is filtered: not at all
  const lines = Buffer.alloc(side * (1 + side * 3));
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) lines.set(COLORS[draw(x, y)], y * (1 + side * 3) + 1 + x * 3);
  const chunk = (kind, bytes) => {
    const body = Buffer.concat([Buffer.from(kind, 'latin1'), bytes]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(bytes.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
