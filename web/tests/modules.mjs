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

const { COLUMNS, OF_FRAMES, ABSENT } = await load('data/layout');

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
    tables: Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, table(name, tables[name] ?? [])])),
    words: JSON.stringify(words),
    damage: '[]',
  };
}
