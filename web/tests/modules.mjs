// Modules of the page in Node, without a browser.

import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const vite = await createServer({
  root: fileURLToPath(new URL('..', import.meta.url)),
  configFile: false,
  logLevel: 'error',
  appType: 'custom',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
});
after(() => vite.close());

/** A module of `src`. */
export const load = (path) => vite.ssrLoadModule(`/src/${path}.ts`);

const { COLUMNS, OF_FRAMES, ABSENT, BLOCK, PLAIN } = await load('data/layout');

/** The columns of a table from rows like `[subject, frame, { x: 1, bits: 1 }]`, subject after subject. What a row does not state is unknown. */
export function table(name, rows) {
  const { floats, ints } = COLUMNS[name];
  const keys = [...new Set(rows.map(([key]) => key))];
  const column = (array, unknown) => (column) => [
    column,
    array.from(rows, ([, , values]) => values[column] ?? unknown),
  ];
  return {
    keys: Uint32Array.from(keys),
    starts: Uint32Array.from([...keys.map((key) => rows.findIndex((row) => row[0] === key)), rows.length]),
    frames: Uint32Array.from(rows, ([, frame]) => frame),
    ...Object.fromEntries([...floats.map(column(Float32Array, Number.NaN)), ...ints.map(column(Int32Array, ABSENT))]),
  };
}

/** Columns as the library hands them over, each number as it is. */
export function packed({ keys, starts, ...columns }) {
  const sizes = Uint32Array.from(keys, (_, track) => starts[track + 1] - starts[track]);
  const blocks = [...sizes].reduce((sum, size) => sum + Math.ceil(size / BLOCK), 0);
  const column = (numbers) => ({
    kinds: new Uint8Array(blocks).fill(PLAIN),
    bases: new Float64Array(blocks),
    ones: new Uint8Array(),
    twos: new Uint16Array(),
    plain: numbers instanceof Uint32Array ? Int32Array.from(numbers) : numbers,
  });
  return {
    keys,
    sizes,
    columns: Object.fromEntries(Object.entries(columns).map(([name, numbers]) => [name, column(numbers)])),
  };
}

/** Frames every 100 ms with tables from rows. */
export function tracks(count, tables, words = []) {
  const frames = (array, of) => (column) => [column, array.from({ length: count }, (_, frame) => of(column, frame))];
  return {
    ...Object.fromEntries(
      OF_FRAMES.doubles.map(
        frames(Float64Array, (column, frame) => (column === 'serverTimes' ? 5000 : 0) + frame * 100),
      ),
    ),
    ...Object.fromEntries(
      OF_FRAMES.counts.map(frames(Uint32Array, (column, frame) => (column === 'levels' ? 0 : frame))),
    ),
    tables: Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, packed(table(name, tables[name] ?? []))])),
    extents: new Float64Array(),
    words: JSON.stringify(words),
    damage: '[]',
  };
}
