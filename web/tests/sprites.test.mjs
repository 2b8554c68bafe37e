// Sprites of Quake, Half-Life and Quake II, and explosions of the game's pictures: our own files, read and drawn, and hostile ones.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colors, recordings, shown as shownIn } from './ground.mjs';
import { drawsInSpace, drop, setUp } from './harness.mjs';
import { COLORS, palette, pcx, plain, tga } from './images.mjs';
import { Bytes, pak, pk3 } from './maps.mjs';

const { server, browser } = await setUp();
const space = await drawsInSpace(browser);

const SIDE = 16;
/** A picture of a sprite around its middle: columns of a color, or 255 for a hole. */
const picture = (file, draw) =>
  file
    .int(-8, 8, SIDE, SIDE)
    .byte(...Array.from({ length: SIDE * SIDE }, (_, at) => draw(at % SIDE, Math.floor(at / SIDE))));

/** A sprite of Quake. A list in place of a picture is a group. */
function spr(frames, orientation = 2) {
  const file = new Bytes().text('IDSP', 4).int(1, orientation).float(16).int(SIDE, SIDE, frames.length).float(0).int(0);
  for (const frame of frames) {
    if (!Array.isArray(frame)) picture(file.int(0), frame);
    else {
      file.int(1, frame.length).float(...frame.map((_, at) => (at + 1) / 10));
      for (const one of frame) picture(file, one);
    }
  }
  return file.buffer;
}

/** A sprite of Half-Life: 0 as it is, 1 added, 2 more or less of one color, 3 with holes. */
function spr2(frames, format, orientation = 2) {
  const file = new Bytes()
    .text('IDSP', 4)
    .int(2, orientation, format)
    .float(16)
    .int(SIDE, SIDE, frames.length)
    .float(0)
    .int(0)
    .short(256)
    .byte(...palette.subarray(0, 765), ...COLORS[4]);
  for (const frame of frames) picture(file.int(0), frame);
  return file.buffer;
}

/** A sprite of Quake II: names of pictures. */
function sp2(names) {
  const file = new Bytes().text('IDS2', 4).int(2, names.length);
  for (const name of names) file.int(SIDE, SIDE, 8, 8).text(name, 64);
  return file.buffer;
}

const PLACE = [256, 256, 2000];
const BEFORE = { mode: 'free', eye: [356, 256, 2000], angles: [0, 180, 0], fov: 90 };

/** A recording with game files; what shows one thing, or something that happens. */
async function shown(game, files) {
  const [recording] = recordings[game];
  const opened = await shownIn(browser, server, recording);
  const { page } = opened;
  await drop(page, ...files);
  await page.waitForFunction(() => document.querySelector('fragreel-viewer').models);
  const show = ({ model = null, frame = 0, angles = [0, 0, 0], happening = null, age = 0, entity = null }) =>
    page.evaluate(
      async ({ model, frame, angles, happening, age, entity, place }) => {
        const viewer = document.querySelector('fragreel-viewer');
        const { replay } = viewer.session;
        replay.truly ??= replay.sceneAt.bind(replay);
        const scene = {
          ...replay.truly(100),
          time: 5000,
          view: null,
          players: [],
          entities:
            model || entity
              ? [{ number: 90, kind: 'effect', origin: place, angles, model, item: null, heading: null, ...entity }]
              : [],
        };
        replay.sceneAt = () => scene;
        replay.lookOf = () =>
          model && {
            model,
            held: null,
            skin: null,
            skinNumber: 0,
            colors: null,
            body: 0,
            frame,
            before: frame,
            since: 0,
            next: frame,
            part: 0,
            sequence: null,
            sequenceSince: 0,
            second: null,
            secondSince: 0,
            began: null,
            rate: 1,
          };
        const one = happening && {
          number: 7,
          time: 5000 - age,
          origin: place,
          end: null,
          direction: null,
          subject: null,
          color: null,
          size: null,
          count: null,
          life: null,
          sound: null,
          ...happening,
        };
        replay.happenings.between = () => (one ? [one] : []);
        // one file asks for the next
        for (let times = 0; times < 4; times++) {
          viewer.camera = 'free';
          viewer.changed();
          viewer.advance(0);
          while ([...viewer.mapStore.models.found.values()].includes(undefined))
            await new Promise((done) => setTimeout(done, 10));
        }
      },
      { model, frame, angles, happening, age, entity, place: PLACE },
    );
  return { ...opened, show };
}

