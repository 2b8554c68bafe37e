// A browser that does not draw in space: the plan is there, and what happened.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { drop, launch, open, ready, samples, serve } from './harness.mjs';
import { maps } from './maps.mjs';

let server, browser;
before(async () => {
  server = await serve();
  browser = await launch('--disable-webgl', '--disable-webgl2', '--disable-3d-apis');
});
after(async () => {
  await browser?.close();
  server?.close();
});

for (const [format, file] of Object.entries(samples)) {
  test(`${format}: players are drawn on the plan`, async () => {
    const { page, errors, close } = await open(browser, server);
    await drop(page, file);
    await ready(page);
    const drawn = await page.evaluate(() => {
      const viewer = document.querySelector('fragreel-viewer');
      if (document.createElement('canvas').getContext('webgl2')) throw new Error('this browser has WebGL2');
      viewer.camera = 'top';
      viewer.seek(viewer.duration / 2);
      viewer.advance(0);
      const canvas = viewer.stage.canvas;
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let pixels = 0;
      for (let at = 3; at < data.length; at += 4) if (data[at] > 0) pixels++;
      return pixels;
    });
    assert.ok(drawn > 50, `${drawn} pixels`);
    await drop(page, { name: 'e1m1.bsp', bytes: maps.Quake() });
    await page.waitForTimeout(200);
    assert.deepEqual(errors, []);
    await close();
  });
}
