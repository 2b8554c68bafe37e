// What is seen and heard for a moment, the sky, and the weapon before one's eyes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colors, keep, recordings, shown as shownIn } from './ground.mjs';
import { drawsInSpace, drop, samples, setUp, until } from './harness.mjs';
import { COLORS, miptex, palette, pcx, plain, png, tga } from './images.mjs';
import { maps, pak, pk3 } from './maps.mjs';
import { wav } from './sound.mjs';
import { md2, md3, mdl, studio } from './models.mjs';

const { server, browser } = await setUp();
const space = await drawsInSpace(browser);
const shown = (file) => shownIn(browser, server, file);

const PLACE = [256, 256, 2000];
const LOOK = { mode: 'free', eye: [456, 256, 2000], angles: [0, 180, 0] };

/** Nothing is there but one thing that happens, some milliseconds before the time. */
const happens = (page, one, age = 40) =>
  page.evaluate(
    ({ one, age }) => {
      const viewer = document.querySelector('fragreel-viewer');
      const { replay } = viewer.session;
      const scene = { ...replay.sceneAt(5000), view: null, players: [], entities: [] };
      replay.sceneAt = () => scene;
      const happening = one && {
        number: 7,
        time: scene.time - age,
        end: null,
        direction: null,
        subject: null,
        color: null,
        size: null,
        count: null,
        life: null,
        sound: null,
        ...one,
      };
      replay.happenings.between = (after, until) =>
        happening && happening.time > after && happening.time <= until ? [happening] : [];
      viewer.seek(5000);
      viewer.advance(0);
    },
    { one, age },
  );

/** Pixels of a part of the picture that are not as they were. */
const picture = (page) =>
  page.evaluate(() => {
    const { ground } = document.querySelector('fragreel-viewer').stage;
    const gl = ground.getContext('webgl2');
    const pixels = new Uint8Array(ground.width * ground.height * 4);
    gl.readPixels(0, 0, ground.width, ground.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    globalThis.before ??= pixels;
    let [changed, red, green, blue] = [0, 0, 0, 0];
    for (let at = 0; at < pixels.length; at += 4) {
      if (
        Math.abs(pixels[at] - before[at]) +
          Math.abs(pixels[at + 1] - before[at + 1]) +
          Math.abs(pixels[at + 2] - before[at + 2]) <
        12
      )
        continue;
      changed++;
      red += pixels[at] - before[at];
      green += pixels[at + 1] - before[at + 1];
      blue += pixels[at + 2] - before[at + 2];
    }
    return { changed, red, green, blue };
  });

test('each kind of happening is seen, and is over when its time is', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake3);
  await happens(page, null);
  await colors(page, LOOK, [PLACE]);
  await picture(page);
  const end = [256, 330, 2010];
  for (const [kind, more, age = 40] of [
    ['explosion', { size: 64, color: [255, 190, 70] }],
    ['impact', { count: 8, color: [150, 145, 135], direction: [0, 0, 1] }],
    ['blood', { count: 12, color: [150, 15, 10] }],
    ['gibs', { count: 10, color: [150, 15, 10] }],
    ['flash', { size: 300, color: [255, 230, 110] }],
    ['rail', { end, color: [40, 255, 40], size: 3 }],
    ['lightning', { end, color: [120, 160, 255], size: 4 }],
    ['lightning', { direction: [0, 1, 0], color: [120, 160, 255], size: 80, life: 60 }],
    ['laser', { end, color: [255, 40, 40], size: 4 }],
    ['tracer', { end, color: [255, 200, 100] }],
    ['teleport', { color: [235, 235, 235], size: 32 }],
    ['respawn', { color: [235, 235, 235], size: 24 }],
    ['splash', { color: [130, 160, 190], size: 16, count: 20 }, 80],
    ['bubbles', { end, color: [150, 180, 200] }],
    ['smoke', { color: [70, 70, 70], size: 24 }, 100],
  ]) {
    await happens(page, { kind, origin: PLACE, ...more }, age);
    const seen = await picture(page);
    assert.ok(seen.changed > 20, `${kind}: ${JSON.stringify(seen)}`);
    await happens(page, { kind, origin: PLACE, ...more }, age);
    assert.deepEqual(await picture(page), seen, `${kind} looks the same at the same time`);
    await happens(page, { kind, origin: PLACE, ...more }, 1600);
    assert.equal((await picture(page)).changed, 0, `${kind} is over`);
  }
  await happens(page, { kind: 'rail', origin: PLACE, end, color: [40, 255, 40], size: 3 });
  const { red, green, blue } = await picture(page);
  assert.ok(green > red * 1.3 && green > blue * 1.3, `a rail has its color: ${red} ${green} ${blue}`);
  assert.deepEqual(errors, []);
  await close();
});

