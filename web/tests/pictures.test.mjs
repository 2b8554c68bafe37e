// The pictures of README and the documents. With FRAGREEL_PICTURES=1 they are put there; else they are only made.

import assert from 'node:assert/strict';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { drop, launch, open, ready, root, samples, serve, showPanel } from './harness.mjs';

const folder = process.env.FRAGREEL_PICTURES ? join(root, 'docs/pictures') : join(root, 'target/web/tests');
let server, browser;
before(async () => {
  mkdirSync(folder, { recursive: true });
  server = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

const pictures = {
  viewer: { file: samples.quake3, time: 31000, camera: 'top', tab: 'Players', colorScheme: 'dark' },
  'viewer-space': { file: samples.quake3, time: 30000, camera: 'behind', tab: 'Events', colorScheme: 'dark' },
  'viewer-charts': { file: samples.quake2, time: 40000, camera: 'top', tab: 'Charts', colorScheme: 'light' },
};

for (const [name, { file, time, camera, tab, colorScheme }] of Object.entries(pictures)) {
  test(name, async () => {
    const { page, errors, close } = await open(browser, server, { width: 1180, height: 680, colorScheme });
    await page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
    await drop(page, file);
    await ready(page);
    await showPanel(page, tab);
    if (tab === 'Charts') await page.getByRole('button', { name: 'Show it' }).click();
    await page.evaluate(
      ({ time, camera }) => {
        const viewer = document.querySelector('fragreel-viewer');
        viewer.seek(time);
        viewer.camera = camera;
        viewer.advance(0);
      },
      { time, camera },
    );
    await page.waitForTimeout(400);
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path });
    assert.ok(statSync(path).size > 20000);
    assert.deepEqual(errors, []);
    await close();
  });
}
