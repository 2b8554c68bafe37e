// The texture unit that programs read pictures from. It does not bind a texture that is already bound, because each call costs time.

export class SkinUnit {
  private shown: WebGLTexture | null = null;

  constructor(private readonly gl: WebGL2RenderingContext) {}

  /** Makes pictures those that are seen. Textures beside it, such as light, stay chosen for changes. */
  show(texture: WebGLTexture | null): void {
    if (texture === this.shown) return;
    this.shown = texture;
    this.change(() => this.gl.bindTexture(this.gl.TEXTURE_2D_ARRAY, texture));
  }

  /** Makes a texture and fills it, and leaves it as the one that is seen. */
  fill(texture: WebGLTexture, fill: () => void): void {
    this.shown = texture;
    this.change(fill);
  }

  private change(how: () => void): void {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE1);
    how();
    gl.activeTexture(gl.TEXTURE0);
  }
}
