// Models of the four games: our own in each format, read and drawn, and hostile ones.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { colors, recordings, shown as shownIn } from './ground.mjs';
import { drawsInSpace, drop, samples, setUp } from './harness.mjs';
import { COLORS, miptex, palette, pcx, plain, png } from './images.mjs';
import { maps, pak, pk3 } from './maps.mjs';
import { LOOK, ON, OVER, PLACE, alone, drawn, given, isColor } from './alone.mjs';
import { box, iqm, md2, md3, mdl, mdr, studio } from './models.mjs';

const { server, browser } = await setUp();
const space = await drawsInSpace(browser);
const shown = (file) => shownIn(browser, server, file);

const [LOW, HIGH] = [
  [-10, -10, -20],
  [10, 10, 30],
];
const BODY = [LOW, HIGH];
const FAR = [
  [-10, -10, 40],
  [10, 10, 90],
];

/** One of each format, with two frames or a bone that moves. */
const models = {
  mdl: mdl([BODY, [BODY, FAR]], [plain(1), plain(2)], { flags: 8 }),
  md2: md2([BODY, FAR], ['models/test/skin.pcx']),
  md3: md3([BODY, FAR], 'models/test/skin', { tag_torso: [1, 2, 30] }),
  studio: studio(BODY, [0, 16], plain(3), palette),
  iqm: iqm(BODY, [0, 16], 'models/test/skin'),
  mdr: mdr(BODY, [0, 16], 'models/test/skin'),
  packed: mdr(BODY, [0, 16], 'models/test/skin', true),
};

/** What the page's worker makes of a model, with arrays as lists; or only whether it is one. */
const parsed = (page, bytes, isWhole = true) =>
  page.evaluate(
    async ({ base64, isWhole }) => {
      const { parser } = document.querySelector('fragreel-viewer').mapStore;
      const plainly = (value) =>
        ArrayBuffer.isView(value)
          ? [...value]
          : Array.isArray(value)
            ? value.map(plainly)
            : value && typeof value === 'object'
              ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plainly(one)]))
              : value;
      try {
        const model = await parser.model(
          Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)),
          null,
        );
        return { model: isWhole && plainly(model) };
      } catch (error) {
        return { error: error.message };
      }
    },
    { base64: Buffer.from(bytes).toString('base64'), isWhole },
  );

const bounds = (positions) =>
  [0, 1].map((end) =>
    [0, 1, 2].map((axis) => (end ? Math.max : Math.min)(...positions.filter((_, at) => at % 3 === axis))),
  );

