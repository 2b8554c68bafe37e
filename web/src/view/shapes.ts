// Figures and things that have no model of the game: shapes of our own, triangle by triangle.

import type { Entity, Player } from '../data/scene';
import type { Vector } from '../data/vector';
import { itemColor, playerColor } from './colors';
import { type Figure, type TriangleSink, drawThing, figureOf, normal } from './figure';
import type { Drawing } from './drawing';
import { COLORED, vertexArray } from './vertexarray';

export class Shapes implements TriangleSink {
  private readonly array: WebGLVertexArrayObject;
  private readonly buffer: WebGLBuffer;
  private data = new Float32Array(1 << 14);
  private bytes = new Uint8Array(this.data.buffer);
  private used = 0;
  /** Where players were drawn last, and how fast they went. */
  private readonly steps = new Map<number, { time: number; origin: Vector; speed: number }>();

  constructor(private readonly drawing: Drawing) {
    const { gl } = drawing;
    this.buffer = gl.createBuffer()!;
    this.array = vertexArray(gl, this.buffer, COLORED);
  }

  begin(): void {
    this.used = 0;
  }

  draw(): void {
    const { drawing } = this;
    const { gl } = drawing;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.data.subarray(0, this.used), gl.STREAM_DRAW);
    gl.bindVertexArray(this.array);
    drawing.place([0, 0, 0], null);
    drawing.programs.use();
    gl.drawArrays(gl.TRIANGLES, 0, this.used / COLORED);
    drawing.triangles += this.used / COLORED / 3;
  }

  /** Adds a player; `stands` is how far the floor is below the middle of somebody who stands. */
  player(player: Player, stands: number, time: number): void {
    const top = player.alive === false ? 0 : player.crouching ? 14 : 32;
    this.figure(
      figureOf(player, rgb(playerColor(player)), { feet: -stands, top, speed: this.speedOf(player, time), time }),
      player.origin!,
      player.angles?.[1] ?? 0,
    );
  }

  /** Adds a thing; a map shows its own doors and lifts. */
  thing(entity: Entity, time: number, hasMap: boolean): void {
    if (!entity.origin) return;
    const common = entity.item?.common;
    const draw = (size: number, color: number[], turn = 0) =>
      drawThing(this, entity.origin!, common, size, color, turn);
    if (entity.kind === 'item') draw(9, rgb(itemColor(common)), common?.endsWith('_flag') ? 0 : time / 900);
    else if (entity.kind === 'missile') draw(4, [255, 160, 60]);
    else if (entity.kind === 'corpse') draw(8, [130, 60, 60]);
    else if (entity.kind === 'mover' && !hasMap && !entity.model?.startsWith('*')) draw(16, [150, 150, 165]);
  }

  triangle(a: Vector, b: Vector, c: Vector, color: number[]): void {
    const light = brightness(...normal(a, b, c));
    for (const corner of [a, b, c]) this.corner(corner, color, light);
  }

  /** How fast somebody goes: as the recording states it, else by where he was drawn last. */
  private speedOf({ slot, origin, velocity }: Player, time: number): number {
    const last = this.steps.get(slot);
    const passed = last ? (time - last.time) / 1000 : 0;
    if (!last || passed < 0 || passed > 0.2) this.steps.set(slot, { time, origin: origin!, speed: 0 });
    else if (passed > 0)
      this.steps.set(slot, {
        time,
        origin: origin!,
        speed: Math.hypot(origin![0] - last.origin[0], origin![1] - last.origin[1]) / passed,
      });
    return velocity ? Math.hypot(velocity[0], velocity[1]) : (this.steps.get(slot)?.speed ?? 0);
  }

  /** Draws a figure where it stands. */
  private figure({ points, normals, colors }: Figure, [x, y, z]: Vector, yaw: number): void {
    const [cos, sin] = [Math.cos((yaw * Math.PI) / 180), Math.sin((yaw * Math.PI) / 180)];
    const color = [0, 0, 0];
    const place: Vector = [0, 0, 0];
    for (let triangle = 0; triangle < colors.length / 3; triangle++) {
      const n = triangle * 3;
      const [nx, ny] = [normals[n], normals[n + 1]];
      const light = brightness(nx * cos - ny * sin, nx * sin + ny * cos, normals[n + 2]);
      for (let channel = 0; channel < 3; channel++) color[channel] = colors[n + channel];
      for (let at = triangle * 9; at < triangle * 9 + 9; at += 3) {
        const [px, py] = [points[at], points[at + 1]];
        place[0] = x + px * cos - py * sin;
        place[1] = y + px * sin + py * cos;
        place[2] = z + points[at + 2];
        this.corner(place, color, light);
      }
    }
  }

  private corner([x, y, z]: Vector, color: number[], light: number): void {
    if (this.used + COLORED > this.data.length) {
      const larger = new Float32Array(this.data.length * 2);
      larger.set(this.data);
      this.data = larger;
      this.bytes = new Uint8Array(larger.buffer);
    }
    this.data[this.used] = x;
    this.data[this.used + 1] = y;
    this.data[this.used + 2] = z;
    const at = (this.used + 3) * 4;
    for (let channel = 0; channel < 3; channel++) this.bytes[at + channel] = Math.min(255, color[channel] * light);
    this.bytes[at + 3] = 255;
    this.used += COLORED;
  }
}

/** Light falls from above and a little from one side. */
const brightness = (x: number, y: number, z: number): number => 0.68 + 0.12 * x + 0.07 * y + 0.27 * z;

const rgb = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
