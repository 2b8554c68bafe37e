// The pictures of a level on the graphics card. Those of one size are the layers of one texture: a part of a level then takes few calls. Each call costs as much as
// hundreds of triangles where a processor draws.

import { type Deform, reachOf } from '../maps/deform';
import type { Fog, Level, Run, Picture } from '../maps/format';
import type { Pixels } from '../maps/pixels';
import type { Motion } from '../maps/stage';
import { fillPictures } from './picturearray';
import { type Piece, piecesOf } from './pieces';
import { isSoftware } from './software';
import { SPRITE, spritesOf } from './sprites';

/** What every browser's textures have. */
const MOST_LAYERS = 256;

/** Triangles that one call draws. Without a texture they have their flat color. */
export interface Batch extends Pick<Picture, 'cut' | 'blend' | 'both'> {
  texture: WebGLTexture | null;
  /** Whether something is seen through them. */
  clear: boolean;
  /** Whether its pictures sway. */
  liquid: boolean;
  /** What a shader does with its picture. */
  motion: Motion | null;
  /** What it does with the places of its corners. */
  deforms: readonly Deform[];
  fog: Fog | null;
  /** The part of its picture that a pixel is, where it goes with what carries it. */
  scrolls: number;
  /** Of an animation the layers of its pictures and of those while it is switched, and how many are shown in a second. */
  frames: readonly number[];
  switched: readonly number[];
  rate: number;
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
  /** What each vertex is tinted with. */
  tints: Uint8Array;
  /** Where vertices look, and those of quads that face the eye, where anything needs it. */
  normals: Int8Array | null;
  sprites: Float32Array | null;
}

interface Layered {
  texture: WebGLTexture;
  pictures: Pixels[];
}

/** Where the pictures of a look are. */
interface Placed {
  picture: Picture;
  layered: Layered;
  layer: number;
  frames: number[];
  switched: number[];
}

/** Whether a picture only gives grain to what it lies on: that is left out where a processor draws. */
const isGrain = ({ blend }: Picture): boolean => isSoftware() && blend?.[0] === 'DST_COLOR' && blend[1] === 'SRC_COLOR';

