// What somebody draws on the plan while he explains it: lines in the game's space, each at a moment.

import { type Drawn as Line, MOST_LINES, MOST_POINTS } from '../data/comments';
import type { Topics } from './topics';

type Pen = Line['pen'];

/** Milliseconds that a line stays, and in which it fades after that. */
const [STAYS, FADES] = [4000, 2000];
/** So near, in pixels, the eraser takes a line. */
const NEAR = 10;

export class Pens {
  lines: Line[] = [];
  /** What a drag on the plan does; nothing moves it. */
  tool: Pen | 'eraser' | null = null;
  private current: Line | null = null;

  constructor(private readonly topics: Topics) {}

  choose(tool: Pens['tool']): void {
    this.tool = tool;
    this.topics.tell('picture');
  }

  begin(time: number, level: number, at: [number, number]): void {
    if (this.tool === null || this.tool === 'eraser' || this.lines.length >= MOST_LINES) return;
    this.current = { pen: this.tool, time, level, points: [at] };
    this.lines.push(this.current);
    this.topics.tell('picture');
  }

  /** `scale` is the number of pixels of a unit. */
  move(at: [number, number], time: number, level: number, scale: number): void {
    if (this.tool === 'eraser') this.erase(at, time, level, NEAR / scale);
    else if (this.current && this.current.points.length < MOST_POINTS) this.current.points.push(at);
    this.topics.tell('picture');
  }

  end(): void {
    if (this.current && this.current.points.length < 2) this.lines = this.lines.filter((line) => line !== this.current);
    this.current = null;
  }

  clear(): void {
    this.lines = [];
    this.topics.tell('picture');
  }

  set(lines: readonly Line[]): void {
    this.lines = [...lines];
    this.topics.tell('picture');
  }

  /** What is seen of the lines at a time: whole while they are new, less and less after that, nothing before. */
  shownAt(time: number, level: number): { line: Line; part: number }[] {
    return this.lines.flatMap((line) => {
      const age = time - line.time;
      const part = age < -1 ? 0 : Math.min(1, 1 - (age - STAYS) / FADES);
      return line.level === level && part > 0 ? [{ line, part }] : [];
    });
  }

  private erase([x, y]: [number, number], time: number, level: number, near: number): void {
    const hit = new Set(
      this.shownAt(time, level).flatMap(({ line }) =>
        line.points.some(([a, b], at) => at > 0 && distance([x, y], line.points[at - 1], [a, b]) < near) ? [line] : [],
      ),
    );
    this.lines = this.lines.filter((line) => !hit.has(line));
  }
}

/** How far a place is from a line between two. */
function distance([x, y]: [number, number], [ax, ay]: [number, number], [bx, by]: [number, number]): number {
  const [dx, dy] = [bx - ax, by - ay];
  const part = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - dx * part, y - ay - dy * part);
}
