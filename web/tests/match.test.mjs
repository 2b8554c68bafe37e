// The match as one sees it: score, feed, the followed player's display, what a pointer finds, and what is not given away.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pk3 } from './maps.mjs';
import { drop, fragreel, open, ready, root, samples, setUp, showPanel } from './harness.mjs';

const { server, browser } = await setUp();

async function shown(file, options = {}) {
  const opened = await open(browser, server, options);
  await opened.page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
  await drop(opened.page, file);
  await ready(opened.page);
  const at = (time, slot) =>
    opened.page.evaluate(
      ([time, slot]) => {
        const viewer = document.querySelector('fragreel-viewer');
        viewer.seek(time);
        viewer.advance(0);
        viewer.follow(slot);
        viewer.advance(0);
      },
      [time, slot],
    );
  return { ...opened, at };
}

const lines = (...args) =>
  fragreel(...args)
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test('the score of teams is what the command says of that time', async () => {
  const { page, errors, close, at } = await shown(samples.quake3);
  const events = lines('events', '--json', '--kinds', 'score,scores', samples.quake3);
  for (const time of [0, 5000, 9600, 30000, 60000]) {
    const teams = new Map();
    for (const event of events.filter((event) => event.time <= time)) {
      for (const [team, score] of event.teams ?? []) teams.set(team, score);
      if (event.team) teams.set(event.team, event.score);
    }
    await at(time, null);
    const said = await page
      .getByRole('group', { name: 'score' })
      .evaluate((element) =>
        [...element.querySelectorAll('.side')].map((side) => [
          side.querySelector('.name').textContent,
          Number(side.querySelector('.number').textContent),
        ]),
      );
    if (teams.size) assert.deepEqual(said, [...teams], `at ${time}`);
  }
  assert.deepEqual(errors, []);
  await close();
});

test('the feed draws weapons', async () => {
  const { page, close, at } = await shown(samples.quake3);
  const kills = lines('events', '--json', '--kinds', 'kill', samples.quake3);
  const armed = kills.find(({ weapon, attacker, victim }) => weapon && attacker && attacker.slot !== victim.slot);
  await at(armed.time, null);
  const last = page.locator('.feed > div').last();
  assert.deepEqual(
    await last.evaluate((row) =>
      [...row.children].map((one) => (one instanceof SVGElement ? 'drawn' : one.textContent)),
    ),
    [armed.attacker.name.clean, 'drawn', armed.victim.name.clean],
  );
  await close();
});

for (const [family, file] of Object.entries(samples)) {
  test(`${family}: the display has health, armor, weapon and ammunition of the frame`, async () => {
    const { page, errors, close, at } = await shown(file);
    const frames = lines('frames', '--json', file).filter(({ players }) => players.some(({ health }) => health > 0));
    for (const frame of [frames[0], frames[frames.length >> 1], frames.at(-1)]) {
      const player = frame.players.find(({ health }) => health > 0);
      await at(frame.time, player.slot);
      const seen = await page.evaluate(() => {
        const viewer = document.querySelector('fragreel-viewer');
        const hud = viewer.shadowRoot.querySelector('.hud');
        return {
          frame: viewer.stage.scene.frame,
          figures: [...hud.querySelectorAll('.figure')].map((one) => one.getAttribute('aria-label')),
          all: hud.textContent,
          held: hud.querySelector('.held')?.title,
        };
      });
      assert.ok(seen.figures.includes(`health ${player.health}`), `${seen.figures}`);
      if (player.armor !== null && player.armor !== undefined)
        assert.ok(seen.figures.includes(`armor ${player.armor}`), `${seen.figures}`);
      if (player.weapon) assert.equal(seen.held, (player.weapon.common ?? player.weapon.own).replaceAll('_', ' '));
      for (const { amount } of player.ammo ?? [])
        if (amount !== undefined) assert.ok(seen.all.includes(String(amount)), `${amount} in ${seen.all}`);
    }
    assert.deepEqual(errors, []);
    await close();
  });
}

