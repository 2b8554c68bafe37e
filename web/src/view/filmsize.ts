// How large a video becomes.

/** Bits for each pixel, and for a second at least. */
export const [BITS, LEAST] = [0.12, 1_000_000];
/** Bits of sound in a second. */
export const SOUND_BITS = 128_000;
/** Bytes for each pixel of a GIF, which has only what changes; measured at a dozen. */
const GIF = 0.1;

export const bitrate = (width: number, height: number, rate: number): number =>
  Math.max(LEAST, Math.round(width * height * rate * BITS));

/** The approximate bytes of a video of this number of seconds. */
export const bytesOfVideo = (
  kind: 'mp4' | 'webm' | 'gif',
  width: number,
  height: number,
  rate: number,
  seconds: number,
  sound: number,
): number =>
  kind === 'gif' ? width * height * rate * seconds * GIF : ((bitrate(width, height, rate) + sound) / 8) * seconds;
