// Comments at times, and lines drawn on the plan, as a small file beside the recording.

/** What somebody says about a moment: milliseconds since the first frame. */
export interface Comment {
  time: number;
  text: string;
}

/** A line on the plan, in the game's units. */
export interface Drawn {
  pen: 'white' | 'yellow';
  time: number;
  level: number;
  points: [number, number][];
}

export interface Comments {
  /** The file's name of the recording that they are about, and its map. */
  recording: string;
  map: string | null;
  comments: Comment[];
  lines: Drawn[];
}

export const ENDING = '.comments.json';
const FORMAT = 'fragreel-comments';
/** Larger files are none of comments. */
const [LARGEST, MOST, LONGEST] = [4 << 20, 1000, 500];
/** Lines on the plan, and points of each: more are none of a hand. */
export const [MOST_LINES, MOST_POINTS] = [500, 2000];

/** Times are written as seconds. */
export function writeComments({ recording, map, comments, lines }: Comments): string {
  const seconds = (time: number) => Math.round(time) / 1000;
  const round = ([x, y]: [number, number]) => [Math.round(x), Math.round(y)];
  const made = {
    format: FORMAT,
    version: 1,
    recording,
    ...(map && { map }),
    comments: comments.map(({ time, text }) => ({ time: seconds(time), text })),
    ...(lines.length && {
      lines: lines.map(({ pen, time, level, points }) => ({
        pen,
        time: seconds(time),
        level,
        points: points.map(round),
      })),
    }),
  };
  return `${JSON.stringify(made, null, 1)}\n`;
}

/** Reads such a file; throws with the reason where it is none. */
export async function readComments(file: Blob): Promise<Comments> {
  if (file.size > LARGEST) throw new Error('it is larger than 4 MB');
  const all = asObject(JSON.parse(await file.text()), 'the file');
  if (all['format'] !== FORMAT) throw new Error('it is not a file of comments');
  if (all['version'] !== 1) throw new Error(`its version ${String(all['version'])} is unknown`);
  const list = (value: unknown, what: string, most: number): unknown[] => {
    if (value === undefined) return [];
    if (!Array.isArray(value) || value.length > most) throw new Error(`${what}: a list of at most ${most} is expected`);
    return value;
  };
  const comments = list(all['comments'], 'comments', MOST).map((one, at) => {
    const { time, text } = asObject(one, `comment ${at + 1}`);
    if (typeof text !== 'string' || !text.trim()) throw new Error(`comment ${at + 1} has no text`);
    return { time: timeOf(time, `comment ${at + 1}`), text: text.trim().slice(0, LONGEST) };
  });
  const lines = list(all['lines'], 'lines', MOST_LINES).map((one, at): Drawn => {
    const { pen, time, level, points } = asObject(one, `line ${at + 1}`);
    const places = Array.isArray(points) ? points.slice(0, MOST_POINTS) : [];
    if (!places.length || !places.every(isPlace)) throw new Error(`line ${at + 1} has no places`);
    return {
      pen: pen === 'white' ? 'white' : 'yellow',
      time: timeOf(time, `line ${at + 1}`),
      level: typeof level === 'number' ? level : 0,
      points: places,
    };
  });
  return {
    recording: typeof all['recording'] === 'string' ? all['recording'] : '',
    map: typeof all['map'] === 'string' ? all['map'] : null,
    comments: comments.sort((a, b) => a.time - b.time),
    lines,
  };
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} is not an object`);
  return value as Record<string, unknown>;
}

function timeOf(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw new Error(`${what} has no time`);
  return Math.round(value * 1000);
}

const isPlace = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'number' && Number.isFinite(one));
