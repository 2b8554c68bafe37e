// The pictures: one of the recording that is shown, or one of each beside each other.

import type { Player, Scene } from '../data/scene';
import type { Library } from '../data/library';
import type { Session } from '../data/session';
import type { Mode } from '../data/link';
import { Stage, type Stageable } from './stage';

export class Stages {
  readonly stages: Stage[] = [];
  mode: Mode = 'top';

  constructor(
    private readonly app: Stageable,
    private readonly library: Library,
  ) {}

  get stage(): Stage | null {
    return this.stages.find((stage) => stage.session === this.library.session) ?? this.stages[0] ?? null;
  }

  /** Makes the pictures of what is to be shown. */
  arrange(): HTMLElement[] {
    for (const stage of this.stages.splice(0)) stage.close();
    for (const session of this.library.shown) {
      const stage = new Stage(session, this.app);
      stage.setMode(this.mode);
      this.stages.push(stage);
    }
    return this.stages.map((stage) => stage.element);
  }

  setMode(mode: Mode): void {
    this.mode = mode;
    for (const stage of this.stages) stage.setMode(mode);
  }

  draw(clock: number, elapsed: number): void {
    for (const stage of this.stages) {
      stage.draw(clock - stage.session.offset, elapsed);
      stage.label(this.stages.length > 1 ? stage.session.name : this.missing(stage.session, clock));
    }
  }

  /** Asks for the map of a recording that has just been opened. */
  private missing(session: Session, clock: number): string {
    const [name] = session.info.maps;
    return clock === 0 && name && !this.app.map(session, 0)
      ? `${name}: drop its .bsp, .pak or .pk3 to see the level`
      : '';
  }

  /** Players of a moment whom only other recordings saw. */
  ghosts(session: Session, scene: Scene, clock: number): Player[] {
    const others = this.library.sessions.filter((other) => other !== session);
    if (!others.length) return [];
    // one player is the same by name: slots differ between recordings
    const seen = new Set(scene.players.filter((player) => player.origin).map((player) => player.name?.clean));
    const found: Player[] = [];
    for (const other of others) {
      const time = clock - other.offset;
      if (time < 0 || time > other.replay.duration) continue;
      for (const player of other.replay.sceneAt(time).players) {
        if (!player.origin || player.spectator || player.alive === false || seen.has(player.name?.clean)) continue;
        seen.add(player.name?.clean);
        found.push(player);
      }
    }
    return found;
  }
}
