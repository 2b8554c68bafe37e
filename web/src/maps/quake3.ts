// Maps of Quake III and Quake Live: polygons, meshes, and curved patches.

import { Atlas, type Luxel } from './light';
import { BadMap, type Level, Lumps, Mesh, facePaint, parseEntities } from './level';
import { plain } from './textures';

const [PLANAR, PATCH, SOUP] = [1, 2, 3];
/** Sky, nodraw, hint, skip. */
const SKY = 0x4;
const NOT_DRAWN = SKY | 0x80 | 0x100 | 0x200;
/** Lava, slime, water. */
const LIQUID = 0x38;
/** Pieces of a curve; neighbors of one level meet without cracks. */
const PIECES = 4;
const LARGEST_PATCH = 65;
/** Instead of the number of a picture: the corners say how bright they are. */
const LIGHT_OF_CORNERS = -3;

/** Pictures of light are square. */
const LIGHT = 128;

type Triple = [number, number, number];

/** A point of a surface: place, normal, where it is in its picture and in the light (0 to 1), and the light that it has of its own. */
interface Point {
  at: Triple;
  normal: Triple;
  texel: [number, number];
  luxel: [number, number];
  light: Triple;
}

export function parseQuake3(bytes: Uint8Array): Level {
  const lumps = new Lumps(bytes, 8);
  const entities = parseEntities(lumps.text(0));
  const shaders = lumps.lump(1, 72);
  const models = lumps.lump(7, 40);
  const vertices = lumps.lump(10, 44);
  const indices = lumps.lump(11, 4);
  const surfaces = lumps.lump(13, 104);
  const lights = lumps.lump(14, LIGHT * LIGHT * 3);
  const mesh = new Mesh();
  const pictures = new Map<number, number>();
  const picture = (number: number): number | null => {
    if (number < 0 || number >= lights.count) return null;
    let found = pictures.get(number);
    if (found === undefined) {
      const { buffer, byteOffset } = lights.view;
      found = mesh.atlas.add(LIGHT, LIGHT, doubled(new Uint8Array(buffer, byteOffset + number * LIGHT * LIGHT * 3, LIGHT * LIGHT * 3)));
      pictures.set(number, found);
    }
    return found;
  };
  const shader = (number: number): { name: string; flags: number; contents: number } => {
    if (number < 0 || number >= shaders.count) return { name: '', flags: 0, contents: 0 };
    let name = '';
    for (let byte = 0; byte < 64; byte++) {
      const code = shaders.view.getUint8(number * 72 + byte);
      if (!code) break;
      name += String.fromCharCode(code);
    }
    return { name: name.toLowerCase(), flags: shaders.view.getInt32(number * 72 + 64, true), contents: shaders.view.getInt32(number * 72 + 68, true) };
  };
  const read = (number: number): Point => {
    const from = number * 44;
    const three = (offset: number): Triple => [vertices.view.getFloat32(from + offset, true), vertices.view.getFloat32(from + offset + 4, true), vertices.view.getFloat32(from + offset + 8, true)];
    return {
      at: three(0),
      normal: three(28),
      texel: [vertices.view.getFloat32(from + 12, true), vertices.view.getFloat32(from + 16, true)],
      luxel: [vertices.view.getFloat32(from + 20, true), vertices.view.getFloat32(from + 24, true)],
      light: [...doubled(new Uint8Array(vertices.view.buffer, vertices.view.byteOffset + from + 40, 3))] as Triple,
    };
  };
  const drawSurface = (number: number) => {
    const word = (place: number) => surfaces.view.getInt32(number * 104 + place * 4, true);
    const { name, flags, contents } = shader(word(0));
    if (flags & SKY) mesh.sky ??= { name: plain(name), inside: null };
    if (flags & NOT_DRAWN || name.includes('common/')) return;
    const liquid = (contents & LIQUID) !== 0;
    const material = mesh.material(name, () => ({ name: plain(name), inside: null }));
    const liquidName = contents & 8 ? 'lava' : contents & 16 ? 'slime' : name;
    const lit = liquid ? null : picture(word(7));
    // without a picture the corners have light of their own, half as bright as it is shown
    const byCorner = !liquid && word(7) === LIGHT_OF_CORNERS;
    const vertex = (point: Point): number => {
      const { color, tint } = facePaint(point.normal, liquid ? liquidName : name, liquid);
      const own = (value: number, channel: number) => Math.round(Math.min(255, (value * point.light[channel]!) / 128));
      if (byCorner) for (const what of [color, tint]) for (let channel = 0; channel < 3; channel++) what[channel] = own(what[channel]!, channel);
      const luxel: Luxel = lit === null ? Atlas.unlit : [lit, point.luxel[0] * LIGHT - 0.5, point.luxel[1] * LIGHT - 0.5];
      return mesh.vertex(...point.at, { color, tint }, luxel, ...point.texel);
    };
    const [type, firstVertex, vertexCount, firstIndex, indexCount] = [word(2), word(3), word(4), word(5), word(6)];
    if (firstVertex < 0 || vertexCount < 0 || firstVertex + vertexCount > vertices.count) throw new BadMap(`surface ${number} has vertices that are not there`);
    if (type === PLANAR || type === SOUP) {
      if (firstIndex < 0 || indexCount < 0 || firstIndex + indexCount > indices.count) throw new BadMap(`surface ${number} has indices that are not there`);
      const made = new Map<number, number>();
      const corner = (index: number): number => {
        const offset = indices.view.getInt32((firstIndex + index) * 4, true);
        if (offset < 0 || offset >= vertexCount) throw new BadMap(`surface ${number} has a corner that is not its own`);
        let found = made.get(offset);
        if (found === undefined) {
          made.set(offset, (found = vertex(read(firstVertex + offset))));
        }
        return found;
      };
      for (let index = 0; index + 2 < indexCount; index += 3) mesh.triangle(corner(index), corner(index + 1), corner(index + 2), liquid, material);
    } else if (type === PATCH) {
      const [width, height] = [word(24), word(25)];
      const odd = (size: number) => size >= 3 && size <= LARGEST_PATCH && size % 2 === 1;
      if (!odd(width) || !odd(height) || width * height > vertexCount) throw new BadMap(`patch ${number} has no shape`);
      drawPatch(width, height, (x, y) => read(firstVertex + y * width + x), vertex, (a, b, c) => mesh.triangle(a, b, c, liquid, material));
    }
  };
  for (let model = 0; model < models.count; model++) {
    const [first, count] = [models.view.getInt32(model * 40 + 24, true), models.view.getInt32(model * 40 + 28, true)];
    if (first < 0 || count < 0 || first + count > surfaces.count) throw new BadMap(`model ${model} has surfaces that are not there`);
    for (let surface = first; surface < first + count; surface++) drawSurface(surface);
    mesh.part(model ? entities.find((entity) => entity['model'] === `*${model}`) : entities[0]);
  }
  return mesh.level('Quake III', entities);
}