test("one's own shot does not flash over the whole picture", async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake3);
  await happens(page, null);
  await colors(page, LOOK, [PLACE]);
  const flash = async (subject) => {
    await happens(
      page,
      subject === null ? null : { kind: 'flash', origin: PLACE, color: [255, 230, 110], size: 300, subject },
      10,
    );
    await page.evaluate(() => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.look.followed = 5;
      viewer.stage.camera.mode = 'eyes';
      viewer.changed();
      viewer.advance(0);
    });
    return (await picture(page)).changed;
  };
  await flash(null);
  const [own, other] = [await flash(5), await flash(6)];
  assert.ok(own > 20, `one's own is seen: ${own} pixels`);
  assert.ok(other > 20, `another's, too: ${other} pixels`);
  // one's own is much nearer
  assert.ok(own < other * 4, `${own} pixels of one's own, ${other} of another's`);
  assert.deepEqual(errors, []);
  await close();
});

test('an explosion lights the floor, for as long as it lasts', async (context) => {
  if (!space) return context.skip('no WebGL2');
  const { page, errors, close } = await shown(samples.quake3);
  await drop(page, { name: 'am_lavactf.bsp', bytes: maps['Quake III']() });
  await page.waitForFunction(() =>
    document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
  );
  const floor = async (one, age) => {
    await happens(page, one, age);
    return (await colors(page, { mode: 'free', eye: [163, 440, 100], angles: [60, 0, 0] }, [[220, 440, 0]]))[0];
  };
  const explosion = { kind: 'explosion', origin: [220, 400, 60], size: 48, color: [255, 190, 70] };
  const [dark, lit, late] = [await floor(null), await floor(explosion, 30), await floor(explosion, 720)];
  assert.ok(lit[0] > dark[0] * 1.25 && lit[0] - dark[0] > lit[2] - dark[2] + 10, `dark ${dark}, lit ${lit}`);
  assert.deepEqual(late, dark);
  assert.deepEqual(errors, []);
  await close();
});

test('explosions and rails are on the plan', async () => {
  const { page, errors, close } = await shown(samples.quake3);
  const at = async (one, place) => {
    await happens(page, one, 100);
    return page.evaluate((place) => {
      const viewer = document.querySelector('fragreel-viewer');
      const { stage } = viewer;
      viewer.follow(null);
      viewer.camera = 'top';
      stage.centered = false;
      Object.assign(stage.camera, { center: [256, 256], scale: 2 });
      viewer.changed();
      viewer.advance(0);
      const { x, y } = stage.camera.project(place);
      const ratio = stage.canvas.width / stage.camera.width;
      return [...stage.canvas.getContext('2d').getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data];
    }, place);
  };
  const [bare] = [await at(null, PLACE)];
  const [red, green, blue] = await at({ kind: 'explosion', origin: PLACE, size: 64, color: [255, 100, 20] }, PLACE);
  assert.ok(
    red > blue + 100 && red > green && String([red, green, blue]) !== String(bare.slice(0, 3)),
    `${red} ${green} ${blue}`,
  );
  const beam = await at({ kind: 'rail', origin: PLACE, end: [256, 356, 2000], color: [20, 255, 20] }, [256, 306, 2000]);
  assert.ok(beam[1] > beam[0] + 100, `${beam}`);
  assert.deepEqual(errors, []);
  await close();
});

test('the games say what happens, and where', async () => {
  for (const [game, [file]] of Object.entries(recordings)) {
    const { page, errors, close } = await shown(file);
    const found = await page.evaluate(() => {
      const { happenings, duration } = document.querySelector('fragreel-viewer').session.replay;
      const all = happenings.between(-1, duration);
      const kinds = {};
      for (const { kind } of all) kinds[kind] = (kinds[kind] ?? 0) + 1;
      const sound = all.find((one) => one.sound)?.sound ?? null;
      return {
        count: happenings.count,
        seen: all.length,
        kinds,
        sorted: all.every((one, at) => !at || one.time >= all[at - 1].time),
        numbers: all.every((one) =>
          [one.origin, one.end, one.direction].every((place) => !place || place.every(Number.isFinite)),
        ),
        sound,
      };
    });
    assert.ok(found.sorted && found.numbers && found.seen === found.count, `${game}: ${JSON.stringify(found)}`);
    // our recording of Half-Life was written by hand, and has next to nothing
    if (game === 'Half-Life') assert.ok(found.count > 0, game);
    else {
      for (const kind of ['sound', 'explosion', 'flash', 'impact'])
        assert.ok(found.kinds[kind] > 3, `${game}: ${JSON.stringify(found.kinds)}`);
      assert.ok(
        found.sound.file.includes('/') && found.sound.volume > 0 && found.sound.far > found.sound.near,
        JSON.stringify(found.sound),
      );
    }
    assert.deepEqual(errors, []);
    await close();
  }
});

