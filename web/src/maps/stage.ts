// One stage of a shader of Quake III: where its picture is at a time, and what it is multiplied with.

/** A function of time that comes again and again. */
export interface Wave {
  shape: string;
  base: number;
  height: number;
  phase: number;
  /** Times a second. */
  rate: number;
}

/** A `tcMod`: what it does, and its numbers. */
export interface Move {
  kind: string;
  numbers: number[];
  wave: Wave | null;
}

/** What a picture's color or alpha is multiplied with: always the same, or a wave. */
export type Dye = { value: [number, number, number] } | { wave: Wave };

/** How a stage is drawn beside its picture. */
export interface Motion {
  moves: Move[];
  color: Dye;
  alpha: Dye | null;
  /** Whether the level's light falls on it. */
  lit: boolean;
  /** Whether the colors of the corners count, as they are or as what they lack of white, and whether what is seen of them does. */
  byCorner: boolean;
  lacking: boolean;
  seenByCorner: boolean;
  /** Whether it is seen where it shines, and from how far on all of it is. */
  gloss: boolean;
  far: number;
  /** Whether its picture is there once, and its edges go on. */
  once: boolean;
  /** Whether it mirrors its surroundings. */
  mirror: boolean;
}

const MOST_MOVES = 8;
export const SHAPES: Record<string, (part: number) => number> = {
  sin: (part) => Math.sin(part * Math.PI * 2),
  square: (part) => (part < 0.5 ? 1 : -1),
  triangle: (part) => (part < 0.25 ? part * 4 : part < 0.75 ? 2 - part * 4 : part * 4 - 4),
  sawtooth: (part) => part,
  inversesawtooth: (part) => 1 - part,
  // steps by chance, which are the same at the same time
  noise: (part) => (Math.imul(Math.floor(part * 64) + 7, 0x9e3779b1) >>> 8) / (1 << 23) - 1,
};

const number = (word: string | undefined): number => {
  const value = Number(word);
  return Number.isFinite(value) ? value : 0;
};

/** Reads a wave: its shape and four numbers. */
export function readWave([shape = '', ...numbers]: string[]): Wave | null {
  if (!Object.hasOwn(SHAPES, shape)) return null;
  const [base, height, phase, rate] = [0, 1, 2, 3].map((at) => number(numbers[at])) as [number, number, number, number];
  return { shape, base, height, phase, rate };
}

/** What a wave is at a time in seconds. */
export function waveAt({ shape, base, height, phase, rate }: Wave, seconds: number): number {
  const part = phase + seconds * rate;
  return base + height * SHAPES[shape](part - Math.floor(part));
}

/** Reads what stands behind `tcMod`, into a list of a bounded length. */
export function readMove(moves: Move[], [kind = '', ...words]: string[]): void {
  const wave = kind === 'stretch' ? readWave(words) : null;
  if (moves.length < MOST_MOVES && /^(scale|scroll|rotate|stretch|turb|transform)$/.test(kind))
    moves.push({ kind, numbers: words.slice(0, 6).map(number), wave });
}

/** What a stage is multiplied with at a time: red, green, blue, alpha, in the units of the script. */
export function dyeAt(
  { color, alpha }: Pick<Motion, 'color' | 'alpha'>,
  seconds: number,
): [number, number, number, number] {
  // half of a wave, as the engine has it
  const [red, green, blue] =
    'value' in color
      ? color.value
      : (Array(3).fill(Math.max(0, Math.min(1, waveAt(color.wave, seconds))) / 2) as [number, number, number]);
  const seen =
    alpha === null ? 1 : 'value' in alpha ? alpha.value[0] : Math.max(0, Math.min(1, waveAt(alpha.wave, seconds)));
  return [red, green, blue, seen];
}

/** Where a picture is at a time: new s and t of s, t and 1, six numbers; and how far it is turbulent. */
export function placeAt(
  moves: readonly Move[],
  seconds: number,
): { matrix: [number, number, number, number, number, number]; turb: [number, number] } {
  let [a, b, c, d, x, y] = [1, 0, 0, 1, 0, 0];
  let turb: [number, number] = [0, 0];
  /** Adds a movement after those before. */
  const after = (e: number, f: number, g: number, h: number, u: number, v: number) => {
    [a, b, c, d, x, y] = [
      a * e + b * g,
      a * f + b * h,
      c * e + d * g,
      c * f + d * h,
      x * e + y * g + u,
      x * f + y * h + v,
    ];
  };
  for (const { kind, numbers, wave } of moves) {
    const [n0 = 0, n1 = 0, n2 = 0, n3 = 0, n4 = 0, n5 = 0] = numbers;
    if (kind === 'scale') after(n0, 0, 0, n1, 0, 0);
    else if (kind === 'scroll') after(1, 0, 0, 1, (n0 * seconds) % 1, (n1 * seconds) % 1);
    else if (kind === 'transform') after(n0, n1, n2, n3, n4, n5);
    else if (kind === 'rotate') {
      const turn = (((-n0 * seconds) % 360) * Math.PI) / 180;
      const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
      after(cos, sin, -sin, cos, 0.5 - 0.5 * cos + 0.5 * sin, 0.5 - 0.5 * sin - 0.5 * cos);
    } else if (kind === 'stretch') {
      const size = wave && waveAt(wave, seconds);
      const by = size ? 1 / size : 1;
      after(by, 0, 0, by, 0.5 - 0.5 * by, 0.5 - 0.5 * by);
    } else if (kind === 'turb') turb = [n1, (n2 + n3 * seconds) % 1];
  }
  return { matrix: [a, b, c, d, x, y], turb };
}
