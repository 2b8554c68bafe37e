// For those who write engines: the frame's raw values, its message bit by bit, and what an audit finds.

import { messageOf } from '../data/reason';
import type { Explained, Finding, Section, State } from '../../answers';
import { clock, h } from '../view/dom';
import { timeOf } from '../view/timeline';
import type { Store } from '../store/store';
import type { Panel } from '../view/panel';

const MOST_ROWS = 1500;

export function valuesPanel({ selection, clock: time }: Store): Panel {
  const state = h('details', {}, h('summary', {}, 'state of the frame'));
  const message = h('details', {}, h('summary', {}, 'its message, bit by bit'));
  const findings = h('div');
  const element = h('div', {}, findings, state, message);
  const bodies = { state: h('div'), message: h('div') };
  state.append(bodies.state);
  message.append(bodies.message);
  let [shownState, shownMessage] = ['', ''];
  let busy = false;
  const fill = async () => {
    const { session, scene } = selection;
    // one question at a time: while playing the latest one is what counts
    if (!session || !scene || busy) return;
    const number = session.replay.tracks.messages[scene.frame] ?? 0;
    const key = `${session.name} ${scene.frame}`;
    busy = true;
    try {
      if (state.open && key !== shownState) {
        shownState = key;
        const moment = await session.client.ask<State>('state', session.replay.tracks.times[scene.frame] ?? 0);
        bodies.state.replaceChildren(...moment.sections.map(section));
      }
      if (message.open && key !== shownMessage) {
        shownMessage = key;
        const found = await session.client.ask<Explained[]>('explain', number);
        bodies.message.replaceChildren(...found.map(explained));
      }
    } catch (error) {
      bodies.state.replaceChildren(h('p', { class: 'bad' }, messageOf(error)));
    } finally {
      busy = false;
    }
  };
  for (const details of [state, message]) details.addEventListener('toggle', () => void fill());
  return {
    name: 'values',
    title: 'Inside',
    element,
    update: () => void fill(),
    reset() {
      const { session } = selection;
      const audit = session?.audit;
      const line = (finding: Finding) =>
        h(
          'li',
          {},
          h(
            'button',
            { onclick: () => time.seekOwn(finding.time ?? timeOf(session!, finding.message)) },
            clock(finding.time ?? timeOf(session!, finding.message), 1),
          ),
          h('span', { class: finding.grade === 'normal' ? 'faint' : 'bad' }, ` ${finding.grade}: `),
          `${finding.kind.replaceAll('_', ' ')}: ${finding.evidence}`,
          h('span', { class: 'faint' }, ` (message ${finding.message}; usually ${finding.cause})`),
        );
      findings.replaceChildren(
        h('h3', {}, 'audit'),
        audit?.findings.length
          ? h('ol', {}, ...audit.findings.map(line))
          : h('p', { class: 'faint' }, audit ? 'Nothing was found.' : 'Not looked at yet.'),
      );
    },
  };
}

function section({ name, records }: Section): HTMLElement {
  const keys = [...new Set(records.slice(0, MOST_ROWS).flatMap((record) => Object.keys(record)))];
  const shown = (value: unknown): string =>
    value === undefined || value === null
      ? ''
      : Array.isArray(value)
        ? value.join(' ')
        : typeof value === 'object'
          ? String((value as { clean?: string }).clean ?? JSON.stringify(value))
          : String(value);
  if (records.length === 1) {
    const rows = Object.entries(records[0]).map(([key, value]) =>
      h('tr', {}, h('th', { scope: 'row' }, key), h('td', {}, shown(value))),
    );
    return h('table', {}, h('caption', {}, name), h('tbody', {}, ...rows));
  }
  const rows = records
    .slice(0, MOST_ROWS)
    .map((record) => h('tr', {}, ...keys.map((key) => h('td', {}, shown(record[key])))));
  return h(
    'table',
    {},
    h('caption', {}, `${name} (${records.length})`),
    h('thead', {}, h('tr', {}, ...keys.map((key) => h('th', { scope: 'col' }, key)))),
    h('tbody', {}, ...rows),
  );
}

function explained(one: Explained): HTMLElement {
  const rows = one.parts
    .slice(0, MOST_ROWS)
    .map((part) =>
      h(
        'tr',
        {},
        h('td', {}, `${part.from_bit} +${part.to_bit - part.from_bit}`),
        h('td', {}, part.path),
        h('td', {}, part.field),
        h('td', {}, part.raw),
        h('td', {}, part.meaning),
      ),
    );
  const more = one.parts.length > MOST_ROWS ? ` The first ${MOST_ROWS} of ${one.parts.length} fields.` : '';
  return h(
    'table',
    {},
    h(
      'caption',
      {},
      `message ${one.message}, offset 0x${one.offset.toString(16)}, ${one.length} bytes, ${one.heading}.${more}${one.error ? ` Not readable behind that: ${one.error}` : ''}`,
    ),
    h(
      'thead',
      {},
      h('tr', {}, ...['bit', 'in', 'field', 'raw', 'meaning'].map((name) => h('th', { scope: 'col' }, name))),
    ),
    h('tbody', {}, ...rows),
  );
}
