// A browser, the built page on a server of this machine, and the command to compare with.

import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'web/dist');
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

export const samples = {
  quake3: 'samples/quake3/ctf_bots.dm_71',
  quake2: 'samples/quake2/yq2dm_Alice.dm2',
  goldsrc: 'samples/goldsrc/net-48.dem',
  quake1: 'samples/quake1/match_e1m1.mvd',
};

/** The command, of which the tests want independent answers. */
export const command = process.env.FRAGREEL ?? join(root, 'target/debug/fragreel');

export function fragreel(...args) {
  return execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 30 });
}

/** A page of somebody's own, with the element on it. */
const OTHER = `<!doctype html><html lang="en"><title>other</title><h1>A league</h1><input id="field">
<fragreel-viewer src="samples/quake2/yq2dm_Alice.dm2" t="0:07" pov="Bob" style="height:400px"></fragreel-viewer>
<script type="module" src="fragreel-viewer.js"></script></html>`;

/** Serves the page, and the checkout's samples. */
export async function serve() {
  const server = createServer((request, response) => {
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
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream', 'content-length': statSync(file).size });
    createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

const flags = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

/** A browser: the one that is named, the system's, or the one that npm brought. */
export async function launch() {
  const installed = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-headless-shell'].find((path) => path && existsSync(path));
  const executablePath = installed ?? (await (await import('@sparticuz/chromium')).default.executablePath());
  return chromium.launch({ executablePath, args: flags, headless: true });
}

/** A page with the viewer on it, and what it asked of any network. */
export async function open(browser, server, { hash = '', width = 1100, height = 700, path = '', ...context } = {}) {
  const surroundings = await browser.newContext({ locale: 'en-US', viewport: { width, height }, acceptDownloads: true, ...context });
  const page = await surroundings.newPage();
  const requests = [];
  const errors = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(`${server.address}${path}${hash}`);
  await page.waitForFunction(() => customElements.get('fragreel-viewer'));
  return { page, requests, errors, close: () => surroundings.close() };
}

/** Gives the page files as if somebody had dropped them. */
export async function drop(page, ...files) {
  const data = files.map((file) => (typeof file === 'string' ? { name: file.split('/').pop(), base64: readBase64(file) } : { name: file.name, base64: Buffer.from(file.bytes).toString('base64') }));
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
  return execFileSync('base64', ['-w0', file.startsWith('/') ? file : join(root, file)], { encoding: 'latin1', maxBuffer: 1 << 28 });
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
