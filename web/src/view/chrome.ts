// The frame around the picture: header, panels, and the controls below.

import { SPEEDS } from '../data/transport';
import type { Library } from '../data/library';
import type { App, Panel } from './panel';
import type { ActionHost } from './actions';
import { MODES, type Mode } from '../data/link';
import { clock, h } from './dom';
import { icon } from './icons';
import { type Actions, KEYS } from './keys';
import { LEGEND, symbol } from './legend';
import { MARK_COLORS, type Marks, Timeline } from './timeline';

const MODE_NAMES: Record<Mode, string> = {
  top: 'from above',
  free: 'free flight',
  behind: 'behind the player',
  eyes: 'through the eyes',
};

export interface ChromeHost extends ActionHost, App {
  readonly library: Library;
  readonly sounds: { readonly isOn: boolean };
  /** Whether the one who makes the next kill is followed. */
  directed: boolean;
  /** Another recording is to be shown, or all of them. */
  pick(at: number | 'all'): void;
  /** Files that somebody chose. */
  take(files: File[]): Promise<void>;
}

export class Chrome {
  readonly marks: Marks = { kills: true, flags: true, items: true, chat: true, rounds: true, damage: true };
  readonly timeline: Timeline;
  readonly stages = h('main', { class: 'stages' });
  readonly help = h('dialog', { 'aria-label': 'keys' });
  readonly app: HTMLElement;
  private readonly about = h('span', { class: 'about' });
  private readonly picker = h('input', {
    type: 'file',
    multiple: true,
    class: 'hidden',
    tabIndex: -1,
    'aria-label': 'recordings and maps',
  });
  private readonly recordings = h('select', { 'aria-label': 'recording', hidden: true });
  private readonly cameras = h(
    'select',
    { 'aria-label': 'camera' },
    ...MODES.map((mode) => h('option', { value: mode }, MODE_NAMES[mode])),
  );
  private readonly follows = h('select', { 'aria-label': 'follow' });
  private readonly play: HTMLButtonElement;
  private readonly speeds = h(
    'select',
    { 'aria-label': 'speed' },
    ...SPEEDS.flatMap((speed) => [speed, -speed])
      .sort((a, b) => a - b)
      .map((speed) => h('option', { value: String(speed) }, `${speed}×`)),
  );
  private readonly clocks = h('span', { class: 'clocks' });
  private readonly watching = h('span', { class: 'clocks' });
  private readonly live: HTMLButtonElement;
  private readonly sound: HTMLButtonElement;
  private readonly sheet = h(
    'button',
    {
      class: 'compact',
      title: 'panels',
      'aria-label': 'panels',
      'aria-expanded': 'false',
      onclick: () => this.openSheet(),
    },
    icon('panels'),
  );
  private readonly tabs = h('div', { role: 'tablist', 'aria-label': 'panels' });
  private readonly body = h('div', { role: 'tabpanel', tabIndex: 0, id: 'panel' });
  private at = 0;
  /** Whether panels may show how the match ends. */
  private spoilersShown = false;
  private updated = 0;

  constructor(
    private readonly viewer: ChromeHost,
    private readonly panels: Panel[],
    actions: Actions,
  ) {
    this.timeline = new Timeline(
      (time) => viewer.seek(time),
      (end, time) => viewer.transport.mark(end, time),
    );
    this.play = h('button', { onclick: () => actions.toggle() }, 'Play');
    this.live = h(
      'button',
      { title: 'to the end of what is written', hidden: true, onclick: () => viewer.transport.keepUp() },
      'Live',
    );
    this.sound = h(
      'button',
      {
        title: 'sounds of the game files',
        'aria-label': 'sounds of the game files',
        'aria-pressed': 'false',
        class: 'fine',
        onclick: () => actions.sounds(),
      },
      '♪',
    );
    this.app = h(
      'div',
      { class: 'app' },
      this.header(actions),
      this.stages,
      h('aside', {}, this.tabs, this.body),
      this.footer(actions),
    );
    this.listen();
    this.makeTabs();
    this.list(viewer.library);
    const rows = KEYS.map(([key, what]) =>
      h('tr', {}, h('th', { scope: 'row' }, h('kbd', {}, key)), h('td', {}, what)),
    );
    const legend = LEGEND.map(([name, what]) => h('tr', {}, h('td', {}, symbol(name)), h('td', {}, what)));
    this.help.append(
      h('form', { method: 'dialog' }, h('button', {}, 'Close')),
      h('table', {}, h('caption', {}, 'Keys'), h('tbody', {}, ...rows)),
      h('table', {}, h('caption', {}, 'From above'), h('tbody', {}, ...legend)),
    );
  }

