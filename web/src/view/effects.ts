// How explosions, beams and the like look, with shapes of our own. Each is a function of the time since it began, so that any time can be shown.

import type { Replay } from '../data/replay';
import type { Entity, Player, Scene } from '../data/scene';
import type { Vector } from '../data/vector';
import type { Happening } from '../data/happenings';
import type { HappeningKind } from '../data/layout';
import type { Rays } from '../maps/rays';
import type { Bursts } from './bursts';
import { anyway, chance } from './chance';
import { itemColor } from './colors';
import type { Glow } from './glow';
import type { Pellets } from './pellets';

/** Milliseconds that each is seen, where the recording does not say it. */
const LIFE: Record<HappeningKind, number> = {
  sound: 0,
  explosion: 700,
  impact: 350,
  blood: 500,
  gibs: 1400,
  flash: 90,
  rail: 700,
  lightning: 200,
  laser: 200,
  tracer: 150,
  teleport: 600,
  respawn: 450,
  splash: 700,
  bubbles: 1200,
  smoke: 1500,
  silence: 0,
  lightstyle: 0,
  static: 0,
  pellet: 0,
  decal: 0,
};
/** The game's own pictures of it are seen longer. */
const SEEN: Partial<Record<HappeningKind, number>> = { explosion: 1000, impact: 600 };
/** What the game's files may have pictures of. */
const BURSTS = new Set<HappeningKind>(['explosion', 'impact', 'smoke']);
/** The longest of them, and of what recordings state. */
const LONGEST = 1500;
/** What is drawn of one time at most: the latest. */
const MOST = 160;
/** Particles of one at most. */
const MOST_PARTICLES = 24;
const GRAVITY = 600;
const [WHITE, GREY, FIRE]: [Vector, Vector, Vector] = [
  [255, 255, 255],
  [110, 108, 104],
  [255, 150, 50],
];

const add = (a: Vector, b: Vector, by = 1): Vector => [a[0] + b[0] * by, a[1] + b[1] * by, a[2] + b[2] * by];
const mixed = (a: Vector, b: Vector, part: number): Vector => [
  a[0] + (b[0] - a[0]) * part,
  a[1] + (b[1] - a[1]) * part,
  a[2] + (b[2] - a[2]) * part,
];
/** Toward white. */
const pale = (color: Vector, part: number): Vector => mixed(color, WHITE, part);

/** Something that lights its surroundings. */
export interface Lamp {
  place: Vector;
  radius: number;
  color: Vector;
}

const MOST_LAMPS = 4;
/** How bright it makes what is beside it, and for how long a muzzle flash does. */
const [BRIGHT, FLASH] = [1.2, 60];

/** What lights the level at a time: the latest explosions and flashes. */
export function lampsOf(replay: Replay, scene: Scene): Lamp[] {
  const lamps: Lamp[] = [];
  for (const { kind, origin, time, color, size } of replay.happenings.between(scene.time - LONGEST, scene.time)) {
    const left = 1 - (scene.time - time) / (kind === 'flash' ? FLASH : LIFE[kind]);
    if (!origin || !color || left <= 0 || !(kind === 'flash' || (kind === 'explosion' && (size ?? 0) > 20))) continue;
    lamps.push({
      place: origin,
      radius: kind === 'flash' ? (size ?? 200) : 300,
      color: color.map((value) => (value / 255) * left * BRIGHT) as Vector,
    });
  }
  return lamps.slice(-MOST_LAMPS);
}

export class Effects {
  constructor(
    private readonly glow: Glow,
    private readonly replay: Replay,
    private readonly rays: Rays | null,
    private readonly scene: Scene,
    /** Through whose eyes one sees, and where his weapon flashes then. */
    private readonly eyes: { slot: number | null; muzzle: Vector } | null,
    /** The game's own pictures, where there are some. */
    private readonly bursts: Bursts | null,
    private readonly pellets: Pellets,
  ) {}

