// The page in Firefox: what other browsers' rules could break. One browser for all of it.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { firefoxPath, startFirefox } from './firefox.mjs';
import { samples, serve, skipped } from './harness.mjs';
import { comesBack, sumsOfLost } from './lost.mjs';
import { maps } from './maps.mjs';

/** A page of somebody's own, which notes workers and errors. */
const GUEST = `<!doctype html><html lang="en"><meta charset="utf-8"><title>guest</title><script>
window.workers = [];
window.errors = [];
const Real = Worker;
window.Worker = class extends Real {
  constructor(...all) { super(...all); workers.push(this); this.lives = true; }
  terminate() { this.lives = false; super.terminate(); }
};
addEventListener('error', ({ message }) => errors.push(message));
addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)));
</script><input id="field"><div id="room" style="width:320px;height:180px"></div><script type="module" src="fragreel-viewer.js"></script></html>`;

const guest = (request, response) => {
  if (request.url !== '/guest.html') return false;
  response.writeHead(200, { 'content-type': 'text/html' }).end(GUEST);
  return true;
};

const path = firefoxPath();
if (!path) skipped('the page in Firefox: none is installed (FIREFOX=/path names one)');

describe('Firefox', { skip: !path && 'no Firefox' }, () => {
  let server, firefox, draws;
  before(async () => {
    server = await serve(guest);
    firefox = await startFirefox(path);
    await firefox.go(`${server.address}guest.html`);
    draws = await firefox.evaluate(() => document.createElement('canvas').getContext('webgl2') !== null);
    if (!draws) skipped('the picture in space in Firefox: it has no WebGL2');
  });
  after(async () => {
    await firefox?.close();
    server?.close();
  });

  /** Opens the viewer's own page with a recording. */
  const page = async (sample) => {
    // another address with the same page would only change what is behind #
    await firefox.go('about:blank');
    await firefox.go(`${server.address}#src=${sample}`);
    await firefox.evaluate(() => {
      window.errors = [];
      addEventListener('error', ({ message }) => window.errors.push(message));
      addEventListener('unhandledrejection', ({ reason }) => window.errors.push(String(reason)));
    });
    await firefox.until(
      (name) =>
        document.querySelector('fragreel-viewer')?.session?.name === name &&
        document.querySelector('fragreel-viewer').session.audit !== null,
      sample.split('/').pop(),
    );
  };
  const noErrors = async () => assert.deepEqual(await firefox.evaluate(() => window.errors), []);

  /** How many colors are on the picture. */
  const colors = () =>
    firefox.evaluate(() => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.changed();
      viewer.advance(0);
      const { ground, canvas, space } = viewer.stage;
      const made = document.createElement('canvas');
      [made.width, made.height] = [canvas.width, canvas.height];
      const context = made.getContext('2d');
      if (space) context.drawImage(ground, 0, 0, made.width, made.height);
      context.drawImage(canvas, 0, 0);
      return new Set(new Uint32Array(context.getImageData(0, 0, made.width, made.height).data.buffer)).size;
    });

  for (const [game, sample] of Object.entries(samples)) {
    test(`a sample of ${game} is seen by all cameras`, async () => {
      await page(sample);
      const middle = await firefox.evaluate(() => {
        const viewer = document.querySelector('fragreel-viewer');
        viewer.manual = true;
        viewer.seek(viewer.duration / 2);
        viewer.advance(0);
        viewer.follow(viewer.stage.scene.players.find(({ origin, spectator }) => origin && !spectator).slot);
        return [viewer.time / viewer.duration, viewer.stage.scene.players.length > 0];
      });
      assert.deepEqual([Math.round(middle[0] * 100), middle[1]], [50, true]);
      for (const camera of draws ? ['top', 'free', 'behind', 'eyes'] : ['top']) {
        await firefox.evaluate((camera) => (document.querySelector('fragreel-viewer').camera = camera), camera);
        const count = await colors();
        assert.ok(count > 5, `${camera}: ${count} colors`);
      }
      await noErrors();
    });
  }

  test('a second #src= in the same tab opens the second recording', async () => {
    await page(samples.quake2);
    await firefox.evaluate((sample) => (location.hash = `src=${sample}`), samples.quake1);
    await firefox.until(
      (name) => document.querySelector('fragreel-viewer').session?.name === name,
      samples.quake1.split('/').pop(),
    );
    await noErrors();
  });

  test('a map comes from a dropped file', async (context) => {
    if (!draws) return context.skip('no WebGL2');
    await page(samples.quake2);
    const format = await firefox.evaluate(async (base64) => {
      const viewer = document.querySelector('fragreel-viewer');
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], 'lab1.bsp'));
      viewer.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      for (let left = 200; left && !viewer.map(viewer.session, 0); left--)
        await new Promise((done) => setTimeout(done, 100));
      viewer.manual = true;
      viewer.camera = 'free';
      Object.assign(viewer.stage.camera, { eye: [100, 100, 150], angles: [30, 45, 0] });
      return viewer.map(viewer.session, 0)?.format;
    }, maps['Quake II']().toString('base64'));
    assert.equal(format, 'Quake II');
    assert.ok((await colors()) > 20);
    await noErrors();
  });

  test('a WebGL context that is lost comes back', async (context) => {
    if (!draws) return context.skip('no WebGL2');
    await page(samples.quake3);
    comesBack(await firefox.evaluate(sumsOfLost));
    await noErrors();
  });

  test('a small element on a page of somebody else, keys in focus only, and nothing left behind', async () => {
    await firefox.go(`${server.address}guest.html`);
    await firefox.evaluate((sample) => {
      const viewer = document.createElement('fragreel-viewer');
      viewer.setAttribute('src', sample);
      viewer.style.cssText = 'width:320px;height:180px';
      document.querySelector('#room').append(viewer);
    }, samples.quake2);
    await firefox.until(() => document.querySelector('fragreel-viewer').session?.audit);
    const { stage, over, place } = await firefox.evaluate(() => {
      const viewer = document.querySelector('fragreel-viewer');
      const host = viewer.getBoundingClientRect();
      const over = ['.hud', '.feed', 'footer', 'header', '.line'].filter((selector) => {
        const { left, right, top, bottom, width } = viewer.shadowRoot.querySelector(selector).getBoundingClientRect();
        return (
          width && (left < host.left - 1 || right > host.right + 1 || top < host.top - 1 || bottom > host.bottom + 1)
        );
      });
      const box = viewer.shadowRoot.querySelector('.stage').getBoundingClientRect();
      return { stage: [box.width, box.height], over, place: [box.left + box.width / 2, box.top + box.height / 3] };
    });
    assert.deepEqual(stage, [320, 180]);
    assert.deepEqual(over, []);
    const playing = () => firefox.evaluate(() => document.querySelector('fragreel-viewer').playing);
    await firefox.evaluate(() => document.querySelector('#field').focus());
    await firefox.press(' ');
    assert.deepEqual(
      [await playing(), await firefox.evaluate(() => document.querySelector('#field').value)],
      [false, ' '],
    );
    await firefox.click(...place);
    await firefox.press(' ');
    assert.equal(await playing(), true);
    await firefox.press(' ');
    assert.equal(await playing(), false);
    const left = await firefox.evaluate(async () => {
      const began = window.workers.length;
      document.querySelector('fragreel-viewer').remove();
      await new Promise((done) => setTimeout(done, 500));
      return [began > 0, window.workers.filter(({ lives }) => lives).length];
    });
    assert.deepEqual(left, [true, 0]);
    await noErrors();
  });
});
