// Maps that somebody drops: our own of all four formats, alone and in archives, whole and hostile, and OpenArena's.

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { colors, keep, recordings, remembered, remembers, shown as shownIn } from './ground.mjs';
import { drawsInSpace, drop, samples, setUp } from './harness.mjs';
import { maps, pak, pk3, redLight } from './maps.mjs';

const { server, browser } = await setUp();
const space = await drawsInSpace(browser);

const shown = (file) => shownIn(browser, server, file);

const mapOf = (page) =>
  page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const level = viewer.map(viewer.session, viewer.time);
    return (
      level && {
        format: level.format,
        title: level.title,
        triangles: level.indices.length / 3,
        parts: level.parts.map(({ count, liquidCount, drawn }) => [count / 3, liquidCount / 3, drawn]),
        heights: [...level.positions].filter((_, at) => at % 3 === 2),
      }
    );
  });

for (const [format, [file, name]] of Object.entries(recordings)) {
  describe(format, () => {
    test('its map is drawn, from above and in space', async (context) => {
      if (!space) return context.skip('no WebGL2');
      const { page, errors, close } = await shown(file);
      await drop(page, { name: `${name}.bsp`, bytes: maps[format]() });
      await page.waitForFunction(() =>
        document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
      );
      const level = await mapOf(page);
      assert.deepEqual([level.format, level.title], [format, 'A room']);
      // floor and four walls of two triangles, a curve of 32; the sky is left out; the door is a part of its own
      assert.deepEqual(level.parts, [
        [10 + (format === 'Quake III' ? 32 : 0), 2, true],
        [2, 0, true],
      ]);
      if (format === 'Quake III')
        assert.equal(
          Math.max(...level.heights.filter((z) => z < 256)),
          64,
          'the curve is half as high as its control points',
        );
      const [floor, water, door, outside] = await colors(page, { mode: 'top', center: [256, 256], scale: 0.6 }, [
        [440, 100, 0],
        [100, 100, 16],
        [350, 350, 64],
        [-60, 256, 0],
      ]);
      assert.notDeepEqual(floor, outside);
      assert.ok(water[2] > water[0] + 20, `water is blue: ${water}`);
      assert.notDeepEqual(door, floor);
      // where light falls the floor is bright, unless it is put out
      const half = async () => {
        const [dark, bright] = await colors(page, { mode: 'top', center: [256, 256], scale: 0.6 }, [
          [220, 440, 0],
          [440, 440, 0],
        ]);
        return bright[1] / dark[1];
      };
      const lit = await half();
      assert.ok(lit > 3, `the lit half is ${lit} times as bright`);
      await page.keyboard.press('b');
      assert.ok(Math.abs((await half()) - 1) < 0.05, 'without light both halves are alike');
      await page.keyboard.press('b');
      // from inside, one looks at the wall at x = 0; from outside one does not see it
      const [wall] = await colors(page, { mode: 'free', eye: [256, 256, 100], angles: [0, 180, 0] }, [[0, 256, 100]]);
      const [behind] = await colors(page, { mode: 'free', eye: [-200, 256, 100], angles: [0, 0, 0] }, [[0, 256, 400]]);
      assert.notDeepEqual(wall, behind);
      assert.deepEqual(errors, []);
      await close();
    });

    test('damaged and hostile maps give a message', async () => {
      const { page, errors, close } = await shown(file);
      const whole = maps[format]({ fog: 64 });
      let seed = 11;
      const dice = (below) => {
        seed = (seed * 1664525 + 1013904223) >>> 0;
        return seed % below;
      };
      const mutants = Array.from({ length: 20 }, (_, at) => {
        if (at < 10) return whole.subarray(0, Math.floor((whole.length * at) / 10));
        const copy = Buffer.from(whole);
        for (let times = 0; times < 4; times++)
          copy.writeInt32LE([-1, 0x7fffffff, -0x80000000, 1 << 20, dice(65536)][dice(5)], dice(copy.length - 4));
        return copy;
      });
      const answers = await page.evaluate(
        async ({ name, mutants }) => {
          const viewer = document.querySelector('fragreel-viewer');
          const answers = [];
          for (const base64 of mutants) {
            const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
            viewer.notice.clear();
            const taken = await viewer.addMaps([new File([bytes], `${name}.bsp`)]);
            viewer.advance(0);
            answers.push(taken.length ? 'taken' : viewer.notice.element.textContent);
          }
          return answers;
        },
        { name, mutants: mutants.map((bytes) => bytes.toString('base64')) },
      );
      assert.ok(
        answers.every((answer) => answer.length > 4),
        'each is taken, or there is a message',
      );
      assert.ok(answers.filter((answer) => answer !== 'taken').length > mutants.length / 8);
      assert.deepEqual(errors, []);
      await close();
    });
  });
}

