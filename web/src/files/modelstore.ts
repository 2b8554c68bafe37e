// Models of the game files that were dropped, and the pictures that cover them. Each is read when it is first drawn.

import type { Parser } from './parser';
import { isBitmap, readBitmap } from '../maps/bitmap';
import type { GameFiles } from '../maps/files';
import { readDecal } from '../maps/miptex';
import { type Pixels, paletted, shrunk } from '../maps/pixels';
import { type Shader, blocks, readShader } from '../maps/shader';
import { stretched } from '../maps/sky';
import type { Picture } from '../maps/format';
import { plain } from '../maps/textures';
import { readTga } from '../maps/tga';
import { indicesPcx, readPcx } from '../maps/wal';
import type { Inside, Model } from '../models/model';
import { spritePictures } from '../models/spritepictures';
import { hasNoPictures } from '../models/studio';

const LONGEST_SIDE = 512;
const MOST_LAYERS = 4;
/** How much of its color a shell adds. */
const SHELL = 0.45;
const PLAIN = { cut: 0, blend: null, both: false, hidden: false, scale: [1, 1] as [number, number] };
/** Kinds of models that may be in the place of one of Quake III. */
const BESIDE = ['.iqm', '.mdr'];
const ENDINGS = ['tga', 'jpg', 'png', 'pcx', 'jpeg'];
/** The rows of Quake's palette that are shirt and trousers, and where rows begin to go from bright to dark. */
const [SHIRT, TROUSERS, ROW, REVERSED] = [16, 96, 16, 128];

const withoutEnding = (name: string): string => plain(name).replace(/\.(tga|jpe?g|png|pcx)$/, '');

export class ModelStore {
  /** What was asked for: what it is, null where there is none, undefined while it is looked for. */
  private readonly found = new Map<string, unknown>();
  private scripts: Promise<Map<string, string>> | null = null;

  constructor(
    private readonly game: GameFiles,
    private readonly parser: Parser,
    private readonly changed: () => void,
  ) {}

  /** Looks again for what was not there: there are more files. */
  refresh(): void {
    for (const [key, value] of this.found) if (value === null) this.found.delete(key);
    this.scripts = null;
  }

  /** The model of a file, as soon as it is read. */
  model(path: string): Model | null {
    return this.look(`model ${path}`, async () => {
      const bytes = await this.fileOf(plain(path));
      if (!bytes) return null;
      const isStudio = /\.mdl$/i.test(path) && bytes[3] === 0x54;
      const more =
        isStudio && hasNoPictures(bytes) ? await this.game.find(plain(path).replace(/\.mdl$/, 't.mdl')) : null;
      return this.parser.model(bytes, more);
    });
  }

  /** What the text of a file says, as soon as it is read. */
  text<T>(path: string, parse: (text: string) => T): T | null {
    return this.look(`text ${path}`, async () => {
      const bytes = await this.game.find(plain(path));
      return bytes && parse(new TextDecoder('latin1').decode(bytes));
    });
  }

  /** Whether something that was asked for is still read. */
  get reads(): boolean {
    for (const value of this.found.values()) if (value === undefined) return true;
    return false;
  }

  /** Whether nothing is known yet of a model or a text. */
  isPending(kind: 'model' | 'text', path: string): boolean {
    const key = `${kind} ${path}`;
    return this.found.has(key) && this.found.get(key) === undefined;
  }

  /** Whether there is no such model or text, or a broken one. */
  isMissing(kind: 'model' | 'text', path: string): boolean {
    return this.found.get(`${kind} ${path}`) === null;
  }

  /** A picture of Quake's own colors: skin `number` of a model, or the one of a file in its place. */
  quakeSkin(
    path: string,
    model: Model,
    number: number,
    colors: [number, number] | null,
    file: string | null = null,
  ): Picture | null {
    const inside = model.pictures[number] ?? model.pictures[0];
    if (!inside) return null;
    return this.look(`inside ${path} ${number} ${colors?.join()} ${file}`, async () => {
      const palette = await this.game.find('gfx/palette.lmp');
      const skin = file && palette ? await this.game.find(`${plain(file)}.pcx`) : null;
      return (
        palette && {
          ...PLAIN,
          ...paletted(
            skin ? covered(inside, skin) : inside.indices,
            inside.width,
            inside.height,
            dyed(palette, colors),
            null,
          ),
        }
      );
    });
  }