describe('a model is read', () => {
  test('of each game', async () => {
    const { page, errors, close } = await shown(samples.quake2);
    const read = {};
    for (const [name, bytes] of Object.entries(models)) {
      const { model, error } = await parsed(page, bytes);
      assert.equal(error, undefined, name);
      read[name] = model;
      const [surface] = model.surfaces;
      assert.equal(surface.indices.length, box(LOW, HIGH).triangles.length * 3, name);
      const pose = surface.positions.slice(0, (surface.texels.length / 2) * 3);
      assert.deepEqual(bounds(pose), BODY, name);
      // clockwise, seen from outside
      for (let corner = 0; corner < surface.indices.length; corner += 3) {
        const [a, b, c] = surface.indices
          .slice(corner, corner + 3)
          .map((vertex) => pose.slice(vertex * 3, vertex * 3 + 3));
        const [u, v] = [b, c].map((end) => end.map((value, axis) => value - a[axis]));
        const outwards = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]].reduce(
          (sum, value, axis) => sum + value * (a[axis] - (axis === 2 ? 5 : 0)),
          0,
        );
        assert.ok(outwards < 0, `${name}: triangle ${corner / 3}`);
      }
      assert.ok(
        surface.texels.every((texel) => texel > 0 && texel < 1),
        name,
      );
      const lengths = Array.from({ length: surface.normals.length / 3 }, (_, at) =>
        Math.hypot(...surface.normals.slice(at * 3, at * 3 + 3)),
      );
      assert.ok(
        lengths.every((length) => Math.abs(length - 127) < 3),
        name,
      );
    }
    // corners look outwards
    const { positions, normals } = read.mdl.surfaces[0];
    assert.ok(
      normals
        .slice(0, 24)
        .every((value, at) => Math.abs(value) > 20 && value > 0 === positions[at] > (at % 3 === 2 ? 5 : 0)),
    );
    assert.deepEqual(
      [read.mdl.poses, read.mdl.frames, read.mdl.flags],
      [
        3,
        [
          [0, 1],
          [1, 2],
        ],
        8,
      ],
    );
    assert.deepEqual(
      read.mdl.pictures.map(({ indices }) => indices[0]),
      [1, 2],
    );
    assert.deepEqual([read.md2.poses, read.md2.surfaces[0].skins], [2, ['models/test/skin']]);
    assert.deepEqual(bounds(read.md3.surfaces[0].positions.slice(24)), FAR);
    assert.deepEqual(
      [read.md3.tags[0].name, read.md3.tags[0].places.slice(12, 24)],
      ['tag_torso', [1, 2, 30, 1, 0, 0, 0, 1, 0, 0, 0, 1]],
    );
    // joints and bones are tags, and move what is on them by its weight
    for (const [name, moved, tag] of [
      ['iqm', 8, [17, 2, 30]],
      ['mdr', 16, [16, 0, 0]],
      ['packed', 16, [16, 0, 0]],
    ]) {
      const { surfaces, tags, poses } = read[name];
      assert.deepEqual(
        [poses, surfaces.length, surfaces[0].name, surfaces[0].skins],
        [2, 1, 'body', ['models/test/skin']],
        name,
      );
      assert.deepEqual(
        bounds(surfaces[0].positions.slice(24)),
        BODY.map(([x, y, z]) => [x + moved, y, z]),
        name,
      );
      assert.deepEqual(
        tags.find((one) => one.name === 'tag_torso').places.slice(12),
        [...tag, 1, 0, 0, 0, 1, 0, 0, 0, 1],
        name,
      );
    }
    const { skeleton } = read.studio;
    assert.deepEqual(
      [skeleton.parents, skeleton.names, skeleton.sequences[0].frames, skeleton.sequences[0].loops],
      [[-1, 0], ['bip01', 'box'], 2, true],
    );
    assert.deepEqual(
      [0, 1].map((frame) => skeleton.sequences[0].bones.slice(frame * 14 + 7, frame * 14 + 14)),
      [
        [0, 0, 0, 0, 0, 0, 1],
        [16, 0, 0, 0, 0, 0, 1],
      ],
    );
    const { model } = await parsed(page, maps.Quake({ inside: { floor1: miptex('floor1', plain(5)) } }));
    const floor = model.surfaces.find(({ skins }) => skins.length);
    assert.deepEqual(
      [model.format, model.pictures.length, model.pictures[0].indices[0], Math.max(...floor.texels)],
      ['BSP', model.surfaces.filter(({ skins }) => skins.length).length, 5, 512 / 16],
    );
    assert.deepEqual(errors, []);
    await close();
  });

  test('and a damaged one is an error, in time', async () => {
    const { page, errors, close } = await shown(samples.quake2);
    let seed = 11;
    const dice = (below) => {
      seed = (seed * 1664525 + 1013904223) >>> 0;
      return seed % below;
    };
    const mutants = 24;
    const failed = {};
    for (const [name, whole] of Object.entries(models)) {
      failed[name] = 0;
      for (let mutant = 0; mutant < mutants; mutant++) {
        let copy = Buffer.from(whole);
        if (mutant % 4 === 0) copy = copy.subarray(0, dice(copy.length));
        // most damage hits what heads say: counts and offsets
        else
          for (let times = 0; times < 3; times++)
            copy.writeInt32LE(
              [-1, 0, 0x7fffffff, -0x80000000, 1 << 20, dice(65536)][dice(6)],
              dice(Math.min(copy.length, mutant % 2 ? 244 : copy.length) - 4),
            );
        const began = Date.now();
        const { error } = await parsed(page, copy, false);
        assert.ok(Date.now() - began < 5000, `${name} ${mutant}: ${Date.now() - began} ms`);
        if (error) failed[name]++;
        assert.ok(!/too long|could not be loaded/.test(error ?? ''), error);
      }
    }
    for (const [name, found] of Object.entries(failed))
      assert.ok(found > mutants / 4, `${name}: ${found} of ${mutants} are errors`);
    assert.match((await parsed(page, Buffer.from('nothing'))).error, /not a model/);
    assert.deepEqual(errors, []);
    await close();
  });
});

