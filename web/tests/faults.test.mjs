// What once misled: clocks and ghosts of recordings that have nothing in common, names, figures that are none, archives, and links that bring nothing.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { command, drop, fragreel, open, ready, root, samples, setUp, showPanel, skipped } from './harness.mjs';
import { load, table, tracks } from './modules.mjs';
import { maps, pk3 } from './maps.mjs';

const { server, browser } = await setUp();
const folder = join(root, 'target/web/tests');
mkdirSync(folder, { recursive: true });
const cases = process.env.FRAGREEL_CASES ?? join(root, '../shared/review/cases/2026-11');

async function shown(...files) {
  const opened = await open(browser, server);
  await opened.page.evaluate(() => (document.querySelector('fragreel-viewer').manual = true));
  await drop(opened.page, ...files);
  await ready(opened.page);
  return opened;
}

test('recordings that have nothing in common have no common clock, and no ghosts', async () => {
  const { page, errors, close } = await shown(samples.quake3, samples.quake2, samples.quake1);
  await page.waitForFunction(() => {
    const { sessions } = document.querySelector('fragreel-viewer');
    return sessions.length === 3 && sessions.every((session) => session.audit);
  });
  const seen = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    let ghosts = 0;
    for (let time = 1000; time < 60000; time += 3000) {
      viewer.seek(time);
      viewer.advance(0);
      ghosts += viewer.ghosts(viewer.session, viewer.stage.scene).length;
    }
    viewer.chrome.tabs.choose('events');
    return [
      viewer.sessions.map(({ isAligned, offset }) => [isAligned, offset]),
      ghosts,
      viewer.shadowRoot.querySelector('#panel').textContent.includes('only here'),
    ];
  });
  assert.deepEqual(seen, [
    [
      [true, 0],
      [false, 0],
      [false, 0],
    ],
    0,
    false,
  ]);
  assert.deepEqual(errors, []);
  await close();
});

test('names are what the library reads, in the colors of their codes', async () => {
  const { page, close } = await shown(samples.quake3);
  const players = fragreel('info', '--json', samples.quake3);
  const clean = new Set(JSON.parse(players.trim().split('\n')[0]).players.map(({ name }) => name.clean));
  const seen = await page.evaluate(() => {
    const { colored, replay } = document.querySelector('fragreel-viewer').session;
    return replay.words
      .filter((word) => word?.raw !== undefined && word.raw !== word.clean)
      .map(({ raw, clean }) => [
        clean,
        colored
          .get(raw)
          ?.map(({ text }) => text)
          .join('') ?? clean,
      ]);
  });
  assert.ok(seen.some(([, read]) => clean.has(read)));
  for (const [wanted, read] of seen) assert.equal(read, wanted);
  await close();
});

test('names with colors of six digits', async () => {
  const file = join(cases, 'osp-rrggbb-names.dm_67');
  if (!existsSync(file)) return skipped(`${file} is missing`);
  const { page, close } = await shown(file);
  const names = await page
    .getByRole('group', { name: 'players' })
    .locator('.name')
    .evaluateAll((all) => all.map((one) => one.textContent));
  const { players } = JSON.parse(fragreel('info', '--json', file).trim().split('\n')[0]);
  const clean = new Set(players.map(({ name }) => name.clean));
  assert.ok(names.length > 1);
  for (const name of names) assert.ok(clean.has(name), `${name} of ${[...clean]}`);
  await close();
});

test('the clock over the picture is that of a match or a round, or there is none', async () => {
  const { page, close } = await shown('samples/quake3/warmup_restart.dm_68');
  const seen = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const found = [];
    for (let time = 0; time < viewer.duration; time += 2000) {
      viewer.seek(time);
      viewer.advance(0);
      const shown = viewer.shadowRoot.querySelector('.score time')?.textContent ?? null;
      found.push([viewer.stage.scene.matchTime, shown]);
    }
    return found;
  });
  const clock = (time) => `${Math.floor(time / 60000)}:${String(Math.floor(time / 1000) % 60).padStart(2, '0')}`;
  for (const [time, text] of seen) assert.equal(text, time === null ? null : clock(time));
  assert.ok(seen.some(([time]) => time === null) || seen.length > 3);
  // and the board has the library's figures, without the warm-up
  await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.seek(viewer.duration);
    viewer.advance(0);
  });
  await showPanel(page, 'Players');
  const [match] = fragreel('scores', '--json', 'samples/quake3/warmup_restart.dm_68')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .slice(-1);
  const rows = await page
    .locator('.board tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  const heads = await page
    .locator('.board thead th')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  let compared = 0;
  for (const { player, stats } of match.players) {
    const row = rows.find(([name]) => name === player.name.clean);
    for (const figure of ['kills', 'deaths']) {
      const value = stats[figure]?.stated ?? stats[figure]?.counted;
      const at = heads.indexOf(figure);
      if (!row || at < 0 || value === undefined) continue;
      assert.equal(row[at], String(value), `${player.name.clean} ${figure}`);
      compared++;
    }
  }
  assert.ok(compared > 1, `${compared} figures`);
  await close();
});

