// Reads a map of any game.

import { BadMap, type Level } from './format';
import { parseQuake } from './quake';
import { parseQuake3 } from './quake3';

/** Reads a map of any of the four games. */
export function parseLevel(bytes: Uint8Array): Level {
  const head = bytes.length >= 8 ? new DataView(bytes.buffer, bytes.byteOffset, 8) : null;
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  const [first, version] = [head?.getInt32(0, true), head?.getInt32(4, true)];
  if (first === 29 || first === 30 || magic === 'BSP2' || magic === '2PSB')
    return parseQuake(bytes, first === 30 ? 'Half-Life' : 'Quake', magic === 'BSP2' || magic === '2PSB');
  if ((magic === 'IBSP' || magic === 'QBSP') && version === 38) return parseQuake(bytes, 'Quake II', magic === 'QBSP');
  if (magic === 'IBSP' && (version === 46 || version === 47)) return parseQuake3(bytes);
  throw new BadMap('not a map of Quake, Half-Life, Quake II or Quake III');
}
