// What keys and buttons do.

import { involves, isKill } from '../data/events';
import type { Store } from '../store/store';
import type { Actions } from './keys';
import { inOrder } from './strip';
import { neighbor } from './timeline';

/** `host` fills the screen; `small` shows the picture in a window of its own. */
export function actionsOf(store: Store, host: HTMLElement, small: () => void): Actions {
  const { clock, selection, look } = store;
  const slots = () => inOrder(selection.scene?.players ?? []).map((player) => player.slot);
  return {
    toggle: () => clock.toggle(),
    skip: (by) => clock.seek(clock.now + by),
    frame: (by) => {
      const replay = selection.session?.replay;
      if (!replay) return;
      clock.pause();
      const frame = Math.min(Math.max(replay.frameAt(clock.own) + by, 0), replay.frameCount - 1);
      clock.seekOwn(replay.tracks.times[frame] ?? 0);
    },
    speed: (by) => clock.step(by),
    reverse: () => {
      clock.setSpeed(-clock.speed);
      if (!clock.playing) clock.toggle();
    },
    kill: (by) => {
      const slot = selection.followed;
      const found = neighbor(
        selection.session?.events ?? [],
        clock.own,
        by,
        (event) => isKill(event) && (slot === null || involves(event, slot)),
      );
      if (found) clock.seekOwn(found.time);
      else store.tell('said', 'no more kills');
    },
    round: (by) => {
      const found = neighbor(selection.session?.events ?? [], clock.own, by, (event) => event.group === 'match');
      if (found) clock.seekOwn(found.time);
    },
    player: (by) => {
      const all = slots();
      if (!all.length) return;
      const at = all.indexOf(selection.followed ?? -1);
      selection.follow(all[(at + by + all.length) % all.length]);
    },
    nth: (number) => selection.follow(number === 0 ? null : (slots()[number - 1] ?? selection.followed)),
    camera: () => selection.nextCamera(),
    floor: () => look.flip('floorOnly'),
    heat: () => look.nextHeat(),
    trails: () => look.flip('trails'),
    light: () => look.flip('light'),
    textures: () => look.flip('textures'),
    whole: () => void (document.fullscreenElement ? document.exitFullscreen() : host.requestFullscreen?.()),
    mark: (end) => clock.mark(end, clock.own),
    ends: (end) => clock.seek(end ? selection.duration : 0),
    sounds: () => look.flip('sounds'),
    four: () => selection.pick(selection.layout === 'four' ? selection.sessions.indexOf(selection.session!) : 'four'),
    director: () => selection.direct(!selection.directed),
    draw: () => {
      if (store.pens.tool === null) selection.setCamera('top');
      store.pens.choose(store.pens.tool === null ? 'yellow' : null);
    },
    small,
    help: () => store.tell('wanted', 'help'),
  };
}