  private header(actions: Actions): HTMLElement {
    return h(
      'header',
      {},
      h('h1', {}, 'Fragreel'),
      h('button', { onclick: () => this.pickFiles() }, 'Open…'),
      this.picker,
      this.recordings,
      this.about,
      h('label', {}, h('span', {}, 'View '), this.cameras),
      h('label', {}, h('span', {}, 'Follow '), this.follows),
      button('?', 'keys and legend', () => actions.help()),
    );
  }

  private footer(actions: Actions): HTMLElement {
    const filters = (Object.keys(this.marks) as (keyof Marks)[]).map((name) => {
      const box = h('input', { type: 'checkbox', checked: true });
      box.addEventListener('change', () => {
        this.marks[name] = box.checked;
        this.viewer.changed();
      });
      const swatch = h('span', { class: 'dot' });
      swatch.style.background = MARK_COLORS[name];
      return h('label', {}, box, swatch, name);
    });
    return h(
      'footer',
      {},
      this.timeline.element,
      button('‹ kill', 'last kill', () => actions.kill(-1), 'fine'),
      button('−1', 'one frame back', () => actions.frame(-1), 'fine'),
      this.play,
      button('+1', 'one frame on', () => actions.frame(1), 'fine'),
      button('kill ›', 'next kill', () => actions.kill(1), 'fine'),
      h('span', { class: 'fine' }, this.speeds),
      this.clocks,
      this.watching,
      this.live,
      h('span', { class: 'space fine' }),
      this.sound,
      h(
        'button',
        {
          title: 'show all of the level',
          'aria-label': 'show all of the level',
          class: 'fine',
          onclick: () => this.viewer.stage?.reset(),
        },
        icon('fit'),
      ),
      this.sheet,
      h(
        'button',
        { title: 'full screen', 'aria-label': 'full screen', class: 'compact', onclick: () => actions.whole() },
        icon('whole'),
      ),
      h('details', { class: 'fine' }, h('summary', {}, 'marks'), h('div', { class: 'choices' }, ...filters)),
    );
  }

  private listen(): void {
    const { viewer, picker, recordings, cameras, follows, speeds } = this;
    picker.addEventListener('change', () => {
      void viewer.take([...(picker.files ?? [])]);
      picker.value = '';
    });
    recordings.addEventListener('change', () =>
      viewer.pick(recordings.value === 'all' ? 'all' : Number(recordings.value)),
    );
    cameras.addEventListener('change', () => (viewer.camera = cameras.value as Mode));
    follows.addEventListener('change', () => {
      viewer.directed = follows.value === 'next';
      if (!viewer.directed) viewer.follow(follows.value === '' ? null : Number(follows.value));
    });
    speeds.value = '1';
    speeds.addEventListener('change', () => viewer.transport.setSpeed(Number(speeds.value)));
    // who chose with a pointer has the keys again; who chose with keys is still there
    for (const select of [recordings, cameras, follows, speeds]) {
      let byPointer = false;
      select.addEventListener('pointerdown', () => (byPointer = true));
      select.addEventListener('keydown', () => (byPointer = false));
      select.addEventListener('change', () => byPointer && viewer.stage?.element.focus());
    }
  }

  private makeTabs(): void {
    this.panels.forEach((panel, at) => {
      this.tabs.append(
        h(
          'button',
          { role: 'tab', id: `tab-${panel.name}`, 'aria-controls': 'panel', onclick: () => this.choose(at) },
          panel.title,
        ),
      );
    });
    this.tabs.addEventListener('keydown', (event) => {
      const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      if (!by) return;
      this.choose((this.at + by + this.panels.length) % this.panels.length);
      (this.tabs.children[this.at] as HTMLElement).focus();
      event.stopPropagation();
    });
    this.choose(0);
  }