  /** Adds all that is seen at this time. */
  add(): void {
    const { replay, scene } = this;
    const seen = replay.happenings
      .between(scene.time - LONGEST, scene.time)
      .flatMap((one) => this.pellets.landed(one) ?? [])
      .filter(
        (one) =>
          one.kind !== 'sound' &&
          one.origin &&
          scene.time - one.time < Math.max(lifeOf(one), (this.bursts && SEEN[one.kind]) ?? 0),
      );
    // a beam of somebody replaces the one before
    const beams = new Map<number, Happening>();
    for (const one of seen) if (isBeam(one) && one.subject !== null) beams.set(one.subject, one);
    for (const one of seen.slice(-MOST))
      if (!isBeam(one) || one.subject === null || beams.get(one.subject) === one) this.happening(one);
    for (const entity of scene.entities) {
      if (!entity.origin) continue;
      if (entity.kind === 'missile' && !this.bursts?.missile(entity)) this.missile(entity);
      // sprites are pictures of light, mostly
      if (isSprite(entity) && !this.sprite(entity) && entity.kind === 'effect')
        this.glow.disc(entity.origin, 16, FIRE, 0.5);
    }
    for (const player of scene.players)
      if (player.origin && !player.spectator && player.alive !== false) this.powers(player);
  }

  private sprite(entity: Entity): boolean {
    const state = this.bursts && this.replay.lookOf(entity.number, this.scene);
    return !!state && this.bursts!.thing(entity, state);
  }

  private happening(one: Happening): void {
    const age = this.scene.time - one.time;
    const part = age / lifeOf(one);
    if (BURSTS.has(one.kind) && this.bursts?.happening(one, age, chance(one.number, 7))) return;
    if (part >= 1) return;
    const origin = this.startOf(one);
    const color = one.color ?? FIRE;
    switch (one.kind) {
      case 'explosion':
        this.explosion(one, origin, color, age, part);
        break;
      case 'impact':
        if (one.size) this.glow.disc(origin, 22 * (1 - part), color, 0.8 * (1 - part));
        this.glow.disc(
          add(origin, one.direction ?? [0, 0, 1], 4 + part * 10),
          5 + part * 9,
          GREY,
          0.35 * (1 - part),
          true,
        );
        this.sparks(one, origin, pale(color, 0.4), age, part, 0.1, Math.min(10, one.count ?? 8), 130);
        break;
      case 'blood':
        this.glow.disc(origin, 6 + part * 10, color, 0.5 * (1 - part), true);
        this.drops(one, origin, color, age, part, one.count ?? 12, 90, 1.6);
        break;
      case 'gibs':
        this.glow.disc(add(origin, [0, 0, 8]), 16 + part * 30, color, 0.6 * Math.max(0, 1 - part * 3), true);
        this.drops(one, origin, color, age, part, (one.count ?? 10) * 2, 220, 3.2);
        break;
      case 'flash':
        // before one's own eyes, walls would cut through it
        if (!this.isOwn(one)) this.glow.disc(origin, (one.size ?? 200) * 0.16, color, 0.5 * (1 - part));
        this.glow.disc(origin, 9, pale(color, 0.6), 1 - part);
        break;
      case 'rail':
        if (one.end) this.rail(one, origin, one.end, color, part);
        break;
      case 'lightning': {
        const end = one.end ?? this.reach(origin, one.direction, one.size ?? 0);
        if (end) this.lightning(one, origin, end, color);
        break;
      }
      case 'laser':
        if (!one.end) break;
        this.glow.ribbon(origin, one.end, Math.max(1.5, one.size ?? 2), color, 0.9 * (1 - part * 0.5));
        this.glow.ribbon(origin, one.end, 0.8, pale(color, 0.7), 0.9 * (1 - part * 0.5));
        break;
      case 'tracer':
        if (one.end)
          this.glow.ribbon(
            mixed(origin, one.end, Math.max(0, part - 0.25)),
            mixed(origin, one.end, part),
            1.2,
            pale(color, 0.3),
            0,
            0.9,
          );
        break;
      case 'teleport':
        this.teleport(one, origin, color, part);
        break;
      case 'respawn':
        this.glow.disc(origin, (one.size ?? 24) * (0.4 + part), color, 0.4 * (1 - part));
        this.ring(one, origin, pale(color, 0.5), part, (one.size ?? 24) * part, 10, 6 + part * 14);
        break;
      case 'splash':
        this.drops(one, origin, color, age, part, one.count ?? 16, Math.min(200, 60 + (one.size ?? 16)), 1.8);
        break;
      case 'bubbles':
        this.bubbles(one, origin, one.end ?? origin, color, part);
        break;
      case 'smoke':
        for (let puff = 0; puff < 3; puff++)
          this.glow.disc(
            add(add(origin, anyway(one.number, puff), 8), [0, 0, 24 * part]),
            (one.size ?? 20) * (0.5 + part * 0.8),
            color,
            0.35 * (1 - part),
            true,
          );
        break;
      default:
    }
  }

