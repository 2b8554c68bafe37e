// The frame around the picture: header, panels, and the controls.

import type { Mode } from '../data/link';
import { SPEEDS } from '../store/clock';
import type { Marks } from '../store/look';
import type { Store } from '../store/store';
import type { Actions } from './keys';
import { clock, h } from './dom';
import { helpDialog } from './help';
import { type Icon, icon } from './icons';
import type { Panel } from './panel';
import { penTools } from './penlines';
import { Pip } from './pip';
import { Strip } from './strip';
import { Tabs } from './tabs';
import { MARK_COLORS, Timeline } from './timeline';

const MODE_NAMES: Record<Mode, [string, Icon, string]> = {
  top: ['Plan', 'plan', 'from above'],
  eyes: ['Eyes', 'eyes', 'through the eyes'],
  behind: ['Behind', 'behind', 'behind the player'],
  free: ['Free', 'free', 'free flight'],
};
const ORDER: readonly Mode[] = ['top', 'eyes', 'behind', 'free'];
/** Controls over a picture that plays fade after this number of milliseconds without a pointer or a key. */
const IDLE = 2000;
/** Panels are brought up to date so often while it plays. */
const INTERVAL = 200;

export class Chrome {
  readonly element: HTMLElement;
  readonly help = helpDialog();
  readonly tabs: Tabs;
  private readonly timeline: Timeline;
  private readonly strip: Strip;
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
    { 'aria-label': 'camera', class: 'chip' },
    ...ORDER.map((mode) => h('option', { value: mode }, MODE_NAMES[mode][0])),
  );
  private readonly follows = h('select', { 'aria-label': 'follow', class: 'chip' });
  private readonly speeds = h('select', { 'aria-label': 'speed', class: 'speed' });
  private readonly segments: HTMLButtonElement[];
  private readonly director: HTMLButtonElement;
  private readonly play: HTMLButtonElement;
  private readonly now = h('span', { class: 'now' });
  private readonly details = h('span', { class: 'faint' });
  private readonly watching = h('span', { class: 'watching' });
  private readonly live: HTMLButtonElement;
  private readonly sound: HTMLButtonElement;
  private readonly four: HTMLButtonElement;
  private readonly draws: HTMLButtonElement;
  private readonly small: HTMLButtonElement;
  private readonly pens: ReturnType<typeof penTools>;
  private readonly skip: HTMLButtonElement;
  private readonly sheet: HTMLButtonElement;
  private readonly end: HTMLElement;
  private updated = 0;
  private touched = 0;
  private began = false;

  constructor(
    private readonly store: Store,
    stages: HTMLElement,
    panels: Panel[],
    private readonly actions: Actions,
  ) {
    const { clock: time, selection } = store;
    this.timeline = new Timeline(store);
    this.strip = new Strip(store);
    this.tabs = new Tabs(store, panels);
    this.play = h('button', { class: 'round', 'aria-label': 'play', onclick: () => actions.toggle() }, icon('play'));
    this.live = h(
      'button',
      { class: 'edge', title: 'to the end of the recording', hidden: true, onclick: () => time.keepUp() },
      'Live',
    );
    this.sound = iconButton('sound', 'sounds of the game files', () => actions.sounds());
    this.four = iconButton('multi', 'four views', () => actions.four());
    this.draws = iconButton('draw', 'draw on the plan', () => actions.draw());
    this.small = iconButton('pip', 'picture in picture', () => actions.small());
    this.small.hidden = !Pip.isThere;
    this.pens = penTools(store);
    this.sheet = iconButton('down', 'panels', () => this.openSheet(), 'compact');
    this.sheet.setAttribute('aria-expanded', 'false');
    this.segments = ORDER.map((mode) => {
      const [name, picture, title] = MODE_NAMES[mode];
      return h('button', { title, onclick: () => selection.setCamera(mode) }, icon(picture), name);
    });
    this.director = h(
      'button',
      {
        title: 'follows who makes the next kill',
        onclick: () => selection.direct(!selection.directed),
      },
      icon('film'),
      'Director',
    );
    this.skip = h(
      'button',
      { class: 'chip skip', hidden: true, onclick: () => time.seekOwn(selection.session?.start ?? 0) },
      'skip warm-up',
      icon('skip'),
    );
    this.end = h(
      'div',
      { class: 'end', hidden: true },
      h('button', { class: 'fill', onclick: () => this.again() }, icon('play'), 'Again'),
      h('button', { onclick: () => this.share() }, icon('share'), 'Share'),
    );
    stages.append(this.zoom(), this.pens.element, this.skip, this.end);
    this.element = h(
      'div',
      { class: 'app empty' },
      this.header(),
      stages,
      this.strip.element,
      h('div', { class: 'deck' }, this.chips(), this.timeline.element, this.footer()),
      h('aside', {}, this.grip(), ...this.tabs.elements),
    );
    this.listen();
    this.list();
  }

  private header(): HTMLElement {
    return h(
      'header',
      {},
      h('h1', {}, 'Fragreel'),
      h('button', { class: 'open', title: 'open files', onclick: () => this.picker.click() }, icon('open'), 'Open'),
      this.picker,
      this.recordings,
      this.about,
      iconButton('help', 'keys and legend', () => this.actions.help()),
      h(
        'button',
        { class: 'fill share', title: 'share a moment', onclick: () => this.share() },
        icon('share'),
        'Share',
      ),
    );
  }

  /** What a phone has in place of segments and the strip. */
  private chips(): HTMLElement {
    return h('div', { class: 'chips' }, this.cameras, this.follows);
  }

  private footer(): HTMLElement {
    const { actions } = this;
    return h(
      'footer',
      {},
      h(
        'div',
        { class: 'transport' },
        iconButton('prev', 'previous kill', () => actions.kill(-1)),
        this.play,
        iconButton('next', 'next kill', () => actions.kill(1)),
      ),
      h('div', { class: 'clocks' }, this.now, this.speeds, this.watching, this.live),
      h('div', { class: 'segments', role: 'group', 'aria-label': 'view' }, ...this.segments, this.director),
      h(
        'div',
        { class: 'more' },
        iconButton('clip', 'clip from here, and up to here', () => this.mark()),
        this.draws,
        this.four,
        this.small,
        this.sound,
        this.popover(),
        this.sheet,
        iconButton('full', 'full screen', () => actions.whole(), 'always'),
      ),
    );
  }

  /** What one needs rarely. */
  private popover(): HTMLElement {
    const { actions, store } = this;
    const marks = (Object.keys(MARK_COLORS) as (keyof Marks)[]).map((name) => {
      const box = h('input', { type: 'checkbox', checked: store.look.marks[name] });
      box.addEventListener('change', () => store.look.set({ marks: { ...store.look.marks, [name]: box.checked } }));
      const swatch = h('span', { class: 'dot' });
      swatch.style.background = `var(${MARK_COLORS[name]})`;
      return h('label', {}, box, swatch, name);
    });
    const details = h(
      'details',
      {},
      h('summary', { title: 'details', 'aria-label': 'details' }, icon('more')),
      h(
        'div',
        { class: 'popover' },
        this.details,
        h(
          'div',
          { class: 'choices' },
          h('button', { class: 'edge', title: 'one frame back', onclick: () => actions.frame(-1) }, '−1'),
          h('button', { class: 'edge', title: 'one frame forward', onclick: () => actions.frame(1) }, '+1'),
          h('button', { class: 'edge', onclick: () => actions.reverse() }, 'Backwards'),
        ),
        h('strong', {}, 'Marks'),
        ...marks,
      ),
    );
    // a press elsewhere closes it
    this.store.on('clock', () => store.moves && details.removeAttribute('open'));
    return details;
  }

  private zoom(): HTMLElement {
    const { store } = this;
    return h(
      'div',
      { class: 'zoom plate' },
      iconButton('plus', 'closer', () => store.tell('wanted', 'closer')),
      iconButton('minus', 'further', () => store.tell('wanted', 'further')),
      iconButton('fit', 'show all of the level', () => store.tell('wanted', 'whole level')),
    );
  }

  /** A sheet is dragged by its upper edge, or opened and closed by a press. */
  private grip(): HTMLElement {
    const grip = h('button', { class: 'grip', 'aria-label': 'size of the panels' });
    let from: { y: number; height: number } | null = null;
    grip.addEventListener('pointerdown', (event) => {
      from = { y: event.clientY, height: grip.parentElement!.clientHeight };
      grip.setPointerCapture(event.pointerId);
    });
    grip.addEventListener('pointermove', (event) => {
      if (!from || Math.abs(event.clientY - from.y) < 4) return;
      const all = this.element.clientHeight;
      const part = Math.min(0.85, Math.max(0.2, (from.height + from.y - event.clientY) / Math.max(1, all)));
      this.element.style.setProperty('--sheet-size', `${Math.round(part * 100)}%`);
    });
    grip.addEventListener('pointerup', () => (from = null));
    grip.addEventListener('click', () => {
      const isTall = this.element.classList.toggle('tall');
      this.element.style.setProperty('--sheet-size', isTall ? '70%' : '52%');
    });
    return grip;
  }

  private listen(): void {
    const { store, picker, recordings, cameras, follows, speeds } = this;
    const { selection, clock: time } = store;
    picker.addEventListener('change', () => {
      store.tell('given', [...(picker.files ?? [])]);
      picker.value = '';
    });
    recordings.addEventListener('change', () =>
      selection.pick(recordings.value === 'all' ? 'beside' : Number(recordings.value)),
    );
    cameras.addEventListener('change', () => selection.setCamera(cameras.value as Mode));
    follows.addEventListener('change', () => {
      if (follows.value === 'next') selection.direct(true);
      else selection.follow(follows.value === '' ? null : Number(follows.value));
    });
    speeds.addEventListener('change', () => time.setSpeed(Number(speeds.value)));
    // who chose with a pointer has the keys again; who chose with keys is still there
    for (const select of [recordings, cameras, follows, speeds]) {
      let byPointer = false;
      select.addEventListener('pointerdown', () => (byPointer = true));
      select.addEventListener('keydown', () => (byPointer = false));
      select.addEventListener('change', () => byPointer && store.tell('wanted', 'focus'));
    }
    const touch = () => (this.touched = performance.now());
    for (const kind of ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const)
      this.element.addEventListener(kind, touch);
    store.on('wanted', (what) => {
      if (what === 'files') picker.click();
      else if (what === 'help') this.help.showModal();
    });
    store.on('panes', () => this.list());
    store.on('opened', ({ beside }) => {
      if (!beside) this.began = false;
      this.show();
    });
    store.on('content', () => this.show());
  }

  /** Marks in, then out. */
  private mark(): void {
    const { clock: time } = this.store;
    const [from, to] = time.range;
    this.actions.mark(from === null || to !== null ? 0 : 1);
    if (from !== null && to === null) this.tabs.choose('clip');
  }

  /** Shows what there is to share: around the moment, where nothing is marked. */
  private share(): void {
    const { clock: time, selection } = this.store;
    if (time.range[0] === null || time.range[1] === null)
      time.setRange([Math.max(0, time.own - 8000), Math.min(time.own + 2000, selection.session?.replay.duration ?? 0)]);
    this.tabs.choose('clip');
    this.element.classList.add('sheet');
    this.sheet.setAttribute('aria-expanded', 'true');
  }

  private again(): void {
    const { clock: time, selection } = this.store;
    time.seekOwn(selection.session?.start ?? 0);
    if (!time.playing) time.toggle();
  }

  /** In a small viewer the panels come over the picture. */
  private openSheet(): void {
    this.sheet.setAttribute('aria-expanded', String(this.element.classList.toggle('sheet')));
    this.store.tell('picture');
  }

  /** The recordings that are open. */
  private list(): void {
    const { sessions, layout, session } = this.store.selection;
    this.recordings.replaceChildren(
      ...sessions.map((one, at) => h('option', { value: String(at) }, one.name)),
      ...(sessions.length > 1 ? [h('option', { value: 'all' }, 'side by side')] : []),
    );
    this.recordings.value = layout === 'beside' ? 'all' : String(session ? sessions.indexOf(session) : 0);
    this.recordings.hidden = sessions.length < 2;
    // there is nothing to control yet
    this.element.classList.toggle('empty', !sessions.length);
    for (const part of this.element.querySelectorAll<HTMLElement>('footer, aside')) part.inert = !sessions.length;
    this.show();
  }

  /** What is known of the recording has changed. */
  private show(): void {
    const { session, isLive } = this.store.selection;
    this.live.hidden = !isLive || !session;
    if (session) {
      const { info } = session;
      const facts = [
        info.game_type,
        info.mod && info.mod !== info.game ? `${info.game} (${info.mod})` : info.game,
        info.date,
        clock(session.replay.duration, 0),
        session.part < 1 && `${Math.floor(session.part * 100)} % read`,
      ].filter(Boolean);
      this.about.replaceChildren(
        h('strong', {}, info.maps.join(', ') || session.name),
        ...facts.map((fact) => `  ·  ${fact}`),
      );
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
    this.updated = 0;
  }

  /** Shows the time and what goes with it. */
  update(isAtRest: boolean): void {
    const { store } = this;
    const { clock: time, selection, look } = store;
    const { session, duration } = selection;
    this.began ||= time.playing || time.now > 0;
    this.timeline.update();
    this.put(this.play, time.playing ? 'pause' : 'play');
    this.sound.setAttribute('aria-pressed', String(look.sounds));
    this.four.setAttribute('aria-pressed', String(selection.layout === 'four'));
    this.draws.setAttribute('aria-pressed', String(store.pens.tool !== null));
    this.pens.update();
    this.follows.value = selection.directed ? 'next' : String(selection.followed ?? '');
    this.cameras.value = selection.camera;
    this.segments.forEach((button, at) =>
      button.setAttribute('aria-pressed', String(ORDER[at] === selection.camera && !selection.directed)),
    );
    this.director.setAttribute('aria-pressed', String(selection.directed));
    this.showSpeed(time.speed);
    this.watching.textContent = time.watching;
    this.live.hidden = !selection.isLive || !session;
    const now = performance.now();
    this.element.classList.toggle('idle', time.playing && !store.manual && now - this.touched > IDLE);
    this.element.classList.toggle('fresh', !this.began && !!session);
    const isOver = !!session && duration > 0 && time.now >= duration && !selection.isLive && !session.growing;
    this.end.hidden = !isOver;
    if (!session) return;
    this.skip.hidden = !(session.start > time.own + 1000);
    const { scene } = selection;
    this.now.replaceChildren(clock(time.own, 0), h('span', {}, ` / ${clock(session.replay.duration, 0)}`));
    if (scene) {
      const parts = [
        clock(scene.time, 3),
        `server ${clock(scene.serverTime, 1)}`,
        ...(scene.matchTime === null ? [] : [`match ${clock(scene.matchTime, 1)}`]),
        `frame ${session.replay.tracks.numbers[scene.frame] ?? 0}`,
      ];
      this.details.textContent = parts.join('  ·  ');
    }
    this.tabs.glide();
    if (!isAtRest && now - this.updated <= INTERVAL) return;
    this.updated = now;
    this.strip.update();
    // who has seen the end knows it
    if (!look.spoilers && isOver) look.set({ spoilers: true });
    this.tabs.update();
  }

  private put(button: HTMLButtonElement, name: 'play' | 'pause'): void {
    if (button.getAttribute('aria-label') === name) return;
    button.setAttribute('aria-label', name);
    button.replaceChildren(icon(name));
  }

  /** All speeds forward; backwards the one that is gone at. */
  private showSpeed(speed: number): void {
    const value = String(speed);
    if (this.speeds.value === value && this.speeds.childElementCount) return;
    const all = speed < 0 ? [speed, ...SPEEDS] : SPEEDS;
    this.speeds.replaceChildren(...all.map((one) => h('option', { value: String(one) }, `${one}×`)));
    this.speeds.value = value;
  }
}

function iconButton(name: Icon, title: string, run: () => void, kind = ''): HTMLButtonElement {
  return h('button', { class: `bare ${kind}`, title, 'aria-label': title, onclick: run }, icon(name));
}
