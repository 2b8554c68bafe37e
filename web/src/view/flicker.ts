// Light that changes: the parts of the level's light that are seen are given to the graphics card again when a style has another value.

import type { Vector } from '../data/vector';
import type { Light } from '../maps/light';
import { brightness } from '../maps/styles';

export class Flicker {
  /** The values with which each face was made last. */
  private readonly made: (string | undefined)[] = [];
  private step = -1;
  private readonly styles: number[];

  constructor(private readonly light: Light) {
    this.styles = [...new Set(light.styled.flatMap(({ styles }) => styles))];
  }

  /** Brings the texture that is bound to a time, by the patterns of the styles then: what is before the eye, or everything. Returns the number of faces that changed. */
  update(
    gl: WebGL2RenderingContext,
    seconds: number,
    patterns: ReadonlyMap<number, string>,
    eye: Vector | null,
    forward: Vector,
  ): number {
    const { light, made } = this;
    const step = Math.floor(seconds * 10);
    // within a tenth of a second only what comes into view is made
    if (!light.styled.length || (step === this.step && !eye)) return 0;
    this.step = step;
    const values = new Map(this.styles.map((style) => [style, brightness(patterns.get(style), seconds)]));
    let count = 0;
    for (const [at, { x, y, width, height, styles, maps, middle, radius }] of light.styled.entries()) {
      if (eye && [0, 1, 2].reduce((sum, axis) => sum + (middle[axis] - eye[axis]) * forward[axis], 0) < -radius)
        continue;
      const key = styles.map((style) => values.get(style)).join();
      if (made[at] === key) continue;
      made[at] = key;
      count++;
      const size = width * height * 3;
      const pixels = new Uint8Array(size);
      for (let byte = 0; byte < size; byte++) {
        let sum = 0;
        for (let style = 0; style < styles.length; style++)
          sum += maps[style * size + byte] * values.get(styles[style])!;
        pixels[byte] = Math.min(255, sum);
      }
      // models are lit by it, too
      for (let row = 0; row < height; row++)
        light.pixels.set(pixels.subarray(row * width * 3, (row + 1) * width * 3), ((y + row) * light.width + x) * 3);
      gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, x, y, width, height, gl.RGB, gl.UNSIGNED_BYTE, pixels);
    }
    return count;
  }
}