/** Six pictures of a box, all of one color but the one that is up. */
const sides = (name, ending = 'tga') =>
  ['rt', 'bk', 'lf', 'ft', 'up', 'dn'].map((side) => ({
    name: `${name}${side}.${ending}`,
    bytes: tga(plain(side === 'up' ? 3 : 1)),
  }));
/** The room with a key more in its world; the text stays as long as it is. */
const withKey = (map, key, value) => {
  const [old, made] = [Buffer.from('"message" "A room"'), Buffer.from(`"${key}" "${value}"`)];
  const at = map.indexOf(old);
  const copy = Buffer.from(map);
  copy.fill(32, at, at + old.length);
  made.copy(copy, at);
  return copy;
};

const skies = {
  'Quake, clouds': {
    game: 'Quake',
    map: () => maps.Quake({ inside: { sky1: miptex('sky1', (x) => (x < 8 ? 0 : 3)) } }),
    files: () => ({ name: 'pak0.pak', bytes: pak([{ name: 'gfx/palette.lmp', bytes: palette }]) }),
  },
  'Half-Life': {
    game: 'Half-Life',
    map: () => maps['Half-Life'](),
    files: () => ({ name: 'pak0.pak', bytes: pak(sides('gfx/env/desert')) }),
  },
  'Quake II': {
    game: 'Quake II',
    map: () => withKey(maps['Quake II'](), 'sky', 'unit1_'),
    files: () => ({ name: 'pak0.pak', bytes: pak(sides('env/unit1_')) }),
  },
  'Quake III, box': {
    game: 'Quake III',
    map: () => maps['Quake III'](),
    files: async () => ({
      name: 'pak0.pk3',
      bytes: await pk3([
        {
          name: 'scripts/a.shader',
          bytes: Buffer.from('textures/test/sky1\n{\nsurfaceparm sky\nskyparms env/test 512 -\n}\n'),
        },
        ...sides('env/test_'),
      ]),
    }),
  },
  'Quake III, clouds': {
    game: 'Quake III',
    map: () => maps['Quake III'](),
    files: async () => ({
      name: 'pak0.pk3',
      bytes: await pk3([
        {
          name: 'scripts/a.shader',
          bytes: Buffer.from(
            'textures/test/sky1\n{\nsurfaceparm sky\nskyparms - 512 -\n{\nmap textures/clouds.tga\ntcMod scroll 0.1 0\ntcMod scale 2 2\n}\n}\n',
          ),
        },
        { name: 'textures/clouds.png', bytes: png(plain(3)) },
      ]),
    }),
  },
};

for (const [name, { game, map, files }] of Object.entries(skies)) {
  test(`the sky is the game's: ${name}`, async (context) => {
    if (!space) return context.skip('no WebGL2');
    const [file, mapName] = recordings[game];
    const { page, errors, close } = await shown(file);
    await drop(page, { name: `${mapName}.bsp`, bytes: map() });
    await page.waitForFunction(() =>
      document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0),
    );
    const up = { mode: 'free', eye: [256, 256, 100], angles: [-85, 20, 0] };
    const above = [258, 257, 180];
    const [gradient] = await colors(page, up, [above]);
    assert.ok(gradient[2] > gradient[0], `without files it is a gradient: ${gradient}`);
    await drop(page, await files());
    await page.waitForFunction(
      () => document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0).sky,
    );
    const [seen] = await colors(page, up, [above]);
    assert.ok(
      COLORS[3].every((value, channel) => Math.abs(value - seen[channel]) < 10),
      `${name}: ${seen}, not ${COLORS[3]}`,
    );
    await keep(page);
    assert.deepEqual(errors, []);
    await close();
  });
}

