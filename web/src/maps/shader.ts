// Shader scripts of Quake III: what the surfaces of a name show.

import { type Deform, readDeform } from './deform';
import { type Dye, type Motion, type Move, readMove, readWave } from './stage';

/** More pictures than that no shader tries. */
const MOST_STAGES = 16;

export interface Shader {
  /** Pictures to try where one is all that is drawn, with how each is. */
  stages: Stage[];
  /** What is drawn of it in this order, each over those before. Nothing without a script. */
  layers: Layer[];
  deforms: Deform[];
  /** Of a fog its color, and the units in which it hides everything. */
  fog: [number, number, number, number] | null;
  both: boolean;
  hidden: boolean;
  /** Whether any of it is as bright as a model is lit. */
  isLit: boolean;
  /** Of a sky: the name of its box, and how high its clouds are. */
  box: string | null;
  clouds: number;
}

export interface Stage {
  image: string;
  /** Below that alpha is a hole; 0 where there are none. */
  cut: number;
  /** How it is mixed with what is behind it, as WebGL names it. */
  blend: [string, string] | null;
  scale: [number, number];
}

/** One of the pictures that a surface is drawn with. */
export interface Layer extends Stage {
  /** The pictures of an animation, and how many of them are shown in a second. */
  frames: string[];
  rate: number;
  motion: Motion;
}

