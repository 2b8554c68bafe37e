// ezQuake plays QuakeWorld's recordings. It jumps to whole seconds, and stands still there.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fragreel } from '../harness.mjs';
import { doorsOf, framesOf, placesOf } from './frames.mjs';
import { writeQuake } from './quakedata.mjs';
import { HEIGHT, WIDTH, run } from './run.mjs';

const SECOND = 1000;
const SETTINGS = {
  sshot_format: 'tga',
  scr_newhud: 0,
  viewsize: 120,
  crosshair: 0,
  cl_hud: 0,
  con_notifytime: 0,
  scr_centertime: 0,
  show_fps: 0,
  cl_bob: 0.02,
  r_drawviewmodel: 1,
  default_fov: 90,
  fov: 90,
  vid_hwgammacontrol: 0,
  gl_gamma: 1,
  gl_contrast: 1,
  r_dynamic: 1,
  scr_tracking: '""',
  vid_vsync: 0,
  cl_maxfps: 77,
  demo_getpings: 0,
  allow_scripts: 1,
  v_viewheight: 0,
  r_drawdisc: 0,
  scr_scoreboard_forcecolors: 0,
  scr_autoid: 0,
  cl_chatmode: 0,
  scr_menualpha: 0,
};

export const ezQuake = {
  program: '/usr/lib/games/ezquake/ezquake',
  /** The recording as this engine plays it, and files that the script makes. */
  prepare(sample, home) {
    const recording = join(home, `beside${extname(sample)}`);
    mkdirSync(home, { recursive: true });
    fragreel('convert', sample, '--force', '-o', recording);
    return {
      recording,
      files: [writeQuake(home, readFileSync(recording), placesOf(framesOf(recording)), { doors: doorsOf(recording) })],
    };
  },
  async shoot(recording, times, home) {
    for (const folder of ['qw', 'ezquake']) mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, 'qw', basename(recording)), readFileSync(recording));
    const pause = (count) => 'wait\n'.repeat(count);
    const moments = times.map(
      (time, number) =>
        `demo_setspeed 1\ndemo_jump ${time / SECOND}\n${pause(6)}demo_setspeed 0\n${pause(6)}screenshot moment${number}\n${pause(4)}`,
    );
    // the engine runs this alias when it has loaded the map
    writeFileSync(
      join(home, 'ezquake', 'moments.cfg'),
      ['unalias f_spawn', pause(20), ...moments, 'quit force', 'quit'].join('\n'),
    );
    writeFileSync(
      join(home, 'ezquake', 'beside.cfg'),
      [
        ...Object.entries(SETTINGS).map(([name, value]) => `${name} ${value}`),
        'alias f_spawn "exec moments.cfg"',
        `playdemo ${basename(recording)}`,
      ].join('\n'),
    );
    await run(
      this.program,
      [
        '-basedir',
        home,
        '-nosound',
        '-condebug',
        '-window',
        '+vid_fullscreen',
        '0',
        '+vid_win_width',
        String(WIDTH),
        '+vid_win_height',
        String(HEIGHT),
        '+exec',
        'beside.cfg',
      ],
      home,
    );
    // they are in the folder of the mod that the recording names
    const files = readdirSync(home, { recursive: true });
    return times.map((_, number) =>
      join(
        home,
        files.find((file) => basename(file) === `moment${number}.tga`),
      ),
    );
  },
};
