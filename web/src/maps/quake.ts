// Maps of Quake, Half-Life and Quake II: faces of edges.

import { textAt } from './chars';
import { FaceLight } from './facelight';
import { BadMap, type Level, type Material } from './format';
import { Lumps, Mesh, facePaint, parseEntities } from './mesh';
import { type Miptex, miptexes } from './miptex';
import { plain } from './textures';

/** Where the lumps are. */
const QUAKE = {
  count: 15,
  entities: 0,
  planes: 1,
  textures: 2,
  vertices: 3,
  texinfo: 6,
  faces: 7,
  light: 8,
  edges: 12,
  surfedges: 13,
  models: 14,
  header: 4,
  texinfoSize: 40,
  modelSize: 64,
  firstFace: 56,
};
const QUAKE2 = {
  count: 19,
  entities: 0,
  planes: 1,
  textures: -1,
  vertices: 2,
  texinfo: 5,
  faces: 6,
  light: 7,
  edges: 11,
  surfedges: 12,
  models: 13,
  header: 8,
  texinfoSize: 76,
  modelSize: 48,
  firstFace: 40,
};

/** Flags of Quake II: sky, warping (liquid), seen through, and nodraw, hint, skip. */
const [SKY, WARP, SEEN_THROUGH, HIDDEN] = [4, 8, 0x10 | 0x20, 0x80 | 0x100 | 0x200];
const NOT_DRAWN = /^(sky|clip|trigger|aaatrigger|skip|hint|hintskip|null|origin|bevel|nodraw|common\/|toolsskip)/;
const MOST_EDGES = 4096;

type Triple = [number, number, number];

export function parseQuake(bytes: Uint8Array, format: 'Quake' | 'Half-Life' | 'Quake II', wide: boolean): Level {
  const second = format === 'Quake II';
  const at = second ? QUAKE2 : QUAKE;
  const lumps = new Lumps(bytes, at.header);
  // Blue Shift has the first two the other way round
  const swapped =
    format === 'Half-Life' && !lumps.text(0).trimStart().startsWith('{') && lumps.text(1).trimStart().startsWith('{');
  const entities = parseEntities(lumps.text(swapped ? 1 : at.entities));
  const planes = lumps.lump(swapped ? 0 : at.planes, 20);
  const vertices = lumps.lump(at.vertices, 12);
  const texinfo = lumps.lump(at.texinfo, at.texinfoSize);
  const faces = lumps.lump(at.faces, wide ? 28 : 20);
  const edges = lumps.lump(at.edges, wide ? 8 : 4);
  const surfedges = lumps.lump(at.surfedges, 4);
  const models = lumps.lump(at.models, at.modelSize);
  const inside = second ? [] : miptexes(lumps.lump(at.textures).view, format === 'Half-Life');
  const mesh = new Mesh();
  const colors = lumps.extra('RGBLIGHTING', at.count);
  const light = new FaceLight(
    mesh.atlas,
    colors ?? lumps.lump(at.light).view,
    format === 'Quake' && !colors ? 1 : 3,
    format === 'Quake' && colors ? 3 : 1,
    lumps.extra('DECOUPLED_LM', at.count),
  );
  const inRange = (number: number, count: number, what: string) => {
    if (number < 0 || number >= count) throw new BadMap(`${what} ${number} of ${count} is asked for`);
    return number;
  };
  const chains = animations(inside);
  const tiles = format === 'Half-Life' ? tilesOf(inside) : null;
  const texture = (number: number): { name: string; flags: number; miptex?: Miptex | undefined } => {
    const from = inRange(number, texinfo.count, 'texinfo') * at.texinfoSize;
    if (!second) {
      const miptex = inside[texinfo.view.getInt32(from + 32, true)];
      return { name: miptex?.name ?? '', flags: 0, miptex };
    }
    return { name: textAt(texinfo.view, from + 40, 32), flags: texinfo.view.getInt32(from + 32, true) };
  };
  const drawFace = (number: number) => {
    const v = faces.view;
    const from = inRange(number, faces.count, 'face') * (wide ? 28 : 20);
    const [plane, side, first, count, info] = wide
      ? [
          v.getUint32(from, true),
          v.getInt32(from + 4, true),
          v.getInt32(from + 8, true),
          v.getInt32(from + 12, true),
          v.getUint32(from + 16, true),
        ]
      : [
          v.getUint16(from, true),
          v.getInt16(from + 2, true),
          v.getInt32(from + 4, true),
          v.getUint16(from + 8, true),
          v.getUint16(from + 10, true),
        ];
    const { name, flags, miptex } = texture(info);
    if (flags & SKY || name.toLowerCase().startsWith('sky'))
      mesh.sky ??= { name: plain(name), inside: miptex?.bytes ?? null };
    if (NOT_DRAWN.test(name.toLowerCase()) || flags & (SKY | HIDDEN)) return;
    const liquid = second
      ? (flags & WARP) !== 0
      : name.startsWith('*') || (format === 'Half-Life' && name.startsWith('!'));
    const p = inRange(plane, planes.count, 'plane') * 20;
    const sign = side ? -1 : 1;
    const normal: [number, number, number] = [
      planes.view.getFloat32(p, true) * sign,
      planes.view.getFloat32(p + 4, true) * sign,
      planes.view.getFloat32(p + 8, true) * sign,
    ];
    const paint = facePaint(normal, name, liquid);
    if (count < 3 || count > MOST_EDGES) return;
    const places: Triple[] = [];
    for (let edge = 0; edge < count; edge++) {
      const signed = surfedges.view.getInt32(inRange(first + edge, surfedges.count, 'surfedge') * 4, true);
      const e = inRange(Math.abs(signed), edges.count, 'edge') * (wide ? 8 : 4) + (signed < 0 ? (wide ? 4 : 2) : 0);
      const corner =
        inRange(wide ? edges.view.getUint32(e, true) : edges.view.getUint16(e, true), vertices.count, 'vertex') * 12;
      places.push([
        vertices.view.getFloat32(corner, true),
        vertices.view.getFloat32(corner + 4, true),
        vertices.view.getFloat32(corner + 8, true),
      ]);
    }
    const axes = new DataView(texinfo.view.buffer, texinfo.view.byteOffset + info * at.texinfoSize, 32);
    const luxels =
      liquid || flags & SEEN_THROUGH
        ? []
        : light.of(number, new DataView(v.buffer, v.byteOffset + from + (wide ? 20 : 12), 8), axes, places);
    // in texels: how large a picture is, is known when it is found
    const along = ([x, y, z]: Triple, from: number) =>
      x * axes.getFloat32(from, true) +
      y * axes.getFloat32(from + 4, true) +
      z * axes.getFloat32(from + 8, true) +
      axes.getFloat32(from + 12, true);
    const tile = tiles?.get(plain(name).slice(2));
    const shown =
      name.startsWith('-') && tile
        ? tile[placeIn(places.map((place) => [along(place, 0), along(place, 16)])) % tile.length]
        : { name, bytes: miptex?.bytes ?? null };
    const material = mesh.material(
      shown.name.toLowerCase(),
      (): Material => ({ name: plain(shown.name), inside: shown.bytes, ...chains.get(plain(name)) }),
    );
    const corners = places.map((place, corner) =>
      mesh.vertex(...place, paint, luxels[corner], along(place, 0), along(place, 16)),
    );
    for (let corner = 2; corner < corners.length; corner++)
      mesh.triangle(corners[0], corners[corner - 1], corners[corner], liquid, material);
  };
  for (let model = 0; model < models.count; model++) {
    const from = model * at.modelSize + at.firstFace;
    const [first, count] = [models.view.getInt32(from, true), models.view.getInt32(from + 4, true)];
    if (first < 0 || count < 0 || first + count > faces.count)
      throw new BadMap(`model ${model} has faces that are not there`);
    for (let face = first; face < first + count; face++) drawFace(face);
    mesh.part(model ? entities.find((entity) => entity['model'] === `*${model}`) : entities[0]);
  }
  return mesh.level(format, entities);
}

