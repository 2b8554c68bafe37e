// DarkPlaces plays NetQuake's recordings. The recording itself says when a picture is taken: commands for the console are put into it.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fragreel } from '../harness.mjs';
import { AHEAD, doorsOf, framesOf, messageAt, placesOf } from './frames.mjs';
import { writeQuake } from './quakedata.mjs';
import { HEIGHT, WIDTH, run } from './run.mjs';

const STUFFTEXT = 9;
/** How fast time goes before a moment, and while a picture is taken. */
const [SLOW, STILL] = [0.1, 0.0001];

export const darkPlaces = {
  program: '/usr/games/darkplaces',
  /** The recording as this engine plays it, and files that the script makes. */
  prepare(sample, home) {
    const recording = join(home, 'beside.dem');
    mkdirSync(home, { recursive: true });
    fragreel('convert', sample, '--force', '-o', recording);
    return {
      recording,
      files: [writeQuake(home, readFileSync(recording), placesOf(framesOf(recording)), { doors: doorsOf(recording) })],
    };
  },
  async shoot(recording, times, home) {
    const frames = framesOf(recording);
    const commands = new Map();
    times.forEach((time, number) => {
      // it reads a message when the one before is due
      const message = messageAt(frames, time) + 1;
      commands.set(message - AHEAD, `slowmo ${SLOW}\n`);
      commands.set(
        message,
        `slowmo ${STILL}\nwait\nwait\nwait\nscreenshot moment${number}.tga\nwait\nwait\nslowmo 1\n${number + 1 < times.length ? '' : 'quit\n'}`,
      );
    });
    writeFileSync(join(home, 'id1', 'played.dem'), withCommands(readFileSync(recording), commands));
    const sets = {
      vid_fullscreen: 0,
      vid_width: WIDTH,
      vid_height: HEIGHT,
      scr_screenshot_jpeg: 0,
      viewsize: 120,
      crosshair: 0,
      con_notifytime: 0,
      con_chattime: 0,
      scr_showram: 0,
      r_drawviewmodel: 1,
      fov: 90,
      cl_bob: 0.02,
      v_kicktime: 0.5,
      gl_picmip: 0,
      vid_vsync: 0,
      sbar_alpha_bg: 0,
      showturtle: 0,
    };
    const args = Object.entries(sets).flatMap(([name, value]) => [`+${name}`, String(value)]);
    await run('darkplaces', ['-basedir', home, '-nosound', '-window', ...args, '+playdemo', 'played.dem'], home);
    return times.map((_, number) => join(home, '.darkplaces', 'id1', `moment${number}.tga`));
  },
};

/** A recording with console commands at the end of messages. */
function withCommands(bytes, commands) {
  const parts = [bytes.subarray(0, bytes.indexOf(10) + 1)];
  let at = parts[0].length;
  for (let number = 0; at + 16 <= bytes.length; number++) {
    const length = bytes.readInt32LE(at);
    const text = commands.get(number);
    const more = text
      ? Buffer.concat(
          text.match(/(.+\n)/g).map((line) => Buffer.from(`${String.fromCharCode(STUFFTEXT)}${line}\0`, 'latin1')),
        )
      : Buffer.alloc(0);
    const head = Buffer.from(bytes.subarray(at, at + 16));
    head.writeInt32LE(length + more.length, 0);
    parts.push(head, bytes.subarray(at + 16, at + 16 + length), more);
    at += 16 + length;
  }
  return Buffer.concat(parts);
}
