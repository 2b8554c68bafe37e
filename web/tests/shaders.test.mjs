// What shaders of Quake III do with corners of faces, with what is seen of them, and with what is behind them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colors, shown } from './ground.mjs';
import { drawsInSpace, samples, setUp } from './harness.mjs';
import { COLORS, plain, tga } from './images.mjs';
import { maps, pk3 } from './maps.mjs';

const { server, browser } = await setUp();
const space = await drawsInSpace(browser);
const [, RED, BLUE] = COLORS;
const MAP = { name: 'am_lavactf.bsp', bytes: maps['Quake III']() };

/** Opens a room, and returns what gives its textures shaders and reads colors at a server time. */
async function room() {
  const { page, errors, close } = await shown(browser, server, samples.quake3);
  const take = (files) =>
    page.evaluate(
      (files) =>
        document
          .querySelector('fragreel-viewer')
          .addMaps(
            files.map(([name, base64]) => new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name)),
          ),
      files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString('base64')]),
    );
  await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    viewer.look.light = false;
    const { replay } = viewer.session;
    replay.truly ??= replay.sceneAt.bind(replay);
    replay.sceneAt = (time) => ({ ...replay.truly(time), serverTime: viewer.wanted ?? 0, entities: [], players: [] });
  });
  const give = async (script, map = MAP) => {
    const pictures = ['one', 'two'].map((name, at) => ({ name: `textures/a/${name}.tga`, bytes: tga(plain(at + 1)) }));
    pictures.push({ name: 'textures/a/half.tga', bytes: tga((x) => (x < 8 ? 2 : 1)) });
    await take([
      map,
      { name: 'pak0.pk3', bytes: await pk3([{ name: 'scripts/a.shader', bytes: Buffer.from(script) }, ...pictures]) },
    ]);
  };
  const at = async (eye, angles, places, time = 0) => {
    await page.evaluate((time) => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.wanted = time;
      viewer.changed();
    }, time);
    return colors(page, { mode: 'free', eye, angles, fov: 90 }, places);
  };
  const end = async () => {
    assert.deepEqual(errors, []);
    await close();
  };
  return { page, give, at, end };
}

const isNear = (seen, wanted, reach = 10) =>
  [0, 1, 2].every((channel) => Math.abs(seen[channel] - wanted[channel]) <= reach);
const isColor = (seen, wanted, what) => assert.ok(isNear(seen, wanted), `${what}: ${seen}, not ${wanted}`);
const mixed = (one, other, part) => one.map((value, channel) => value + (other[channel] - value) * part);
const onDoor = (what, stages = '{ map textures/a/two.tga }') => `textures/test/door1\n{\n${what}\n${stages}\n}\n`;

test('corners move', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { give, at, end } = await room();
  // over the near edge of a door that is as high as `z`
  const isAt = async (z, time) => isNear((await at([350, 200, 130], [25, 90, 0], [[350, 310, z]], time))[0], BLUE);
  for (const [what, steps] of [
    [
      'deformVertexes wave 100000 square 0 30 0 1',
      [
        [250, 94, 34],
        [750, 34, 94],
      ],
    ],
    [
      'deformVertexes wave 100000 triangle 0 30 0 1',
      [
        [250, 94, 34],
        [750, 34, 94],
      ],
    ],
    [
      'deformVertexes wave 100 sin 30 0 0 0',
      [
        [0, 94, 34],
        [750, 94, 34],
      ],
    ],
    [
      'deformVertexes bulge 0 30 3.14159',
      [
        [500, 94, 34],
        [1500, 34, 94],
      ],
    ],
    [
      'deformVertexes move 0 0 30 square 0 1 0 1',
      [
        [250, 94, 34],
        [750, 34, 94],
      ],
    ],
    [
      'deformVertexes move 0 0 15 square 0 1 0 1\ndeformVertexes wave 100 sin 15 0 0 0',
      [
        [250, 94, 34],
        [750, 64, 94],
      ],
    ],
    // what means nothing here, and numbers that are none
    [
      'deformVertexes normal 1 1\ndeformVertexes wave 0 square NaN 1 1\ndeformVertexes constructor 1 2\ndeformVertexes',
      [[250, 64, 34]],
    ],
  ]) {
    await give(onDoor(what));
    for (const [time, there, gone] of steps) {
      assert.ok(await isAt(there, time), `${what} at ${time}: it is at ${there}`);
      assert.ok(!(await isAt(gone, time)), `${what} at ${time}: it is not at ${gone}`);
    }
  }
  await end();
});

test('quads face the eye', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { give, at, end } = await room();
  // the door lies flat: one looks along it, from two sides
  const seen = async () => {
    const all = [];
    for (const [eye, yaw] of [
      [[350, 200, 64], 90],
      [[200, 350, 64], 0],
    ])
      for (const z of [95, 120]) all.push(isNear((await at(eye, [0, yaw, 0], [[350, 350, z]]))[0], BLUE));
    return all;
  };
  await give(onDoor(''));
  assert.deepEqual(await seen(), [false, false, false, false]);
  await give(onDoor('deformVertexes autosprite'));
  assert.deepEqual(await seen(), [true, false, true, false]);
  // around its axis from left to right
  await give(onDoor('deformVertexes autosprite2'));
  assert.deepEqual(await seen(), [true, false, false, false]);
  await end();
});

