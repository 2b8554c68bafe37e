// Whether a processor draws what a graphics card should, and what is better left out then.

let software: boolean | undefined;

/** Whether the browser draws by WebGL without a graphics card. Smooth edges take it more than half of the time then. */
export function isSoftware(): boolean {
  return (software ??= look());
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
