// Models in the formats of the four games, written from scratch: boxes whose pictures have colors that a test knows.

import { Bytes } from './maps.mjs';

/** The corners of a box and its triangles, clockwise seen from outside. */
export function box([x1, y1, z1], [x2, y2, z2]) {
  const corners = Array.from({ length: 8 }, (_, at) => [at & 1 ? x2 : x1, at & 2 ? y2 : y1, at & 4 ? z2 : z1]);
  const middle = [(x1 + x2) / 2, (y1 + y2) / 2, (z1 + z2) / 2];
  const quads = [
    [0, 1, 3, 2],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 3, 7, 6],
    [0, 2, 6, 4],
    [1, 3, 7, 5],
  ];
  const triangles = quads
    .flatMap(([a, b, c, d]) => [
      [a, b, c],
      [a, c, d],
    ])
    .map((triangle) => {
      const [a, b, c] = triangle.map((at) => corners[at]);
      const [u, v] = [b, c].map((corner) => corner.map((value, axis) => value - a[axis]));
      const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      const outward = normal.reduce((sum, value, axis) => sum + value * (a[axis] - middle[axis]), 0);
      return outward > 0 ? [triangle[0], triangle[2], triangle[1]] : triangle;
    });
  return { corners, triangles };
}

/** Bytes of a place: a unit each, from -128. */
const packed = (corner) => corner.map((value) => value + 128);
const QUARTER = { s: 4, t: 4 };

/** Quake: `frames` are boxes, `skins` functions of pixels. A list in place of a box is a group. */
export function mdl(frames, skins, { flags = 0, side = 16 } = {}) {
  const { triangles } = box([0, 0, 0], [1, 1, 1]);
  const file = new Bytes()
    .text('IDPO', 4)
    .int(6)
    .float(1, 1, 1, -128, -128, -128, 64, 0, 0, 0)
    .int(skins.length, side, side, 8, triangles.length, frames.length, 0, flags)
    .float(1);
  for (const draw of skins)
    file.int(0).byte(...Array.from({ length: side * side }, (_, at) => draw(at % side, Math.floor(at / side))));
  // the last vertex is on the seam
  for (let vertex = 0; vertex < 8; vertex++) file.int(vertex === 7 ? 32 : 0, QUARTER.s, QUARTER.t);
  for (const triangle of triangles) file.int(1, ...triangle);
  const pose = ([low, high]) =>
    file
      .byte(0, 0, 0, 0, 255, 255, 255, 0)
      .text('frame', 16)
      .byte(...box(low, high).corners.flatMap((corner) => [...packed(corner), 0]));
  for (const frame of frames) {
    if (Array.isArray(frame[0][0])) {
      file
        .int(1, frame.length)
        .byte(0, 0, 0, 0, 255, 255, 255, 0)
        .float(...frame.map((_, at) => (at + 1) / 10));
      frame.forEach(pose);
    } else {
      file.int(0);
      pose(frame);
    }
  }
  return file.buffer;
}

/** Quake II: one box a frame, and the names of skins. */
export function md2(frames, skins) {
  const { triangles } = box([0, 0, 0], [1, 1, 1]);
  const [size, head] = [40 + 8 * 4, 68];
  const at = { skins: head, texels: head + skins.length * 64 };
  at.triangles = at.texels + 8;
  at.frames = at.triangles + triangles.length * 12;
  const end = at.frames + frames.length * size;
  const file = new Bytes()
    .text('IDP2', 4)
    .int(
      8,
      16,
      16,
      size,
      skins.length,
      8,
      2,
      triangles.length,
      0,
      frames.length,
      at.skins,
      at.texels,
      at.triangles,
      at.frames,
      end,
      end,
    );
  for (const skin of skins) file.text(skin, 64);
  file.short(QUARTER.s, QUARTER.t, 12, 12);
  for (const triangle of triangles) file.short(...triangle, 0, 0, 0);
  for (const [low, high] of frames)
    file
      .float(1, 1, 1, -128, -128, -128)
      .text('frame', 16)
      .byte(...box(low, high).corners.flatMap((corner) => [...packed(corner), 0]));
  return file.buffer;
}

