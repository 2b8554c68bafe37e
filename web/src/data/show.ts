// A show that games watch, from `fragreel serve --view`: one clock for the picture and for them.

export interface ShowState {
  /** Milliseconds since the first frame. */
  position: number;
  speed: number;
  paused: boolean;
  /** How many games watch. */
  watching: number;
}

/** How often it is asked where it is. */
const INTERVAL = 200;
/** For so long after an order the show may still say what was before it. */
const SETTLING = 500;

export class Show {
  private timer = 0;
  private last = 0;

  constructor(
    private readonly address: string,
    private readonly heard: (state: ShowState) => void,
    private readonly failed: () => void,
  ) {}

  start(): void {
    this.timer = window.setInterval(() => void this.ask(), INTERVAL);
    void this.ask();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** `pause`, `play`, `seek SECONDS` or `speed FACTOR`. */
  order(text: string): void {
    this.last = performance.now();
    void fetch(this.address, { method: 'POST', body: text }).catch(() => this.end());
  }

  private async ask(): Promise<void> {
    try {
      const answer = await fetch(this.address);
      if (!answer.ok) throw new Error(String(answer.status));
      const state = (await answer.json()) as ShowState;
      if (performance.now() - this.last > SETTLING) this.heard(state);
    } catch {
      this.end();
    }
  }

  private end(): void {
    this.stop();
    this.failed();
  }
}
