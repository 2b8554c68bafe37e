// A recording that is still written, from `fragreel record --view`: how far it is, and what was written since.

export interface LiveFile {
  name: string;
  src: string;
  bytes: number;
  complete: boolean;
}

interface LiveState {
  files: LiveFile[];
  /** Nothing more is written. */
  over: boolean;
}

/** What takes a recording that grows. Each call is over before the next one begins. */
export interface Taker {
  /** A recording begins, with what there is of it. */
  begin(name: string, bytes: Uint8Array<ArrayBuffer>, complete: boolean): Promise<void>;
  /** What was written since, maybe nothing but that it is complete. */
  grow(bytes: Uint8Array<ArrayBuffer>, complete: boolean): Promise<void>;
  /** Whether the next recording may take the place of the one that is shown. */
  readonly goesOn: boolean;
  /** Another one is written meanwhile. */
  waits(name: string): void;
  /** It is over: nothing more is written, or the command is gone. */
  end(): void;
}

/** How often it is asked, at most, and how rarely where taking it in takes long. */
const INTERVAL = 1000;
const LONGEST = 2000;
/** A part of the time that taking it in may take. */
const SHARE = 5;

export class Live {
  private stopped = false;
  private at = -1;
  private have = 0;
  private complete = true;

  constructor(
    private readonly address: string,
    private readonly taker: Taker,
  ) {}

  /** Asks until it is over. */
  async run(): Promise<void> {
    try {
      while (!this.stopped) {
        const state = (await (await this.get(this.address)).json()) as LiveState;
        const began = performance.now();
        await this.take(state);
        if (state.over) break;
        const took = performance.now() - began;
        await new Promise((done) => setTimeout(done, Math.min(Math.max(INTERVAL, took * SHARE), LONGEST)));
      }
    } catch {
      // the command is gone; what came is there
    }
    if (this.stopped) return;
    if (!this.complete) await this.taker.grow(new Uint8Array(), true).catch(() => undefined);
    this.taker.end();
  }

  stop(): void {
    this.stopped = true;
  }

  private async take({ files }: LiveState): Promise<void> {
    const file = files[this.at];
    if (file && !this.complete && (file.bytes > this.have || file.complete)) {
      const bytes = file.bytes > this.have ? await this.rest(file) : new Uint8Array();
      this.complete = file.complete;
      if (!this.stopped) await this.taker.grow(bytes, file.complete);
    }
    const next = files.length - 1;
    if (!this.complete || next <= this.at || this.stopped) return;
    const last = files[next];
    if (!this.taker.goesOn) {
      this.taker.waits(last.name);
      return;
    }
    if (!last.bytes) return;
    [this.at, this.have] = [next, 0];
    const bytes = await this.rest(last);
    this.complete = last.complete;
    if (!this.stopped) await this.taker.begin(last.name, bytes, last.complete);
  }

  /** What was written since. */
  private async rest(file: LiveFile): Promise<Uint8Array<ArrayBuffer>> {
    const answer = await this.get(file.src, this.have);
    if (this.have && answer.status !== 206) throw new Error('the server does not support range requests');
    const bytes = new Uint8Array(await answer.arrayBuffer());
    this.have += bytes.length;
    return bytes;
  }

  private async get(address: string, from = 0): Promise<Response> {
    const answer = await fetch(address, from ? { headers: { Range: `bytes=${from}-` } } : {});
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    return answer;
  }
}
