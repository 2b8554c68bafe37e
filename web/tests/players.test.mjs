// How players move and what they wear: figures of our own that follow the view, carry flags, and have shells.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOOK, ON, PLACE, alone, drawn, given, isColor } from './alone.mjs';
import { colors, shown as shownIn } from './ground.mjs';
import { drawsInSpace, drop, samples, setUp } from './harness.mjs';
import { COLORS, palette, pcx, plain, png } from './images.mjs';
import { pak, pk3 } from './maps.mjs';
import { md2, md3, mdl, studio } from './models.mjs';

const { server, browser } = await setUp();
const space = await drawsInSpace(browser);
const shown = (file) => shownIn(browser, server, file);
const BODY = [
  [-10, -10, -20],
  [10, 10, 30],
];
const POSE = {
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

test('legs and torso follow the view alike from wherever one comes', async () => {
  const { page, errors, close } = await shown(samples.quake3);
  const found = await page.evaluate(() => {
    const { replay } = document.querySelector('fragreel-viewer').session;
    const moves = (of, time) => {
      const scene = of.sceneAt(time);
      return scene.players.flatMap((player) => {
        const state = player.origin && of.figureOf(player.slot, scene);
        const turn = state && of.movesOf(player, state, scene).turn;
        return turn
          ? [
              {
                slot: player.slot,
                view: player.angles[1],
                stride: of.figures.strideAt(player.slot, scene.frame),
                ...turn,
              },
            ]
          : [];
      });
    };
    const times = Array.from({ length: 300 }, (_, at) => 1000 + at * 137);
    const forward = times.map((time) => JSON.stringify(moves(replay, time)));
    const back = [...times]
      .reverse()
      .map((time) => JSON.stringify(moves(replay, time)))
      .reverse();
    const alone = times
      .filter((_, at) => at % 30 === 0)
      .map((time) => {
        replay.turning.known.clear();
        return JSON.stringify(moves(replay, time));
      });
    // as the game does it, frame after frame from the first one on
    const way = (from, to) => ((((to - from) % 360) + 540) % 360) - 180;
    const swing = (part, goal, moves, passed, [tolerance, most]) => {
      let off = way(part.angle, goal);
      if (moves || Math.abs(off) > tolerance) part.swings = true;
      if (part.swings) {
        const step = passed * 0.3 * (Math.abs(off) < tolerance / 2 ? 0.5 : Math.abs(off) < tolerance ? 1 : 2);
        if (step >= Math.abs(off)) Object.assign(part, { angle: goal, swings: false });
        else part.angle += Math.sign(off) * step;
      }
      off = way(part.angle, goal);
      if (Math.abs(off) > most) part.angle = goal - Math.sign(off) * (most - 1);
    };
    const known = new Map();
    const apart = { legs: [], torso: [] };
    let turned = 0;
    replay.tracks.times.forEach((time, frame) => {
      const scene = replay.sceneAt(time);
      const seen = moves(replay, time);
      for (const slot of known.keys()) if (!seen.some((one) => one.slot === slot)) known.delete(slot);
      for (const one of seen) {
        const { sequence, second } = replay.figureOf(one.slot, scene);
        const isMoving = (sequence & 127) !== 22 || (second & 127) !== 11;
        const goals = { legs: one.view + one.stride, torso: one.view + one.stride / 4 };
        const track = replay.place.track(one.slot);
        const row = replay.place.row(track, frame);
        const { frames, bits } = replay.tracks.tables.place;
        const jumped = frames.at(row) === frame && bits.at(row) & 2;
        const last = jumped ? undefined : known.get(one.slot);
        const parts = last?.parts ?? {
          legs: { angle: goals.legs, swings: false },
          torso: { angle: goals.torso, swings: false },
        };
        if (last) {
          swing(parts.legs, goals.legs, isMoving, time - last.time, [40, 90]);
          swing(parts.torso, goals.torso, isMoving, time - last.time, [25, 90]);
        }
        known.set(one.slot, { time, parts });
        for (const part of ['legs', 'torso']) apart[part].push(Math.abs(way(one[part], parts[part].angle)));
        turned += Number(Math.abs(way(one.legs, one.view)) > 15);
      }
    });
    return { forward, back, alone, apart, turned };
  });
  assert.deepEqual(found.back, found.forward);
  assert.deepEqual(
    found.alone,
    found.forward.filter((_, at) => at % 30 === 0),
  );
  for (const [part, degrees] of Object.entries(found.apart)) {
    const near = degrees.filter((one) => one < 2).length;
    assert.ok(degrees.length > 1000 && near > degrees.length * 0.97, `${part}: ${near} of ${degrees.length}`);
  }
  assert.ok(found.turned > 200, `${found.turned}`);
  assert.deepEqual(errors, []);
  await close();
});

test('Quake III: flags, shells, barrels and flashes', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake3);
  const model = 'models/players/box';
  const part = (low, high, tags = {}, shader = 4) => md3([[low, high]], `models/test/${shader}`, tags);
  const pose = {
    ...POSE,
    model,
    skin: 'default',
    held: 'models/weapons2/test/test.md3',
    firing: { fires: false, since: 0, before: 0 },
    shell: null,
    onlyShell: false,
    carried: null,
  };
  await alone(page, PLACE, { state: pose });
  await drop(page, {
    name: 'pak0.pk3',
    bytes: await pk3([
      { name: `${model}/lower.md3`, bytes: part([-10, -10, -20], [10, 10, 0], { tag_torso: [0, 0, 0] }) },
      {
        name: `${model}/upper.md3`,
        bytes: part([-10, -10, 0], [10, 10, 20], { tag_head: [0, 0, 20], tag_weapon: [12, -40, 10] }),
      },
      { name: `${model}/head.md3`, bytes: part([-10, -10, 0], [10, 10, 10]) },
      { name: `${model}/animation.cfg`, bytes: Buffer.from(Array(25).fill('0 1 0 10').join('\n')) },
      { name: pose.held, bytes: part([-8, -8, -8], [8, 8, 8], { tag_barrel: [0, 0, 20], tag_flash: [0, 0, -20] }, 5) },
      { name: 'models/weapons2/test/test_barrel.md3', bytes: part([-6, -6, -6], [6, 6, 6], {}, 1) },
      { name: 'models/weapons2/test/test_flash.md3', bytes: part([-6, -6, -6], [6, 6, 6], {}, 2) },
      { name: 'models/flags/r_flag.md3', bytes: part([-6, 40, -6], [6, 60, 6], {}, 3) },
      ...[1, 2, 3, 4, 5].map((index) => ({ name: `models/test/${index}.png`, bytes: png(plain(index)) })),
    ]),
  });
  await given(page);
  // the weapon, its barrel and its flash are beside the figure
  const [WEAPON, BARREL, FLASH] = [
    [276, 216, 2010],
    [276, 216, 2030],
    [276, 216, 1990],
  ];
  const at = async (state, places, moves = null) => {
    await alone(page, PLACE, { state: { ...pose, ...state } });
    await page.evaluate(
      (moves) => (document.querySelector('fragreel-viewer').session.replay.movesOf = () => moves),
      moves,
    );
    await drawn(page);
    return colors(page, LOOK, places);
  };
  const [body, weapon, barrel, dark] = await at({}, [ON[0], WEAPON, BARREL, FLASH]);
  isColor(body, 4, 'the body');
  isColor(weapon, 5, 'the weapon');
  isColor(barrel, 1, 'the barrel');
  const [flash] = await at({}, [FLASH], { turn: null, gait: null, flashes: true });
  assert.notDeepEqual(flash, dark);
  isColor(flash, 2, 'the flash');
  const [blue] = await at({ shell: [0, 0, 255] }, [ON[0]]);
  assert.ok(blue[2] > body[2] + 60 && Math.abs(blue[0] - body[0]) < 6, `${blue}, without ${body}`);
  const [hidden, gone] = await at({ shell: [0, 0, 255], onlyShell: true }, [ON[0], WEAPON]);
  assert.ok(hidden[0] < body[0] - 60 && gone[2] > gone[0] + 20, `${hidden}, ${gone}`);
  // a flag is 16 behind and above, turned by a quarter: what is to its left is behind
  const behind = { mode: 'free', eye: [200, 120, 2016], angles: [0, 90, 0] };
  await at({ carried: 'models/flags/r_flag.md3' }, []);
  const [flag] = await colors(page, behind, [[190, 250, 2016]]);
  isColor(flag, 3, 'the flag');
  // the legs alone are turned
  const [aside] = await at({}, [[256, 256, 1990]], {
    turn: { legs: 45, torso: 0, pitch: 0 },
    gait: null,
    flashes: false,
  });
  isColor(aside, 4, 'the legs');
  const [corner] = await colors(page, LOOK, [[256, 268, 1990]]);
  isColor(corner, 4, 'a corner of the legs');
  const [side] = await colors(page, LOOK, [[256, 268, 2010]]);
  assert.ok(Math.abs(side[0] - COLORS[4][0]) > 40, `not of the torso: ${side}`);
  assert.deepEqual(errors, []);
  await close();
});

