// One player of a recording at a place of our own, and how he is drawn.

import assert from 'node:assert/strict';
import { COLORS } from './images.mjs';

/** Somebody of the recording alone, where it is wished, and how he is drawn. */
export const alone = (page, origin, changes = {}) =>
  page.evaluate(
    ({ origin, changes }) => {
      const viewer = document.querySelector('fragreel-viewer');
      const { replay } = viewer.session;
      replay.found ??= replay.sceneAt.bind(replay);
      const find = replay.found;
      let found = null;
      for (let time = 0; time < replay.duration && !found; time += 500) {
        const scene = find(time);
        const one = scene.players.find(
          (player) => player.origin && (changes.state?.model || replay.figureOf(player.slot, scene)),
        );
        if (one) found = { time, scene, one };
      }
      const { time, scene, one } = found;
      const player = {
        ...one,
        origin,
        angles: [0, 0, 0],
        alive: true,
        spectator: false,
        isView: false,
        team: null,
        ...changes.player,
      };
      replay.sceneAt = () => ({ ...scene, view: null, players: [player], entities: changes.entities ?? [] });
      const state = replay.figureOf(one.slot, scene);
      replay.figureOf = () => ({ ...state, ...changes.state });
      if (changes.look) replay.lookOf = () => changes.look;
      viewer.seek(time);
      // the scene is another one, also where the time is the same
      viewer.changed();
      viewer.advance(0);
      return state;
    },
    { origin, changes },
  );

const modelsRead = (page) =>
  page.waitForFunction(() =>
    [...document.querySelector('fragreel-viewer').mapStore.models.found].every(([, value]) => value !== undefined),
  );
/** Waits until game files were taken. */
export const given = (page) => page.waitForFunction(() => document.querySelector('fragreel-viewer').models);
/** Draws until everything is there that is asked for: one file asks for the next. */
export async function drawn(page) {
  for (let times = 0; times < 5; times++) {
    await page.evaluate(() => {
      const viewer = document.querySelector('fragreel-viewer');
      viewer.camera = 'free';
      viewer.changed();
      viewer.advance(0);
    });
    await modelsRead(page);
  }
}

export const PLACE = [256, 256, 2000];
export const LOOK = { mode: 'free', eye: [356, 256, 2000], angles: [0, 180, 0] };
/** On the box, and beside it where a figure of ours has its arms or nothing. */
export const ON = [
  [266, 256, 2005],
  [266, 256, 2025],
  [266, 248, 1985],
];
export const OVER = [[266, 256, 2060]];
export const isColor = (seen, index, what) => {
  // lit from above and from one side: the proportions stay
  const wanted = COLORS[index];
  const part = Math.max(...seen.slice(0, 3)) / Math.max(...wanted);
  assert.ok(
    part > 0.5 && part < 1.4 && wanted.every((value, channel) => Math.abs(value * part - seen[channel]) < 14),
    `${what}: ${seen}, not ${wanted}`,
  );
};
