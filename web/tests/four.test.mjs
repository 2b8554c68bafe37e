// Counts what four views of a recording cost: layers that the browser puts over the pictures, and calls that give the graphics card what it already has.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shown as shownIn } from './ground.mjs';
import { drawsInSpace, drop, samples, setUp } from './harness.mjs';
import { maps } from './maps.mjs';

const { server, browser } = await setUp();
const space = await drawsInSpace(browser);

/** Four views of a recording on our map. */
async function four() {
  const opened = await shownIn(browser, server, samples.quake3);
  const { page } = opened;
  await drop(page, { name: 'am_lavactf.bsp', bytes: maps['Quake III']() });
  await page.waitForFunction(() =>
    document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
  );
  await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.setAttribute('controls', 'none');
    viewer.actions.four();
    // the viewer asks whether to remember the map
    viewer.notice.clear();
    viewer.seek(20000);
    viewer.advance(0);
  });
  return opened;
}

test('no layer as large as a view lies over the pictures', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await four();
  const tab = await page.context().newCDPSession(page);
  const seen = new Promise((done) => tab.on('LayerTree.layerTreeDidChange', ({ layers }) => layers && done(layers)));
  await tab.send('DOM.enable');
  await tab.send('LayerTree.enable');
  const large = [];
  for (const { backendNodeId, drawsContent, width, height } of await seen) {
    if (!drawsContent || !backendNodeId || width * height < 320 * 100) continue;
    const { node } = await tab.send('DOM.describeNode', { backendNodeId });
    large.push(node.nodeName);
  }
  assert.deepEqual(
    large.filter((name) => name !== 'CANVAS'),
    ['#document'],
  );
  assert.equal(large.filter((name) => name === 'CANVAS').length, 5, 'four pictures, and what is written on the plan');
  assert.deepEqual(errors, []);
  await close();
});

test('the graphics card gets only what changes', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await four();
  const counted = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const [again, counts] = [{}, {}];
    let sky = false;
    for (const { space } of viewer.pictures.stages) {
      const { gl, skydome } = space;
      const known = new Map();
      let program = null;
      let unit = gl.TEXTURE0;
      for (const name in gl) {
        if (!/^(uniform[1-4]|uniformMatrix|bindTexture$|activeTexture$|useProgram$)/.test(name)) continue;
        const call = gl[name].bind(gl);
        gl[name] = (...all) => {
          call(...all);
          if (name === 'useProgram') program = all[0];
          if (name === 'activeTexture') unit = all[0];
          if (name === 'useProgram' || name === 'activeTexture' || sky) return;
          counts[name] = (counts[name] ?? 0) + 1;
          const place = name === 'bindTexture' ? `${unit} ${all[0]}` : all[0];
          const value = name === 'bindTexture' ? all[1] : String([...all].at(-1));
          if (known.has(place) && known.get(place) === value && known.get(`${name} program`) !== undefined)
            again[name] = (again[name] ?? 0) + 1;
          known.set(place, value);
          known.set(`${name} program`, program);
        };
      }
      // the sky has its own program with few values, so its calls are not counted
      const draw = skydome.draw.bind(skydome);
      skydome.draw = (...all) => {
        sky = true;
        draw(...all);
        sky = false;
        // its pictures took the place of those before
        for (const place of known.keys()) if (String(place).startsWith(`${gl.TEXTURE1} `)) known.delete(place);
      };
    }
    viewer.toggle();
    for (let picture = 0; picture < 20; picture++) viewer.advance(33);
    return { again, counts };
  });
  assert.ok(counted.counts.uniformMatrix4fv >= 20, JSON.stringify(counted.counts));
  // light is bound once for each view
  const { bindTexture = 0, ...others } = counted.again;
  assert.deepEqual(others, {});
  assert.ok(bindTexture <= 20 * 4, `${bindTexture} textures are bound again`);
  assert.deepEqual(errors, []);
  await close();
});
