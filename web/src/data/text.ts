// Game text with its colors. It becomes elements with text in them, never markup.

import type { Text } from '../../answers';

export interface Run {
  text: string;
  color?: string;
}

const QUAKE3 = ['#808080', '#f04040', '#30c030', '#e0c020', '#5080ff', '#20c0c0', '#e050e0', ''];
/** Half-Life: a character before the text says yellow, team's, green. */
const HALF_LIFE: Record<string, string> = { '\u0001': '', '\u0002': '', '\u0003': '#5090e0', '\u0004': '#30c030' };

/** Text in pieces of one color each. */
export function runs(text: Text, family: string): Run[] {
  const found: Run[] = [];
  const add = (piece: string, color: string) => {
    if (!piece) return;
    const last = found[found.length - 1];
    if (last && (last.color ?? '') === color) last.text += piece;
    else found.push(color ? { text: piece, color } : { text: piece });
  };
  let color = '';
  const raw = text.raw;
  for (let at = 0; at < raw.length; at++) {
    const c = raw[at];
    const code = raw.charCodeAt(at);
    if (family === 'quake3' && c === '^' && at + 1 < raw.length && raw[at + 1] !== '^') {
      const digit = raw.charCodeAt(++at);
      color = QUAKE3[(digit - 48) & 7];
      continue;
    }
    if (family === 'goldsrc' && c in HALF_LIFE) {
      color = HALF_LIFE[c];
      continue;
    }
    if (family === 'quake1' && c === '&' && /^&c[0-9a-f]{3}/i.test(raw.slice(at, at + 5))) {
      color = `#${raw.slice(at + 2, at + 5)}`;
      at += 4;
      continue;
    }
    if (family === 'quake1' && c === '&' && raw[at + 1] === 'r') {
      color = '';
      at++;
      continue;
    }
    // what is no UTF-8 is a byte of the game's character set: the upper half looks like the lower one, in another color
    if (code >= 0xe000 && code < 0xe100) {
      const byte = code - 0xe000;
      const low = byte & 0x7f;
      const shown =
        low >= 32 && low < 127
          ? String.fromCharCode(low)
          : low >= 18 && low <= 27
            ? String.fromCharCode(low + 30)
            : low === 16
              ? '['
              : low === 17
                ? ']'
                : '';
      add(shown, byte >= 128 && family !== 'goldsrc' && family !== 'quake3' ? '#c08040' : color);
      continue;
    }
    if (code < 32) continue;
    add(c, color);
  }
  // codes that another game understands otherwise: what a person reads is what the library says
  const read = found.map((run) => run.text).join('');
  return read.trim() === text.clean.trim() ? found : found.length > 1 && read.length ? found : [{ text: text.clean }];
}
