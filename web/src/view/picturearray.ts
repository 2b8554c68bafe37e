// Pictures of one size on the graphics card, with their smaller sizes.

import type { Pixels } from '../maps/pixels';

/** Puts them into a texture, which stays bound. `filter` says how its smaller sizes are read. */
export function fillPictures(
  gl: WebGL2RenderingContext,
  texture: WebGLTexture,
  pictures: readonly Pixels[],
  filter: number,
): void {
  const { width, height } = pictures[0];
  gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
  gl.texStorage3D(
    gl.TEXTURE_2D_ARRAY,
    1 + Math.floor(Math.log2(Math.max(width, height))),
    gl.RGBA8,
    width,
    height,
    pictures.length,
  );
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  pictures.forEach(({ pixels }, layer) =>
    gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, width, height, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixels),
  );
  gl.generateMipmap(gl.TEXTURE_2D_ARRAY);
  gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MIN_FILTER, filter);
}
