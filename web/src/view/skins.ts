// The pictures of a level on the graphics card. Those of one size are the layers of one texture: a part of a level then takes few calls. Each call costs as much as
// hundreds of triangles where a processor draws.

import type { Level, Run } from '../maps/level';
import type { Picture } from '../maps/textures';
import { type Piece, piecesOf } from './pieces';
import { isSoftware } from './software';

/** What every browser's textures have. */
const MOST_LAYERS = 256;

/** Triangles that one call draws. Without a texture they have their flat color. */
export interface Batch extends Pick<Picture, 'cut' | 'blend' | 'both'> {
  texture: WebGLTexture | null;
  /** Whether something is seen through them. */
  clear: boolean;
  /** Whether its pictures sway, and how far they move in a second. */
  liquid: boolean;
  scroll: [number, number] | null;
  first: number;
  count: number;
  /** Of the world, its pieces. */
  pieces: Piece[];
}

export interface Skins {
  textures: WebGLTexture[];
  /** The level's triangles, those of a batch beside each other, and the batches of each part. */
  indices: Uint32Array;
  batches: Batch[][];
  /** Where each vertex is in its texture, and in which layer. */
  places: Float32Array;
}

interface Layered {
  texture: WebGLTexture;
  pictures: Picture[];
}

export function skinsOf(gl: WebGL2RenderingContext, level: Level): Skins {
  const open = new Map<string, Layered>();
  const all: Layered[] = [];
  const layers = level.pictures.map((picture) => {
    if (!picture || picture.hidden) return null;
    const size = `${picture.width} ${picture.height}`;
    let layered = open.get(size);
    if (!layered || layered.pictures.length === MOST_LAYERS) {
      open.set(size, (layered = { texture: gl.createTexture()!, pictures: [] }));
      all.push(layered);
    }
    return { layered, layer: layered.pictures.push(picture) - 1 };
  });
  for (const layered of all) upload(gl, layered);

  const places = new Float32Array((level.positions.length / 3) * 3);
  const indices = new Uint32Array(level.indices.length);
  const batches = level.parts.map((part, number) => {
    const looks = new Map<string, { batch: Batch; runs: Run[]; hidden: boolean }>();
    for (const run of part.runs) {
      const [picture, at] = [level.pictures[run.material], layers[run.material]];
      if (picture && at) {
        for (const vertex of level.indices.subarray(run.first, run.first + run.count)) {
          places[vertex * 3] = level.texels[vertex * 2]! * picture.scale[0];
          places[vertex * 3 + 1] = level.texels[vertex * 2 + 1]! * picture.scale[1];
          places[vertex * 3 + 2] = at.layer;
        }
      }
      const { cut = 0, both = false, hidden = false } = picture ?? {};
      const blend = (!run.liquid && picture?.blend) || null;
      const scroll = picture?.scroll?.some(Boolean) ? picture.scroll : null;
      const look = [at && all.indexOf(at.layered), cut, both, hidden, blend, run.liquid, scroll].join();
      const known = looks.get(look);
      if (known) known.runs.push(run);
      else looks.set(look, { batch: { texture: at?.layered.texture ?? null, cut, both, blend, clear: run.liquid || !!blend, liquid: run.liquid, scroll, first: 0, count: 0, pieces: [] }, runs: [run], hidden });
    }
    // solid ones stay before liquids, as parts count them
    let end = part.first;
    for (const { batch, runs } of looks.values()) {
      batch.first = end;
      for (const { first, count } of runs) {
        indices.set(level.indices.subarray(first, first + count), end);
        end += count;
      }
      batch.count = end - batch.first;
      if (!number && !batch.clear) batch.pieces = piecesOf(level.positions, indices, batch.first, batch.count);
    }
    return [...looks.values()].filter(({ hidden }) => !hidden).map(({ batch }) => batch);
  });
  return { textures: all.map(({ texture }) => texture), indices, batches, places };
}

/** Pictures of one size with their smaller sizes, over and over. */
function upload(gl: WebGL2RenderingContext, { texture, pictures }: Layered): void {
  const { width, height } = pictures[0]!;
  gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
  gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1 + Math.floor(Math.log2(Math.max(width, height))), gl.RGBA8, width, height, pictures.length);
  pictures.forEach(({ pixels }, layer) => gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, width, height, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixels));
  gl.generateMipmap(gl.TEXTURE_2D_ARRAY);
  gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MIN_FILTER, isSoftware() ? gl.LINEAR_MIPMAP_NEAREST : gl.LINEAR_MIPMAP_LINEAR);
}
