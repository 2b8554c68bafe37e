// The element as a guest: what it leaves behind when it goes, and what comes back after a fault.

import assert from 'node:assert/strict';
import { createReadStream, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { maps } from './maps.mjs';
import { drawsInSpace, drop, launch, open, ready, root, samples, serve, until, showPanel } from './harness.mjs';
import { comesBack, sumsOfLost } from './lost.mjs';

/** Some recordings never end to arrive. */
const slow = (request, response) => {
  if (!request.url.startsWith('/slow/')) return false;
  response.writeHead(200);
  createReadStream(join(root, samples.quake2), { end: 20000 }).pipe(response, { end: false });
  return true;
};
/** A worker that has a fault when it explains, and never answers again. */
const FAULTY = `let dead = false;
addEventListener('message', (event) => {
  if (!dead && event.data.call !== 'explain') return;
  event.stopImmediatePropagation();
  if (!dead) postMessage({ id: event.data.id, error: 'unreachable', dead: true });
  dead = true;
});
`;
let isFaulty = false;
const faulty = (request, response) => {
  const name = request.url.split('/').pop();
  if (!isFaulty || !/^worker-.*\.js$/.test(name)) return false;
  const file = readdirSync(join(root, 'web/dist/assets')).find((one) => one === name);
  response
    .writeHead(200, { 'content-type': 'text/javascript' })
    .end(FAULTY + readFileSync(join(root, 'web/dist/assets', file), 'utf8'));
  return true;
};

/** A site's own maps. */
const mapped = (request, response) => {
  if (request.url !== '/maps/lab1.bsp') return false;
  response.writeHead(200).end(maps['Quake II']());
  return true;
};

let server, browser, draws;
before(async () => {
  server = await serve(
    (request, response) => slow(request, response) || faulty(request, response) || mapped(request, response),
  );
  browser = await launch();
  draws = await drawsInSpace(browser);
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** Notes the contexts that a page makes. */
const watchContexts = () => {
  window.contexts = [];
  const real = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    const made = real.call(this, kind, ...rest);
    if (made && kind === 'webgl2' && !window.contexts.includes(made)) window.contexts.push(made);
    return made;
  };
};

async function workersEnd(page) {
  await until('a worker is left', () => !page.workers().length);
}

test('an element that is removed leaves nothing behind', async () => {
  const { page, errors, close } = await open(browser, server);
  await page.evaluate(watchContexts);
  await drop(page, samples.quake3);
  await ready(page);
  // another picture of the same recording takes no second context
  await page.evaluate(() =>
    document
      .querySelector('fragreel-viewer')
      .openSeveral(['/samples/quake2/yq2dm_Alice.dm2', '/samples/quake2/yq2dm_Alice.dm2']),
  );
  await page.waitForTimeout(300);
  const alive = () => page.evaluate(() => window.contexts.filter((one) => !one.isContextLost()).length);
  if (draws) assert.equal(await alive(), 2);
  await page.evaluate(() => document.querySelector('fragreel-viewer').remove());
  await workersEnd(page);
  assert.equal(await alive(), 0);
  assert.deepEqual(errors, []);
  await close();
});

test('an element that is removed while it reads leaves no worker and no request', async () => {
  const { page, errors, close } = await open(browser, server);
  const failed = [];
  page.on('requestfailed', (request) => failed.push(request.url()));
  const asked = page.waitForRequest((request) => request.url().endsWith('/slow/a.dm2'));
  await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    void viewer.openAddress('/slow/a.dm2');
  });
  await asked;
  await until('one worker', () => page.workers().length === 1);
  await page.evaluate(() => document.querySelector('fragreel-viewer').remove());
  await workersEnd(page);
  await until('it reads on', () => failed.some((address) => address.endsWith('/slow/a.dm2')));
  assert.deepEqual(errors, []);
  await close();
});

test('an element that is moved keeps its recording', async () => {
  const { page, errors, close } = await open(browser, server);
  await drop(page, samples.quake3);
  await ready(page);
  const kept = await page.evaluate(async () => {
    const viewer = document.querySelector('fragreel-viewer');
    const { session } = viewer;
    document.body.append(document.createElement('div'));
    document.body.lastElementChild.append(viewer);
    await new Promise((done) => setTimeout(done, 50));
    return viewer.session === session && (await session.client.ask('info')).maps;
  });
  assert.deepEqual(kept, ['am_lavactf']);
  assert.deepEqual(errors, []);
  await close();
});

test('another worker takes over after a fault', async () => {
  isFaulty = true;
  const { page, errors, close } = await open(browser, server);
  await drop(page, samples.quake3);
  await ready(page);
  const answers = await page.evaluate(async () => {
    const { client } = document.querySelector('fragreel-viewer').session;
    const all = await Promise.allSettled([client.ask('explain', 3), client.ask('state', 1000), client.ask('info')]);
    const later = await client.ask('state', 1000);
    return [all[0].reason?.message, all[1].value?.message === later.message && later.message > 0, all[2].value?.maps];
  });
  isFaulty = false;
  assert.deepEqual(answers, ['unreachable', true, ['am_lavactf']]);
  assert.deepEqual(errors, []);
  await close();
});