test('two of one side do not stand beside the clock', async () => {
  const { Replay } = await load('data/replay');
  const { leadOf } = await load('data/lead');
  const replay = new Replay(tracks(5, {}));
  replay.sides = [
    { name: '-s-', color: 'blue' },
    { name: 'sr', color: 'red' },
  ];
  assert.deepEqual([replay.sideOf('sr'), replay.sideOf('free'), replay.sideOf(null)], ['red', null, null]);
  const history = {
    sides: replay.sides,
    parts: [
      {
        from: 1000,
        number: 1,
        players: [],
        teams: [
          {
            name: 'sr',
            changes: [
              [1000, 0],
              [2000, 1],
              [4000, 3],
            ],
          },
          { name: '-s-', changes: [[3000, 2]] },
        ],
      },
    ],
    matches: [],
    checks: [],
  };
  const lead = leadOf({ history, replay: { duration: 9000 } });
  assert.deepEqual(
    lead.sides.map(({ name }) => name),
    ['sr', '-s-'],
    'red is above',
  );
  assert.deepEqual(lead.points, [
    [1000, 0],
    [2000, 1],
    [3000, -1],
    [4000, 1],
  ]);
});

test('a great item has a clock: when it was taken, and when it is back', async () => {
  const { Replay } = await load('data/replay');
  const { ENTITY_KINDS, PRESENT } = await load('data/layout');
  const item = ENTITY_KINDS.indexOf('item');
  const row = (frame, bits) => [70, frame, { bits, kind: item, item: 0 }];
  const replay = new Replay(
    tracks(9, { about: [row(0, PRESENT), row(2, 0), row(6, PRESENT), row(8, 0)] }, [
      { own: 'item_quad', common: 'quad' },
    ]),
  );
  const at = (time) =>
    replay.itemClocks(time, ({ common }) => common === 'quad').map(({ since, returns }) => [since, returns]);
  assert.deepEqual(at(100), [[null, null]]);
  assert.deepEqual(at(350), [[200, 600]]);
  assert.deepEqual(at(700), [[null, null]]);
  assert.deepEqual(at(800), [[800, null]], 'nobody knows when it comes back');
  assert.deepEqual(
    replay.itemClocks(350, () => false),
    [],
  );
  assert.ok(table);
});

test('archives open: packed recordings, recordings in a game archive, archives in archives; else they say what is in them', async () => {
  const packed = join(folder, 'two.frpa');
  execFileSync(command, ['pack', samples.quake2, 'samples/quake3/dm_bots.dm_71', '-o', packed, '--force'], {
    cwd: root,
  });
  const { page, errors, close } = await open(browser, server);
  const names = () => page.evaluate(() => document.querySelector('fragreel-viewer').sessions.map(({ name }) => name));
  const opened = (count) =>
    page.waitForFunction((count) => document.querySelector('fragreel-viewer').sessions.length === count, count);
  await drop(page, packed);
  await opened(2);
  assert.deepEqual((await names()).sort(), ['dm_bots.dm_71', 'yq2dm_Alice.dm2']);
  const demo = { name: 'demos/spectator.dm_71', bytes: readFileSync(join(root, 'samples/quake3/spectator.dm_71')) };
  await drop(page, { name: 'demos.pk3', bytes: await pk3([demo]) });
  await opened(1);
  assert.deepEqual(await names(), ['spectator.dm_71']);
  const inner = { name: 'inner.zip', bytes: await pk3([{ ...demo, name: 'deep.dm_71' }]) };
  await drop(page, { name: 'outer.zip', bytes: await pk3([inner]) });
  await page.waitForFunction(() => document.querySelector('fragreel-viewer').session?.name === 'deep.dm_71');
  // a game's own archive is one of maps, whatever recordings it has
  const game = await pk3([demo, { name: 'maps/other.bsp', bytes: maps.Quake() }]);
  await drop(page, { name: 'pak0.pk3', bytes: game });
  await page.getByRole('alert').getByText('is not in it').waitFor();
  assert.deepEqual(await names(), ['deep.dm_71']);
  // an archive that is dropped with a game's archive also counts as the game's
  const textures = await pk3([{ name: 'textures/a.tga', bytes: Buffer.from('x') }]);
  await drop(page, { name: 'pak1.pk3', bytes: textures }, { name: 'demos.pk3', bytes: await pk3([demo]) });
  await page.waitForFunction(() => document.querySelector('fragreel-viewer').models);
  assert.deepEqual(await names(), ['deep.dm_71']);
  await drop(page, { name: 'papers.zip', bytes: await pk3([{ name: 'notes.txt', bytes: Buffer.from('x') }]) });
  await page.getByRole('alert').getByText('papers.zip has no recording, map or model in it: 1 files (.txt)').waitFor();
  await drop(page, { name: 'cut.zip', bytes: inner.bytes.subarray(0, 60) });
  await page.getByRole('alert').getByText('cut.zip: ').waitFor();
  assert.deepEqual(errors, []);
  await close();
});

