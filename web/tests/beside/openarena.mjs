// OpenArena: the recording is played with a fixed time from picture to picture, so that a number of pictures is a time.

import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { HEIGHT, WIDTH, run } from './run.mjs';

const DATA = '/usr/share/games/openarena/baseoa';
/** Milliseconds from one picture to the next. */
const STEP = 50;

export const openArena = {
  program: '/usr/games/openarena',
  /** The game's own files: it is free. */
  prepare: (recording) => ({
    recording,
    files: readdirSync(DATA)
      .filter((name) => name.endsWith('.pk3'))
      .sort()
      .map((name) => join(DATA, name)),
  }),
  async shoot(recording, times, home) {
    const game = join(home, 'baseoa');
    mkdirSync(join(game, 'demos'), { recursive: true });
    copyFileSync(recording, join(game, 'demos', basename(recording)));
    // it shows the second picture before the one that it computes
    let past = -2 * STEP;
    const waits = times.flatMap((time, number) => {
      // the engine runs its commands twice for each picture
      const count = Math.round((time - past) / STEP) * 2;
      past = time;
      return [`wait ${count}`, `screenshot moment${number}`];
    });
    const script = [
      `demo ${basename(recording)}`,
      `set fixedtime ${STEP}`,
      'set cg_draw2D 0',
      'set con_notifytime 0',
      // the view is as high and the weapon is at the same place as at 4:3: a wider view lowers the weapon by a fifth of the degrees above 90
      'set cg_fov 106.26',
      'set cg_gunZ 3.25',
      ...waits,
      'wait 2',
      'quit',
    ];
    writeFileSync(join(game, 'beside.cfg'), script.join('\n'));
    const sets = {
      fs_homepath: home,
      r_fullscreen: 0,
      r_mode: -1,
      r_customwidth: WIDTH,
      r_customheight: HEIGHT,
      s_initsound: 0,
      com_maxfps: 0,
      sv_pure: 0,
      cl_renderer: 'opengl1',
    };
    await run(
      'openarena',
      [...Object.entries(sets).flatMap(([name, value]) => ['+set', name, String(value)]), '+exec', 'beside.cfg'],
      home,
    );
    return times.map((_, number) => join(game, 'screenshots', `moment${number}.tga`));
  },
};
