// Time, keys, and what a person without a mouse or eyes needs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { drop, open, ready, samples, serve, setUp } from './harness.mjs';

const { server, browser } = await setUp();

async function shown(file = samples.quake3, options = {}) {
  const opened = await open(browser, server, options);
  await drop(opened.page, file);
  await ready(opened.page);
  await opened.page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
  const state = () =>
    opened.page.evaluate(() => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.advance(0);
      const { time, playing, speed, followed, camera, range, duration } = viewer;
      return { time, playing, speed, followed, camera, range, duration };
    });
  const pass = (milliseconds) =>
    opened.page.evaluate(
      (milliseconds) => document.querySelector('fragreel-viewer').advance(milliseconds),
      milliseconds,
    );
  return { ...opened, state, pass };
}

test('keys do what the help says', async () => {
  const { page, state, pass, errors, close } = await shown();
  const press = (key) => page.keyboard.press(key);
  await press('Space');
  await pass(1000);
  assert.equal((await state()).time, 1000);
  await press(']');
  await pass(1000);
  assert.deepEqual([(await state()).speed, (await state()).time], [2, 3000]);
  await press('r');
  await pass(500);
  assert.equal((await state()).time, 2000);
  await press('k');
  await pass(5000);
  assert.equal((await state()).time, 2000, 'it stands still');
  await press('ArrowRight');
  await press('Shift+ArrowLeft');
  assert.equal((await state()).time, 6000);
  // frame by frame
  const times = await page.evaluate(() => [...document.querySelector('fragreel-viewer').session.replay.tracks.times]);
  const next = times.find((time) => time > 6000);
  await press('.');
  assert.equal((await state()).time, next);
  await press(',');
  assert.equal(
    (await state()).time,
    times.findLast((time) => time < next),
  );
  // kills: of anybody, then of one
  await press('0');
  const kills = await page.evaluate(() =>
    document
      .querySelector('fragreel-viewer')
      .session.events.filter(({ kind }) => kind === 'kill')
      .map(({ time, attacker, victim }) => ({ time, slots: [attacker?.slot, victim.slot] })),
  );
  await press('l');
  assert.equal((await state()).time, kills.find(({ time }) => time > 6000).time);
  await press('Home');
  await press('3');
  const { followed } = await state();
  await press('l');
  assert.equal((await state()).time, kills.find(({ slots }) => slots.includes(followed)).time);
  await press('v');
  assert.equal((await state()).camera, 'free');
  await press('v');
  assert.equal((await state()).camera, 'behind');
  await press('i');
  await press('ArrowRight');
  await press('o');
  const { range, time } = await state();
  assert.deepEqual(range, [time - 5000, time]);
  await press('End');
  assert.equal((await state()).time, (await state()).duration);
  await press('?');
  await page.getByRole('dialog').waitFor();
  await press('Escape');
  assert.deepEqual(errors, []);
  await close();
});

test('every speed, both ways, and the ends', async () => {
  const { page, state, pass, close } = await shown();
  for (const speed of [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, -0.1, -16]) {
    await page.evaluate((speed) => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.pause();
      viewer.seek(30000);
      viewer.setSpeed(speed);
      viewer.toggle();
    }, speed);
    await pass(200);
    assert.equal((await state()).time, 30000 + 200 * speed);
  }
  await pass(60000);
  assert.deepEqual([(await state()).time, (await state()).playing], [0, false]);
  await close();
});

test('the line of time seeks', async () => {
  const { page, state, close } = await shown();
  const line = page.getByRole('slider', { name: 'time' });
  const box = await line.boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const { time, duration } = await state();
  assert.ok(Math.abs(time / duration - 0.5) < 0.02, `${time} of ${duration}`);
  await close();
});

test('keys rest while somebody chooses', async () => {
  const { page, state, close } = await shown();
  await page.getByRole('combobox', { name: 'speed' }).focus();
  await page.keyboard.press('l');
  assert.equal((await state()).time, 0);
  await close();
});

