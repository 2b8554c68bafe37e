// Textures of maps: our own in all four formats, kept, late, broken and hostile ones, and OpenArena's. What is drawn is read back where the projection
// says that a pixel of a texture is.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { colors, keep, recordings, remembers, shown as shownIn } from './ground.mjs';
import { drawsInSpace, drop, root, samples, setUp } from './harness.mjs';
import { COLORS, QUARTERS, miptex, palette, pcx, plain, png, quarters, tga, wad, wal } from './images.mjs';
import { maps, pak, pk3 } from './maps.mjs';

const { server, browser } = await setUp();
const space = await drawsInSpace(browser);

/** Opens a recording, and shows maps without their light. */
async function shown(file) {
  const opened = await shownIn(browser, server, file);
  await opened.page.evaluate(() => (document.querySelector('fragreel-viewer').look.light = false));
  return opened;
}

/** Waits for pictures of the map that is shown, as many as are said. */
const dressed = (page, count) =>
  page.waitForFunction((count) => {
    const viewer = document.querySelector('fragreel-viewer');
    return (viewer.map(viewer.session, 0)?.pictures.filter(Boolean).length ?? 0) >= count;
  }, count);
const mapped = (page) =>
  page.waitForFunction(() =>
    document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
  );
/** Drops files, and waits until everything is done with them. */
const take = (page, files) =>
  page.evaluate(
    (files) =>
      document
        .querySelector('fragreel-viewer')
        .addMaps(
          files.map(({ name, base64 }) => new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name)),
        ),
    files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString('base64') })),
  );

const isNear = (seen, wanted, reach = 12) =>
  [0, 1, 2].every((channel) => Math.abs(seen[channel] - wanted[channel]) <= reach);
/** A face that looks up shows its texture nearly as it is. */
const isColor = (seen, index, what, reach = 9) =>
  assert.ok(isNear(seen, COLORS[index], reach), `${what}: ${seen}, not ${COLORS[index]}`);

/** Four pixels of the floor's texture, one of each quarter, the same farther on, and the door. */
const near = { mode: 'top', center: [408, 104], scale: 8 };
const PLACES = [
  [404, 100, 0],
  [412, 100, 0],
  [404, 108, 0],
  [412, 108, 0],
  [420, 100, 0],
];
const above = { mode: 'top', center: [256, 256], scale: 0.6 };
const DOOR = [350, 350, 64];

async function check(page) {
  const seen = await colors(page, near, PLACES);
  [...QUARTERS, QUARTERS[0]].forEach((index, at) => isColor(seen[at], index, `the floor at ${PLACES[at]}`));
  const [door] = await colors(page, above, [DOOR]);
  isColor(door, 5, 'the door');
  const [deep] = await colors(page, { mode: 'top', center: [100, 100], scale: 8 }, [[100, 100, 16]]);
  assert.ok(
    deep[2] > 60 && deep[0] > 60 && !isNear(deep, COLORS[6]),
    `the water is of its texture and of the floor below: ${deep}`,
  );
  return { door };
}

const INSIDE = {
  floor1: miptex('floor1', quarters),
  door1: miptex('door1', plain(5)),
  '*water1': miptex('*water1', plain(6)),
};

/** What has to be dropped for each game: the map, and files with the textures. */
const games = {
  Quake: async () => ({
    map: maps.Quake({ inside: INSIDE }),
    files: [{ name: 'pak0.pak', bytes: pak([{ name: 'gfx/palette.lmp', bytes: palette }]) }],
    count: 3,
  }),
  'Half-Life': async () => ({
    map: maps['Half-Life']({ inside: { floor1: miptex('floor1', quarters, true) } }),
    files: [
      {
        name: 'halflife.wad',
        bytes: wad({ door1: miptex('door1', plain(5), true), '*water1': miptex('*water1', plain(6), true) }),
      },
    ],
    count: 3,
  }),
  'Quake II': async () => ({
    map: maps['Quake II'](),
    files: [
      {
        name: 'pak0.pak',
        bytes: pak([
          { name: 'pics/colormap.pcx', bytes: pcx() },
          { name: 'textures/FLOOR1.wal', bytes: wal('floor1', quarters) },
          { name: 'textures/door1.wal', bytes: wal('door1', plain(5)) },
          { name: 'textures/e1u1/water1.wal', bytes: wal('e1u1/water1', plain(6)) },
        ]),
      },
    ],
    count: 3,
  }),
  'Quake III': async () => ({
    map: maps['Quake III'](),
    files: [
      {
        name: 'pak0.pk3',
        bytes: await pk3([
          { name: 'textures/test/floor1.tga', bytes: tga(quarters, { packed: true }) },
          { name: 'textures/test/door1.png', bytes: png(plain(5)) },
          { name: 'textures/test/water1.tga', bytes: tga(plain(6), { above: true, alpha: true }) },
        ]),
      },
    ],
    count: 3,
  }),
};

