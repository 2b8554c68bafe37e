// Textures that move: animations of all four games, and what shaders of Quake III do with a picture as time passes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colors, recordings, shown as shownIn } from './ground.mjs';
import { drawsInSpace, setUp } from './harness.mjs';
import { COLORS, miptex, palette, pcx, plain, tga, wal } from './images.mjs';
import { maps, pak, pk3 } from './maps.mjs';

const { server, browser } = await setUp();
const space = await drawsInSpace(browser);

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

const above = { mode: 'top', center: [350, 350], scale: 4 };
const DOOR = [350, 350, 64];

/** Opens a recording and a map with textures, without light, and returns what reads colors at a server time. */
async function moving(game, map, files) {
  const [file, name] = recordings[game];
  const opened = await shownIn(browser, server, file);
  await opened.page.evaluate(() => (document.querySelector('fragreel-viewer').look.light = false));
  await take(opened.page, [{ name: `${name}.bsp`, bytes: map }, ...files]);
  await opened.page.waitForFunction(() =>
    document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
  );
  const at = async (serverTime, places = [DOOR], camera = above, frame = 0) => {
    await opened.page.evaluate(
      ({ serverTime, frame }) => {
        const viewer = document.querySelector('fragreel-viewer');
        const { replay } = viewer.session;
        replay.truly ??= replay.sceneAt.bind(replay);
        replay.sceneAt = (time) => ({
          ...replay.truly(time),
          serverTime,
          ...(frame && {
            entities: [
              { number: 77, kind: 'mover', model: '*1', origin: [0, 0, 0], angles: null, item: null, heading: null },
            ],
          }),
        });
        if (frame) replay.lookOf = () => ({ frame });
        viewer.changed();
        viewer.advance(0);
      },
      { serverTime, frame },
    );
    return colors(opened.page, camera, places);
  };
  return { ...opened, at };
}

const isNear = (seen, wanted, reach = 10) =>
  [0, 1, 2].every((channel) => Math.abs(seen[channel] - wanted[channel]) <= reach);
const isColor = (seen, wanted, what) => assert.ok(isNear(seen, wanted), `${what}: ${seen}, not ${wanted}`);

for (const [game, rate, own] of [
  ['Quake', 5, false],
  ['Half-Life', 10, true],
]) {
  test(`${game}: textures of one name come after each other`, async (context) => {
    if (!space) return context.skip('no WebGL2');
    const inside = Object.fromEntries(
      [
        ['+0door', 5],
        ['+1door', 1],
        ['+2door', 3],
        ['+adoor', 2],
      ].map(([name, index]) => [name, miptex(name, plain(index), own)]),
    );
    const { at, errors, close } = await moving(game, maps[game]({ inside, doorName: '+0door' }), [
      { name: 'pak0.pak', bytes: pak([{ name: 'gfx/palette.lmp', bytes: palette }]) },
    ]);
    for (const [step, index] of [
      [0, 5],
      [1, 1],
      [2, 3],
      [3, 5],
      [7, 1],
    ])
      isColor((await at(((step + 0.5) * 1000) / rate))[0], COLORS[index], `picture ${step}`);
    isColor((await at(50, [DOOR], above, 1))[0], COLORS[2], 'while its entity has another frame');
    assert.deepEqual(errors, []);
    await close();
  });
}

test('Half-Life: what a conveyor carries goes on', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const inside = { scrollbelt: miptex('scrollbelt', (x) => (x < 8 ? 3 : 1), true) };
  const sides = [
    [356, 350, 64],
    [364, 350, 64],
  ];
  for (const [mover, steps] of [
    [
      '"classname" "func_conveyor"\n"speed" "8"',
      [
        [0, 3, 1],
        [1000, 1, 3],
        [2000, 3, 1],
      ],
    ],
    // the other way, twice as fast
    [
      '"classname" "func_conveyor"\n"speed" "-16"',
      [
        [0, 3, 1],
        [500, 1, 3],
        [1000, 3, 1],
      ],
    ],
    [
      '"classname" "func_door"\n"speed" "8"',
      [
        [0, 3, 1],
        [1000, 3, 1],
      ],
    ],
  ]) {
    const { at, errors, close } = await moving(
      'Half-Life',
      maps['Half-Life']({ inside, doorName: 'scrollbelt', mover }),
      [{ name: 'pak0.pak', bytes: pak([{ name: 'gfx/palette.lmp', bytes: palette }]) }],
    );
    for (const [time, ...wanted] of steps) {
      const seen = await at(time, sides, { mode: 'top', center: [360, 350], scale: 8 });
      const [left, right] = wanted.map((index) => COLORS[index]);
      isColor(seen[0], left, `${mover} at ${time}, left`);
      isColor(seen[1], right, `${mover} at ${time}, right`);
    }
    assert.deepEqual(errors, []);
    await close();
  }
});

test('Quake II: a texture names the next one', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { at, errors, close } = await moving('Quake II', maps['Quake II'](), [
    {
      name: 'pak0.pak',
      bytes: pak([
        { name: 'pics/colormap.pcx', bytes: pcx() },
        { name: 'textures/door1.wal', bytes: wal('door1', plain(5), 'door2') },
        { name: 'textures/door2.wal', bytes: wal('door2', plain(1), 'door3') },
        // a chain that does not come back to its first
        { name: 'textures/door3.wal', bytes: wal('door3', plain(3), 'door2') },
      ]),
    },
  ]);
  for (const [time, index] of [
    [250, 5],
    [750, 1],
    [1250, 3],
    [1750, 5],
  ])
    isColor((await at(time))[0], COLORS[index], `at ${time} ms`);
  assert.deepEqual(errors, []);
  await close();
});

