// What the command says of a recording: where players were, and in which message a time is.

import { readFileSync } from 'node:fs';
import { fragreel } from '../harness.mjs';

/** Messages before a moment from which on an engine plays slowly, so that it meets it. */
export const AHEAD = 2;
/** How far from the usual height a player may be who stands in the room. */
const HIGH = 160;

export function framesOf(recording) {
  return fragreel('frames', recording, '--json')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ players }) => players);
}

/** Where living players stood. Who flies through walls far away is left out. */
export function placesOf(frames) {
  const all = frames.flatMap(({ players }) =>
    players.filter(({ origin, alive }) => origin && alive !== false).map(({ origin }) => origin),
  );
  const middle = all.map((place) => place[2]).sort((a, b) => a - b)[all.length >> 1];
  return all.filter((place) => Math.abs(place[2] - middle) < HIGH);
}

/** The largest number of a part of the map that a recording names. */
export function doorsOf(recording) {
  return Math.max(
    0,
    ...[
      ...readFileSync(recording)
        .toString('latin1')
        .matchAll(/\*(\d{1,3})(?=\0)/g),
    ]
      .map(([, number]) => Number(number))
      .filter((number) => number < 256),
  );
}

/** The place among all messages of the first one with a frame at this time or later. */
export function messageAt(frames, time) {
  return frames.find((frame) => frame.time >= time).message;
}
