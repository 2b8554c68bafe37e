// Programs that draw on a screen that nobody sees.

import { spawn } from 'node:child_process';

export const [WIDTH, HEIGHT] = [1280, 720];
const LONGEST = 240_000;

/** Runs an engine to its end. One that hangs is ended with all that it started. */
export async function run(program, args, home, env = {}) {
  const child = spawn('xvfb-run', ['-a', '-s', `-screen 0 ${WIDTH}x${HEIGHT}x24`, program, ...args], {
    env: { ...process.env, HOME: home, PATH: `${process.env.PATH}:/usr/games`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said = (said + text).slice(-4000)));
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), LONGEST);
  const status = await new Promise((done, fail) => child.on('close', done).on('error', fail));
  clearTimeout(timer);
  if (process.env.BESIDE_LOG) console.error(said);
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${said.slice(-1000)}`);
}