test('Quake II and Quake: flags, shells, and skins of players', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const two = await shown(samples.quake2);
  const pose = { ...POSE, model: 'players/box/tris.md2', skin: 'players/box/own', carried: 'players/box/flag.md2' };
  await alone(two.page, PLACE, { state: pose });
  const files = [
    { name: pose.model, bytes: md2([BODY], ['x']) },
    {
      name: pose.carried,
      bytes: md2(
        [
          [
            [-10, 20, 0],
            [10, 40, 20],
          ],
        ],
        ['players/box/flag.pcx'],
      ),
    },
    { name: 'players/box/own.pcx', bytes: pcx(4) },
    { name: 'players/box/flag.pcx', bytes: pcx(1) },
  ];
  await drop(two.page, { name: 'pak0.pak', bytes: pak(files) });
  await given(two.page);
  await drawn(two.page);
  const [body, flag] = await colors(two.page, LOOK, [ON[0], [266, 286, 2010]]);
  isColor(body, 4, 'the body');
  isColor(flag, 1, 'the flag');
  await alone(two.page, PLACE, { state: { ...pose, shell: [255, 0, 0] } });
  await drawn(two.page);
  const [red] = await colors(two.page, LOOK, [ON[0]]);
  assert.ok(red[0] >= Math.min(250, body[0] + 30) && Math.abs(red[2] - body[2]) < 6, `${red}, without ${body}`);
  assert.deepEqual(two.errors, []);
  await two.close();

  const one = await shown(samples.quake1);
  const plainly = { ...POSE, model: 'progs/player.mdl', skin: 'skins/own' };
  await alone(one.page, PLACE, { state: plainly });
  await drop(one.page, {
    name: 'pak0.pak',
    bytes: pak([
      { name: 'gfx/palette.lmp', bytes: palette },
      { name: 'progs/player.mdl', bytes: mdl([BODY], [plain(4)]) },
      { name: 'skins/own.pcx', bytes: pcx(2) },
    ]),
  });
  await given(one.page);
  for (const [skin, index] of [
    ['skins/own', 2],
    ['skins/none', 4],
    [null, 4],
  ]) {
    await alone(one.page, PLACE, { state: { ...plainly, skin } });
    await drawn(one.page);
    isColor((await colors(one.page, LOOK, ON))[0], index, `${skin}`);
  }
  assert.deepEqual(one.errors, []);
  await one.close();
});

