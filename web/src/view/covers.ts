// Pictures of models on the graphics card.

import type { Picture } from '../maps/textures';

export class Covers {
  private readonly textures = new Map<Picture, WebGLTexture>();

  constructor(private readonly gl: WebGL2RenderingContext) {}

  /** Makes a picture the one that is seen. */
  bind(picture: Picture): void {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE1);
    const known = this.textures.get(picture);
    if (known) gl.bindTexture(gl.TEXTURE_2D_ARRAY, known);
    else this.textures.set(picture, this.upload(picture));
    gl.activeTexture(gl.TEXTURE0);
  }

  private upload({ width, height, pixels }: Picture): WebGLTexture {
    const { gl } = this;
    const texture = gl.createTexture()!;
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
    gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1 + Math.floor(Math.log2(Math.max(width, height))), gl.RGBA8, width, height, 1);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, 0, width, height, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    gl.generateMipmap(gl.TEXTURE_2D_ARRAY);
    gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST);
    return texture;
  }
}
