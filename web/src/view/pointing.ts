// What lies under the pointer, and what there is to say of it.

import type { Replay } from '../data/replay';
import type { Entity, Player, Scene } from '../data/scene';
import type { Vector } from '../data/vector';
import type { Camera } from './camera';

export interface Pointed {
  text: string;
  /** Whom a click follows. */
  slot: number | null;
}

/** So near, in pixels, it is meant. */
const NEAR = 16;

const plain = (name: string) => name.replaceAll('_', ' ');

export function pointed(scene: Scene, replay: Replay, camera: Camera, x: number, y: number): Pointed | null {
  let best: Pointed | null = null;
  let nearest = NEAR;
  const try_ = (place: Vector | null, lead: number, say: () => Pointed) => {
    const at = place && camera.project(place);
    if (!at) return;
    const distance = Math.hypot(at.x - x, at.y - y) - lead;
    if (distance >= nearest) return;
    nearest = distance;
    best = say();
  };
  // players come before what lies beside them
  for (const player of scene.players)
    if (!player.spectator) try_(player.origin, 6, () => ({ text: ofPlayer(player), slot: player.slot }));
  if (camera.isFlat) {
    for (const entity of scene.entities)
      if (entity.kind !== 'player' && entity.kind !== 'other')
        try_(entity.origin, 0, () => ({ text: ofEntity(entity), slot: null }));
    for (const { origin, item, since } of replay.takenItems(scene.time))
      try_(origin, 0, () => ({
        text: `${item ? plain(item.common ?? item.own) : 'item'}, taken ${Math.floor((scene.time - since) / 1000)} s ago`,
        slot: null,
      }));
  }
  return best;
}

function ofPlayer({ name, slot, team, health, armor, weapon, alive }: Player): string {
  const facts = [
    team && team !== 'free' ? team : '',
    alive === false ? 'dead' : '',
    health === null ? '' : `health ${health}`,
    armor === null ? '' : `armor ${armor}`,
    weapon ? plain(weapon.common ?? weapon.own) : '',
  ];
  return [name?.clean ?? `slot ${slot}`, ...facts].filter(Boolean).join(', ');
}

function ofEntity({ kind, item }: Entity): string {
  return item ? plain(item.common ?? item.own) : kind === 'mover' ? 'door or lift' : kind;
}
