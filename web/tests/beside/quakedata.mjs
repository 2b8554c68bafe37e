// Files for the engines of Quake and QuakeWorld, and for the page: everything that a recording names and that the engines want before they start. None of it is the game's.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../compiled.mjs';
import { lumps, miptex } from '../images.mjs';
import { Bytes, pak } from '../maps.mjs';
import { sound } from '../sound.mjs';
import { levelOf } from './level.mjs';
import { colormap, palette } from './palette.mjs';
import { bars, bricks, clouds, lettered, waves } from './patterns.mjs';
import { bolt, grenade, handWeapon, item, mdl, missile, player, spr } from './shapes.mjs';

const PICTURES =
  'ranking complete inter finale pause loading qplaque ttl_main mainmenu menudot1 menudot2 menudot3 menudot4 menudot5 menudot6 box_tl box_ml box_bl box_tm box_mm box_mm2 box_bm box_tr box_mr box_br ttl_cstm ttl_sgl mp_menu p_multi p_option p_load p_save bigbox netmen1 sp_menu vidmodes help0'.split(
    ' ',
  );
const BAR =
  'disc backtile sbar ibar scorebar ram net turtle num_minus anum_minus num_colon num_slash sb_shells sb_nails sb_rocket sb_cells sb_armor1 sb_armor2 sb_armor3 sb_key1 sb_key2 sb_invis sb_invuln sb_suit sb_quad sb_sigil1 sb_sigil2 sb_sigil3 sb_sigil4 face1 face2 face3 face4 face5 face_p1 face_p2 face_p3 face_p4 face_p5 face_invis face_invul2 face_inv2 face_quad'.split(
    ' ',
  );
const WEAPONS = ['shotgun', 'sshotgun', 'nailgun', 'snailgun', 'rlaunch', 'srlaunch', 'lightng'];
/** What engines load whatever a recording names. */
const MODELS =
  'player eyes h_player gib1 gib2 gib3 s_light flame flame2 bolt bolt2 bolt3 v_axe v_shot v_shot2 v_nail v_nail2 v_rock v_rock2 v_light spike s_spike missile grenade backpack vwplayer w_axe w_shot w_shot2 w_nail w_nail2 w_rock w_rock2 w_light zom_gib laser'
    .split(' ')
    .map((name) => `progs/${name}.mdl`);
/** What the engine does with a model: a trail, smoke, blood, turning. */
const [TRAIL, SMOKE, BLOOD, TURNS] = [1, 2, 4, 8];
/** Frames of a player that lie, in Quake's own list. */
const lies = (frame) => [49, 60, 69, 84, 93, 102].includes(frame);
const FRAMES = 143;

export const textures = {
  floor1: miptex('floor1', lettered(1, 12), false, [64, 64]),
  floor2: miptex('floor2', lettered(5, 4), false, [64, 64]),
  wall1: miptex('wall1', lettered(2, 14), false, [64, 64]),
  wall2: miptex('wall2', lettered(8, 13), false, [64, 64]),
  brick1: miptex('brick1', bricks(7), false, [64, 64]),
  door1: miptex('door1', lettered(3, 14), false, [64, 64]),
  '+0panel': miptex('+0panel', bars(6, 0), false, [64, 64]),
  '+1panel': miptex('+1panel', bars(6, 1), false, [64, 64]),
  '+2panel': miptex('+2panel', bars(6, 2), false, [64, 64]),
  '*water1': miptex('*water1', waves(13), false, [64, 64]),
  sky1: miptex('sky1', clouds, false, [256, 128]),
};

