// The states of the page at four sizes in both themes: what must be there is, nothing lies over anything, and texts can be read. With FRAGREEL_PICTURES=1 the pictures
// of docs/viewer.md are made; without it they go to target/web/tests.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { drop, open, ready, root, samples, setUp } from './harness.mjs';

const { server, browser } = await setUp();
const [folder, documents] = [join(root, 'target/web/tests/design'), join(root, 'docs/pictures/design')];
for (const one of [folder, documents]) mkdirSync(one, { recursive: true });
/** Those that the document shows. */
const DOCUMENTED =
  /^(first|plan)-(1366x768|390x844|640x360|320x180)-dark$|^plan-1366x768-light$|^(failed|loading|eyes|comments|end)-640x360-dark$|^(clip|results|comments)-390x844-dark$|^four-1366x768-dark$/;

const SIZES = [
  [1366, 768],
  [390, 844],
  [640, 360],
  [320, 180],
];
const at = (page, time, camera, slot) =>
  page.evaluate(
    ([time, camera, slot]) => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.seek(time);
      viewer.advance(0);
      viewer.follow(slot);
      viewer.camera = camera;
      viewer.advance(0);
    },
    [time, camera, slot],
  );

/** Shows a panel, in small viewers over the picture. */
const sheet = (page, name) =>
  page.evaluate((name) => {
    const { chrome, look } = document.querySelector('fragreel-viewer');
    look.set({ spoilers: true });
    chrome.tabs.choose(name);
    chrome.element.classList.add('sheet');
  }, name);

/** What each state is made by, and what must be seen in it. */
const STATES = {
  first: { make: async () => {}, seen: { any: ['.hero h2', '.big'], large: ['.card'] } },
  loading: {
    make: (page) =>
      page.evaluate(() =>
        document.querySelector('fragreel-viewer').store.tell('reading', { name: '4on4.mvd', cancel() {}, done() {} }),
      ),
    seen: { any: ['.progress', '.note button'] },
  },
  failed: {
    make: (page) =>
      drop(page, { name: 'notes.dm_68', bytes: Buffer.from('just some words, and not few of them at that') }),
    seen: { any: ['[role=alert]', '.note button'] },
  },
  plan: {
    file: samples.quake3,
    make: (page) => at(page, 31_000, 'top', 0),
    seen: { any: ['.score', '.line', '.transport .round'], large: ['.strip .cell', '.board', '.segments', '.zoom'] },
  },
  eyes: {
    file: samples.quake3,
    make: (page) => at(page, 30_000, 'eyes', 0),
    seen: { any: ['.score', '.transport .round'] },
  },
  clip: {
    file: samples.quakeworld ?? samples.quake1,
    make: async (page) => {
      await at(page, 30_000, 'top', null);
      await sheet(page, 'clip');
    },
    seen: { any: ['.way', '.warning'] },
  },
  results: {
    file: samples.quake3,
    make: async (page) => {
      await at(page, 1e9, 'top', null);
      await sheet(page, 'results');
    },
    seen: { any: ['.wide table', '.total'] },
  },
  four: {
    file: samples.quake3,
    make: async (page) => {
      await at(page, 30_000, 'top', 0);
      await page.evaluate(() => {
        const viewer = document.querySelector('fragreel-viewer');
        viewer.store.selection.pick('four');
        viewer.advance(0);
        viewer.advance(0);
      });
    },
    sizes: [0, 1, 2],
    seen: { any: ['.stage:nth-of-type(4)'] },
  },
  end: {
    file: samples.quake3,
    make: (page) => at(page, 1e9, 'behind', 0),
    seen: { any: ['.score'] },
  },
  clean: {
    file: samples.quake3,
    make: async (page) => {
      await at(page, 30_000, 'top', 0);
      await page.evaluate(() => {
        const viewer = document.querySelector('fragreel-viewer');
        viewer.controls = 'none';
        viewer.store.selection.pick('four');
        viewer.advance(0);
        viewer.advance(0);
      });
    },
    seen: { any: ['.stage:nth-of-type(4)', '.score'] },
  },
  comments: {
    file: samples.quake3,
    make: async (page) => {
      await at(page, 30_000, 'top', 0);
      await page.evaluate(() => {
        const viewer = document.querySelector('fragreel-viewer');
        viewer.session.comments = [
          { time: 12_000, text: 'good start' },
          { time: 30_000, text: 'he should wait for the flag here' },
        ];
        const { pens, selection } = viewer.store;
        pens.choose('yellow');
        const [x, y] = selection.scene.players.find(({ origin }) => origin).origin;
        pens.begin(30_000, 0, [x - 300, y]);
        for (let step = 0; step < 30; step++)
          pens.move([x + Math.cos(step / 4.5) * 300, y + Math.sin(step / 4.5) * 300], 30_000, 0, 1);
        pens.end();
        viewer.store.tell('comments');
        viewer.chrome.tabs.choose('comments');
        viewer.advance(0);
      });
    },
    sizes: [0, 1, 2],
    seen: { any: ['.caption', '.pens'] },
  },
};

