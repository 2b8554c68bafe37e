import { rmSync } from 'node:fs';
import { defineConfig } from 'vite';

export default defineConfig({
  // works from any folder of any web server
  base: './',
  worker: { format: 'es' },
  plugins: [{ name: 'clean', buildStart: () => rmSync('dist/assets', { recursive: true, force: true }) }],
  build: {
    target: 'es2022',
    // a part may have another color scheme than what is around it, which no substitute for light-dark() can do
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // the folder holds a .gitignore of ours
    emptyOutDir: false,
    rolldownOptions: {
      input: { index: 'index.html', 'fragreel-viewer': 'src/element.ts' },
      preserveEntrySignatures: 'exports-only',
      output: { entryFileNames: '[name].js' },
    },
  },
});
