// The animations of a player of Quake III.

export interface Animation {
  first: number;
  count: number;
  /** Frames at the end that go on for good. */
  loop: number;
  rate: number;
  reversed: boolean;
}

export interface Animations {
  list: Animation[];
  /** Whether the legs go with the torso, and whether the torso does not nod. */
  fixedLegs: boolean;
  fixedTorso: boolean;
}

/** Where the animations of legs begin, and the first of the torso alone: the file numbers both in one list. */
const [LEGS, TORSO, MOST] = [13, 6, 64];
/** Walking backwards is walking reversed. */
const REVERSED = new Map([
  [31, 13],
  [32, 14],
]);
const TOGGLE = 128;
/** Animations of the torso that a hand has, too: where they begin there, and how many frames they have. */
const HANDS = [
  [9, 6, 9],
  [7, 1, 6],
  [8, 1, 6],
] as const;

/** Reads `animation.cfg`. */
export function readAnimations(text: string): Animations {
  const found: Animation[] = [];
  const says = (word: string) => new RegExp(`^\\s*${word}\\b`, 'im').test(text);
  for (const line of text.split(/[\r\n]+/)) {
    const numbers = line
      .replace(/\/\/.*/, '')
      .trim()
      .split(/\s+/)
      .map(Number);
    if (numbers.length < 4 || !numbers.slice(0, 4).every(Number.isFinite) || found.length >= MOST) continue;
    const [first, count, loop, rate] = numbers as [number, number, number, number];
    found.push({
      first,
      count: Math.abs(count),
      loop: Math.min(Math.max(0, loop), Math.abs(count)),
      rate: rate > 0 ? rate : 1,
      reversed: count < 0,
    });
  }
  const skipped = (found[LEGS]?.first ?? 0) - (found[TORSO]?.first ?? 0);
  const list = found.map((one, number) =>
    number >= LEGS && number < 25 ? { ...one, first: one.first - skipped } : one,
  );
  return { list, fixedLegs: says('fixedlegs'), fixedTorso: says('fixedtorso') };
}

/** The frame of a hand for one of the torso. */
export function handFrame({ list }: Animations, frame: number): number {
  for (const [number, first, most] of HANDS) {
    const from = list[number]?.first ?? 0;
    if (frame >= from && frame < from + most) return frame - from + first;
  }
  return 0;
}

/** Between which frames an animation is, and how far on the way. */
export function frameOf(
  { list: animations }: Animations,
  number: number,
  since: number,
): [from: number, to: number, part: number] {
  const plain = number & (TOGGLE - 1);
  const source = REVERSED.get(plain);
  const animation = animations[source ?? plain];
  if (!animation?.count) return [0, 0, 0];
  const reversed = animation.reversed !== (source !== undefined);
  const passed = (Math.max(0, since) * animation.rate) / 1000;
  const step = Math.floor(passed);
  const at = (frame: number): number => {
    let shown = frame;
    if (shown >= animation.count)
      shown = animation.loop
        ? animation.count - animation.loop + ((shown - animation.count) % animation.loop)
        : animation.count - 1;
    return animation.first + (reversed ? animation.count - 1 - shown : shown);
  };
  return [at(step), at(step + 1), passed - step];
}
