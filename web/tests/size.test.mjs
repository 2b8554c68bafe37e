// What a visitor has to fetch stays small.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, constants } from 'node:zlib';
import { root } from './harness.mjs';

const folder = join(root, 'web/dist');
const files = readdirSync(folder, { recursive: true }).filter((name) => /\.(html|js|css|wasm)$/.test(name));
const packed = (name) =>
  brotliCompressSync(readFileSync(join(folder, name)), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 },
  }).length;

test('page and scripts are under 150 kB compressed', () => {
  const sizes = files.filter((name) => !name.endsWith('.wasm')).map((name) => [name, packed(name)]);
  const sum = sizes.reduce((sum, [, size]) => sum + size, 0);
  console.log(`page and scripts: ${sum} bytes`);
  assert.ok(sum < 150_000, JSON.stringify(sizes));
});

test('the library is not larger than it was', () => {
  // compilers of other versions make other sizes; a fifth of it came with the search of scrubbed recordings and the layouts of user messages,
  // a twentieth with packing clips, the best moments, and held keys
  const limit = 1_821_274 * 1.04;
  const sum = files.filter((name) => name.endsWith('.wasm')).reduce((sum, name) => sum + packed(name), 0);
  console.log(`wasm: ${sum} bytes, at most ${Math.round(limit)}`);
  assert.ok(sum <= limit, `${sum} bytes`);
});