test('Half-Life: figures look up and down, turn on their legs, and have the hues of players', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.goldsrc);
  const pose = { ...POSE, model: 'models/player/box/box.mdl' };
  await alone(page, PLACE, { state: pose });
  const dyes = Buffer.from(palette);
  dyes.set([200, 20, 20], 160 * 3);
  const long = [
    [10, -4, -20],
    [40, 4, 30],
  ];
  const figure = studio(long, [0, 0], () => 160, dyes, 16, { other: [40, 40], name: 'DM_Base.bmp' });
  await drop(page, { name: 'pak0.pak', bytes: pak([{ name: pose.model, bytes: figure }]) });
  await given(page);
  // from above, so that one sees where the box goes
  const above = { mode: 'free', eye: [256, 256, 2300], angles: [89.9, 0, 0] };
  const seen = async (player, moves, places, state = {}) => {
    await alone(page, PLACE, { state: { ...pose, ...state }, player });
    await page.evaluate(
      (moves) => (document.querySelector('fragreel-viewer').session.replay.movesOf = () => moves),
      moves,
    );
    await drawn(page);
    return (await colors(page, above, places)).map(([red, green, blue]) =>
      red > green * 3 ? 'red' : green > red * 3 && green > blue * 3 ? 'green' : 'none',
    );
  };
  // the other end of the blend is 40 ahead: who looks up is wholly there, who looks ahead halfway
  const [NEAR, MIDDLE, FAR] = [
    [270, 256, 2030],
    [290, 256, 2030],
    [330, 256, 2030],
  ];
  assert.deepEqual(await seen({ angles: [45, 0, 0] }, null, [NEAR, MIDDLE, FAR]), ['red', 'red', 'none']);
  assert.deepEqual(await seen({ angles: [-45, 0, 0] }, null, [NEAR, MIDDLE, FAR]), ['none', 'none', 'red']);
  // feet to the left, view ahead: a quarter of the way back is the one controller's
  const to = (degrees) => [
    256 + 25 * Math.cos((degrees * Math.PI) / 180),
    256 + 25 * Math.sin((degrees * Math.PI) / 180),
    2030,
  ];
  assert.deepEqual(
    await seen({ angles: [45, 0, 0] }, { turn: null, gait: 90, flashes: false }, [to(0), to(67.5), to(110)]),
    ['none', 'red', 'none'],
  );
  // who walks backwards turns his legs about
  assert.deepEqual(await seen({ angles: [45, 0, 0] }, { turn: null, gait: 180, flashes: false }, [to(0), to(180)]), [
    'red',
    'none',
  ]);
  assert.deepEqual(await seen({ angles: [45, 0, 0] }, null, [NEAR], { colors: [85, 0] }), ['green']);
  assert.deepEqual(errors, []);
  await close();
});

