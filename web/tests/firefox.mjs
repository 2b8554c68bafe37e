// Firefox by its own remote control, Marionette: WebDriver's commands as JSON behind their length. playwright-core asks it for what it has not.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PLACES = [
  '/usr/bin/firefox',
  '/usr/bin/firefox-esr',
  '/usr/local/bin/firefox',
  '/snap/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
];

/** The program: the one that `FIREFOX` names, or the one of this machine. */
export const firefoxPath = () => (process.env.FIREFOX ? process.env.FIREFOX : (PLACES.find(existsSync) ?? null));

const PREFERENCES = {
  'app.update.disabledForTesting': true,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'intl.accept_languages': 'en-US',
  'marionette.port': 0,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'toolkit.telemetry.enabled': false,
  // without a graphics card it draws by a processor only when it has to
  'webgl.force-enabled': true,
  'webgl.forbid-software': false,
};

/** A screen that nobody sees, where there is none: Firefox draws by WebGL with one only. */
async function screen() {
  if (process.env.DISPLAY || process.env.WAYLAND_DISPLAY || process.platform !== 'linux') return { env: {}, end() {} };
  const server = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const number = await new Promise((done) => {
    server.on('error', () => done(null));
    server.on('exit', () => done(null));
    server.stdout.once('data', (text) => done(String(text).trim()));
  });
  return { env: number ? { DISPLAY: `:${number}` } : {}, end: () => server.kill() };
}

/** Starts it, or says why it does not start. */
export async function startFirefox(path) {
  const { env, end: darken } = await screen();
  const profile = mkdtempSync(join(tmpdir(), 'fragreel-firefox-'));
  writeFileSync(
    join(profile, 'user.js'),
    Object.entries(PREFERENCES)
      .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
      .join(''),
  );
  const browser = spawn(path, ['--marionette', '--headless', '--no-remote', '--profile', profile], {
    stdio: 'ignore',
    env: { ...process.env, ...env, MOZ_HEADLESS_WIDTH: '1280', MOZ_HEADLESS_HEIGHT: '800' },
  });
  let ended = null;
  browser.on('error', (error) => (ended = error.message));
  browser.on('exit', (code) => (ended ??= `it ended with ${code}`));
  const end = async () => {
    if (ended === null) {
      const gone = new Promise((done) => browser.on('exit', done));
      browser.kill();
      await Promise.race([gone, new Promise((done) => setTimeout(done, 10000).unref())]);
      if (ended === null) browser.kill('SIGKILL');
    }
    darken();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    // it writes its port as soon as it listens
    const file = join(profile, 'MarionetteActivePort');
    for (let left = 600; !existsSync(file) || !readFileSync(file, 'utf8').trim(); left--) {
      if (ended !== null || !left) throw new Error(ended ?? 'it does not listen');
      await new Promise((done) => setTimeout(done, 100));
    }
    return await session(Number(readFileSync(file, 'utf8')), end);
  } catch (error) {
    await end();
    throw error;
  }
}

async function session(port, end) {
  const socket = connect(port, '127.0.0.1');
  let bytes = Buffer.alloc(0);
  const waiting = new Map();
  socket.on('data', (more) => {
    bytes = Buffer.concat([bytes, more]);
    for (;;) {
      const colon = bytes.indexOf(':');
      const length = Number(bytes.toString('latin1', 0, Math.max(0, colon)));
      if (colon < 0 || bytes.length < colon + 1 + length) return;
      const message = JSON.parse(bytes.toString('utf8', colon + 1, colon + 1 + length));
      bytes = bytes.subarray(colon + 1 + length);
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message;
      const one = waiting.get(id);
      waiting.delete(id);
      if (error) one?.fail(new Error(`${error.error}: ${error.message}`));
      else one?.done(result && 'value' in result ? result.value : result);
    }
  });
  const fail = (error) => {
    for (const one of waiting.values()) one.fail(error);
    waiting.clear();
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('Firefox hung up')));
  await new Promise((done, fail) => socket.once('connect', done).once('error', fail));
  let count = 0;
  const send = (name, parameters = {}) =>
    new Promise((done, fail) => {
      const id = ++count;
      waiting.set(id, { done, fail });
      const text = Buffer.from(JSON.stringify([0, id, `WebDriver:${name}`, parameters]));
      socket.write(Buffer.concat([Buffer.from(`${text.length}:`), text]));
    });
  await send('NewSession', { capabilities: { alwaysMatch: { timeouts: { script: 120000, pageLoad: 60000 } } } });
  /** Runs a function in the page; what it returns may be a promise. */
  const evaluate = async (run, ...args) => {
    const script = `const done = arguments[arguments.length - 1]; Promise.resolve().then(() => (${run})(...[...arguments].slice(0, -1))).then((value) => done({ value }), (error) => done({ error: String(error && error.stack || error) }));`;
    const { value, error } = await send('ExecuteAsyncScript', { script, args, newSandbox: false });
    if (error) throw new Error(error);
    return value;
  };
  return {
    send,
    evaluate,
    go: (url) => send('Navigate', { url }),
    /** Waits until something holds in the page. */
    async until(holds, ...args) {
      for (let left = 600; !(await evaluate(holds, ...args)); left--) {
        if (!left) throw new Error(`it never holds: ${holds}`);
        await new Promise((done) => setTimeout(done, 100));
      }
    },
    /** Presses a key, as a person does. */
    press: (key) =>
      send('PerformActions', {
        actions: [
          {
            type: 'key',
            id: 'keys',
            actions: [
              { type: 'keyDown', value: key },
              { type: 'keyUp', value: key },
            ],
          },
        ],
      }),
    /** Clicks on a place of the page. */
    click: (x, y) =>
      send('PerformActions', {
        actions: [
          {
            type: 'pointer',
            id: 'mouse',
            parameters: { pointerType: 'mouse' },
            actions: [
              { type: 'pointerMove', x: Math.round(x), y: Math.round(y) },
              { type: 'pointerDown', button: 0 },
              { type: 'pointerUp', button: 0 },
            ],
          },
        ],
      }),
    async close() {
      socket.destroy();
      await end();
    },
  };
}
