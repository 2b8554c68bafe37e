// The recordings that are open: how they are read, and which of them is shown.

import { Cancelled, Client } from '../data/client';
import { Live } from '../data/live';
import { messageOf } from '../data/reason';
import { SIZES } from '../data/parts';
import { Session, alignment } from '../data/session';
import type { Store } from '../store/store';

/** Files larger than that are no recordings. */
const LARGEST = 1 << 30;

export class Library {
  private loading: Client | null = null;
  private watched: Live | null = null;
  /** How large recordings are read. */
  sizes = SIZES;

  constructor(private readonly store: Store) {}

  /** Whether something is read. */
  private set reads(client: Client | null) {
    this.loading = client;
    this.store.selection.isBusy = client !== null;
    this.store.tell('selection');
  }

  async open(files: Iterable<File>, beside: boolean): Promise<void> {
    const list = [...files];
    for (const file of list) {
      if (file.size > LARGEST) this.fail(`${file.name} is larger than 1 GB`);
      else await this.load(file.name, async () => file, beside || file !== list[0]);
    }
  }

  async openAddress(address: string, beside: boolean): Promise<void> {
    const name = decodeURIComponent(new URL(address, document.baseURI).pathname.split('/').pop() || 'recording');
    await this.load(
      name,
      async (signal) => {
        const answer = await asked(address, signal);
        if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
        return answer.blob();
      },
      beside,
    );
  }

  private async load(name: string, read: (signal: AbortSignal) => Promise<Blob>, beside: boolean): Promise<void> {
    const { store } = this;
    this.loading?.close();
    const client = new Client();
    this.reads = client;
    const reading = { name, cancel: () => client.close(), done: (_part: number) => {} };
    store.tell('reading', reading);
    const progress = (part: number) => reading.done(part);
    try {
      const file = await read(client.signal);
      const parts = file.size > this.sizes.large ? await Session.inParts(client, name, file, this.sizes) : null;
      const whole = async () => new Uint8Array(await file.arrayBuffer());
      const session = parts?.session ?? (await Session.open(client, name, await whole(), progress));
      if (this.loading !== client) return session.close();
      store.tell('rested');
      this.adopt(session, beside);
      const { sessions } = store.selection;
      const rest = async () => {
        while (parts && sessions.includes(session)) {
          const goesOn = await parts.next();
          store.clock.grew();
          store.tell('content');
          if (!goesOn) return;
        }
      };
      void rest()
        .then(() =>
          session.more(() => {
            if (session !== sessions[0] && sessions.includes(session)) this.align(session);
            store.tell('content');
          }),
        )
        .then(() => sessions.includes(session) && store.tell('ready', session))
        .catch((error: unknown) => error instanceof Cancelled || this.fail(`${name}: ${messageOf(error)}`));
    } catch (error) {
      const cancelled = client.isClosed;
      client.close();
      // another one may be read by now
      if (this.loading !== client) return;
      this.reads = null;
      if (cancelled) store.tell('rested');
      else this.fail(`${name}: ${messageOf(error)}`);
    } finally {
      if (this.loading === client) this.reads = null;
    }
  }

  private adopt(session: Session, beside: boolean): void {
    const { store } = this;
    if (!beside) store.clock.reset();
    store.selection.add(session, beside);
    if (beside) this.align(session);
    store.tell('opened', { session, beside });
  }

  private align(session: Session): void {
    const first = this.store.selection.sessions[0];
    if (!first || first === session) return;
    const offset = alignment(first, session);
    [session.offset, session.isAligned] = [offset ?? 0, offset !== null];
  }

  /** Shows a recording while it is written, and each that follows it. */
  watch(address: string): void {
    const { store } = this;
    const { clock, selection } = store;
    this.watched?.stop();
    clock.keepsUp = true;
    store.tell('awaited', 'Waiting for the first frame');
    const taker = {
      begin: (name: string, bytes: Uint8Array<ArrayBuffer>, complete: boolean) => this.begin(name, bytes, complete),
      grow: (bytes: Uint8Array<ArrayBuffer>, complete: boolean) => this.grow(bytes, complete),
      waits: (name: string) => {
        const run = () => {
          store.tell('rested');
          clock.keepUp();
        };
        store.tell('suggested', { text: `${name} is being recorded: show it`, run });
      },
      end: () => {
        this.watched = null;
        selection.isLive = false;
        if (selection.isEmpty) this.fail('nothing was recorded');
        store.tell('said', 'the recording is complete');
        store.tell('content');
      },
    };
    // what is asked when, not what was
    this.watched = new Live(
      address,
      Object.defineProperty(taker, 'goesOn', { get: () => clock.keepsUp || selection.isEmpty }) as typeof taker & {
        goesOn: boolean;
      },
    );
    selection.isLive = true;
    void this.watched.run();
  }

  private async begin(name: string, bytes: Uint8Array<ArrayBuffer>, complete: boolean): Promise<void> {
    const { store } = this;
    const client = new Client();
    this.reads = client;
    try {
      const session = await Session.begin(client, name, bytes, complete);
      store.tell('rested');
      this.adopt(session, false);
      store.clock.playAtEnd();
      store.selection.follow(session.replay.sceneAt(store.clock.now).view?.slot ?? null);
      await session.refresh(() => store.tell('content'));
    } catch (error) {
      const cancelled = client.isClosed;
      client.close();
      if (!cancelled) this.fail(`${name}: ${messageOf(error)}`);
    } finally {
      if (this.loading === client) this.reads = null;
    }
  }

  private async grow(bytes: Uint8Array<ArrayBuffer>, complete: boolean): Promise<void> {
    const { store } = this;
    const { session } = store.selection;
    if (!session?.growing) return;
    try {
      await session.grow(bytes, complete);
    } catch (error) {
      this.fail(`${session.name}: ${messageOf(error)}`);
      return;
    }
    store.clock.grew();
    void session
      .refresh(() => store.tell('content'))
      .then(() => session.audit && store.tell('ready', session))
      .catch(() => undefined);
    store.tell('content');
  }

  /** Ends workers, requests and connections. */
  close(): void {
    this.watched?.stop();
    this.watched = null;
    this.store.selection.isLive = false;
    this.loading?.close();
    this.reads = null;
    this.store.selection.clear();
  }

  private fail(text: string): void {
    this.store.tell('failed', text);
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
