// Where things happened, as heat on the plan.

import { isKill } from '../data/events';
import type { Session } from '../data/session';
import type { Heat } from '../store/look';
import type { Pane } from '../store/pane';
import type { Store } from '../store/store';
import type { Camera } from './camera';
import { flat } from './software';

export interface HeatWish {
  what: Heat;
  slot: number | null;
  radius: number;
  from: number;
  to: number;
}

/** What somebody wants to see of a picture's recording. */
export function heatWish({ look, clock }: Store, { session, followed }: Pane): HeatWish | null {
  const { what, mine, clip, radius } = look.heat;
  if (what === 'none') return null;
  const [from, to] = clip ? clock.range : [null, null];
  return { what, slot: mine ? followed : null, radius, from: from ?? 0, to: to ?? session.replay.duration };
}

/** The places that count. */
export function places(session: Session, wish: HeatWish): [number, number][] {
  const found: [number, number][] = [];
  const add = (slot: number | undefined, time: number) => {
    if (slot === undefined || (wish.slot !== null && slot !== wish.slot)) return;
    const origin = session.replay.playerOf(slot, time)?.origin;
    if (origin) found.push([origin[0], origin[1]]);
  };
  if (wish.what === 'positions') {
    const step = Math.max(100, (wish.to - wish.from) / 5000);
    for (let time = wish.from; time <= wish.to; time += step) {
      for (const slot of wish.slot === null ? session.replay.slots : [wish.slot]) {
        const player = session.replay.playerOf(slot, time);
        if (player?.origin && player.alive !== false && !player.spectator)
          found.push([player.origin[0], player.origin[1]]);
      }
    }
    return found;
  }
  for (const event of session.events) {
    if (event.time < wish.from || event.time > wish.to) continue;
    if (wish.what === 'kills' && isKill(event) && !event.suicide) add(event.attacker?.slot, event.time);
    else if (wish.what === 'deaths' && isKill(event)) add(event.victim.slot, event.time);
    else if (wish.what === 'shots' && event.kind === 'shot') add(event.player.slot, event.time);
    else if (wish.what === 'pickups' && event.kind === 'item') add(event.player.slot, event.time);
  }
  return found;
}

export class HeatMap {
  private made = '';
  private picture: HTMLCanvasElement | null = null;
  private corner: [number, number] = [0, 0];
  private unit = 1;
  /** How many places the picture was made of. */
  count = 0;

  draw(context: CanvasRenderingContext2D, camera: Camera, session: Session, wish: HeatWish): void {
    const state = JSON.stringify([session.name, session.events.length, wish]);
    if (state !== this.made) {
      this.made = state;
      this.make(places(session, wish), wish.radius);
    }
    if (!this.picture) return;
    const { width, height } = this.picture;
    const size = this.unit * camera.scale;
    const left = (this.corner[0] - camera.center[0]) * camera.scale + camera.width / 2;
    const top = camera.height / 2 - (this.corner[1] + height * this.unit - camera.center[1]) * camera.scale;
    context.globalAlpha = 0.8;
    context.imageSmoothingEnabled = true;
    context.drawImage(this.picture, left, top, width * size, height * size);
    context.globalAlpha = 1;
  }

  private make(points: [number, number][], radius: number): void {
    this.picture = null;
    this.count = points.length;
    if (!points.length) return;
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const low: [number, number] = [
      xs.reduce((a, b) => Math.min(a, b)) - radius * 2,
      ys.reduce((a, b) => Math.min(a, b)) - radius * 2,
    ];
    const high: [number, number] = [
      xs.reduce((a, b) => Math.max(a, b)) + radius * 2,
      ys.reduce((a, b) => Math.max(a, b)) + radius * 2,
    ];
    const unit = Math.max(radius / 4, Math.max(high[0] - low[0], high[1] - low[1]) / 512);
    const [width, height] = [Math.ceil((high[0] - low[0]) / unit), Math.ceil((high[1] - low[1]) / unit)];
    const grid = new Float32Array(width * height);
    const reach = Math.ceil((radius * 2) / unit);
    for (const [x, y] of points) {
      const [cx, cy] = [(x - low[0]) / unit, (y - low[1]) / unit];
      for (let py = Math.max(0, Math.floor(cy - reach)); py <= Math.min(height - 1, cy + reach); py++) {
        for (let px = Math.max(0, Math.floor(cx - reach)); px <= Math.min(width - 1, cx + reach); px++) {
          const far = ((px - cx) ** 2 + (py - cy) ** 2) * unit * unit;
          grid[py * width + px] += Math.exp(-far / (radius * radius));
        }
      }
    }
    const most = grid.reduce((a, b) => Math.max(a, b), 0);
    const picture = document.createElement('canvas');
    [picture.width, picture.height] = [width, height];
    const context = flat(picture);
    const image = context.createImageData(width, height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        // a square root shows what happened once beside what happened often
        const value = Math.sqrt(grid[y * width + x] / most);
        if (value < 0.08) continue;
        image.data.set(
          [
            Math.min(255, value * 510),
            Math.max(0, Math.min(255, (value - 0.4) * 420)),
            Math.max(0, 120 - value * 240),
            Math.min(235, value * 320),
          ],
          ((height - 1 - y) * width + x) * 4,
        );
      }
    }
    context.putImageData(image, 0, 0);
    [this.picture, this.corner, this.unit] = [picture, low, unit];
  }
}
