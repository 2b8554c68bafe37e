// What the npm package brings, in lib/: one module and two libraries. The module names them by `new URL(…, import.meta.url)`, which bundlers follow.

import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const folder = 'lib';
const start = fileURLToPath(new URL('src/data/start.package.ts', import.meta.url));
const CODE = 'fragreel:worker';

/** Builds one module. */
async function module(input, plugins, output) {
  const built = await build({
    configFile: false,
    base: './',
    logLevel: 'warn',
    plugins,
    build: {
      write: false,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: false,
      rolldownOptions: { input, preserveEntrySignatures: 'exports-only', output: { codeSplitting: false, ...output } },
    },
  });
  return built.output;
}

/** The worker without addresses of the libraries: the module has them. */
const nowhere = {
  name: 'nowhere',
  enforce: 'pre',
  load: (id) => (id.endsWith('_bg.wasm?url') ? 'export default "";' : null),
};
const [worker] = await module('src/worker.ts', [nowhere], {});
const code = worker.code.replaceAll('import.meta.url', '""');
if (/^(import|export)\b/m.test(code)) throw new Error('the worker is not one classic script');

/** Puts the worker into the module. */
const inside = {
  name: 'inside',
  enforce: 'pre',
  resolveId: (id, importer) =>
    id === CODE ? `\0${CODE}` : id === './start' && importer?.endsWith('/client.ts') ? start : null,
  load: (id) => (id === `\0${CODE}` ? `export default ${JSON.stringify(code)};` : null),
};
const parts = await module('src/element.ts', [inside], {
  entryFileNames: 'fragreel-viewer.js',
  assetFileNames: '[name][extname]',
});
const names = parts.map((part) => part.fileName).sort();
if (names.join() !== 'fragreel-viewer.js,fragreel_bg.wasm,fragreel_take_bg.wasm')
  throw new Error(`the package has other parts: ${names}`);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const part of parts) writeFileSync(`${folder}/${part.fileName}`, part.code ?? part.source);
for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) copyFileSync(`../${name}`, `${folder}/${name}`);
