// Sounds as the games have them, written from scratch: 8 bits, one channel.

import { Bytes } from './maps.mjs';

/** A file of these samples, and of more chunks. */
export function sound(samples, rate = 11025, more = Buffer.alloc(0)) {
  return Buffer.concat([
    new Bytes()
      .text('RIFF', 4)
      .int(36 + samples.length + more.length)
      .text('WAVE', 4)
      .text('fmt ', 4)
      .int(16)
      .short(1, 1)
      .int(rate, rate)
      .short(1, 8)
      .text('data', 4)
      .int(samples.length).buffer,
    samples,
    more,
  ]);
}

/** A tone; `from` is where it begins again. */
export function wav(samples = 2000, from = null) {
  const data = Buffer.from(Array.from({ length: samples }, (_, at) => 128 + Math.round(60 * Math.sin(at / 4))));
  const cue =
    from === null ? undefined : new Bytes().text('cue ', 4).int(28, 1, 0, 0).text('data', 4).int(0, 0, from).buffer;
  return sound(data, undefined, cue);
}
