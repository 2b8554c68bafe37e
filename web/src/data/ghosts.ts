// Players whom only other recordings of the match saw.

import type { Run } from './compare';
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

/** The second of two runs, as far on as the first is at a time of its recording. */
export function besides(
  pair: { first: Run & { session: Session }; second: Run } | null,
  session: Session,
  time: number,
): Player[] {
  if (!pair || pair.first.session !== session || time < pair.first.from || time > pair.first.to) return [];
  const at = pair.second.from + time - pair.first.from;
  // who is in the picture is not a ghost
  if (at > pair.second.to || (at === time && pair.second.replay === session.replay)) return [];
  const player = pair.second.replay.sceneAt(at).players.find(({ slot }) => slot === pair.second.slot);
  return player?.origin ? [{ ...player, side: 'yellow' }] : [];
}