  /** Whether it is of the player through whose eyes one sees. */
  private isOwn({ kind, subject }: Happening): boolean {
    return (
      this.eyes !== null &&
      subject !== null &&
      subject === this.eyes.slot &&
      (kind === 'flash' || kind === 'rail' || kind === 'lightning' || kind === 'laser')
    );
  }

  /** Where something begins: what one shoots oneself, at the weapon before one's eyes. */
  private startOf(one: Happening): Vector {
    return this.isOwn(one) ? this.eyes!.muzzle : one.origin!;
  }

  private explosion(one: Happening, origin: Vector, color: Vector, age: number, part: number): void {
    const size = one.size ?? 48;
    const middle = add(origin, one.direction ?? [0, 0, 0], size * 0.2);
    const burnt = Math.max(0, 1 - age / 450);
    for (let puff = 0; puff < 4; puff++)
      this.glow.disc(
        add(add(middle, anyway(one.number, puff), size * 0.35 * (0.4 + part)), [0, 0, 20 * part]),
        size * (0.35 + 0.4 * part),
        GREY,
        0.3 * Math.min(1, part * 4) * (1 - part),
        true,
      );
    // the fire: a ball that grows and fades, and lobes around it
    this.glow.disc(middle, size * 1.6, color, 0.35 * burnt * burnt);
    for (let lobe = 0; lobe < 5; lobe++)
      this.glow.disc(
        add(middle, anyway(one.number, lobe + 10), size * (0.2 + 0.4 * part)),
        size * (0.45 + 0.25 * chance(one.number, lobe)),
        color,
        0.7 * burnt,
      );
    this.glow.disc(middle, size * (0.7 - 0.4 * part), pale(color, 0.65), burnt);
    if (size > 30) this.sparks(one, middle, pale(color, 0.3), age, part, 1, 20, size * 6);
  }

  /** Sparks that fly away from a wall, or everywhere. */
  private sparks(
    one: Happening,
    origin: Vector,
    color: Vector,
    age: number,
    part: number,
    size: number,
    count: number,
    speed: number,
  ): void {
    const seconds = age / 1000;
    const away = one.direction ?? [0, 0, 0.4];
    for (let spark = 0; spark < Math.min(MOST_PARTICLES, count); spark++) {
      const way = add(anyway(one.number, spark + 20), away, 0.9);
      const fast = speed * (0.3 + 0.7 * chance(one.number, spark + 60));
      const at = (t: number): Vector => [
        origin[0] + way[0] * fast * t,
        origin[1] + way[1] * fast * t,
        origin[2] + way[2] * fast * t - (GRAVITY / 3) * t * t,
      ];
      this.glow.ribbon(at(Math.max(0, seconds - 0.035)), at(seconds), size + 0.5, color, 0, 1 - part);
    }
  }