test('the dead have a word in place of figures', async () => {
  const { page, close } = await shown(samples.quake1);
  const seen = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    for (let time = 0; time < viewer.duration; time += 500) {
      viewer.seek(time);
      viewer.advance(0);
      const dead = viewer.stage.scene.players.find(({ alive, spectator }) => alive === false && !spectator);
      if (!dead) continue;
      viewer.follow(dead.slot);
      viewer.advance(0);
      const hud = viewer.shadowRoot.querySelector('.hud');
      const row = viewer.shadowRoot.querySelector(`[data-slot="${dead.slot}"]`).closest('tr');
      return [
        hud.querySelectorAll('.figure').length,
        hud.textContent.includes('dead'),
        row.textContent.includes('dead'),
      ];
    }
  });
  assert.deepEqual(seen, [0, true, true]);
  await close();
});

test('a link says when the recording does not come with it', async () => {
  const { page, close } = await shown(samples.quake3);
  await showPanel(page, 'Clip');
  await page.locator('.warning').waitFor();
  await page.getByRole('button', { name: 'Copy a link' }).click();
  await page
    .getByRole('tabpanel')
    .getByText(/^The link is .*Send the packed clip along/)
    .waitFor();
  await close();
  const linked = await open(browser, server, { hash: `#src=${samples.quake3}&t=5` });
  await ready(linked.page);
  await showPanel(linked.page, 'Clip');
  assert.equal(await linked.page.locator('.warning').isVisible(), false);
  await linked.page.getByRole('button', { name: 'Copy a link' }).click();
  await linked.page.getByRole('tabpanel').getByText('The link is').waitFor();
  assert.ok(!(await linked.page.getByRole('tabpanel').textContent()).includes('Send the packed clip along'));
  assert.match(linked.page.url(), /src=samples/);
  await linked.close();
});

test('a film says how large it becomes before it is made', async () => {
  const { page, close } = await shown(samples.quake3);
  await page.evaluate(() => (document.querySelector('fragreel-viewer').range = [10000, 20000]));
  await showPanel(page, 'Clip');
  await page.getByText(/^about \d+\.\d MB, without sound: drop files/).waitFor();
  await page.getByLabel('kind of video').selectOption('gif');
  assert.equal(await page.getByLabel('size of video').inputValue(), '480×270');
  assert.equal(await page.getByLabel('pictures a second').inputValue(), '12');
  await close();
});

test('it begins with its match, where the page lets it', async () => {
  const { page, close } = await open(browser, server);
  await drop(page, 'samples/quake3/warmup_restart.dm_68');
  await ready(page);
  const [time, start] = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    return [viewer.time, viewer.session.start];
  });
  assert.ok(start > 0);
  assert.equal(time, start);
  // in the warm-up, a press skips it
  await page.evaluate(() => document.querySelector('fragreel-viewer').seek(0));
  await page.getByRole('button', { name: 'skip warm-up' }).click();
  assert.equal(await page.evaluate(() => document.querySelector('fragreel-viewer').time), start);
  await close();
});