test('a pointer finds players and things on the plan, and a click follows', async () => {
  const { page, errors, close, at } = await shown(samples.quake3);
  const places = () =>
    page.evaluate(() => {
      const { stage } = document.querySelector('fragreel-viewer');
      const box = stage.element.getBoundingClientRect();
      const on = (origin) => {
        const { x, y } = stage.camera.project(origin);
        return { x: x + box.left, y: y + box.top };
      };
      const player = stage.scene.players.find(
        ({ origin, alive, spectator }) => origin && alive !== false && !spectator,
      );
      const others = [...stage.scene.players, ...stage.scene.entities, ...stage.session.replay.takenItems(20000)]
        .map(({ origin }) => origin)
        .filter(Boolean);
      const far = (one) =>
        others.filter((other) => Math.hypot(other[0] - one[0], other[1] - one[1]) < 150).length === 1;
      const item = stage.scene.entities.find(
        ({ kind, origin, item }) => kind === 'item' && item?.common && far(origin),
      );
      return {
        player: { ...on(player.origin), name: player.name.clean, slot: player.slot },
        item: { ...on(item.origin), name: item.item.common.replaceAll('_', ' ') },
      };
    });
  await at(20000, null);
  const { player } = await places();
  const tip = page.locator('.stage .tip');
  const rest = async ({ x, y }) => {
    await page.mouse.move(x, y);
    await page.waitForTimeout(30);
    await page.evaluate(() => document.querySelector('fragreel-viewer').advance(0));
  };
  await rest(player);
  assert.ok((await tip.textContent()).startsWith(player.name), await tip.textContent());
  await page.mouse.click(player.x, player.y);
  assert.equal(await page.evaluate(() => document.querySelector('fragreel-viewer').followed), player.slot);
  await at(20000, null);
  // the plan has followed meanwhile
  const { item } = await places();
  await rest(item);
  assert.equal(await tip.textContent(), item.name);
  await page.mouse.move(5, 5);
  await page.evaluate(() => document.querySelector('fragreel-viewer').advance(0));
  assert.equal(await tip.isHidden(), true);
  // what was dragged and zoomed comes back
  const view = () =>
    page.evaluate(() =>
      (({ center, scale }) => [...center, scale].map(Math.round))(
        document.querySelector('fragreel-viewer').stage.camera,
      ),
    );
  const reset = page.getByRole('button', { name: 'show all of the level' });
  await reset.click();
  const all = await view();
  await page.evaluate(() => document.querySelector('fragreel-viewer').stage.camera.zoom(3, 10, 10));
  assert.notDeepEqual(await view(), all);
  await reset.click();
  assert.deepEqual(await view(), all);
  assert.deepEqual(errors, []);
  await close();
});

test('a mark on the line of time says what it is, and a click goes there', async () => {
  const { page, errors, close, at } = await shown(samples.quake3);
  await at(0, null);
  const kill = lines('events', '--json', '--kinds', 'kill', samples.quake3).find(({ time }) => time > 20000);
  const box = await page.locator('.line canvas').first().boundingBox();
  const duration = await page.evaluate(() => document.querySelector('fragreel-viewer').duration);
  const x = box.x + 8 + (kill.time / duration) * (box.width - 16) + 2;
  await page.mouse.move(x, box.y + 6);
  const says = await page.locator('.line .tip').textContent();
  assert.ok(says.includes(kill.victim.name.clean), says);
  await page.mouse.click(x, box.y + 6);
  assert.equal(await page.evaluate(() => document.querySelector('fragreel-viewer').time), kill.time);
  assert.deepEqual(errors, []);
  await close();
});

