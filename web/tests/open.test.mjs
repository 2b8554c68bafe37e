// Every family is opened, and the page says what the command says.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { drop, fragreel, open, ready, root, samples, setUp, showPanel } from './harness.mjs';

const { server, browser } = await setUp();

/** The same numbers on every run. */
function dice(seed) {
  return () => {
    seed = (seed * 1664525 + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

const families = {
  ...samples,
  'quake1 client': 'samples/quake1/match_e1m1.qwd',
  'quake2 multi-view': 'samples/quake2/q2p_mvd_multi.mvd2',
  packed: 'samples/quake2/cl_ext3436_retro3_net_z.dm2.gz',
};
const TIMES = 15;

for (const [family, file] of Object.entries(families)) {
  describe(family, () => {
    const name = file.split('/').pop();
    test(`is where \`fragreel frames\` says, at ${TIMES} random times`, async () => {
      const { page, errors, requests, close } = await open(browser, server);
      await drop(page, file);
      await ready(page, name);
      const frames = fragreel(
        'frames',
        '--json',
        '--fields',
        'origin,angles,health,armor,weapon',
        '--entities',
        'missile,item,corpse',
        file,
      )
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.equal(
        await page.evaluate(() => document.querySelector('fragreel-viewer').session.replay.frameCount),
        frames.length,
      );
      const random = dice(7);
      let compared = 0;
      for (let times = 0; times < TIMES; times++) {
        const at = Math.floor(random() * frames.length);
        // of frames at one time the last one stands
        const frame = frames.findLast((one) => one.time === frames[at].time);
        const seen = await page.evaluate((time) => {
          const viewer = document.querySelector('fragreel-viewer');
          viewer.seekSession(time);
          viewer.advance(0);
          const { players, entities, frame } = viewer.stage.scene;
          // no more than is compared: what a page hands over is checked value by value
          return {
            number: viewer.session.replay.tracks.numbers[frame],
            players: players.map(({ slot, origin, angles, health, armor, weapon }) => [
              slot,
              origin,
              angles,
              health,
              armor,
              weapon?.own,
            ]),
            things: entities
              .filter(({ kind }) => ['missile', 'item', 'corpse'].includes(kind))
              .map(({ number, origin }) => ({ number, origin })),
          };
        }, frame.time);
        assert.equal(seen.number, frame.number);
        assert.deepEqual(
          seen.players,
          frame.players.map(({ slot, origin, angles, health, armor, weapon }) => [
            slot,
            f32(origin),
            f32(angles),
            health ?? null,
            armor ?? null,
            weapon?.own,
          ]),
        );
        assert.deepEqual(
          seen.things.map(({ number }) => number),
          frame.entities.map(({ number }) => number),
        );
        for (const [index, thing] of seen.things.entries()) near(thing.origin, frame.entities[index].origin);
        compared += frame.players.filter(({ origin }) => origin).length;
      }
      assert.ok(compared >= TIMES, `${compared} places compared`);
      assert.deepEqual(errors, []);
      assert.ok(
        requests.every((address) => address.startsWith(server.address)),
        'no request leaves the page',
      );
      await close();
    });

    test('opens by a link, at a moment', async () => {
      const { page, errors, close } = await open(browser, server, { hash: `#src=${encodeURIComponent(file)}&t=0.05` });
      await ready(page, name);
      assert.equal(await page.evaluate(() => document.querySelector('fragreel-viewer').time), 50);
      assert.deepEqual(errors, []);
      await close();
    });

    test('has the events, the scores and the findings of the command', async () => {
      const { page, close } = await open(browser, server);
      await drop(page, file);
      await ready(page, name);
      const text = await page.evaluate(() => {
        const { events, scores, audit, info } = document.querySelector('fragreel-viewer').session;
        return JSON.stringify({
          kills: events.filter(({ kind }) => kind === 'kill'),
          scores,
          findings: audit.findings.length,
          maps: info.maps,
        });
      });
      const seen = JSON.parse(text);
      const lines = (...args) => {
        try {
          return fragreel(...args)
            .trim()
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line));
        } catch (failure) {
          // damage was found, which is an answer too
          return failure.stdout
            .trim()
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line));
        }
      };
      const kills = lines('events', '--kinds', 'kill', '--json', file);
      assert.deepEqual(
        seen.kills.map(({ group, major, pieces, slots, suicide, how, ...kill }) => kill),
        kills.map(({ path, ...kill }) => kill),
      );
      const scores = lines('scores', '--json', file);
      assert.deepEqual(
        seen.scores,
        scores.map(({ path, ...match }) => match),
      );
      assert.equal(seen.findings, lines('audit', '--json', file)[0].findings.length);
      assert.deepEqual(seen.maps, lines('info', '--json', file)[0].maps);
      await close();
    });
  });
}

