// What a visitor has to fetch stays small.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, constants } from 'node:zlib';
import { launch, open, root, serve, until } from './harness.mjs';

const folder = join(root, 'web/dist');
const files = readdirSync(folder, { recursive: true }).filter((name) => /\.(html|js|css|wasm)$/.test(name));
const packed = (name) =>
  brotliCompressSync(readFileSync(join(folder, name)), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 },
  }).length;

test('page and scripts are under 155 kB compressed', () => {
  const sizes = files.filter((name) => !name.endsWith('.wasm')).map((name) => [name, packed(name)]);
  const sum = sizes.reduce((sum, [, size]) => sum + size, 0);
  console.log(`page and scripts: ${sum} bytes`);
  assert.ok(sum < 155_000, JSON.stringify(sizes));
});

// compilers of other versions make other sizes
for (const [name, what, known] of [
  ['fragreel_bg', 'for watching', 1_226_180],
  ['fragreel_take_bg', 'for what few ask', 1_419_020],
])
  test(`the library ${what} is not larger than it was`, () => {
    const limit = known * 1.04;
    const [file] = files.filter((file) => file.includes(`${name}-`));
    const size = packed(file);
    console.log(`${file}: ${size} bytes, at most ${Math.round(limit)}`);
    assert.ok(size <= limit, `${size} bytes`);
  });

test('a moment of a site loads at most 1.5 MB', async () => {
  const server = await serve();
  const browser = await launch();
  // a context of its own has nothing stored
  const { page, requests, close } = await open(browser, server, { path: 'other.html', locale: 'en-US' });
  await until('all of it is read', () =>
    page.evaluate(() => !!document.querySelector('fragreel-viewer').session?.audit),
  );
  await close();
  await browser.close();
  server.close();
  const loaded = [...new Set(requests.map((address) => address.slice(server.address.length)))];
  const served = loaded.filter((name) => existsSync(join(folder, name)));
  // the module, its parts, the worker and a library; a clip is packed, and has some tens of kB
  assert.ok(
    served.some((name) => name.includes('worker')) && served.some((name) => name.endsWith('.wasm')),
    `${loaded}`,
  );
  assert.deepEqual(
    loaded.filter((name) => name.includes('take')),
    [],
  );
  const sizes = served.map((name) => [name, packed(name)]);
  const clip = 100_000;
  const sum = sizes.reduce((sum, [, size]) => sum + size, clip);
  console.log(`a moment: ${sum} bytes with a clip of ${clip}`);
  assert.ok(sum <= 1_500_000, JSON.stringify(sizes));
});
