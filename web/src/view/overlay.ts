// Players and things on the plan, and their names in space. Everything is drawn; nothing of it is markup.

import type { Term } from '../../answers';
import type { Replay } from '../data/replay';
import type { Entity, Player, Scene } from '../data/scene';
import type { Vector } from '../data/vector';
import type { Camera } from './camera';
import { itemColor, playerColor } from './colors';
import { weaponShape } from './icons';
import type { Look } from '../store/look';
import { drawHappenings } from './planned';
import { type Room, drawLabel, drawPlate, figureSize, plateOf, roomFor } from './plates';

/** How one picture is drawn. */
export interface Shown extends Pick<Look, 'trails' | 'names' | 'things' | 'light' | 'textures' | 'dark'> {
  followed: number | null;
}

/** How long a trail is. */
const TRAIL = 3000;

/** What is drawn over the ground in a picture that is read as a whole, or from above; `ghosts` are players whom only other recordings of the match saw. */
export function drawOverlay(
  context: CanvasRenderingContext2D,
  scene: Scene,
  camera: Camera,
  replay: Replay,
  look: Shown,
  ghosts: Player[] = [],
): void {
  for (const ghost of ghosts) drawGhost(context, ghost, camera);
  if (look.things && camera.isFlat)
    for (const taken of replay.takenItems(scene.time)) drawTaken(context, taken, camera, scene.time);
  // in space they are drawn as bodies
  if (look.things && camera.isFlat)
    for (const entity of scene.entities) drawEntity(context, entity, camera, replay, scene);
  if (look.things && camera.isFlat) drawHappenings(context, replay, scene, camera);
  if (look.trails && camera.isFlat)
    for (const player of scene.players) drawTrail(context, player, camera, replay, scene);
  for (const player of scene.players) {
    if (camera.mode === 'eyes' && player.slot === look.followed) continue;
    drawPlayer(context, player, camera, look);
  }
  if (look.names) drawPlates(context, scene, camera, look.followed);
  if (camera.mode === 'eyes') drawCrosshair(context, camera);
}

/** Names do not lie over each other: the followed player's is there first, and another one goes where there is room, or is left out on the plan. */
function drawPlates(context: CanvasRenderingContext2D, scene: Scene, camera: Camera, followed: number | null): void {
  const plates = scene.players
    .filter(({ slot }) => camera.isFlat || camera.mode !== 'eyes' || slot !== followed)
    .flatMap((player) => plateOf(player, camera) ?? [])
    .sort((a, b) => Number(b.slot === followed) - Number(a.slot === followed) || a.slot - b.slot);
  const taken: Room[] = [];
  for (const plate of plates) {
    // on the plan, health is written for the followed player alone
    const shown = camera.isFlat && plate.slot !== followed ? { ...plate, vital: '' } : plate;
    const place = roomFor(context, shown, taken, camera.isFlat);
    if (place) drawPlate(context, { ...shown, ...place });
  }
}

function drawPlayer(context: CanvasRenderingContext2D, player: Player, camera: Camera, look: Shown): void {
  if (!player.origin || player.spectator) return;
  const at = camera.project(player.origin);
  if (!at) return;
  const color = playerColor(player);
  const size = figureSize(camera, at.scale);
  const dead = player.alive === false;
  if (camera.isFlat) {
    context.lineWidth = 2;
    if (dead) {
      context.strokeStyle = color;
      context.beginPath();
      context.moveTo(at.x - size * 0.7, at.y - size * 0.7);
      context.lineTo(at.x + size * 0.7, at.y + size * 0.7);
      context.moveTo(at.x + size * 0.7, at.y - size * 0.7);
      context.lineTo(at.x - size * 0.7, at.y + size * 0.7);
      context.stroke();
    } else {
      if (player.angles) {
        const yaw = (player.angles[1] * Math.PI) / 180;
        context.fillStyle = color;
        context.globalAlpha = 0.25;
        context.beginPath();
        context.moveTo(at.x, at.y);
        context.arc(at.x, at.y, size * 3.2, -yaw - 0.5, -yaw + 0.5);
        context.fill();
        context.globalAlpha = 1;
      }
      drawBody(context, player, at.x, at.y, size, color, player.slot === look.followed);
      if (player.items.some((item) => item.common?.endsWith('_flag')))
        flag(context, at.x, at.y - size, player.items.find((item) => item.common?.endsWith('_flag'))!.common!);
      if (player.powerups.length) {
        context.strokeStyle = itemColor(player.powerups[0].common);
        context.beginPath();
        context.arc(at.x, at.y, size + 4, 0, Math.PI * 2);
        context.stroke();
      }
    }
  }
}

