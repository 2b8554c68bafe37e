// The npm package as its users have it: packed, installed in a fresh project, and loaded from another origin.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { build, createServer as createVite } from 'vite';
import { launch, open, ready, root, samples } from './harness.mjs';

const web = join(root, 'web');
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };
const NAME = 'Alice.dm2';

/** Serves a folder, as a content delivery network does: to pages of every origin. */
async function host(folder) {
  const server = createServer((request, response) => {
    const file = join(folder, new URL(request.url, 'http://x').pathname.replace(/\/$/, '/index.html'));
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'access-control-allow-origin': '*',
    });
    return createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    close: () => server.close() && server.closeAllConnections(),
  };
}

let browser, folder, project, installed;
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), 'fragreel-package-'));
  project = mkdtempSync(join(folder, 'project-'));
  const npm = (cwd, ...args) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  // FRAGREEL_PACKAGE names one that is packed already, such as a release's
  const pack = () =>
    join(folder, JSON.parse(npm(web, 'pack', '--json', '--ignore-scripts', '--pack-destination', folder))[0].filename);
  const packed = process.env.FRAGREEL_PACKAGE ?? pack();
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }\n');
  npm(project, 'install', '--offline', '--no-audit', '--no-fund', packed);
  installed = join(project, 'node_modules/fragreel-viewer');
  writeFileSync(
    join(project, 'index.html'),
    `<!doctype html><html lang="en"><title>project</title><link rel="icon" href="data:,"><body><fragreel-viewer src="${NAME}" t="0:07" pov="Bob" style="height:400px"></fragreel-viewer>
<script type="module" src="/main.js"></script></body></html>`,
  );
  writeFileSync(join(project, 'main.js'), "import 'fragreel-viewer';\n");
});
after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** The recording that the page names is shown, at the moment and for the player that it names. */
async function shows(server) {
  const { page, errors, requests, close } = await open(browser, server);
  await ready(page, NAME);
  const seen = await page.evaluate(() => {
    const viewer = document.querySelector('fragreel-viewer');
    return [viewer.time, viewer.session.info.players.find(({ slot }) => slot === viewer.followed)?.name.clean];
  });
  assert.deepEqual(seen, [7000, 'Bob']);
  assert.deepEqual(errors, []);
  await close();
  return requests;
}

test('the package has the module, the libraries, and types', () => {
  for (const name of [
    'lib/fragreel-viewer.js',
    'lib/fragreel_bg.wasm',
    'lib/fragreel_take_bg.wasm',
    'lib/LICENSE-MIT',
    'answers.d.ts',
    'fragreel-viewer.d.ts',
    'react.d.ts',
    'server.js',
    'README.md',
  ]) {
    assert.ok(existsSync(join(installed, name)), name);
  }
});

test('a production build of Vite has all of it', async () => {
  const out = join(folder, 'built');
  await build({ root: project, configFile: false, logLevel: 'warn', build: { outDir: out, emptyOutDir: true } });
  copyFileSync(join(root, samples.quake2), join(out, NAME));
  const server = await host(out);
  const requests = await shows(server);
  assert.ok(requests.some((address) => address.startsWith(server.address) && address.endsWith('.wasm')));
  server.close();
});

test("Vite's server for development shows it", async () => {
  copyFileSync(join(root, samples.quake2), join(project, NAME));
  // a free port; Vite's page must know the number from the beginning
  const { address, close } = await host(project);
  close();
  const vite = await createVite({
    root: project,
    configFile: false,
    logLevel: 'error',
    server: { host: '127.0.0.1', port: Number(new URL(address).port) },
  });
  await vite.listen();
  await shows({ address: vite.resolvedUrls.local[0] });
  await vite.close();
});

for (const [what, from] of [
  ["the package's module", () => join(installed, 'lib')],
  ["the static page's module", () => join(web, 'dist')],
]) {
  test(`${what} works on a page of another origin`, async () => {
    const network = await host(from());
    const pages = mkdtempSync(join(folder, 'pages-'));
    copyFileSync(join(root, samples.quake2), join(pages, NAME));
    const html = readFileSync(join(project, 'index.html'), 'utf8').replace(
      '/main.js',
      `${network.address}fragreel-viewer.js`,
    );
    writeFileSync(join(pages, 'index.html'), html);
    const server = await host(pages);
    const requests = await shows(server);
    assert.ok(requests.some((address) => address.startsWith(network.address) && address.endsWith('.wasm')));
    server.close();
    network.close();
  });
}

test('a server can import it, and gets nothing that runs', () => {
  const run =
    "const all = await import('fragreel-viewer'); console.log(JSON.stringify(Object.keys(all)), all.FragreelViewer)";
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', run], { cwd: project, encoding: 'utf8' });
  assert.equal(said, '["FragreelViewer"] undefined\n');
});

test('TypeScript knows the element, its events and the tag', () => {
  symlinkSync(join(web, 'node_modules/@types'), join(project, 'node_modules/@types'));
  symlinkSync(join(web, 'node_modules/csstype'), join(project, 'node_modules/csstype'));
  const right = `import 'fragreel-viewer/react';
import type { FragreelViewer } from 'fragreel-viewer';
export const tag = <fragreel-viewer src="a.dm_68" t="1:23" pov={3} theme="dark" controls="none" maps="maps/{map}.bsp" className="wide" />;
const viewer: FragreelViewer | null = document.querySelector('fragreel-viewer');
viewer?.addEventListener('fragreel-open', (event) => event.detail.name.toUpperCase());
viewer?.addEventListener('fragreel-time', ({ detail }) => detail.time + Number(detail.playing));
viewer?.addEventListener('fragreel-kill', ({ detail }) => detail.victim.name.clean.length + (detail.attacker?.slot ?? 0));
if (viewer) viewer.speed = 2;
`;
  writeFileSync(join(project, 'right.tsx'), right);
  writeFileSync(
    join(project, 'wrong.tsx'),
    `import 'fragreel-viewer/react';\nexport const tag = <fragreel-viewer source="a.dm_68" />;\n`,
  );
  const check = (file) => {
    const options = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      '--jsx',
      'preserve',
      '--types',
      'react',
    ];
    try {
      return execFileSync(join(web, 'node_modules/.bin/tsc'), [...options, file], { cwd: project, encoding: 'utf8' });
    } catch (error) {
      return String(error.stdout);
    }
  };
  assert.equal(check('right.tsx'), '');
  assert.match(check('wrong.tsx'), /source/);
});