test('keys work again after a choice with a pointer', async () => {
  const { page, state, close } = await shown();
  const box = await page.getByRole('combobox', { name: 'speed' }).boundingBox();
  // the list itself belongs to the browser's window: the choice is made as it would be
  await page.mouse.move(box.x + 5, box.y + 5);
  await page.mouse.down();
  await page.mouse.up();
  await page.keyboard.press('Escape');
  await page.evaluate(() => {
    const select = document.querySelector('fragreel-viewer').shadowRoot.querySelector('select[aria-label=speed]');
    select.dispatchEvent(new PointerEvent('pointerdown'));
    select.value = '2';
    select.dispatchEvent(new Event('change'));
  });
  await page.keyboard.press('Space');
  assert.deepEqual([(await state()).speed, (await state()).playing], [2, true]);
  // what was pressed has the focus, and Space plays all the same
  await page.getByRole('button', { name: 'Free', exact: true }).click();
  await page.keyboard.press('Space');
  assert.deepEqual([(await state()).camera, (await state()).playing], ['free', false]);
  await page.getByRole('group', { name: 'players' }).getByRole('button').nth(1).click();
  const { followed } = await state();
  await page.keyboard.press('Space');
  assert.deepEqual([(await state()).followed, (await state()).playing], [followed, true], 'nobody is unfollowed');
  await page.getByRole('button', { name: 'next kill' }).click();
  const { time } = await state();
  await page.keyboard.press('Space');
  assert.deepEqual([(await state()).time, (await state()).playing], [time, false], 'nothing is pressed again');
  await close();
});

test('targets are large where a finger is meant', async () => {
  const { page, close } = await shown(samples.quake3, { width: 390, height: 780, hasTouch: true, isMobile: true });
  const small = await page.evaluate(() =>
    [
      ...document
        .querySelector('fragreel-viewer')
        .shadowRoot.querySelectorAll('header button, footer button, select, [role=tab]'),
    ]
      .map((one) => [one.textContent || one.title, one.getBoundingClientRect()])
      .filter(([, { width, height }]) => width && (width < 44 || height < 44))
      .map(([name]) => name),
  );
  assert.deepEqual(small, []);
  await close();
});

test('on the page of somebody else, keys and wheel stay with the page until the viewer has the focus', async () => {
  const { page, errors, close } = await open(browser, server, { path: 'other.html' });
  await ready(page);
  await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.manual = true;
    document.body.append(Object.assign(document.createElement('div'), { style: 'height:3000px' }));
    document.activeElement?.blur();
  });
  const state = () =>
    page.evaluate(() =>
      (({ playing, stage }) => [playing, stage.camera.scale, scrollY > 0])(document.querySelector('fragreel-viewer')),
    );
  const [, scale] = await state();
  const picture = await page.locator('.stage').boundingBox();
  await page.mouse.move(picture.x + 50, picture.y + 50);
  await page.mouse.wheel(0, 60);
  await page.waitForFunction(() => scrollY > 0);
  assert.deepEqual(await state(), [false, scale, true]);
  await page.keyboard.press('k');
  assert.deepEqual(await state(), [false, scale, true]);
  await page.evaluate(() => scrollTo(0, 0));
  await page.locator('.stage').click({ position: { x: 50, y: 50 } });
  await page.keyboard.press('k');
  await page.mouse.wheel(0, 60);
  await page.waitForFunction((scale) => document.querySelector('fragreel-viewer').stage.camera.scale !== scale, scale);
  const [playing, , scrolled] = await state();
  assert.deepEqual([playing, scrolled], [true, false]);
  assert.deepEqual(errors, []);
  await close();
});

test('a second link in one tab opens the second recording', async () => {
  const { page, errors, close } = await open(browser, server, { hash: `#src=${samples.quake3}&t=5` });
  await ready(page, 'ctf_bots.dm_71');
  await page.evaluate((file) => (location.hash = `#src=${file}&t=7`), samples.quake2);
  await ready(page, 'yq2dm_Alice.dm2');
  assert.equal(await page.evaluate(() => document.querySelector('fragreel-viewer').time), 7000);
  assert.deepEqual(errors, []);
  await close();
});

test('a link to another origin says who forbids it', async () => {
  const other = await serve();
  const { page, close } = await open(browser, server, {
    hash: `#src=${encodeURIComponent(`${other.address}${samples.quake3}`)}`,
  });
  const alert = page.getByRole('alert');
  await alert.waitFor();
  assert.match(await alert.textContent(), /another origin.*connect-src/);
  other.close();
  await close();
});

test('links hold the moment', async () => {
  const { page, close } = await shown();
  const link = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.seek(12345);
    viewer.follow(2);
    viewer.camera = 'eyes';
    return viewer.link();
  });
  assert.equal(link, '#t=12.345&pov=2&cam=eyes');
  const again = await open(browser, server, { hash: `${link}&src=${samples.quake3}` });
  await ready(again.page);
  assert.deepEqual(
    await again.page.evaluate(() => {
      const { time, followed, camera } = document.querySelector('fragreel-viewer');
      return [time, followed, camera];
    }),
    [12345, 2, 'eyes'],
  );
  await again.close();
  await close();
});

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