/** The lines of a script without comments; braces stand in lines of their own. */
function* lines(text: string): Generator<string> {
  let inside = false;
  for (let line of text.split(/[\r\n]+/)) {
    let said = '';
    while (line) {
      if (inside) {
        const end = line.indexOf('*/');
        inside = end < 0;
        line = inside ? '' : line.slice(end + 2);
        continue;
      }
      const start = line.search(/\/[/*]/);
      said += start < 0 ? line : `${line.slice(0, start)} `;
      inside = start >= 0 && line[start + 1] === '*';
      line = inside ? line.slice(start + 2) : '';
    }
    for (const piece of said.split(/([{}])/)) if (piece.trim()) yield piece.trim();
  }
}

/** Finds what a script says of the wanted names: everything between their braces. */
export function blocks(text: string, wanted: Pick<ReadonlySet<string>, 'has'>): Map<string, string> {
  const found = new Map<string, string>();
  let [depth, name, kept] = [0, '', ''];
  for (const line of lines(text)) {
    if (line === '}') depth = Math.max(0, depth - 1);
    if (depth > 0) {
      if (wanted.has(name)) kept += `${line}\n`;
    } else if (line === '}') {
      if (wanted.has(name) && kept) found.set(name, kept);
      kept = '';
    } else if (line !== '{') name = line.replaceAll('"', '').replaceAll('\\', '/').toLowerCase();
    if (line === '{') depth++;
  }
  return found;
}

const NAMED = new Map<string, [string, string]>([
  ['add', ['ONE', 'ONE']],
  ['filter', ['DST_COLOR', 'ZERO']],
  ['blend', ['SRC_ALPHA', 'ONE_MINUS_SRC_ALPHA']],
]);
const FACTOR = /^gl_((?:one|zero)$|(?:one_minus_)?(?:src|dst)_(?:color|alpha)$)/;
const HOLES = new Map([
  ['gt0', 0.01],
  ['ge128', 0.5],
]);

/** Colors are half as bright as they are shown. */
const [FULL, HALF]: [Dye, Dye] = [{ value: [1, 1, 1] }, { value: [0.5, 0.5, 0.5] }];
const MOST_FRAMES = 8;

/** A stage as it is written. */
class Written {
  image = '';
  frames: string[] = [];
  rate = 0;
  cut = 0;
  blend: [string, string] | null = null;
  scale: [number, number] = [1, 1];
  mirror = false;
  byCorner = false;
  lacking = false;
  seenByCorner = false;
  gloss = false;
  far = 0;
  once = false;
  /** Whether it is as bright as what it is on is lit. */
  isLit = false;
  readonly moves: Move[] = [];
  color: Dye | null = null;
  alpha: Dye | null = null;

  get isLight(): boolean {
    return this.image === '$lightmap';
  }

  /** Whether it is multiplied with what is behind it. */
  get isFilter(): boolean {
    return this.blend?.[0] === 'DST_COLOR' || this.blend?.[1] === 'SRC_COLOR';
  }

  /** What it is multiplied with. Where nothing is said, what is added or covers is half as bright as what multiplies. */
  get dye(): Dye {
    return this.color ?? (!this.blend || /^(ONE|SRC_ALPHA)$/.test(this.blend[0]) ? HALF : FULL);
  }

  read(key: string, words: string[]): void {
    const [first = '', second = '', third = ''] = words;
    if (key === 'map' || key === 'clampmap') [this.image, this.once] = [first, key === 'clampmap'];
    else if (key === 'animmap')
      [this.rate, this.image, this.frames] = [Math.max(0, Number(first) || 0), second, words.slice(1, 1 + MOST_FRAMES)];
    else if (key === 'alphafunc') this.cut = HOLES.get(first) ?? 0;
    else if (key === 'tcgen') this.mirror ||= first === 'environment';
    else if (key === 'rgbgen' || key === 'alphagen') this.readDye(key, words);
    else if (key === 'tcmod') {
      readMove(this.moves, words);
      if (first === 'scale') this.scale = [Number(second) || 1, Number(third) || 1];
    } else if (key === 'blendfunc') {
      const factors = [FACTOR.exec(first)?.[1], FACTOR.exec(second)?.[1]];
      this.blend =
        NAMED.get(first) ?? (factors[0] && factors[1] ? [factors[0].toUpperCase(), factors[1].toUpperCase()] : null);
      if (this.blend?.join() === 'ONE,ZERO') this.blend = null;
    }
  }

  private readDye(key: string, [kind = '', ...words]: string[]): void {
    const numbers = words.map(Number).filter((value) => Number.isFinite(value) && value >= 0 && value <= 1);
    const wave = kind === 'wave' ? readWave(words) : null;
    if (key === 'alphagen') {
      if (wave) this.alpha = { wave };
      else if (kind === 'const' && numbers.length) this.alpha = { value: [numbers[0], 0, 0] };
      this.seenByCorner = kind === 'vertex';
      this.gloss = kind === 'lightingspecular';
      if (kind === 'portal') this.far = Math.max(0, Number(words[0]) || 256);
      return;
    }
    this.isLit = kind === 'lightingdiffuse' || kind === 'vertex';
    this.lacking = kind === 'oneminusvertex';
    this.byCorner = this.lacking || kind === 'vertex' || kind === 'exactvertex';
    if (wave) this.color = { wave };
    else if (kind === 'identity' || kind === 'exactvertex') this.color = FULL;
    else if (kind === 'identitylighting' || kind === 'vertex' || this.lacking) this.color = HALF;
    else if (kind === 'const' && numbers.length === 3) this.color = { value: numbers as [number, number, number] };
  }
}

/** What is drawn, of all stages. The level's light is no picture: it falls on what it is multiplied with. */
function layersOf(stages: readonly Written[]): Layer[] {
  const layers: Layer[] = [];
  // what the light is multiplied with where it is drawn before any picture
  let onLight: Dye | null = null;
  for (const stage of stages) {
    if (stage.isLight) {
      if (!layers.length && !stage.blend) onLight = stage.color ?? HALF;
      else if (stage.isFilter)
        for (const { motion, blend } of layers)
          motion.lit ||= !blend || !(blend[0] === 'DST_COLOR' || blend[1] === 'SRC_COLOR');
      continue;
    }
    if (!stage.image || stage.image.startsWith('$')) continue;
    const { image, frames, rate, cut, moves, alpha, mirror, byCorner, lacking, seenByCorner, gloss, far, once } = stage;
    const isOnLight: boolean = !!onLight && !layers.length && stage.isFilter;
    const before = isOnLight && onLight && 'value' in onLight ? onLight.value[0] : 1;
    const dye = stage.dye;
    const color: Dye =
      'value' in dye ? { value: dye.value.map((one) => one * before) as [number, number, number] } : dye;
    layers.push({
      image,
      frames,
      rate,
      cut,
      blend: isOnLight ? null : stage.blend,
      scale: [1, 1],
      motion: { moves, color, alpha, lit: isOnLight, byCorner, lacking, seenByCorner, gloss, far, once, mirror },
    });
  }
  // what covers everything is all that is seen of what came before
  const ground = layers.findLastIndex(({ blend, cut }) => !blend && !cut);
  return layers.slice(Math.max(0, ground));
}

/** `( red green blue ) units`, with or without blanks at the parentheses. */
function fogOf(words: string[]): Shader['fog'] {
  const numbers = words.join(' ').replace(/[()]/g, ' ').trim().split(/\s+/).slice(0, 4).map(Number);
  if (numbers.length < 4 || !numbers.every(Number.isFinite)) return null;
  return [
    ...numbers.slice(0, 3).map((value) => Math.max(0, Math.min(1, value))),
    Math.max(1, numbers[3]),
  ] as NonNullable<Shader['fog']>;
}

/** Reads the block of a shader. */
export function readShader(name: string, block: string): Shader {
  const shader: Shader = {
    stages: [],
    layers: [],
    deforms: [],
    fog: null,
    both: false,
    hidden: false,
    isLit: false,
    box: null,
    clouds: 0,
  };
  const made: Written[] = [];
  const all: Written[] = [];
  let inner: Written | null = null;
  let [editor, isFog] = ['', false];
  for (const line of lines(block)) {
    const [key = '', ...words] = line.replaceAll('"', '').replaceAll('\\', '/').toLowerCase().split(/\s+/);
    const [first = '', second = ''] = words;
    if (line === '{') inner = new Written();
    else if (line === '}') {
      if (!inner || all.length >= MOST_STAGES) continue;
      all.push(inner);
      if (inner.image && !inner.image.startsWith('$')) made.push(inner);
      inner = null;
    } else if (inner) inner.read(key, words);
    else if (key === 'cull') shader.both = /^(none|disable|twosided)$/.test(first);
    else if (key === 'qer_editorimage') editor = first;
    else if (key === 'skyparms')
      [shader.box, shader.clouds] = [first === '-' || !first ? null : first, Number(second) || 0];
    else if (key === 'deformvertexes') readDeform(shader.deforms, words);
    else if (key === 'fogparms') shader.fog = fogOf(words);
    else if (key === 'surfaceparm') {
      shader.hidden ||= /^(nodraw|sky)$/.test(first);
      isFog ||= first === 'fog';
    }
  }
  // fog whose surface shows nothing
  shader.hidden ||= isFog && !made.length;
  shader.layers = layersOf(all);
  shader.isLit = all.some(({ isLit }) => isLit);
  // what comes after something opaque is not seen through
  const opaque = all.findIndex(({ image, blend, cut }) => image && !blend && !cut);
  const tried = made.map((one): Stage & { mirror: boolean } => {
    const { image, scale, mirror } = one;
    return opaque >= 0 && all.indexOf(one) > opaque
      ? { image, cut: 0, blend: null, scale, mirror }
      : { image, cut: one.cut, blend: one.blend, scale, mirror };
  });
  // what mirrors its surroundings says less of a surface than what does not
  for (const wanted of [false, true])
    for (const { mirror, ...stage } of tried) if (mirror === wanted) shader.stages.push(stage);
  for (const image of [name, editor]) if (image) shader.stages.push({ image, cut: 0, blend: null, scale: [1, 1] });
  return shader;
}