test('a worker that ends leaves no question open', async () => {
  const { page, close } = await open(browser, server);
  await drop(page, samples.quake3);
  await ready(page);
  const answers = await page.evaluate(async () => {
    const { client } = document.querySelector('fragreel-viewer').session;
    const asked = [client.ask('info'), client.ask('state', 1000)];
    // both are on their way, and none is answered
    for (let turn = 0; turn < 9; turn++) await null;
    client.worker.dispatchEvent(new ErrorEvent('error', { message: 'gone', cancelable: true }));
    const all = await Promise.allSettled([...asked, client.ask('info')]);
    // another one takes over, for who asks meanwhile, too
    await Promise.all([client.revive(), client.ask('info').then(({ maps }) => all.push({ value: maps[0] }))]);
    return all.map(({ reason, value }) => reason?.message ?? value);
  });
  assert.deepEqual(answers, ['gone', 'gone', 'gone', 'am_lavactf']);
  await close();
});

test('what is asked while another worker begins is answered', async () => {
  const { page, errors, close } = await open(browser, server);
  await drop(page, samples.quake3);
  await ready(page);
  const answers = await page.evaluate(async () => {
    const { client } = document.querySelector('fragreel-viewer').session;
    const before = client.ask('info');
    // both are on their way, and none is answered
    for (let turn = 0; turn < 9; turn++) await null;
    const settled = client.revive();
    const after = client.ask('info');
    await settled;
    return [(await before).maps, (await after).maps];
  });
  assert.deepEqual(answers, [['am_lavactf'], ['am_lavactf']]);
  assert.deepEqual(errors, []);
  await close();
});

test('a context that is lost comes back', async () => {
  if (!draws) return;
  const { page, errors, close } = await open(browser, server);
  await page.evaluate(() => (document.querySelector('fragreel-viewer').keep = true));
  await drop(page, samples.quake3);
  await ready(page);
  comesBack(await page.evaluate(sumsOfLost));
  assert.deepEqual(errors, []);
  await close();
});

/** What of the viewer's is drawn, and where; nothing of it may hang over an edge. */
const placed = (page) =>
  page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const box = (selector) => viewer.shadowRoot.querySelector(selector).getBoundingClientRect();
    const host = viewer.getBoundingClientRect();
    const over = [
      '.hud',
      '.feed',
      'footer',
      'aside',
      'header',
      '.line',
      ...['button', 'select'].map((one) => `footer ${one}`),
    ].filter((selector) =>
      [...viewer.shadowRoot.querySelectorAll(selector)].some((one) => {
        const { left, right, top, bottom, width } = one.getBoundingClientRect();
        return (
          width && (left < host.left - 1 || right > host.right + 1 || top < host.top - 1 || bottom > host.bottom + 1)
        );
      }),
    );
    const [stage, aside, footer] = ['.stage', 'aside', 'footer'].map(box);
    return {
      over,
      stage: [stage.width, stage.height],
      aside: [aside.width, aside.height],
      below: aside.height > 0 && aside.top >= footer.bottom - 1,
    };
  });

test('the layout follows the element, not the window', async () => {
  const { page, errors, close } = await open(browser, server, { width: 1600, height: 1200 });
  await drop(page, samples.quake3);
  await ready(page);
  const at = async (width, height) => {
    await page.evaluate(
      ([width, height]) =>
        Object.assign(document.querySelector('fragreel-viewer').style, { width: `${width}px`, height: `${height}px` }),
      [width, height],
    );
    await page.evaluate(() => new Promise((done) => setTimeout(done, 100)));
    const seen = await placed(page);
    assert.deepEqual(seen.over, [], `${width}×${height}`);
    return seen;
  };
  // small: the picture has all of it
  for (const [width, height] of [
    [320, 180],
    [480, 320],
    [640, 360],
  ])
    assert.deepEqual((await at(width, height)).stage, [width, height]);
  assert.deepEqual((await at(480, 320)).aside, [0, 0]);
  await page.getByRole('button', { name: 'panels' }).click();
  const sheet = await at(480, 320);
  assert.ok(sheet.aside[0] === 480 && sheet.aside[1] > 150, `the panels come over the picture: ${sheet.aside}`);
  await showPanel(page, 'Events');
  await page.getByRole('combobox', { name: 'camera' }).selectOption('free');
  await page.getByRole('button', { name: 'panels' }).click();
  assert.deepEqual((await at(480, 320)).aside, [0, 0]);
  // upright: the panels are below the picture
  for (const [width, height] of [
    [390, 780],
    [768, 1024],
  ]) {
    const { stage, aside, below } = await at(width, height);
    assert.ok(
      below && stage[0] === width && stage[1] > height * 0.4 && aside[1] > height * 0.2,
      `${width}×${height}: ${stage}, ${aside}`,
    );
  }
  const { stage, below } = await at(1180, 680);
  assert.ok(!below && stage[0] > 700 && stage[1] > 450, String(stage));
  assert.deepEqual(errors, []);
  await close();
});