const isNear = (seen, wanted, reach = 8) =>
  [0, 1, 2].every((channel) => Math.abs(seen[channel] - wanted[channel]) <= reach);
/** Left and right of the middle, seen from the front: the second axis goes to the right. */
const SIDES = [
  [256, 252, 2000],
  [256, 260, 2000],
];
const halves = (left, right) => (x) => (x < 8 ? left : right);

const QUAKE = [{ name: 'gfx/palette.lmp', bytes: palette }];

test('a sprite of Quake faces the eye, with holes', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, show, errors, close } = await shown('Quake', [
    {
      name: 'pak0.pak',
      bytes: pak([...QUAKE, { name: 'progs/s.spr', bytes: spr([halves(1, 255), halves(2, 3), [plain(4), plain(5)]]) }]),
    },
  ]);
  const at = async (wanted, camera = BEFORE) => {
    await show(wanted);
    return colors(page, camera, SIDES);
  };
  const [nothing] = await at({});
  const [left, right] = await at({ model: 'progs/s.spr' });
  assert.ok(
    isNear(left, COLORS[1]) && isNear(right, nothing),
    `the first picture and its hole: ${left}, ${right}, not ${nothing}`,
  );
  const second = await at({ model: 'progs/s.spr', frame: 1 });
  assert.ok(isNear(second[0], COLORS[2]) && isNear(second[1], COLORS[3]), `the second: ${second}`);
  const [group] = await at({ model: 'progs/s.spr', frame: 2 });
  assert.ok(isNear(group, COLORS[4]) || isNear(group, COLORS[5]), `a group plays by itself: ${group}`);
  // from the other side its left is left again
  const behind = await at({ model: 'progs/s.spr', frame: 1 }, { ...BEFORE, eye: [156, 256, 2000], angles: [0, 0, 0] });
  assert.ok(isNear(behind[1], COLORS[2]) && isNear(behind[0], COLORS[3]), `from behind: ${behind}`);
  assert.deepEqual(errors, []);
  await close();
});

test('five ways in which a sprite faces the eye', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const sprites = [0, 1, 2, 3, 4].map((way) => ({ name: `progs/s${way}.spr`, bytes: spr([plain(3)], way) }));
  const { page, show, errors, close } = await shown('Quake', [
    { name: 'pak0.pak', bytes: pak([...QUAKE, ...sprites]) },
  ]);
  // from above: what is upright is seen from its edge
  const above = { mode: 'free', eye: [256.5, 256, 2100], angles: [89, 180, 0] };
  const seen = async (way, camera, places, angles) => {
    await show({ model: `progs/s${way}.spr`, angles });
    return (await colors(page, camera, places)).map((color) => isNear(color, COLORS[3]));
  };
  const flat = [[252, 256, 2000]];
  for (const [way, wanted] of [
    [0, false],
    [1, false],
    [2, true],
    [3, false],
    [4, true],
  ])
    assert.deepEqual(await seen(way, above, flat), [wanted], `from above, ${way}`);
  // turned by a quarter, only what faces as it is turned is seen from its edge
  const side = [[256, 252, 2000]];
  for (const [way, wanted] of [
    [0, true],
    [1, true],
    [2, true],
    [3, false],
    [4, true],
  ])
    assert.deepEqual(await seen(way, BEFORE, side, [0, 90, 0]), [wanted], `turned, ${way}`);
  // rolled by an eighth, a corner is above
  const corner = [[256, 256, 2009.5]];
  for (const [way, wanted] of [
    [2, false],
    [3, true],
    [4, true],
  ])
    assert.deepEqual(await seen(way, BEFORE, corner, [0, 0, 45]), [wanted], `rolled, ${way}`);
  assert.deepEqual(errors, []);
  await close();
});

