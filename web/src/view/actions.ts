// What keys and buttons do.

import { involves, isKill } from '../data/events';
import type { Session } from '../data/session';
import type { Transport } from '../data/transport';
import { type Mode, MODES } from '../data/link';
import type { Actions } from './keys';
import type { Look } from './overlay';
import type { Stage } from './stage';
import { neighbor } from './timeline';

/** What the actions need of their viewer. */
export interface ActionHost extends HTMLElement {
  readonly transport: Transport;
  readonly session: Session | null;
  readonly stage: Stage | null;
  readonly look: Look;
  readonly time: number;
  readonly duration: number;
  floorOnly: boolean;
  camera: Mode;
  pause(): void;
  seek(time: number): void;
  seekSession(time: number): void;
  follow(slot: number | null): void;
  nextHeat(): void;
  turnSounds(): void;
  showHelp(): void;
  changed(): void;
  say(text: string): void;
}

export function actionsOf(app: ActionHost): Actions {
  const { transport } = app;
  const flip = (part: 'trails' | 'light' | 'textures') => {
    app.look[part] = !app.look[part];
    app.changed();
  };
  const slots = () =>
    app.stage?.scene?.players.filter((player) => !player.spectator).map((player) => player.slot) ?? [];
  return {
    toggle: () => transport.toggle(),
    skip: (by) => app.seek(transport.clock + by),
    frame: (by) => {
      const replay = app.session?.replay;
      if (!replay) return;
      app.pause();
      const frame = Math.min(Math.max(replay.frameAt(app.time) + by, 0), replay.frameCount - 1);
      app.seekSession(replay.tracks.times[frame] ?? 0);
    },
    speed: (by) => transport.step(by),
    reverse: () => {
      transport.setSpeed(-transport.speed);
      if (!transport.playing) transport.toggle();
    },
    kill: (by) => {
      const slot = app.look.followed;
      const found = neighbor(
        app.session?.events ?? [],
        app.time,
        by,
        (event) => isKill(event) && (slot === null || involves(event, slot)),
      );
      if (found) app.seekSession(found.time);
      else app.say('no more kills');
    },
    round: (by) => {
      const found = neighbor(app.session?.events ?? [], app.time, by, (event) => event.group === 'match');
      if (found) app.seekSession(found.time);
    },
    player: (by) => {
      const all = slots();
      if (!all.length) return;
      const at = all.indexOf(app.look.followed ?? -1);
      app.follow(all[(at + by + all.length) % all.length]);
    },
    nth: (number) => app.follow(number === 0 ? null : (slots()[number - 1] ?? app.look.followed)),
    camera: () => (app.camera = MODES[(MODES.indexOf(app.camera) + 1) % MODES.length]),
    floor: () => {
      app.floorOnly = !app.floorOnly;
      app.changed();
    },
    heat: () => app.nextHeat(),
    trails: () => flip('trails'),
    light: () => flip('light'),
    textures: () => flip('textures'),
    whole: () => void (document.fullscreenElement ? document.exitFullscreen() : app.requestFullscreen?.()),
    mark: (end) => transport.mark(end, app.time),
    ends: (end) => app.seek(end ? app.duration : 0),
    sounds: () => app.turnSounds(),
    help: () => app.showHelp(),
  };
}
