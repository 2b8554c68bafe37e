// A WebGL context that is lost and restored, in any browser.

import assert from 'node:assert/strict';

/** In the page, of a recording that is open: the sums of what the picture in space has before, while it is lost, and after. */
export async function sumsOfLost() {
  const viewer = document.querySelector('fragreel-viewer');
  viewer.manual = true;
  viewer.seek(20000);
  viewer.camera = 'free';
  viewer.advance(0);
  const gl = viewer.stage.ground.getContext('webgl2');
  const sum = () => {
    viewer.changed();
    viewer.advance(0);
    const pixels = new Uint8Array(gl.drawingBufferWidth * gl.drawingBufferHeight * 4);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    return pixels.reduce((a, b) => a + b, 0);
  };
  const until = async (holds) => {
    for (let left = 1200; left && !holds(); left--) await new Promise((done) => setTimeout(done, 50));
  };
  const before = sum();
  const loss = gl.getExtension('WEBGL_lose_context');
  loss.loseContext();
  await until(() => !viewer.stage.space);
  const lost = sum();
  loss.restoreContext();
  await until(() => viewer.stage.space);
  return [before, lost, sum()];
}

export function comesBack([before, lost, again]) {
  assert.ok(before > 0);
  assert.equal(lost, 0);
  assert.equal(again, before);
}
