// Maps of all four formats, written from scratch: a room with a door of its own, water, sky and, in Quake III, a curve. Light falls on one half of
// the floor, and nowhere else.

/** Corners of the room: 512 wide, 256 high; the floor is at 0. */
const SIZE = 512;
const HIGH = 256;

/** Polygons, clockwise seen from inside: texture, corners, normal. */
function faces() {
  const [s, h] = [SIZE, HIGH];
  const world = [
    {
      texture: 'floor1',
      normal: [0, 0, 1],
      corners: [
        [0, 0, 0],
        [0, s, 0],
        [s, s, 0],
        [s, 0, 0],
      ],
    },
    {
      texture: 'sky1',
      normal: [0, 0, -1],
      corners: [
        [0, 0, h],
        [s, 0, h],
        [s, s, h],
        [0, s, h],
      ],
    },
    {
      texture: 'wall1',
      normal: [1, 0, 0],
      corners: [
        [0, 0, 0],
        [0, 0, h],
        [0, s, h],
        [0, s, 0],
      ],
    },
    {
      texture: 'wall1',
      normal: [-1, 0, 0],
      corners: [
        [s, 0, 0],
        [s, s, 0],
        [s, s, h],
        [s, 0, h],
      ],
    },
    {
      texture: 'wall2',
      normal: [0, 1, 0],
      corners: [
        [0, 0, 0],
        [s, 0, 0],
        [s, 0, h],
        [0, 0, h],
      ],
    },
    {
      texture: 'wall2',
      normal: [0, -1, 0],
      corners: [
        [0, s, 0],
        [0, s, h],
        [s, s, h],
        [s, s, 0],
      ],
    },
    {
      texture: '*water1',
      liquid: true,
      normal: [0, 0, 1],
      corners: [
        [32, 32, 16],
        [32, 160, 16],
        [160, 160, 16],
        [160, 32, 16],
      ],
    },
  ];
  const door = [
    {
      texture: 'door1',
      normal: [0, 0, 1],
      corners: [
        [300, 300, 64],
        [300, 400, 64],
        [400, 400, 64],
        [400, 300, 64],
      ],
    },
  ];
  return { world, door };
}

const ENTITIES = `{
"classname" "worldspawn"
"message" "A room"
}
{
"classname" "info_player_deathmatch"
"origin" "256 256 24"
}
{
"classname" "func_door"
"model" "*1"
}
\0`;

export class Bytes {
  parts = [];
  int(...values) {
    for (const value of values) this.parts.push(Buffer.from(Int32Array.of(value).buffer));
    return this;
  }
  short(...values) {
    for (const value of values) this.parts.push(Buffer.from(Int16Array.of(value).buffer));
    return this;
  }
  float(...values) {
    for (const value of values) this.parts.push(Buffer.from(Float32Array.of(value).buffer));
    return this;
  }
  text(text, length) {
    const bytes = Buffer.alloc(length);
    bytes.write(text, 'latin1');
    this.parts.push(bytes);
    return this;
  }
  byte(...values) {
    this.parts.push(Buffer.from(values));
    return this;
  }
  get buffer() {
    return Buffer.concat(this.parts);
  }
}

/** A head, a directory and the lumps. */
export function file(head, count, lumps) {
  const parts = [];
  const directory = new Bytes();
  let at = head.length + count * 8;
  for (let number = 0; number < count; number++) {
    const lump = lumps[number] ?? Buffer.alloc(0);
    directory.int(at, lump.length);
    parts.push(lump);
    at += lump.length;
  }
  return Buffer.concat([head, directory.buffer, ...parts]);
}

/** Light for the floor: dark where x is small. */
function light(side, unit, bytes) {
  const luxels = Buffer.alloc(side * side * bytes);
  for (let t = 0; t < side; t++)
    for (let s = 0; s < side; s++)
      luxels.fill((s + 0.5) * unit > SIZE / 2 ? 128 : 10, (t * side + s) * bytes, (t * side + s + 1) * bytes);
  return luxels;
}

/** Quake (29), Half-Life (30) and Quake II (38). `inside` are textures that the map holds itself; the door's can have another name; `wide` is the magic
 * of a format with larger numbers; `style` is the light style of all faces; `more` are lines of its world, `names` other names of textures, and `mover` what the door is. */