for (const [kind, archive, inner] of [
  ['pak', async (entries) => pak(entries), 'e1m1'],
  ['pk3', pk3, 'e1m1'],
]) {
  test(`a map in a .${kind}`, async () => {
    const { page, close } = await shown(samples.quake1);
    const bytes = await archive([
      { name: 'maps/other.bsp', bytes: Buffer.from('no map') },
      { name: `maps/${inner.toUpperCase()}.BSP`, bytes: maps.Quake() },
      { name: `gfx/readme.txt`, bytes: Buffer.from('x') },
    ]);
    await drop(page, { name: `id1.${kind}`, bytes });
    await page.waitForFunction(() =>
      document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
    );
    assert.equal((await mapOf(page)).parts.length, 2);
    // one without the map says so
    await drop(page, {
      name: `other.${kind}`,
      bytes: await archive([{ name: 'maps/other.bsp', bytes: Buffer.from('no map') }]),
    });
    await page.getByRole('alert').getByText('e1m1 is not in it').waitFor();
    await drop(page, { name: `cut.${kind}`, bytes: bytes.subarray(0, 40) });
    await page.getByRole('alert').getByText(`cut.${kind}: `).waitFor();
    await close();
  });
}

test('light of newer compilers', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake1);
  await drop(page, { name: 'e1m1.bsp', bytes: redLight() });
  await page.waitForFunction(() =>
    document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
  );
  const [dark, bright] = await colors(page, { mode: 'top', center: [256, 256], scale: 0.6 }, [
    [20, 440, 0],
    [490, 440, 0],
  ]);
  assert.ok(bright[0] > dark[0] * 2, `brighter on the right: ${dark}, ${bright}`);
  assert.ok(bright[0] > bright[1] * 2, `red: ${bright}`);
  assert.deepEqual(errors, []);
  await close();
});

const mapped = (page) =>
  page.waitForFunction(() =>
    document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
  );

for (const [format, why] of [
  ['Quake', /it has no floor under \d+ of \d+ places where players stood/],
  ['Quake II', /its checksum is -?\d+, the recording states -1756747581/],
]) {
  test(`${format}: another map of the same name is not remembered, unless somebody wants it`, async () => {
    const [file, name] = recordings[format];
    const { page, close } = await shown(file);
    await drop(page, { name: `${name}.bsp`, bytes: maps[format]() });
    await mapped(page);
    assert.match(await page.getByRole('alert').textContent(), why);
    await page.waitForTimeout(300);
    assert.deepEqual(await remembered(page), []);
    await keep(page);
    await remembers(page, [name]);
    await page.reload();
    await page.waitForFunction(() => customElements.get('fragreel-viewer'));
    await drop(page, file);
    await page.waitForFunction(() => document.querySelector('fragreel-viewer').session);
    await mapped(page);
    assert.equal(await page.getByRole('alert').count(), 0);
    await close();
  });
}

/** MD4's four words, folded: what Quake II states. */
function folded(bytes) {
  const padded = Buffer.concat([
    bytes,
    Buffer.of(0x80),
    Buffer.alloc((119 - (bytes.length % 64)) % 64),
    Buffer.alloc(8),
  ]);
  padded.writeBigUInt64LE(BigInt(bytes.length) * 8n, padded.length - 8);
  const turn = (value, by) => (value << by) | (value >>> (32 - by));
  const rounds = [
    [(x, y, z) => (x & y) | (~x & z), 0, (i) => i, [3, 7, 11, 19]],
    [(x, y, z) => (x & y) | (x & z) | (y & z), 0x5a827999, (i) => (i % 4) * 4 + (i >> 2), [3, 5, 9, 13]],
    [(x, y, z) => x ^ y ^ z, 0x6ed9eba1, (i) => [0, 2, 1, 3][i >> 2] + [0, 8, 4, 12][i % 4], [3, 9, 11, 15]],
  ];
  let words = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let block = 0; block < padded.length; block += 64) {
    let [a, b, c, d] = words;
    for (const [mix, add, order, by] of rounds) {
      for (let i = 0; i < 16; i++)
        [a, b, c, d] = [
          d,
          turn((a + mix(b, c, d) + padded.readInt32LE(block + order(i) * 4) + add) | 0, by[i % 4]),
          b,
          c,
        ];
    }
    words = [a, b, c, d].map((word, at) => (word + words[at]) | 0);
  }
  return { words, sum: words.reduce((all, word) => all ^ word) };
}

