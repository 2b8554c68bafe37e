// What modules of the page compute, without a browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, packed, table, tracks } from './modules.mjs';

const { ALIVE, ENTITY, ENTITY_KINDS, HAPPENING_KINDS, LASTS, PRESENT, TELEPORTED } = await load('data/layout');
const { append, emptyTable } = await load('data/packed');
const { Replay } = await load('data/replay');
const { Happenings } = await load('data/happenings');
const { read, write } = await load('data/link');
const { blocks, readShader } = await load('maps/shader');

const place = (x, yaw, bits = PRESENT) => ({ x, y: 0, z: 0, pitch: 0, yaw, roll: 0, bits });
const [NAME, WEAPON] = [
  { raw: '^1Bob', clean: 'Bob' },
  { own: 'Rocket Launcher', common: 'rocket_launcher' },
];

/** Bob in slot 3, who walks, is away for a frame, and teleports; a rocket that flies by its law. */
const ROWS = {
  place: [
    [3, 0, place(0, 350)],
    [3, 1, place(100, 10)],
    [3, 2, { bits: 0 }],
    [3, 3, place(200, 0)],
    [3, 4, place(900, 90, PRESENT | TELEPORTED)],
  ],
  status: [
    [3, 0, { bits: PRESENT | (ALIVE * 3), health: 80, name: 0, weapon: 1 }],
    [3, 2, { bits: 0 }],
    [3, 3, { bits: PRESENT | ALIVE, name: 0 }],
  ],
  entity: [[70, 0, { bits: PRESENT }]],
  about: [[70, 0, { bits: PRESENT, kind: ENTITY_KINDS.indexOf('missile'), owner: 3, motion: 2 }]],
};
const match = () =>
  tracks(5, ROWS, [
    NAME,
    WEAPON,
    { trajectory: 'linear', since: 5000, duration: 0, base: [1, 2, 3], delta: [1000, 0, 0], gravity: 800 },
  ]);

test('a scene is between two frames, and nothing in it is invented', () => {
  const replay = new Replay(match());
  const [bob] = replay.sceneAt(50).players;
  assert.deepEqual(
    [bob.slot, bob.name, bob.weapon, bob.health, bob.armor, bob.alive, bob.spectator],
    [3, NAME, WEAPON, 80, null, true, null],
  );
  assert.deepEqual(
    [bob.origin, bob.angles],
    [
      [50, 0, 0],
      [0, 360, 0],
    ],
    'half of the way, the short way round',
  );
  assert.deepEqual(replay.sceneAt(250).players, []);
  const [back] = replay.sceneAt(350).players;
  assert.deepEqual(
    [back.origin, back.health, back.alive, back.weapon],
    [[200, 0, 0], null, false, null],
    'nobody is halfway to where he teleports',
  );
  const [rocket] = replay.sceneAt(150).entities;
  assert.deepEqual(
    [rocket.kind, rocket.owner, rocket.origin, rocket.heading],
    ['missile', 3, [151, 2, 3], [1000, 0, 0]],
  );
  assert.deepEqual(
    replay.way(3, 0, 400).map(({ time, origin: [x], jumped }) => [time, x, jumped]),
    [
      [0, 0, true],
      [100, 100, false],
      [300, 200, true],
      [400, 900, true],
    ],
  );
});

test('a recording that grows is as it would be at once', () => {
  const whole = new Replay(match());
  const first = tracks(2, { place: ROWS.place.slice(0, 2), status: ROWS.status.slice(0, 1) }, [NAME, WEAPON]);
  const rest = match();
  const replay = new Replay(first);
  // rows of a block that is not full come again
  const more = tracks(3, { ...ROWS, about: [], entity: [[70, 2, { bits: PRESENT }]] });
  for (const column of ['times', 'serverTimes', 'matchTimes']) more[column] = rest[column].subarray(2);
  replay.extend(more);
  for (const time of [0, 50, 199, 250, 350, 400])
    assert.deepEqual(replay.sceneAt(time).players, whole.sceneAt(time).players, `at ${time}`);
});

test('sounds last from when they begin to when they are silenced, whichever way one comes', () => {
  const [SOUND, SILENCE] = ['sound', 'silence'].map((kind) => HAPPENING_KINDS.indexOf(kind));
  const rows = [
    [1000, SOUND, 5, 6],
    [2000, SOUND, undefined, 0],
    [2500, SOUND, undefined, 0],
    [3000, SILENCE, 5, 6],
    [4000, SOUND, 5, 6],
    [4000, SOUND, ENTITY + 5, 0],
  ];
  const columns = emptyTable('happening');
  const came = table(
    'happening',
    // all but the last last
    rows.map(([time, kind, subject, channel], row) => [
      0,
      row,
      {
        x: 1,
        y: 2,
        z: 3,
        volume: 1,
        near: 0,
        far: 1000,
        pitch: 1,
        time,
        kind,
        subject,
        file: 0,
        channel: channel + (kind === SOUND && row < rows.length - 1 ? LASTS : 0),
      },
    ]),
  );
  append(columns, packed(came));
  const made = new Happenings(columns, ['sound/a.wav'], { levels: new Uint32Array(rows.length) });
  const at = (time, level = 0) => made.lastingAt(time, level).map(({ number }) => number);
  assert.deepEqual(
    [500, 1500, 2600, 3500, 5000, 1500].map((time) => at(time)),
    [[], [0], [0, 1, 2], [1, 2], [1, 2, 4], [0]],
  );
  assert.deepEqual(at(5000, 1), []);
  assert.deepEqual(
    made
      .between(1999, 2500)
      .map(({ time, subject, origin, color, sound }) => [time, subject, origin, color, sound.far]),
    [
      [2000, null, [1, 2, 3], null, 1000],
      [2500, null, [1, 2, 3], null, 1000],
    ],
  );
});

test('a moment and its link are the same', () => {
  const moment = { time: 83250, follow: 'sarge', camera: 'eyes', speed: -2, range: [1000, 2500], source: 'a b.dm_68' };
  assert.deepEqual(read(write(moment)), moment);
  for (const camera of ['top', 'eyes', 'free'])
    assert.deepEqual(read(write({ camera, directed: true })), { camera, directed: true });
  // a director without a camera looks from behind
  assert.equal(write({ camera: 'behind', directed: true }), '#cam=director');
  assert.deepEqual(read('#cam=director'), { directed: true });
  assert.deepEqual(read('#t=1:23&pov=3&cam=none&speed=x&clip=9-5'), { time: 83000, follow: 3 });
});

test('a shader has what stands between its braces', () => {
  const script =
    'textures/a/one\n{ // {\n  cull none\n  { map textures/a/two.tga\n blendFunc add }\n}\ntextures/a/other\n{\n/* } */ surfaceparm nodraw\n}\n';
  const found = blocks(script, new Set(['textures/a/one']));
  assert.deepEqual([...found.keys()], ['textures/a/one']);
  const shader = readShader('textures/a/one', found.get('textures/a/one'));
  assert.deepEqual(
    [shader.both, shader.hidden, shader.layers.map(({ image, blend }) => [image, blend])],
    [true, false, [['textures/a/two.tga', ['ONE', 'ONE']]]],
  );
});
