// What is drawn of a map, read back.

import { drop, open, ready, samples, until } from './harness.mjs';

/** Recordings of the four games, and what the maps are called that they were played on. */
export const recordings = {
  Quake: [samples.quake1, 'e1m1'],
  'Half-Life': [samples.goldsrc, 'hand_made'],
  'Quake II': [samples.quake2, 'lab1'],
  'Quake III': [samples.quake3, 'am_lavactf'],
};

/** Opens a recording, so that pixels can be read again: in a small picture, which costs a fifth less. */
export async function shown(browser, server, file) {
  const opened = await open(browser, server, { width: 640, height: 400 });
  await opened.page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.keep = true;
    viewer.manual = true;
  });
  await drop(opened.page, file);
  await ready(opened.page);
  return opened;
}

/** Our map is not that of the recordings: the browser remembers it on request. If a recording has too few places to decide, there is no request. */
export async function keep(page) {
  const button = page.getByRole('button', { name: 'Remember it' });
  if (await button.isVisible()) await button.click();
}

/** The names of the maps that the browser remembers, or those whose textures it does. */
export const remembered = (page, store = 'maps') =>
  page.evaluate(
    (store) =>
      new Promise((done) => {
        const opening = indexedDB.open('fragreel-maps', 2);
        // none yet: the page makes it
        opening.onupgradeneeded = () => opening.transaction.abort();
        opening.onerror = () => done([]);
        opening.onsuccess = () => {
          const names = opening.result.objectStoreNames;
          if (!names.contains(store)) return done([]);
          const asked = opening.result.transaction(store).objectStore(store).getAllKeys();
          asked.onsuccess = () => {
            opening.result.close();
            done(asked.result);
          };
        };
      }),
    store,
  );

/** Waits until the browser remembers the maps of these names, and the textures of them. */
export const remembers = (page, names, store = 'maps') =>
  until(
    `remembered ${store}`,
    () => remembered(page, store),
    (seen) => String(seen) === String(names),
  );

/** The colors of the ground canvas at places of the room. */
export const colors = (page, camera, places) =>
  page.evaluate(
    ({ camera, places }) => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.store.selection.follow(null);
      viewer.advance(0);
      const { stage } = viewer;
      stage.centered = false;
      if (camera.mode) viewer.camera = camera.mode;
      Object.assign(stage.camera, camera);
      viewer.changed();
      viewer.advance(0);
      const gl = stage.ground.getContext('webgl2');
      return places.map((place) => {
        const at = stage.camera.project(place);
        const ratio = stage.ground.width / stage.camera.width;
        const pixel = new Uint8Array(4);
        gl.readPixels(
          Math.round(at.x * ratio),
          Math.round((stage.camera.height - at.y) * ratio),
          1,
          1,
          gl.RGBA,
          gl.UNSIGNED_BYTE,
          pixel,
        );
        return [...pixel];
      });
    },
    { camera, places },
  );