  private choose(at: number): void {
    this.at = at;
    const panel = this.panels[at];
    [...this.tabs.children].forEach((tab, index) => {
      tab.setAttribute('aria-selected', String(index === at));
      (tab as HTMLElement).tabIndex = index === at ? 0 : -1;
    });
    this.body.setAttribute('aria-labelledby', `tab-${panel.name}`);
    const reveal = () => {
      this.spoilersShown = true;
      this.choose(at);
    };
    this.body.replaceChildren(
      panel.spoils && !this.spoilersShown
        ? h('div', {}, h('p', {}, 'This shows how the match ends.'), h('button', { onclick: reveal }, 'Show it'))
        : panel.element,
    );
    this.viewer.changed();
  }

  /** Another recording has another end. */
  reset(): void {
    this.spoilersShown = false;
    this.choose(this.at);
  }

  /** In a small viewer the panels come over the picture. */
  private openSheet(): void {
    this.sheet.setAttribute('aria-expanded', String(this.app.classList.toggle('sheet')));
    this.viewer.changed();
  }

  pickFiles(): void {
    this.picker.click();
  }

  /** The recordings that are open. */
  list(library: Library): void {
    const { sessions } = library;
    this.recordings.replaceChildren(
      ...sessions.map((session, at) => h('option', { value: String(at) }, session.name)),
      ...(sessions.length > 1 ? [h('option', { value: 'all' }, 'side by side')] : []),
    );
    this.recordings.value = library.sideBySide ? 'all' : String(library.active);
    this.recordings.hidden = sessions.length < 2;
    // there is nothing to control yet
    for (const part of this.app.querySelectorAll<HTMLElement>('footer, aside')) part.inert = !sessions.length;
  }

  /** What is known of the recording has changed. */
  show(): void {
    const { session, library } = this.viewer;
    this.live.hidden = !library.isLive || !session;
    if (session) {
      const { info } = session;
      const facts = [
        info.maps.join(', '),
        info.game_type,
        info.mod && info.mod !== info.game ? `${info.game} (${info.mod})` : info.game,
        info.date,
        clock(session.replay.duration, 0),
      ];
      this.about.textContent = facts.filter(Boolean).join(' · ');
      this.about.title = `${session.name}: ${this.about.textContent}`;
    }
    const names = new Map<number, string>();
    for (const player of session?.info.players ?? []) names.set(player.slot, player.name.clean);
    for (const slot of session?.replay.slots ?? []) if (!names.has(slot)) names.set(slot, `slot ${slot}`);
    this.follows.replaceChildren(
      h('option', { value: '' }, 'nobody'),
      h('option', { value: 'next' }, 'the next kill'),
      ...[...names].sort((a, b) => a[0] - b[0]).map(([slot, name]) => h('option', { value: String(slot) }, name)),
    );
  }

  /** Shows the time and what goes with it. */
  update(isAtRest: boolean): void {
    const { viewer } = this;
    const { transport, session, stage, look, duration, library } = viewer;
    this.timeline.update(transport.clock, duration, (time) => clock(time - (session?.offset ?? 0), 1));
    this.play.textContent = transport.playing ? 'Pause' : 'Play';
    this.sound.setAttribute('aria-pressed', String(viewer.sounds.isOn));
    this.follows.value = viewer.directed ? 'next' : look.followed === null ? '' : String(look.followed);
    this.cameras.value = viewer.camera;
    this.speeds.value = String(transport.speed);
    this.watching.textContent = transport.watching;
    this.live.hidden = !library.isLive || !session;
    if (!session) return;
    this.timeline.draw(session, duration, this.marks, look.followed, transport.range);
    const scene = stage?.scene;
    if (scene) {
      const parts = [
        `server ${clock(scene.serverTime, 1)}`,
        ...(scene.matchTime === null ? [] : [`match ${clock(scene.matchTime, 1)}`]),
        `frame ${session.replay.tracks.numbers[scene.frame] ?? 0}`,
      ];
      this.clocks.replaceChildren(
        clock(scene.time, 2),
        h('span', { class: 'fine detail' }, parts.map((part) => `  ·  ${part}`).join('')),
      );
    }
    const now = performance.now();
    if (!isAtRest && now - this.updated <= 200) return;
    this.updated = now;
    // who has seen the end knows it
    if (!this.spoilersShown && transport.clock >= duration && !library.isLive) {
      this.spoilersShown = true;
      this.choose(this.at);
    }
    const panel = this.panels[this.at];
    if (panel && (this.spoilersShown || !panel.spoils)) panel.update(viewer);
  }
}

function button(label: string, title: string, run: () => void, kind = ''): HTMLButtonElement {
  return h('button', { title, class: kind, onclick: run }, label);
}
