// Light that falls on faces. Maps hold it as one small picture a face, or a few large ones; here they are one picture altogether.

/** How bright surfaces are: red, green, blue, where 128 is a surface's own color and more is overbright. */
export interface Light {
  width: number;
  height: number;
  pixels: Uint8Array;
  /** What of it changes with time. */
  styled: Styled[];
}

/** A face whose light changes: its place in the whole, and what each of its light styles gives. */
export interface Styled {
  x: number;
  y: number;
  width: number;
  height: number;
  styles: number[];
  /** Picture after picture, three bytes a pixel. */
  maps: Uint8Array;
  /** Around its corners. */
  middle: [number, number, number];
  radius: number;
}

/** A place in one of the pictures that were added, in its pixels from its first corner. */
export type Luxel = readonly [picture: number, s: number, t: number];

const FULL = 128;
const WIDTH = 2048;
/** What every browser's textures can be. */
const MOST_HEIGHT = 4096;

interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array;
  x: number;
  y: number;
}

export class Atlas {
  /** What is as bright as its color, and what no light reaches. */
  static readonly unlit: Luxel = [0, 0, 0];
  static readonly dark: Luxel = [1, 0, 0];
  private readonly styled: (Omit<Styled, 'x' | 'y'> & { picture: number })[] = [];
  private readonly pictures: Picture[] = [FULL, 0].map((value) => ({
    width: 1,
    height: 1,
    pixels: Uint8Array.of(value, value, value),
    x: 0,
    y: 0,
  }));

  /** Adds a picture of three bytes a pixel. */
  add(width: number, height: number, pixels: Uint8Array): number {
    this.pictures.push({ width, height, pixels, x: 0, y: 0 });
    return this.pictures.length - 1;
  }

  /** Says that one of the pictures changes. */
  addStyled(picture: number, styled: Pick<Styled, 'styles' | 'maps' | 'middle' | 'radius'>): void {
    const { width, height } = this.pictures[picture];
    this.styled.push({ ...styled, picture, width, height });
  }

  /** Puts the pictures on shelves. Nothing where there is no light, or more of it than a texture holds. */
  finish(): Light | null {
    if (this.pictures.length === 2) return null;
    let [x, y, shelf] = [0, 0, 0];
    for (const picture of [...this.pictures].sort((a, b) => b.height - a.height)) {
      if (x + picture.width > WIDTH) [x, y, shelf] = [0, y + shelf, 0];
      [picture.x, picture.y] = [x, y];
      x += picture.width;
      shelf = Math.max(shelf, picture.height);
      if (picture.width > WIDTH || y + shelf > MOST_HEIGHT) return null;
    }
    const light = {
      width: WIDTH,
      height: y + shelf,
      pixels: new Uint8Array(WIDTH * (y + shelf) * 3),
      styled: this.styled.map(
        ({ picture, ...one }): Styled => ({ ...one, x: this.pictures[picture].x, y: this.pictures[picture].y }),
      ),
    };
    for (const picture of this.pictures) {
      const row = picture.width * 3;
      for (let line = 0; line < picture.height; line++)
        light.pixels.set(
          picture.pixels.subarray(line * row, (line + 1) * row),
          ((picture.y + line) * WIDTH + picture.x) * 3,
        );
    }
    return light;
  }

  /** Where a place is in the whole picture, after `finish`: 0 to 1. */
  place(light: Light, [number, s, t]: Luxel): [number, number] {
    const { x, y, width, height } = this.pictures[number];
    const inside = (at: number, size: number) => Math.min(Math.max(at, 0), size - 1) + 0.5;
    return [(x + inside(s, width)) / light.width, (y + inside(t, height)) / light.height];
  }
}
