// The page's side of the worker.

import type { ClipReport, ClipWishes } from '../../answers';
import type { StepColumns } from './layout';
import type { Movement } from './movement';
import type { Tracks } from './table';
import { start } from './start';

export { start } from './start';

export class Cancelled extends Error {
  constructor() {
    super('cancelled');
  }
}

/** What the library answers that is loaded when somebody asks for it. It gets the file. */
const OF_FILE = new Set(['verify', 'state', 'explain', 'formats', 'clip']);

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
  /** None while it rests. */
  private worker: Worker | null = this.listen(start());
  private name = '';
  /** What the worker has, for the worker after it. The browser keeps it outside of the page's memory. */
  private source: Blob | null = null;
  /** The whole file of a recording that is read in parts. */
  private file: Blob | null = null;
  private grown = false;
  private complete = true;
  private readonly aborter = new AbortController();
  private readonly waiting = new Map<number, Waiting>();
  private count = 0;
  private closed = false;
  /** Why the worker answers no more. */
  private broken: Error | null = null;
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
        if (!dead) return;
        // a recording that cannot even be opened would end every worker
        if (one.call === 'open' || !this.source) this.break(new Error(error));
        // who waits has heard why it failed
        else this.revive().catch(() => undefined);
      },
    );
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      if (worker === this.worker) this.break(new Error(event.message || 'the decoder could not be loaded'));
    });
    // which answer it was is not known
    worker.addEventListener('messageerror', () => {
      if (worker === this.worker) this.failAll(new Error('an answer of the decoder could not be read'));
    });
    return worker;
  }

  /** Opens the recording in another worker, and asks that one what the last one has not answered. */
  private async revive(): Promise<void> {
    const left = [...this.waiting.values()];
    this.waiting.clear();
    this.worker?.terminate();
    this.worker = this.listen(start());
    this.broken = null;
    const opened = this.reopen();
    // it is asked nothing before it has the recording
    this.opening = opened.catch(() => undefined);
    try {
      await opened;
    } catch (error) {
      for (const one of left) one.fail(asError(error));
      throw error;
    }
    for (const one of left) {
      if (one.gone) one.fail(new Error('the decoder has a bug'));
      else this.call(one.call, one.args, [], one.progress).then(one.done, one.fail);
    }
  }

  private async reopen(): Promise<void> {
    const buffer = await this.source!.arrayBuffer();
    await this.post('open', [new Uint8Array(buffer), this.name], [buffer]);
    // what grows has a walk that goes on from there; the frames are known
    if (this.grown && !this.complete) await this.post('grow', [new Uint8Array(), false, this.file?.size ?? 0]);
  }

  /** Gives the worker a recording, whose buffer it keeps, or the first part of a file. Answers with what `info --json` says. */
  open(bytes: Uint8Array<ArrayBuffer>, name: string, file: Blob | null = null): Promise<string> {
    this.name = name;
    this.grown = false;
    this.file = file;
    this.source = file?.slice(0, bytes.length) ?? new Blob([bytes]);
    return this.call('open', [bytes, name], [bytes.buffer]) as Promise<string>;
  }

  /** Goes on in another worker: what one has had in use for its largest answer, it never gives back. */
  async renew(): Promise<void> {
    // somebody who asks is answered sooner by this one
    if (this.waiting.size === 0 && !this.closed) await this.revive();
  }

  /** Ends the worker until somebody asks again. */
  rest(): void {
    if (this.waiting.size > 0 || this.closed) return;
    this.worker?.terminate();
    this.worker = null;
  }

  tracks(progress?: (part: number) => void): Promise<Tracks> {
    return this.call('tracks', [], [], progress) as Promise<Tracks>;
  }

  /** The frames that are new of a recording that grows, with the bytes behind those that were there. */
  grow(more: Uint8Array<ArrayBuffer>, last: boolean): Promise<Tracks> {
    const before = this.source!;
    this.source = this.file?.slice(0, before.size + more.length) ?? new Blob([before, more]);
    [this.grown, this.complete] = [true, last];
    return this.call('grow', [more, last, this.file?.size ?? 0], [more.buffer]) as Promise<Tracks>;
  }

  /** A question whose answer is JSON. */
  async ask<T>(
    call:
      | 'info'
      | 'events'
      | 'scores'
      | 'verify'
      | 'audit'
      | 'state'
      | 'explain'
      | 'formats'
      | 'colored'
      | 'moments'
      | 'keys',
    ...args: unknown[]
  ): Promise<T> {
    return JSON.parse((await this.call(call, args)) as string) as T;
  }

  /** How a player moved. */
  async movement(slot: number): Promise<Movement> {
    const { jumps, ...steps } = (await this.call('movement', [slot])) as StepColumns & { jumps: string };
    return { ...steps, jumps: JSON.parse(jumps) as Movement['jumps'] };
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
    this.worker?.terminate();
    this.failAll(new Cancelled());
  }

  private async call(
    call: string,
    args: unknown[],
    transfer: Transferable[] = [],
    progress?: (part: number) => void,
  ): Promise<unknown> {
    if (!this.worker && !this.closed) this.revive().catch((error: unknown) => this.break(asError(error)));
    // meanwhile another worker may have begun
    let opening: Promise<void> | null = null;
    while (call !== 'open' && opening !== this.opening) {
      opening = this.opening;
      await opening;
    }
    return this.post(call, args, transfer, progress);
  }

  private post(
    call: string,
    args: unknown[],
    transfer: Transferable[] = [],
    progress?: (part: number) => void,
  ): Promise<unknown> {
    if (this.closed) return Promise.reject(new Cancelled());
    if (this.broken) return Promise.reject(this.broken);
    const id = ++this.count;
    return new Promise((done, fail) => {
      this.waiting.set(id, { call, args, gone: transfer.length > 0, done, fail, progress });
      const sent = OF_FILE.has(call) ? [this.source, this.name, ...args] : args;
      this.worker!.postMessage({ id, call, args: sent }, transfer);
    });
  }

  /** The worker answers no more. */
  private break(error: Error): void {
    this.broken = error;
    this.failAll(error);
  }

  private failAll(error: Error): void {
    for (const one of this.waiting.values()) one.fail(error);
    this.waiting.clear();
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