test('a map is remembered whose checksum the recording states', async () => {
  const hex = ({ words }) => Buffer.from(Int32Array.from(words).buffer).toString('hex');
  assert.deepEqual(
    [Buffer.alloc(0), Buffer.from('abcdefghijklmnopqrstuvwxyz')].map((text) => hex(folded(text))),
    ['31d6cfe0d16ae931b73c59d7e0c089c0', 'd79e1c308aa5bbcdeea8ed63df412da9'],
  );
  const quake2 = maps['Quake II']();
  const halfLife = maps['Half-Life']();
  const lumps = Array.from({ length: 14 }, (_, lump) =>
    halfLife.subarray(
      halfLife.readInt32LE(12 + lump * 8),
      halfLife.readInt32LE(12 + lump * 8) + halfLife.readInt32LE(16 + lump * 8),
    ),
  );
  const crc = (~crc32(Buffer.concat(lumps)) >>> 0).toString(16).padStart(8, '0');
  for (const [format, bytes, stated] of [
    ['Quake II', quake2, { mapchecksum: String(folded(quake2).sum) }],
    ['Half-Life', halfLife, { map_crc: crc }],
  ]) {
    const [file, name] = recordings[format];
    const { page, close } = await shown(file);
    await page.evaluate(
      (stated) => Object.assign(document.querySelector('fragreel-viewer').session.info.server_settings, stated),
      stated,
    );
    await drop(page, { name: `${name}.bsp`, bytes });
    await mapped(page);
    await remembers(page, [name]);
    assert.equal(await page.getByRole('alert').count(), 0, format);
    // another one does not take its place
    await drop(page, { name: `${name}.bsp`, bytes: maps[format]({ doorName: 'door2' }) });
    await page.getByRole('alert').getByText('The matching map is shown').waitFor();
    await close();
  }
});

const openArena = '/usr/share/games/openarena/baseoa';

test('OpenArena: the level that a sample was played on', {
  skip: !existsSync(openArena) && 'OpenArena is not installed',
}, async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake3);
  const archives = readdirSync(openArena)
    .filter((name) => name.endsWith('.pk3'))
    .map((name) => join(openArena, name));
  await page.getByLabel('recordings and maps').setInputFiles(archives.filter((name) => /patch088/.test(name)));
  await page.waitForFunction(
    () => document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
    null,
    { timeout: 30000 },
  );
  assert.equal(await page.getByRole('alert').count(), 0, 'players stand on its floors');
  const level = await mapOf(page);
  assert.equal(level.format, 'Quake III');
  assert.ok(level.triangles > 2000, `${level.triangles} triangles`);
  // a player on the ground stands on a face of the map: the oracle is the recording. A box stands on a slope with its corner,
  // 15 units from its middle, and nobody stands on slopes steeper than 45 degrees.
  const found = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const { positions, indices, parts } = viewer.map(viewer.session, 0);
    const world = indices.subarray(parts[0].first, parts[0].first + parts[0].count);
    const under = ([x, y, z]) => {
      let best = Infinity;
      for (let at = 0; at < world.length; at += 3) {
        const [a, b, c] = [world[at] * 3, world[at + 1] * 3, world[at + 2] * 3];
        const area = (px, py, qx, qy) =>
          (positions[px] - x) * (positions[qy] - y) - (positions[qx] - x) * (positions[py] - y);
        const [u, v, w] = [area(b, b + 1, c, c + 1), area(c, c + 1, a, a + 1), area(a, a + 1, b, b + 1)];
        if (!((u <= 0 && v <= 0 && w <= 0) || (u >= 0 && v >= 0 && w >= 0)) || u + v + w === 0) continue;
        const height = (positions[a + 2] * u + positions[b + 2] * v + positions[c + 2] * w) / (u + v + w);
        best = Math.min(best, Math.abs(z - 24 - height));
      }
      return best;
    };
    const gaps = [];
    for (let time = 1000; time < 60000; time += 1500) {
      for (const player of viewer.session.replay.sceneAt(time).players)
        if (player.origin && player.alive !== false && player.onGround) gaps.push(under(player.origin));
    }
    return gaps;
  });
  assert.ok(found.length > 15, `${found.length} places`);
  const standing = found.filter((gap) => gap < 16).length;
  assert.ok(standing / found.length > 0.9, `${standing} of ${found.length} stand on a face`);
  assert.ok(found.filter((gap) => gap < 2).length / found.length > 0.6, 'most stand on level ground');
  assert.deepEqual(errors, []);
  await close();
});

test('a map is read in a worker that can be ended', async () => {
  const { page, errors, close } = await shown(samples.quake3);
  const before = page.workers().length;
  await drop(page, { name: 'am_lavactf.bsp', bytes: maps['Quake III']() });
  await page.waitForFunction(() =>
    document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
  );
  assert.equal(page.workers().length, before + 1);
  // who waits hears of it, and the next question has another worker
  const answers = await page.evaluate(async () => {
    const { parser } = document.querySelector('fragreel-viewer').mapStore;
    const waits = parser.level(new Uint8Array(8)).catch(({ message }) => message);
    parser.close(new Error('it took too long'));
    return [await waits, await parser.level(new Uint8Array(8)).catch(({ message }) => message)];
  });
  assert.deepEqual(answers, ['it took too long', 'not a map of Quake, Half-Life, Quake II or Quake III']);
  assert.deepEqual(errors, []);
  await close();
});
