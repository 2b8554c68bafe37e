// Names over players, with health and armor: on a picture that is read, or as elements over one in space.

import type { Player } from '../data/scene';
import type { Camera } from './camera';
import { playerColor } from './colors';
import { h } from './dom';

/** What stands over a player, and the middle of its first line. */
export interface Plate {
  slot: number;
  x: number;
  y: number;
  color: string;
  name: string;
  /** Health and armor, as far as they are known. */
  vital: string;
}

/** From an origin to what is over a head. */
const OVER = 44;
const FONT = '600 11px system-ui, sans-serif';
/** From the first line to the second one. */
const LINE = 12;

/** How large a player is drawn from above; in space the figure itself is drawn. */
export const figureSize = (camera: Camera, scale: number): number =>
  camera.isFlat ? Math.min(Math.max(18 * scale, 8), 18) : 0;

/** The plate of a player whom one sees alive. */
export function plateOf(player: Player, camera: Camera): Plate | null {
  const { origin, slot, name, health, armor } = player;
  if (!origin || player.spectator || player.alive === false) return null;
  const at = camera.project(origin);
  if (!at) return null;
  const place = camera.isFlat
    ? { x: at.x, y: at.y + figureSize(camera, at.scale) + 11 }
    : (camera.project([origin[0], origin[1], origin[2] + OVER]) ?? at);
  const vital =
    health === null || health === undefined
      ? ''
      : armor === null || armor === undefined
        ? String(health)
        : `${health}/${armor}`;
  return { slot, x: place.x, y: place.y, color: playerColor(player), name: name?.clean ?? `slot ${slot}`, vital };
}

/** What a label takes. */
export interface Room {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** From below a figure to above it. */
const ABOVE = 46;

/** Where a plate is to stand so that it lies over none of those that are there; nothing where there is no room. */
export function roomFor(
  context: CanvasRenderingContext2D,
  { name, vital, x, y }: Plate,
  taken: Room[],
  mayMove: boolean,
): { x: number; y: number } | null {
  context.font = FONT;
  const half = Math.max(context.measureText(name).width, context.measureText(vital).width) / 2 + 2;
  const high = vital ? LINE * 2 : LINE;
  const room = (y: number): Room => ({
    left: x - half,
    right: x + half,
    top: y - LINE / 2,
    bottom: y - LINE / 2 + high,
  });
  for (const at of mayMove ? [y, y - ABOVE, y + LINE] : [y]) {
    const wanted = room(at);
    const isFree = taken.every(
      (one) =>
        one.right <= wanted.left || one.left >= wanted.right || one.bottom <= wanted.top || one.top >= wanted.bottom,
    );
    if (!isFree && mayMove) continue;
    taken.push(wanted);
    return { x, y: at };
  }
  return null;
}

export function drawPlate(context: CanvasRenderingContext2D, { name, vital, x, y, color }: Plate): void {
  drawLabel(context, name, x, y, color);
  if (vital) drawLabel(context, vital, x, y + LINE, '#ffffff');
}

export function drawLabel(context: CanvasRenderingContext2D, text: string, x: number, y: number, color: string): void {
  context.font = FONT;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineWidth = 3;
  context.strokeStyle = 'rgba(0,0,0,0.75)';
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}

/** Plates as elements. A browser only moves them from picture to picture; a canvas of the picture's size it would put over the picture each time, which
 * took a third of the time where a processor draws. */
export class Plates {
  private readonly crosshair = h('div', { class: 'crosshair', hidden: true });
  readonly element = h('div', { class: 'plates', 'aria-hidden': 'true' }, this.crosshair);
  private readonly shown = new Map<
    number,
    { element: HTMLElement; name: HTMLElement; vital: HTMLElement; plate: Plate }
  >();

  /** Shows the plates of these players. */
  show(players: readonly Player[], camera: Camera, aims: boolean): void {
    this.crosshair.hidden = !aims;
    const seen = new Set<number>();
    for (const player of players) {
      const plate = plateOf(player, camera);
      if (!plate || plate.x < -100 || plate.y < -20 || plate.x > camera.width + 100 || plate.y > camera.height + 20)
        continue;
      seen.add(plate.slot);
      this.put(plate);
    }
    for (const [slot, { element }] of this.shown) {
      if (seen.has(slot)) continue;
      element.remove();
      this.shown.delete(slot);
    }
  }

  private put(plate: Plate): void {
    let known = this.shown.get(plate.slot);
    if (!known) {
      const [name, vital] = [h('span'), h('span', { class: 'vital' })];
      const element = h('div', {}, name, vital);
      this.element.append(element);
      known = { element, name, vital, plate: { ...plate, name: '', vital: '', color: '' } };
      this.shown.set(plate.slot, known);
    }
    const { element, name, vital, plate: last } = known;
    if (last.name !== plate.name) name.textContent = plate.name;
    if (last.color !== plate.color) name.style.color = plate.color;
    if (last.vital !== plate.vital) vital.textContent = plate.vital;
    element.style.transform = `translate(${Math.round(plate.x)}px, ${Math.round(plate.y)}px) translate(-50%, -${LINE / 2}px)`;
    known.plate = plate;
  }
}