/** Quake III: one box a frame, a shader, and tags: places by name, the same in all frames. */
export function md3(frames, shader, tags = {}) {
  const { triangles } = box([0, 0, 0], [1, 1, 1]);
  const names = Object.keys(tags);
  const at = { frames: 108, tags: 108 + frames.length * 56 };
  at.surfaces = at.tags + frames.length * names.length * 112;
  const inside = { triangles: 108, shaders: 108 + triangles.length * 12 };
  inside.texels = inside.shaders + 68;
  inside.places = inside.texels + 8 * 8;
  inside.end = inside.places + frames.length * 8 * 8;
  const file = new Bytes()
    .text('IDP3', 4)
    .int(15)
    .text('model', 64)
    .int(0, frames.length, names.length, 1, 0, at.frames, at.tags, at.surfaces, at.surfaces + inside.end);
  for (const [low, high] of frames) file.float(...low, ...high, 0, 0, 0, 64).text('frame', 16);
  for (const _ of frames) for (const name of names) file.text(name, 64).float(...tags[name], 1, 0, 0, 0, 1, 0, 0, 0, 1);
  file
    .text('IDP3', 4)
    .text('body', 64)
    .int(
      0,
      frames.length,
      1,
      8,
      triangles.length,
      inside.triangles,
      inside.shaders,
      inside.texels,
      inside.places,
      inside.end,
    );
  for (const triangle of triangles) file.int(...triangle);
  file.text(shader, 64).int(0);
  for (let vertex = 0; vertex < 8; vertex++) file.float(0.25, 0.25);
  for (const [low, high] of frames)
    for (const corner of box(low, high).corners) file.short(...corner.map((value) => value * 64)).byte(0, 0);
  return file.buffer;
}

/** Half-Life: a box on a bone that a sequence moves to the places of `frames`, and a picture with a palette. `other` are the places at the other end of a blend from -45 to 45; a controller turns the box. */
export function studio(
  [low, high],
  frames,
  draw,
  palette,
  side = 16,
  { other = null, name = 'skin.bmp', flags = 0 } = {},
) {
  const { corners, triangles } = box(low, high);
  const parts = [];
  let at = 244;
  const add = (bytes) => {
    const from = at;
    parts.push(bytes);
    at += bytes.length;
    return from;
  };
  const bone = (name, parent) =>
    new Bytes()
      .text(name, 32)
      .int(parent, 0, -1, -1, -1, -1, -1, parent)
      .float(0, 0, 0, 0, 0, 0)
      .float(1, 1, 1, 1, 1, 1).buffer;
  const bones = add(Buffer.concat([bone('Bip01', -1), bone('Box', 0)]));
  // the second bone moves along the first axis: offsets of six movements for each bone, then one run
  const movements = new Bytes().short(0, 0, 0, 0, 0, 0).short(other ? 36 : 12, 0, 0, 0, 0, 0);
  if (other) movements.short(0, 0, 0, 0, 0, 0).short(14 + frames.length * 2, 0, 0, 0, 0, 0);
  for (const places of other ? [frames, other] : [frames])
    movements.byte(places.length, places.length).short(...places);
  const animation = add(movements.buffer);
  const sequence = add(
    new Bytes()
      .text('idle', 32)
      .float(10)
      .int(1, 0, 0, 0, 0, frames.length, 0, 0, 0, 0)
      .float(0, 0, 0)
      .int(0, 0)
      .float(...Array(6).fill(0))
      .int(other ? 2 : 1, animation, 0, 0)
      .float(-45, 0, 45, 0)
      .int(0, 0, 0, 0, 0, 0).buffer,
  );
  const vertexBones = add(Buffer.alloc(8, 1));
  const vertices = add(new Bytes().float(...corners.flat()).buffer);
  const normalBones = add(Buffer.alloc(4, 1));
  const normals = add(new Bytes().float(0, 0, 1).buffer);
  // sides as fans and as strips, by turns
  const sides = Array.from({ length: 6 }, (_, side) => {
    const [one, two] = triangles.slice(side * 2, side * 2 + 2);
    const [a, b, c, d] = one[1] === two[2] ? [...two, one[2]] : [...one, two[2]];
    const row = side % 2 ? [a, b, d, c] : [a, b, c, d];
    return new Bytes().short(side % 2 ? 4 : -4, ...row.flatMap((vertex) => [vertex, 0, QUARTER.s, QUARTER.t])).buffer;
  });
  const strips = add(Buffer.concat([...sides, Buffer.alloc(4)]));
  const mesh = add(new Bytes().int(triangles.length, strips, 0, 1, 0).buffer);
  const model = add(
    new Bytes().text('body', 64).int(0).float(0).int(1, mesh, 8, vertexBones, vertices, 1, normalBones, normals, 0, 0)
      .buffer,
  );
  const part = add(new Bytes().text('body', 64).int(1, 1, model).buffer);
  const family = add(new Bytes().short(0, 0).buffer);
  const pixels = add(
    Buffer.concat([
      Buffer.from(Array.from({ length: side * side }, (_, place) => draw(place % side, Math.floor(place / side)))),
      palette,
    ]),
  );
  const turns = add(new Bytes().int(1, 32).float(-30, 30).int(0, 0).buffer);
  const texture = add(new Bytes().text(name, 64).int(flags, side, side, pixels).buffer);
  const head = new Bytes()
    .text('IDST', 4)
    .int(10)
    .text('box', 64)
    .int(at)
    .float(...Array(15).fill(0))
    .int(
      0,
      2,
      bones,
      1,
      turns,
      0,
      0,
      1,
      sequence,
      0,
      0,
      1,
      texture,
      pixels,
      1,
      1,
      family,
      1,
      part,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
    );
  return Buffer.concat([head.buffer, ...parts]);
}

