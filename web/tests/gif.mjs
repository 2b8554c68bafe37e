// A reader of GIFs, to compare with what the page writes.

/** The pictures as numbers 0xrrggbb, each over the one before, with the hundredths of a second that it stays and the pixels that it changes. */
export function gif(bytes) {
  if (!/^GIF8[79]a/.test(bytes.toString('latin1', 0, 6))) throw new Error('no GIF');
  const [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
  let at = 13;
  const table = (flags) => {
    if (!(flags & 0x80)) return null;
    const count = 2 << (flags & 7);
    const colors = Array.from({ length: count }, (_, color) => bytes.readUIntBE(at + color * 3, 3));
    at += count * 3;
    return colors;
  };
  const common = table(bytes[10]);
  const blocks = () => {
    const parts = [];
    for (let size = bytes[at++]; size; size = bytes[at++]) {
      parts.push(bytes.subarray(at, at + size));
      at += size;
    }
    return Buffer.concat(parts);
  };
  const frames = [];
  let [delay, repeats, clear, before] = [0, null, -1, null];
  for (;;) {
    const kind = bytes[at++];
    if (kind === 0x3b) break;
    if (kind === 0x21) {
      const label = bytes[at++];
      const data = blocks();
      // what a picture leaves out stays as it was before
      if (label === 0xf9) [delay, clear] = [data.readUInt16LE(1), data[0] & 1 ? data[3] : -1];
      if (label === 0xf9 && ![0, 1].includes((data[0] >> 2) & 7)) throw new Error('a picture is taken away');
      if (label === 0xff && data.toString('latin1', 0, 11) === 'NETSCAPE2.0') repeats = data.readUInt16LE(12);
    } else if (kind === 0x2c) {
      const [wide, high, flags] = [bytes.readUInt16LE(at + 4), bytes.readUInt16LE(at + 6), bytes[at + 8]];
      at += 9;
      const colors = table(flags) ?? common;
      const least = bytes[at++];
      const indices = lzw(blocks(), least, wide * high);
      const pixels = Array.from(indices, (index, pixel) => (index === clear ? before[pixel] : colors[index]));
      frames.push({ delay, pixels, changed: Array.from(indices).filter((index) => index !== clear).length });
      before = pixels;
    } else throw new Error(`block ${kind} at ${at}`);
  }
  return { width, height, frames, repeats };
}

function lzw(data, least, count) {
  const found = [];
  const [clear, end] = [1 << least, (1 << least) + 1];
  let [codes, size, bits, held, last] = [[], 0, 0, 0, null];
  const reset = () => {
    codes = Array.from({ length: end + 1 }, (_, code) => (code < clear ? [code] : []));
    size = least + 1;
    last = null;
  };
  reset();
  for (const byte of data) {
    held |= byte << bits;
    bits += 8;
    while (bits >= size) {
      const code = held & ((1 << size) - 1);
      held >>>= size;
      bits -= size;
      if (code === end) return found;
      if (code === clear) {
        reset();
        continue;
      }
      const run = codes[code] ?? [...last, last[0]];
      if (last && codes.length < 4096) codes.push([...last, run[0]]);
      if (codes.length === 1 << size && size < 12) size++;
      for (const index of run) found.push(index);
      last = run;
      if (found.length > count) throw new Error('too many pixels');
    }
  }
  return found;
}
