// What all that is drawn in space shares: the programs of the graphics card, where the next triangles are, and what lights them.

import type { Vector } from '../data/film';
import type { Picture } from '../maps/textures';
import { axes } from './camera';
import type { Lamp } from './effects';
import { type Moved, UNMOVED } from './moved';
import { Programs } from './programs';
import { FRAGMENT, VERTEX } from './shading';

const UNTURNED = [1, 0, 0, 0, 1, 0, 0, 0, 1];

export class Drawing {
  readonly programs: Programs;
  /** Triangles drawn last. */
  triangles = 0;
  /** Whether lamps light what is drawn. */
  isShining = false;

  constructor(readonly gl: WebGL2RenderingContext) {
    this.programs = new Programs(gl, VERTEX, FRAGMENT);
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
    programs.turn('mirror', moved.mirror);
    programs.turn('dyed', moved.dye.some((value) => value !== 1));
    for (const name of ['bend', 'shift', 'sheet', 'turb', 'dye'] as const) programs.set(name, moved[name]);
  }

  /** Lights all that is drawn from here on. */
  light(lamps: Lamp[], isSoaked: boolean): void {
    const { programs } = this;
    this.isShining = lamps.length > 0;
    programs.turn('shining', this.isShining);
    // there flashes light faces as brightly as their own light
    programs.turn('soaked', this.isShining && isSoaked);
    if (!lamps.length) return;
    programs.set('lamps', lamps.length);
    programs.set('lampPlaces', lamps.flatMap(({ place, radius }) => [...place, radius]));
    programs.set('lampColors', lamps.flatMap(({ color }) => color));
  }
}
