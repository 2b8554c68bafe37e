// A part of the recording as a file that the game plays, or packed to send.

import type { Format } from '../../answers';
import { messageOf } from '../data/reason';
import type { Store } from '../store/store';
import { h } from '../view/dom';
import { clipStem, download, markedPart, way } from './ways';

export interface ClipFile {
  elements: HTMLElement[];
  reset(): void;
}

export function clipFile(store: Store, report: HTMLElement): ClipFile {
  const { selection } = store;
  const scrub = h('input', { type: 'checkbox' });
  const chat = h('input', { type: 'checkbox' });
  const format = h('select', { 'aria-label': 'format' }, h('option', { value: '' }, 'as it is'));
  let asked = '';
  /** Through whose eyes: only where the recording does not have one pair of eyes anyway. */
  const pov = () => (selection.followed === null || selection.scene?.view ? undefined : String(selection.followed));
  const make = async (pack: boolean) => {
    const { session } = selection;
    if (!session) return;
    const wanted = markedPart(store);
    const name = clipStem(store);
    if (!wanted && !scrub.checked && !format.value) {
      report.replaceChildren('Mark in and out first, or choose to scrub or another format.');
      return;
    }
    for (const button of [save, send]) button.disabled = true;
    report.replaceChildren('Cutting and checking…');
    try {
      const clip = await session.client.clip({
        ...(wanted && { from: wanted[0], to: wanted[1] }),
        scrub: scrub.checked,
        chat: chat.checked,
        pack,
        ...(format.value && { format: format.value, ...(pov() !== undefined && { pov: pov()! }) }),
      });
      const { whole, differing, frames, actions, losses, differences } = clip.report;
      const isSound = whole && differing === 0;
      const size = `${Math.max(1, Math.round(clip.bytes.length / 1000))} kB`;
      report.replaceChildren(
        h(
          'p',
          { class: isSound ? '' : 'bad' },
          isSound
            ? `The clip is whole; ${frames} frames compared with the source, none differs. ${size}.`
            : `The clip is ${whole ? 'whole' : 'damaged'}; ${differing} of ${frames} frames differ from the source.`,
        ),
        h(
          'ul',
          {},
          ...actions.map((line) => h('li', {}, line)),
          ...losses.map((line) => h('li', {}, `lost: ${line}`)),
          ...differences.map((line) => h('li', { class: 'bad' }, line)),
        ),
      );
      download(new Blob([clip.bytes]), `${name}.${clip.extension}`);
    } catch (error) {
      report.replaceChildren(h('p', { class: 'bad' }, messageOf(error)));
    } finally {
      for (const button of [save, send]) button.disabled = false;
    }
  };
  const save = h('button', { class: 'edge', onclick: () => void make(false) }, 'Make the clip');
  const send = h('button', { class: 'edge', onclick: () => void make(true) }, 'Pack it');
  /** What it can become costs conversions, so it is asked when somebody wants to know. */
  const formats = async () => {
    const { session } = selection;
    if (!session || asked === session.name) return;
    asked = session.name;
    try {
      const found = await session.client.ask<Format[]>('formats', pov());
      format.replaceChildren(
        h('option', { value: '' }, 'as it is'),
        ...found.map((one) =>
          h(
            'option',
            { value: one.format, title: [...one.losses, one.needs].filter(Boolean).join('; ') },
            one.needs ? `${one.format} (follow a player first)` : one.format,
          ),
        ),
      );
    } catch (error) {
      report.replaceChildren(messageOf(error));
    }
  };
  return {
    elements: [
      way('pack', 'Clip', 'a recording that the game plays, made and checked here', save),
      way('pack', 'Packed clip', 'the smallest file to send; opens here', send),
      h(
        'details',
        { class: 'choices' },
        h('summary', {}, 'How the clip is made'),
        h('label', {}, scrub, 'scrub names, addresses, identifiers'),
        h('label', {}, chat, 'and chat'),
        h('label', {}, 'Format ', format),
        h('button', { class: 'edge', onclick: () => void formats() }, 'What can it become?'),
      ),
    ],
    reset() {
      if (!asked || asked === selection.session?.name) return;
      asked = '';
      format.replaceChildren(h('option', { value: '' }, 'as it is'));
    },
  };
}