  /** A picture that a model of Half-Life has inside. */
  insidePicture(
    path: string,
    model: Model,
    number: number,
    masked: boolean,
    hues: [number, number] | null = null,
  ): Picture | null {
    const inside = model.pictures[number];
    if (!inside?.palette) return null;
    const chosen = inside.hues ? hues : null;
    return this.look(`inside ${path} ${number} ${chosen?.join()}`, async () => ({
      ...PLAIN,
      ...shrunk(
        paletted(inside.indices, inside.width, inside.height, hued(inside, chosen), masked ? 255 : null),
        LONGEST_SIDE,
      ),
      cut: masked ? 0.5 : 0,
      ...(inside.added && { blend: ['ONE', 'ONE'] as [string, string] }),
    }));
  }

  /** A decal of Half-Life: of one color, and its pixels say how much of that is seen. */
  decal(name: string): Picture | null {
    return this.look(`decal ${name}`, async () => {
      const bytes = await this.game.find(`wad/${name}`);
      return bytes && { ...PLAIN, ...readDecal(bytes), both: true, blend: ['SRC_ALPHA', 'ONE_MINUS_SRC_ALPHA'] };
    });
  }

  /** A picture by its file, without extension. */
  file(name: string): Picture | null {
    return this.look(`file ${name}`, async () => {
      const pixels = await this.pixels(withoutEnding(name));
      return pixels && { ...PLAIN, ...pixels };
    });
  }

  /** The picture that a shader of Quake III shows. */
  shader(name: string): Picture | null {
    return this.look(`shader ${name}`, async () => {
      const key = withoutEnding(name);
      this.scripts ??= this.readScripts();
      const shader: Shader = readShader(name, (await this.scripts).get(key) ?? '');
      if (shader.hidden) return { ...PLAIN, width: 0, height: 0, pixels: new Uint8Array(), hidden: true };
      for (const { image, ...stage } of shader.stages) {
        const pixels = await this.pixels(withoutEnding(image));
        if (pixels) return { ...PLAIN, ...pixels, ...stage, both: shader.both };
      }
      return null;
    });
  }

  /** All that a shader of Quake III draws if light does not matter to it. */
  unlit(name: string): Picture[] | null {
    const isUnlit = this.look(`unlit ${name}`, async () => {
      this.scripts ??= this.readScripts();
      const { layers, isLit, hidden } = readShader(name, (await this.scripts).get(withoutEnding(name)) ?? '');
      return layers.length > 0 && !isLit && !hidden;
    });
    return isUnlit ? this.layers(name) : null;
  }

  /** A picture of one color that is added to what is behind it. */
  shell([red, green, blue]: readonly number[]): Picture {
    const key = `shell ${red} ${green} ${blue}`;
    const known = this.found.get(key) as Picture | undefined;
    if (known) return known;
    const pixels = Uint8Array.of(...[red!, green!, blue!].map((value) => value * SHELL), 255);
    const made: Picture = { ...PLAIN, width: 1, height: 1, pixels, blend: ['ONE', 'ONE'] };
    this.found.set(key, made);
    return made;
  }

  /** The pictures of a sprite. */
  sprite(path: string): Picture[] | null {
    const model = this.model(path);
    return model?.sprite ? this.look(`sprite ${path}`, () => spritePictures(model, this.game)) : null;
  }

  /** All that a shader of Quake III draws, one over the other. */
  layers(name: string): Picture[] | null {
    return this.look(`layers ${name}`, async () => {
      this.scripts ??= this.readScripts();
      const found: Picture[] = [];
      const { layers, both, deforms } = readShader(name, (await this.scripts).get(withoutEnding(name)) ?? '');
      for (const { image, frames, ...stage } of layers.slice(0, MOST_LAYERS)) {
        const all: Pixels[] = [];
        for (const one of frames.length ? frames : [image]) {
          const pixels = await this.pixels(withoutEnding(one));
          if (pixels) all.push(all[0] ? stretched(pixels, all[0].width, all[0].height) : pixels);
        }
        if (all[0])
          found.push({ ...PLAIN, ...all[0], ...stage, both, deforms, ...(all.length > 1 && { frames: all }) });
      }
      return found.length ? found : null;
    });
  }

