// The recordings that are open: how they are read, and which of them is shown.

import { Cancelled, Client } from './client';
import { Live } from './live';
import { Session, alignment } from './session';
import type { Transport } from './transport';

/** Files larger than that are no recordings. */
const LARGEST = 1 << 30;

/** Where the viewer says what it reads, and what there is to choose. */
export interface Says {
  readonly isEmpty: boolean;
  clear(): void;
  reading(name: string, cancel: () => void): (done: number) => void;
  waits(text: string): void;
  suggest(text: string, run: () => void): void;
}

/** What the library needs of its viewer. */
export interface LibraryHost {
  readonly transport: Transport;
  readonly notice: Says;
  /** A recording is open; `beside` others, or in their place. */
  adopted(session: Session, beside: boolean): void;
  follow(slot: number | null): void;
  /** More is known of what is open. */
  show(): void;
  /** All is known of it. */
  ready(session: Session): void;
  changed(): void;
  say(text: string): void;
  failed(text: string): void;
}

export class Library {
  readonly sessions: Session[] = [];
  active = 0;
  sideBySide = false;
  private loading: Client | null = null;
  private watched: Live | null = null;

  constructor(private readonly host: LibraryHost) {}

  get session(): Session | null {
    return this.sessions[this.active] ?? null;
  }

  /** Those that are in the picture. */
  get shown(): Session[] {
    return this.sideBySide ? this.sessions : this.session ? [this.session] : [];
  }

  get duration(): number {
    return Math.max(0, ...this.sessions.map((session) => session.offset + session.replay.duration));
  }

  get isBusy(): boolean {
    return this.loading !== null;
  }

  get isLive(): boolean {
    return this.watched !== null;
  }

  async open(files: Iterable<File>, beside: boolean): Promise<void> {
    const list = [...files];
    for (const file of list) {
      if (file.size > LARGEST) this.host.failed(`${file.name} is larger than 1 GB`);
      else await this.load(file.name, () => file.arrayBuffer(), beside || file !== list[0]);
    }
  }

  async openAddress(address: string, beside: boolean): Promise<void> {
    const name = decodeURIComponent(new URL(address, document.baseURI).pathname.split('/').pop() || 'recording');
    await this.load(
      name,
      async (signal) => {
        const answer = await asked(address, signal);
        if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
        return answer.arrayBuffer();
      },
      beside,
    );
  }

  private async load(
    name: string,
    bytes: (signal: AbortSignal) => Promise<ArrayBuffer>,
    beside: boolean,
  ): Promise<void> {
    const { notice } = this.host;
    this.loading?.close();
    const client = new Client();
    this.loading = client;
    const progress = notice.reading(name, () => client.close());
    try {
      const session = await Session.open(client, name, new Uint8Array(await bytes(client.signal)), progress);
      if (this.loading !== client) return session.close();
      notice.clear();
      this.adopt(session, beside);
      void session
        .more(() => {
          if (session !== this.sessions[0] && this.sessions.includes(session)) this.align(session);
          this.host.show();
        })
        .then(() => this.sessions.includes(session) && this.host.ready(session))
        .catch((error: unknown) => error instanceof Cancelled || this.host.failed(`${name}: ${message(error)}`));
    } catch (error) {
      const cancelled = client.isClosed;
      client.close();
      // another one may be read by now
      if (this.loading !== client) return;
      if (cancelled) notice.clear();
      else this.host.failed(`${name}: ${message(error)}`);
    } finally {
      if (this.loading === client) this.loading = null;
    }
  }

  private adopt(session: Session, beside: boolean): void {
    if (!beside) {
      for (const old of this.sessions.splice(0)) old.close();
      this.host.transport.reset();
    }
    this.sessions.push(session);
    this.active = beside ? this.active : 0;
    if (beside) this.align(session);
    this.host.adopted(session, beside);
  }

  private align(session: Session): void {
    const first = this.sessions[0];
    if (first && first !== session) session.offset = alignment(first, session) ?? 0;
  }

  /** Shows a recording while it is written, and each that follows it. */
  watch(address: string): void {
    const { host } = this;
    const { transport, notice } = host;
    this.watched?.stop();
    transport.keepsUp = true;
    notice.waits('Waiting for the first frame');
    const taker = {
      begin: (name: string, bytes: Uint8Array<ArrayBuffer>, complete: boolean) => this.begin(name, bytes, complete),
      grow: (bytes: Uint8Array<ArrayBuffer>, complete: boolean) => this.grow(bytes, complete),
      waits: (name: string) => {
        const go = () => {
          notice.clear();
          transport.keepUp();
        };
        if (notice.isEmpty) notice.suggest(`${name} is recorded now: go there`, go);
      },
      end: () => {
        this.watched = null;
        if (!this.session) host.failed('nothing was recorded');
        host.say('the recording is complete');
        host.show();
      },
    };
    // what is asked when, not what was
    this.watched = new Live(
      address,
      Object.defineProperty(taker, 'goesOn', { get: () => transport.keepsUp || !this.session }) as typeof taker & {
        goesOn: boolean;
      },
    );
    void this.watched.run();
  }

  private async begin(name: string, bytes: Uint8Array<ArrayBuffer>, complete: boolean): Promise<void> {
    const { host } = this;
    const client = new Client();
    this.loading = client;
    try {
      const session = await Session.begin(client, name, bytes, complete);
      host.notice.clear();
      this.adopt(session, false);
      host.transport.playAtEnd();
      host.follow(session.replay.sceneAt(host.transport.clock).view?.slot ?? null);
      await session.refresh(() => host.show());
    } catch (error) {
      const cancelled = client.isClosed;
      client.close();
      if (!cancelled) host.failed(`${name}: ${message(error)}`);
    } finally {
      if (this.loading === client) this.loading = null;
    }
  }

  private async grow(bytes: Uint8Array<ArrayBuffer>, complete: boolean): Promise<void> {
    const session = this.session;
    if (!session?.growing) return;
    try {
      await session.grow(bytes, complete);
    } catch (error) {
      this.host.failed(`${session.name}: ${message(error)}`);
      return;
    }
    this.host.transport.grew();
    void session
      .refresh(() => this.host.show())
      .then(() => session.audit && this.host.ready(session))
      .catch(() => undefined);
    this.host.changed();
  }

  /** Ends workers, requests and connections. */
  close(): void {
    this.watched?.stop();
    this.watched = null;
    this.loading?.close();
    this.loading = null;
    for (const session of this.sessions.splice(0)) session.close();
  }
}

/** Fetches an address. Browsers give a page no reason why it may not read another origin. */
async function asked(address: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(address, { signal });
  } catch (error) {
    const { origin } = new URL(address, document.baseURI);
    if (signal.aborted || origin === location.origin) throw error;
    throw new Error(
      `${origin} is another origin: either this page's policy (connect-src) or that server (Access-Control-Allow-Origin) does not permit it`,
    );
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