export function skinsOf(gl: WebGL2RenderingContext, level: Level): Skins {
  const open = new Map<string, Layered>();
  const all: Layered[] = [];
  const place = (picture: Picture): Placed | null => {
    const { width, height, frames = [], switched = [] } = picture;
    const pictures: Pixels[] = frames.length || switched.length ? [picture, ...frames, ...switched] : [picture];
    if (picture.hidden || pictures.length > MOST_LAYERS) return null;
    const size = `${width} ${height}`;
    let layered = open.get(size);
    if (!layered || layered.pictures.length + pictures.length > MOST_LAYERS) {
      layered = { texture: gl.createTexture()!, pictures: [] };
      open.set(size, layered);
      all.push(layered);
    }
    const layer = layered.pictures.length;
    layered.pictures.push(...pictures);
    const numbers = (count: number, from: number) => Array.from({ length: count }, (_, at) => from + at);
    return {
      picture,
      layered,
      layer,
      frames: numbers(frames.length, layer + 1),
      switched: numbers(switched.length, layer + 1 + frames.length),
    };
  };
  /** What each material is drawn with, one over the other. */
  const layers = level.pictures.map((picture) =>
    (picture ? [picture, ...(picture.over ?? []).filter((one) => !isGrain(one))] : []).flatMap(
      (one) => place(one) ?? [],
    ),
  );
  for (const { texture, pictures } of all)
    fillPictures(gl, texture, pictures, isSoftware() ? gl.LINEAR_MIPMAP_NEAREST : gl.LINEAR_MIPMAP_LINEAR);

  const places = new Float32Array((level.positions.length / 3) * 3);
  const indices = new Uint32Array(level.indices.length);
  const tints = level.corners ? level.tints.slice() : level.tints;
  let [needsNormals, sprites]: [boolean, Float32Array | null] = [false, null];
  /** Gives the corners of a run what its pictures take of them. Returns how far they move. */
  const dress = (run: Run, all: readonly Picture[]): [number, number][] => {
    const own = level.indices.subarray(run.first, run.first + run.count);
    const has = (what: (motion: Motion) => boolean) => all.some(({ motion }) => motion && what(motion));
    const [colors, seen] = [has(({ byCorner }) => byCorner), has(({ seenByCorner }) => seenByCorner)];
    if (level.corners && (colors || seen)) {
      for (const vertex of own)
        for (let channel = colors ? 0 : 3; channel < (seen ? 4 : 3); channel++)
          tints[vertex * 4 + channel] = level.corners.colors[vertex * 4 + channel];
    }
    const deforms = all[0]?.deforms ?? [];
    needsNormals ||= deforms.some(({ kind }) => kind === 'swell');
    const facing = deforms.find(({ kind }) => kind === 'sprite') ?? deforms.find(({ kind }) => kind === 'spindle');
    if (!facing) return reachOf(deforms, 0);
    sprites ??= new Float32Array((level.positions.length / 3) * SPRITE);
    return reachOf(deforms, spritesOf(level.positions, own, facing.kind === 'spindle', sprites, places));
  };
  const batches = level.parts.map((part, number) => {
    const looks = new Map<
      string,
      { batch: Batch; runs: Run[]; over: Batch[]; hidden: boolean; reach: [number, number][] }
    >();
    for (const run of part.runs) {
      const [picture, [ground, ...over]] = [level.pictures[run.material], layers[run.material] ?? []];
      if (picture && ground) {
        for (const vertex of level.indices.subarray(run.first, run.first + run.count)) {
          places[vertex * 3] = level.texels[vertex * 2] * picture.scale[0];
          places[vertex * 3 + 1] = level.texels[vertex * 2 + 1] * picture.scale[1];
          places[vertex * 3 + 2] = ground.layer;
        }
      }
      const hidden = picture?.hidden ?? false;
      const fog = level.fogs[run.fog] ?? null;
      const batch = batchOf(ground ?? null, run.liquid, fog);
      if (part.conveys && picture && level.materials[run.material].name.startsWith('scroll'))
        batch.scrolls = picture.scale[0];
      const reach = ground ? dress(run, [ground.picture, ...over.map(({ picture }) => picture)]) : [];
      // what is drawn alike is drawn together, as far as its vertices say what differs
      const own = over.length || batch.frames.length || batch.switched.length ? run.material : '';
      const look = [
        ground && all.indexOf(ground.layered),
        batch.cut,
        batch.both,
        hidden,
        batch.blend,
        batch.clear,
        run.liquid,
        movement(batch),
        own,
        run.fog,
        batch.scrolls,
        JSON.stringify(batch.deforms),
      ].join();
      const known = looks.get(look);
      if (known) {
        known.runs.push(run);
        known.reach.forEach((one, axis) => {
          known.reach[axis] = [Math.min(one[0], reach[axis][0]), Math.max(one[1], reach[axis][1])];
        });
      } else
        looks.set(look, {
          batch,
          runs: [run],
          reach,
          over: over.map((one) => ({
            ...batchOf(one, false, fog),
            clear: true,
            frames: one.frames.length ? one.frames : [one.layer],
          })),
          hidden,
        });
    }
    // solid ones stay before liquids, as parts count them
    let end = part.first;
    for (const { batch, runs, over, reach } of looks.values()) {
      batch.first = end;
      for (const { first, count } of runs) {
        indices.set(level.indices.subarray(first, first + count), end);
        end += count;
      }
      batch.count = end - batch.first;
      if (!number) batch.pieces = piecesOf(level.positions, indices, batch.first, batch.count);
      for (const { min, max } of batch.pieces)
        reach.forEach(([low, high], axis) => ([min[axis], max[axis]] = [min[axis] + low, max[axis] + high]));
      for (const one of over) [one.first, one.count, one.pieces] = [batch.first, batch.count, batch.pieces];
    }
    const shown = [...looks.values()].filter(({ hidden }) => !hidden);
    // what covers walls comes before what is seen through, and there after what it covers
    return [...shown.filter(({ batch }) => !batch.clear), ...shown.filter(({ batch }) => batch.clear)].flatMap(
      ({ batch, over }) => [batch, ...over],
    );
  });
  return {
    textures: all.map(({ texture }) => texture),
    indices,
    batches,
    places,
    tints,
    normals: needsNormals ? (level.corners?.normals ?? null) : null,
    sprites,
  };
}

/** How movements differ. Each costs a call, and where a processor draws, those that are seen through differ by no more than what they do. */
function movement({ motion, blend }: Batch): string {
  if (!motion || !blend || !isSoftware()) return JSON.stringify(motion);
  return [
    motion.lit,
    motion.byCorner,
    motion.lacking,
    motion.seenByCorner,
    motion.gloss,
    motion.far,
    motion.once,
    motion.mirror,
    ...motion.moves.map(({ kind }) => kind),
  ].join();
}

/** How triangles with a picture are drawn. A shader says itself how its liquid is mixed with what is below. */
function batchOf(placed: Placed | null, isLiquid: boolean, fog: Fog | null): Batch {
  const { cut = 0, both = false, blend = null, motion = null, rate = 0, deforms = [] } = placed?.picture ?? {};
  const liquid = isLiquid && !motion;
  const { texture = null } = placed?.layered ?? {};
  return {
    texture,
    cut,
    both,
    blend: liquid ? null : blend,
    clear: liquid || !!blend,
    liquid,
    motion,
    deforms,
    fog: fog?.parms ? fog : null,
    scrolls: 0,
    frames: placed?.frames ?? [],
    switched: placed?.switched ?? [],
    rate,
    first: 0,
    count: 0,
    pieces: [],
  };
}