  /** Forgets everything, and what is still read. */
  close(): void {
    this.found.clear();
    this.parser.close();
  }

  /** A model's file; where there is none, another kind of it, as engines look for it. */
  private async fileOf(path: string): Promise<Uint8Array | null> {
    const stem = path.replace(/\.md3$/, '');
    for (const name of stem === path ? [path] : [path, ...BESIDE.map((ending) => stem + ending)]) {
      const bytes = await this.game.find(name);
      if (bytes) return bytes;
    }
    return null;
  }

  /** What scripts say of the surfaces of models. */
  private async readScripts(): Promise<Map<string, string>> {
    const all = new Map<string, string>();
    for await (const [script] of this.game.scripts())
      for (const [name, text] of blocks(script, { has: (name) => !/^(textures|gfx(?!\/damage))\//.test(name) }))
        if (!all.has(name)) all.set(name, text);
    return all;
  }

  private async pixels(name: string): Promise<Pixels | null> {
    for (const ending of ENDINGS) {
      const bytes = await this.game.find(`${name}.${ending}`);
      if (!bytes) continue;
      const pixels = isBitmap(bytes)
        ? await readBitmap(bytes, LONGEST_SIDE)
        : ending === 'pcx'
          ? readPcx(bytes)
          : readTga(bytes);
      return shrunk(pixels, LONGEST_SIDE);
    }
    return null;
  }

  private look<T>(key: string, make: () => Promise<T | null>): T | null {
    if (this.found.has(key)) return (this.found.get(key) as T | null | undefined) ?? null;
    this.found.set(key, undefined);
    make()
      // what is broken is not there
      .catch(() => null)
      .then((value) => {
        if (!this.found.has(key)) return;
        this.found.set(key, value);
        this.changed();
      });
    return null;
  }
}

/** The colors of a skin in the size of a model's own: both begin at the top left. */
function covered({ width, height, indices }: Inside, file: Uint8Array): Uint8Array {
  const skin = indicesPcx(file);
  const made = indices.slice();
  for (let y = 0; y < Math.min(height, skin.height); y++)
    made.set(skin.indices.subarray(y * skin.width, y * skin.width + Math.min(width, skin.width)), y * width);
  return made;
}

/** A palette with a player's hues, of 255: how strong and bright its colors are stays. */
function hued({ palette, hues }: Inside, chosen: [number, number] | null): Uint8Array {
  if (!hues || !chosen) return palette!;
  const made = palette!.slice();
  const [top, bottom, last] = hues;
  for (let index = top; index <= last; index++) {
    const rgb = made.subarray(index * 3, index * 3 + 3);
    const [most, least] = [Math.max(...rgb), Math.min(...rgb)];
    const way = ((chosen[index < bottom ? 0 : 1] / 255) * 6) % 6;
    // of red, green, and blue
    for (const [channel, from] of [5, 3, 1].entries()) {
      const place = (way + from) % 6;
      made[index * 3 + channel] = most - (most - least) * Math.max(0, Math.min(place, 4 - place, 1));
    }
  }
  return made;
}

/** Quake's palette with shirt and trousers in a player's colors. */
function dyed(palette: Uint8Array, colors: [number, number] | null): Uint8Array {
  if (!colors) return palette;
  const made = palette.slice();
  for (const [row, color] of [
    [SHIRT, colors[0]],
    [TROUSERS, colors[1]],
  ] as const) {
    const from = Math.min(13, color) * ROW;
    for (let index = 0; index < ROW; index++) {
      const source = from + (from < REVERSED ? index : ROW - 1 - index);
      made.set(palette.subarray(source * 3, source * 3 + 3), (row + index) * 3);
    }
  }
  return made;
}

/** The picture of a surface that `.skin` files of Quake III name: `surface,shader` a line. */
export function skinLines(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split(/[\r\n]+/)) {
    const [surface = '', shader = ''] = line.split(',').map((part) => part.trim().toLowerCase());
    if (surface && shader && !surface.startsWith('tag_')) found.set(surface, plain(shader));
  }
  return found;
}
