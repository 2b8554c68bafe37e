// A recording that is open: its frames, and what the library says about it.

import type { Client } from './client';
import type { Comment } from './comments';
import { type Event, type Kill, isKill } from './events';
import type { Audit, Info, Match, Scores } from '../../answers';
import { type Sizes, comesInParts } from './parts';
import { type Colored, coloredOf } from './text';
import type { Movement } from './movement';
import { Replay } from './replay';

/** The number of players whose movement is kept. */
const MOST_MOVEMENTS = 4;

export class Session {
  events: Event[] = [];
  /** The scoreboards, and the figures at any time. */
  history: Scores = { matches: [], parts: [], sides: [], checks: [] };
  /** Texts with colors, by what was sent. */
  colored: Colored = new Map();
  audit: Audit | null = null;
  /** What people say about its moments, in order of time. */
  comments: Comment[] = [];
  /** The time of its first frame on the clock that all open recordings share. */
  offset = 0;
  /** Whether that is known: only recordings of one match have one clock. */
  isAligned = true;
  /** Milliseconds until the first picture could be drawn, and until everything was there. */
  readonly took: { first: number; all: number } = { first: 0, all: 0 };

  private constructor(
    readonly name: string,
    readonly client: Client,
    public info: Info,
    readonly replay: Replay,
    public bytes: number,
  ) {}

  get scores(): Match[] {
    return this.history.matches;
  }

  /** Whether it is still written, or read. */
  growing = false;
  /** Whether it is read in parts. */
  isLarge = false;
  /** How much of its file is read. */
  part = 1;
  private refreshing = false;
  private readonly movements = new Map<number, Promise<Movement>>();
  private due = 0;

  /** Opens a recording; it can be drawn as soon as this is done. */
  static async open(
    client: Client,
    name: string,
    bytes: Uint8Array<ArrayBuffer>,
    progress?: (part: number) => void,
  ): Promise<Session> {
    const began = performance.now();
    const length = bytes.length;
    const info = JSON.parse(await client.open(bytes, name)) as Info;
    const replay = new Replay(await client.tracks(progress));
    const session = new Session(name, client, info, replay, length);
    session.took.first = performance.now() - began;
    return session;
  }

  /** Opens a recording that is still written, or was until now. */
  static async begin(
    client: Client,
    name: string,
    bytes: Uint8Array<ArrayBuffer>,
    complete: boolean,
    file: Blob | null = null,
  ): Promise<Session> {
    const began = performance.now();
    const length = bytes.length;
    const info = JSON.parse(await client.open(bytes, name, file)) as Info;
    const session = new Session(name, client, info, new Replay(await client.grow(new Uint8Array(), complete)), length);
    session.growing = !complete;
    session.took.first = performance.now() - began;
    return session;
  }

  /**
   * Opens a large recording with its first part; null where that shows nothing, or all of it must be read. `next` brings the others, one at each call, until it
   * answers with false.
   */
  static async inParts(
    client: Client,
    name: string,
    file: Blob,
    sizes: Sizes,
  ): Promise<{ session: Session; next: () => Promise<boolean> } | null> {
    const began = performance.now();
    const part = async (from: number, length: number) =>
      new Uint8Array(await file.slice(from, from + length).arrayBuffer());
    const first = await part(0, sizes.first);
    if (!comesInParts(first)) return null;
    let at = first.length;
    const session = await Session.begin(client, name, first, false, file).catch(() => null);
    const next = async () => {
      const more = await part(at, sizes.next);
      at += more.length;
      await session!.grow(more, at >= file.size);
      session!.part = Math.min(1, at / file.size);
      if (at < file.size) return true;
      session!.info = await client.ask<Info>('info');
      return false;
    };
    if (!session) return null;
    while (!session.replay.frameCount && at < file.size / 2) await next();
    if (!session.replay.frameCount) return null;
    session.part = at / file.size;
    session.isLarge = true;
    session.took.first = performance.now() - began;
    return { session, next };
  }

  /** Takes what was written since. */
  async grow(more: Uint8Array<ArrayBuffer>, complete: boolean): Promise<void> {
    const length = more.length;
    this.replay.extend(await this.client.grow(more, complete));
    this.bytes += length;
    this.growing = !complete;
  }

