// The worker of the page: a file beside it, or text inside of it where the page is one file.

import { startText } from './start.text';
import address from '../worker.ts?worker&url';

export function start(): Worker {
  const inside = (globalThis as { fragreelWorker?: string }).fragreelWorker;
  if (inside !== undefined) return startText(inside);
  if (new URL(address, location.href).origin === location.origin) return new Worker(address, { type: 'module' });
  // browsers start no worker from another origin, but a worker may import a module from there
  return startText(`import ${JSON.stringify(address)};`, 'module');
}
