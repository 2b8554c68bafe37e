// Static entities, such as torches, as entities that are drawn like others.

import type { Happening } from './happenings';
import { type ModelState, stillOf } from './looks';
import type { Entity, Scene } from './scene';
import type { Vector } from './vector';

/** A static entity and its model. */
export interface Static {
  entity: Entity & { origin: Vector };
  look: ModelState;
}

const DEGREE = Math.PI / 180;
const made = new WeakMap<Happening, Static>();

/** The static entities of a scene. */
export function staticsOf(
  happenings: { staticsAt(time: number, level: number): Happening[] },
  { time, level }: Scene,
): Static[] {
  return happenings.staticsAt(time, level).flatMap((one) => made.get(one) ?? make(one) ?? []);
}

function make(one: Happening): Static | null {
  const { origin, direction, model } = one;
  if (!origin || !direction || !model) return null;
  const [x, y, z] = direction;
  const angles: Vector = [Math.asin(Math.max(-1, Math.min(1, z))) / DEGREE, Math.atan2(y, x) / DEGREE, 0];
  const entity: Static['entity'] = {
    // no other entity has such a number
    number: -1 - one.number,
    kind: 'other',
    ...{ model, owner: null, item: null, origin, angles, heading: null },
  };
  const found = { entity, look: stillOf(model, one.count ?? 0, one.skin ?? 0) };
  made.set(one, found);
  return found;
}
