// An MP4 of one video track, with its index before the pictures.

export interface Chunk {
  bytes: Uint8Array;
  /** Which picture it is, in the order in which they are shown. */
  number: number;
  isKey: boolean;
}

/** Units of a picture's time, and of a second of the whole. */
const [UNITS, SECOND] = [512, 1000];
const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

/** `description` is what the encoder says of its H.264; without it the pictures are VP9. */
export function mp4(
  description: Uint8Array | null,
  width: number,
  height: number,
  rate: number,
  chunks: Chunk[],
): Blob {
  const count = chunks.length;
  const whole = Math.round((count * SECOND) / rate);
  const size = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const head = box('ftyp', text('isom'), words(0x200), text('isomiso2avc1mp41'));
  const config = description
    ? box('avcC', description)
    : box('vpcC', words(0x1000000), Uint8Array.of(0, 41, 0x82, 1, 1, 1, 0, 0));
  const entry = box(
    description ? 'avc1' : 'vp09',
    shorts(0, 0, 0, 1, ...Array(8).fill(0), width, height),
    words(0x480000, 0x480000, 0),
    shorts(1),
    new Uint8Array(32),
    shorts(24, 0xffff),
    config,
  );
  // encoders may give pictures before those that they are made from
  const late = chunks.map(({ number }, at) => (number - at) * UNITS);
  const keys = chunks.flatMap(({ isKey }, at) => (isKey ? [at + 1] : []));
  const index = (start: number) =>
    box(
      'moov',
      box('mvhd', words(0, 0, 0, SECOND, whole, 0x10000, 0x1000000, 0, 0, ...MATRIX, 0, 0, 0, 0, 0, 0, 2)),
      box(
        'trak',
        box('tkhd', words(3, 0, 0, 1, 0, whole, 0, 0, 0, 0, ...MATRIX, width * 0x10000, height * 0x10000)),
        box(
          'mdia',
          box('mdhd', words(0, 0, 0, Math.round(rate * UNITS), count * UNITS, 0x55c40000)),
          box('hdlr', words(0, 0), text('vide'), words(0, 0, 0), Uint8Array.of(0)),
          box(
            'minf',
            box('vmhd', words(1, 0, 0)),
            box('dinf', box('dref', words(0, 1), box('url ', words(1)))),
            box(
              'stbl',
              box('stsd', words(0, 1), entry),
              box('stts', words(0, 1, count, UNITS)),
              ...(late.some(Boolean) ? [box('ctts', words(0x1000000, count, ...late.flatMap((one) => [1, one])))] : []),
              box('stss', words(0, keys.length, ...keys)),
              box('stsc', words(0, 1, 1, count, 1)),
              box('stsz', words(0, 0, count, ...chunks.map(({ bytes }) => bytes.length))),
              box('stco', words(0, 1, start)),
            ),
          ),
        ),
      ),
    );
  const start = head.length + index(0).length + 8;
  return new Blob(
    [head, index(start), words(size + 8), text('mdat'), ...chunks.map(({ bytes }) => bytes as Uint8Array<ArrayBuffer>)],
    { type: 'video/mp4' },
  );
}

function box(name: string, ...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const size = parts.reduce((sum, { length }) => sum + length, 8);
  const made = new Uint8Array(size);
  made.set(words(size));
  made.set(text(name), 4);
  let at = 8;
  for (const part of parts) {
    made.set(part, at);
    at += part.length;
  }
  return made;
}

const text = (value: string): Uint8Array<ArrayBuffer> => Uint8Array.from(value, (letter) => letter.charCodeAt(0));

function words(...values: number[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(values.length * 4));
  values.forEach((value, at) => view.setInt32(at * 4, value));
  return new Uint8Array(view.buffer);
}

function shorts(...values: number[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(values.length * 2));
  values.forEach((value, at) => view.setInt16(at * 2, value));
  return new Uint8Array(view.buffer);
}