/** The door with a shader of these stages, and its pictures: of colors 1 and 2, and one whose left half is of color 3. */
const shader = async (stages) => ({
  name: 'pak0.pk3',
  bytes: await pk3([
    { name: 'scripts/a.shader', bytes: Buffer.from(`textures/test/door1\n{\n${stages}\n}\n`) },
    { name: 'textures/a/one.tga', bytes: tga(plain(1)) },
    { name: 'textures/a/two.tga', bytes: tga(plain(2)) },
    { name: 'textures/a/half.tga', bytes: tga((x) => (x < 8 ? 3 : 1)) },
    { name: 'textures/a/dark.tga', bytes: tga(plain(5)) },
  ]),
});

const sum = (...all) =>
  [0, 1, 2].map((channel) =>
    Math.min(
      255,
      all.reduce((one, color) => one + color[channel], 0),
    ),
  );

test('Quake III: stages over each other, animations and waves', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, at, errors, close } = await moving('Quake III', maps['Quake III'](), [
    await shader('{ map textures/a/one.tga }'),
  ]);
  const [, red, blue, , , grey] = COLORS;
  const scaled = (color, by) => color.map((value) => value * by);
  for (const [stages, steps] of [
    [
      '{ map $lightmap }\n{ map textures/a/one.tga\nblendFunc filter }\n{ map textures/a/two.tga\nblendFunc add }',
      [[0, sum(red, blue)]],
    ],
    [
      '{ animMap 4 textures/a/one.tga textures/a/two.tga textures/a/dark.tga }',
      [
        [125, red],
        [375, blue],
        [625, grey],
        [875, red],
      ],
    ],
    [
      '{ map textures/a/one.tga }\n{ map textures/a/two.tga\nblendFunc add\nrgbGen wave square 0.5 0.5 0 1 }',
      [
        [250, sum(red, blue)],
        [750, red],
      ],
    ],
    [
      '{ map textures/a/two.tga\nrgbGen wave sin 0.5 0.5 0 1 }',
      [
        [0, scaled(blue, 0.5)],
        [250, blue],
        [750, [0, 0, 0]],
      ],
    ],
    [
      '{ map textures/a/one.tga }\n{ map textures/a/two.tga\nblendFunc blend\nalphaGen wave square 0.5 0.5 0 1 }',
      [
        [250, blue],
        [750, red],
      ],
    ],
    // words that mean nothing here, and numbers that are none
    [
      '{ map textures/a/one.tga\nrgbGen wave constructor 1 1 1 1\ntcMod toString 1 2\ntcMod rotate NaN\ntcMod stretch sin 0 0 0 0 }',
      [
        [0, red],
        [5000, red],
      ],
    ],
  ]) {
    await take(page, [await shader(stages)]);
    for (const [time, wanted] of steps) isColor((await at(time))[0], wanted, `${stages} at ${time}`);
  }
  assert.deepEqual(errors, []);
  await close();
});

test('Quake III: pictures that move', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, at, errors, close } = await moving('Quake III', maps['Quake III'](), [
    await shader('{ map textures/a/half.tga }'),
  ]);
  const [, red, , green] = COLORS;
  // the left and the right half of a picture of 16 units
  const sides = [
    [356, 350, 64],
    [364, 350, 64],
  ];
  for (const [move, steps] of [
    [
      'scroll 0.5 0',
      [
        [0, green, red],
        [1000, red, green],
        [2000, green, red],
      ],
    ],
    [
      'rotate 180',
      [
        [0, green, red],
        [1000, red, green],
      ],
    ],
    ['scale -1 1', [[0, red, green]]],
    ['transform -1 0 0 1 0 0', [[0, red, green]]],
    [
      'stretch square 0 1 0 1',
      [
        [250, green, red],
        [750, red, green],
      ],
    ],
  ]) {
    await take(page, [await shader(`{ map textures/a/half.tga\ntcMod ${move} }`)]);
    for (const [time, left, right] of steps) {
      const seen = await at(time, sides, { mode: 'top', center: [360, 350], scale: 8 });
      isColor(seen[0], left, `${move} at ${time}, left`);
      isColor(seen[1], right, `${move} at ${time}, right`);
    }
  }
  assert.deepEqual(errors, []);
  await close();
});

for (const game of ['Quake', 'Half-Life', 'Quake II']) {
  test(`${game}: light that changes`, async (context) => {
    if (!space) return context.skip('no WebGL2');
    const floor = [
      [220, 440, 0],
      [440, 440, 0],
    ];
    const plan = { mode: 'top', center: [256, 256], scale: 0.6 };
    // a strobe, and a light that something switches
    for (const [style, steps] of [
      [
        4,
        [
          [50, true],
          [150, false],
          [250, true],
        ],
      ],
      [
        32,
        [
          [50, true],
          [150, true],
        ],
      ],
    ]) {
      const { page, at, errors, close } = await moving(game, maps[game]({ style }), [
        {
          name: 'pak0.pak',
          bytes: pak([
            { name: 'gfx/palette.lmp', bytes: palette },
            { name: 'pics/colormap.pcx', bytes: pcx() },
            { name: 'textures/floor1.wal', bytes: wal('floor1', plain(5)) },
          ]),
        },
      ]);
      await page.evaluate((isStated) => {
        const viewer = document.querySelector('fragreel-viewer');
        viewer.look.light = true;
        // our recordings of Half-Life state no styles
        if (!isStated) viewer.session.replay.happenings.lightsAt = () => new Map([[4, 'mamamamamama']]);
      }, game !== 'Half-Life');
      for (const [time, isOn] of steps) {
        const [dark, bright] = await at(time, floor, plan);
        assert.equal(bright[1] > dark[1] * 1.5, isOn, `style ${style} at ${time}: ${dark}, ${bright}`);
      }
      assert.deepEqual(errors, []);
      await close();
    }
  });
}
