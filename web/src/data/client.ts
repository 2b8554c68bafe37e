// The page's side of the worker.

import type { Tracks } from './film';
import { start } from './start';

export class Cancelled extends Error {
  constructor() {
    super('cancelled');
  }
}

interface Waiting {
  done(value: unknown): void;
  fail(error: Error): void;
  progress?: ((part: number) => void) | undefined;
}

export interface ClipWishes {
  from?: number;
  to?: number;
  scrub?: boolean;
  chat?: boolean;
  format?: string;
  pov?: string;
}

export interface ClipReport {
  actions: string[];
  losses: string[];
  whole: boolean;
  frames: number;
  differing: number;
  differences: string[];
}

/** A recording in a worker. */
export class Client {
  private worker = this.listen(start());
  private name = '';
  private readonly waiting = new Map<number, Waiting>();
  private count = 0;
  private closed = false;

  private listen(worker: Worker): Worker {
    worker.addEventListener('message', (event: MessageEvent<{ id: number; value?: unknown; error?: string; progress?: number }>) => {
      const { id, value, error, progress } = event.data;
      const one = this.waiting.get(id);
      if (!one) return;
      if (progress !== undefined) {
        one.progress?.(progress);
        return;
      }
      this.waiting.delete(id);
      if (error === undefined) one.done(value);
      else one.fail(new Error(error));
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.failAll(new Error(event.message || 'the decoder could not be loaded'));
    });
    return worker;
  }

  /** Gives the worker a recording, whose buffer it keeps. Answers with what `info --json` says. */
  open(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<string> {
    this.name = name;
    return this.call('open', [bytes, name], [bytes.buffer]) as Promise<string>;
  }

  /** Goes on in another worker: what one has had in use for its largest answer, it never gives back. */
  async renew(): Promise<void> {
    const bytes = (await this.call('bytes', [])) as Uint8Array<ArrayBuffer>;
    // somebody who asked meanwhile is still answered
    if (this.waiting.size > 0) return;
    this.worker.terminate();
    this.worker = this.listen(start());
    await this.open(bytes, this.name);
  }

  tracks(progress?: (part: number) => void): Promise<Tracks> {
    return this.call('tracks', [], [], progress) as Promise<Tracks>;
  }

  /** The frames that are new of a recording that grows, with the bytes behind those that were there. */
  grow(more: Uint8Array<ArrayBuffer>, last: boolean): Promise<Tracks> {
    return this.call('grow', [more, last], [more.buffer]) as Promise<Tracks>;
  }

  /** A question whose answer is JSON. */
  async ask<T>(call: 'info' | 'events' | 'scores' | 'verify' | 'audit' | 'state' | 'explain' | 'formats', ...args: unknown[]): Promise<T> {
    return JSON.parse((await this.call(call, args)) as string) as T;
  }

  async clip(wishes: ClipWishes): Promise<{ bytes: Uint8Array<ArrayBuffer>; extension: string; report: ClipReport }> {
    const clip = (await this.call('clip', [JSON.stringify(wishes)])) as { bytes: Uint8Array<ArrayBuffer>; extension: string; report: string };
    return { ...clip, report: JSON.parse(clip.report) as ClipReport };
  }

  /** Ends the worker and gives its memory back; who waits for it hears that it was cancelled. */
  close(): void {
    this.closed = true;
    this.worker.terminate();
    this.failAll(new Cancelled());
  }

  private call(call: string, args: unknown[], transfer: Transferable[] = [], progress?: (part: number) => void): Promise<unknown> {
    if (this.closed) return Promise.reject(new Cancelled());
    const id = ++this.count;
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail, progress });
      this.worker.postMessage({ id, call, args }, transfer);
    });
  }

  private failAll(error: Error): void {
    for (const one of this.waiting.values()) one.fail(error);
    this.waiting.clear();
  }
}
