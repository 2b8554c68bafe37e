// Explosions, beams and shots on the plan.

import type { Replay } from '../data/replay';
import type { Scene } from '../data/scene';
import type { Vector } from '../data/vector';
import type { Happening } from '../data/happenings';
import type { Camera } from './camera';

/** Milliseconds that they stay. */
const STAYS: Partial<Record<Happening['kind'], number>> = {
  explosion: 400,
  flash: 90,
  rail: 600,
  lightning: 120,
  laser: 150,
  tracer: 150,
  teleport: 500,
};
const LONGEST = 600;
const MOST = 120;

export function drawHappenings(context: CanvasRenderingContext2D, replay: Replay, scene: Scene, camera: Camera): void {
  for (const one of replay.happenings.between(scene.time - LONGEST, scene.time).slice(-MOST)) {
    const part = (scene.time - one.time) / (STAYS[one.kind] ?? 0);
    const at = one.origin && part < 1 ? camera.project(one.origin) : null;
    if (!at) continue;
    const color = `rgb(${(one.color ?? [255, 200, 100]).join(' ')} / ${(1 - part).toFixed(3)})`;
    context.fillStyle = context.strokeStyle = color;
    const end =
      one.end ??
      (one.kind === 'lightning' && one.direction
        ? (one.origin!.map((value, axis) => value + one.direction![axis] * (one.size ?? 0)) as Vector)
        : null);
    context.beginPath();
    if (end) {
      const to = camera.project(end);
      if (!to) continue;
      context.lineWidth = 2;
      context.moveTo(at.x, at.y);
      context.lineTo(to.x, to.y);
      context.stroke();
    } else {
      const reach =
        one.kind === 'explosion' ? (one.size ?? 48) * (0.4 + 0.6 * part) : one.kind === 'teleport' ? 40 * part : 14;
      context.arc(at.x, at.y, Math.max(2, reach * at.scale), 0, Math.PI * 2);
      if (one.kind === 'teleport') context.stroke();
      else context.fill();
    }
  }
}
