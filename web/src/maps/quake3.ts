// Maps of Quake III and Quake Live: polygons, meshes, and curved patches.

import { textAt } from './chars';
import { Atlas, type Luxel } from './light';
import { BadMap, FOGS, type Fog, type Level } from './format';
import { readGrid } from './lightgrid';
import { Lumps, Mesh, facePaint, parseEntities } from './mesh';
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
/** Characters of a shader's name at most. */
const NAME = 64;
/** Nothing of a map is farther from its middle. */
const FARTHEST = 1 << 17;
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
  /** Red, green, blue, alpha. */
  light: [number, number, number, number];
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
  const fogs = readFogs(lumps);
  const bounds = Array.from({ length: models.count ? 6 : 0 }, (_, at) => models.view.getFloat32(at * 4, true));
  const { view: samples } = lumps.lump(15);
  const grid = readGrid(
    new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength),
    bounds.slice(0, 3) as Triple,
    bounds.slice(3) as Triple,
    entities[0]?.['gridsize'],
    doubled,
  );
  const mesh = new Mesh();
  const [colors, normals]: [number[], number[]] = [[], []];
  const pictures = new Map<number, number>();
  const picture = (number: number): number | null => {
    if (number < 0 || number >= lights.count) return null;
    let found = pictures.get(number);
    if (found === undefined) {
      const { buffer, byteOffset } = lights.view;
      found = mesh.atlas.add(
        LIGHT,
        LIGHT,
        doubled(new Uint8Array(buffer, byteOffset + number * LIGHT * LIGHT * 3, LIGHT * LIGHT * 3)),
      );
      pictures.set(number, found);
    }
    return found;
  };
  const shader = (number: number): { name: string; flags: number; contents: number } => {
    if (number < 0 || number >= shaders.count) return { name: '', flags: 0, contents: 0 };
    return {
      name: textAt(shaders.view, number * 72, NAME).toLowerCase(),
      flags: shaders.view.getInt32(number * 72 + 64, true),
      contents: shaders.view.getInt32(number * 72 + 68, true),
    };
  };
  const read = (number: number): Point => {
    const from = number * 44;
    const three = (offset: number): Triple => [
      vertices.view.getFloat32(from + offset, true),
      vertices.view.getFloat32(from + offset + 4, true),
      vertices.view.getFloat32(from + offset + 8, true),
    ];
    return {
      at: three(0),
      normal: three(28),
      texel: [vertices.view.getFloat32(from + 12, true), vertices.view.getFloat32(from + 16, true)],
      luxel: [vertices.view.getFloat32(from + 20, true), vertices.view.getFloat32(from + 24, true)],
      light: [
        ...doubled(new Uint8Array(vertices.view.buffer, vertices.view.byteOffset + from + 40, 3)),
        vertices.view.getUint8(from + 43),
      ] as Point['light'],
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
      if (byCorner) {
        tint.fill(128);
        for (const what of [color, tint])
          for (let channel = 0; channel < 3; channel++)
            what[channel] = Math.round(Math.min(255, (what[channel] * point.light[channel]) / 128));
      }
      const luxel: Luxel =
        lit === null ? Atlas.unlit : [lit, point.luxel[0] * LIGHT - 0.5, point.luxel[1] * LIGHT - 0.5];
      const { normal, light } = point;
      const length = Math.hypot(...normal) || 1;
      for (let axis = 0; axis < 3; axis++) normals.push(Math.round((normal[axis] / length) * 127));
      colors.push(...light);
      return mesh.vertex(...point.at, { color, tint }, luxel, ...point.texel);
    };
    const fog = word(1) >= 0 && word(1) < fogs.length ? word(1) : -1;
    const [type, firstVertex, vertexCount, firstIndex, indexCount] = [word(2), word(3), word(4), word(5), word(6)];
    if (firstVertex < 0 || vertexCount < 0 || firstVertex + vertexCount > vertices.count)
      throw new BadMap(`surface ${number} has vertices that are not there`);
    if (type === PLANAR || type === SOUP) {
      if (firstIndex < 0 || indexCount < 0 || firstIndex + indexCount > indices.count)
        throw new BadMap(`surface ${number} has indices that are not there`);
      const made = new Map<number, number>();
      const corner = (index: number): number => {
        const offset = indices.view.getInt32((firstIndex + index) * 4, true);
        if (offset < 0 || offset >= vertexCount) throw new BadMap(`surface ${number} has a corner that is not its own`);
        let found = made.get(offset);
        if (found === undefined) {
          found = vertex(read(firstVertex + offset));
          made.set(offset, found);
        }
        return found;
      };
      for (let index = 0; index + 2 < indexCount; index += 3)
        mesh.triangle(corner(index), corner(index + 1), corner(index + 2), liquid, material, fog);
    } else if (type === PATCH) {
      const [width, height] = [word(24), word(25)];
      const odd = (size: number) => size >= 3 && size <= LARGEST_PATCH && size % 2 === 1;
      if (!odd(width) || !odd(height) || width * height > vertexCount) throw new BadMap(`patch ${number} has no shape`);
      drawPatch(
        width,
        height,
        (x, y) => read(firstVertex + y * width + x),
        vertex,
        (a, b, c) => mesh.triangle(a, b, c, liquid, material, fog),
      );
    }
  };
  for (let model = 0; model < models.count; model++) {
    const [first, count] = [models.view.getInt32(model * 40 + 24, true), models.view.getInt32(model * 40 + 28, true)];
    if (first < 0 || count < 0 || first + count > surfaces.count)
      throw new BadMap(`model ${model} has surfaces that are not there`);
    for (let surface = first; surface < first + count; surface++) drawSurface(surface);
    mesh.part(model ? entities.find((entity) => entity['model'] === `*${model}`) : entities[0]);
  }
  return {
    ...mesh.level('Quake III', entities),
    corners: { colors: Uint8Array.from(colors), normals: Int8Array.from(normals) },
    fogs,
    grid,
  };
}