/** ioquake3's: a box on a joint that each frame moves along the first axis, and vertices that go half of the way. */
export function iqm([low, high], frames, shader) {
  const { corners, triangles } = box(low, high);
  const texts = Buffer.from(`\0body\0${shader}\0root\0tag_torso\0`);
  const text = (name) => texts.indexOf(`\0${name}\0`) + 1;
  const floats = (...numbers) => new Bytes().float(...numbers).buffer;
  const parts = [];
  let at = 124;
  const add = (bytes) => {
    const from = at;
    parts.push(bytes);
    at += bytes.length;
    return from;
  };
  const textAt = add(texts);
  const meshAt = add(new Bytes().int(text('body'), text(shader), 0, 8, 0, triangles.length).buffer);
  const places = add(floats(...corners.flat()));
  const texels = add(floats(...corners.flatMap(() => [0.25, 0.25])));
  const normals = add(floats(...corners.flatMap(() => [0, 0, 1])));
  // of two joints: the first stays
  const joints = add(Buffer.from(corners.flatMap(() => [0, 1, 0, 0])));
  const weights = add(Buffer.from(corners.flatMap(() => [128, 128, 0, 0])));
  const arrays = add(
    new Bytes().int(
      0,
      0,
      7,
      3,
      places,
      1,
      0,
      7,
      2,
      texels,
      2,
      0,
      7,
      3,
      normals,
      4,
      0,
      1,
      4,
      joints,
      5,
      0,
      1,
      4,
      weights,
    ).buffer,
  );
  const faces = add(new Bytes().int(...triangles.flat()).buffer);
  const still = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1];
  const bones = add(
    Buffer.concat(
      [
        ['root', -1, still],
        ['tag_torso', 0, [1, 2, 30, ...still.slice(3)]],
      ].map(([name, parent, pose]) => new Bytes().int(text(name), parent).float(...pose).buffer),
    ),
  );
  const poses = add(
    Buffer.concat(
      [
        [-1, 0, still, 0],
        [0, 1, [1, 2, 30, ...still.slice(3)], 1],
      ].map(
        ([parent, mask, pose, scale]) =>
          new Bytes().int(parent, mask).float(...pose, scale, ...Array(9).fill(0)).buffer,
      ),
    ),
  );
  const moves = add(new Bytes().short(...frames).buffer);
  const head = new Bytes()
    .text('INTERQUAKEMODEL', 16)
    .int(
      2,
      at,
      0,
      texts.length,
      textAt,
      1,
      meshAt,
      5,
      8,
      arrays,
      triangles.length,
      faces,
      0,
      2,
      bones,
      2,
      poses,
      0,
      0,
      frames.length,
      1,
      moves,
      0,
      0,
      0,
      0,
      0,
    );
  return Buffer.concat([head.buffer, ...parts]);
}

/** Team Arena's: a box on a bone that each frame moves along the first axis; packed bones have 64ths of a unit. */
export function mdr([low, high], frames, shader, packed = false) {
  const { corners, triangles } = box(low, high);
  const bones = frames.map((x) => [
    [1, 0, 0, x],
    [0, 1, 0, 0],
    [0, 0, 1, 0],
  ]);
  const frame = (bone) => {
    const file = new Bytes().float(...low, ...high, 0, 0, 0, 64);
    if (!packed) return file.text('frame', 16).float(...bone.flat()).buffer;
    return Buffer.concat([
      file.buffer,
      Buffer.from(
        Uint16Array.from(
          [...bone.map((row) => row[3] * 64), ...bone.flatMap((row) => row.slice(0, 3).map((value) => value * 32766))],
          (value) => value + 32768,
        ).buffer,
      ),
    ]);
  };
  const body = Buffer.concat(bones.map(frame));
  const vertices = Buffer.concat(
    corners.map(
      (corner) =>
        new Bytes()
          .float(0, 0, 1, 0.25, 0.25)
          .int(1, 0)
          .float(1, ...corner).buffer,
    ),
  );
  const faces = new Bytes().int(...triangles.flat()).buffer;
  const end = 168 + vertices.length + faces.length;
  const surface = Buffer.concat([
    new Bytes()
      .text('RDM5', 4)
      .text('body', 64)
      .text(shader, 64)
      .int(0, 0, 8, 168, triangles.length, 168 + vertices.length, 0, 0, end).buffer,
    vertices,
    faces,
  ]);
  const detail = 104 + body.length;
  const tag = detail + 12 + surface.length;
  const head = new Bytes()
    .text('RDM5', 4)
    .int(2)
    .text('model', 64)
    .int(frames.length, 1, packed ? -104 : 104, 1, detail, 1, tag, tag + 36);
  return Buffer.concat([
    head.buffer,
    body,
    new Bytes().int(1, 12, 12 + surface.length).buffer,
    surface,
    new Bytes().int(0).text('tag_torso', 32).buffer,
  ]);
}