for (const [format, [file, name]] of Object.entries(recordings)) {
  describe(format, () => {
    test('textures are where the map says, and come back on another day', async (context) => {
      if (!space) return context.skip('no WebGL2');
      const { page, errors, close } = await shown(file);
      const { map, files, count } = await games[format]();
      for (const one of files) await drop(page, one);
      await drop(page, { name: `${name}.bsp`, bytes: map });
      await dressed(page, count);
      const { door } = await check(page);
      // without a texture a wall keeps its flat color
      const look = { mode: 'free', eye: [256, 256, 100], angles: [0, 180, 0] };
      const [wall] = await colors(page, look, [[0, 256, 100]]);
      await page.keyboard.press('c');
      const [flat] = await colors(page, above, [DOOR]);
      assert.notDeepEqual(flat, door, 'flat colors');
      assert.deepEqual((await colors(page, look, [[0, 256, 100]]))[0], wall);
      await page.keyboard.press('c');
      await check(page);
      await keep(page);
      await remembers(page, [name], 'textures');
      await page.reload();
      await page.waitForFunction(() => customElements.get('fragreel-viewer'));
      await page.evaluate(
        () =>
          (Object.assign(document.querySelector('fragreel-viewer'), { keep: true, manual: true }).look.light = false),
      );
      await drop(page, file);
      await dressed(page, count);
      await check(page);
      assert.deepEqual(errors, []);
      await close();
    });

    test('they may come after the map', async (context) => {
      if (!space) return context.skip('no WebGL2');
      const { page, errors, close } = await shown(file);
      const { map, files, count } = await games[format]();
      await drop(page, { name: `${name}.bsp`, bytes: map });
      await mapped(page);
      const [flat] = await colors(page, above, [DOOR]);
      for (const one of files) await drop(page, one);
      await dressed(page, count);
      const { door } = await check(page);
      assert.notDeepEqual(flat, door);
      assert.equal(await page.getByText('nor are textures of it').count(), 0, 'an archive of textures is of use');
      await drop(page, { name: 'other.pak', bytes: pak([{ name: 'readme.txt', bytes: Buffer.from('nothing') }]) });
      await page.getByRole('alert').getByText('nor are textures of it').waitFor();
      assert.deepEqual(errors, []);
      await close();
    });

    test('hostile ones leave a flat color', async (context) => {
      if (!space) return context.skip('no WebGL2');
      const { page, errors, close } = await shown(file);
      const { map, files } = await games[format]();
      let seed = 5;
      const dice = (below) => {
        seed = (seed * 1664525 + 1013904223) >>> 0;
        return seed % below;
      };
      const broken = (whole, mutant) => {
        if (mutant % 4 === 0) return whole.subarray(0, dice(whole.length));
        const copy = Buffer.from(whole);
        for (let times = 0; times < 6; times++)
          copy.writeInt32LE([-1, 0x7fffffff, -0x80000000, 1 << 20, dice(65536)][dice(5)], dice(copy.length - 4));
        return copy;
      };
      const mutants = 10;
      let taken = 0;
      for (let mutant = 0; mutant < mutants; mutant++) {
        // of some the archive is broken, of some what is in it
        const own =
          format === 'Quake III'
            ? [
                {
                  name: 'pak0.pk3',
                  bytes: await pk3([
                    {
                      name: 'textures/test/floor1.tga',
                      bytes: broken(tga(quarters, { packed: mutant % 2 === 0 }), mutant),
                    },
                    { name: 'textures/test/door1.png', bytes: broken(png(plain(5)), mutant) },
                    { name: 'scripts/a.shader', bytes: broken(Buffer.from(SCRIPT), mutant) },
                  ]),
                },
              ]
            : files.map((one) => ({ ...one, bytes: broken(one.bytes, mutant) }));
        taken += (await take(page, [{ name: `${name}.bsp`, bytes: mutant % 3 ? map : broken(map, mutant) }, ...own]))
          .length;
        await page.evaluate(() => {
          const viewer = document.querySelector('fragreel-viewer');
          viewer.changed();
          viewer.advance(0);
        });
      }
      assert.ok(taken > mutants / 2, `${taken} maps were taken`);
      assert.deepEqual(errors, []);
      await close();
    });
  });
}

