// The match as one sees it: score, feed, the followed player's display, what a pointer finds, and what is not given away.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { drop, fragreel, launch, open, ready, samples, serve } from './harness.mjs';

let server, browser;
before(async () => {
  server = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

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

const lines = (...args) => fragreel(...args).trim().split('\n').filter(Boolean).map((line) => JSON.parse(line));

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
    const said = await page.getByRole('group', { name: 'score' }).evaluate((element) => [...element.querySelectorAll('.side')].map((side) => [side.querySelector('.name').textContent, Number(side.querySelector('.number').textContent)]));
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
  assert.deepEqual(await last.evaluate((row) => [...row.children].map((one) => (one instanceof SVGElement ? 'drawn' : one.textContent))), [armed.attacker.name.clean, 'drawn', armed.victim.name.clean]);
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
        return { frame: viewer.stage.scene.frame, figures: [...hud.querySelectorAll('.figure')].map((one) => one.getAttribute('aria-label')), all: hud.textContent, held: hud.querySelector('.held')?.title };
      });
      assert.ok(seen.figures.includes(`health ${player.health}`), `${seen.figures}`);
      if (player.armor !== null && player.armor !== undefined) assert.ok(seen.figures.includes(`armor ${player.armor}`), `${seen.figures}`);
      if (player.weapon) assert.equal(seen.held, (player.weapon.common ?? player.weapon.own).replaceAll('_', ' '));
      for (const { amount } of player.ammo ?? []) if (amount !== undefined) assert.ok(seen.all.includes(String(amount)), `${amount} in ${seen.all}`);
    }
    assert.deepEqual(errors, []);
    await close();
  });
}
