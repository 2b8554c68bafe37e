// For casters: the picture alone for capture programs, drawing, a gamepad, the mouse as in the games, a window of its own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drop, open, ready, samples, setUp, until } from './harness.mjs';

const { server, browser } = await setUp();

async function shown(options = {}) {
  const opened = await open(browser, server, { width: 1000, height: 640, ...options });
  opened.page.setDefaultTimeout(20_000);
  if (!options.hash && !options.path) {
    await opened.page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
    await drop(opened.page, samples.quake3);
    await ready(opened.page);
    await opened.page.evaluate(() => document.querySelector('fragreel-viewer').advance(0));
  }
  return opened;
}

test('an address for capture programs shows the picture alone, and plays', async () => {
  const path = `?clean=1&src=${samples.quake3}&t=20&cam=director&layout=four`;
  const { page, errors, close } = await shown({ path });
  await ready(page);
  assert.equal(await page.evaluate(() => document.querySelector('fragreel-viewer').controls), 'none');
  await page.keyboard.press('Space');
  await until('it plays', () => page.evaluate(() => document.querySelector('fragreel-viewer').time > 20_050));
  const seen = await page.evaluate(() => {
    const { shadowRoot, directed, sessions } = document.querySelector('fragreel-viewer');
    const isSeen = (selector) => [...shadowRoot.querySelectorAll(selector)].some((one) => one.checkVisibility());
    return {
      directed,
      sessions: sessions.length,
      stages: shadowRoot.querySelectorAll('.stage').length,
      others: ['header', 'footer', '.strip', 'aside', '.zoom', '.tag', '.notice *'].filter(isSeen),
      score: isSeen('.score'),
    };
  });
  assert.deepEqual(seen, { directed: true, sessions: 1, stages: 4, others: [], score: true });
  assert.deepEqual(errors, []);
  await close();
});

test('lines on the plan stay where they are in the level, and fade when the moment is gone', async () => {
  const { page, errors, close } = await shown();
  await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.seek(10_000);
    viewer.advance(0);
  });
  const white = () =>
    page.evaluate(() => {
      const { stage } = document.querySelector('fragreel-viewer');
      const { width, height } = stage.canvas;
      const { data } = stage.canvas.getContext('2d').getImageData(0, 0, width, height);
      let count = 0;
      for (let at = 0; at < data.length; at += 4)
        count += data[at] === 255 && data[at + 1] === 216 && data[at + 2] === 74 && data[at + 3] === 255;
      return count;
    });
  const drag = async (...points) => {
    const box = await page.locator('.stage').boundingBox();
    const to = ([x, y]) => [box.x + box.width * x, box.y + box.height * y];
    await page.mouse.move(...to(points[0]));
    await page.mouse.down();
    for (const point of points.slice(1)) await page.mouse.move(...to(point), { steps: 4 });
    await page.mouse.up();
    await page.evaluate(() => document.querySelector('fragreel-viewer').advance(0));
  };
  const state = () =>
    page.evaluate(() => {
      const { store, stage, time } = document.querySelector('fragreel-viewer');
      const { pens } = store;
      return {
        lines: pens.lines.length,
        parts: pens.shownAt(time, 0).map(({ part }) => part),
        center: stage.camera.center,
      };
    });
  const before = await state();
  assert.equal(await white(), 0);
  await page.keyboard.press('y');
  await drag([0.3, 0.4], [0.6, 0.6]);
  const drawn = await state();
  assert.deepEqual(drawn, { lines: 1, parts: [1], center: before.center }, 'a drag draws and does not move the plan');
  assert.ok((await white()) > 100);
  const at = async (time) => {
    await page.evaluate((time) => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.seek(time);
      viewer.advance(0);
    }, time);
    return (await state()).parts;
  };
  assert.deepEqual(await at(13_000), [1]);
  const [fading] = await at(15_000);
  assert.ok(fading > 0.3 && fading < 0.7, `${fading}`);
  assert.deepEqual(await at(30_000), []);
  assert.equal(await white(), 0);
  assert.deepEqual(await at(5_000), []);
  assert.deepEqual(await at(10_000), [1]);
  // the eraser takes the line that it meets, and an empty sheet all
  await page.getByRole('button', { name: 'white pen' }).click();
  await drag([0.2, 0.2], [0.25, 0.2]);
  assert.equal((await state()).lines, 2);
  await page.getByRole('button', { name: 'eraser' }).click();
  await drag([0.45, 0.45], [0.45, 0.55]);
  assert.equal((await state()).lines, 1);
  await page.getByRole('button', { name: 'clear the drawing' }).click();
  assert.equal((await state()).lines, 0);
  await page.getByRole('button', { name: 'end drawing' }).click();
  await drag([0.3, 0.4], [0.6, 0.6]);
  const moved = await state();
  assert.ok(moved.lines === 0 && moved.center[0] !== before.center[0], JSON.stringify(moved));
  assert.deepEqual(errors, []);
  await close();
});

