// A model of any of the four games.

import { parseBrush } from './brush';
import { isIqm, parseIqm } from './iqm';
import { parseMdr } from './mdr';
import { parseMd2 } from './md2';
import { parseMd3 } from './md3';
import { parseMdl } from './mdl';
import { BadModel, type Model } from './model';
import { parseSp2 } from './sp2';
import { parseSpr } from './spr';
import { parseStudio } from './studio';

/** The first byte of Quake's maps. */
const QUAKE_MAP = 29;

/** Reads a model; `more` is the file with its pictures, where Half-Life has them apart. */
export function parseModel(bytes: Uint8Array, more: Uint8Array | null = null): Model {
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  if (magic === 'IDPO') return parseMdl(bytes);
  if (magic === 'IDP2') return parseMd2(bytes);
  if (magic === 'IDP3') return parseMd3(bytes);
  if (magic === 'RDM5') return parseMdr(bytes);
  if (isIqm(bytes)) return parseIqm(bytes);
  if (magic === 'IDSP') return parseSpr(bytes);
  if (magic === 'IDS2') return parseSp2(bytes);
  if (magic === 'IDST') return parseStudio(bytes, more);
  if (bytes[0] === QUAKE_MAP || magic === 'BSP2' || magic === '2PSB') return parseBrush(bytes);
  throw new BadModel('not a model of Quake, Quake II, Quake III or Half-Life');
}
