// Where a missing map is to be had for free.

import type { Info } from '../../answers';

export interface FreeMap {
  text: string;
  address: string;
}

/** Maps of id's game, which come with it and are not free. */
const OWN = /^(start|end|dm[1-6]|e[1-4]m[1-8])$/i;

/** By the game that the recording names: nothing where no free source has its maps. */
export function freeMap({ family, game, mod, maps }: Info): FreeMap | null {
  const [map] = maps;
  if (!map || !/^[\w.+-]+$/.test(map)) return null;
  if (/openarena/i.test(game)) return { text: 'it is free, with OpenArena', address: 'https://openarena.ws/' };
  if (family === 'quake1' && /quakeworld/i.test(game) && !OWN.test(map))
    return { text: 'look for it at maps.quakeworld.nu', address: `https://maps.quakeworld.nu/all/${map}.bsp` };
  if (family === 'quake3' && /^(defrag|df|q3df)/i.test(mod ?? ''))
    return { text: 'look for it at ws.q3df.org', address: `https://ws.q3df.org/map/${map}/` };
  return null;
}