const shapes = new Map<string, Path2D>();

/** Somebody from above: shoulders, the weapon in his hands, and a head. */
function drawBody(
  context: CanvasRenderingContext2D,
  player: Player,
  x: number,
  y: number,
  size: number,
  color: string,
  isFollowed: boolean,
): void {
  const edge = () => {
    context.strokeStyle = isFollowed ? '#ffffff' : 'rgba(0,0,0,0.75)';
    context.lineWidth = isFollowed ? 2.5 : 1.5;
    context.stroke();
  };
  context.fillStyle = color;
  context.beginPath();
  if (!player.angles) {
    context.arc(x, y, size, 0, Math.PI * 2);
    context.fill();
    edge();
    return;
  }
  context.save();
  context.translate(x, y);
  context.rotate((-player.angles[1] * Math.PI) / 180);
  context.ellipse(0, 0, size * 0.75, size * 1.1, 0, 0, Math.PI * 2);
  context.fill();
  edge();
  const shape = weaponShape(player.weapon?.common);
  if (shape) {
    const path = shapes.get(shape) ?? shapes.set(shape, new Path2D(shape)).get(shape)!;
    const scale = (size * 2.2) / 32;
    context.save();
    context.translate(size * 0.45, size * 0.05);
    context.scale(scale, scale);
    context.lineWidth = 3;
    context.strokeStyle = 'rgba(0,0,0,0.8)';
    context.stroke(path);
    context.fillStyle = '#e6e9f0';
    context.fill(path);
    context.restore();
  } else {
    context.strokeStyle = color;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(size * 0.7, 0);
    context.lineTo(size * 1.9, 0);
    context.stroke();
  }
  context.fillStyle = color;
  context.beginPath();
  context.arc(size * 0.35, 0, size * 0.4, 0, Math.PI * 2);
  context.fill();
  context.fillStyle = 'rgba(255,255,255,0.5)';
  context.fill();
  context.strokeStyle = 'rgba(0,0,0,0.6)';
  context.lineWidth = 1;
  context.stroke();
  context.restore();
}

/** What the player aims at is in the middle of his view. */
function drawCrosshair(context: CanvasRenderingContext2D, { width, height }: Camera): void {
  const [x, y] = [width / 2, height / 2];
  for (const [color, wide] of [
    ['rgba(0,0,0,0.6)', 4],
    ['#e8fbe8', 2],
  ] as const) {
    context.strokeStyle = color;
    context.lineWidth = wide;
    context.beginPath();
    for (const [dx, dy] of [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ] as const) {
      context.moveTo(x + dx * 4, y + dy * 4);
      context.lineTo(x + dx * 10, y + dy * 10);
    }
    context.stroke();
  }
}

/** A player whom this recording did not see: an outline. */
function drawGhost(context: CanvasRenderingContext2D, player: Player, camera: Camera): void {
  const at = player.origin && camera.project(player.origin);
  if (!at) return;
  context.strokeStyle = playerColor(player);
  context.lineWidth = 2;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.arc(
    at.x,
    at.y,
    camera.isFlat ? Math.min(Math.max(18 * at.scale, 6), 16) : Math.max(4, 20 * at.scale),
    0,
    Math.PI * 2,
  );
  context.stroke();
  context.setLineDash([]);
  drawLabel(context, `(${player.name?.clean ?? player.slot})`, at.x, at.y + 24, playerColor(player));
}

/** An item that was taken: seconds since then. */
function drawTaken(
  context: CanvasRenderingContext2D,
  taken: { origin: Vector; item: Term | null; since: number },
  camera: Camera,
  time: number,
): void {
  const at = camera.project(taken.origin);
  if (!at) return;
  context.strokeStyle = itemColor(taken.item?.common);
  context.globalAlpha = 0.7;
  context.lineWidth = 1;
  context.beginPath();
  context.arc(at.x, at.y, 7, 0, Math.PI * 2);
  context.stroke();
  context.globalAlpha = 1;
  context.font = '10px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = '#e8eaee';
  context.fillText(String(Math.floor((time - taken.since) / 1000)), at.x, at.y);
}