test("the weapon in one's hand moves with the steps", async (context) => {
  if (!space) return context.skip('no WebGL2');
  const low = [
    [20, -10, -20],
    [40, 10, -6],
  ];
  /** Of each game: its files, what the recording states of the hand, and whether the weapon sways while nobody moves. */
  const games = {
    [samples.quake1]: [[{ name: 'v_test.mdl', bytes: mdl([low], [plain(4)]) }], {}, false],
    [samples.goldsrc]: [[{ name: 'v_test.mdl', bytes: studio(low, [0], plain(4), palette) }], {}, false],
    [samples.quake3]: [
      [
        {
          // the hand model for weapons without one
          name: 'models/weapons2/shotgun/shotgun_hand.md3',
          bytes: md3(
            [
              [
                [0, 0, 0],
                [1, 1, 1],
              ],
            ],
            'none',
            { tag_weapon: [0, 0, 0] },
          ),
        },
        { name: 'held.md3', bytes: md3([low], 'skin') },
        { name: 'skin.png', bytes: png(plain(4)) },
      ],
      { step: 64 },
      true,
    ],
    [samples.quake2]: [
      [
        { name: 'v_test.mdl', bytes: md2([low], ['x.pcx']) },
        { name: 'x.pcx', bytes: pcx(4) },
      ],
      { offset: [4, 3, 2], turn: [0, 10, 0] },
      false,
    ],
  };
  for (const [file, [files, stated, sways]] of Object.entries(games)) {
    const { page, errors, close } = await shown(file);
    await drop(page, { name: 'pak0.pak', bytes: pak([{ name: 'gfx/palette.lmp', bytes: palette }, ...files]) });
    await given(page);
    const model = file === samples.quake3 ? 'models/weapons2/test/test_hand.md3' : 'v_test.mdl';
    const picture = (time, speed, stated) =>
      page.evaluate(
        async ({ time, speed, stated, model }) => {
          const viewer = document.querySelector('fragreel-viewer');
          const { replay } = viewer.session;
          replay.found ??= replay.sceneAt.bind(replay);
          const scene = replay.found(replay.duration / 2);
          const player = {
            ...scene.players[0],
            origin: [256, 256, 2000],
            angles: [0, 0, 0],
            alive: true,
            spectator: false,
          };
          replay.sceneAt = () => ({ ...scene, time, serverTime: time, view: null, players: [player], entities: [] });
          replay.handOf = () => ({
            model,
            frame: 0,
            before: 0,
            since: 0,
            offset: null,
            turn: null,
            kick: null,
            step: null,
            ...stated,
          });
          replay.figureOf = () => ({
            model: 'none',
            held: 'held.md3',
            second: 0,
            secondSince: 0,
            firing: null,
            shell: null,
            onlyShell: false,
          });
          replay.velocityOf = () => [speed, 0, 0];
          viewer.follow(player.slot);
          viewer.camera = 'eyes';
          const { ground } = viewer.stage;
          const gl = ground.getContext('webgl2');
          const pixels = new Uint8Array(ground.width * ground.height * 4);
          const own = () => {
            viewer.changed();
            viewer.advance(0);
            gl.readPixels(0, 0, ground.width, ground.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
            let sum = 0;
            for (let at = 0; at < pixels.length; at += 4)
              if (pixels[at] > 90 && pixels[at] > pixels[at + 2] * 2) sum += 1 + (at % 4099);
            return sum;
          };
          let seen = own();
          for (let times = 0; times < 60 && !seen; times++) {
            await new Promise((done) => setTimeout(done, 30));
            seen = own();
          }
          return seen;
        },
        { time, speed, stated, model },
      );
    const still = await picture(100, 0, {});
    assert.ok(still > 0, `${file}: the weapon is seen`);
    assert.equal((await picture(1500, 0, {})) !== still, sways, `${file}: who stands`);
    const moves = await picture(150, 320, stated);
    assert.notEqual(moves, still, `${file}: who runs`);
    assert.equal(await picture(150, 320, stated), moves, `${file}: the same time is the same picture`);
    assert.deepEqual(errors, []);
    await close();
  }
});

test('what recordings state of hands and looks is known', async () => {
  for (const [file, check] of [
    [
      samples.quake3,
      (seen) =>
        seen.steps > 20 &&
        seen.fires > 20 &&
        !seen.kicks &&
        seen.carried.includes('models/flags/r_flag.md3') &&
        seen.shells.includes('60,90,255'),
    ],
    [samples.quake1, (seen) => seen.hands > 20 && !seen.kicks && !seen.steps && !seen.rotates],
    [samples.quake2, (seen) => seen.kicks > 10 && seen.turns > 10 && !seen.steps && seen.rotates > 20 && !seen.fires],
  ]) {
    const { page, errors, close } = await shown(file);
    const seen = await page.evaluate(() => {
      const { replay } = document.querySelector('fragreel-viewer').session;
      const found = { hands: 0, steps: 0, kicks: 0, turns: 0, fires: 0, rotates: 0, carried: [], shells: [] };
      for (let time = 0; time < replay.duration; time += 100) {
        const scene = replay.sceneAt(time);
        for (const { slot } of scene.players) {
          const [hand, figure] = [replay.handOf(slot, scene), replay.figureOf(slot, scene)];
          found.hands += Number(!!hand);
          found.steps += Number(hand?.step > 0 && hand.step < 256);
          found.kicks += Number(!!hand?.kick?.some((angle) => angle && Math.abs(angle) < 90));
          found.turns += Number(!!hand?.turn?.some((angle) => angle && Math.abs(angle) < 90));
          found.fires += Number(!!figure?.firing?.fires);
          if (figure?.carried) found.carried.push(figure.carried);
          if (figure?.shell) found.shells.push(`${figure.shell}`);
        }
        for (const { number } of scene.entities) found.rotates += Number(!!replay.lookOf(number, scene)?.rotates);
      }
      return found;
    });
    assert.ok(check(seen), `${file}: ${JSON.stringify(seen)}`);
    assert.deepEqual(errors, []);
    await close();
  }
});
