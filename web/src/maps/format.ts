// What a level is, whatever game it is of.

import type { Deform } from './deform';
import type { Light } from './light';
import type { LightGrid } from './lightgrid';
import type { Pixels } from './pixels';
import type { Stage } from './shader';
import type { Motion } from './stage';

export interface Part {
  /** The first index of its solid triangles and how many there are, then the same of liquids. */
  first: number;
  count: number;
  liquidFirst: number;
  liquidCount: number;
  /** The same triangles, by what they are covered with. */
  runs: Run[];
  /** Whether it is drawn where no recording says where it is. */
  drawn: boolean;
  origin: [number, number, number];
  /** How far textures that scroll go on it in a second, in pixels. */
  conveys: number;
}

/** Triangles of one material. */
export interface Run {
  material: number;
  first: number;
  count: number;
  liquid: boolean;
  /** The number of the fog that they are in, or -1. */
  fog: number;
}

/** What fills a box, as a shader says; nothing of it is known without that. */
export interface Fog {
  shader: string;
  min: [number, number, number];
  max: [number, number, number];
  /** Red, green, blue, and the units in which it hides everything. */
  parms: [number, number, number, number] | null;
}

/** What corners of Quake III say besides: red, green, blue and alpha, where 128 is a color as it is; and where they look. */
export interface Corners {
  colors: Uint8Array;
  normals: Int8Array;
}

export interface Level {
  format: string;
  title: string;
  positions: Float32Array;
  /** Red, green, blue and how much of it is seen. */
  colors: Uint8Array;
  indices: Uint32Array;
  /** The light on it, and for each vertex where in that picture it is. */
  light: Light | null;
  luxels: Float32Array;
  /** What faces are covered with, and the pictures of that which were found, by the same numbers. */
  materials: Material[];
  pictures: (Picture | null)[];
  /** What the sky is, where there is any, and its pictures. */
  skyMaterial: Material | null;
  sky: Sky | null;
  /** For each vertex where in its picture it is, and what the picture is multiplied with: 128 is as it is. */
  texels: Float32Array;
  tints: Uint8Array;
  corners: Corners | null;
  fogs: Fog[];
  /** How bright things are in the room, where the map says that. */
  grid: LightGrid | null;
  /** The world, then the parts that recordings call `*1` and so on. */
  parts: Part[];
  entities: Record<string, string>[];
}

export class BadMap extends Error {}

/** Fogs of a map, and none. */
export const FOGS = 256;

/** What a map says of a texture. */
export interface Material {
  name: string;
  /** The texture itself, where the map holds it. */
  inside: Uint8Array | null;
  /** The pictures of its animation, itself among them; and those while what it covers is switched. */
  frames?: Material[];
  switched?: Material[];
}

/** A picture, and how it is drawn. */
export interface Picture extends Pixels, Omit<Stage, 'image'> {
  /** Whether it is seen from both sides. */
  both: boolean;
  /** Whether nothing is drawn. */
  hidden: boolean;
  /** Whether it hides what is drawn later behind it, though one sees through it. */
  hides?: boolean;
  /** The pictures of an animation, itself the first of them, those while it is switched, and how many are shown in a second. */
  frames?: Pixels[];
  switched?: Pixels[];
  rate?: number;
  /** What a shader does with it. */
  motion?: Motion;
  /** What a shader does with the places of corners. */
  deforms?: Deform[];
  /** What is drawn over it. */
  over?: Picture[];
}

/** A layer of clouds, and how it moves: its size beside the others and its way in a second, in pictures. */
export interface CloudLayer extends Pixels {
  scale: [number, number];
  scroll: [number, number];
  /** Whether it is added to what is behind it. */
  adds: boolean;
  /** What it is multiplied with. */
  dye: [number, number, number];
}

export interface Sky {
  /** Six pictures of one size, in the order of `rt bk lf ft up dn`. */
  box: Pixels[] | null;
  /** Up to two layers, the farthest first. */
  layers: CloudLayer[];
  /** How high clouds are above a ground that is bent like a ball; 0 for Quake's flat dome. */
  height: number;
  /** The axis that a box turns around, as long as the degrees in a second. */
  turns?: [number, number, number];
}