test('how it ends is shown on request, or at the end', async () => {
  const { page, close, at } = await shown(samples.quake3);
  for (const name of ['Results', 'Charts', 'Duels']) {
    await showPanel(page, name);
    assert.equal(await page.getByRole('tabpanel').locator('table').count(), 0, name);
  }
  await page.getByRole('button', { name: 'Show it' }).click();
  await page.getByRole('tabpanel').locator('table').first().waitFor();
  // another recording has another end
  await drop(page, samples.quake2);
  await ready(page, 'yq2dm_Alice.dm2');
  await showPanel(page, 'Results');
  assert.equal(await page.getByRole('tabpanel').locator('table').count(), 0);
  await at(1e9, null);
  await page.getByRole('tabpanel').locator('table').first().waitFor();
  await close();
});

test('recordings in a zip open, and stand beside each other', async () => {
  const { page, errors, close } = await open(browser, server);
  const entries = ['spectator', 'dm_bots'].map((name) => ({
    name: `demos/${name}.dm_71`,
    bytes: readFileSync(join(root, `samples/quake3/${name}.dm_71`)),
  }));
  await drop(page, {
    name: 'match.zip',
    bytes: await pk3([...entries, { name: 'readme.txt', bytes: Buffer.from('x') }]),
  });
  await page.waitForFunction(() => document.querySelector('fragreel-viewer').sessions.length === 2);
  assert.deepEqual(
    await page.evaluate(() => document.querySelector('fragreel-viewer').sessions.map(({ name }) => name)),
    ['spectator.dm_71', 'dm_bots.dm_71'],
  );
  assert.equal(await page.getByRole('alert').count(), 0);
  assert.deepEqual(errors, []);
  await close();
});

test('the chart of health keeps to health', async () => {
  const { page, close } = await shown(samples.quake3);
  await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const { playerOf } = viewer.session.replay;
    viewer.session.replay.playerOf = function (slot, time) {
      const player = playerOf.call(this, slot, time);
      return player && { ...player, health: time > 30000 && time < 31000 ? -999 : player.health };
    };
  });
  await showPanel(page, 'Charts');
  await page.getByRole('button', { name: 'Show it' }).click();
  await page.evaluate(() => document.querySelector('fragreel-viewer').advance(0));
  await page.locator('.chart').first().waitFor();
  assert.match(
    await page.locator('.chart').first().getAttribute('aria-label'),
    /^health and armor over time, between 0 and 1\d\d;/,
  );
  await close();
});

test('the boards of both teams have the same columns, and fit', async () => {
  const { page, close, at } = await shown(samples.quake3, { width: 1100, height: 700 });
  await at(31000, 0);
  const seen = await page.evaluate(() => {
    const panel = document.querySelector('fragreel-viewer').shadowRoot.querySelector('#panel');
    const edges = [...panel.querySelectorAll('table')].map((table) =>
      [...table.querySelectorAll('thead th')].map((cell) => Math.round(cell.getBoundingClientRect().left)),
    );
    return {
      edges,
      over: panel.scrollWidth - panel.clientWidth,
      weapons: panel.querySelectorAll('[role=img] .weapon').length,
    };
  });
  assert.equal(seen.edges.length, 2);
  assert.deepEqual(seen.edges[0], seen.edges[1]);
  assert.equal(seen.over, 0);
  assert.ok(seen.weapons > 2, `${seen.weapons} weapons are drawn`);
  await close();
});

test('the map that is missing is asked for by its name', async () => {
  const { page, close, at } = await shown(samples.quake3);
  await at(0, null);
  assert.match(await page.locator('.stage .tag').textContent(), /^am_lavactf: drop its/);
  await at(1000, null);
  assert.equal(await page.locator('.stage .tag').textContent(), '');
  await close();
});

test('what there is nothing to control with rests until a recording is open', async () => {
  const { page, close } = await open(browser, server);
  const inert = () =>
    page.evaluate(() =>
      ['header', 'footer', 'aside'].map(
        (part) => document.querySelector('fragreel-viewer').shadowRoot.querySelector(part).inert,
      ),
    );
  assert.deepEqual(await inert(), [false, true, true]);
  await drop(page, samples.quake3);
  await ready(page);
  assert.deepEqual(await inert(), [false, false, false]);
  await close();
});
