// Shader scripts of Quake III: what the surfaces of a name show. Of all that they can say, what a still picture needs.

/** More pictures than that no shader tries. */
const MOST_STAGES = 16;

export interface Shader {
  /** Pictures to try, with how each is drawn. */
  stages: Stage[];
  both: boolean;
  hidden: boolean;
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
  /** How far it moves in a second, in pictures. */
  scroll?: [number, number];
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

const NAMED = new Map<string, [string, string]>([['add', ['ONE', 'ONE']], ['filter', ['DST_COLOR', 'ZERO']], ['blend', ['SRC_ALPHA', 'ONE_MINUS_SRC_ALPHA']]]);
const FACTOR = /^gl_((?:one|zero)$|(?:one_minus_)?(?:src|dst)_(?:color|alpha)$)/;
const HOLES = new Map([['gt0', 0.01], ['ge128', 0.5]]);

/** Reads the block of a shader. */
export function readShader(name: string, block: string): Shader {
  const shader: Shader = { stages: [], both: false, hidden: false, box: null, clouds: 0 };
  const stage = () => ({ image: '', cut: 0, blend: null as [string, string] | null, scale: [1, 1] as [number, number], scroll: [0, 0] as [number, number], bent: false });
  const made: ReturnType<typeof stage>[] = [];
  let inner: ReturnType<typeof stage> | null = null;
  let editor = '';
  // whether something opaque is drawn before: what comes then is not seen through
  let opaque = false;
  for (const line of lines(block)) {
    const [key = '', first = '', second = '', third = ''] = line.replaceAll('"', '').replaceAll('\\', '/').toLowerCase().split(/\s+/);
    if (line === '{') inner = stage();
    else if (line === '}') {
      if (!inner) continue;
      if (opaque) [inner.blend, inner.cut] = [null, 0];
      if (inner.image && !inner.image.startsWith('$') && made.length < MOST_STAGES) made.push(inner);
      opaque ||= !!inner.image && !inner.blend && !inner.cut;
      inner = null;
    } else if (!inner) {
      if (key === 'cull') shader.both = /^(none|disable|twosided)$/.test(first);
      else if (key === 'qer_editorimage') editor = first;
      else if (key === 'skyparms') [shader.box, shader.clouds] = [first === '-' || !first ? null : first, Number(second) || 0];
      else if (key === 'surfaceparm') shader.hidden ||= /^(nodraw|sky|fog)$/.test(first);
    } else if (key === 'map' || key === 'clampmap') inner.image = first;
    else if (key === 'animmap') inner.image = second;
    else if (key === 'alphafunc') inner.cut = HOLES.get(first) ?? 0;
    else if (key === 'tcgen') inner.bent ||= first === 'environment';
    else if (key === 'tcmod' && first === 'scale') inner.scale = [Number(second) || 1, Number(third) || 1];
    else if (key === 'tcmod' && first === 'scroll') inner.scroll = [Number(second) || 0, Number(third) || 0];
    else if (key === 'blendfunc') {
      const factors = [FACTOR.exec(first)?.[1], FACTOR.exec(second)?.[1]];
      inner.blend = NAMED.get(first) ?? (factors[0] && factors[1] ? [factors[0].toUpperCase(), factors[1].toUpperCase()] : null);
      if (inner.blend?.join() === 'ONE,ZERO') inner.blend = null;
    }
  }
  // what mirrors its surroundings says less of a surface than what does not
  shader.stages.push(...made.filter((one) => !one.bent), ...made.filter((one) => one.bent));
  for (const image of [name, editor]) if (image) shader.stages.push({ image, cut: 0, blend: null, scale: [1, 1] });
  return shader;
}