for (const [wide, format] of [
  ['BSP2', 'Quake'],
  ['2PSB', 'Quake'],
  ['QBSP', 'Quake II'],
]) {
  test(`textures of maps with larger numbers: ${wide}`, async (context) => {
    if (!space) return context.skip('no WebGL2');
    const [file, name] = recordings[format];
    const { page, errors, close } = await shown(file);
    const { files } = await games[format]();
    await take(page, [{ name: `${name}.bsp`, bytes: maps[format]({ wide, inside: INSIDE }) }, ...files]);
    await check(page);
    assert.deepEqual(errors, []);
    await close();
  });
}

test('Quake without a palette keeps flat colors', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake1);
  const { map } = await games.Quake();
  assert.deepEqual(await take(page, [{ name: 'e1m1.bsp', bytes: map }]), ['e1m1']);
  const seen = await colors(page, near, PLACES);
  assert.deepEqual(seen[0], seen[3]);
  assert.equal(
    await page.evaluate(
      () =>
        document
          .querySelector('fragreel-viewer')
          .map(document.querySelector('fragreel-viewer').session, 0)
          .pictures.filter(Boolean).length,
    ),
    0,
  );
  assert.deepEqual(errors, []);
  await close();
});

test('a texture of Half-Life with holes, in a WAD in a PAK', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.goldsrc);
  const map = maps['Half-Life']({ doorName: '{door1', inside: { floor1: miptex('floor1', plain(3), true) } });
  const holes = wad({ '{door1': miptex('{door1', (x) => (x < 8 ? 255 : 5), true) });
  await take(page, [
    { name: 'hand_made.bsp', bytes: map },
    { name: 'pak0.pak', bytes: pak([{ name: 'cs.wad', bytes: holes }]) },
  ]);
  // 16 pixels wide; the first eight are open
  const [open, shut] = await colors(page, { mode: 'top', center: [360, 350], scale: 8 }, [
    [356, 350, 64],
    [364, 350, 64],
  ]);
  isColor(open, 3, 'the floor below the hole');
  isColor(shut, 5, 'the door');
  assert.deepEqual(errors, []);
  await close();
});

test('Half-Life: each face shows any one of its textures', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.goldsrc);
  const inside = Object.fromEntries(
    [1, 2].map((index) => [`-${index - 1}wall`, miptex(`-${index - 1}wall`, plain(index), true)]),
  );
  await take(page, [
    { name: 'hand_made.bsp', bytes: maps['Half-Life']({ inside, names: { wall1: '-0wall', wall2: '-0wall' } }) },
    { name: 'pak0.pak', bytes: pak([{ name: 'gfx/palette.lmp', bytes: palette }]) },
  ]);
  await page.waitForFunction(
    () =>
      document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0)?.pictures
        .length,
  );
  const seen = new Set();
  for (const [yaw, place] of [
    [0, [512, 256, 100]],
    [90, [256, 512, 100]],
    [180, [0, 256, 100]],
    [270, [256, 0, 100]],
  ]) {
    const [color] = await colors(page, { mode: 'free', eye: [256, 256, 100], angles: [0, yaw, 0] }, [place]);
    // as dark as the wall is
    const index = [1, 2].find((index) =>
      COLORS[index].every(
        (value, channel) =>
          Math.abs(value / Math.max(...COLORS[index]) - color[channel] / Math.max(...color.slice(0, 3))) < 0.2,
      ),
    );
    assert.ok(index, `${yaw}: ${color}`);
    seen.add(index);
  }
  assert.equal(seen.size, 2);
  await keep(page);
  assert.deepEqual(errors, []);
  await close();
});

test('palette and WAL as loose files, and other pictures where there is none', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake2);
  await page.evaluate(
    (name) =>
      document
        .querySelector('fragreel-viewer')
        .addMaps([new File([Uint8Array.from(atob(name), (c) => c.charCodeAt(0))], 'lab1.bsp')]),
    maps['Quake II']().toString('base64'),
  );
  // as browsers give the files of a folder that somebody chose
  await page.evaluate(
    (files) =>
      document.querySelector('fragreel-viewer').addMaps(
        files.map(([path, base64]) => {
          const file = new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], path.split('/').pop());
          return Object.defineProperty(file, 'webkitRelativePath', { value: path });
        }),
      ),
    [
      ['baseq2/pics/colormap.pcx', pcx()],
      ['baseq2/textures/floor1.wal', wal('floor1', quarters)],
      ['baseq2/textures/door1.png', png(plain(5))],
    ].map(([path, bytes]) => [path, bytes.toString('base64')]),
  );
  const seen = await colors(page, near, PLACES);
  QUARTERS.forEach((index, at) => isColor(seen[at], index, `the floor at ${PLACES[at]}`));
  isColor((await colors(page, above, [DOOR]))[0], 5, 'the door');
  assert.deepEqual(errors, []);
  await close();
});