  /** Drops that fall. */
  private drops(
    one: Happening,
    origin: Vector,
    color: Vector,
    age: number,
    part: number,
    count: number,
    speed: number,
    size: number,
  ): void {
    const seconds = age / 1000;
    for (let drop = 0; drop < Math.min(MOST_PARTICLES, count); drop++) {
      const way = add(anyway(one.number, drop + 40), one.direction ?? [0, 0, 0.5], 0.7);
      const fast = speed * (0.2 + 0.8 * chance(one.number, drop + 80));
      this.glow.dot(
        [
          origin[0] + way[0] * fast * seconds,
          origin[1] + way[1] * fast * seconds,
          origin[2] + way[2] * fast * seconds - (GRAVITY / 2) * seconds * seconds,
        ],
        size * (0.6 + 0.6 * chance(one.number, drop)),
        color,
        Math.min(1, 2 * (1 - part)),
        true,
      );
    }
  }

  private rail(one: Happening, from: Vector, to: Vector, color: Vector, part: number): void {
    const left = 1 - part;
    this.glow.ribbon(from, to, (one.size ?? 3) * 1.6, color, 0.8 * left);
    this.glow.ribbon(from, to, 1, pale(color, 0.7), left);
    const way: Vector = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    const length = Math.hypot(...way) || 1;
    const along = way.map((value) => value / length) as Vector;
    const side: Vector = Math.abs(along[2]) < 0.9 ? [along[1], -along[0], 0] : [0, along[2], -along[1]];
    const flat = Math.hypot(...side) || 1;
    const right = side.map((value) => value / flat) as Vector;
    const up: Vector = [
      along[1] * right[2] - along[2] * right[1],
      along[2] * right[0] - along[0] * right[2],
      along[0] * right[1] - along[1] * right[0],
    ];
    const steps = Math.min(160, Math.ceil(length / 10));
    for (let step = 0; step < steps; step++) {
      const turn = step * 0.5;
      const radius = 4 + 6 * part;
      this.glow.dot(
        add(
          add(add(from, along, (step / steps) * length), right, Math.cos(turn) * radius),
          up,
          Math.sin(turn) * radius,
        ),
        1.1,
        color,
        left,
      );
    }
  }

  /** A jagged line that changes twenty times a second. */
  private lightning(one: Happening, from: Vector, to: Vector, color: Vector): void {
    const length = Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    const steps = Math.max(2, Math.min(40, Math.ceil(length / 28)));
    const moment = Math.floor(this.scene.time / 50) * 64 + (one.subject ?? 0);
    let last = from;
    for (let step = 1; step <= steps; step++) {
      const straight = mixed(from, to, step / steps);
      const next = step < steps ? add(straight, anyway(moment, step), 5) : to;
      this.glow.ribbon(last, next, 6, color, 0.45);
      this.glow.ribbon(last, next, 1.6, pale(color, 0.75), 1);
      last = next;
    }
    this.glow.disc(to, 14, color, 0.7);
  }

  /** Where something ends that goes straight on until it meets a wall. */
  private reach(from: Vector, direction: Vector | null, length: number): Vector | null {
    if (!direction || !length) return null;
    const to = add(from, direction, length);
    return mixed(from, to, this.rays?.free(from, to) ?? 1);
  }

  private teleport(one: Happening, origin: Vector, color: Vector, part: number): void {
    const left = 1 - part;
    this.glow.disc(origin, 36 * (0.6 + 0.4 * part), color, 0.55 * left);
    this.glow.ribbon(
      add(origin, [0, 0, -24]),
      add(origin, [0, 0, 40 + 20 * part]),
      16 * left,
      pale(color, 0.4),
      0.7 * left,
      0.2 * left,
    );
    this.ring(one, origin, pale(color, 0.4), part, 14 + 22 * part, 20, 56);
  }

