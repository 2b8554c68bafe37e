// Videos frame by frame, as fast as pictures can be drawn and encoded: MP4 and WebM by the browser's encoder, GIF without it. The page loads this when somebody asks for
// a video.

import { GIFEncoder, applyPalette, quantize } from 'gifenc';
import { bitrate } from './filmsize';
import { type Chunk, mp4 } from './mp4';
import { webm } from './webm';

export { paint } from './painted';

/** What a video shall be. */
export interface Wish {
  kind: 'mp4' | 'webm' | 'gif';
  width: number;
  height: number;
  /** Pictures a second. */
  rate: number;
  /** The part of the recording, in milliseconds. */
  from: number;
  to: number;
}

/** Draws the picture of a time. */
export type Draw = (time: number) => Promise<HTMLCanvasElement>;

/** What encoders are asked for, the best first. */
const CODECS = {
  mp4: ['avc1.640033', 'avc1.64002a', 'avc1.42002a', 'avc1.42001f', 'vp09.00.41.08'],
  webm: ['vp09.00.41.08', 'vp8'],
};
/** Pictures that wait for the encoder at most, and seconds between full ones. */
const [WAITING, FULL] = [6, 2];
const COLORS = 256;

/** Where the browser cannot: it has no encoder of this kind. */
export class NoEncoder extends Error {}

export async function exact(
  wish: Wish,
  draw: Draw,
  progress: (part: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const count = Math.max(1, Math.round(((wish.to - wish.from) / 1000) * wish.rate));
  const step = async (number: number) => {
    signal.throwIfAborted();
    progress(number / count);
    // the page stays alive
    await new Promise((done) => setTimeout(done));
    signal.throwIfAborted();
    return draw(Math.min(wish.to, wish.from + (number * 1000) / wish.rate));
  };
  return wish.kind === 'gif' ? gif(wish, count, step) : encoded(wish, wish.kind, count, step);
}

type Step = (number: number) => Promise<HTMLCanvasElement>;

async function gif({ rate, width, height }: Wish, count: number, step: Step): Promise<Blob> {
  const encoder = GIFEncoder();
  // a hundredth of a second is the unit
  const at = (number: number) => Math.round((number * 100) / rate);
  for (let number = 0; number < count; number++) {
    const { data } = (await step(number)).getContext('2d')!.getImageData(0, 0, width, height);
    const palette = quantize(data, COLORS);
    encoder.writeFrame(applyPalette(data, palette), width, height, {
      palette,
      delay: (at(number + 1) - at(number)) * 10,
      repeat: 0,
    });
  }
  encoder.finish();
  return new Blob([encoder.bytes()], { type: 'image/gif' });
}

async function encoded({ rate, width, height }: Wish, kind: 'mp4' | 'webm', count: number, step: Step): Promise<Blob> {
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
  return kind === 'mp4'
    ? mp4(description, width, height, rate, chunks)
    : webm(codec === 'vp8' ? 'V_VP8' : 'V_VP9', width, height, rate, chunks);
}
