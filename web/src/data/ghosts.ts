// Players whom only other recordings of the match saw.

import type { Player, Scene } from './scene';
import type { Session } from './session';

/** Those of a moment, at `now` on the common clock. Recordings without a common clock have no part in it. */
export function ghostsOf(sessions: readonly Session[], session: Session, scene: Scene, now: number): Player[] {
  const others = sessions.filter((other) => other !== session && other.isAligned && session.isAligned);
  if (!others.length) return [];
  // one player is the same by name: slots differ between recordings
  const seen = new Set(scene.players.filter((player) => player.origin).map((player) => player.name?.clean));
  const found: Player[] = [];
  for (const other of others) {
    const time = now - other.offset;
    if (time < 0 || time > other.replay.duration) continue;
    for (const player of other.replay.sceneAt(time).players) {
      if (!player.origin || player.spectator || player.alive === false || seen.has(player.name?.clean)) continue;
      seen.add(player.name?.clean);
      found.push(player);
    }
  }
  return found;
}