/** Fogs, each in the box that its brush begins with; one without a brush is everywhere. */
function readFogs(lumps: Lumps): Fog[] {
  const [planes, brushes, sides, fogs] = [lumps.lump(2, 16), lumps.lump(8, 12), lumps.lump(9, 8), lumps.lump(12, 72)];
  const found: Fog[] = [];
  for (let number = 0; number < Math.min(fogs.count, FOGS - 2); number++) {
    const made: Fog = {
      shader: plain(textAt(fogs.view, number * 72, NAME)),
      min: [-FARTHEST, -FARTHEST, -FARTHEST],
      max: [FARTHEST, FARTHEST, FARTHEST],
      parms: null,
    };
    const brush = fogs.view.getInt32(number * 72 + 64, true);
    const first = brush >= 0 && brush < brushes.count ? brushes.view.getInt32(brush * 12, true) : -1;
    for (let side = first; side >= 0 && side < first + 6 && side < sides.count; side++) {
      const plane = sides.view.getInt32(side * 8, true);
      if (plane < 0 || plane >= planes.count) continue;
      const [x, y, z, far] = [0, 4, 8, 12].map((at) => planes.view.getFloat32(plane * 16 + at, true)) as [
        number,
        number,
        number,
        number,
      ];
      [x, y, z].forEach((way, axis) => {
        if (way > 0.99) made.max[axis] = Math.min(made.max[axis], far);
        else if (way < -0.99) made.min[axis] = Math.max(made.min[axis], -far);
      });
    }
    found.push(made);
  }
  return found;
}

/** Light as the engine takes it: twice as bright, and where that is too much, as bright as can be in the same color. */
function doubled(light: Uint8Array): Uint8Array {
  const made = new Uint8Array(light.length);
  for (let at = 0; at + 2 < light.length; at += 3) {
    const most = Math.max(light[at], light[at + 1], light[at + 2]) * 2;
    const by = most > 255 ? 510 / most : 2;
    for (let channel = at; channel < at + 3; channel++) made[channel] = light[channel] * by;
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
      const [px, py] = [
        Math.min(Math.floor(column / PIECES), (width - 3) / 2),
        Math.min(Math.floor(row / PIECES), (height - 3) / 2),
      ];
      const [u, v] = [weights(column / PIECES - px), weights(row / PIECES - py)];
      const made: Point = { at: [0, 0, 0], normal: [0, 0, 0], texel: [0, 0], luxel: [0, 0], light: [0, 0, 0, 0] };
      for (let y = 0; y < 3; y++) {
        for (let x = 0; x < 3; x++) {
          const point = control(px * 2 + x, py * 2 + y);
          const weight = u[x] * v[y];
          for (const what of ['at', 'normal', 'texel', 'luxel', 'light'] as const)
            point[what].forEach((value, axis) => (made[what][axis] += value * weight));
        }
      }
      corners.push(vertex(made));
    }
  }
  for (let row = 0; row + 1 < rows; row++) {
    for (let column = 0; column + 1 < columns; column++) {
      const [a, b, c, d] = [
        row * columns + column,
        row * columns + column + 1,
        (row + 1) * columns + column,
        (row + 1) * columns + column + 1,
      ].map((place) => corners[place]) as [number, number, number, number];
      // clockwise seen from the front, as all other faces
      triangle(a, c, b);
      triangle(b, c, d);
    }
  }
}
