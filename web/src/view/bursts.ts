// Explosions, hits, and sprites by the pictures of the game, where somebody gave its files.

import type { Entity, Scene } from '../data/scene';
import type { Vector } from '../data/vector';
import type { Happening } from '../data/happenings';
import type { ModelState, Render } from '../data/looks';
import type { Picture } from '../maps/format';
import type { Rays } from '../maps/rays';
import type { Model } from '../models/model';
import type { ModelStore } from '../files/modelstore';
import type { Billboards } from './billboards';
import { axes } from './camera';
import { type Moved, UNMOVED, layersAt } from './moved';
import { ADDED, GLOW, amountOf, colorOf, glowOf, mixedPicture } from './render';

/** Milliseconds from one picture of Quake's explosion to the next. */
const STEP = 100;
const QUAKE_EXPLOSION = 'progs/s_explod.spr';
/** So near to one another, an explosion and an entity are the same. */
const SAME = 64;

/** The smoke of Quake III's shotgun: its opacity at the start, and the speed at which it rises. */
const [SMOKE, SEEN, RISES] = ['shotgunSmokePuff', 0.33, 8];

/** What flies of a plasma gun of Quake III, and its radius. */
const [PLASMA, PLASMA_RADIUS] = ['sprites/plasma1', 16];

/** The pictures of what flies where that has no model. */
export const flying = ({ kind, item }: Entity, models: ModelStore | null): Picture[] | null =>
  kind === 'missile' && item?.common === 'plasma_gun' ? (models?.layers(PLASMA) ?? null) : null;

/** An explosion or a hit as a shader of Quake III draws it. The radius goes from the first number to the second; the life is in milliseconds. */
interface Burst {
  shader: string;
  radius: [number, number];
  life: number;
}

/** By the color and the size of what bursts. */
function burstOf({ kind, color, size }: Happening): Burst | null {
  if (!color) return null;
  const [red, green, blue] = color;
  if (kind === 'impact')
    return Math.max(...color) - Math.min(...color) < 40
      ? { shader: 'bulletexplosion', radius: [22, 22], life: 600 }
      : null;
  if (kind !== 'explosion') return null;
  if ((size ?? 0) >= 48)
    return green > red
      ? { shader: 'bfgexplosion', radius: [30, 72], life: 600 }
      : { shader: 'rocketexplosion', radius: [30, 72], life: 1000 };
  return blue > red
    ? { shader: 'plasmaexplosion', radius: [24, 24], life: 600 }
    : { shader: 'railexplosion', radius: [24, 24], life: 600 };
}

/** How a sprite is mixed with what is behind it, what it is multiplied with, and the part of its way from the eye at which it is drawn. */
interface Rendered {
  blend: [string, string] | null;
  dye: Moved['dye'];
  scale: number;
  nearer: number;
}

const AS_IT_IS: Rendered = { blend: null, dye: [1, 1, 1, 1], scale: 1, nearer: 1 };
/** How deep in a wall a glow is hidden, less of what is not seen, and how far before the eye a glow is drawn. */
const [BURIED, FAINT, BEFORE] = [8, 0.01, 16];

export class Bursts {
  private readonly forward: Vector;
  private readonly left: Vector;
  private readonly up: Vector;

  constructor(
    private readonly boards: Billboards,
    private readonly models: ModelStore,
    private readonly scene: Scene,
    private readonly rays: Rays | null,
    private readonly eye: Vector,
    angles: Vector,
  ) {
    [this.forward, this.left, this.up] = axes(angles);
  }

  /** Draws what happens, or says that it cannot. `turn` is a part of a whole turn that belongs to it. */
  happening(one: Happening, age: number, turn: number): boolean {
    const place = one.origin!;
    if (one.kind === 'smoke') return this.smoke(one, age, turn);
    const burst = burstOf(one);
    const layers = burst && this.models.layers(burst.shader);
    if (burst && layers) {
      if (age >= burst.life) return true;
      const radius = burst.radius[0] + (burst.radius[1] - burst.radius[0]) * (age / burst.life);
      // what hits a wall is drawn before it
      const middle = one.direction ? (place.map((value, axis) => value + one.direction![axis] * 4) as Vector) : place;
      const [right, up] = this.turned(turn * Math.PI * 2, radius);
      for (const layer of layers) this.boards.around(layer, middle, right, up, shown(layer, age / 1000));
      return true;
    }
    if (one.kind !== 'explosion') return false;
    const model = this.models.model(QUAKE_EXPLOSION);
    if (!model?.sprite) return false;
    const isEntity = this.scene.entities.some(
      ({ model: name, origin }) =>
        name === QUAKE_EXPLOSION &&
        origin &&
        Math.hypot(origin[0] - place[0], origin[1] - place[1], origin[2] - place[2]) < SAME,
    );
    return isEntity || this.sprite(QUAKE_EXPLOSION, model, Math.floor(age / STEP), place, [0, 0, 0], false);
  }

  /** Draws the smoke of a shotgun. It does not grow. Who is in it does not see it. */
  private smoke({ origin, size, life }: Happening, age: number, turn: number): boolean {
    const layers = size !== null && life !== null ? this.models.layers(SMOKE) : null;
    if (!layers) return false;
    const place: Vector = [origin![0], origin![1], origin![2] + (RISES * age) / 1000];
    if (age >= life! || Math.hypot(...place.map((value, axis) => value - this.eye[axis])) < size!) return true;
    const [right, up] = this.turned(turn * Math.PI * 2, size!);
    const left = SEEN * (1 - age / life!);
    for (const layer of layers) {
      const moved = shown(layer, age / 1000);
      this.boards.around(layer, place, right, up, { ...moved, dye: [1, 1, 1, left] });
    }
    return true;
  }

