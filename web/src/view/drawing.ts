// What all that is drawn in space shares: the programs of the graphics card, where the next triangles are, and what lights them.

import type { Vector } from '../data/vector';
import { type Deform, movedBy, shapeNumber } from '../maps/deform';
import type { Fog, Picture } from '../maps/format';
import { axes } from './camera';
import type { Lamp } from './effects';
import { type Bounds, distance } from './frustum';
import { type Moved, UNMOVED } from './moved';
import { Programs } from './programs';
import { FRAGMENT, VERTEX } from './shading';
import { SkinUnit } from './skinunit';

const UNTURNED = [1, 0, 0, 0, 1, 0, 0, 0, 1];

export class Drawing {
  readonly programs: Programs;
  /** Where pictures are taken from. */
  readonly unit: SkinUnit;
  /** Triangles drawn last. */
  triangles = 0;
  /** Whether lamps light what is drawn. */
  isShining = false;

  private lamps: readonly Lamp[] = [];

  constructor(readonly gl: WebGL2RenderingContext) {
    this.programs = new Programs(gl, VERTEX, FRAGMENT);
    this.unit = new SkinUnit(gl);
  }

  /** Where the next triangles are. */
  place(origin: Vector, angles: Vector | null): void {
    this.programs.set('offset', origin);
    this.programs.set('turned', angles?.some((angle) => angle) ? axes(angles).flat() : UNTURNED);
  }

  elements(first: number, count: number): void {
    this.programs.use();
    this.gl.drawElements(this.gl.TRIANGLES, count, this.gl.UNSIGNED_INT, first * 4);
    this.triangles += count / 3;
  }

  /** Draws parts of the bound indices: those that follow each other, in one call. */
  pieces(parts: readonly { first: number; count: number }[]): void {
    for (let at = 0; at < parts.length; ) {
      const { first } = parts[at];
      let end = first;
      for (; at < parts.length && parts[at].first === end; at++) end += parts[at].count;
      this.elements(first, end - first);
    }
  }

  /** How the next triangles are mixed with what is behind them. */
  mix(blend: NonNullable<Picture['blend']>): void {
    const factor = (name: string) => this.gl[name as 'ONE'];
    this.gl.blendFunc(factor(blend[0]), factor(blend[1]));
  }

  /** Where the pictures of the next triangles are, and what they are multiplied with. */
  showLayers(moved: Moved): void {
    const { programs } = this;
    programs.turn('shifts', moved !== UNMOVED);
    programs.turn('plain', moved.plain);
    for (const name of ['mirror', 'lacking', 'veiled', 'gloss', 'once'] as const) programs.turn(name, moved[name]);
    programs.turn('fades', moved.far > 0);
    programs.set('far', moved.far);
    programs.turn(
      'dyed',
      moved.dye.some((value) => value !== 1),
    );
    for (const name of ['bend', 'shift', 'sheet', 'turb', 'dye'] as const) programs.set(name, moved[name]);
  }

  /** How the corners of the next triangles move. */
  deform(deforms: readonly Deform[], seconds: number): void {
    const { programs } = this;
    const has = (wanted: Deform['kind']) => deforms.find(({ kind }) => kind === wanted);
    const swell = has('swell');
    programs.turn('swells', deforms.length > 0);
    programs.turn('facing', !!has('sprite'));
    programs.turn('turning', !has('sprite') && !!has('spindle'));
    if (!deforms.length) return;
    programs.set('drift', movedBy(deforms, seconds));
    const { base, height, phase, rate } = swell?.wave ?? { base: 0, height: 0, phase: 0, rate: 0 };
    programs.set('swell', [base, height, (phase + seconds * rate) % 1, swell ? shapeNumber(swell.wave) : 0]);
    programs.set('spread', swell?.spread ?? [0, 0, 0, 0]);
  }

  /** What the next triangles are seen through: what is added to others gets darker in fog, what multiplies them gets white. */
  fog(fog: Fog | null, blend: Picture['blend']): void {
    const { programs } = this;
    programs.turn('fogged', !!fog?.parms);
    if (!fog?.parms) return;
    const [red, green, blue, units] = fog.parms;
    const into = blend?.[1] === 'ONE' ? 0 : blend?.[0] === 'DST_COLOR' ? (blend[1] === 'SRC_COLOR' ? 0.5 : 1) : null;
    programs.set('mist', into === null ? [red, green, blue, 1 / units] : [into, into, into, 1 / units]);
    programs.set('fogLow', fog.min);
    programs.set('fogHigh', fog.max);
  }

  /** Whether a lamp reaches into a box: elsewhere none is computed. */
  reaches(box: Bounds): boolean {
    return this.lamps.some(({ place, radius }) => distance(box, place) < radius * radius);
  }

  /** Lights all that is drawn from here on. */
  light(lamps: Lamp[], isSoaked: boolean): void {
    const { programs } = this;
    this.lamps = lamps;
    this.isShining = lamps.length > 0;
    programs.turn('shining', this.isShining);
    // there flashes light faces as brightly as their own light
    programs.turn('soaked', this.isShining && isSoaked);
    if (!lamps.length) return;
    programs.set('lamps', lamps.length);
    programs.set(
      'lampPlaces',
      lamps.flatMap(({ place, radius }) => [...place, radius]),
    );
    programs.set(
      'lampColors',
      lamps.flatMap(({ color }) => color),
    );
  }
}