  /** Asks again what happened so far, for a tenth of the time at most, or when it is complete; `changed` hears when something came. */
  async refresh(changed: () => void): Promise<void> {
    const began = performance.now();
    if (this.refreshing || (this.growing && began < this.due)) return;
    this.refreshing = true;
    try {
      let growing: boolean;
      do {
        growing = this.growing;
        this.info = await this.client.ask<Info>('info');
        this.events = await this.client.ask<Event[]>('events');
        await this.askScores();
        // damage at the end of what is still written is none
        this.movements.clear();
        if (!growing) this.audit = await this.client.ask<Audit>('audit');
        changed();
      } while (growing && !this.growing);
    } finally {
      this.refreshing = false;
      this.due = performance.now() + Math.max(2000, 10 * (performance.now() - began));
    }
  }

  /** What else there is to know about it. */
  async more(changed: () => void): Promise<void> {
    const began = performance.now();
    this.movements.clear();
    this.events = await this.client.ask<Event[]>('events');
    changed();
    await this.askScores();
    changed();
    this.colored = await coloredOf(this.client, [this.replay.words, this.events, this.info]);
    changed();
    const audit = await this.client.ask<Audit>('audit');
    // a large one is opened again when somebody asks
    if (this.isLarge) this.client.rest();
    else await this.client.renew();
    this.audit = audit;
    this.took.all = this.took.first + performance.now() - began;
    changed();
  }

  /** How a player moved, until now where it is still written. */
  movement(slot: number): Promise<Movement> {
    let answer = this.movements.get(slot);
    if (!answer) {
      // one player after the other may be looked at
      if (this.movements.size >= MOST_MOVEMENTS) this.movements.clear();
      answer = this.client.movement(slot);
      this.movements.set(slot, answer);
    }
    return answer;
  }

  private async askScores(): Promise<void> {
    this.history = await this.client.ask<Scores>('scores');
    this.replay.sides = this.history.sides;
  }

  /** When the first match begins, where there is a time before it. */
  get start(): number {
    const [first] = this.scores;
    return first?.has_start ? first.from : 0;
  }

  close(): void {
    this.client.close();
  }
}

/** Who died by whom, as recordings of one match agree on it. */
function killKey(kill: Kill): string {
  return `${kill.attacker?.name.clean ?? ''}>${kill.victim.name.clean}`;
}

/** How far apart two recordings may say the same. */
const SAME_MOMENT = 700;

/** Whether a kill is in this recording alone though others ran at that time. */
export function isOnlyHere(event: Event, session: Session, all: Session[]): boolean {
  if (!isKill(event)) return false;
  const at = event.time + session.offset;
  const others = all.filter(
    (other) =>
      other !== session &&
      other.isAligned &&
      session.isAligned &&
      at > other.offset + SAME_MOMENT &&
      at < other.offset + other.replay.duration - SAME_MOMENT,
  );
  const key = killKey(event);
  return (
    others.length > 0 &&
    !others.some((other) =>
      other.events.some(
        (one) => isKill(one) && Math.abs(one.time + other.offset - at) < SAME_MOMENT && killKey(one) === key,
      ),
    )
  );
}

/** How far the second recording's clock is from the first's, when both are of one match. */
export function alignment(first: Session, second: Session): number | null {
  // kills that both have say it best: the difference that most of them agree on
  const times = new Map<string, number[]>();
  for (const event of first.events)
    if (isKill(event))
      (times.get(killKey(event)) ?? times.set(killKey(event), []).get(killKey(event))!).push(event.time);
  const votes: number[] = [];
  for (const event of second.events)
    if (isKill(event)) for (const time of times.get(killKey(event)) ?? []) votes.push(time - event.time);
  votes.sort((a, b) => a - b);
  let best = { count: 0, at: 0 };
  for (let from = 0, to = 0; to < votes.length; to++) {
    while (votes[to] - votes[from] > 150) from++;
    if (to - from + 1 > best.count) best = { count: to - from + 1, at: votes[(from + to) >> 1] };
  }
  if (best.count >= 3) return best.at;
  // else the server's clock, where both saw the same stretch of it on the same map
  const [a, b] = [first.replay.tracks.serverTimes, second.replay.tracks.serverTimes];
  if (!a.length || !b.length || first.info.maps[0] !== second.info.maps[0]) return null;
  const overlap = Math.min(a[a.length - 1], b[b.length - 1]) - Math.max(a[0], b[0]);
  return overlap > 1000 ? b[0] - a[0] : best.count > 0 ? best.at : null;
}
