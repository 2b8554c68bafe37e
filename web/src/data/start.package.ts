// The worker of the npm package: its code is text inside of the module, so that a bundler has one file to take along, the library,
// and the module works from another origin.

import code from 'fragreel:worker';
import library from '../generated/fragreel_bg.wasm?url';
import { startText } from './start.text';

export function start(): Worker {
  return startText(`globalThis.fragreelWasm=${JSON.stringify(new URL(library, location.href).href)};\n${code}`);
}
