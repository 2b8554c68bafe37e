// A browser, the built page on a server of this machine, and the command to compare with.

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const packages = fileURLToPath(new URL('../node_modules/@sparticuz/chromium', import.meta.url));
const { version } = JSON.parse(readFileSync(join(packages, 'package.json'), 'utf8'));
export const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'web/dist');
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

export const samples = {
  quake3: 'samples/quake3/ctf_bots.dm_71',
  goldsrc: 'samples/goldsrc/net-48.dem',
  quake2: 'samples/quake2/yq2dm_Alice.dm2',
  quake1: 'samples/quake1/match_e1m1.mvd',
};

/** A recording of the corpus, or null where this machine has none: then that is noted. */
export function corpus(file) {
  const path = join(process.env.FRAGREEL_CORPUS ?? join(root, '../shared/corpus'), file);
  if (existsSync(path)) return path;
  skipped(`${file}: the corpus is missing`);
  return null;
}

/** The command, which gives the tests independent answers. */
export const command =
  process.env.FRAGREEL ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/fragreel');

export function fragreel(...args) {
  return execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 30 });
}

/** A page of somebody's own, with the element on it. */
const OTHER = `<!doctype html><html lang="en"><title>other</title><h1>A league</h1><input id="field">
<fragreel-viewer src="samples/quake2/yq2dm_Alice.dm2" t="0:07" pov="Bob" style="height:400px"></fragreel-viewer>
<script type="module" src="fragreel-viewer.js"></script></html>`;

/** Serves the page, and the checkout's samples; `more` may answer before. */
export async function serve(more = () => false) {
  const server = createServer((request, response) => {
    if (more(request, response)) return;
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)).replace(/^(\.\.[/\\])+/, '');
    if (path === '/other.html') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(OTHER);
      return;
    }
    const file = path.startsWith('/samples/') ? join(root, path) : join(dist, path === '/' ? 'index.html' : path);
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    // in one piece: the library is asked for twice a test, and in small pieces each time takes twice as long
    const bytes = readFileSync(file);
    response
      .writeHead(200, {
        'content-type': types[extname(file)] ?? 'application/octet-stream',
        'content-length': bytes.length,
      })
      .end(bytes);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    close: () => server.close() && server.closeAllConnections(),
  };
}

const flags = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--enable-unsafe-swiftshader',
  // a busy machine may let the graphics process wait longer than its watchdog does, which ends it
  '--disable-gpu-watchdog',
];

/** Draws all by the graphics library, the page itself, too. Without them a browser without a graphics card draws only WebGL so. */
const allByLibrary = ['--use-gl=angle', '--use-angle=swiftshader'];

/** Contexts that nobody uses now, of browsers whose pages share them. */
const free = new WeakMap();

/**
 * A browser for tests. It draws in space as any does, and puts pages together without the graphics library, which saves a quarter of the
 * tests' processor time where there is no graphics card. Pages of one context share a process, and with it what was compiled.
 */
export async function launch(...more) {
  const browser = await launchAsInstalled('--disable-gpu-compositing', '--process-per-site', ...more);
  free.set(browser, []);
  return browser;
}

/** A browser: the one that `CHROMIUM` names, or the one that npm brought, so that all machines test with the same. */
export const launchAsInstalled = (...more) => launchWithoutCard(...allByLibrary, ...more);

/** The same browser, which decides itself what it does without a graphics card. */
export async function launchWithoutCard(...more) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? (await unpacked()),
    args: [...flags, ...more],
    headless: true,
  });
}

/** npm's browser, in a folder of its own: the package takes what lies in the common one, complete or not. */
async function unpacked() {
  const folder = join(root, 'target/web/browser', version);
  if (!existsSync(folder)) {
    // files of tests run side by side, and none may start what another one still writes
    const own = `${folder}.${process.pid}`;
    await unpackInto(own);
    try {
      renameSync(own, folder);
    } catch {
      // another one was first
      rmSync(own, { recursive: true });
    }
  }
  return unpackInto(folder);
}

/** Unpacks what is not there yet. Returns the browser's path. */
async function unpackInto(folder) {
  mkdirSync(folder, { recursive: true });
  // what draws without a graphics card; the package would give the files to their packer's user, which not every machine allows
  if (!existsSync(join(folder, 'libGLESv2.so'))) {
    const archive = brotliDecompressSync(readFileSync(join(packages, 'bin/swiftshader.tar.br')));
    execFileSync('tar', ['-x', '--no-same-owner', '-C', folder], { input: archive });
  }
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  const path = await (await import('@sparticuz/chromium')).default.executablePath();
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  return path;
}

/** What the tests of a file share: the page's server and a browser. Both close after the last test. */
export async function setUp() {
  const server = await serve();
  const browser = await launch();
  after(async () => {
    await browser.close();
    server.close();
  });
  return { server, browser };
}

/** Whether the browser draws in space. Where it does not, what cannot be tested is noted where people see it. */
export async function drawsInSpace(browser) {
  const page = await browser.newPage();
  const draws = await page.evaluate(() => document.createElement('canvas').getContext('webgl2') !== null);
  await page.close();
  if (!draws) skipped("the viewer's pixels: the browser has no WebGL2");
  return draws;
}