test('a sky of Quake II turns around the axis that the map states', async (context) => {
  if (!space) return context.skip('no WebGL2');
  for (const [axis, speed, wanted] of [
    ['0 1 0', '90', [3, 1, 3]],
    ['0 0 1', '90', [3, 3, 3]],
    ['0 0 0', '90', [3, 3, 3]],
    ['none', '1e999', [3, 3, 3]],
  ]) {
    const [file, mapName] = recordings['Quake II'];
    const { page, errors, close } = await shown(file);
    await drop(
      page,
      {
        name: `${mapName}.bsp`,
        bytes: maps['Quake II']({ more: `"sky" "unit1_"\n"skyaxis" "${axis}"\n"skyrotate" "${speed}"` }),
      },
      { name: 'pak0.pak', bytes: pak(sides('env/unit1_')) },
    );
    await page.waitForFunction(
      () => document.querySelector('fragreel-viewer').map(document.querySelector('fragreel-viewer').session, 0)?.sky,
    );
    for (const [at, index] of wanted.entries()) {
      await page.evaluate(
        (time) => {
          const { replay } = document.querySelector('fragreel-viewer').session;
          replay.truly ??= replay.sceneAt.bind(replay);
          replay.sceneAt = () => ({ ...replay.truly(100), serverTime: time });
        },
        at ? at * 3000 - 2000 : 0,
      );
      const [seen] = await colors(page, { mode: 'free', eye: [256, 256, 100], angles: [-85, 20, 0] }, [
        [258, 257, 180],
      ]);
      assert.ok(
        COLORS[index].every((value, channel) => Math.abs(value - seen[channel]) < 10),
        `${axis}, ${at}: ${seen}, not ${COLORS[index]}`,
      );
    }
    assert.deepEqual(errors, []);
    await close();
  }
});