function edged(
  version,
  {
    inside = {},
    doorName = 'door1',
    wide = '',
    style = 0,
    more = '',
    names: others = {},
    mover = '"classname" "func_door"',
  } = {},
) {
  const second = version === 38;
  const { world, door } = faces();
  door[0].texture = doorName;
  const all = [...world, ...door];
  for (const face of all) face.texture = others[face.texture] ?? face.texture;
  const [planes, vertices, texinfo, faceLump, edges, surfedges, models] = Array.from({ length: 7 }, () => new Bytes());
  const number = (bytes, ...values) => (wide ? bytes.int(...values) : bytes.short(...values));
  number(edges, 0, 0);
  const textures = [...new Set([...all.map((face) => face.texture), ...Object.keys(inside)])];
  let vertex = 0;
  let edge = 1;
  all.forEach((face, at) => {
    planes.float(...face.normal, 0).int(0);
    face.corners.forEach((corner) => vertices.float(...corner));
    const first = vertex;
    face.corners.forEach((_, corner) => {
      const [a, b] = [first + corner, first + ((corner + 1) % face.corners.length)];
      // every other edge is written backwards
      number(edges, ...(edge % 2 ? [a, b] : [b, a]));
      surfedges.int(edge % 2 ? edge : -edge);
      edge++;
    });
    vertex += face.corners.length;
    number(faceLump, at, 0).int(first);
    number(faceLump, face.corners.length, at)
      .byte(style, 255, 255, 255)
      .int(at ? -1 : 0);
    if (second) {
      const flags = face.texture.startsWith('sky') ? 4 : face.liquid ? 8 : 0;
      texinfo.float(1, 0, 0, 0, 0, 1, 0, 0).int(flags, 0).text(face.texture.replace('*', 'e1u1/'), 32).int(-1);
    } else texinfo.float(1, 0, 0, 0, 0, 1, 0, 0).int(textures.indexOf(face.texture), 0);
  });
  for (const [first, count] of [
    [0, world.length],
    [world.length, door.length],
  ]) {
    models.float(0, 0, 0, SIZE, SIZE, HIGH, 0, 0, 0);
    if (second) models.int(0, first, count);
    else models.int(0, 0, 0, 0, 0, first, count);
  }
  const names = new Bytes();
  names.int(textures.length);
  const covers = textures.map(
    (texture) => inside[texture] ?? new Bytes().text(texture, 16).int(16, 16, 0, 0, 0, 0).buffer,
  );
  let cover = 4 + textures.length * 4;
  for (const { length } of covers) {
    names.int(cover);
    cover += length;
  }
  names.parts.push(...covers);
  const entities = Buffer.from(
    ENTITIES.replace('"A room"', (title) => `${title}\n${more}`).replace('"classname" "func_door"', mover),
    'latin1',
  );
  const lump = (bytes) => bytes.buffer;
  const lighting = light(SIZE / 16 + 1, 16, version === 29 ? 1 : 3);
  return second
    ? file(new Bytes().text(wide || 'IBSP', 4).int(38).buffer, 19, {
        0: entities,
        1: lump(planes),
        2: lump(vertices),
        5: lump(texinfo),
        6: lump(faceLump),
        7: lighting,
        11: lump(edges),
        12: lump(surfedges),
        13: lump(models),
      })
    : file(wide ? Buffer.from(wide) : new Bytes().int(version).buffer, 15, {
        0: entities,
        1: lump(planes),
        2: lump(names),
        3: lump(vertices),
        6: lump(texinfo),
        7: lump(faceLump),
        8: lighting,
        12: lump(edges),
        13: lump(surfedges),
        14: lump(models),
      });
}

