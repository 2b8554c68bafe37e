// What is open, what of it is in the picture, and who is followed.

import { MODES, type Mode } from '../data/link';
import type { Scene } from '../data/scene';
import type { Session } from '../data/session';
import type { Pane } from './pane';
import type { Topics } from './topics';

/** One recording, all that are open beside each other, or one from four sides. */
export type Layout = 'one' | 'beside' | 'four';

export class Selection {
  readonly sessions: Session[] = [];
  /** Pictures, in their order. */
  panes: Pane[] = [];
  layout: Layout = 'one';
  /** Whether a recording is read. */
  isBusy = false;
  /** Whether recordings are shown while they are written. */
  isLive = false;
  private active = 0;
  private chosen = 0;
  /** The camera of what is opened next. */
  private usual: Mode = 'top';

  constructor(private readonly topics: Topics) {}

  /** The picture that controls are for. */
  get pane(): Pane | null {
    return this.panes[this.chosen] ?? this.panes[0] ?? null;
  }

  /** The recording that controls are for. */
  get session(): Session | null {
    return this.pane?.session ?? this.sessions[this.active] ?? null;
  }

  get isEmpty(): boolean {
    return !this.sessions.length;
  }

  /** Whether what is shown is still written, or another one will follow. */
  get grows(): boolean {
    return this.isLive && this.sessions.length > 0;
  }

  /** Length of everything that is open, on the common clock. */
  get duration(): number {
    return Math.max(0, ...this.sessions.map((session) => session.offset + session.replay.duration));
  }

  /** Where the recording that is shown begins on the common clock. */
  get offset(): number {
    return this.session?.offset ?? 0;
  }

  get scene(): Scene | null {
    return this.pane?.scene ?? null;
  }

  get followed(): number | null {
    return this.pane?.followed ?? null;
  }

  get directed(): boolean {
    return this.pane?.directed ?? false;
  }

  get camera(): Mode {
    return this.pane?.camera ?? this.usual;
  }

  /** Takes a recording in place of those that are open, or beside them. */
  add(session: Session, beside: boolean): void {
    if (!beside) {
      for (const old of this.sessions.splice(0)) old.close();
      this.panes = [];
      [this.active, this.chosen] = [0, 0];
      if (this.layout === 'beside') this.layout = 'one';
    }
    this.sessions.push(session);
    this.arrange();
  }

  /** Closes all recordings. */
  clear(): void {
    for (const session of this.sessions.splice(0)) session.close();
    this.panes = [];
    this.topics.tell('panes');
    this.topics.tell('selection');
  }

  /** Shows one recording, all of them, or one in four pictures. */
  pick(at: number | 'beside' | 'four'): void {
    if (typeof at === 'number') [this.active, this.layout] = [at, 'one'];
    else {
      this.active = Math.max(0, this.session ? this.sessions.indexOf(this.session) : 0);
      this.layout = at;
    }
    this.arrange();
  }

  /** The picture that controls are for from now on. */
  choose(pane: Pane): void {
    const at = this.panes.indexOf(pane);
    if (at < 0 || at === this.chosen) return;
    this.chosen = at;
    this.topics.tell('selection');
  }

  follow(slot: number | null, pane = this.pane): void {
    if (!pane) return;
    pane.directed = false;
    pane.followed = slot;
    if (slot === null && (pane.camera === 'behind' || pane.camera === 'eyes')) this.setCamera('top', pane);
    this.topics.tell('followed', pane);
    this.topics.tell('selection');
  }

  direct(isDirected: boolean, pane = this.pane): void {
    if (!pane) return;
    if (isDirected && pane.camera === 'top') this.setCamera('behind', pane);
    // a camera that needs somebody follows by itself
    pane.directed = isDirected;
    this.topics.tell('selection');
  }

  setCamera(mode: Mode, pane = this.pane): void {
    this.usual = mode;
    if (pane) {
      pane.camera = mode;
      if ((mode === 'behind' || mode === 'eyes') && pane.followed === null) this.follow(firstToFollow(pane), pane);
    }
    this.topics.tell('selection');
  }

  nextCamera(): void {
    this.setCamera(MODES[(MODES.indexOf(this.camera) + 1) % MODES.length]);
  }

  /** Makes the pictures of what is to be shown; those that stay keep whom they follow. */
  private arrange(): void {
    const active = this.sessions[this.active] ?? this.sessions[0];
    const wanted = this.layout === 'beside' ? this.sessions : active ? [active] : [];
    const known = [...this.panes];
    const kept = (session: Session): Pane | undefined => {
      const at = known.findIndex((pane) => pane.session === session);
      return at < 0 ? undefined : known.splice(at, 1)[0];
    };
    this.panes = wanted.flatMap((session) => {
      const first = kept(session) ?? pane(session, this.usual);
      if (this.layout !== 'four') return [first];
      const others = playersOf(session).filter((slot) => slot !== first.followed);
      return [first, ...OTHERS.map((mode, at) => kept(session) ?? pane(session, mode, others[at] ?? null))];
    });
    this.chosen = Math.max(
      0,
      this.panes.findIndex(({ session }) => session === active),
    );
    this.topics.tell('panes');
    this.topics.tell('selection');
  }
}

/** The cameras of the second to the fourth picture of one recording. */
const OTHERS: readonly Mode[] = ['eyes', 'eyes', 'behind'];

function pane(session: Session, mode: Mode, followed: number | null = null): Pane {
  const needsSomebody = mode === 'behind' || mode === 'eyes';
  const camera = needsSomebody && followed === null ? 'top' : mode;
  return { session, followed, camera, directed: false, scene: null };
}

/** Who plays in a recording, by slot. */
function playersOf({ replay }: Session): number[] {
  const all = replay.sceneAt(replay.duration / 2).players;
  return all.filter(({ spectator, origin }) => !spectator && origin).map(({ slot }) => slot);
}

function firstToFollow({ scene, session }: Pane): number | null {
  const seen = scene ?? session.replay.sceneAt(0);
  return seen.view?.slot ?? seen.players.find((player) => player.origin && !player.spectator)?.slot ?? null;
}
