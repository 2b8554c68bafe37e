// Whether a map is the one that a recording was played on: by the checksum that the recording states, else by the ground under the players' feet.

import type { Vector } from '../data/vector';
import type { Session } from '../data/session';
import { crc32, folded, halfLifeSum } from './checksum';
import type { Level } from './format';
import { Rays } from './rays';

/** What a map says of itself; numbers are compared as the recordings write them. */
export interface MapChecks {
  checksums: string[];
  rays: Rays;
}

/** `same` for the recording's own map, the reason in words for another one, null if nothing decides. */
export type MapMatch = 'same' | { why: string } | null;

/** The number of places that are tried, and how many of them are enough to decide. */
const [PLACES, ENOUGH] = [160, 12];
/** Below and above the feet: a place is a few units off, and in a jump there is ground far below. */
const [FEET, SLACK, JUMP] = [24, 12, 160];

const unsigned = (number: number) => (number >>> 0).toString(16).padStart(8, '0');

export function mapChecks(bytes: Uint8Array, level: Level): MapChecks {
  const checksums: string[] = [];
  if (level.format === 'Quake II')
    checksums.push(String(folded(bytes)), String(~crc32(bytes) | 0), String(~crc32(bytes) >>> 0));
  else if (level.format === 'Half-Life') {
    const isText = (lump: number) => {
      const from = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4 + lump * 8, true);
      return /^\s*\{/.test(String.fromCharCode(...bytes.subarray(from, from + 16)));
    };
    const sum = halfLifeSum(bytes, !isText(0) && isText(1) ? 1 : 0);
    if (sum !== null) checksums.push(unsigned(sum));
  }
  return { checksums, rays: new Rays(level) };
}

/** The checksum that a recording states of its map. */
export function statedChecksum(session: Session): string | null {
  const { mapchecksum, map_crc } = session.info.server_settings;
  const stated = mapchecksum ?? map_crc ?? '';
  return stated && !/^0*$/.test(stated) ? stated : null;
}

/** Looks whether a map is that of a recording; `isOn` says when it is played. */
export function matchMap(session: Session, { checksums, rays }: MapChecks, isOn: (time: number) => boolean): MapMatch {
  const stated = session.info.maps.length === 1 ? statedChecksum(session) : null;
  if (stated && checksums.length) {
    // FTE states two
    if (stated.split(/\s+/).some((one) => checksums.includes(one.toLowerCase()))) return 'same';
    return { why: `its checksum is ${checksums[0]}, the recording states ${stated}` };
  }
  const { replay } = session;
  const places: { origin: Vector; onGround: boolean | null }[] = [];
  for (let step = 0; step < PLACES && places.length < PLACES; step++) {
    const time = (replay.duration * step) / PLACES;
    if (!isOn(time)) continue;
    for (const { origin, alive, spectator, onGround } of replay.sceneAt(time).players)
      if (origin && alive !== false && !spectator) places.push({ origin, onGround });
  }
  // some recordings do not say who stands on the ground
  const standing = places.filter(({ onGround }) => onGround);
  const isSure = standing.length >= ENOUGH;
  const tried = isSure ? standing : places;
  if (tried.length < ENOUGH) return null;
  const bare = tried.filter(
    ({ origin: [x, y, z] }) => rays.free([x, y, z - FEET + SLACK], [x, y, z - FEET - (isSure ? SLACK : JUMP)]) === 1,
  ).length;
  return bare * 2 < tried.length
    ? 'same'
    : { why: `it has no floor under ${bare} of ${tried.length} places where players stood` };
}