/** Files of each game in which everybody's model is our box; `state` is what the recording says. */
const games = {
  Quake: (state) => [
    {
      name: 'pak0.pak',
      bytes: pak([
        { name: 'gfx/palette.lmp', bytes: palette },
        { name: state.model, bytes: mdl([BODY, FAR], [plain(4)]) },
      ]),
    },
  ],
  'Half-Life': (state) => [
    { name: 'pak0.pak', bytes: pak([{ name: state.model, bytes: studio(BODY, [0, 16], plain(4), palette) }]) },
  ],
  'Quake II': (state) => [
    {
      name: 'pak0.pak',
      bytes: pak([
        { name: state.model, bytes: md2([BODY, FAR], ['x']) },
        { name: `${state.skin}.pcx`, bytes: pcx(4) },
      ]),
    },
  ],
  'Quake III': async (state) => {
    const part = (low, high, tags) => md3([[low, high]], `${state.model}/skin`, tags);
    return [
      {
        name: 'pak0.pk3',
        bytes: await pk3([
          { name: `${state.model}/lower.md3`, bytes: part([-10, -10, -20], [10, 10, 0], { tag_torso: [0, 0, 0] }) },
          {
            name: `${state.model}/upper.md3`,
            bytes: part([-10, -10, 0], [10, 10, 20], { tag_head: [0, 0, 20], tag_weapon: [12, 0, 10] }),
          },
          { name: `${state.model}/head.md3`, bytes: part([-10, -10, 0], [10, 10, 10], {}) },
          { name: `${state.model}/animation.cfg`, bytes: Buffer.from(Array(25).fill('0 1 0 10').join('\n')) },
          {
            name: `${state.model}/lower_default.skin`,
            bytes: Buffer.from(`body,${state.model}/own.tga\ntag_torso,\n`),
          },
          { name: `${state.model}/skin.png`, bytes: png(plain(4)) },
          { name: `${state.model}/own.png`, bytes: png(plain(4)) },
          { name: state.held ?? 'none', bytes: part([0, -2, -2], [20, 2, 2], {}) },
        ]),
      },
    ];
  },
};

for (const [format, [file]] of Object.entries(recordings)) {
  test(`${format}: players are drawn with the models of dropped files`, async (context) => {
    if (!space) return context.skip('no WebGL2');
    const { page, errors, close } = await shown(file);
    const pose = {
      before: 0,
      frame: 0,
      next: 0,
      part: 0,
      since: 1000,
      skinNumber: 0,
      colors: null,
      body: 0,
      sequence: 0,
      second: 0,
      began: 0,
      rate: 0,
    };
    // our recordings of Half-Life state no model of a player
    if (format === 'Half-Life') pose.model = 'models/player/gordon/gordon.mdl';
    const state = { ...(await alone(page, PLACE, { state: pose })), ...pose };
    const own = await colors(page, LOOK, ON);
    for (const one of await games[format](state)) await drop(page, one);
    await given(page);
    await drawn(page);
    const seen = await colors(page, LOOK, [...ON, ...OVER]);
    for (const at of [0, 1, 2]) isColor(seen[at], 4, `${format} at ${ON[at]}`);
    assert.notDeepEqual(seen.slice(0, 3), own, "before, it was the viewer's own figure");
    if (format === 'Quake' || format === 'Quake II') {
      // half of the way to the other frame: from 10 to 60 above the middle
      await alone(page, PLACE, {
        state: { ...pose, frame: 1, since: 50, next: 1, part: 0.5, ...(format === 'Quake II' ? { frame: 0 } : {}) },
      });
      const [, head, , over] = await colors(page, LOOK, [...ON, ...OVER]);
      assert.deepEqual(over, seen[3], 'the box has not come so far');
      isColor(head, 4, 'half of the way');
      const [above] = await colors(page, LOOK, [[266, 256, 2055]]);
      isColor(above, 4, 'and above where it was');
    }
    await page.keyboard.press('c');
    assert.deepEqual(await colors(page, LOOK, ON), own, 'flat colors leave the figure');
    assert.deepEqual(errors, []);
    await close();
  });
}

