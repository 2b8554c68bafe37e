// The pictures of the page, at times of a recording, through the eyes of who recorded it or of a player by slot.

import { join, resolve } from 'node:path';
import { open, ready, root } from '../harness.mjs';
import { HEIGHT, WIDTH } from './run.mjs';

/** Times that a moment is drawn until all of its models are read. */
const TRIES = 12;

export async function pagePictures(browser, server, { recording, files, times, slot = null }) {
  const { page, close } = await open(browser, server, { width: WIDTH, height: HEIGHT });
  await page.evaluate(() => Object.assign(document.querySelector('fragreel-viewer'), { keep: true, manual: true }));
  const input = page.getByLabel('recordings and maps');
  await input.setInputFiles(resolve(root, recording));
  await ready(page);
  await input.setInputFiles(files.map((file) => join(file)));
  await page.waitForFunction(
    () => {
      const viewer = document.querySelector('fragreel-viewer');
      return viewer.map(viewer.session, 0)?.pictures.some(Boolean);
    },
    null,
    { timeout: 120_000 },
  );
  const made = [];
  for (const time of times) {
    await page.evaluate(
      ({ time, slot }) => {
        const viewer = document.querySelector('fragreel-viewer');
        const { stage } = viewer;
        Object.assign(stage.element.style, { position: 'fixed', inset: '0', zIndex: 1000 });
        stage.canvas.style.visibility = 'hidden';
        viewer.camera = 'eyes';
        viewer.follow(slot ?? stage.session.replay.sceneAt(time).view?.slot ?? null);
        viewer.seek(time);
        viewer.advance(0);
      },
      { time, slot },
    );
    // models are read when they are drawn first
    for (let tries = 0; tries < TRIES; tries++) {
      await page.waitForTimeout(250);
      await page.evaluate(() => {
        const viewer = document.querySelector('fragreel-viewer');
        viewer.changed();
        viewer.advance(0);
      });
    }
    made.push(await page.evaluate(() => document.querySelector('fragreel-viewer').stage.ground.toDataURL('image/png')));
  }
  await close();
  return made;
}
