// What faces are covered with: pictures out of the map itself, or out of the game's files.

import { isBitmap, readBitmap } from './bitmap';
import type { GameFiles } from './files';
import type { Fog, Level, Material, Picture, Sky } from './format';
import { readMiptex, readShining } from './miptex';
import { type Pixels, type Sized, shrunk } from './pixels';
import { type Layer, type Shader, blocks, readShader } from './shader';
import { findSky, stretched } from './sky';
import { readTga } from './tga';
import { nextWal, palettePcx, readWal } from './wal';

export interface Textured {
  pictures: (Picture | null)[];
  sky: Sky | null;
  fogs: Fog[];
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
/** How what shines by itself lies on a picture. */
const SHINING: Pick<Picture, 'blend' | 'motion'> = {
  blend: ['SRC_ALPHA', 'ONE_MINUS_SRC_ALPHA'],
  motion: {
    moves: [],
    color: { value: [0.5, 0.5, 0.5] },
    alpha: null,
    lit: false,
    byCorner: false,
    lacking: false,
    seenByCorner: false,
    gloss: false,
    far: 0,
    once: false,
    mirror: false,
  },
};

/** Pictures that are drawn over each other, and those of one animation. */
const [MOST_LAYERS, MOST_FRAMES] = [4, 16];
/** Pictures of an animation in a second. */
const RATES: Record<string, number> = { Quake: 5, 'Half-Life': 10, 'Quake II': 2 };

/** The same with other pixels. */
function remade(picture: Picture, make: (pixels: Pixels) => Pixels): Picture {
  const { frames, switched, over } = picture;
  return {
    ...picture,
    ...make(picture),
    ...(frames && { frames: frames.map(make) }),
    ...(switched && { switched: switched.map(make) }),
    ...(over && { over: over.map((one) => remade(one, make)) }),
  };
}

/** Bytes of a picture with all that belongs to it. */
function sizeOf({ pixels, frames = [], switched = [], over = [] }: Picture): number {
  const sum = (all: number[]) => all.reduce((one, more) => one + more, 0);
  return (
    (frames.length ? 0 : pixels.length) +
    sum([...frames, ...switched].map((one) => one.pixels.length)) +
    sum(over.map(sizeOf))
  );
}

/** A texture's name as files have it. */
export const plain = (name: string): string => name.replaceAll('\\', '/').toLowerCase();

const withoutEnding = (name: string): string => plain(name).replace(/\.(tga|jpe?g|png)$/, '');

/** Finds the pictures of a level, in what was dropped and in what was kept of an earlier day. What is not there or broken stays without. */
export async function addTextures(
  level: Level,
  game: GameFiles,
  kept: ReadonlyMap<string, Uint8Array>,
): Promise<Textured> {
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
  const shaders =
    format === 'Quake III'
      ? await findShaders(
          [
            ...materials,
            ...(level.skyMaterial ? [level.skyMaterial] : []),
            ...level.fogs.map(({ shader }) => ({ name: shader })),
          ],
          game,
          kept,
          files,
        )
      : new Map<string, Shader>();
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

  const still = async ({ name, inside }: Material): Promise<Picture | null> => {
    const miptex = inside ?? (await find(`wad/${name}`));
    if (!miptex) return null;
    const shining = format === 'Quake' && !name.startsWith('*') && readShining(miptex, name, palette!);
    return {
      ...byPixel(readMiptex(miptex, name, palette)),
      cut: name.startsWith('{') ? 0.5 : 0,
      ...(shining && { over: [{ ...byPixel(shining), ...SHINING }] }),
    };
  };
  /** All of an animation in the size of the first. */
  const alike = async <T>(
    names: readonly T[],
    size: Pixels,
    load: (one: T) => Promise<Pixels | null>,
  ): Promise<Pixels[]> => {
    const found: Pixels[] = [];
    for (const one of names.slice(0, MOST_FRAMES)) {
      const picture = await load(one);
      if (picture) found.push(stretched(picture, size.width, size.height));
    }
    return found;
  };
  const quake = async (material: Material): Promise<Picture | null> => {
    if (format === 'Quake' && !palette) return null;
    const first = await still(material);
    const { frames = [], switched = [] } = material;
    if (!first || frames.length + switched.length < 2) return first;
    const moving = {
      frames: await alike(frames, first, still),
      switched: await alike(switched, first, still),
      rate: RATES[format],
    };
    if (![first, ...moving.frames, ...moving.switched].some((one: Partial<Picture>) => one.over))
      return { ...first, ...moving };
    const clear = { width: first.width, height: first.height, pixels: new Uint8Array(first.pixels.length) };
    const shining = (one: Partial<Picture>): Pixels => one.over?.[0] ?? clear;
    return {
      ...first,
      ...moving,
      over: [
        {
          ...byPixel(shining(first)),
          ...SHINING,
          frames: moving.frames.map(shining),
          switched: moving.switched.map(shining),
          rate: moving.rate,
        },
      ],
    };
  };
  const quake2 = async ({ name }: Material): Promise<Picture | null> => {
    const wal = colors && (await find(`textures/${name}.wal`));
    if (wal) {
      const first = byPixel(readWal(wal, colors));
      // each names the next one, the last one the first
      const chain: Uint8Array[] = [wal];
      const names = new Set([name]);
      for (let next = nextWal(wal); next && !names.has(next) && chain.length < MOST_FRAMES; ) {
        names.add(next);
        const bytes = await find(`textures/${next}.wal`);
        if (!bytes) break;
        chain.push(bytes);
        next = nextWal(bytes);
      }
      return chain.length < 2
        ? first
        : { ...first, frames: await alike(chain, first, async (bytes) => readWal(bytes, colors)), rate: RATES[format] };
    }
    const other = await file(`textures/${name}`);
    return other && byPixel(other);
  };
  /** One picture of a shader. */
  const layer = async (
    { image, frames, rate, ...stage }: Layer,
    { both, deforms }: Shader,
  ): Promise<Picture | null> => {
    const picture = await file(withoutEnding(image));
    if (!picture) return null;
    const all =
      frames.length > 1
        ? [picture, ...(await alike(frames.slice(1), picture, (name) => file(withoutEnding(name))))]
        : [];
    return { ...PLAIN, ...picture, ...stage, both, deforms, ...(all.length > 1 && { frames: all, rate }) };
  };
  const quake3 = async ({ name }: Material): Promise<Picture | null> => {
    const shader = shaders.get(withoutEnding(name)) ?? readShader(name, '');
    if (shader.hidden) return { ...PLAIN, width: 0, height: 0, pixels: new Uint8Array(), scale: [1, 1], hidden: true };
    const layers: Picture[] = [];
    for (const one of shader.layers.slice(0, MOST_LAYERS)) {
      const picture = await layer(one, shader);
      if (picture) layers.push(picture);
      // what the others lie on
      else if (one === shader.layers[0]) break;
    }
    const [ground, ...over] = layers;
    if (ground) return { ...ground, ...(over.length && { over }) };
    for (const { image, ...stage } of shader.stages) {
      const picture = await file(withoutEnding(image));
      if (picture) return { ...PLAIN, ...picture, ...stage, both: shader.both, deforms: shader.deforms };
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
        picture = remade(picture, (one) => shrunk(one, side));
      }
    } catch {
      // its faces keep their flat color
      picture = null;
    }
    pictures.push(picture);
    bytes += picture ? sizeOf(picture) : 0;
    for (; bytes > MOST_BYTES && side > 1; side >>= 1) {
      pictures.forEach((one, at) => {
        if (one) pictures[at] = remade(one, (pixels) => shrunk(pixels, side >> 1));
      });
      bytes = pictures.reduce((sum, one) => sum + (one ? sizeOf(one) : 0), 0);
    }
  }
  let sky: Sky | null = null;
  try {
    sky = await findSky(
      level,
      level.skyMaterial ? shaders.get(withoutEnding(level.skyMaterial.name)) : undefined,
      palette,
      file,
    );
  } catch {
    // it is a gradient
  }
  const fogs = level.fogs.map((fog) => ({ ...fog, parms: shaders.get(withoutEnding(fog.shader))?.fog ?? null }));
  return { pictures, sky, fogs, files, fresh };
}

/** What scripts say of a level's materials. Each is kept as a file of its own. */
async function findShaders(
  materials: Pick<Material, 'name'>[],
  game: GameFiles,
  kept: ReadonlyMap<string, Uint8Array>,
  files: Map<string, Uint8Array>,
): Promise<Map<string, Shader>> {
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