/** Writes `id1/pak0.pak` below a folder, and returns its path. `places` are where players stood. */
export function writeQuake(home, recording, places, { doors = 0 } = {}) {
  const map = named(recording, /maps\/(?!b_)[\w.]+\.bsp/g)[0];
  const names = new Set([
    ...MODELS,
    'progs/s_explod.spr',
    'progs/s_bubble.spr',
    ...named(recording, /progs\/\w+\.(mdl|spr)/g),
    ...named(recording, /maps\/b_\w+\.bsp/g),
  ]);
  const sounds = named(recording, /[a-z]\w*\/\w+\.wav/g).map((name) => `sound/${name}`);
  const entries = new Map([
    ['gfx/palette.lmp', palette],
    ['gfx/colormap.lmp', Buffer.concat([colormap(), Buffer.from([32])])],
    ['gfx.wad', wad()],
    ['gfx/conback.lmp', picture(320, 200)],
    ['default.cfg', Buffer.from('\n')],
    ['quake.rc', Buffer.from('exec default.cfg\nexec autoexec.cfg\nstuffcmds\n')],
    ...PICTURES.map((name) => [`gfx/${name}.lmp`, picture(64, 24)]),
    ...sounds.map((name) => [name, sound(Buffer.alloc(64, 128))]),
    [
      map,
      compile(29, {
        ...levelOf(places),
        inside: textures,
        doors: Array.from({ length: doors }, () => [{ min: [-32, -8, -24], max: [32, 8, 40], texture: 'door1' }]),
        entities: [
          { classname: 'worldspawn', message: 'Beside' },
          { classname: 'info_player_start', origin: places[0].join(' ') },
          { classname: 'info_player_deathmatch', origin: places[0].join(' ') },
        ],
      }),
    ],
  ]);
  for (const name of names) entries.set(name, made(name));
  const folder = join(home, 'id1');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'pak0.pak');
  writeFileSync(path, pak([...entries].map(([name, bytes]) => ({ name, bytes }))));
  return path;
}

/** The names in a recording. What stands before one may look like letters of it, so models and maps are found by their folders. */
const named = (recording, pattern) => [...new Set(recording.toString('latin1').match(pattern) ?? [])];

function made(name) {
  if (name.endsWith('.spr')) return spr(6);
  if (name.endsWith('.bsp')) return crate();
  if (/\/(player|vwplayer|knight|soldier|zombie|dog)\.mdl/.test(name)) return mdl(player(lies), FRAMES);
  if (/\/v_/.test(name)) return mdl(handWeapon, 10);
  if (/missile|lavaball/.test(name)) return mdl(missile, 1, TRAIL);
  if (/grenade/.test(name)) return mdl(grenade, 1, SMOKE);
  if (/spike|laser/.test(name)) return mdl(missile, 1);
  if (/gib|h_/.test(name)) return mdl(grenade, 1, BLOOD);
  if (/bolt/.test(name)) return mdl(bolt, 1);
  return mdl(item, 8, /armor|g_|quaddama|backpack|invulner|suit/.test(name) ? TURNS : 0);
}

/** A box that lies around, as ammunition does: a map of its own. */
function crate() {
  const box = { min: [0, 0, 0], max: [24, 24, 24] };
  return compile(29, {
    room: box,
    isOpen: true,
    boxes: [{ ...box, texture: 'brick1' }],
    inside: { brick1: textures.brick1 },
    entities: [{ classname: 'worldspawn' }],
  });
}

const picture = (width, height) =>
  Buffer.concat([new Bytes().int(width, height).buffer, Buffer.alloc(width * height, 255)]);

/** The pictures of the bar below the view. */
function wad() {
  const digits = Array.from({ length: 10 }, (_, digit) => [`num_${digit}`, `anum_${digit}`]).flat();
  const weapons = WEAPONS.flatMap((weapon) =>
    ['inv_', 'inv2_', 'inva1_', 'inva2_', 'inva3_', 'inva4_', 'inva5_'].map((prefix) => prefix + weapon),
  );
  return lumps(
    [
      ['conchars', 0x44, Buffer.alloc(128 * 128)],
      ...[...BAR, ...digits, ...weapons].map((name) => [name, 0x42, picture(24, 24)]),
    ],
    'WAD2',
  );
}