  /** Draws a thing that is a sprite, or says that it is none. */
  thing(entity: Entity, state: ModelState): boolean {
    const model = this.models.model(state.model);
    if (!model?.sprite || !entity.origin) return false;
    const how = state.render ? this.rendered(state.render, entity.number, entity.origin) : AS_IT_IS;
    const { model: path, frame } = state;
    return !how || this.sprite(path, model, Math.floor(frame), entity.origin, entity.angles ?? [0, 0, 0], true, how);
  }

  /** How a sprite of Half-Life is drawn that states a render mode; nothing if it is not seen. */
  private rendered(render: Render, number: number, place: Vector): Rendered | null {
    const way = place.map((value, axis) => value - this.eye[axis]) as Vector;
    const [far, distance] = [way.reduce((sum, value, axis) => sum + value * this.forward[axis], 0), Math.hypot(...way)];
    let seen = amountOf(render, number, this.scene.serverTime / 1000, far);
    const isGlow = render.mode === GLOW;
    let scale = 1;
    if (isGlow) {
      // a glow is seen in front of everything, unless a wall hides its middle
      const free = this.rays?.free(this.eye, place) ?? 1;
      if ((1 - free) * distance > BURIED) return null;
      const glow = glowOf(render, distance);
      seen *= glow.bright;
      ({ scale } = glow);
    }
    const adds = isGlow || render.mode === ADDED;
    return seen > FAINT
      ? {
          blend: ['SRC_ALPHA', adds ? 'ONE' : 'ONE_MINUS_SRC_ALPHA'],
          dye: [...colorOf(render), seen],
          scale,
          nearer: isGlow ? Math.min(1, BEFORE / distance) : 1,
        }
      : null;
  }

  /** Draws a missile that is a picture, or says that it is none. */
  missile(entity: Entity): boolean {
    const layers = flying(entity, this.models);
    const [right, up] = this.turned(0, PLASMA_RADIUS);
    for (const layer of layers ?? [])
      this.boards.around(layer, entity.origin!, right, up, shown(layer, this.scene.serverTime / 1000));
    return !!layers;
  }

  /** Draws one picture of a sprite; `again` begins with the first after the last. */
  private sprite(
    path: string,
    model: Model,
    frame: number,
    place: Vector,
    angles: Vector,
    again: boolean,
    how = AS_IT_IS,
  ): boolean {
    const pictures = this.models.sprite(path);
    const { sprite, frames } = model;
    if (!sprite || !pictures || !frames.length) return false;
    if (frame >= frames.length && !again) return true;
    const [first, count] = frames[((frame % frames.length) + frames.length) % frames.length];
    const number = first + (Math.floor(this.scene.serverTime / STEP) % count);
    const [picture, size] = [pictures[number], sprite.frames[number]];
    if (!picture || !size) return false;
    const [right, up] = this.facing(sprite.orientation, place, angles);
    const { blend, dye, scale, nearer } = how;
    const corner = (x: number, y: number) =>
      place.map((value, axis) => {
        const at = value + (right[axis] * x + up[axis] * y) * scale;
        return this.eye[axis] + (at - this.eye[axis]) * nearer;
      }) as Vector;
    const [x, y] = [size.left, size.up];
    this.boards.add(
      blend ? mixedPicture(picture, ...blend) : picture,
      [corner(x, y), corner(x + size.width, y), corner(x + size.width, y - size.height), corner(x, y - size.height)],
      { ...UNMOVED, plain: true, dye },
    );
    return true;
  }

  /** To the right and up of a sprite. */
  private facing(orientation: number, place: Vector, angles: Vector): [Vector, Vector] {
    const { forward, left, up, eye } = this;
    const upright = (way: Vector): [Vector, Vector] => {
      const length = Math.hypot(way[0], way[1]) || 1;
      return [
        [way[1] / length, -way[0] / length, 0],
        [0, 0, 1],
      ];
    };
    if (orientation === 0) return upright(forward);
    if (orientation === 1) return upright([place[0] - eye[0], place[1] - eye[1], 0]);
    if (orientation === 3) {
      const [, own, ownUp] = axes(angles);
      return [own.map((value) => -value) as Vector, ownUp];
    }
    if (orientation === 4) return this.turned((angles[2] * Math.PI) / 180, 1);
    return [left.map((value) => -value) as Vector, up];
  }

  /** To the right and up before the eye, turned around its direction. */
  private turned(turn: number, length: number): [Vector, Vector] {
    const [cos, sin] = [Math.cos(turn) * length, Math.sin(turn) * length];
    const { left, up } = this;
    return [
      left.map((value, axis) => -value * cos + up[axis] * sin) as Vector,
      up.map((value, axis) => value * cos + left[axis] * sin) as Vector,
    ];
  }
}

/** How a layer is drawn at a time since it began. */
function shown({ motion, frames, rate = 0, blend }: Picture, seconds: number): Moved {
  const numbers = (frames ?? []).map((_, number) => number);
  // an animation does not begin again
  const limited = numbers.length && rate ? Math.min(seconds, (numbers.length - 0.01) / rate) : seconds;
  const moved = layersAt({ motion: motion ?? null, frames: numbers, switched: [], rate, blend }, seconds, true);
  return { ...moved, sheet: numbers.length ? Math.floor(limited * rate) : -1, plain: true };
}
