// Videos frame by frame, as fast as pictures can be drawn and encoded: MP4 and WebM by the browser's encoder, GIF without it. The page loads this when somebody asks for
// a video.

import { GIFEncoder, applyPalette, quantize } from 'gifenc';
import { bitrate } from './filmsize';
import { type Chunk, mp4 } from './mp4';
import type { Part } from '../store/clock';
import { encodeSound } from './soundencode';
import { webm } from './webm';

export { paintAll } from './painted';
export { Soundtrack } from './soundtrack';

/** What a video shall be. */
export interface Wish {
  kind: 'mp4' | 'webm' | 'gif';
  width: number;
  height: number;
  /** Pictures a second. */
  rate: number;
  /** The parts of the recording, one after the other. */
  parts: readonly Part[];
}

/** Draws the picture of a time in a part; `at` is its time in the video. All in milliseconds. */
export type Draw = (part: Part, time: number, at: number) => Promise<HTMLCanvasElement>;

/** The video, and whether it is heard. */
export interface Made {
  blob: Blob;
  hasSound: boolean;
}

/** What encoders are asked for, the best first. */
const CODECS = {
  mp4: ['avc1.640033', 'avc1.64002a', 'avc1.42002a', 'avc1.42001f', 'vp09.00.41.08'],
  webm: ['vp09.00.41.08', 'vp8'],
};
/** Milliseconds of work after which the page has its turn. */
const RESTS = 30;
/** Pictures that wait for the encoder at most, and seconds between full ones. */
const [WAITING, FULL] = [6, 2];
/** Of each picture of a GIF; one more stands for what has not changed. */
const COLORS = 255;

/** Where the browser cannot: it has no encoder of this kind. */
export class NoEncoder extends Error {}

export async function exact(
  wish: Wish,
  draw: Draw,
  progress: (part: number) => void,
  signal: AbortSignal,
  sound: (() => Promise<AudioBuffer>) | null,
): Promise<Made> {
  const lengths = wish.parts.map(({ from, to }) => Math.max(1, Math.round(((to - from) / 1000) * wish.rate)));
  const count = lengths.reduce((sum, one) => sum + one, 0);
  let rested = 0;
  const step = async (number: number) => {
    signal.throwIfAborted();
    progress(number / count);
    // the page stays alive
    if (performance.now() - rested > RESTS) {
      await new Promise((done) => setTimeout(done));
      rested = performance.now();
    }
    signal.throwIfAborted();
    let [of, first] = [0, 0];
    while (number - first >= lengths[of]) first += lengths[of++];
    const part = wish.parts[of];
    return draw(
      part,
      Math.min(part.to, part.from + ((number - first) * 1000) / wish.rate),
      (number * 1000) / wish.rate,
    );
  };
  if (wish.kind === 'gif') return { blob: await gif(wish, count, step), hasSound: false };
  return encoded(wish, wish.kind, count, step, sound, signal);
}

type Step = (number: number) => Promise<HTMLCanvasElement>;

/** After the first picture, only what has changed: the rest is transparent. */
async function gif({ rate, width, height }: Wish, count: number, step: Step): Promise<Blob> {
  const encoder = GIFEncoder();
  // a hundredth of a second is the unit
  const at = (number: number) => Math.round((number * 100) / rate);
  let before: Uint32Array | null = null;
  for (let number = 0; number < count; number++) {
    const { data } = (await step(number)).getContext('2d')!.getImageData(0, 0, width, height);
    const now = new Uint32Array(data.buffer.slice(0));
    const changed: Uint8ClampedArray = before ? changedOf(now, before) : data;
    const palette = quantize(changed.length ? changed : data.subarray(0, 4), COLORS);
    const indices = applyPalette(data, palette);
    const transparentIndex = palette.length;
    if (before)
      for (let pixel = 0; pixel < now.length; pixel++)
        if (now[pixel] === before[pixel]) indices[pixel] = transparentIndex;
    encoder.writeFrame(indices, width, height, {
      palette: [...palette, [0, 0, 0]],
      delay: (at(number + 1) - at(number)) * 10,
      repeat: 0,
      dispose: 1,
      ...(before && { transparent: true, transparentIndex }),
    });
    before = now;
  }
  encoder.finish();
  return new Blob([encoder.bytes()], { type: 'image/gif' });
}

/** The pixels that are not as before. */
function changedOf(now: Uint32Array, before: Uint32Array): Uint8ClampedArray {
  const found = new Uint32Array(now.length);
  let count = 0;
  for (let pixel = 0; pixel < now.length; pixel++) if (now[pixel] !== before[pixel]) found[count++] = now[pixel];
  return new Uint8ClampedArray(found.buffer, 0, count * 4);
}

async function encoded(
  { rate, width, height }: Wish,
  kind: 'mp4' | 'webm',
  count: number,
  step: Step,
  sound: (() => Promise<AudioBuffer>) | null,
  signal: AbortSignal,
): Promise<Made> {
  if (typeof VideoEncoder === 'undefined') throw new NoEncoder('this browser has no encoder for videos');
  const bits = bitrate(width, height, rate);
  const config = (codec: string): VideoEncoderConfig => ({
    codec,
    width,
    height,
    bitrate: bits,
    framerate: rate,
    ...(codec.startsWith('avc') && { avc: { format: 'avc' as const } }),
  });
  let codec = '';
  for (const one of CODECS[kind]) {
    const answer = await VideoEncoder.isConfigSupported(config(one)).catch(() => null);
    if (!codec && answer?.supported) codec = one;
  }
  if (!codec) throw new NoEncoder(`this browser cannot encode ${kind === 'mp4' ? 'MP4' : 'WebM'} of that size`);
  const chunks: Chunk[] = [];
  let description: Uint8Array | null = null;
  let failure: Error | null = null;
  const encoder = new VideoEncoder({
    output(chunk, meta) {
      const made = meta?.decoderConfig?.description;
      if (made && codec.startsWith('avc'))
        description ??= ArrayBuffer.isView(made)
          ? new Uint8Array(made.buffer, made.byteOffset, made.byteLength).slice()
          : new Uint8Array(made as ArrayBuffer).slice();
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      chunks.push({ bytes, number: Math.round((chunk.timestamp * rate) / 1_000_000), isKey: chunk.type === 'key' });
    },
    error: (error) => (failure = error),
  });
  try {
    encoder.configure(config(codec));
    const time = (number: number) => Math.round((number * 1_000_000) / rate);
    for (let number = 0; number < count; number++) {
      const frame = new VideoFrame(await step(number), {
        timestamp: time(number),
        duration: time(number + 1) - time(number),
      });
      if (failure) throw failure;
      encoder.encode(frame, { keyFrame: number % Math.round(rate * FULL) === 0 });
      frame.close();
      while (encoder.encodeQueueSize > WAITING && !failure) await new Promise((done) => setTimeout(done, 5));
    }
    await encoder.flush();
    if (failure) throw failure;
  } finally {
    if (encoder.state !== 'closed') encoder.close();
  }
  const heard = sound && (await encodeSound(await sound(), kind, signal));
  const blob =
    kind === 'mp4'
      ? mp4(description, width, height, rate, chunks, heard)
      : webm(codec === 'vp8' ? 'V_VP8' : 'V_VP9', width, height, rate, chunks, heard);
  return { blob, hasSound: !!heard };
}