test('a gamepad plays, follows, and moves the camera', async () => {
  const { page, errors, close } = await shown();
  const pressed = (buttons, axes = [0, 0, 0, 0]) =>
    page.evaluate(
      ({ buttons, axes }) => {
        const pad = {
          connected: true,
          mapping: 'standard',
          axes,
          buttons: Array.from({ length: 17 }, (_, at) => ({ pressed: buttons.includes(at) })),
        };
        navigator.getGamepads = () => [null, pad];
        const viewer = document.querySelector('fragreel-viewer');
        viewer.manual = false;
        viewer.tick(performance.now());
        viewer.tick(performance.now() + 16);
        viewer.manual = true;
        const { playing, followed, time, camera, stage } = viewer;
        return { playing, followed, time, camera, center: [...stage.camera.center] };
      },
      { buttons, axes },
    );
  const first = await pressed([]);
  assert.equal((await pressed([0])).playing, true);
  assert.equal((await pressed([0])).playing, true, 'a button that is held is pressed once');
  assert.equal((await pressed([])).playing, true);
  assert.equal((await pressed([0])).playing, false);
  const next = await pressed([5]);
  assert.notEqual(next.followed, first.followed);
  const panned = await pressed([], [1, 0, 0, 0]);
  assert.ok(panned.center[0] > next.center[0], JSON.stringify([next, panned]));
  assert.ok((await pressed([15])).time >= 4900);
  assert.deepEqual(errors, []);
  await close();
});

test('through the eyes, mouse buttons follow the next and the last player', async () => {
  const { page, errors, close } = await shown();
  await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.seek(20_000);
    viewer.camera = 'behind';
    viewer.advance(0);
  });
  const followed = () => page.evaluate(() => document.querySelector('fragreel-viewer').followed);
  const first = await followed();
  const place = { position: { x: 30, y: 300 } };
  await page.locator('.stage').click(place);
  const second = await followed();
  assert.notEqual(second, first);
  await page.locator('.stage').click({ ...place, button: 'right' });
  assert.equal(await followed(), first);
  assert.deepEqual(errors, []);
  await close();
});

test('the picture has a window of its own', async () => {
  const { page, errors, close } = await shown();
  // a window as browsers give one, which headless ones do not
  const seen = await page.evaluate(async () => {
    const other = document.implementation.createHTMLDocument();
    const small = { document: other, addEventListener() {}, requestAnimationFrame() {}, close() {} };
    const value = { requestWindow: async () => small };
    Object.defineProperty(globalThis, 'documentPictureInPicture', { value, configurable: true });
    const viewer = document.querySelector('fragreel-viewer');
    viewer.seek(20_000);
    viewer.actions.small();
    await new Promise((done) => setTimeout(done, 50));
    viewer.advance(0);
    const canvas = other.querySelector('canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const colors = new Set(new Uint32Array(data.buffer)).size;
    viewer.actions.small();
    return { colors, width: canvas.width, on: viewer.pip.isOn };
  });
  assert.ok(seen.colors > 100 && seen.width > 300 && !seen.on, JSON.stringify(seen));
  assert.deepEqual(errors, []);
  await close();
});

test('a poster is shown until it plays', async () => {
  const { page, close } = await open(browser, server);
  const isShown = () =>
    page.evaluate(
      () => document.querySelector('fragreel-viewer').shadowRoot.querySelector('.poster')?.hidden === false,
    );
  assert.equal(await isShown(), false);
  await page.evaluate(() => {
    document.querySelector('fragreel-viewer').setAttribute('poster', 'data:image/gif;base64,R0lGODlhAQABAAAAACw=');
  });
  assert.equal(await isShown(), true);
  await drop(page, samples.quake3);
  await ready(page);
  await page.keyboard.press('Space');
  await until('it plays', () => page.evaluate(() => document.querySelector('fragreel-viewer').time > 0));
  assert.equal(await isShown(), false);
  // one that is made with a poster shows it, too
  const isMadeWith = await page.evaluate(() => {
    const made = document.createElement('fragreel-viewer');
    made.setAttribute('poster', 'data:image/gif;base64,R0lGODlhAQABAAAAACw=');
    document.body.append(made);
    const isMadeWith = made.shadowRoot.querySelector('.poster')?.hidden === false;
    made.remove();
    return isMadeWith;
  });
  assert.equal(isMadeWith, true);
  await close();
});

test('what is shared stands before what the page was opened with', async () => {
  const path = `?src=${samples.quake3}&t=20&cam=director&other=1`;
  const { page, close } = await shown({ path });
  await ready(page);
  await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.manual = true;
    viewer.pause();
    viewer.seek(30_000);
    location.hash = viewer.link();
  });
  assert.match(await page.evaluate(() => location.hash), /cam=director/);
  await page.reload();
  await ready(page);
  const seen = await page.evaluate(() => {
    const { directed, camera, time } = document.querySelector('fragreel-viewer');
    return { directed, camera, time: Math.round(time / 1000) };
  });
  assert.deepEqual(seen, { directed: true, camera: 'behind', time: 30 });
  await close();
});

test('a query without a recording leaves the samples', async () => {
  const { page, close } = await open(browser, server, { path: '?from=mail' });
  await page.getByText('capture the flag, one view').first().waitFor();
  await close();
});