function flag(context: CanvasRenderingContext2D, x: number, y: number, common: string): void {
  context.fillStyle = itemColor(common);
  context.strokeStyle = '#fff';
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, y + 4);
  context.lineTo(x, y - 12);
  context.lineTo(x + 10, y - 8);
  context.lineTo(x, y - 4);
  context.fill();
  context.stroke();
}

function drawTrail(
  context: CanvasRenderingContext2D,
  player: Player,
  camera: Camera,
  replay: Replay,
  scene: Scene,
): void {
  if (!player.origin || player.spectator || player.alive === false) return;
  const way = replay.way(player.slot, scene.time - TRAIL, scene.time);
  if (way.length < 2) return;
  context.strokeStyle = playerColor(player);
  context.lineWidth = 2;
  for (let at = 1; at < way.length; at++) {
    const [from, to] = [way[at - 1], way[at]];
    if (to.jumped) continue;
    const [a, b] = [camera.project(from.origin), camera.project(to.origin)];
    if (!a || !b) continue;
    context.globalAlpha = Math.max(0, 0.7 * (1 - (scene.time - to.time) / TRAIL));
    context.beginPath();
    context.moveTo(a.x, a.y);
    context.lineTo(b.x, b.y);
    context.stroke();
  }
  context.globalAlpha = 1;
}

function drawEntity(
  context: CanvasRenderingContext2D,
  entity: Entity,
  camera: Camera,
  replay: Replay,
  scene: Scene,
): void {
  if (!entity.origin) return;
  const at = camera.project(entity.origin);
  if (!at || at.x < -50 || at.y < -50 || at.x > camera.width + 50 || at.y > camera.height + 50) return;
  const size = Math.min(Math.max(10 * at.scale, 3), camera.isFlat ? 9 : 14);
  switch (entity.kind) {
    case 'item': {
      const common = entity.item?.common;
      if (common?.endsWith('_flag')) {
        flag(context, at.x, at.y, common);
        return;
      }
      context.fillStyle = itemColor(common);
      context.strokeStyle = 'rgba(0,0,0,0.6)';
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(at.x, at.y - size);
      context.lineTo(at.x + size, at.y);
      context.lineTo(at.x, at.y + size);
      context.lineTo(at.x - size, at.y);
      context.closePath();
      context.fill();
      context.stroke();
      return;
    }
    case 'missile': {
      context.fillStyle = '#ff9a3c';
      context.beginPath();
      context.arc(at.x, at.y, Math.max(2.5, size * 0.5), 0, Math.PI * 2);
      context.fill();
      const before = replay.entityPlace(entity.number, scene.time - 60);
      const tail = before && camera.project(before);
      if (tail && Math.hypot(tail.x - at.x, tail.y - at.y) < 200) {
        context.strokeStyle = 'rgba(255,154,60,0.6)';
        context.lineWidth = 2;
        context.beginPath();
        context.moveTo(tail.x, tail.y);
        context.lineTo(at.x, at.y);
        context.stroke();
      }
      return;
    }
    case 'corpse':
      context.strokeStyle = 'rgba(160,60,60,0.8)';
      context.lineWidth = 1.5;
      context.strokeRect(at.x - size * 0.5, at.y - size * 0.5, size, size);
      return;
    case 'mover':
      if (!camera.isFlat || (entity.origin[0] === 0 && entity.origin[1] === 0)) return;
      context.strokeStyle = 'rgba(190,190,210,0.7)';
      context.lineWidth = 1;
      context.strokeRect(at.x - size, at.y - size, size * 2, size * 2);
      return;
    case 'effect':
      star(context, at.x, at.y, size * 1.3);
      return;
    case 'sound':
      context.strokeStyle = 'rgba(140,190,255,0.5)';
      context.lineWidth = 1;
      context.beginPath();
      context.arc(at.x, at.y, size * 2, 0, Math.PI * 2);
      context.stroke();
      return;
    default:
      return;
  }
}

function star(context: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  context.strokeStyle = 'rgba(255,220,120,0.85)';
  context.lineWidth = 1.5;
  context.beginPath();
  for (let ray = 0; ray < 4; ray++) {
    const angle = (ray * Math.PI) / 4;
    context.moveTo(x - Math.cos(angle) * size, y - Math.sin(angle) * size);
    context.lineTo(x + Math.cos(angle) * size, y + Math.sin(angle) * size);
  }
  context.stroke();
}