test('a marker is where the projection says', async () => {
  const { page, close } = await open(browser, server, { width: 1600, height: 1000 });
  await drop(page, samples.quake3);
  await ready(page);
  const found = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.manual = true;
    viewer.look.names = false;
    viewer.look.things = false;
    viewer.look.trails = false;
    const checked = [];
    for (let time = 5000; time < 60000; time += 5000) {
      viewer.seek(time);
      viewer.advance(0);
      const { stage } = viewer;
      const { camera, canvas, scene } = stage;
      const shown = scene.players.filter(({ origin, alive, spectator }) => origin && alive !== false && !spectator);
      for (const player of shown) {
        // the formula of the plan, on its own
        const x = (player.origin[0] - camera.center[0]) * camera.scale + camera.width / 2;
        const y = camera.height / 2 - (player.origin[1] - camera.center[1]) * camera.scale;
        const apart = shown.every(
          (other) =>
            other === player ||
            Math.hypot(other.origin[0] - player.origin[0], other.origin[1] - player.origin[1]) * camera.scale > 80,
        );
        if (!apart || x < 4 || y < 4 || x > camera.width - 4 || y > camera.height - 4) continue;
        const ratio = canvas.width / camera.width;
        // beside the line of sight, which starts in the middle
        const yaw = ((player.angles?.[1] ?? 0) * Math.PI) / 180;
        const [dx, dy] = [-Math.cos(yaw) * 3, Math.sin(yaw) * 3];
        const [r, g, b, a] = canvas
          .getContext('2d')
          .getImageData(Math.round((x + dx) * ratio), Math.round((y + dy) * ratio), 1, 1).data;
        checked.push({ team: player.team, color: [r, g, b, a] });
      }
    }
    return checked;
  });
  assert.ok(found.length >= 10, `${found.length} markers looked at`);
  const expected = { red: [239, 81, 88, 255], blue: [74, 139, 245, 255] };
  for (const { team, color } of found) assert.deepEqual(color, expected[team]);
  await close();
});

test('of many recordings one is found by what is known of it', async () => {
  const { page, errors, close } = await open(browser, server);
  await page.evaluate(() => {
    const entries = Array.from({ length: 700 }, (_, at) => ({
      name: `${at}.dm_68`,
      path: `demos/${at}.dm_68`,
      src: `nowhere/${at}`,
      about: at === 650 ? 'q3dm17 · 2004-03-05 · sarge' : null,
    }));
    entries[650].src = '/samples/quake3/dm_bots.dm_71';
    document.querySelector('fragreel-viewer').offer(entries);
  });
  assert.equal(await page.locator('.offer li').count(), 500);
  await page.getByText('and 200 more').waitFor();
  await page.getByLabel('find a recording').fill('SARGE q3dm17');
  assert.deepEqual(await page.locator('.offer li').allTextContents(), ['demos/650.dm_68q3dm17 · 2004-03-05 · sarge']);
  await page.getByRole('button', { name: 'demos/650.dm_68' }).click();
  await ready(page, 'dm_bots.dm_71');
  assert.deepEqual(errors, []);
  await close();
});

test('the first screen offers a sample, which is fetched on request', async () => {
  const { page, requests, errors, close } = await open(browser, server);
  const button = page.getByRole('button', { name: 'Watch a sample of Quake III' });
  await button.waitFor();
  assert.deepEqual(
    requests.filter((address) => /\.dm_71/.test(address)),
    [],
  );
  await button.click();
  await ready(page);
  assert.equal(await button.count(), 0);
  assert.ok(await page.evaluate(() => document.querySelector('fragreel-viewer').session.replay.slots.length > 2));
  assert.deepEqual(errors, []);
  await close();
  // a link to a moment is for the recording that it comes with
  const linked = await open(browser, server, { hash: '#t=5' });
  await linked.page.getByRole('button', { name: 'Open a recording' }).waitFor();
  assert.equal(await linked.page.getByRole('button', { name: 'Watch a sample' }).count(), 0);
  await linked.close();
});

