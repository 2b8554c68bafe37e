// Pictures of models on the graphics card.

import type { Picture } from '../maps/format';
import { fillPictures } from './picturearray';

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

  private upload(picture: Picture): WebGLTexture {
    const { gl } = this;
    const texture = gl.createTexture()!;
    fillPictures(gl, texture, [picture], gl.LINEAR_MIPMAP_NEAREST);
    return texture;
  }
}
