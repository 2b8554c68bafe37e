// The page's side of the worker.

import type { ClipReport, ClipWishes } from '../../answers';
import type { Tracks } from './table';
import { start } from './start';

export { start } from './start';

export class Cancelled extends Error {
  constructor() {
    super('cancelled');
  }
}

interface Waiting {
  call: string;
  args: unknown[];
  /** Whether its arguments were handed over, so that it cannot be asked again. */
  gone: boolean;
  done(value: unknown): void;
  fail(error: Error): void;
  progress?: ((part: number) => void) | undefined;
}

/** A recording in a worker. */
export class Client {
  private worker = this.listen(start());
  private name = '';
  /** What the worker has, for the worker after it. The browser keeps it outside of the page's memory. */
  private source: Blob | null = null;
  private grown = false;
  private complete = true;
  private readonly aborter = new AbortController();
  private readonly waiting = new Map<number, Waiting>();
  private count = 0;
  private closed = false;
  private opening: Promise<void> = Promise.resolve();

  /** Ends what is fetched for it, too. */
  readonly signal = this.aborter.signal;

  get isClosed(): boolean {
    return this.closed;
  }

  private listen(worker: Worker): Worker {
    worker.addEventListener(
      'message',
      (event: MessageEvent<{ id: number; value?: unknown; error?: string; progress?: number; dead?: boolean }>) => {
        if (worker !== this.worker) return;
        const { id, value, error, progress, dead } = event.data;
        const one = this.waiting.get(id);
        if (!one) return;
        if (progress !== undefined) {
          one.progress?.(progress);
          return;
        }
        this.waiting.delete(id);
        if (error === undefined) one.done(value);
        else one.fail(new Error(error));
        // a recording that cannot even be opened would end every worker
        if (dead && one.call !== 'open' && this.source) void this.revive();
      },
    );
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      if (worker === this.worker) this.failAll(new Error(event.message || 'the decoder could not be loaded'));
    });
    return worker;
  }

  /** Goes on in a new worker after a fault, and asks it what the other one has not answered. */
  private async revive(): Promise<void> {
    const left = [...this.waiting.values()];
    this.waiting.clear();
    try {
      await this.restart();
    } catch (error) {
      for (const one of left) one.fail(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    for (const one of left) {
      if (one.gone) one.fail(new Error('the decoder has a bug'));
      else this.call(one.call, one.args, [], one.progress).then(one.done, one.fail);
    }
  }

  /** Opens the recording in another worker. */
  private async restart(): Promise<void> {
    this.worker.terminate();
    this.worker = this.listen(start());
    const opened = this.source!.arrayBuffer().then((buffer) =>
      this.call('open', [new Uint8Array(buffer), this.name], [buffer]),
    );
    // it is asked nothing before it has the recording
    this.opening = opened.then(
      () => undefined,
      () => undefined,
    );
    await opened;
    // what grows has a walk that goes on from there; the frames are known
    if (this.grown) await this.call('grow', [new Uint8Array(), this.complete]);
  }

  /** Gives the worker a recording, whose buffer it keeps. Answers with what `info --json` says. */
  open(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<string> {
    this.name = name;
    this.source = new Blob([bytes]);
    return this.call('open', [bytes, name], [bytes.buffer]) as Promise<string>;
  }

  /** Goes on in another worker: what one has had in use for its largest answer, it never gives back. */
  async renew(): Promise<void> {
    // somebody who asks is still answered
    if (this.waiting.size === 0 && !this.closed) await this.restart();
  }

  tracks(progress?: (part: number) => void): Promise<Tracks> {
    return this.call('tracks', [], [], progress) as Promise<Tracks>;
  }

  /** The frames that are new of a recording that grows, with the bytes behind those that were there. */
  grow(more: Uint8Array<ArrayBuffer>, last: boolean): Promise<Tracks> {
    this.source = new Blob([this.source!, more]);
    [this.grown, this.complete] = [true, last];
    return this.call('grow', [more, last], [more.buffer]) as Promise<Tracks>;
  }

  /** A question whose answer is JSON. */
  async ask<T>(
    call: 'info' | 'events' | 'scores' | 'verify' | 'audit' | 'state' | 'explain' | 'formats' | 'colored',
    ...args: unknown[]
  ): Promise<T> {
    return JSON.parse((await this.call(call, args)) as string) as T;
  }

  async clip(wishes: ClipWishes): Promise<{ bytes: Uint8Array<ArrayBuffer>; extension: string; report: ClipReport }> {
    const clip = (await this.call('clip', [JSON.stringify(wishes)])) as {
      bytes: Uint8Array<ArrayBuffer>;
      extension: string;
      report: string;
    };
    return { ...clip, report: JSON.parse(clip.report) as ClipReport };
  }

  /** The names of what is in an archive of packed recordings. */
  async archive(bytes: Uint8Array<ArrayBuffer>): Promise<string[]> {
    return JSON.parse((await this.call('archive', [bytes], [bytes.buffer])) as string) as string[];
  }

  member(at: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.call('member', [at]) as Promise<Uint8Array<ArrayBuffer>>;
  }

  /** Ends the worker and gives its memory back; who waits for it hears that it was cancelled. */
  close(): void {
    this.closed = true;
    this.aborter.abort();
    this.worker.terminate();
    this.failAll(new Cancelled());
  }

  private async call(
    call: string,
    args: unknown[],
    transfer: Transferable[] = [],
    progress?: (part: number) => void,
  ): Promise<unknown> {
    if (call !== 'open') await this.opening;
    if (this.closed) throw new Cancelled();
    const id = ++this.count;
    return new Promise((done, fail) => {
      this.waiting.set(id, { call, args, gone: transfer.length > 0, done, fail, progress });
      this.worker.postMessage({ id, call, args }, transfer);
    });
  }

  private failAll(error: Error): void {
    for (const one of this.waiting.values()) one.fail(error);
    this.waiting.clear();
  }
}