/** The animations of textures: `+0` to `+9` of one name, and `+a` to `+j` while what they cover is switched. */
function animations(all: readonly Miptex[]): Map<string, Required<Pick<Material, 'frames' | 'switched'>>> {
  const kinds = new Map<string, { numbers: Material[]; letters: Material[] }>();
  const found = new Map<string, Required<Pick<Material, 'frames' | 'switched'>>>();
  const moving = new Map(
    all
      .map(({ name, bytes }): [string, Material] => [plain(name), { name: plain(name), inside: bytes }])
      .filter(([name]) => /^\+[0-9a-j]/.test(name)),
  );
  for (const [name, material] of [...moving].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const kind = kinds.get(name.slice(2)) ?? { numbers: [], letters: [] };
    kinds.set(name.slice(2), kind);
    const isNumber = /^\+\d/.test(name);
    (isNumber ? kind.numbers : kind.letters).push(material);
    found.set(
      name,
      isNumber ? { frames: kind.numbers, switched: kind.letters } : { frames: kind.letters, switched: kind.numbers },
    );
  }
  return found;
}

/** Tiles of Half-Life, `-0` to `-9` of one name, by that name: each face shows any one. */
function tilesOf(all: readonly Miptex[]): Map<string, Miptex[]> {
  const found = new Map<string, Miptex[]>();
  for (const one of [...all].sort((a, b) => (plain(a.name) < plain(b.name) ? -1 : 1))) {
    if (!/^-\d/.test(one.name)) continue;
    const kind = found.get(plain(one.name).slice(2));
    if (kind) kind.push(one);
    else found.set(plain(one.name).slice(2), [one]);
  }
  return found;
}

/** A number that belongs to a face, by where it is in its texture: the game takes chance. */
const placeIn = (texels: [number, number][]): number =>
  (Math.imul(
    Math.floor(Math.min(...texels.map(([s]) => s)) / 8) * 71 +
      Math.floor(Math.min(...texels.map(([, t]) => t)) / 8) +
      1,
    0x9e3779b1,
  ) >>>
    17) &
  0xff;
