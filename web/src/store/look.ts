// How it is drawn.

import type { Topics } from './topics';

/** Which marks the line of time has. */
export interface Marks {
  kills: boolean;
  flags: boolean;
  items: boolean;
  chat: boolean;
  rounds: boolean;
  damage: boolean;
}

export const HEATS = ['none', 'positions', 'kills', 'deaths', 'shots', 'pickups'] as const;
export type Heat = (typeof HEATS)[number];

export interface HeatChoice {
  what: Heat;
  /** Only of the followed player. */
  mine: boolean;
  /** Only of the marked part. */
  clip: boolean;
  /** In units. */
  radius: number;
}

export class Look {
  trails = true;
  names = true;
  /** Items, missiles and the like. */
  things = true;
  /** The light of a map. */
  light = true;
  /** Its textures. */
  textures = true;
  dark = true;
  /** Only the floor of the followed player. */
  floorOnly = false;
  sounds = false;
  /** Whether what gives away how a match ends may be shown. */
  spoilers = false;
  marks: Marks = { kills: true, flags: true, items: true, chat: false, rounds: true, damage: true };
  heat: HeatChoice = { what: 'none', mine: false, clip: false, radius: 64 };

  constructor(private readonly topics: Topics) {}

  set(change: Partial<Omit<Look, 'set' | 'flip'>>): void {
    Object.assign(this, change);
    this.topics.tell('look');
  }

  flip(part: 'trails' | 'names' | 'things' | 'light' | 'textures' | 'floorOnly' | 'sounds'): void {
    this.set({ [part]: !this[part] });
  }

  nextHeat(): void {
    const what = HEATS[(HEATS.indexOf(this.heat.what) + 1) % HEATS.length];
    this.set({ heat: { ...this.heat, what } });
  }
}
