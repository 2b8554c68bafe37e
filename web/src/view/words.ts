// Game text and sentences as elements.

import type { Text } from '../../answers';
import type { Piece } from '../data/events';
import type { Colored } from '../data/text';
import { h } from './dom';

/** Text with its colors, where the library knows some. */
export function words(text: Text | null, colored: Colored, otherwise = ''): HTMLElement {
  if (!text) return h('span', {}, otherwise);
  const element = h('span');
  for (const run of colored.get(text.raw) ?? [{ text: text.clean }]) {
    const piece = h('span', {}, run.text);
    // the games' colors are made for a dark ground; a shadow keeps them readable on light
    if (run.color) piece.style.color = `color-mix(in srgb, ${run.color} 48%, CanvasText)`;
    element.append(piece);
  }
  return element;
}

/** A sentence. */
export function said(pieces: Piece[], colored: Colored): HTMLElement {
  return h('span', {}, ...pieces.map((piece) => (typeof piece === 'string' ? piece : words(piece, colored))));
}

/** A number as text, nothing where it is not known. */
export const known = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(value);
