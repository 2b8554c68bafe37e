// What a visitor has to fetch stays small.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, constants } from 'node:zlib';
import { root } from './harness.mjs';

const folder = join(root, 'web/dist');
const files = readdirSync(folder, { recursive: true }).filter((name) => /\.(html|js|css|wasm)$/.test(name));
const packed = (name) => brotliCompressSync(readFileSync(join(folder, name)), { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 } }).length;

test('page and scripts are under 150 kB compressed', () => {
  const sizes = files.filter((name) => !name.endsWith('.wasm')).map((name) => [name, packed(name)]);
  const sum = sizes.reduce((sum, [, size]) => sum + size, 0);
  console.log(`page and scripts: ${sum} bytes`);
  assert.ok(sum < 150_000, JSON.stringify(sizes));
});

test('the library is not larger than it was', (t) => {
  const compiler = process.env.FRAGREEL_WEB_COMPILER;
  if (!compiler) return t.skip('FRAGREEL_WEB_COMPILER does not say which compiler made it; `cargo xtask web --test` does');
  const rows = readFileSync(join(root, 'web/sizes.tsv'), 'utf8').trim().split('\n').slice(1).map((line) => line.split('\t'));
  const row = rows.find(([name]) => name === compiler);
  assert.ok(row, `web/sizes.tsv has no size for the compiler "${compiler}"`);
  const limit = row[1] * (1 + Number(row[2]));
  const sum = files.filter((name) => name.endsWith('.wasm')).reduce((sum, name) => sum + packed(name), 0);
  console.log(`wasm: ${sum} bytes, at most ${Math.round(limit)} with the compiler "${compiler}"`);
  assert.ok(sum <= limit, `${sum} bytes, web/sizes.tsv has ${row[1]} for "${compiler}"`);
});