test('sprites of Half-Life are mixed in four ways', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const sprites = [0, 1, 2, 3].map((format) => ({
    name: `sprites/s${format}.spr`,
    bytes: spr2([halves(format === 2 ? 128 : 1, 255)], format),
  }));
  const { page, show, errors, close } = await shown('Half-Life', [{ name: 'pak0.pak', bytes: pak(sprites) }]);
  await show({});
  const [nothing] = await colors(page, BEFORE, SIDES);
  const [red, yellow] = [COLORS[1], COLORS[4]];
  const both = (a, b, part = 0.5) => a.map((value, channel) => value * (1 - part) + b[channel] * part);
  const sum = (color) => color.map((value, channel) => Math.min(255, value + nothing[channel]));
  for (const [format, left, right] of [
    [0, red, yellow],
    [1, sum(red), sum(yellow)],
    [2, both(nothing.slice(0, 3), yellow), yellow],
    [3, red, nothing],
  ]) {
    await show({ model: `sprites/s${format}.spr` });
    const seen = await colors(page, BEFORE, SIDES);
    assert.ok(isNear(seen[0], left) && isNear(seen[1], right), `${format}: ${seen}, not ${left} and ${right}`);
  }
  assert.deepEqual(errors, []);
  await close();
});

test('a sprite of Quake II shows the pictures that it names', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, show, errors, close } = await shown('Quake II', [
    {
      name: 'pak0.pak',
      bytes: pak([
        { name: 'sprites/s.sp2', bytes: sp2(['sprites/a.pcx', 'sprites/b.pcx']) },
        { name: 'sprites/a.pcx', bytes: pcx(1) },
        { name: 'sprites/b.pcx', bytes: pcx(2) },
      ]),
    },
  ]);
  for (const [frame, index] of [
    [0, 1],
    [1, 2],
    [2, 1],
  ]) {
    await show({ model: 'sprites/s.sp2', frame });
    const [seen] = await colors(page, BEFORE, SIDES);
    assert.ok(isNear(seen, COLORS[index]), `frame ${frame}: ${seen}`);
  }
  assert.deepEqual(errors, []);
  await close();
});

test("explosions are the game's", async (context) => {
  if (!space) return context.skip('no WebGL2');
  const quake = await shown('Quake', [
    { name: 'pak0.pak', bytes: pak([...QUAKE, { name: 'progs/s_explod.spr', bytes: spr([plain(1), plain(2)]) }]) },
  ]);
  const explosion = { kind: 'explosion', size: 64, color: [255, 170, 70] };
  for (const [age, index] of [
    [50, 1],
    [150, 2],
  ]) {
    await quake.show({ happening: explosion, age });
    const [seen] = await colors(quake.page, BEFORE, SIDES);
    assert.ok(isNear(seen, COLORS[index]), `Quake, ${age} ms: ${seen}`);
  }
  assert.deepEqual(quake.errors, []);
  await quake.close();
  const script =
    'rocketExplosion\n{\n{\nanimMap 4 a/one.tga a/two.tga\n}\n}\nbulletExplosion\n{\n{\nmap a/three.tga\n}\n}\n';
  const files = [
    ['scripts/a.shader', Buffer.from(script)],
    ['a/one.tga', tga(plain(1))],
    ['a/two.tga', tga(plain(2))],
    ['a/three.tga', tga(plain(3))],
  ];
  const quake3 = await shown('Quake III', [
    { name: 'pak0.pk3', bytes: await pk3(files.map(([name, bytes]) => ({ name, bytes }))) },
  ]);
  for (const [happening, age, index] of [
    [explosion, 100, 1],
    [explosion, 350, 2],
    [explosion, 900, 2],
    [{ kind: 'impact', color: [150, 145, 135] }, 200, 3],
  ]) {
    await quake3.show({ happening, age });
    const [seen] = await colors(quake3.page, BEFORE, SIDES);
    assert.ok(isNear(seen, COLORS[index]), `Quake III, ${happening.kind} ${age} ms: ${seen}`);
  }
  assert.deepEqual(quake3.errors, []);
  await quake3.close();
});

