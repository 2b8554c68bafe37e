// What a file of sounds says beside its samples: the part that goes on, and the words of Half-Life's sentences.

const [MOST_WORDS, MOST_PITCH] = [64, 4];

/** The words of a sentence, by its name or by its number in the list, with the speed of each. */
export function sentence(list: string, wanted: string): { file: string; pitch: number }[] {
  let number = 0;
  for (const line of list.split(/[\r\n]+/)) {
    const [, name, rest] = /^\s*(\w+)\s+(.+)$/.exec(line.replace(/\/\/.*/, '')) ?? [];
    if (!name || !rest) continue;
    if (name.toLowerCase() === wanted.toLowerCase() || `${number}` === wanted) return wordsOf(rest);
    number++;
  }
  return [];
}

function wordsOf(text: string): { file: string; pitch: number }[] {
  // `folder/first(p110) second`, commas and points are pauses; a file of one word has its folder before it
  let folder = 'vox/';
  let pitch = 1;
  const found: { file: string; pitch: number }[] = [];
  const speed = (marks: string): number | null => {
    const [, stated] = /\bp(\d+)/.exec(marks) ?? [];
    return stated ? Math.max(1 / MOST_PITCH, Math.min(MOST_PITCH, Number(stated) / 100)) : null;
  };
  for (const part of text.trim().split(/\s+/)) {
    const [, marksBefore = '', path = '', marks = ''] = /^(?:\(([^)]*)\))?([^()]*)(?:\(([^)]*)\))?$/.exec(part) ?? [];
    if (marksBefore) pitch = speed(marksBefore) ?? pitch;
    const slash = path.lastIndexOf('/');
    if (slash >= 0) folder = path.slice(0, slash + 1);
    const word = path
      .slice(slash + 1)
      .replace(/[.,]+$/, '')
      .toLowerCase();
    if (!word || word === '_comma' || word === '_period' || found.length >= MOST_WORDS) continue;
    found.push({ file: `sound/${folder.toLowerCase()}${word}.wav`, pitch: speed(marks) ?? pitch });
  }
  return found;
}

/** The seconds between which a `.wav` goes on by itself: from its first mark, to the end or as long as it says. */
export function loopOf(bytes: Uint8Array): [number, number] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < 12 || name(0) !== 'RIFF' || name(8) !== 'WAVE') return null;
  let [rate, frame, samples, start, length] = [0, 1, 0, -1, 0];
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at + 4, true);
    const has = (needed: number) => size >= needed && at + 8 + needed <= bytes.length;
    switch (name(at)) {
      case 'fmt ':
        if (has(16)) [rate, frame] = [view.getUint32(at + 12, true), Math.max(1, view.getUint16(at + 20, true))];
        break;
      case 'data':
        samples = Math.min(size, bytes.length - at - 8) / frame;
        break;
      case 'cue ':
        if (has(28) && view.getUint32(at + 8, true) > 0) start = view.getUint32(at + 32, true);
        break;
      case 'LIST':
        // how long the mark is, in a list of its own
        if (has(24) && start >= 0 && name(at + 28) === 'mark') length = view.getUint32(at + 24, true);
        break;
    }
    at += 8 + size + (size & 1);
  }
  if (start < 0 || !(rate > 0) || start >= samples) return null;
  return [start / rate, Math.min(samples, length ? start + length : samples) / rate];
}
