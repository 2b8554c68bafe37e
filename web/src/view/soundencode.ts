// Samples as Opus or AAC, by the browser's encoder.

import { SOUND_BITS } from './filmsize';
import { SAMPLE_RATE } from './soundtrack';

export interface SoundChunk {
  bytes: Uint8Array<ArrayBuffer>;
  /** Samples since the start, and of this chunk. */
  at: number;
  count: number;
}

export interface EncodedSound {
  codec: 'opus' | 'aac';
  channels: number;
  /** What a decoder needs first: `OpusHead`, or the configuration of AAC. */
  head: Uint8Array<ArrayBuffer>;
  /** Samples before the first that is heard. */
  skip: number;
  chunks: SoundChunk[];
}

/** Samples that the encoder takes at once. */
const BLOCK = 4800;

const CODECS = { mp4: ['mp4a.40.2', 'opus'], webm: ['opus'] } as const;

/** Null where the browser has no encoder. */
export async function encodeSound(
  buffer: AudioBuffer,
  kind: 'mp4' | 'webm',
  signal: AbortSignal,
): Promise<EncodedSound | null> {
  if (typeof AudioEncoder === 'undefined') return null;
  const channels = buffer.numberOfChannels;
  let config: AudioEncoderConfig | null = null;
  for (const codec of CODECS[kind]) {
    const wanted = { codec, sampleRate: SAMPLE_RATE, numberOfChannels: channels, bitrate: SOUND_BITS };
    const answer = await AudioEncoder.isConfigSupported(wanted).catch(() => null);
    if (!config && answer?.supported) config = wanted;
  }
  if (!config) return null;
  const samples = (microseconds: number) => Math.round((microseconds * SAMPLE_RATE) / 1e6);
  const chunks: SoundChunk[] = [];
  let head: Uint8Array<ArrayBuffer> | null = null;
  let failure: Error | null = null;
  const encoder = new AudioEncoder({
    output(chunk, meta) {
      const made = meta?.decoderConfig?.description;
      if (made)
        head ??= (
          ArrayBuffer.isView(made)
            ? new Uint8Array(made.buffer, made.byteOffset, made.byteLength)
            : new Uint8Array(made as ArrayBuffer)
        ).slice() as Uint8Array<ArrayBuffer>;
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      chunks.push({ bytes, at: samples(chunk.timestamp), count: samples(chunk.duration ?? 0) });
    },
    error: (error) => (failure = error),
  });
  try {
    encoder.configure(config);
    for (let at = 0; at < buffer.length && !failure; at += BLOCK) {
      signal.throwIfAborted();
      const count = Math.min(BLOCK, buffer.length - at);
      const data = new Float32Array(count * channels);
      for (let channel = 0; channel < channels; channel++)
        data.set(buffer.getChannelData(channel).subarray(at, at + count), channel * count);
      const piece = new AudioData({
        format: 'f32-planar',
        sampleRate: SAMPLE_RATE,
        numberOfFrames: count,
        numberOfChannels: channels,
        timestamp: Math.round((at * 1e6) / SAMPLE_RATE),
        data,
      });
      encoder.encode(piece);
      piece.close();
      if (encoder.encodeQueueSize > 100) await new Promise((done) => setTimeout(done, 5));
    }
    await encoder.flush();
    if (failure) throw failure;
  } finally {
    if (encoder.state !== 'closed') encoder.close();
  }
  const codec = config.codec === 'opus' ? 'opus' : 'aac';
  // browsers that give no head encode 20 ms at a time, with the delay of the reference encoder
  head ??= codec === 'opus' ? opusHead(channels) : aacHead(channels);
  const length = (at: number) => (at + 1 < chunks.length ? chunks[at + 1].at - chunks[at].at : chunks[at].count);
  chunks.forEach((chunk, at) => (chunk.count = length(at) || (codec === 'opus' ? 960 : 1024)));
  return { codec, channels, head, skip: codec === 'opus' ? head[10] | (head[11] << 8) : 0, chunks };
}

function opusHead(channels: number): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(19);
  head.set(new TextEncoder().encode('OpusHead'));
  head.set([1, channels, 312 & 255, 312 >> 8, SAMPLE_RATE & 255, (SAMPLE_RATE >> 8) & 255, SAMPLE_RATE >> 16], 8);
  return head;
}

/** AAC-LC at 48,000 samples a second. */
const aacHead = (channels: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.of((2 << 3) | (3 >> 1), ((3 & 1) << 7) | (channels << 3));