test('Quake: static entities stand where the recording states it', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown('samples/quake1/netquake666_deltas_dm6.dem');
  const statics = await page.evaluate(() => {
    const { replay } = document.querySelector('fragreel-viewer').session;
    const { time, level } = replay.sceneAt(replay.duration / 2);
    return replay.happenings.staticsAt(time, level);
  });
  assert.equal(statics.length, 15, 'as many as the messages say');
  const { model, origin } = statics[0];
  await alone(page, PLACE);
  const look = { ...LOOK, eye: [origin[0] + 100, origin[1], origin[2]] };
  const on = [[origin[0] + 10, origin[1], origin[2] + 5]];
  const [nothing] = await colors(page, look, on);
  await drop(page, {
    name: 'pak0.pak',
    bytes: pak([
      { name: 'gfx/palette.lmp', bytes: palette },
      { name: model, bytes: mdl([BODY], [plain(4)]) },
    ]),
  });
  await given(page);
  await drawn(page);
  const [seen] = await colors(page, look, on);
  isColor(seen, 4, model);
  assert.notDeepEqual(seen, nothing);
  assert.deepEqual(errors, []);
  await close();
});

test('a picture of Half-Life mirrors, or is added', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.goldsrc);
  const state = {
    model: 'models/player/gordon/gordon.mdl',
    before: 0,
    frame: 0,
    next: 0,
    part: 0,
    since: 1000,
    skinNumber: 0,
    colors: null,
    body: 0,
    sequence: 0,
    second: 0,
    began: 0,
    rate: 0,
  };
  await alone(page, PLACE, { state });
  // normals of the box are up: from half above, a picture of 64 pixels would show its tenth row
  const camera = { mode: 'free', eye: [PLACE[0] + 100, PLACE[1], PLACE[2] + 100], angles: [45, 180, 0] };
  const seen = async (flags) => {
    await drop(page, {
      name: `pak${flags}.pak`,
      bytes: pak([
        {
          name: state.model,
          bytes: studio(BODY, [0, 16], (_, y) => (y > 7 && y < 12 ? 2 : 4), palette, 16, { flags }),
        },
      ]),
    });
    await given(page);
    await page.evaluate(() => document.querySelector('fragreel-viewer').mapStore.models.found.clear());
    await drawn(page);
    return (await colors(page, camera, [[PLACE[0], PLACE[1], PLACE[2] + 20]]))[0];
  };
  const behind = (await colors(page, { ...camera, angles: [45, 0, 0] }, [[PLACE[0] + 200, PLACE[1], PLACE[2]]]))[0];
  const plainly = await seen(0);
  isColor(plainly, 4, 'as it is');
  isColor(await seen(2), 2, 'what mirrors');
  const added = await seen(0x20);
  for (const channel of [0, 1, 2])
    assert.ok(
      Math.abs(added[channel] - Math.min(255, plainly[channel] + behind[channel])) < 8,
      `${added}: not ${plainly} and ${behind}`,
    );
  assert.deepEqual(errors, []);
  await close();
});

test('a power of Quake III is the shell of its shader', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(recordings['Quake III'][0]);
  const state = { ...(await alone(page, PLACE)), shell: [200, 0, 0], held: null };
  const [pack] = await games['Quake III'](state);
  const script =
    'powerups/quad\n{\n{\nmap a/two.tga\ntcGen environment\n}\n}\npowerups/battlesuit\n{\ndeformVertexes wave 100 sin 8 0 0 0\n{\nmap a/two.tga\ntcGen environment\n}\n}\n';
  const more = {
    name: 'pak1.pk3',
    bytes: await pk3([
      { name: 'scripts/a.shader', bytes: Buffer.from(script) },
      { name: 'a/two.png', bytes: png((_, y) => (y < 8 ? 2 : 3)) },
    ]),
  };
  const seen = async (powerups) => {
    await alone(page, PLACE, { state, player: { powerups } });
    await drawn(page);
    // normals of the boxes are up: from above, they mirror what is above; their sides would mirror what is below
    return colors(page, { mode: 'free', eye: [PLACE[0] + 100, PLACE[1], PLACE[2] + 100], angles: [45, 180, 0] }, [
      ...ON,
      [PLACE[0], PLACE[1], PLACE[2] + 39],
    ]);
  };
  const quad = [{ common: 'quad', own: 'item_quad' }];
  await drop(page, pack);
  await given(page);
  const plainShell = await seen(quad);
  await drop(page, more);
  await page.waitForFunction(
    () => !document.querySelector('fragreel-viewer').mapStore.models.found.get('layers powerups/quad'),
  );
  const shell = await seen(quad);
  // beside the light that a power gives
  const isShell = (color) =>
    COLORS[2].every((value, channel) => color[channel] - value >= 0 && color[channel] - value < 45);
  for (const at of [0, 1, 2]) assert.ok(isShell(shell[at]), `as bright as its picture: ${shell[at]}`);
  assert.ok(!isShell(shell[3]), `as high as the model: ${shell[3]}`);
  const suit = await seen([{ common: 'battle_suit', own: 'item_enviro' }]);
  assert.ok(isShell(suit[3]), `higher by 8 units: ${suit[3]}`);
  // a power whose shader is not there
  const other = await seen([{ common: 'invisibility', own: 'item_invis' }]);
  for (const at of [0, 1, 2])
    assert.ok(!isShell(other[at]) && !isShell(plainShell[at]), `${other[at]}, ${plainShell[at]}`);
  assert.deepEqual(errors, []);
  await close();
});