/** Ways in which scripts say what surfaces show. */
const SCRIPT = `
//*** not the start of a longer comment
textures/test/floor1
{
	qer_editorimage textures/test/wrong.tga /* over
	two lines */
	surfaceparm metalsteps
	{ map $lightmap rgbGen identity }
	{ map textures/other/real.tga
	  blendFunc GL_DST_COLOR GL_ZERO
	  tcMod scale 0.5 0.5 }
}
Textures\\Test\\wall1
{
	{
		animMap 8 textures/other/first.jpg textures/other/second.jpg
	}
}
textures/test/wall2 { qer_editorimage textures/other/editor.png
	{ map textures/other/missing.tga }
}
textures/test/door1
{
	cull none
	{
		map textures/other/grate.tga
		alphaFunc GE128
	}
}
textures/test/water1 { surfaceparm nodraw }
`;

test('shaders of Quake III', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake3);
  // a JPEG, made by the browser
  const jpeg = await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 16, height: 16 });
    const context = canvas.getContext('2d');
    context.fillStyle = 'rgb(30, 170, 60)';
    context.fillRect(0, 0, 16, 16);
    return canvas.toDataURL('image/jpeg', 0.95).split(',')[1];
  });
  const archive = await pk3([
    { name: 'scripts/test.shader', bytes: Buffer.from(SCRIPT) },
    { name: 'textures/other/real.tga', bytes: tga(quarters, { alpha: true, packed: true }) },
    { name: 'textures/other/first.jpg', bytes: Buffer.from(jpeg, 'base64') },
    { name: 'textures/other/editor.png', bytes: png(plain(4)) },
    { name: 'textures/other/grate.tga', bytes: tga((x) => (x < 8 ? 255 : 5), { alpha: true }) },
    { name: 'textures/test/wrong.tga', bytes: tga(plain(6)) },
  ]);
  assert.deepEqual(
    await take(page, [
      { name: 'am_lavactf.bsp', bytes: maps['Quake III']() },
      { name: 'pak0.pk3', bytes: archive },
    ]),
    ['am_lavactf'],
  );
  // half as often, so twice as wide
  const seen = await colors(page, { mode: 'top', center: [432, 112], scale: 8 }, [
    [424, 104, 0],
    [440, 104, 0],
    [424, 120, 0],
    [440, 120, 0],
  ]);
  QUARTERS.forEach((index, at) => isColor(seen[at], index, `the floor, quarter ${at}`));
  const [wall] = await colors(page, { mode: 'free', eye: [256, 256, 100], angles: [0, 180, 0] }, [[0, 256, 100]]);
  assert.ok(wall[1] > wall[0] * 3 && wall[1] > wall[2] * 2, `the first picture, a JPEG: ${wall}`);
  const [other] = await colors(page, { mode: 'free', eye: [256, 256, 100], angles: [0, 270, 0] }, [[256, 0, 100]]);
  assert.ok(other[0] > 130 && other[1] > 120 && other[2] < 80, `the editor's picture: ${other}`);
  const [open, shut] = await colors(page, { mode: 'top', center: [360, 350], scale: 8 }, [
    [356, 350, 64],
    [364, 350, 64],
  ]);
  isColor(shut, 5, 'the grate');
  assert.ok(!isNear(open, COLORS[5]), `through the grate one sees the floor: ${open}`);
  // from below, too
  const [below] = await colors(page, { mode: 'free', eye: [364, 350, 10], angles: [-89, 90, 0] }, [[364, 350, 64]]);
  isColor(below, 5, 'the grate from below');
  const [water] = await colors(page, { mode: 'top', center: [100, 100], scale: 8 }, [[104, 104, 0]]);
  assert.ok(
    QUARTERS.some((index) => isNear(water, COLORS[index])),
    `no water is drawn: ${water}`,
  );
  assert.deepEqual(errors, []);
  await close();
});

