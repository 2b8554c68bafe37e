// Marks that hits leave on walls in Quake III.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colors, recordings, shown as shownIn } from './ground.mjs';
import { drawsInSpace, drop, setUp } from './harness.mjs';
import { COLORS, plain, tga } from './images.mjs';
import { maps, pk3 } from './maps.mjs';

const { server, browser } = await setUp();
const space = await drawsInSpace(browser);

const FLOOR = [440, 440, 0];
const ABOVE = { mode: 'free', eye: [400, 440, 60], angles: [56.3, 0, 0] };

/** A recording on our map, without light. Nothing is there but what happened some milliseconds before. */
async function shown(game) {
  const [file, name] = recordings[game];
  const opened = await shownIn(browser, server, file);
  const { page } = opened;
  await page.evaluate(() => (document.querySelector('fragreel-viewer').look.light = false));
  await drop(page, { name: `${name}.bsp`, bytes: maps[game]() });
  await page.waitForFunction(() =>
    document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
  );
  const at = async (happened, age, places = [FLOOR]) => {
    await page.evaluate(
      ({ happened, age }) => {
        const viewer = document.querySelector('fragreel-viewer');
        const { replay } = viewer.session;
        replay.truly ??= replay.sceneAt.bind(replay);
        replay.numbered = (replay.numbered ?? 0) + 1000;
        const scene = {
          ...replay.truly(100),
          frame: replay.numbered,
          time: 20000,
          view: null,
          players: [],
          entities: [],
        };
        replay.sceneAt = () => scene;
        const list = happened.map((one, number) => ({
          number: replay.numbered + number,
          time: 20000 - age,
          end: null,
          direction: null,
          subject: null,
          color: [150, 145, 135],
          size: null,
          count: null,
          life: null,
          sound: null,
          ...one,
        }));
        replay.happenings.between = (after, until) => list.filter(({ time }) => time > after && time <= until);
      },
      { happened, age },
    );
    return colors(page, ABOVE, places);
  };
  const count = () => page.evaluate(() => document.querySelector('fragreel-viewer').stage.space.boards.used.length);
  return { ...opened, at, count };
}

const hit = { kind: 'impact', origin: [440, 440, 1], direction: [0, 0, 1], size: 8 };
const dark = (color) => color[0] + color[1] + color[2];

test('a hit leaves a hole in the wall, for ten seconds', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { at, errors, close } = await shown('Quake III');
  const [[bare], [marked], [late], [over]] = [
    await at([], 0),
    await at([hit], 2000),
    await at([hit], 9700),
    await at([hit], 10100),
  ];
  assert.ok(dark(marked) < dark(bare) * 0.5, `${marked}, bare ${bare}`);
  assert.ok(dark(late) > dark(marked) + 40 && dark(late) < dark(bare), `it fades: ${late}`);
  assert.deepEqual(over, bare);
  const scorch = { kind: 'explosion', origin: [440, 440, 10], direction: [0, 0, 1], size: 64 };
  const [burnt, beside] = await at([scorch], 3000, [FLOOR, [440, 452, 0]]);
  assert.ok(dark(burnt) < dark(bare) * 0.6 && dark(beside) < dark(bare), `a scorch is wide: ${burnt}, ${beside}`);
  // of a pellet, where it ends
  const pellet = { kind: 'pellet', origin: [440, 440, 50], direction: [0, 0, -1], size: 4 };
  const [pierced] = await at([pellet], 3000);
  assert.ok(dark(pierced) < dark(bare) * 0.6, `${pierced}`);
  assert.deepEqual(errors, []);
  await close();
});

test('there is none in the air, over an edge, or in games without marks', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { at, count, errors, close } = await shown('Quake III');
  await at([hit], 2000);
  assert.equal(await count(), 1);
  for (const [where, origin] of [
    ['in the air', [440, 440, 100]],
    ['over the edge', [511, 440, 1]],
  ]) {
    await at([{ ...hit, origin }], 2000);
    assert.equal(await count(), 0, where);
  }
  // of very many, the latest
  await at(
    Array.from({ length: 500 }, (_, number) => ({ ...hit, origin: [430 + (number % 20), 440, 1] })),
    2000,
  );
  assert.equal(await count(), 64);
  // this mark is not in view
  await at([{ ...hit, origin: [200, 440, 1] }], 2000);
  assert.equal(await count(), 0, 'behind the eye');
  assert.deepEqual(errors, []);
  await close();
  for (const game of ['Quake II', 'Half-Life']) {
    const other = await shown(game);
    await other.at([hit], 2000);
    assert.equal(await other.count(), 0, game);
    await other.close();
  }
});

test("marks are the game's", async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, at, errors, close } = await shown('Quake III');
  const script =
    'gfx/damage/bullet_mrk\n{\npolygonOffset\n{\nmap a/mark.tga\nblendFunc blend\nrgbGen vertex\nalphaGen vertex\n}\n}\n';
  await drop(page, {
    name: 'pak0.pk3',
    bytes: await pk3([
      { name: 'scripts/a.shader', bytes: Buffer.from(script) },
      { name: 'a/mark.tga', bytes: tga(plain(2)) },
    ]),
  });
  await page.waitForFunction(() => document.querySelector('fragreel-viewer').models);
  await at([hit], 2000);
  await page.waitForFunction(() =>
    document.querySelector('fragreel-viewer').mapStore.models.found.get('layers gfx/damage/bullet_mrk'),
  );
  const [seen] = await at([hit], 2000);
  assert.ok(
    seen.slice(0, 3).every((value, channel) => Math.abs(value - COLORS[2][channel]) < 8),
    `${seen}`,
  );
  assert.deepEqual(errors, []);
  await close();
});
