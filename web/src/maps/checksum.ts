// What games compute of a map, so that a client plays on the server's.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum;
});

/** CRC-32 without its last inversion; goes on from `sum`. */
export function crc32(bytes: Uint8Array, sum = 0xffffffff): number {
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 255] ^ (sum >>> 8);
  return sum >>> 0;
}

const SHIFTS = [
  [3, 7, 11, 19],
  [3, 5, 9, 13],
  [3, 9, 11, 15],
];
const ORDERS = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
  [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
];

/** The four words of MD4 (RFC 1320). */
export function md4(bytes: Uint8Array): [number, number, number, number] {
  const padded = new Uint8Array(((bytes.length + 72) >> 6) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, bytes.length << 3, true);
  view.setUint32(padded.length - 4, Math.floor(bytes.length / 0x20000000), true);
  const state: [number, number, number, number] = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476];
  for (let block = 0; block < padded.length; block += 64) {
    let [a, b, c, d] = state;
    for (let round = 0; round < 3; round++) {
      for (let step = 0; step < 16; step++) {
        const mixed = round === 0 ? (b & c) | (~b & d) : round === 1 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
        const sum =
          (a + mixed + view.getInt32(block + ORDERS[round][step] * 4, true) + [0, 0x5a827999, 0x6ed9eba1][round]) | 0;
        const by = SHIFTS[round][step % 4];
        [a, b, c, d] = [d, (sum << by) | (sum >>> (32 - by)), b, c];
      }
    }
    [a, b, c, d].forEach((word, at) => (state[at] = (state[at] + word) | 0));
  }
  return state;
}

/** The checksum that Quake II states of a map: the words of MD4, folded. */
export const folded = (bytes: Uint8Array): number => md4(bytes).reduce((all, word) => all ^ word, 0) | 0;

/** The lumps of a Half-Life map that its checksum is of: all but the entities, which are second in Blue Shift's maps. */
export function halfLifeSum(bytes: Uint8Array, entities: 0 | 1): number | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let sum = 0xffffffff;
  for (let lump = 0; lump < 15; lump++) {
    if (lump === entities) continue;
    const [from, length] = [view.getUint32(4 + lump * 8, true), view.getUint32(8 + lump * 8, true)];
    if (from + length > bytes.length) return null;
    sum = crc32(bytes.subarray(from, from + length), sum);
  }
  return sum;
}
