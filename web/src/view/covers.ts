// Pictures of models on the graphics card.

import type { Picture } from '../maps/format';
import { fillPictures } from './picturearray';
import type { SkinUnit } from './skinunit';

export class Covers {
  private readonly textures = new Map<Picture, WebGLTexture>();

  constructor(
    private readonly gl: WebGL2RenderingContext,
    private readonly unit: SkinUnit,
  ) {}

  /** Makes a picture the one that is seen. */
  bind(picture: Picture): void {
    const known = this.textures.get(picture);
    if (known) this.unit.show(known);
    else this.textures.set(picture, this.upload(picture));
  }

  private upload(picture: Picture): WebGLTexture {
    const { gl } = this;
    const texture = gl.createTexture()!;
    this.unit.fill(texture, () => fillPictures(gl, texture, [picture], gl.LINEAR_MIPMAP_NEAREST));
    return texture;
  }
}