test("one sees the weapon in one's hand", async (context) => {
  if (!space) return context.skip('no WebGL2');
  // before the eye, a little below it
  const low = [
    [12, -6, -10],
    [30, 6, -3],
  ];
  for (const game of ['Quake', 'Quake II', 'Quake III', 'Half-Life']) {
    const { page, errors, close } = await shown(recordings[game][0]);
    const hand = await page.evaluate((game) => {
      const viewer = document.querySelector('fragreel-viewer');
      const { replay } = viewer.session;
      for (let time = 0; time < replay.duration; time += 250) {
        const scene = replay.sceneAt(time);
        for (const player of scene.players) {
          const hand = replay.handOf(player.slot, scene);
          if (!hand && game !== 'Half-Life') continue;
          if (!player.origin || player.alive === false || player.spectator) continue;
          // our recording of Half-Life states no models
          if (game === 'Half-Life')
            replay.handOf = () => ({ model: 'models/v_test.mdl', frame: 0, before: 0, since: 0 });
          // high above the ground
          replay.sceneAt = () => ({
            ...scene,
            view: null,
            players: [{ ...player, origin: [256, 256, 2000] }],
            entities: [],
          });
          viewer.seek(time);
          viewer.follow(player.slot);
          viewer.camera = 'eyes';
          viewer.advance(0);
          return {
            ...(hand ?? { model: 'models/v_test.mdl' }),
            held: replay.figureOf(player.slot, scene)?.held ?? null,
          };
        }
      }
      return null;
    }, game);
    assert.ok(hand, `${game}: somebody holds a weapon`);
    const bytes = {
      Quake: () => mdl([low], [plain(4)]),
      'Quake II': () => md2([low], ['x.pcx']),
      'Half-Life': () => studio(low, [0], plain(4), palette),
      'Quake III': () => md3([low], 'models/skin'),
    }[game];
    const files = [
      { name: hand.model, bytes: bytes() },
      { name: 'gfx/palette.lmp', bytes: palette },
      { name: 'x.pcx', bytes: pcx(4) },
    ];
    if (game === 'Quake III')
      files.splice(
        0,
        3,
        {
          name: hand.model,
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
        { name: hand.held, bytes: bytes() },
        { name: 'models/skin.png', bytes: png(plain(4)) },
      );
    // straight on, and below the middle
    const at = () =>
      page.evaluate(() => {
        const viewer = document.querySelector('fragreel-viewer');
        viewer.changed();
        viewer.advance(0);
        const { ground } = viewer.stage;
        const pixel = new Uint8Array(4);
        const gl = ground.getContext('webgl2');
        gl.readPixels(ground.width / 2, Math.round(ground.height * 0.28), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
        return [...pixel];
      });
    const before = await at();
    await drop(
      page,
      game === 'Quake III' ? { name: 'pak0.pk3', bytes: await pk3(files) } : { name: 'pak0.pak', bytes: pak(files) },
    );
    await page.waitForFunction(() => document.querySelector('fragreel-viewer').models);
    const seen = await until(game, at, (seen) => String(seen) !== String(before));
    const part = Math.max(...seen.slice(0, 3)) / Math.max(...COLORS[4]);
    assert.ok(
      part > 0.3 && COLORS[4].every((value, channel) => Math.abs(value * part - seen[channel]) < 16),
      `${game}: ${seen}, before ${before}`,
    );
    assert.deepEqual(errors, []);
    await close();
  }
});

test('sounds are heard on request, at speeds at which they are themselves', async () => {
  const { page, errors, close } = await shown(samples.quake1);
  const names = await page.evaluate(() => {
    const { replay } = document.querySelector('fragreel-viewer').session;
    return [
      ...new Set(replay.happenings.between(-1, replay.duration).flatMap(({ sound }) => (sound ? [sound.file] : []))),
    ];
  });
  assert.ok(names.length > 10);
  await drop(page, { name: 'pak0.pak', bytes: pak(names.map((name) => ({ name, bytes: wav() }))) });
  await page.waitForFunction(() => document.querySelector('fragreel-viewer').mapStore.game.packs.length);
  const play = (speed, seconds = 2) =>
    page.evaluate(
      async ({ speed, seconds }) => {
        const viewer = document.querySelector('fragreel-viewer');
        const first = viewer.session.replay.happenings.between(3000, 1e9).find(({ sound }) => sound).time;
        viewer.seek(first - 1000);
        viewer.setSpeed(speed);
        if (!viewer.playing) viewer.toggle();
        const from = viewer.sounds.begun;
        for (let step = 0; step < (seconds * 1000) / 50; step++) {
          viewer.advance(50);
          await new Promise((done) => setTimeout(done, 5));
        }
        return viewer.sounds.begun - from;
      },
      { speed, seconds },
    );
  assert.equal(await play(1), 0, 'they are off');
  await page.keyboard.press('u');
  assert.equal(await page.evaluate(() => document.querySelector('fragreel-viewer').sounds.isOn), true);
  await play(1);
  assert.ok((await play(1)) > 3, 'they are on');
  assert.equal(await play(4), 0, 'too fast');
  assert.equal(await play(-1), 0, 'backwards');
  await page.keyboard.press('u');
  assert.equal(await play(1), 0, 'they are off again');
  const faded = await page.evaluate(async () => {
    const viewer = document.querySelector('fragreel-viewer');
    const volumeOf = viewer.sounds.volumeAt;
    const heard = { volume: 1, near: 80, far: 1080 };
    return [0, 80, 580, 1080, 3000]
      .map((x) => volumeOf(heard, [x, 0, 0], [0, 0, 0]))
      .concat(volumeOf({ ...heard, far: NaN }, [9e4, 0, 0], [0, 0, 0]));
  });
  assert.deepEqual(faded, [1, 1, 0.5, 0, 0, 1]);
  assert.deepEqual(errors, []);
  await close();
});

test('the picture goes where the next kill is', async () => {
  const { page, errors, close } = await shown(samples.quake3);
  const followed = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    const kills = viewer.session.events.filter(
      ({ kind, attacker, victim }) => kind === 'kill' && attacker?.slot !== undefined && attacker.slot !== victim.slot,
    );
    viewer.directed = true;
    return kills.slice(0, 6).map((kill) => {
      viewer.seek(kill.time - 1);
      viewer.advance(0);
      const shown = viewer.stage.scene.players
        .filter((player) => player.origin && !player.spectator)
        .map((player) => player.slot);
      return {
        followed: viewer.followed,
        sides: [kill.attacker.slot, kill.victim.slot].filter((slot) => shown.includes(slot)),
        directed: viewer.directed,
        camera: viewer.camera,
      };
    });
  });
  assert.ok(followed.length > 2);
  for (const one of followed) {
    assert.ok(one.directed && one.camera === 'behind', JSON.stringify(one));
    if (one.sides.length) assert.equal(one.followed, one.sides[0], JSON.stringify(followed));
  }
  await page.evaluate(() => document.querySelector('fragreel-viewer').follow(0));
  assert.equal(await page.evaluate(() => document.querySelector('fragreel-viewer').directed), false);
  assert.deepEqual(errors, []);
  await close();
});