for (const [scheme, name, size] of [
  ['light', 'desk', { width: 1100, height: 700 }],
  ['dark', 'desk', { width: 1100, height: 700 }],
  ['dark', 'phone', { width: 390, height: 780 }],
  ['light', 'phone', { width: 390, height: 780 }],
]) {
  test(`axe finds nothing serious (${name}, ${scheme})`, async () => {
    const { page, errors, close } = await shown(samples.quake3, { ...size, colorScheme: scheme, bypassCSP: true });
    await page.evaluate(() => document.querySelector('fragreel-viewer').seek(20000));
    await page.evaluate(axe);
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      const curtain = page.getByRole('button', { name: 'Show it' });
      if (await curtain.count()) await curtain.click();
      await page.waitForTimeout(50);
      const serious = await page.evaluate(async () => {
        // what passes needs no list of elements
        const { violations } = await window.axe.run({ resultTypes: ['violations'] });
        return violations
          .filter(({ impact }) => ['serious', 'critical'].includes(impact))
          .map(({ id, nodes }) => [id, nodes[0].html.slice(0, 200), nodes[0].failureSummary]);
      });
      assert.deepEqual(serious, [], await tab.textContent());
    }
    // everything is in the picture: nothing hangs out at the side
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(errors, []);
    await close();
  });
}

test('in and out have handles on the line of time', async () => {
  const { page, errors, close } = await open(browser, server);
  await drop(page, samples.quake3);
  await ready(page);
  const [start, end] = ['start of the clip', 'end of the clip'].map((name) => page.getByRole('slider', { name }));
  assert.equal(await start.count(), 0, 'without a clip there is none');
  await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.pause();
    viewer.seek(1000);
    viewer.range = [5000, 20000];
    viewer.changed();
  });
  await start.waitFor();
  const range = () => page.evaluate(() => document.querySelector('fragreel-viewer').range);
  const { x, y, width, height } = await start.boundingBox();
  const line = await page.locator('.line').boundingBox();
  const second =
    (line.width - 16) / ((await page.evaluate(() => document.querySelector('fragreel-viewer').duration)) / 1000);
  const drag = async (seconds) => {
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + second * seconds, y + height / 2, { steps: 4 });
    await page.mouse.up();
  };
  await drag(4);
  const [from, to] = await range();
  assert.ok(Math.abs(from - 9000) < 200 && to === 20000, `${from} ${to}`);
  await end.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowLeft');
  assert.deepEqual(await range(), [from, 20900]);
  // neither passes the other
  for (let times = 0; times < 15; times++) await page.keyboard.press('ArrowLeft');
  assert.deepEqual(await range(), [from, from]);
  assert.equal(await page.evaluate(() => document.querySelector('fragreel-viewer').time), 1000, 'the playhead stays');
  assert.deepEqual(errors, []);
  await close();
});

test('rounds are a bar over the marks', async () => {
  const { page, errors, close } = await open(browser, server);
  await drop(page, samples.quake3);
  await ready(page);
  const colors = (...events) =>
    page.evaluate((events) => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.pause();
      viewer.session.events = events.map(([time, started, number]) => ({ time, kind: 'round', started, number }));
      viewer.changed();
      viewer.advance(0);
      const canvas = viewer.shadowRoot.querySelector('.line canvas');
      const context = canvas.getContext('2d');
      const edge = (8 * canvas.width) / canvas.clientWidth;
      return [2, 8, 12, 25].map((second) =>
        [
          ...context.getImageData(edge + ((second * 1000) / viewer.duration) * (canvas.width - 2 * edge), 1, 1, 1).data,
        ].join(),
      );
    }, events);
  const [before, first, between, last] = await colors([5000, true, 7], [10000, false, 7], [15000, true, 8]);
  assert.deepEqual([before, between], ['0,0,0,0', '0,0,0,0']);
  assert.notEqual(first, last, 'by turns');
  assert.ok(first !== before && last !== before, 'the last round has no end');
  const line = await page.locator('.line canvas').first().boundingBox();
  const duration = await page.evaluate(() => document.querySelector('fragreel-viewer').duration);
  await page.mouse.move(line.x + 8 + (8000 / duration) * (line.width - 16), line.y + 2);
  await page.locator('.line .tip').getByText('round 7').waitFor();
  assert.deepEqual(errors, []);
  await close();
});