test('attributes say what is shown, and events what happens', async () => {
  const { page, errors, close } = await open(browser, server);
  const seen = await page.evaluate(async () => {
    document.querySelector('fragreel-viewer').remove();
    const viewer = document.createElement('fragreel-viewer');
    const heard = [];
    for (const name of ['open', 'ready', 'time', 'frame', 'kill', 'pov', 'error'])
      viewer.addEventListener(`fragreel-${name}`, ({ detail }) => heard.push([name, detail]));
    for (const [name, value] of Object.entries({
      src: 'samples/quake2/yq2dm_Alice.dm2',
      t: '0:07',
      pov: 'Bob',
      speed: '-0.5',
      theme: 'dark',
      controls: 'none',
      maps: 'maps/{map}.bsp maps/none.pak',
    }))
      viewer.setAttribute(name, value);
    document.body.append(viewer);
    const wait = async (until) => {
      for (let left = 600; !until() && left; left--) await new Promise((done) => setTimeout(done, 50));
    };
    await wait(
      () =>
        heard.some(([name]) => name === 'ready') &&
        heard.some(([name]) => name === 'error') &&
        viewer.map(viewer.session, 0),
    );
    viewer.manual = true;
    const shown = ['header', 'footer', 'aside', '.stage'].map(
      (one) => viewer.shadowRoot.querySelector(one).getBoundingClientRect().width > 0,
    );
    const { time, speed, src, maps } = viewer;
    const began = {
      time,
      speed,
      src,
      maps,
      shown,
      dark: getComputedStyle(viewer).backgroundColor,
      map: viewer.map(viewer.session, 0)?.format ?? null,
    };
    // forward over the first kill
    const kill = viewer.session.events.find((event) => event.kind === 'kill');
    viewer.speed = 1;
    viewer.seek(kill.time - 100);
    viewer.advance(0);
    heard.length = 0;
    viewer.toggle();
    viewer.advance(50);
    const before = heard.some(([name]) => name === 'kill');
    viewer.advance(100);
    viewer.follow(null);
    viewer.pause();
    viewer.advance(0);
    const passed = heard.splice(0);
    // a jump over kills is none
    viewer.seek(viewer.duration);
    viewer.advance(0);
    return { began, before, killTime: kill.time, passed, jumped: heard.map(([name]) => name) };
  });
  const { began, passed, jumped } = seen;
  assert.deepEqual(began, {
    time: 7000,
    speed: -0.5,
    src: 'samples/quake2/yq2dm_Alice.dm2',
    maps: 'maps/{map}.bsp maps/none.pak',
    shown: [false, false, false, true],
    dark: 'rgb(13, 15, 19)',
    map: 'Quake II',
  });
  assert.equal(seen.before, false);
  assert.deepEqual(
    passed.filter(([name]) => name === 'kill').map(([, { time }]) => time),
    [seen.killTime],
  );
  assert.deepEqual(
    passed.filter(([name]) => name === 'pov'),
    [['pov', { slot: null, name: null }]],
  );
  const last = passed.findLast(([name]) => name === 'time')[1];
  assert.deepEqual([last.time, last.playing], [seen.killTime + 50, false]);
  assert.ok(passed.some(([name, { frame }]) => name === 'frame' && frame > 0));
  assert.deepEqual(jumped, ['frame', 'time']);
  assert.deepEqual(
    errors.filter((error) => !/404/.test(error)),
    [],
  );
  await close();
});

test('no listener is left on the page', async () => {
  const { page, close } = await open(browser, server);
  const left = await page.evaluate(async () => {
    document.querySelector('fragreel-viewer').remove();
    const kept = new Map();
    for (const target of [window, document]) {
      const { addEventListener, removeEventListener } = target;
      target.addEventListener = (type, run, options) => {
        kept.set(run, `${type} ${run}`.slice(0, 80));
        addEventListener.call(target, type, run, options);
      };
      target.removeEventListener = (type, run, options) => {
        kept.delete(run);
        removeEventListener.call(target, type, run, options);
      };
    }
    const visit = async () => {
      const viewer = document.createElement('fragreel-viewer');
      document.body.append(viewer);
      await viewer.openAddress('samples/quake2/yq2dm_Alice.dm2');
      viewer.chrome.tabs.choose('charts');
      viewer.shadowRoot.querySelector('#panel .curtain button').click();
      for (let left = 100; !viewer.shadowRoot.querySelector('.chart') && left; left--)
        await new Promise((done) => setTimeout(done, 50));
      const during = kept.size;
      viewer.remove();
      await new Promise((done) => setTimeout(done, 100));
      return during;
    };
    const during = await visit();
    return [during > 0, [...kept.values()]];
  });
  assert.deepEqual(left, [true, []]);
  await close();
});