test('plasma of Quake III is its shader', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const script =
    'sprites/plasma1\n{\n{\nclampmap a/one.tga\nblendFunc GL_SRC_ALPHA GL_ONE\ntcMod rotate 90\n}\n{\nclampmap a/two.tga\nblendFunc add\n}\n}\n';
  const files = [
    ['scripts/a.shader', Buffer.from(script)],
    ['a/one.tga', tga(plain(1))],
    ['a/two.tga', tga(plain(2))],
  ];
  const { page, show, errors, close } = await shown('Quake III', [
    { name: 'pak0.pk3', bytes: await pk3(files.map(([name, bytes]) => ({ name, bytes }))) },
  ]);
  await show({});
  const behind = (await colors(page, BEFORE, SIDES))[0];
  await show({ entity: { kind: 'missile', item: { common: 'plasma_gun', own: 'weapon_plasmagun' } } });
  const [seen] = await colors(page, BEFORE, SIDES);
  const wanted = COLORS[1].map((value, channel) => Math.min(255, value + COLORS[2][channel] + behind[channel]));
  assert.ok(isNear(seen, wanted), `${seen}, not ${wanted}`);
  assert.deepEqual(errors, []);
  await close();
});

test('a damaged one is an error, in time', async () => {
  const { page, errors, close } = await shownIn(browser, server, recordings.Quake[0]);
  let seed = 5;
  const dice = (below) => {
    seed = (seed * 1664525 + 1013904223) >>> 0;
    return seed % below;
  };
  const parsed = (bytes) =>
    page.evaluate(async (base64) => {
      try {
        await document.querySelector('fragreel-viewer').mapStore.parser.model(
          Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)),
          null,
        );
        return '';
      } catch (error) {
        return error.message;
      }
    }, Buffer.from(bytes).toString('base64'));
  for (const whole of [spr([plain(1), [plain(2), plain(3)]]), spr2([plain(1), plain(2)], 1), sp2(['a.pcx', 'b.pcx'])]) {
    assert.equal(await parsed(whole), '');
    const mutants = 20;
    let failed = 0;
    for (let mutant = 0; mutant < mutants; mutant++) {
      let copy = Buffer.from(whole);
      if (mutant % 3 === 0) copy = copy.subarray(0, dice(copy.length));
      else
        for (let times = 0; times < 3; times++)
          copy.writeInt32LE([-1, 0, 0x7fffffff, -0x80000000, 1 << 20][dice(5)], dice(Math.min(copy.length, 64) - 4));
      const error = await parsed(copy);
      if (error) failed++;
      assert.ok(!/too long|could not be loaded/.test(error), error);
    }
    assert.ok(failed > mutants / 4, `${failed} of ${mutants} are errors`);
  }
  assert.deepEqual(errors, []);
  await close();
});

test("the smoke of a shotgun is the game's, and fades where nobody is in it", async (context) => {
  if (!space) return context.skip('no WebGL2');
  const script =
    'shotgunSmokePuff\n{\ncull none\n{\nmap a/three.tga\nblendFunc blend\nalphaGen entity\nrgbGen entity\n}\n}\n';
  const files = [
    ['scripts/a.shader', Buffer.from(script)],
    ['a/three.tga', tga(plain(3))],
  ];
  const { page, show, errors, close } = await shown('Quake III', [
    { name: 'pak0.pk3', bytes: await pk3(files.map(([name, bytes]) => ({ name, bytes }))) },
  ]);
  const at = async (age, camera = BEFORE) => {
    await show({ happening: { kind: 'smoke', size: 32, life: 900, color: [235, 235, 235] }, age });
    return (await colors(page, camera, SIDES))[0].slice(0, 3);
  };
  await show({});
  const bare = (await colors(page, BEFORE, SIDES))[0].slice(0, 3);
  for (const [age, part] of [
    [0, 0.33],
    [450, 0.165],
    [899, 0],
  ]) {
    const wanted = bare.map((value, channel) => value * (1 - part) + COLORS[3][channel] * part);
    const seen = await at(age);
    assert.ok(isNear(seen, wanted, 5), `${age} ms: ${seen}, not ${wanted}`);
  }
  const inside = await at(0, { ...BEFORE, eye: [286, 256, 2000] });
  assert.ok(isNear(inside, bare, 5), `who is in it does not see it: ${inside}`);
  assert.deepEqual(errors, []);
  await close();
});
