// Game text with its colors, as the library reads it. It becomes elements with text in them, never markup.

import type { Run, Text } from '../../answers';
import type { Client } from './client';

/** Texts in pieces of one color each, by what was sent. Those without colors are not in it. */
export type Colored = ReadonlyMap<string, Run[]>;

/** More than that are not asked for. */
const MOST = 20_000;

/** Asks for the colors of all texts in what the library has answered. */
export async function coloredOf(client: Client, answers: unknown[]): Promise<Colored> {
  const texts = new Map<string, Text>();
  const look = (value: unknown): void => {
    if (!value || typeof value !== 'object' || texts.size >= MOST) return;
    if (Array.isArray(value)) {
      for (const one of value) look(one);
      return;
    }
    const { raw, clean } = value as Partial<Text>;
    if (typeof raw === 'string' && typeof clean === 'string') {
      if (raw !== clean) texts.set(raw, { raw, clean });
      return;
    }
    for (const one of Object.values(value)) look(one);
  };
  look(answers);
  if (!texts.size) return new Map();
  const all = [...texts.values()];
  const found = await client.ask<(Run[] | null)[]>('colored', JSON.stringify(all));
  return new Map(all.flatMap(({ raw }, at) => (found[at] ? [[raw, found[at]] as const] : [])));
}