test('corners say how much is seen', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { give, at, end } = await room();
  const OVER =
    '{ map textures/a/one.tga\nrgbGen identity }\n{ map textures/a/two.tga\nblendFunc blend\nalphaGen vertex }';
  const down = async () => (await at([350, 350, 164], [89, 90, 0], [[350, 350, 64]]))[0];
  for (const alpha of [0, 128, 255]) {
    await give(onDoor('', OVER), { ...MAP, bytes: maps['Quake III']({ corner: [255, 255, 255, alpha] }) });
    isColor(await down(), mixed(RED, BLUE, alpha / 255), `alpha ${alpha}`);
  }
  for (const [color, part] of [
    [0, 1],
    [32, 0.5],
    [64, 0],
  ]) {
    await give(onDoor('', '{ map textures/a/two.tga\nrgbGen oneMinusVertex }'), {
      ...MAP,
      bytes: maps['Quake III']({ corner: [color, color, color, 255] }),
    });
    isColor(await down(), mixed([0, 0, 0], BLUE, part), `what ${color} lacks`);
  }
  await give(onDoor('', OVER.replace('vertex', 'portal 200')));
  isColor(await down(), mixed(RED, BLUE, 0.5), 'from 100 of 200 units');
  isColor((await at([350, 350, 300], [89, 90, 0], [[350, 350, 64]]))[0], BLUE, 'from afar');
  await give(`textures/test/wall1\n{\n${OVER.replace('vertex', 'lightingSpecular')}\n}\n`);
  isColor((await at([291, 163, 96], [0, 47, 0], [[512, 400, 96]]))[0], BLUE, 'what shines');
  isColor((await at([256, 480, 96], [0, -41, 0], [[512, 256, 96]]))[0], RED, 'what does not');
  await end();
});

test('a picture is there once', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { give, at, end } = await room();
  // half of it is of each color: in pictures from 18.75 to 25, all are beyond its edge
  const places = [
    [356, 350, 64],
    [364, 350, 64],
  ];
  for (const [word, wanted] of [
    ['map', [BLUE, RED]],
    ['clampmap', [RED, RED]],
  ]) {
    await give(onDoor('', `{ ${word} textures/a/half.tga }`));
    const seen = await at([360, 350, 164], [89, 90, 0], places);
    wanted.forEach((color, side) => isColor(seen[side], color, `${word}, ${side ? 'right' : 'left'}`));
  }
  await end();
});

test('fog hides what is far in it', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { give, at, end } = await room();
  const map = { ...MAP, bytes: maps['Quake III']({ fog: 64 }) };
  const script = (stages) =>
    `textures/test/fog\n{\nsurfaceparm fog\nfogparms ( 0 1 0.5 ) 256\n}\ntextures/test/floor1\n{\n${stages}\n}\n`;
  const FOG = [0, 255, 128];
  const floor = [[200, 440, 0]];
  await give(script('{ map textures/a/one.tga }'), map);
  isColor((await at([200, 440, 200], [89, 90, 0], floor))[0], mixed(RED, FOG, 0.5), 'through 64 of 256 units');
  isColor((await at([200, 440, 16], [89, 90, 0], floor))[0], mixed(RED, FOG, 0.25), 'through 16, from within');
  // added to what is hidden, it is hidden as well
  await give(script('{ map textures/a/one.tga }\n{ map textures/a/two.tga\nblendFunc add }'), map);
  isColor(
    (await at([200, 440, 200], [89, 90, 0], floor))[0],
    mixed(
      RED.map((value, channel) => value + BLUE[channel]),
      FOG,
      0.5,
    ),
    'two pictures',
  );
  await give(script('{ map textures/a/one.tga }').replace('256', 'far'), map);
  isColor((await at([200, 440, 200], [89, 90, 0], floor))[0], RED, 'a fog without numbers');
  await end();
});

test('hostile scripts and fogs', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { give, at, end } = await room();
  let seed = 3;
  const dice = (below) => {
    seed = (seed * 1664525 + 1013904223) >>> 0;
    return seed % below;
  };
  const numbers = ['1e308', '-1e308', 'NaN', '0', '', '1e-300', '-1', 'x'];
  const any = (count) => Array.from({ length: count }, () => numbers[dice(numbers.length)]).join(' ');
  const whole = maps['Quake III']({ fog: 64 });
  for (let mutant = 0; mutant < 4; mutant++) {
    const map = Buffer.from(whole);
    // planes, brushes, sides and fogs are before the rest
    for (let times = 0; times < 6; times++)
      map.writeInt32LE([-1, 0x7fffffff, -0x80000000, 0x7fc00000, dice(65536)][dice(5)], 144 + dice(400));
    const deforms = ['wave', 'bulge', 'move', 'autosprite', 'autosprite2', 'normal', 'text0'].map(
      (kind) => `deformVertexes ${kind} ${dice(2) ? any(3) : ''} square ${any(4)}`,
    );
    const stages = `{ map textures/a/two.tga\nalphaGen portal ${any(1)}\ntcMod scroll ${any(2)}\nblendFunc blend }`;
    await give(
      `textures/test/fog\n{\nfogparms ( ${any(3)} ) ${any(1)}\n}\n${['floor1', 'wall1'].map((name) => `textures/test/${name}\n{\n${deforms.slice(dice(4)).join('\n')}\n${stages}\n}\n`).join('')}${onDoor(deforms[dice(7)], stages)}`,
      { ...MAP, bytes: map },
    );
    const [seen] = await at([350, 200, 64], [dice(40), 60 + dice(60), 0], [[350, 350, 95]], dice(5000));
    assert.equal(seen.length, 4);
  }
  await end();
});
