// The whole viewer in one file, which works from a disk: browsers load no scripts, workers or wasm beside a page that is a file.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'vite';

const { output } = await build({
  configFile: false,
  base: './',
  logLevel: 'warn',
  worker: { format: 'es' },
  build: {
    write: false,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: { input: 'src/page.ts', output: { codeSplitting: false } },
  },
});
const text = (wanted) => {
  const found = output.find(wanted);
  if (!found) throw new Error('the build has no such part');
  return String(found.code ?? found.source);
};
const page = text((part) => part.type === 'chunk' && part.isEntry);
// the address of the wasm has no meaning in a file; the bytes stand before the worker
const worker = text((part) => /worker-.*\.js$/.test(part.fileName))
  .replaceAll(/new URL\([^()]*\.wasm[^()]*,\s*import\.meta\.url\)\.href/g, '""')
  .replaceAll('import.meta.url', '""');
if (/fragreel_\w+-/.test(worker)) throw new Error('the worker still looks for its wasm');
const style = readFileSync('src/page.css', 'utf8');
const bytes = (name) => {
  const wasm = readFileSync(`src/generated/${name}_bg.wasm`).toString('base64');
  return `Uint8Array.from(atob(${JSON.stringify(wasm)}),c=>c.charCodeAt(0))`;
};
const head = `globalThis.fragreelWasm={watch:${bytes('fragreel')},take:${bytes('fragreel_take')}};\n`;
const script = `globalThis.fragreelWorker=${JSON.stringify(head + worker)};\n${page}`.replaceAll(
  '</script',
  '<\\/script',
);
const hash = (content) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
const policy = `default-src 'none'; script-src ${hash(script)} blob: 'wasm-unsafe-eval'; worker-src blob:; style-src ${hash(style)}; img-src data: blob:; media-src blob:; base-uri 'none'; form-action 'none'`;
mkdirSync('dist-single', { recursive: true });
writeFileSync(
  'dist-single/fragreel.html',
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="light dark">
<title>Fragreel</title>
<style>${style}</style>
</head>
<body><fragreel-viewer id="viewer"></fragreel-viewer><script type="module">${script}</script></body>
</html>
`,
);
