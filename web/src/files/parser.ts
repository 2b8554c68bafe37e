// Game files are read in a worker of their own: a large or a hostile one leaves the picture alone.

import type { Level } from '../maps/format';
import type { Model } from '../models/model';
import { Cancelled, start } from '../data/client';

/** Nothing of a game takes longer; a reader that does is ended. */
const LONGEST = 30_000;

interface Waiting {
  done(value: unknown): void;
  fail(error: Error): void;
}

/** The worker, which starts when it is asked for the first time. */
export class Parser {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private count = 0;

  /** Reads a model; `more` is the file with its pictures, where Half-Life has them apart. */
  model(bytes: Uint8Array, more: Uint8Array | null): Promise<Model> {
    return this.ask('model', [bytes, more]) as Promise<Model>;
  }

  /** Reads a map. */
  level(bytes: Uint8Array): Promise<Level> {
    return this.ask('level', [bytes]) as Promise<Level>;
  }

  /** Ends the worker. Who waits hears that nothing could be read. */
  close(why: Error = new Cancelled()): void {
    this.worker?.terminate();
    this.worker = null;
    for (const one of this.waiting.values()) one.fail(why);
    this.waiting.clear();
  }

  private ask(call: string, args: unknown[]): Promise<unknown> {
    this.worker ??= this.begin();
    const { worker } = this;
    const id = ++this.count;
    return new Promise((done, fail) => {
      const late = setTimeout(() => this.waiting.has(id) && this.close(new Error('it took too long')), LONGEST);
      const ending =
        <T>(then: (value: T) => void) =>
        (value: T) => {
          clearTimeout(late);
          this.waiting.delete(id);
          then(value);
        };
      this.waiting.set(id, { done: ending(done), fail: ending(fail) });
      worker.postMessage({ id, call, args });
    });
  }

  private begin(): Worker {
    const worker = start();
    worker.addEventListener(
      'message',
      ({ data: { id, value, error } }: MessageEvent<{ id: number; value?: unknown; error?: string }>) => {
        const one = this.waiting.get(id);
        if (error === undefined) one?.done(value);
        else one?.fail(new Error(error));
      },
    );
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      if (worker === this.worker)
        this.close(new Error(event.message || 'the reader of game files could not be loaded'));
    });
    return worker;
  }
}
