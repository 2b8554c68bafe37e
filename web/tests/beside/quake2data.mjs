// Files for the engines of Quake II, and for the page: everything that a recording names. None of it is the game's.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compile } from '../compiled.mjs';
import { drawnPcx, wal } from '../images.mjs';
import { Bytes, pak } from '../maps.mjs';
import { levelOf } from './level.mjs';
import { color, palette, shade } from './palette.mjs';
import { bars, bricks, lettered, waves } from './patterns.mjs';
import { bolt, grenade, handWeapon, item, md2, missile, player, skinOf, skinSide } from './shapes.mjs';

const DRAWN = {
  floor1: lettered(1, 12),
  floor2: lettered(5, 4),
  wall1: lettered(2, 14),
  wall2: lettered(8, 13),
  brick1: bricks(7),
  door1: lettered(3, 14),
  panel1: bars(6, 0),
  panel2: bars(6, 1),
  panel3: bars(6, 2),
  water1: waves(13),
};
const NEXT = { panel1: 'panel2', panel2: 'panel3', panel3: 'panel1' };
/** The sides of the sky, each with another letter. */
const SIDES = ['rt', 'bk', 'lf', 'ft', 'up', 'dn'];
/** What the recordings name. */
const SKY = 'unit1_';
/** Frames of a player in the game's own list, and those in which he lies. */
const FRAMES = 198;
const lies = (frame) => [183, 189, 197].includes(frame);
const WEAPONS = [
  'weapon',
  'w_blaster',
  'w_shotgun',
  'w_sshotgun',
  'w_machinegun',
  'w_chaingun',
  'w_glauncher',
  'w_rlauncher',
  'w_hyperblaster',
  'w_railgun',
  'w_bfg',
  'a_grenades',
];

/** Writes `baseq2/pak0.pak` below a folder, and returns its path. */
export function writeQuake2(home, recording, places, { doors = 0 } = {}) {
  const text = recording.toString('latin1');
  const named = (pattern) => [...new Set(text.match(pattern) ?? [])];
  const map = named(/maps\/[\w/]+\.bsp/g)[0];
  const entries = new Map([
    ['pics/colormap.pcx', drawnPcx((x, y) => (y < 64 ? x : 0), [256, 320], palette)],
    ['pics/conchars.pcx', drawnPcx(() => 255, [128, 128], palette)],
    ['pics/conback.pcx', drawnPcx(() => 0, [320, 240], palette)],
    ['pics/16to8.dat', Buffer.alloc(1 << 16)],
    ['default.cfg', Buffer.from('\n')],
    ...SIDES.map((side, number) => [`env/${SKY}${side}.tga`, tga(lettered(number + 2, 14, 128), 128)]),
    ...Object.entries(DRAWN).map(([name, draw]) => [
      `textures/${name}.wal`,
      wal(name, draw, NEXT[name] ?? '', [64, 64]),
    ]),
  ]);
  entries.set(map, level(places, doors));
  for (const name of named(/models\/[\w/]+\.md2/g)) add(entries, name, made(name));
  for (const name of named(/sprites\/\w+\.sp2/g)) sprite(entries, name);
  // who plays chooses these by name
  const skins = new Set(['male/grunt', 'female/athena', ...named(/(fe)?male\/\w+/g)]);
  for (const folder of new Set([...skins].map((skin) => skin.split('/')[0]))) {
    add(entries, `players/${folder}/tris.md2`, player(lies), FRAMES);
    for (const weapon of WEAPONS) add(entries, `players/${folder}/${weapon}.md2`, handHeld, FRAMES, 'weapon');
  }
  [...skins].forEach((skin, number) => {
    const dyed = player(lies).map((part) => ({ ...part, row: part.row === 1 ? 2 + number : part.row }));
    entries.set(`players/${skin}.pcx`, drawnPcx(skinOf(dyed), [skinSide, skinSide], palette));
    entries.set(
      `players/${skin}_i.pcx`,
      drawnPcx(() => 0, [32, 32], palette),
    );
  });
  const path = join(home, 'baseq2', 'pak0.pak');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, pak([...entries].map(([name, bytes]) => ({ name, bytes }))));
  return path;
}

function level(places, doors) {
  const made = levelOf(places, { water: '*water1', panel: 'panel1' });
  const inside = Object.fromEntries([...Object.keys(DRAWN), 'sky1', '*water1'].map((name) => [name, null]));
  const door = () => [{ min: [-32, -8, -24], max: [32, 8, 40], texture: 'door1' }];
  return compile(38, {
    ...made,
    inside,
    next: NEXT,
    doors: Array.from({ length: doors }, door),
    entities: [
      { classname: 'worldspawn', message: 'Beside', sky: SKY },
      { classname: 'info_player_start', origin: places[0].join(' ') },
      { classname: 'info_player_deathmatch', origin: places[0].join(' ') },
    ],
  });
}

/** A weapon that goes with the player. */
const handHeld = [
  {
    row: 3,
    front: 14,
    box: () => [
      [8, -13, 2],
      [20, -9, 6],
    ],
  },
];

function add(entries, name, parts, frames = 12, skin = 'skin') {
  const cover = name.replace(/\w+\.md2$/, `${skin}.pcx`);
  entries.set(name, md2(parts, frames, cover));
  entries.set(cover, drawnPcx(skinOf(parts), [skinSide, skinSide], palette));
}

function made(name) {
  if (/\/v_/.test(name)) return handWeapon;
  if (/rocket/.test(name)) return missile;
  if (/laser/.test(name)) return bolt;
  if (/grenade\d?\/|gibs|debris/.test(name)) return grenade;
  return item;
}

function sprite(entries, name) {
  const cover = name.replace('.sp2', '.pcx');
  entries.set(name, new Bytes().text('IDS2', 4).int(2, 1).int(64, 64, 32, 32).text(cover, 64).buffer);
  entries.set(
    cover,
    drawnPcx(
      (x, y) => (Math.hypot(x - 32, y - 32) < 30 ? shade(12, 14 - Math.floor(Math.hypot(x - 32, y - 32) / 3)) : 255),
      [64, 64],
      palette,
    ),
  );
}

/** From above, without runs. */
function tga(draw, side) {
  const body = Buffer.from(
    Array.from({ length: side * side }, (_, at) => color(draw(at % side, Math.floor(at / side))).reverse()).flat(),
  );
  return Buffer.concat([
    new Bytes().byte(0, 0, 2).short(0, 0).byte(0).short(0, 0, side, side).byte(24, 0x20).buffer,
    body,
  ]);
}
