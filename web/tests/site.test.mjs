// The website that `fragreel site` makes of the samples, in a browser: nothing refused by its policy, nothing from elsewhere, accessible, small, and not wider
// than a phone, in both themes. FRAGREEL_SITE_PICTURES=FOLDER keeps a picture of each page.

import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { after, before, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { fragreel, launch, root } from './harness.mjs';

const axe = readFileSync(join(root, 'web/node_modules/axe-core/axe.min.js'), 'utf8');
const types = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};
/** Where pictures of all pages are kept. */
const pictures = process.env.FRAGREEL_SITE_PICTURES;

let folder;
let site;
let server;
let address;
let browser;
/** One page of each kind. */
let pages;

/** Serves a folder, and counts what was asked for. */
function serve(folder, asked) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)).replace(/^(\.\.[/\\])+/, '');
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const packed = gzipSync(readFileSync(file));
    asked.push({ path, bytes: packed.length });
    response
      .writeHead(200, {
        'content-type': types[extname(file)] ?? 'application/octet-stream',
        'content-encoding': 'gzip',
        'content-length': packed.length,
      })
      .end(packed);
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

const asked = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fragreel-site-'));
  site = join(folder, 'site');
  const config = join(folder, 'site.toml');
  writeFileSync(
    config,
    "title = 'Sample archive'\nabout = 'Every recording in the samples of Fragreel.'\ncontact = 'https://example.org/'\n[[events]]\nname = 'Winter cup'\nfrom = '2000-01-01'\nto = '2100-01-01'\n",
  );
  try {
    fragreel('site', join(root, 'samples'), '-o', site, '--config', config);
  } catch (error) {
    // the samples have damage of their own
    assert.equal(error.status, 1, error.stderr);
  }
  server = await serve(site, asked);
  address = `http://127.0.0.1:${server.address().port}/`;
  browser = await launch();
  const first = (folder) =>
    `${folder}/${readdirSync(join(site, folder)).find((name) => statSync(join(site, folder, name)).isDirectory())}/`;
  const largest = (folder) => {
    const size = (name) => statSync(join(site, folder, name, 'index.html')).size;
    const names = readdirSync(join(site, folder)).filter((name) => existsSync(join(site, folder, name, 'index.html')));
    return `${folder}/${names.reduce((best, name) => (size(name) > size(best) ? name : best))}/`;
  };
  const year = first('y').replace(/unknown\/$/, '');
  pages = {
    home: '',
    match: largest('m'),
    player: largest('p'),
    players: 'p/',
    map: largest('map'),
    calendar: 'y/',
    month: existsSync(join(site, year, 'index.html')) ? year : first(year.replace(/\/$/, '')),
    best: 'best/',
    find: 'find/?p=sarge',
    none: 'find/?p=nobody-is-called-so',
    about: 'about/',
    missing: '404.html',
  };
  for (const [kind, path] of [
    ['runs', 'runs'],
    ['event', 'e'],
    ['data', 'data'],
  ]) {
    if (existsSync(join(site, path))) pages[kind] = path === 'data' ? 'data/' : largest(path);
  }
});

after(async () => {
  await browser?.close();
  server?.close();
  if (folder) rmSync(folder, { recursive: true });
});

/** Opens a page, runs `look`, and says what the browser complained about. */
async function visit(path, options, look) {
  const context = await browser.newContext({ bypassCSP: false, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith('data:'))
      complaints.push(`asks ${request.url()}`);
  });
  page.on('dialog', (dialog) => complaints.push(`says ${dialog.message()}`));
  await page.goto(address + path, { waitUntil: 'networkidle' });
  const found = await look(page);
  await context.close();
  return { complaints, found };
}

const sizes = [
  ['wide', { width: 1280, height: 900 }],
  ['phone', { width: 360, height: 740 }],
];

