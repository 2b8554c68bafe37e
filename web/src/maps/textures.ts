// What faces are covered with: pictures out of the map itself, or out of the game's files.

import { isBitmap, readBitmap } from './bitmap';
import type { GameFiles } from './files';
import type { Level } from './level';
import { readMiptex } from './miptex';
import { type Pixels, type Sized, shrunk } from './pixels';
import { type Shader, type Stage, blocks, readShader } from './shader';
import { type Sky, findSky } from './sky';
import { readTga } from './tga';
import { palettePcx, readWal } from './wal';

/** What a map says of a texture. */
export interface Material {
  name: string;
  /** The texture itself, where the map holds it. */
  inside: Uint8Array | null;
}

/** A picture, and how it is drawn. */
export interface Picture extends Pixels, Omit<Stage, 'image'> {
  /** Whether it is seen from both sides. */
  both: boolean;
  /** Whether nothing is drawn. */
  hidden: boolean;
}

export interface Textured {
  pictures: (Picture | null)[];
  sky: Sky | null;
  /** The files that it took, as far as they are to be kept, and whether any of them was not kept before. */
  files: Map<string, Uint8Array>;
  fresh: boolean;
}

/** Bytes of pictures for the graphics card: 64 MB with their smaller sizes. Beyond that the largest are halved. */
const MOST_BYTES = 48 << 20;
const LONGEST_SIDE = 1024;
/** Bytes of files that are kept for one map. */
const MOST_KEPT = 32 << 20;
/** No real map has more textures, or more pixels before they are made smaller. */
const MOST_MATERIALS = 4096;
const MOST_PIXELS = 512 << 20;

const PLAIN = { cut: 0, blend: null, both: false, hidden: false };

/** A texture's name as files have it. */
export const plain = (name: string): string => name.replaceAll('\\', '/').toLowerCase();

const withoutEnding = (name: string): string => plain(name).replace(/\.(tga|jpe?g|png)$/, '');

/** Finds the pictures of a level, in what was dropped and in what was kept of an earlier day. What is not there or broken stays without. */
export async function addTextures(level: Level, game: GameFiles, kept: ReadonlyMap<string, Uint8Array>): Promise<Textured> {
  const files = new Map<string, Uint8Array>();
  let [fresh, room] = [false, MOST_KEPT];
  const find = async (name: string): Promise<Uint8Array | null> => {
    const known = files.get(name);
    if (known) return known;
    const found = await game.find(name);
    fresh ||= !!found;
    const bytes = found ?? kept.get(name) ?? null;
    if (bytes && bytes.length <= room) {
      room -= bytes.length;
      files.set(name, bytes);
    }
    return bytes;
  };
  const { format } = level;
  const materials = level.materials.slice(0, MOST_MATERIALS);
  const shaders = format === 'Quake III' ? await findShaders(level.skyMaterial ? [...materials, level.skyMaterial] : materials, game, kept, files) : new Map<string, Shader>();
  const palette = format === 'Quake' ? ((await find('gfx/palette.lmp')) ?? (await find('palette.lmp'))) : null;
  const colormap = format === 'Quake II' ? ((await find('pics/colormap.pcx')) ?? (await find('colormap.pcx'))) : null;
  const colors = colormap && palettePcx(colormap);
  let [side, bytes, pixels] = [LONGEST_SIDE, 0, 0];

  /** A picture out of a file, tga, jpg or png. */
  const file = async (name: string): Promise<Sized | null> => {
    for (const ending of ['tga', 'jpg', 'png', 'jpeg']) {
      const found = await find(`${name}.${ending}`);
      if (!found) continue;
      const picture: Sized = isBitmap(found) ? await readBitmap(found, side) : readTga(found);
      const { width, height, of = [width, height] } = picture;
      pixels += of[0] * of[1];
      return picture;
    }
    return null;
  };
  /** Quake's games give places on a face in pixels. */
  const byPixel = (picture: Sized): Picture => {
    const [width, height] = picture.of ?? [picture.width, picture.height];
    return { ...PLAIN, ...picture, scale: [1 / width, 1 / height] };
  };

  const quake = async ({ name, inside }: Material): Promise<Picture | null> => {
    if (format === 'Quake' && !palette) return null;
    const miptex = inside ?? (await find(`wad/${name}`));
    return miptex && { ...byPixel(readMiptex(miptex, name, palette)), cut: name.startsWith('{') ? 0.5 : 0 };
  };
  const quake2 = async ({ name }: Material): Promise<Picture | null> => {
    const wal = colors && (await find(`textures/${name}.wal`));
    if (wal) return byPixel(readWal(wal, colors));
    const other = await file(`textures/${name}`);
    return other && byPixel(other);
  };
  const quake3 = async ({ name }: Material): Promise<Picture | null> => {
    const shader = shaders.get(withoutEnding(name)) ?? readShader(name, '');
    if (shader.hidden) return { ...PLAIN, width: 0, height: 0, pixels: new Uint8Array(), scale: [1, 1], hidden: true };
    for (const { image, ...stage } of shader.stages) {
      const picture = await file(withoutEnding(image));
      if (picture) return { ...PLAIN, ...picture, ...stage, both: shader.both };
    }
    return null;
  };
  const pictureOf = format === 'Quake III' ? quake3 : format === 'Quake II' ? quake2 : quake;

  const pictures: (Picture | null)[] = [];
  for (const material of materials) {
    let picture: Picture | null = null;
    try {
      if (pixels < MOST_PIXELS) picture = await pictureOf(material);
      if (picture) {
        pixels += picture.width * picture.height;
        picture = { ...picture, ...shrunk(picture, side) };
      }
    } catch {
      // its faces keep their flat color
      picture = null;
    }
    pictures.push(picture);
    bytes += picture?.pixels.length ?? 0;
    for (; bytes > MOST_BYTES && side > 1; side >>= 1) {
      pictures.forEach((one, at) => one && (pictures[at] = { ...one, ...shrunk(one, side >> 1) }));
      bytes = pictures.reduce((sum, one) => sum + (one?.pixels.length ?? 0), 0);
    }
  }
  let sky: Sky | null = null;
  try {
    sky = await findSky(level, level.skyMaterial ? shaders.get(withoutEnding(level.skyMaterial.name)) : undefined, palette, file);
  } catch {
    // it is a gradient
  }
  return { pictures, sky, files, fresh };
}

/** What scripts say of a level's materials. Each is kept as a file of its own. */
async function findShaders(materials: Material[], game: GameFiles, kept: ReadonlyMap<string, Uint8Array>, files: Map<string, Uint8Array>): Promise<Map<string, Shader>> {
  const wanted = new Set(materials.map(({ name }) => withoutEnding(name)));
  const texts = new Map<string, string>();
  for await (const [script, pack] of game.scripts()) {
    for (const [name, text] of blocks(script, wanted)) {
      if (texts.has(name)) continue;
      texts.set(name, text);
      pack.used = true;
    }
  }
  const shaders = new Map<string, Shader>();
  for (const name of wanted) {
    const [key, text] = [`shader/${name}`, texts.get(name)];
    const bytes = text === undefined ? kept.get(key) : new TextEncoder().encode(text);
    if (!bytes) continue;
    files.set(key, bytes);
    shaders.set(name, readShader(name, new TextDecoder().decode(bytes)));
  }
  return shaders;
}
