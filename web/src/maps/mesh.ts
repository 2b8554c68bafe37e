// A level's triangles as they are found. Every count and index in a map is taken for hostile.

import { textAt } from './chars';
import { BadMap, FOGS, type Level, type Material, type Part, type Run } from './format';
import { Atlas, type Luxel } from './light';

/** Beyond that no real map goes. */
const MOST_VERTICES = 4_000_000;
const MOST_EXTRAS = 64;
/** The tint of what has light of its own map. */
const AS_IT_IS = [128, 128, 128];

/** The part of a map that a directory entry names. */
export class Lumps {
  private readonly view: DataView;

  constructor(
    readonly bytes: Uint8Array,
    private readonly directory: number,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  lump(number: number, size = 1): { view: DataView; count: number } {
    const at = this.directory + number * 8;
    if (at + 8 > this.bytes.length) throw new BadMap('its directory is truncated');
    const [offset, length] = [this.view.getUint32(at, true), this.view.getUint32(at + 4, true)];
    if (offset + length > this.bytes.length) throw new BadMap(`lump ${number} is not in the file: cut off or damaged`);
    return {
      view: new DataView(this.bytes.buffer, this.bytes.byteOffset + offset, length),
      count: Math.floor(length / size),
    };
  }

  /** A lump by name of the directory that compilers of maps write behind the last one. */
  extra(name: string, count: number): DataView | null {
    let end = this.directory + count * 8;
    for (let number = 0; number < count; number++) {
      const { view } = this.lump(number);
      end = Math.max(end, view.byteOffset - this.bytes.byteOffset + view.byteLength);
    }
    const at = (end + 3) & ~3;
    const text = (from: number, length: number) =>
      String.fromCharCode(...this.bytes.subarray(from, from + length)).replace(/\0.*/s, '');
    if (at + 8 > this.bytes.length || text(at, 4) !== 'BSPX') return null;
    const entries = Math.min(this.view.getUint32(at + 4, true), MOST_EXTRAS);
    for (let entry = at + 8; entry < at + 8 + entries * 32 && entry + 32 <= this.bytes.length; entry += 32) {
      if (text(entry, 24) !== name) continue;
      const [offset, length] = [this.view.getUint32(entry + 24, true), this.view.getUint32(entry + 28, true)];
      return offset + length <= this.bytes.length
        ? new DataView(this.bytes.buffer, this.bytes.byteOffset + offset, length)
        : null;
    }
    return null;
  }

  text(number: number): string {
    const { view } = this.lump(number);
    return textAt(view, 0, view.byteLength);
  }
}

/** The blocks of keys and values in the entities lump. */
export function parseEntities(text: string): Record<string, string>[] {
  const found: Record<string, string>[] = [];
  let block: Record<string, string> | null = null;
  let key: string | null = null;
  for (const [token] of text.matchAll(/"[^"]*"|[{}]/g)) {
    if (token === '{') block = Object.create(null) as Record<string, string>;
    else if (token === '}') {
      if (block) found.push(block);
      block = null;
    } else if (block) {
      const word = token.slice(1, -1);
      if (key === null) key = word.toLowerCase();
      else {
        block[key] = word;
        key = null;
      }
    }
  }
  return found;
}

export function vector(text: string | undefined): [number, number, number] {
  const numbers = (text ?? '').split(/\s+/).map(Number);
  return numbers.length === 3 && numbers.every(Number.isFinite) ? (numbers as [number, number, number]) : [0, 0, 0];
}

/** Triangles as they are found. */
export class Mesh {
  private readonly positions: number[] = [];
  private readonly colors: number[] = [];
  private readonly luxels: Luxel[] = [];
  private readonly texels: number[] = [];
  private readonly tints: number[] = [];
  /** The corners of triangles, by material and fog. */
  private readonly solid = new Map<number, number[]>();
  private readonly liquid = new Map<number, number[]>();
  private readonly indices: number[] = [];
  private readonly materials: Material[] = [];
  private readonly numbers = new Map<string, number>();
  readonly parts: Part[] = [];
  /** What faces of the sky are covered with. */
  sky: Material | null = null;
  readonly atlas = new Atlas();

  /** The number of what a name stands for. */
  material(name: string, make: () => Material): number {
    let number = this.numbers.get(name);
    if (number === undefined) {
      number = this.materials.push(make()) - 1;
      this.numbers.set(name, number);
    }
    return number;
  }