/** Light as the engine takes it: twice as bright, and where that is too much, as bright as can be in the same color. */
function doubled(light: Uint8Array): Uint8Array {
  const made = new Uint8Array(light.length);
  for (let at = 0; at + 2 < light.length; at += 3) {
    const most = Math.max(light[at]!, light[at + 1]!, light[at + 2]!) * 2;
    const by = most > 255 ? 510 / most : 2;
    for (let channel = at; channel < at + 3; channel++) made[channel] = light[channel]! * by;
  }
  return made;
}

/** Pieces of 3 by 3 control points, each a quadratic Bézier surface. */
function drawPatch(
  width: number,
  height: number,
  control: (x: number, y: number) => Point,
  vertex: (point: Point) => number,
  triangle: (a: number, b: number, c: number) => void,
): void {
  const [columns, rows] = [((width - 1) / 2) * PIECES + 1, ((height - 1) / 2) * PIECES + 1];
  const weights = (t: number): Triple => [(1 - t) * (1 - t), 2 * t * (1 - t), t * t];
  const corners: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [px, py] = [Math.min(Math.floor(column / PIECES), (width - 3) / 2), Math.min(Math.floor(row / PIECES), (height - 3) / 2)];
      const [u, v] = [weights(column / PIECES - px), weights(row / PIECES - py)];
      const made: Point = { at: [0, 0, 0], normal: [0, 0, 0], texel: [0, 0], luxel: [0, 0], light: [0, 0, 0] };
      for (let y = 0; y < 3; y++) {
        for (let x = 0; x < 3; x++) {
          const point = control(px * 2 + x, py * 2 + y);
          const weight = u[x]! * v[y]!;
          for (const what of ['at', 'normal', 'texel', 'luxel', 'light'] as const) point[what].forEach((value, axis) => (made[what][axis]! += value * weight));
        }
      }
      corners.push(vertex(made));
    }
  }
  for (let row = 0; row + 1 < rows; row++) {
    for (let column = 0; column + 1 < columns; column++) {
      const [a, b, c, d] = [row * columns + column, row * columns + column + 1, (row + 1) * columns + column, (row + 1) * columns + column + 1].map((place) => corners[place]!) as [number, number, number, number];
      // clockwise seen from the front, as all other faces
      triangle(a, c, b);
      triangle(b, c, d);
    }
  }
}
