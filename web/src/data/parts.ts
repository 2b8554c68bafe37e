// Large recordings are read in parts: the first picture is there before the rest is decoded.

export interface Sizes {
  /** Files of more bytes are read in parts. */
  large: number;
  /** Bytes of the first part, and of each that follows. */
  first: number;
  next: number;
}

export const SIZES: Sizes = { large: 8 << 20, first: 1 << 19, next: 4 << 20 };

/** Files that begin with these are packed, or have their index at their end. */
const WHOLE = [[0x1f, 0x8b], [...'HLDEMO'], [...'PK'], [...'Frg']].map((bytes) =>
  bytes.map((one) => (typeof one === 'string' ? one.charCodeAt(0) : one)),
);

/** Whether a file that begins with these bytes may be read from its start, as it was written. */
export const comesInParts = (first: Uint8Array): boolean =>
  !WHOLE.some((magic) => magic.every((byte, at) => first[at] === byte));