test('the page in one file works from a disk', async () => {
  const surroundings = await browser.newContext({ locale: 'en-US' });
  const page = await surroundings.newPage();
  const requests = [];
  const errors = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(`file://${join(root, 'web/dist-single/fragreel.html')}#t=5`);
  await drop(page, samples.quake2);
  await ready(page);
  assert.equal(await page.evaluate(() => document.querySelector('fragreel-viewer').time), 5000);
  assert.deepEqual(errors, []);
  assert.ok(requests.every((address) => /^(file|blob|data):/.test(address)));
  await page.goto(`file://${join(root, 'web/dist-single/fragreel.html')}`);
  await page.getByRole('button', { name: 'Open a recording' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Watch a sample' }).count(), 0, 'there are no files beside it');
  await surroundings.close();
});

test('the element works on a page of somebody else', async () => {
  const { page, errors, close } = await open(browser, server, { path: 'other.html' });
  await ready(page);
  const seen = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    return [viewer.time, viewer.session.info.players.find(({ slot }) => slot === viewer.followed)?.name.clean];
  });
  assert.deepEqual(seen, [7000, 'Bob']);
  // keys belong to the page as long as somebody writes there
  await page.locator('#field').focus();
  await page.keyboard.press('l');
  await page.keyboard.press('Space');
  assert.deepEqual(
    await page.evaluate(() => [
      document.querySelector('#field').value,
      document.querySelector('fragreel-viewer').playing,
    ]),
    ['l ', false],
  );
  assert.deepEqual(errors, []);
  await close();
});

describe('what is no good recording', () => {
  const bytes = readFileSync(join(root, samples.quake3));
  const broken = (mutate) => {
    const copy = Buffer.from(bytes);
    mutate(copy);
    return copy;
  };
  const cases = {
    'cut off': { bytes: bytes.subarray(0, 40000), opens: true },
    'damaged in the middle': { bytes: broken((copy) => copy.fill(0xff, 60000, 60400)), opens: true },
    nothing: { bytes: Buffer.alloc(0), opens: false },
    words: { bytes: Buffer.from('just some words, and not few of them at that'), opens: false },
    noise: { bytes: Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 2654435761) >>> 24)), opens: false },
  };
  for (const [what, { bytes, opens }] of Object.entries(cases)) {
    test(`${what}: a message, and a page that still works`, async () => {
      const { page, errors, close } = await open(browser, server);
      await drop(page, { name: `${what}.dm_71`, bytes });
      if (opens) {
        await ready(page);
        assert.ok(
          await page.evaluate(() =>
            document.querySelector('fragreel-viewer').session.audit.findings.some(({ grade }) => grade === 'damaged'),
          ),
        );
      } else {
        await page.getByRole('alert').waitFor();
        assert.match(await page.getByRole('alert').textContent(), /not a recognized recording format/);
      }
      await drop(page, samples.quake2);
      await ready(page, 'yq2dm_Alice.dm2');
      assert.deepEqual(errors, []);
      await close();
    });
  }

  test('a name with markup stays text', async () => {
    // the sample's own recorder, renamed by the command
    const name = '<img src=x onerror=document.title=1><b>';
    const file = join(root, 'target/web/markup.dm_71');
    fragreel('scrub', samples.quake3, '--rename', `Gargoyle=${name}`, '--force', '-o', file);
    const { page, errors, close } = await open(browser, server);
    await drop(page, file);
    await ready(page);
    await page.evaluate(() => document.querySelector('fragreel-viewer').seek(31000));
    await page.waitForFunction(
      (name) => document.querySelector('fragreel-viewer').shadowRoot.textContent.includes(name),
      name,
    );
    for (const tab of ['Events', 'Chat', 'Players']) await showPanel(page, tab);
    assert.equal(
      await page.evaluate(
        () => document.querySelector('fragreel-viewer').shadowRoot.querySelectorAll('img, [onerror], b').length,
      ),
      0,
    );
    assert.notEqual(await page.title(), '1');
    assert.deepEqual(errors, []);
    await close();
  });
});

const f32 = (vector) => vector?.map(Math.fround) ?? null;

function near(seen, expected) {
  if (!expected) return assert.equal(seen, null);
  seen.forEach((value, axis) => assert.ok(Math.abs(value - expected[axis]) < 0.01, `${seen} is not ${expected}`));
}