/** Quake III; with `tiles` more, each of a texture of its own; `corner` is the color of corners, and `fog` the height of fog over the floor. */
function quake3({ tiles = 0, corner: own = [255, 255, 255, 255], fog = 0 } = {}) {
  const { world, door } = faces();
  for (let tile = 0; tile < tiles; tile++) world.push({ ...world[0], texture: `tile${tile}` });
  const all = [...world, ...door];
  const [shaders, models, vertices, indices, surfaces] = Array.from({ length: 5 }, () => new Bytes());
  let vertex = 0;
  let index = 0;
  const drawvert = (corner, normal) =>
    vertices
      .float(...corner, corner[0] / 16, corner[1] / 16, corner[0] / SIZE, corner[1] / SIZE, ...normal)
      .byte(...own);
  const surface = (shader, type, vertexCount, indexCount, width = 0, height = 0, light = -1) => {
    surfaces
      .int(shader, fog && !shader ? 0 : -1, type, vertex, vertexCount, index, indexCount, light, 0, 0, 0, 0)
      .float(...Array(12).fill(0))
      .int(width, height);
    vertex += vertexCount;
    index += indexCount;
  };
  all.forEach((face, number) => {
    shaders
      .text(`textures/test/${face.texture.replace('*', '')}`, 64)
      .int(face.texture.startsWith('sky') ? 4 : 0, face.liquid ? 32 : 1);
    face.corners.forEach((corner) => drawvert(corner, face.normal));
    if (number < world.length) {
      indices.int(0, 1, 2, 0, 2, 3);
      surface(number, 1, 4, 6, 0, 0, number ? -1 : 0);
    }
  });
  // the door's surface follows the curve's in the lump, so the door's vertices do too
  const doorVertex = vertex;
  vertex += door[0].corners.length;
  // a curve: a bow from floor to floor, 64 high in the middle
  for (let y = 0; y < 3; y++)
    for (let x = 0; x < 3; x++) drawvert([200 + x * 50, 200 + y * 50, x === 1 ? 128 : 0], [0, 0, 1]);
  surface(0, 2, 9, 0, 3, 3);
  indices.int(0, 1, 2, 0, 2, 3);
  const [keptVertex] = [vertex];
  vertex = doorVertex;
  surface(all.length - 1, 1, 4, 6);
  vertex = keptVertex;
  for (const [first, count] of [
    [0, world.length + 1],
    [world.length + 1, 1],
  ])
    models.float(0, 0, 0, SIZE, SIZE, HIGH).int(first, count, 0, 0);
  const [planes, sides] = [new Bytes(), new Bytes()];
  for (const [number, far] of [0, SIZE, 0, SIZE, 0, fog].entries()) {
    planes.float(...[0, 1, 2].map((axis) => (axis === number >> 1 ? (number % 2 ? 1 : -1) : 0)), far);
    sides.int(number, 0);
  }
  const fogs = fog
    ? {
        2: planes.buffer,
        8: new Bytes().int(0, 6, 0).buffer,
        9: sides.buffer,
        12: new Bytes().text('textures/test/fog', 64).int(0, 5).buffer,
      }
    : {};
  return file(new Bytes().text('IBSP', 4).int(46).buffer, 17, {
    ...fogs,
    0: Buffer.from(ENTITIES, 'latin1'),
    1: shaders.buffer,
    7: models.buffer,
    10: vertices.buffer,
    11: indices.buffer,
    13: surfaces.buffer,
    14: light(128, SIZE / 128, 3),
  });
}

export const maps = {
  Quake: (more) => edged(29, more),
  'Half-Life': (more) => edged(30, more),
  'Quake II': (more) => edged(38, more),
  'Quake III': quake3,
};

/** A map of Quake with light as newer compilers write it, behind its end: two red luxels for the floor, the second one bright. */
export function redLight() {
  const whole = edged(29);
  const map = Buffer.concat([whole, Buffer.alloc(-whole.length & 3)]);
  const { world, door } = faces();
  const places = new Bytes();
  [...world, ...door].forEach((_, number) =>
    places
      .short(number ? 0 : 2, number ? 0 : 1)
      .int(number ? -1 : 0)
      .float(1 / SIZE, 0, 0, 0, 0, 0, 0, 0),
  );
  const colors = Buffer.from([10, 0, 0, 128, 0, 0]);
  const start = map.length + 8 + 2 * 32;
  const directory = new Bytes()
    .text('BSPX', 4)
    .int(2)
    .text('RGBLIGHTING', 24)
    .int(start, colors.length)
    .text('DECOUPLED_LM', 24)
    .int(start + colors.length, places.buffer.length);
  return Buffer.concat([map, directory.buffer, colors, places.buffer]);
}

export function pak(entries) {
  const data = Buffer.concat(entries.map(({ bytes }) => bytes));
  const directory = new Bytes();
  let at = 12;
  for (const { name, bytes } of entries) {
    directory.text(name, 56).int(at, bytes.length);
    at += bytes.length;
  }
  return Buffer.concat([
    new Bytes().text('PACK', 4).int(12 + data.length, directory.buffer.length).buffer,
    data,
    directory.buffer,
  ]);
}

/** A zip archive; every other entry is deflated. */
export async function pk3(entries) {
  const { deflateRawSync, crc32 } = await import('node:zlib');
  const [body, directory] = [[], []];
  let at = 0;
  entries.forEach(({ name, bytes }, number) => {
    const packed = number % 2 ? bytes : deflateRawSync(bytes);
    const method = number % 2 ? 0 : 8;
    const sum = crc32 ? crc32(bytes) : 0;
    const head = new Bytes()
      .byte(0x50, 0x4b, 3, 4)
      .short(20, 0, method, 0, 0)
      .int(sum | 0, packed.length, bytes.length)
      .short(name.length, 0)
      .text(name, name.length).buffer;
    directory.push(
      new Bytes()
        .byte(0x50, 0x4b, 1, 2)
        .short(20, 20, 0, method, 0, 0)
        .int(sum | 0, packed.length, bytes.length)
        .short(name.length, 0, 0, 0, 0)
        .int(0, at)
        .text(name, name.length).buffer,
    );
    body.push(head, packed);
    at += head.length + packed.length;
  });
  const list = Buffer.concat(directory);
  return Buffer.concat([
    ...body,
    list,
    new Bytes().byte(0x50, 0x4b, 5, 6).short(0, 0, entries.length, entries.length).int(list.length, at).short(0).buffer,
  ]);
}
