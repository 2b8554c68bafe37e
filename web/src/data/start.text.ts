// A worker whose code is at hand.

/** Browsers take modules from addresses with an origin only, which a file lacks: the code is classic by default. */
export function startText(code: string, type: WorkerType = 'classic'): Worker {
  const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  const worker = new Worker(address, { type });
  // the worker has its code as soon as it answers for the first time
  worker.addEventListener('message', () => URL.revokeObjectURL(address), { once: true });
  return worker;
}