  /** Dots around a place. */
  private ring(
    one: Happening,
    origin: Vector,
    color: Vector,
    part: number,
    radius: number,
    count: number,
    height: number,
  ): void {
    for (let dot = 0; dot < count; dot++) {
      const turn = (dot / count) * Math.PI * 2 + chance(one.number, dot);
      this.glow.dot(
        [
          origin[0] + Math.cos(turn) * radius,
          origin[1] + Math.sin(turn) * radius,
          origin[2] + (chance(one.number, dot + 30) - 0.4) * height + part * 12,
        ],
        1.4,
        color,
        1 - part,
      );
    }
  }

  private bubbles(one: Happening, from: Vector, to: Vector, color: Vector, part: number): void {
    for (let bubble = 0; bubble < MOST_PARTICLES; bubble++)
      this.glow.dot(
        add(mixed(from, to, chance(one.number, bubble)), [0, 0, 30 * part]),
        1.2,
        pale(color, 0.4),
        0.6 * (1 - part),
      );
  }

  /** A missile's own light, and the trail behind it. */
  private missile(entity: Entity): void {
    const origin = entity.origin!;
    const trail = TRAILS[entity.item?.common ?? ''];
    if (!trail) return;
    const { light, radius, smoke, length } = trail;
    if (light) {
      this.glow.disc(origin, radius * 2.2, light, 0.35);
      this.glow.disc(origin, radius, pale(light, 0.5), 0.8);
    }
    let last = origin;
    for (let step = 1; step <= length; step++) {
      const place = this.replay.entityPlace(entity.number, this.scene.time - step * STEP);
      // before it, the number was another thing's
      if (!place || Math.hypot(place[0] - last[0], place[1] - last[1], place[2] - last[2]) > FASTEST) break;
      const left = 1 - step / (length + 1);
      if (light && step <= 2) this.glow.ribbon(last, place, radius * 0.5 * left, light, 0.8 * left, 0.5 * left);
      if (smoke) this.glow.disc(add(place, [0, 0, step * 0.8]), 3 + step * 0.9, GREY, 0.3 * left, true);
      last = place;
    }
  }

  /** What lasting powers look like around somebody. */
  private powers(player: Player): void {
    for (const { common } of player.powerups) {
      if (!common || !SHINES.has(common)) continue;
      const color = [1, 3, 5].map((at) => Number.parseInt(itemColor(common).slice(at, at + 2), 16)) as Vector;
      this.glow.disc(player.origin!, 44 + 3 * Math.sin(this.scene.time / 150), color, 0.4);
    }
  }
}

/** Milliseconds between two places of a trail, and units that a missile goes in that time at most. */
const [STEP, FASTEST] = [35, 140];
const SHINES = new Set(['quad', 'invulnerability', 'battle_suit', 'strength', 'regeneration']);

interface Trail {
  light: Vector | null;
  radius: number;
  smoke: boolean;
  /** Places of the trail. */
  length: number;
}

const BLUE: Vector = [110, 140, 255];
/** By the weapon. */
const TRAILS: Record<string, Trail> = {
  rocket_launcher: { light: FIRE, radius: 8, smoke: true, length: 12 },
  grenade_launcher: { light: null, radius: 0, smoke: true, length: 8 },
  hand_grenade: { light: null, radius: 0, smoke: true, length: 6 },
  plasma_gun: { light: BLUE, radius: 9, smoke: false, length: 2 },
  bfg: { light: [90, 255, 90], radius: 18, smoke: false, length: 4 },
  pistol: { light: [255, 220, 90], radius: 7, smoke: false, length: 3 },
};

/** Whether a thing is a picture instead of a shape. */
export const isSprite = ({ model }: Entity): boolean => /\.(spr|sp2)$/i.test(model ?? '');
const isBeam = ({ kind }: Happening): boolean => kind === 'lightning' || kind === 'laser';
const lifeOf = ({ life, kind }: Happening): number => (life === null ? LIFE[kind] : Math.min(LONGEST, life));
