// Whether a processor draws what a graphics card should, and what is left out then.

let software: boolean | undefined;

/** Whether the browser draws by WebGL without a graphics card. Smooth edges take it more than half of the time then. */
export function isSoftware(): boolean {
  software ??= look();
  return software;
}

function look(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return false;
  const names = gl.getExtension('WEBGL_debug_renderer_info');
  const renderer = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer);
}

/** What draws on a canvas in two dimensions. Without a graphics card a browser does so five times as fast where it believes that the picture is read. */
export function flat(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  return canvas.getContext('2d', { willReadFrequently: isSoftware() })!;
}

/** Parts of the picture's width and height that are drawn in space. */
const SIZES = [1, 0.85, 0.7, 0.6, 0.5, 0.42, 0.35];
/** Milliseconds between pictures: too many, and few enough for a larger one; a longer pause says nothing. */
const [SLOW, QUICK, PAUSE] = [35, 19, 500];
/** Pictures that are looked at before the size changes, and milliseconds before it grows again. */
const [PICTURES, WAIT] = [12, 8000];

/** How large the picture in space is while it moves, where a processor draws: as large as thirty pictures a second allow. */
export class Sharpness {
  private size = 0;
  private gaps: number[] = [];
  private last = 0;
  private since = 0;

  /** The part of the full size. What stands still is as sharp as can be. */
  scale(moves: boolean, now: number): number {
    const gap = now - this.last;
    this.last = now;
    if (!moves || !isSoftware()) {
      this.gaps = [];
      return 1;
    }
    if (gap < PAUSE) this.gaps.push(gap);
    if (this.gaps.length >= PICTURES) {
      const middle = this.gaps.sort((a, b) => a - b)[PICTURES >> 1];
      this.gaps = [];
      if (middle > SLOW && this.size + 1 < SIZES.length) [this.size, this.since] = [this.size + 1, now];
      else if (middle < QUICK && this.size && now - this.since > WAIT) [this.size, this.since] = [this.size - 1, now];
    }
    return SIZES[this.size];
  }
}