test('what is mixed with what is behind it', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake3);
  const floor = { name: 'textures/test/floor1.tga', bytes: tga(plain(1)) };
  const door = { name: 'textures/test/door1.tga', bytes: tga((x) => (x < 8 ? 255 : 2), { alpha: true }) };
  await take(page, [{ name: 'am_lavactf.bsp', bytes: maps['Quake III']() }]);
  const [[red, green, blue], second] = [COLORS[1], COLORS[2]];
  const sides = [
    [356, 350, 64],
    [364, 350, 64],
  ];
  for (const [stage, left, right] of [
    ['blendFunc add', [red + 9, green + 9, blue + 9], [red + second[0], green + second[1], blue + second[2]]],
    ['blendFunc GL_SRC_ALPHA GL_ONE_MINUS_SRC_ALPHA', [red, green, blue], second],
    [
      'blendFunc filter',
      [(red * 9) / 255, (green * 9) / 255, (blue * 9) / 255],
      [red, green, blue].map((value, channel) => (value * second[channel]) / 255),
    ],
    // words that mean nothing here, but something to every object
    ['blendFunc constructor\nalphaFunc constructor', [9, 9, 9], second],
  ]) {
    const script = {
      name: 'scripts/a.shader',
      bytes: Buffer.from(`textures/test/door1\n{\n{\nmap textures/test/door1.tga\n${stage}\n}\n}\n`),
    };
    await take(page, [{ name: 'pak0.pk3', bytes: await pk3([script, floor, door]) }]);
    const seen = await colors(page, { mode: 'top', center: [360, 350], scale: 8 }, sides);
    assert.ok(
      isNear(
        seen[0],
        left.map((value) => Math.min(255, value)),
      ),
      `${stage}: ${seen[0]}, not ${left}`,
    );
    assert.ok(
      isNear(
        seen[1],
        right.map((value) => Math.min(255, value)),
      ),
      `${stage}: ${seen[1]}, not ${right}`,
    );
  }
  assert.deepEqual(errors, []);
  await close();
});

test('more than the graphics card is given is made smaller', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake3);
  const large = png(plain(2), 1024);
  const huge = png(plain(3), 2048);
  const entries = Array.from({ length: 16 }, (_, tile) => ({
    name: `textures/test/tile${tile}.png`,
    bytes: tile ? large : huge,
  }));
  await take(page, [
    { name: 'am_lavactf.bsp', bytes: maps['Quake III']({ tiles: 16 }) },
    { name: 'pak0.pk3', bytes: await pk3(entries) },
  ]);
  const [count, bytes, side] = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const found = viewer.map(viewer.session, 0).pictures.filter(Boolean);
    return [
      found.length,
      found.reduce((sum, { pixels }) => sum + pixels.length, 0),
      Math.max(...found.map(({ width }) => width)),
    ];
  });
  assert.deepEqual([count, bytes, side], [16, 16 * 512 * 512 * 4, 512]);
  assert.deepEqual(errors, []);
  await close();
});

const openArena = '/usr/share/games/openarena/baseoa';

test('OpenArena: the textures of a level', {
  skip: !existsSync(openArena) && 'OpenArena is not installed',
}, async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown('samples/quake3/dm_bots.dm_71');
  await page.getByLabel('recordings and maps').setInputFiles(
    readdirSync(openArena)
      .filter((name) => name.endsWith('.pk3'))
      .sort()
      .map((name) => join(openArena, name)),
  );
  await dressed(page, 1);
  const { materials, found, bytes } = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const { materials, pictures } = viewer.map(viewer.session, 0);
    return {
      materials: materials.length,
      found: pictures.filter(Boolean).length,
      bytes: pictures.reduce((sum, picture) => sum + (picture?.pixels.length ?? 0), 0),
    };
  });
  assert.ok(materials > 20 && found === materials, `${found} of ${materials} textures`);
  assert.ok(bytes > 1 << 20 && bytes <= 48 << 20, `${bytes} bytes`);
  // with textures a picture has many more colors than without
  const palette = () =>
    page.evaluate(() => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.seek(30000);
      viewer.camera = 'behind';
      viewer.advance(0);
      const { ground } = viewer.stage;
      const pixels = new Uint8Array(ground.width * ground.height * 4);
      const gl = ground.getContext('webgl2');
      gl.readPixels(0, 0, ground.width, ground.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      return new Set(new Uint32Array(pixels.buffer)).size;
    });
  const textured = await palette();
  mkdirSync(join(root, 'target/web/tests'), { recursive: true });
  await page.screenshot({ path: join(root, 'target/web/tests/openarena.png') });
  await page.keyboard.press('c');
  const flat = await palette();
  assert.ok(textured > flat * 10, `${textured} colors with textures, ${flat} without`);
  assert.deepEqual(errors, []);
  await close();
});