/** Pairs of parts that lie over each other, and parts that hang over an edge. */
const overlaps = (page) =>
  page.evaluate(() => {
    const { shadowRoot } = document.querySelector('fragreel-viewer');
    const host = document.querySelector('fragreel-viewer').getBoundingClientRect();
    const found = [];
    const shown = (selector) =>
      [...shadowRoot.querySelectorAll(selector)]
        .map((one) => one.getBoundingClientRect())
        .filter(({ width, height }) => width && height);
    const PARTS = [
      '.stage .score',
      '.stage .feed > div',
      '.stage .timers',
      '.stage .hud',
      '.stage .caption',
      '.pens',
      '.zoom',
      'footer',
      '.chips',
      '.time',
      'aside',
      '.strip',
    ];
    const boxes = PARTS.flatMap((part) => shown(part).map((box) => ({ part, box })));
    const isOpen = shadowRoot.querySelector('.app').classList.contains('sheet');
    for (const [i, a] of boxes.entries()) {
      if (a.box.left < host.left - 1 || a.box.right > host.right + 1 || a.box.bottom > host.bottom + 1)
        found.push(`${a.part} hangs over`);
      for (const b of boxes.slice(i + 1)) {
        if (a.part === b.part || isOpen) continue;
        const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
        // a chip may stand on the line of the controls
        if (wide > 1 && high > 1 && !(a.part === 'footer' && b.part === '.chips'))
          found.push(`${a.part} over ${b.part}`);
      }
    }
    return [...new Set(found)];
  });

for (const [name, { file, make, seen, sizes = [0, 1, 2, 3] }] of Object.entries(STATES)) {
  for (const colorScheme of ['dark', 'light']) {
    test(`${name}, ${colorScheme}`, async () => {
      const [width, height] = SIZES[sizes[0]];
      const { page, errors, close } = await open(browser, server, { width, height, colorScheme });
      await page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
      if (file) {
        await drop(page, file);
        await ready(page);
      }
      await make(page);
      for (const size of sizes) {
        const [width, height] = SIZES[size];
        await page.setViewportSize({ width, height });
        const isLarge = width >= 1000;
        for (const selector of [...(seen.any ?? []), ...(isLarge ? (seen.large ?? []) : [])])
          await page.locator(selector).first().waitFor();
        // the picture follows its new size
        await page.waitForTimeout(150);
        await page.evaluate(() => {
          const viewer = document.querySelector('fragreel-viewer');
          viewer.changed();
          viewer.advance(0);
        });
        const picture = `${name}-${width}x${height}-${colorScheme}`;
        await page.screenshot({ path: join(folder, `${picture}.png`) });
        if (process.env.FRAGREEL_PICTURES && DOCUMENTED.test(picture))
          await page.screenshot({ path: join(documents, `${picture}.jpg`), type: 'jpeg', quality: 38 });
        assert.deepEqual(await overlaps(page), [], picture);
      }
      assert.deepEqual(errors, []);
      await close();
    });
  }
}

test('time and chips have room beside each other in an element of any shape', async () => {
  const { page, close } = await open(browser, server, { width: 336, height: 590 });
  await page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
  await drop(page, samples.quake3);
  await ready(page);
  for (const [width, height] of [
    [336, 590],
    [360, 500],
    [390, 844],
    [430, 500],
    [510, 500],
    [640, 360],
    [320, 180],
  ]) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.changed();
      viewer.advance(0);
    });
    const apart = await page.evaluate(() => {
      const { shadowRoot } = document.querySelector('fragreel-viewer');
      const boxes = (selector) =>
        [...shadowRoot.querySelectorAll(selector)]
          .map((one) => one.getBoundingClientRect())
          .filter(({ width, height }) => width && height);
      const now = boxes('.clocks .now')[0];
      return boxes('.chips > *').map((chip) => ({
        beside: chip.left >= now.right || chip.bottom <= now.top,
        chip: Math.round(chip.left),
        now: Math.round(now.right),
      }));
    });
    assert.ok(apart.length && apart.every(({ beside }) => beside), `${width} × ${height}: ${JSON.stringify(apart)}`);
  }
  await close();
});
