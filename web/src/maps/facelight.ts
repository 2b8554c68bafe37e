// Light of Quake, Half-Life and Quake II: a small picture for each face, one luxel every 16 units of its texture.

import { Atlas, type Luxel } from './light';
import { mayChange } from './styles';

const LUXEL = 16;
/** Light styles of a face; 255 is none. */
const [STYLES, NO_STYLE] = [4, 255];
/** No face of a real map has more luxels a side. */
const MOST = 1024;
/** An entry of what places a face's light apart from its texture: size, offset, two axes. */
const PLACED = 40;

/** Bytes of light that changes; beyond that all lights are on. */
const MOST_STYLED = 24 << 20;

type Triple = [number, number, number];

export class FaceLight {
  private styled = 0;

  constructor(
    private readonly atlas: Atlas,
    private readonly light: DataView,
    /** Bytes of a luxel: 1, or 3 of color. */
    private readonly bytes: 1 | 3,
    /** What the offsets of faces have to be multiplied by. */
    private readonly scale: 1 | 3,
    private readonly placed: DataView | null,
  ) {}

  /**
   * Where the corners of a face are in its light. `record` is the face's styles and offset, `axes` what places its texture.
   * Nothing where the map has no light, or the face says something that cannot be.
   */
  of(face: number, record: DataView, axes: DataView, corners: Triple[]): Luxel[] {
    if (!this.light.byteLength) return [];
    let offset = record.getInt32(4, true);
    let [width, height] = [0, 0];
    let places: [number, number][];
    const along = (view: DataView, from: number, [x, y, z]: Triple) =>
      x * view.getFloat32(from, true) +
      y * view.getFloat32(from + 4, true) +
      z * view.getFloat32(from + 8, true) +
      view.getFloat32(from + 12, true);
    if (this.placed && (face + 1) * PLACED <= this.placed.byteLength) {
      const [at, placed] = [face * PLACED, this.placed];
      [width, height, offset] = [
        placed.getUint16(at, true),
        placed.getUint16(at + 2, true),
        placed.getInt32(at + 4, true),
      ];
      places = corners.map((corner) => [along(placed, at + 8, corner), along(placed, at + 24, corner)]);
    } else {
      const texels = corners.map((corner): [number, number] => [along(axes, 0, corner), along(axes, 16, corner)]);
      const range = (axis: 0 | 1) => {
        const all = texels.map((place) => place[axis]);
        return [Math.floor(Math.min(...all) / LUXEL), Math.ceil(Math.max(...all) / LUXEL)] as const;
      };
      const [s, t] = [range(0), range(1)];
      [width, height] = [s[1] - s[0] + 1, t[1] - t[0] + 1];
      places = texels.map(([x, y]) => [x / LUXEL - s[0], y / LUXEL - t[0]]);
    }
    if (offset < 0) return corners.map(() => Atlas.dark);
    if (!(width >= 1 && width <= MOST && height >= 1 && height <= MOST)) return [];
    const size = width * height;
    const pixels = new Uint8Array(size * 3);
    const maps: Uint8Array[] = [];
    const styles: number[] = [];
    for (let style = 0; style < STYLES && record.getUint8(style) !== NO_STYLE; style++) {
      const from = offset * this.scale + style * size * this.bytes;
      if (from + size * this.bytes > this.light.byteLength) {
        if (style) break;
        return [];
      }
      const map = new Uint8Array(size * 3);
      for (let at = 0; at < size * 3; at++) {
        map[at] = this.light.getUint8(from + (this.bytes === 1 ? Math.floor(at / 3) : at));
        pixels[at] = Math.min(255, pixels[at] + map[at]);
      }
      maps.push(map);
      styles.push(record.getUint8(style));
    }
    const picture = this.atlas.add(width, height, pixels);
    const bytes = maps.length * size * 3;
    if (styles.some(mayChange) && this.styled + bytes <= MOST_STYLED) {
      this.styled += bytes;
      const all = new Uint8Array(bytes);
      maps.forEach((map, at) => all.set(map, at * size * 3));
      const middle = [0, 1, 2].map(
        (axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length,
      ) as Triple;
      const radius = Math.max(
        ...corners.map((corner) => Math.hypot(corner[0] - middle[0], corner[1] - middle[1], corner[2] - middle[2])),
      );
      this.atlas.addStyled(picture, { styles, maps: all, middle, radius });
    }
    return places.map(([s, t]) => [picture, s, t]);
  }
}
