// The worker of the npm package: its code is text inside of the module, so that a bundler has only the libraries to take
// along, and the module works from another origin.

import code from 'fragreel:worker';
import watch from '../generated/fragreel_bg.wasm?url';
import take from '../generated/fragreel_take_bg.wasm?url';
import { startText } from './start.text';

export function start(): Worker {
  const whole = (address: string) => new URL(address, location.href).href;
  return startText(`globalThis.fragreelWasm=${JSON.stringify({ watch: whole(watch), take: whole(take) })};\n${code}`);
}
