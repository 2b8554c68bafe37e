// Yamagi Quake II: `YQUAKE2` names the folder of its built client. The recording itself says when a picture is taken: commands for the console are put into it.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from '../harness.mjs';
import { AHEAD, doorsOf, framesOf, messageAt, placesOf } from './frames.mjs';
import { writeQuake2 } from './quake2data.mjs';
import { HEIGHT, WIDTH, run } from './run.mjs';

const [FRAME, STUFFTEXT] = [20, 11];
/** Where a frame states how many bytes of visible areas follow. */
const AREAS = 10;
/** How fast time goes before a moment, and while a picture is taken. */
const [SLOW, STILL] = [0.1, 0.0001];
/** Who may run it in place of the machine's administrator: it refuses that. */
const NOBODY = 65534;

export const yquake2 = {
  program: join(process.env.YQUAKE2 ?? '', 'quake2'),
  prepare(sample, home) {
    const recording = resolve(root, sample);
    return {
      recording,
      files: [writeQuake2(home, readFileSync(recording), placesOf(framesOf(recording)), { doors: doorsOf(recording) })],
    };
  },
  async shoot(recording, times, home) {
    const frames = framesOf(recording);
    const commands = new Map();
    times.forEach((time, number) => {
      const message = messageAt(frames, time);
      commands.set(message - AHEAD, `timescale ${SLOW}\n`);
      commands.set(
        message,
        `timescale ${STILL}\nwait\nwait\nwait\nwait\nscreenshot tga\nwait\nwait\ntimescale 1\n${number + 1 < times.length ? '' : 'quit\n'}`,
      );
    });
    const demos = join(home, 'baseq2', 'demos');
    mkdirSync(demos, { recursive: true });
    writeFileSync(join(demos, 'played.dm2'), withCommands(readFileSync(recording), commands));
    const own = join(home, '.yq2');
    mkdirSync(own, { recursive: true });
    for (const folder of [home, own]) chmodSync(folder, 0o777);
    const sets = {
      vid_renderer: 'gl1',
      vid_fullscreen: 0,
      r_mode: -1,
      r_customwidth: WIDTH,
      r_customheight: HEIGHT,
      s_initsound: 0,
      crosshair: 0,
      viewsize: 120,
      cl_drawfps: 0,
      scr_viewsize: 120,
      cl_footsteps: 0,
      horplus: 1,
      fov: 90,
      vid_gamma: 1,
      intensity: 2,
      gl_polyblend: 0,
      r_gunfov: -1,
      r_clear: 1,
      scr_drawcrosshair: 0,
      con_notifytime: 0,
    };
    writeFileSync(
      join(home, 'baseq2', 'config.cfg'),
      Object.entries(sets)
        .map(([name, value]) => `set ${name} ${value}\n`)
        .join(''),
    );
    const args = ['-datadir', home, '-cfgdir', '.yq2', '+demomap', 'played.dm2'];
    const [program, ...more] = process.getuid()
      ? [this.program]
      : ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', this.program];
    await run(program, [...more, ...args], home);
    return times.map((_, number) => join(own, 'baseq2', 'scrnshot', `q2_${String(number).padStart(4, '0')}.tga`));
  },
};

/** A recording that sees all areas, with console commands at the end of messages. */
function withCommands(bytes, commands) {
  const parts = [];
  for (let number = 0, at = 0; at + 4 <= bytes.length; number++) {
    const length = bytes.readInt32LE(at);
    if (length < 0) break;
    const text = commands.get(number);
    const more = text ? Buffer.from(`${String.fromCharCode(STUFFTEXT)}${text}\0`, 'latin1') : Buffer.alloc(0);
    const head = Buffer.alloc(4);
    head.writeInt32LE(length + more.length);
    const message = Buffer.from(bytes.subarray(at + 4, at + 4 + length));
    // the areas that are seen are those of another map
    if (message[0] === FRAME) message.fill(255, AREAS + 1, AREAS + 1 + message[AREAS]);
    parts.push(head, message, more);
    at += 4 + length;
  }
  return Buffer.concat([...parts, Buffer.from([255, 255, 255, 255])]);
}