/** Notes what was not tested, on the terminal and for the last lines of `cargo xtask ci`. */
export function skipped(what) {
  console.error(`\n*** SKIPPED: ${what} ***`);
  if (process.env.FRAGREEL_SKIPPED) appendFileSync(process.env.FRAGREEL_SKIPPED, `${what}\n`);
}

/** A page with the viewer on it, and what it asked of any network. With a `rate`, it draws no more pictures a second. */
export async function open(
  browser,
  server,
  { hash = '', width = 1100, height = 700, path = '', rate = 0, ...special } = {},
) {
  const isShared = free.has(browser) && !Object.keys(special).length;
  const { surroundings, leave } = await (isShared
    ? borrowed(browser, server)
    : own(browser, { viewport: { width, height }, ...special }));
  const page = await surroundings.newPage();
  if (isShared) await page.setViewportSize({ width, height });
  if (rate) await page.addInitScript(slowed, rate);
  await page.addInitScript(still);
  const requests = [];
  const errors = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(`${server.address}${path}${hash}`);
  await page.waitForFunction(() => customElements.get('fragreel-viewer'));
  const close = async () => {
    await page.close();
    await leave();
  };
  return { page, requests, errors, close };
}

/** A context for one page. */
async function own(browser, options) {
  const surroundings = await browser.newContext({ locale: 'en-US', acceptDownloads: true, ...options });
  return { surroundings, leave: () => surroundings.close() };
}

/** A context that pages use one after the other. What one has stored is gone before the next one comes. */
async function borrowed(browser, server) {
  const one = free.get(browser).pop() ?? (await keeping(browser, server));
  const clear = () =>
    one.session.send('Storage.clearDataForOrigin', { origin: new URL(server.address).origin, storageTypes: 'all' });
  // a page that was closed may have written until now
  await clear();
  const leave = async () => {
    await clear();
    free.get(browser).push(one);
  };
  return { surroundings: one.surroundings, leave };
}

/** A context with a page that keeps the library: browsers compile none that they have in the same process. */
async function keeping(browser, server) {
  const { surroundings } = await own(browser, {});
  const keeper = await surroundings.newPage();
  await keeper.goto(`${server.address}none`);
  const library = readdirSync(join(dist, 'assets')).find((name) => name.endsWith('.wasm'));
  await keeper.evaluate(async (address) => {
    globalThis.kept = await WebAssembly.compileStreaming(fetch(address));
  }, `assets/${library}`);
  return { surroundings, session: await surroundings.newCDPSession(keeper) };
}

/** In the page, before all else: it draws at most `rate` pictures a second. */
export function slowed(rate) {
  const draw = requestAnimationFrame;
  globalThis.requestAnimationFrame = (run) => setTimeout(() => draw(run), 1000 / rate);
}

/** In the page, before all else: it does not play by itself. Tests start it. */
function still() {
  new MutationObserver((_, watch) => {
    const viewer = document.querySelector('fragreel-viewer');
    if (!viewer) return;
    viewer.removeAttribute('autoplay');
    watch.disconnect();
  }).observe(document, { childList: true, subtree: true });
}

/** Waits until what `look` sees holds, and returns it. Only a failure takes the minute. */
export async function until(what, look, holds = Boolean) {
  for (const end = Date.now() + 60_000; ; ) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > end) throw new Error(`${what}: ${JSON.stringify(seen)}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Panels that are one of several in a tab. */
const TABS = {
  Chat: 'Events',
  Comments: 'Events',
  Results: 'Stats',
  Charts: 'Stats',
  Duels: 'Stats',
  Speed: 'Stats',
  Compare: 'Stats',
  Players: 'Match',
  Heat: 'Map',
};

/** Shows a panel. */
export async function showPanel(page, name) {
  await page.getByRole('tab', { name: TABS[name] ?? name, exact: true }).click();
  const part = page.getByRole('group', { name: 'part' }).getByRole('button', { name, exact: true });
  if (await part.count()) await part.click();
}

/** Gives the page files as if somebody had dropped them. */
export async function drop(page, ...files) {
  const data = files.map((file) =>
    typeof file === 'string'
      ? { name: file.split('/').pop(), base64: readBase64(file) }
      : { name: file.name, base64: Buffer.from(file.bytes).toString('base64') },
  );
  await page.evaluate(async (data) => {
    const transfer = new DataTransfer();
    for (const { name, base64 } of data) {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
    }
    const viewer = document.querySelector('fragreel-viewer');
    viewer.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, data);
}

function readBase64(file) {
  return execFileSync('base64', ['-w0', file.startsWith('/') ? file : join(root, file)], {
    encoding: 'latin1',
    maxBuffer: 1 << 28,
  });
}

/** Waits until a recording is there with all that is known of it. */
export async function ready(page, name) {
  await page.waitForFunction(
    (name) => {
      const viewer = document.querySelector('fragreel-viewer');
      return viewer.session && (!name || viewer.session.name === name) && viewer.session.audit;
    },
    name,
    { timeout: 60000 },
  );
}