for (const colorScheme of ['light', 'dark']) {
  for (const [name, viewport] of sizes) {
    test(`pages fit and nothing is refused: ${name}, ${colorScheme}`, { timeout: 300000 }, async () => {
      for (const [kind, path] of Object.entries(pages)) {
        const { complaints, found } = await visit(path, { viewport, colorScheme }, async (page) => {
          if (pictures) {
            mkdirSync(pictures, { recursive: true });
            await page.screenshot({
              path: join(pictures, `${kind}-${viewport.width}-${colorScheme}.png`),
              fullPage: true,
            });
          }
          await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
          return page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        });
        assert.deepEqual(complaints, [], `${kind}: ${path}`);
        assert.ok(found[0] <= found[1], `${kind}: ${path} is ${found[0]} wide in a window of ${found[1]}`);
      }
    });
  }

  test(`pages are accessible: ${colorScheme}`, { timeout: 300000 }, async () => {
    for (const [kind, path] of Object.entries(pages)) {
      const { found } = await visit(path, { viewport: sizes[1][1], colorScheme, bypassCSP: true }, async (page) => {
        await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
        await page.evaluate(axe);
        return page.evaluate(async () =>
          (await globalThis.axe.run()).violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 160)}`),
        );
      });
      assert.deepEqual(found, [], `${kind}: ${path}`);
    }
  });
}

test('pages are small', () => {
  const sizes = [];
  for (const name of readdirSync(join(site, 'm')))
    sizes.push(brotliCompressSync(readFileSync(join(site, 'm', name, 'index.html'))).length);
  sizes.sort((one, other) => one - other);
  const p95 = sizes[Math.floor(sizes.length * 0.95)];
  assert.ok(p95 <= 10_000, `${p95} bytes`);
});

test('a page takes three requests, and works without script', async () => {
  asked.length = 0;
  const { found } = await visit(pages.match, { javaScriptEnabled: false }, (page) => page.content());
  assert.ok(found.includes('<h2 id="board">') || found.includes('Board</h2>'), 'it has its board');
  // the icon and the plan may come besides
  const own = asked.filter(({ path }) => !path.endsWith('.svg'));
  assert.ok(own.length <= 3, JSON.stringify(asked));
});

test('the search answers from its lists', async () => {
  asked.length = 0;
  const { complaints, found } = await visit('find/?p=alice', {}, (page) => page.locator('[data-find] li').count());
  assert.deepEqual(complaints, []);
  assert.ok(found > 0, 'matches are found');
  const lists = asked.filter(({ path }) => path.endsWith('.json'));
  assert.ok(lists.length <= 4 && lists.reduce((sum, { bytes }) => sum + bytes, 0) <= 80_000, JSON.stringify(lists));
});

/** Names that end a tag, an attribute, a text of XML or JSON, a path or a line where somebody forgot to quote them. */
const hostile = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(2)</script>',
  '</title><svg onload=alert(3)>',
  '" autofocus onfocus=alert(4) x="',
  "' onmouseover=alert(5) x='",
  '--><script>alert(6)</script>',
  ']]><script>alert(7)</script>',
  '&lt;b&gt;&#x3c;i',
  'javascript:alert(8)',
  '../../../../etc/passwd',
  'CON.html',
  '%2e%2e%2f%00',
  '{{7*7}}',
  '=HYPERLINK(1)',
  '](javascript:alert(9))',
  '</style><style>*{display:none}',
  '`|$(id)`',
  '\u202egnp.exe',
];

test('hostile names are only text', { timeout: 300000 }, async (t) => {
  const made = mkdtempSync(join(tmpdir(), 'fragreel-hostile-'));
  t.after(() => rmSync(made, { recursive: true }));
  const archive = join(made, 'demos');
  mkdirSync(archive);
  const text = fragreel('decompile', join(root, 'samples/quake3/dm_bots.dm_71'));
  hostile.forEach((name, at) => {
    // as it stands within a string of the game, which stands within JSON
    const quoted = JSON.stringify(name.replaceAll('"', "''").replaceAll('\\', '/')).slice(1, -1);
    const source = join(made, `${at}.jsonl`);
    writeFileSync(
      source,
      text
        .replaceAll('n\\\\Gargoyle\\\\', () => `n\\\\${quoted}\\\\`)
        .replaceAll('\\\\Sample ^2deathmatch\\\\', () => `\\\\${quoted}\\\\`)
        .replaceAll('\\\\mapname\\\\oa_minia\\\\', () => `\\\\mapname\\\\${quoted}\\\\`),
    );
    const file = `${name.replaceAll('/', '_').slice(0, 60)} ${at}.dm_71`;
    fragreel('compile', source, '-o', join(archive, file));
  });
  const folder = join(made, 'site');
  fragreel('site', archive, '-o', folder);
  const files = readdirSync(folder, { recursive: true }).map((file) => file.replaceAll('\\', '/'));
  const asked = [];
  const server = await serve(folder, asked);
  t.after(() => server.close());
  const own = `http://127.0.0.1:${server.address().port}/`;
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  const complaints = [];
  let place = '';
  const complain = (what) => complaints.push(`${place}: ${what}`);
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complain(message.text()));
  page.on('pageerror', complain);
  page.on('dialog', (dialog) => complain(dialog.message()) && dialog.dismiss());
  page.on(
    'request',
    (request) => request.url().startsWith(own) || request.url().startsWith('data:') || complain(request.url()),
  );
  // the viewer has tests of its own, and no pictures of its first page here
  const pages = files.filter((file) => file.endsWith('index.html') && !file.startsWith('a/'));
  let shown = 0;
  for (place of pages) {
    await page.goto(own + place.split('/').map(encodeURIComponent).join('/'));
    const { body, title } = await page.evaluate(() => ({ body: document.body.textContent, title: document.title }));
    shown += hostile.filter((name) => body.includes(name) || title.includes(name)).length;
  }
  assert.ok(pages.length > hostile.length * 2 && shown > hostile.length * 2, `${pages.length} pages, ${shown} names`);
  const documents = files.filter((file) => /\.(atom|xml|svg)$/.test(file));
  assert.ok(documents.length > hostile.length);
  for (place of documents) {
    const parsed = await page.evaluate(
      (text) => new DOMParser().parseFromString(text, 'application/xml').querySelector('parsererror')?.textContent,
      readFileSync(join(folder, place), 'utf8'),
    );
    if (parsed) complain(parsed);
  }
  for (place of files.filter((file) => file.endsWith('.json'))) JSON.parse(readFileSync(join(folder, place), 'utf8'));
  assert.deepEqual(complaints, []);
});