  vertex(x: number, y: number, z: number, paint: Paint, luxel: Luxel = Atlas.unlit, s = 0, t = 0): number {
    if (!Number.isFinite(x + y + z)) throw new BadMap('a vertex is nowhere');
    if (this.positions.length > MOST_VERTICES * 3) throw new BadMap('it has more vertices than any real map');
    this.positions.push(x, y, z);
    this.colors.push(...paint.color);
    this.tints.push(...(luxel === Atlas.unlit ? paint.tint : AS_IT_IS), paint.color[3]);
    this.luxels.push(luxel);
    this.texels.push(...(Number.isFinite(s + t) ? [s, t] : [0, 0]));
    return this.positions.length / 3 - 1;
  }

  triangle(a: number, b: number, c: number, liquid: boolean, material: number, fog = -1): void {
    const kind = liquid ? this.liquid : this.solid;
    const look = material * FOGS + fog + 1;
    const corners = kind.get(look);
    if (corners) corners.push(a, b, c);
    else kind.set(look, [a, b, c]);
  }

  /** Ends a part of the map. */
  part(entity: Record<string, string> | undefined): void {
    const runs: Run[] = [];
    const end = (kind: Map<number, number[]>): [number, number] => {
      const first = this.indices.length;
      for (const [look, corners] of [...kind].sort(([a], [b]) => a - b)) {
        runs.push({
          material: Math.floor(look / FOGS),
          first: this.indices.length,
          count: corners.length,
          liquid: kind === this.liquid,
          fog: (look % FOGS) - 1,
        });
        for (const index of corners) this.indices.push(index);
      }
      kind.clear();
      return [first, this.indices.length - first];
    };
    const [first, count] = end(this.solid);
    const [liquidFirst, liquidCount] = end(this.liquid);
    const name = entity?.['classname'] ?? '';
    const hidden = /^trigger_|^func_(areaportal|buyzone|bomb_target|hostage_rescue|escapezone|ladder|clip)/.test(name);
    this.parts.push({
      first,
      count,
      liquidFirst,
      liquidCount,
      runs,
      drawn: !this.parts.length || (!!entity && !hidden),
      origin: vector(entity?.['origin']),
      conveys: name === 'func_conveyor' ? Number(entity!['speed']) || 100 : 0,
    });
  }

  level(format: string, entities: Record<string, string>[]): Level {
    const light = this.atlas.finish();
    const luxels = new Float32Array(light ? this.luxels.length * 2 : 0);
    if (light) this.luxels.forEach((luxel, vertex) => luxels.set(this.atlas.place(light, luxel), vertex * 2));
    return {
      format,
      title: entities[0]?.['message'] ?? '',
      positions: Float32Array.from(this.positions),
      colors: Uint8Array.from(this.colors),
      indices: Uint32Array.from(this.indices),
      light,
      luxels,
      materials: this.materials,
      pictures: [],
      skyMaterial: this.sky,
      sky: null,
      texels: Float32Array.from(this.texels),
      tints: Uint8Array.from(this.tints),
      corners: null,
      fogs: [],
      grid: null,
      parts: this.parts,
      entities,
    };
  }
}

/** How a vertex looks without a picture, and what a picture is multiplied with there. */
export interface Paint {
  color: [number, number, number, number];
  tint: [number, number, number];
}

/** Looks that say which way a face looks and of what it is. */
export function facePaint(normal: [number, number, number], texture: string, liquid: boolean): Paint {
  const light = liquid ? 128 : Math.max(0, Math.min(255, 110 + 14 * normal[2] + 7 * normal[0] + 3 * normal[1]));
  return { color: faceColor(normal, texture, liquid), tint: [light, light, light] };
}

function faceColor(
  normal: [number, number, number],
  texture: string,
  liquid: boolean,
): [number, number, number, number] {
  const name = texture.toLowerCase();
  if (liquid)
    return /lava/.test(name)
      ? [235, 90, 25, 215]
      : /slime|acid/.test(name)
        ? [90, 150, 40, 170]
        : /tele|portal/.test(name)
          ? [150, 80, 210, 190]
          : [50, 105, 190, 140];
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = (hash * 31 + name.charCodeAt(at)) >>> 0;
  const light = 0.62 + 0.3 * normal[2] + 0.1 * normal[0] + 0.05 * normal[1];
  const tint = (shift: number) => 118 + (((hash >>> shift) & 31) - 16) * 1.4;
  const channel = (value: number) => Math.max(0, Math.min(255, Math.round(value * light * 1.25)));
  return [channel(tint(0) + 8), channel(tint(5) + 4), channel(tint(10)), 255];
}