test('the shell of regeneration is seen a tenth of the time, and on no weapon', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(recordings['Quake III'][0]);
  const state = { ...(await alone(page, PLACE)), shell: null, held: null };
  for (const one of await games['Quake III'](state)) await drop(page, one);
  const script = 'powerups/regen\n{\n{\nmap a/two.tga\n}\n}\n';
  await drop(page, {
    name: 'pak1.pk3',
    bytes: await pk3([
      { name: 'scripts/a.shader', bytes: Buffer.from(script) },
      { name: 'a/two.png', bytes: png(plain(2)) },
    ]),
  });
  await given(page);
  const seen = async (serverTime, powerups = [{ common: 'regeneration', own: 'item_regen' }]) => {
    await alone(page, PLACE, { state, player: { powerups } });
    await page.evaluate((serverTime) => {
      const { replay } = document.querySelector('fragreel-viewer').session;
      const scene = { ...replay.sceneAt(0), serverTime };
      replay.sceneAt = () => scene;
    }, serverTime);
    await drawn(page);
    return (await colors(page, LOOK, ON))[0];
  };
  const isShell = (color) => color[2] > 150 && color[0] < 100;
  const times = Array.from({ length: 10 }, (_, part) => 50_050 + part * 100);
  const found = [];
  for (const time of times) if (isShell(await seen(time))) found.push(time);
  assert.deepEqual(found, [50_150]);
  assert.ok(!isShell(await seen(50_150, [])));
  assert.deepEqual(errors, []);
  await close();
});

test('a player of QuakeWorld holds the weapon if the files of both are there', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake1);
  const pose = { before: 0, frame: 0, next: 0, part: 0, since: 1000, skinNumber: 0, colors: null };
  const state = { ...pose, bare: 'progs/vwplayer.mdl', held: 'progs/w_rock.mdl' };
  await alone(page, PLACE, { state });
  const files = { 'gfx/palette.lmp': palette, 'progs/player.mdl': mdl([BODY], [plain(1)]) };
  const over = [
    [-10, -10, 50],
    [10, 10, 70],
  ];
  const seen = async () => {
    await drop(page, {
      name: 'pak0.pak',
      bytes: pak(Object.entries(files).map(([name, bytes]) => ({ name, bytes }))),
    });
    await given(page);
    await page.evaluate(() => document.querySelector('fragreel-viewer').mapStore.models.found.clear());
    await drawn(page);
    return colors(page, LOOK, [...ON, ...OVER]);
  };
  const alonePlayer = await seen();
  isColor(alonePlayer[0], 1, 'the usual model');
  files['progs/w_rock.mdl'] = mdl([over], [plain(4)]);
  assert.deepEqual(await seen(), alonePlayer, 'a weapon alone is not drawn over the one in the model');
  files['progs/vwplayer.mdl'] = mdl([BODY], [plain(2)]);
  const both = await seen();
  isColor(both[0], 2, 'the figure without a weapon');
  isColor(both[3], 4, 'the weapon');
  assert.deepEqual(errors, []);
  await close();
});

