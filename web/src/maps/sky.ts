// The sky of a map: two layers of clouds, or the six sides of a box. What is not found is a gradient.

import type { CloudLayer, Level, Sky } from './format';
import { readSky } from './miptex';
import { type Pixels, type Sized, shrunk } from './pixels';
import type { Shader } from './shader';
import { dyeAt } from './stage';

/** The sides of a box: to the first axis and so on, as files are called. */
const SIDES = ['rt', 'bk', 'lf', 'ft', 'up', 'dn'];
const LONGEST_SIDE = 512;
/** The sky of Half-Life and of Quake II where a map names none. */
const [DESERT, UNIT] = ['desert', 'unit1_'];

/** Finds the sky of a level. `file` finds a picture by its name without ending, `palette` is Quake's. */
export async function findSky(
  level: Level,
  shader: Shader | undefined,
  palette: Uint8Array | null,
  file: (name: string) => Promise<Sized | null>,
): Promise<Sky | null> {
  const { skyMaterial, format } = level;
  const world = level.entities[0] ?? {};
  if (!skyMaterial) return null;
  if (format === 'Quake') {
    const named = world['sky'] && (await findBox(`gfx/env/${world['sky']}`, file));
    if (named) return named;
    if (!skyMaterial.inside || !palette) return null;
    const [back, front] = readSky(skyMaterial.inside, palette);
    const layer = (picture: Pixels, speed: number): CloudLayer => ({
      ...picture,
      scale: [1, 1],
      scroll: [speed, speed],
      adds: false,
      dye: [1, 1, 1],
    });
    // 8 and 16 pixels of 128 in a second
    return { box: null, layers: [layer(back, 1 / 16), layer(front, 1 / 8)], height: 0 };
  }
  if (format === 'Quake II') {
    const found = await findBox(`env/${world['sky'] || UNIT}`, file);
    const [axis, speed] = [
      (world['skyaxis'] ?? '')
        .split(/\s+/)
        .map((word) => Number(word) || 0)
        .slice(0, 3),
      Number(world['skyrotate']) || 0,
    ];
    const length = Math.hypot(...axis);
    return found && axis.length === 3 && length && speed
      ? { ...found, turns: axis.map((value) => (value / length) * speed) as [number, number, number] }
      : found;
  }
  if (format === 'Half-Life') return findBox(`gfx/env/${world['skyname'] || DESERT}`, file);
  if (!shader) return null;
  const box = shader.box && (await findBox(`${shader.box}_`, file));
  const layers: CloudLayer[] = [];
  for (const { image, blend, motion } of shader.layers) {
    if (layers.length === 2) break;
    const picture = await file(image.replace(/\.(tga|jpe?g|png)$/, ''));
    if (!picture) continue;
    const numbers = (kind: string, none: number) =>
      [0, 1].map((at) => motion.moves.find((one) => one.kind === kind)?.numbers[at] ?? none) as [number, number];
    const dye = dyeAt(motion, 0)
      .slice(0, 3)
      .map((value) => value * 2) as [number, number, number];
    layers.push({
      ...shrunk(picture, LONGEST_SIDE),
      scale: numbers('scale', 1),
      scroll: numbers('scroll', 0),
      adds: !!blend && blend[1] === 'ONE',
      dye,
    });
  }
  if (box) return box;
  return layers.length ? { box: null, layers, height: shader.clouds || 512 } : null;
}

async function findBox(name: string, file: (name: string) => Promise<Sized | null>): Promise<Sky | null> {
  const found: Pixels[] = [];
  for (const side of SIDES) {
    const picture = await file(name.toLowerCase() + side);
    // many have no ground
    if (!picture && side !== 'dn') return null;
    found.push(
      picture ? shrunk(picture, LONGEST_SIDE) : { width: 1, height: 1, pixels: new Uint8Array([40, 42, 46, 255]) },
    );
  }
  const [width, height] = [Math.max(...found.map((one) => one.width)), Math.max(...found.map((one) => one.height))];
  return { box: found.map((one) => stretched(one, width, height)), layers: [], height: 0 };
}

/** A picture in another size: the layers of a texture are all alike. */
export function stretched(picture: Pixels, width: number, height: number): Pixels {
  if (picture.width === width && picture.height === height) return picture;
  const pixels = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from =
        (Math.floor((y * picture.height) / height) * picture.width + Math.floor((x * picture.width) / width)) * 4;
      for (let channel = 0; channel < 4; channel++)
        pixels[(y * width + x) * 4 + channel] = picture.pixels[from + channel];
    }
  }
  return { width, height, pixels };
}