test('a shirt has the color of the player', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake1);
  // shirts are palette 16 to 31; color 4 is the row at 64, and row 13 is reversed
  const dyes = Buffer.from(palette);
  for (let index = 0; index < 16; index++) {
    dyes.set(COLORS[1], (16 + index) * 3);
    dyes.set(COLORS[2], (64 + index) * 3);
    dyes.set(index === 15 ? COLORS[3] : COLORS[6], (208 + index) * 3);
  }
  const pose = { before: 0, frame: 0, since: 1000, skinNumber: 0 };
  const state = await alone(page, PLACE, { state: { ...pose, colors: null } });
  await drop(page, {
    name: 'pak0.pak',
    bytes: pak([
      { name: 'gfx/palette.lmp', bytes: dyes },
      { name: state.model, bytes: mdl([BODY], [plain(16)]) },
    ]),
  });
  await given(page);
  for (const [worn, index] of [
    [null, 1],
    [[4, 0], 2],
    [[13, 0], 3],
  ]) {
    await alone(page, PLACE, { state: { ...pose, colors: worn } });
    await drawn(page);
    isColor((await colors(page, LOOK, ON))[0], index, `color ${worn}`);
  }
  assert.deepEqual(errors, []);
  await close();
});

test('items and missiles have models, and light of the floor below', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake3);
  const box3 = md3(
    [
      [
        [-20, -20, -20],
        [20, 20, 20],
      ],
    ],
    'models/test/skin',
  );
  await drop(page, {
    name: 'pak0.pk3',
    bytes: await pk3([
      { name: 'models/test/a.md3', bytes: box3 },
      { name: 'models/test/skin.png', bytes: png(plain(5)) },
    ]),
  });
  await given(page);
  const entity = (origin) => ({
    number: 100,
    kind: 'other',
    model: null,
    owner: null,
    item: null,
    origin,
    angles: null,
    heading: null,
  });
  const look = {
    model: 'models/test/a.md3',
    held: null,
    skin: null,
    skinNumber: null,
    colors: null,
    body: null,
    frame: 0,
    before: 0,
    since: 0,
    next: 0,
    part: 0,
    sequence: null,
    second: null,
  };
  const at = async (origin) => {
    await alone(page, [0, 0, 9000], { entities: [entity(origin)], look });
    await drawn(page);
    return (
      await colors(page, { mode: 'free', eye: [origin[0], origin[1] - 90, origin[2]], angles: [0, 90, 0] }, [
        [origin[0], origin[1] - 20, origin[2]],
      ])
    )[0];
  };
  isColor(await at([400, 300, 100]), 5, 'without a map');
  await drop(page, { name: 'am_lavactf.bsp', bytes: maps['Quake III']() });
  await page.waitForFunction(() =>
    document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
  );
  const [dark, bright] = [await at([100, 300, 100]), await at([450, 300, 100])];
  assert.ok(bright[0] > dark[0] * 1.5 && bright[1] > dark[1] * 1.5, `dark ${dark}, bright ${bright}`);
  assert.deepEqual(errors, []);
  await close();
});

test('a sphere is around health of Quake III, as bright as its shader', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake3);
  const boxOf = (half, shader) => md3([[Array(3).fill(-half), Array(3).fill(half)]], shader);
  const script = 'around\n{\n{\nmap a/ground\n}\n{\nmap a/over\nblendFunc blend\n}\n}\n';
  await drop(page, {
    name: 'pak0.pk3',
    bytes: await pk3([
      { name: 'models/powerups/health/test_cross.md3', bytes: boxOf(10, 'models/test/skin') },
      { name: 'models/powerups/health/test_sphere.md3', bytes: boxOf(20, 'around') },
      { name: 'models/test/skin.png', bytes: png(plain(5)) },
      { name: 'a/ground.png', bytes: png(plain(3)) },
      { name: 'a/over.png', bytes: png(plain(2)) },
      { name: 'scripts/a.shader', bytes: Buffer.from(script) },
    ]),
  });
  await given(page);
  const [state] = [await alone(page, PLACE)];
  const item = { number: 100, kind: 'item', model: null, owner: null, item: null, angles: null, heading: null };
  const look = { ...state, model: 'models/powerups/health/test_cross.md3', held: null };
  await alone(page, [0, 0, 9000], { entities: [{ ...item, origin: PLACE }], look });
  await drawn(page);
  const [x, y, z] = PLACE;
  const [seen] = await colors(page, { mode: 'free', eye: [x, y - 90, z + 4], angles: [0, 90, 0] }, [
    [x, y - 20, z + 4],
  ]);
  isColor(seen, 2, 'the upper picture of the sphere');
  assert.deepEqual(errors, []);
  await close();
});
