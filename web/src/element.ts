// The custom element: `<fragreel-viewer src="final.dm_68" t="1:23" pov="sarge">`.

import { Cancelled, Client } from './data/client';
import { type Kill, isKill, isSuicide, involves, means } from './data/events';
import type { Player, Scene } from './data/film';
import { Live } from './data/live';
import { type Moment, read, seconds, write } from './data/link';
import { Session, alignment } from './data/session';
import { Show, type ShowState } from './data/show';
import { isArchive, isLoose, isMap } from './maps/archive';
import { dropped } from './maps/dropped';
import type { Level } from './maps/level';
import { type Hearer, MapStore } from './maps/store';
import { chartsPanel } from './panel/charts';
import { clipPanel } from './panel/clip';
import { duelsPanel } from './panel/duels';
import { heatPanel } from './panel/heat';
import { chatPanel, happenedPanel } from './panel/lists';
import { type Offered, offered } from './panel/offer';
import type { App, Panel } from './panel/panel';
import { playersPanel } from './panel/players';
import { resultsPanel } from './panel/results';
import { valuesPanel } from './panel/values';
import { camcorder } from './view/camcorder';
import { type Camera, MODES, type Mode } from './view/camera';
import { clock, h } from './view/dom';
import { HeatMap } from './view/heat';
import { icon } from './view/icons';
import { KEYS, press } from './view/keys';
import type { Look } from './view/overlay';
import { Stage, type Stageable } from './view/stage';
import charts from 'uplot/dist/uPlot.min.css?inline';
import style from './view/style.css?inline';
import { type Marks, Timeline, neighbor } from './view/timeline';
import { known, words } from './view/words';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16];
/** How long a kill stays in the feed. */
const FEED = 6000;
/** The picture may be so far from what games show before it jumps to them. */
const APART = 150;
/** So far behind the end of what is written the picture may be and still keep up with it. */
const BEHIND = 3000;
/** More recordings than that are not one match: one is chosen. */
const MOST_AT_ONCE = 8;
/** Files larger than that are no recordings. */
const LARGEST = 1 << 30;
const MODE_NAMES: Record<Mode, string> = { top: 'from above', free: 'free flight', behind: 'behind the player', eyes: 'through the eyes' };

export class FragreelViewer extends HTMLElement implements App, Hearer, Stageable {
  static readonly observedAttributes = ['src', 't', 'pov'];

  readonly sessions: Session[] = [];
  /** On the clock that all open recordings share. */
  clock = 0;
  playing = false;
  speed = 1;
  range: [number | null, number | null] = [null, null];
  readonly look: Look = { followed: null, trails: true, names: true, things: true, light: true, textures: true, dark: true };
  floorOnly = false;
  /** For tests and pictures: what was drawn can be read again. */
  keep = false;
  private readonly maps = new MapStore(this);
  /** Whether the page is the viewer's own: keys and wheel are its without focus. */
  ownsPage = false;
  /** For tests: time passes only by `advance`. */
  manual = false;
  private readonly marks: Marks = { kills: true, flags: true, items: true, chat: true, rounds: true, damage: true };
  private readonly stageList: Stage[] = [];
  private readonly heatChoice = heatPanel(() => this.changed());
  private readonly heatMap = new HeatMap();
  private readonly panels: Panel[] = [playersPanel(), happenedPanel(), chatPanel(), resultsPanel(), chartsPanel(), this.heatChoice, duelsPanel(), clipPanel(camcorder(this)), valuesPanel()];
  private active = 0;
  private panel = 0;
  private mode: Mode = 'top';
  private dirty = true;
  private last = 0;
  private lastPanels = 0;
  private loading: Client | null = null;
  private conducted: Show | null = null;
  private watched: Live | null = null;
  /** Whether the picture keeps to the end of what is written. */
  private keepsUp = false;
  private wish: Moment = {};
  private request = 0;
  private readonly resized = new ResizeObserver(() => this.changed());

  private readonly root = this.attachShadow({ mode: 'open' });
  private readonly stages = h('main', { class: 'stages' });
  private readonly feed = h('div', { class: 'feed', 'aria-hidden': 'true' });
  private readonly hud = h('div', { class: 'hud' });
  private readonly notice = h('div', { class: 'notice', role: 'status' });
  private readonly about = h('span', { class: 'about' });
  private readonly picker = h('input', { type: 'file', multiple: true, class: 'hidden', tabIndex: -1, 'aria-label': 'recordings and maps' });
  private readonly recordings = h('select', { 'aria-label': 'recording', hidden: true });
  private readonly cameras = h('select', { 'aria-label': 'camera' }, ...MODES.map((mode) => h('option', { value: mode }, MODE_NAMES[mode])));
  private readonly follows = h('select', { 'aria-label': 'follow' });
  private readonly play = h('button', { onclick: () => this.toggle() }, 'Play');
  private readonly speeds = h('select', { 'aria-label': 'speed' }, ...SPEEDS.flatMap((speed) => [speed, -speed]).sort((a, b) => a - b).map((speed) => h('option', { value: String(speed) }, `${speed}×`)));
  private readonly clocks = h('span', { class: 'clocks' });
  private readonly watching = h('span', { class: 'clocks' });
  private readonly liveButton = h('button', { title: 'to the end of what is written', hidden: true, onclick: () => this.keepUp() }, 'Live');
  private readonly sheet = h('button', { class: 'compact', title: 'panels', 'aria-label': 'panels', 'aria-expanded': 'false', onclick: () => this.openSheet() }, icon('panels'));
  private readonly timeline = new Timeline((time) => this.seek(time));
  private readonly tabs = h('div', { role: 'tablist', 'aria-label': 'panels' });
  private readonly body = h('div', { role: 'tabpanel', tabIndex: 0, id: 'panel' });
  private readonly help = h('dialog', { 'aria-label': 'keys' });
  private readonly live = h('div', { class: 'hidden', 'aria-live': 'polite' });

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(charts + style);
    this.root.adoptedStyleSheets = [sheet];
    this.build();
  }

  // --- what pages may use ---

  get session(): Session | null {
    return this.sessions[this.active] ?? null;
  }

  get stage(): Stage | null {
    return this.stageList.find((stage) => stage.session === this.session) ?? this.stageList[0] ?? null;
  }

  /** Time since the first frame of the recording that is shown, in milliseconds. */
  get time(): number {
    return this.clock - (this.session?.offset ?? 0);
  }

  /** Length of everything that is open, on the common clock. */
  get duration(): number {
    return Math.max(0, ...this.sessions.map((session) => session.offset + session.film.duration));
  }

  get followed(): number | null {
    return this.look.followed;
  }

  set followed(slot: number | null) {
    this.follow(slot);
  }

  get camera(): Mode {
    return this.mode;
  }

  set camera(mode: Mode) {
    this.mode = mode;
    for (const stage of this.stageList) stage.setMode(mode);
    if ((mode === 'behind' || mode === 'eyes') && this.look.followed === null) this.follow(this.firstToFollow());
    this.cameras.value = mode;
    this.changed();
  }

  /** Opens files: recordings take the place of those that are open, or stand beside them. */
  async open(files: Iterable<File>, beside = false): Promise<void> {
    const list = [...files];
    for (const file of list) {
      if (file.size > LARGEST) {
        this.fail(`${file.name} is larger than 1 GB`);
        continue;
      }
      await this.load(file.name, () => file.arrayBuffer(), beside || file !== list[0]);
    }
  }

  /** Opens a recording by its address. */
  async openAddress(address: string, beside = false, moment?: Moment): Promise<void> {
    if (moment) this.wish = moment;
    const name = decodeURIComponent(new URL(address, document.baseURI).pathname.split('/').pop() || 'recording');
    await this.load(
      name,
      async (signal) => {
        const answer = await asked(address, signal);
        if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
        return answer.arrayBuffer();
      },
      beside,
    );
  }

  /** Shows a list of recordings to choose from; `about` is what is known of one. */
  offer(entries: Offered[]): void {
    const all = h('button', { onclick: () => void this.openSeveral(entries.map((entry) => entry.src)) }, 'All, side by side');
    this.notice.replaceChildren(offered(entries, (entry) => void this.openAddress(entry.src)), entries.length > 1 && entries.length <= MOST_AT_ONCE ? all : '');
  }

  /** Opens recordings of one match beside each other. */
  async openSeveral(addresses: string[]): Promise<void> {
    for (const [at, address] of addresses.entries()) await this.openAddress(address, at > 0);
    this.sideBySide = this.sessions.length > 1;
    this.arrange();
  }

  seek(time: number): void {
    this.clock = Math.min(Math.max(time, 0), this.duration);
    this.keepsUp = this.grows && this.clock >= this.duration - BEHIND;
    this.conducted?.order(`seek ${(this.time / 1000).toFixed(3)}`);
    this.changed();
  }

  seekSession(time: number): void {
    this.seek(time + (this.session?.offset ?? 0));
  }

  pause(): void {
    if (this.playing) this.toggle();
  }

  toggle(): void {
    this.playing = !this.playing && this.sessions.length > 0;
    if (!this.playing) this.keepsUp = false;
    // from the end on there is nothing: begin again
    if (this.playing && this.speed > 0 && this.clock >= this.duration && !this.grows) this.clock = 0;
    if (this.playing && this.speed < 0 && this.clock <= 0) this.clock = this.duration;
    this.last = 0;
    this.conducted?.order(this.playing ? 'play' : 'pause');
    if (this.playing && this.clock === 0) this.conducted?.order('seek 0');
    this.changed();
  }

  setSpeed(speed: number): void {
    if (this.conducted && speed < 0) {
      this.say('games cannot play backwards');
      return;
    }
    this.speed = speed;
    this.conducted?.order(`speed ${speed}`);
    this.speeds.value = String(speed);
    this.changed();
  }

  follow(slot: number | null): void {
    this.look.followed = slot;
    for (const stage of this.stageList) stage.centered = slot !== null;
    if (slot === null && (this.mode === 'behind' || this.mode === 'eyes')) this.camera = 'top';
    const player = this.stage?.scene?.players.find((one) => one.slot === slot);
    this.say(slot === null ? 'following nobody' : `following ${player?.name?.clean ?? `slot ${slot}`}`);
    this.changed();
  }

  /** Lets time pass, for tests and for pages with a clock of their own. */
  advance(milliseconds: number): void {
    if (this.playing) {
      const time = this.clock + milliseconds * this.speed;
      this.clock = Math.min(Math.max(time, 0), this.duration);
      if (time >= this.duration && this.speed > 0) this.reachEnd();
      if (time <= 0 && this.speed < 0) this.playing = false;
      this.dirty = true;
    }
    this.render(milliseconds);
  }

  /** Has one clock with a show that games watch, which takes what is done here. */
  conduct(address: string): void {
    this.conducted?.stop();
    this.conducted = new Show(
      address,
      (state) => this.heard(state),
      () => {
        this.conducted = null;
        this.watching.textContent = '';
        this.say('the show is over');
      },
    );
    this.conducted.start();
  }

  /** Shows a recording while it is written, and each that follows it. */
  watch(address: string): void {
    this.watched?.stop();
    this.keepsUp = true;
    this.notice.replaceChildren(h('div', {}, 'Waiting for the first frame'));
    const taker = {
      begin: (name: string, bytes: Uint8Array<ArrayBuffer>, complete: boolean) => this.begin(name, bytes, complete),
      grow: (bytes: Uint8Array<ArrayBuffer>, complete: boolean) => this.grow(bytes, complete),
      waits: (name: string) => {
        if (!this.notice.childElementCount) this.notice.replaceChildren(h('button', { onclick: () => this.keepUp() }, `${name} is recorded now: go there`));
      },
      end: () => {
        this.watched = null;
        this.liveButton.hidden = true;
        if (!this.session) this.fail('nothing was recorded');
        this.say('the recording is complete');
      },
    };
    // what is asked when, not what was
    this.watched = new Live(address, Object.defineProperty(taker, 'goesOn', { get: () => this.keepsUp || !this.session }) as typeof taker & { goesOn: boolean });
    void this.watched.run();
  }

  /** Whether what is shown is still written, or another one will follow. */
  private get grows(): boolean {
    return this.watched !== null && this.sessions.length > 0;
  }

  /** Goes to the end of what is written, and stays there. */
  private keepUp(): void {
    this.notice.replaceChildren();
    this.keepsUp = true;
    this.setSpeed(1);
    this.clock = Math.max(0, this.duration - BEHIND / 2);
    this.playing = true;
    this.changed();
  }

  private reachEnd(): void {
    if (!this.grows) {
      this.playing = false;
      return;
    }
    this.keepsUp = true;
    if (this.speed > 1) this.setSpeed(1);
  }

  private async begin(name: string, bytes: Uint8Array<ArrayBuffer>, complete: boolean): Promise<void> {
    const client = new Client();
    this.loading = client;
    try {
      const session = await Session.begin(client, name, bytes, complete);
      this.notice.replaceChildren();
      this.adopt(session, false);
      this.keepsUp = true;
      this.liveButton.hidden = false;
      this.clock = Math.max(0, this.duration - BEHIND / 2);
      this.playing = true;
      this.follow(session.film.sceneAt(this.time).view?.slot ?? null);
      await session.refresh(() => this.show());
    } catch (error) {
      const cancelled = client.isClosed;
      client.close();
      if (!cancelled) this.fail(`${name}: ${message(error)}`);
    } finally {
      if (this.loading === client) this.loading = null;
    }
  }

  private async grow(bytes: Uint8Array<ArrayBuffer>, complete: boolean): Promise<void> {
    const session = this.session;
    if (!session?.growing) return;
    try {
      await session.grow(bytes, complete);
    } catch (error) {
      this.fail(`${session.name}: ${message(error)}`);
      return;
    }
    if (this.keepsUp && this.playing && this.clock < this.duration - BEHIND) this.clock = this.duration - BEHIND / 2;
    void session.refresh(() => this.show()).catch(() => undefined);
    this.changed();
  }

  private heard({ position, speed, paused, watching }: ShowState): void {
    this.watching.textContent = `${watching} ${watching === 1 ? 'game watches' : 'games watch'}`;
    if (!this.session) return;
    const clock = position + this.session.offset;
    if (Math.abs(clock - this.clock) > (paused ? 0 : APART * Math.max(1, speed))) this.clock = Math.min(Math.max(clock, 0), this.duration);
    this.playing = !paused && this.clock < this.duration;
    this.speed = speed;
    this.speeds.value = String(speed);
    this.changed();
  }

  link(): string {
    const moment: Moment = { time: this.time, camera: this.mode };
    if (this.look.followed !== null) moment.follow = this.look.followed;
    if (this.speed !== 1) moment.speed = this.speed;
    const [from, to] = this.range;
    if (from !== null && to !== null) moment.range = [from, to];
    const source = read(location.hash).source;
    if (source) moment.source = source;
    return write(moment);
  }

  // --- life ---

  connectedCallback(): void {
    if (!this.hasAttribute('tabindex')) this.tabIndex = -1;
    const loop = (now: number) => {
      this.request = requestAnimationFrame(loop);
      const elapsed = this.last ? Math.min(now - this.last, 250) : 0;
      this.last = now;
      if (!this.manual) this.advance(elapsed);
    };
    this.request = requestAnimationFrame(loop);
    document.addEventListener('keydown', this.key);
    this.resized.observe(this.stages);
    const source = this.getAttribute('src');
    // an element that was only moved has its recordings
    if (source && !this.sessions.length && !this.loading) this.attributeChangedCallback('src', null, source);
  }

  disconnectedCallback(): void {
    cancelAnimationFrame(this.request);
    document.removeEventListener('keydown', this.key);
    this.resized.disconnect();
    // a page that moves the element puts it back at once
    queueMicrotask(() => this.isConnected || this.release());
  }

  /** Gives back workers, contexts and connections. */
  private release(): void {
    this.conducted?.stop();
    this.watched?.stop();
    [this.conducted, this.watched] = [null, null];
    this.loading?.close();
    this.loading = null;
    for (const session of this.sessions.splice(0)) session.close();
    for (const panel of this.panels) panel.close?.();
    this.playing = false;
    this.arrange();
    this.welcome();
  }

  attributeChangedCallback(name: string, _old: string | null, value: string | null): void {
    if (!this.isConnected || value === null) return;
    if (name === 't') {
      const time = seconds(value);
      if (time !== null) this.seekSession(time);
    } else if (name === 'pov') this.goTo({ follow: /^\d+$/.test(value) ? Number(value) : value });
    else if (name === 'src') {
      const time = seconds(this.getAttribute('t'));
      const pov = this.getAttribute('pov');
      this.wish = { ...(time !== null && { time }), ...(pov && { follow: /^\d+$/.test(pov) ? Number(pov) : pov }), ...this.wish };
      void this.openAddress(value);
    }
  }

  /** Whether the wheel is the viewer's and not the page's. */
  get takesWheel(): boolean {
    return this.ownsPage || this.matches(':focus-within') || document.fullscreenElement === this;
  }

  /** Goes to a moment, now or as soon as a recording is there. */
  goTo(moment: Moment): void {
    const session = this.session;
    if (!session) {
      this.wish = { ...this.wish, ...moment };
      return;
    }
    if (moment.time !== undefined) this.seekSession(moment.time);
    if (moment.range) this.range = [...moment.range];
    if (moment.speed !== undefined) this.setSpeed(moment.speed);
    if (moment.follow !== undefined) {
      const wanted = moment.follow;
      const scene = session.film.sceneAt(this.time);
      const found = scene.players.find((player) => player.slot === wanted || (typeof wanted === 'string' && player.name?.clean.toLowerCase() === wanted.toLowerCase()));
      this.follow(found?.slot ?? (typeof wanted === 'number' ? wanted : null));
    }
    if (moment.camera) this.camera = moment.camera;
  }

  // --- opening ---

  private async load(name: string, bytes: (signal: AbortSignal) => Promise<ArrayBuffer>, beside: boolean): Promise<void> {
    this.loading?.close();
    const client = new Client();
    this.loading = client;
    const cancel = h('button', { onclick: () => client.close() }, 'Cancel');
    const part = h('span', {}, '');
    this.notice.replaceChildren(h('div', {}, `Reading ${name} `, part), cancel);
    try {
      const session = await Session.open(client, name, new Uint8Array(await bytes(client.signal)), (done) => (part.textContent = `${Math.round(done * 100)} %`));
      if (this.loading !== client) return session.close();
      this.notice.replaceChildren();
      this.adopt(session, beside);
      void session
        .more(() => {
          if (session !== this.sessions[0] && this.sessions.includes(session)) this.align(session);
          this.show();
        })
        .catch((error: unknown) => error instanceof Cancelled || this.fail(`${name}: ${message(error)}`));
    } catch (error) {
      const cancelled = client.isClosed;
      client.close();
      // another one may be read by now
      if (this.loading !== client) return;
      if (cancelled) this.notice.replaceChildren();
      else this.fail(`${name}: ${message(error)}`);
    } finally {
      if (this.loading === client) this.loading = null;
    }
  }

  private adopt(session: Session, beside: boolean): void {
    if (!beside) {
      for (const old of this.sessions.splice(0)) old.close();
      this.clock = 0;
      this.playing = false;
      this.range = [null, null];
      this.look.followed = null;
    }
    this.sessions.push(session);
    this.active = beside ? this.active : 0;
    if (beside) this.align(session);
    this.arrange();
    if (!beside) {
      const wish = this.wish;
      this.wish = {};
      if (session.film.frameCount) this.render(0);
      // whose eyes it is, is whom one wants to see first
      if (wish.follow === undefined) this.follow(session.film.sceneAt(0).view?.slot ?? null);
      for (const stage of this.stageList) {
        stage.centered = false;
        stage.fit();
      }
      this.goTo(wish);
    }
    void this.maps.recall(session);
    this.show();
    if (!session.film.frameCount) this.fail(`${session.name}: it has no frames to show${session.info.damage[0] ? `: ${session.info.damage[0].detail}` : ''}`);
    this.dispatchEvent(new CustomEvent('fragreel-open', { detail: { name: session.name, info: session.info } }));
  }

  private align(session: Session): void {
    const first = this.sessions[0];
    if (first && first !== session) session.offset = alignment(first, session) ?? 0;
  }

  /** One picture, or all of them beside each other. */
  private arrange(): void {
    for (const stage of this.stageList.splice(0)) stage.close();
    const shown = this.sideBySide ? this.sessions : this.session ? [this.session] : [];
    for (const session of shown) {
      const stage = new Stage(session, this);
      stage.setMode(this.mode);
      this.stageList.push(stage);
    }
    this.stages.replaceChildren(...this.stageList.map((stage) => stage.element), this.feed, this.hud, this.notice);
    this.recordings.replaceChildren(
      ...this.sessions.map((session, at) => h('option', { value: String(at) }, session.name)),
      ...(this.sessions.length > 1 ? [h('option', { value: 'all' }, 'side by side')] : []),
    );
    this.recordings.value = this.sideBySide ? 'all' : String(this.active);
    this.recordings.hidden = this.sessions.length < 2;
    this.changed();
  }

  private sideBySide = false;

  /** What is known of the recording has changed. */
  private show(): void {
    const session = this.session;
    if (session) {
      const { info } = session;
      const facts = [info.maps.join(', '), info.game_type, info.mod && info.mod !== info.game ? `${info.game} (${info.mod})` : info.game, info.date, clock(session.film.duration, 0)];
      this.about.textContent = facts.filter(Boolean).join(' · ');
      this.about.title = `${session.name}: ${this.about.textContent}`;
    }
    const names = new Map<number, string>();
    for (const player of session?.info.players ?? []) names.set(player.slot, player.name.clean);
    for (const slot of session?.film.slots ?? []) if (!names.has(slot)) names.set(slot, `slot ${slot}`);
    this.follows.replaceChildren(h('option', { value: '' }, 'nobody'), ...[...names].sort((a, b) => a[0] - b[0]).map(([slot, name]) => h('option', { value: String(slot) }, name)));
    for (const panel of this.panels) panel.reset?.(this);
    this.changed();
  }

  doubt(text: string, keep: () => void): void {
    const close = () => this.notice.replaceChildren();
    this.notice.replaceChildren(h('div', { role: 'alert' }, text), h('button', { onclick: () => (keep(), close()) }, 'Remember it'), ' ', h('button', { onclick: close }, 'Close'));
  }

  fail(text: string): void {
    this.notice.replaceChildren(h('div', { role: 'alert' }, text), h('button', { onclick: () => this.notice.replaceChildren() }, 'Close'));
  }

  // --- drawing ---

  changed(): void {
    this.dirty = true;
  }

  /** The map that is played at a time, where somebody gave it. */
  map(session: Session, time: number): Level | null {
    return this.maps.at(session, time);
  }

  ghosts(session: Session, scene: Scene): Player[] {
    const others = this.sessions.filter((other) => other !== session);
    if (!others.length) return [];
    // one player is the same by name: slots differ between recordings
    const seen = new Set(scene.players.filter((player) => player.origin).map((player) => player.name?.clean));
    const found: Player[] = [];
    for (const other of others) {
      const time = this.clock - other.offset;
      if (time < 0 || time > other.film.duration) continue;
      for (const player of other.film.sceneAt(time).players) {
        if (!player.origin || player.spectator || player.alive === false || seen.has(player.name?.clean)) continue;
        seen.add(player.name?.clean);
        found.push(player);
      }
    }
    return found;
  }

  heat(session: Session): ((context: CanvasRenderingContext2D, camera: Camera) => void) | null {
    const wish = this.heatChoice.wish(this);
    return wish && ((context, camera) => this.heatMap.draw(context, camera, session, wish));
  }

  private render(elapsed: number): void {
    if (!this.dirty && !this.playing) return;
    this.dirty = false;
    for (const stage of this.stageList) {
      stage.draw(this.clock - stage.session.offset, elapsed);
      stage.label(this.stageList.length > 1 ? stage.session.name : '');
    }
    const session = this.session;
    const [duration, now] = [this.duration, performance.now()];
    this.timeline.update(this.clock, duration, (time) => clock(time - (session?.offset ?? 0), 1));
    this.play.textContent = this.playing ? 'Pause' : 'Play';
    this.follows.value = this.look.followed === null ? '' : String(this.look.followed);
    if (!session) return;
    this.timeline.draw(session, duration, this.marks, this.look.followed, this.range);
    this.showClocks();
    this.showFeed(session);
    this.showHud();
    if (!this.playing || this.manual || now - this.lastPanels > 200) {
      this.lastPanels = now;
      this.panels[this.panel]?.update(this);
    }
  }

  private showClocks(): void {
    const scene = this.stage?.scene;
    if (!scene) return;
    const parts = [`server ${clock(scene.serverTime, 1)}`, ...(scene.matchTime === null ? [] : [`match ${clock(scene.matchTime, 1)}`]), `frame ${this.session!.film.tracks.numbers[scene.frame] ?? 0}`];
    this.clocks.replaceChildren(clock(scene.time, 2), h('span', { class: 'fine detail' }, parts.map((part) => `  ·  ${part}`).join('')));
  }

  private showFeed(session: Session): void {
    const recent: Kill[] = [];
    for (const event of session.events) {
      if (event.time > this.time) break;
      if (isKill(event) && event.time > this.time - FEED) recent.push(event);
    }
    const family = session.info.family;
    const line = (kill: Kill) =>
      isSuicide(kill) || !kill.attacker
        ? h('div', {}, words(kill.victim.name, family, 'somebody'), ` † ${means(kill)}`)
        : h('div', {}, words(kill.attacker.name, family, 'somebody'), ` [${means(kill)}${kill.headshot ? ', head' : ''}] `, words(kill.victim.name, family, 'somebody'));
    this.feed.replaceChildren(...recent.slice(-6).map(line));
  }

  private showHud(): void {
    const player = this.stage?.scene?.players.find((one) => one.slot === this.look.followed);
    if (!player) {
      this.hud.replaceChildren();
      return;
    }
    const ammo = player.ammo.map((one) => `${one.common ?? one.own} ${one.amount ?? ''}`).join(', ');
    const powers = player.powerups.map((one) => (one.common ?? one.own).replaceAll('_', ' ')).join(', ');
    const weapon = (player.weapon?.common ?? player.weapon?.own ?? '').replaceAll('_', ' ');
    const parts = [player.health === null ? '' : `health ${known(player.health)}`, player.armor === null ? '' : `armor ${known(player.armor)}`, weapon, powers, player.alive === false ? 'dead' : ''];
    this.hud.replaceChildren(words(player.name, this.session!.info.family, `slot ${player.slot}`), ...parts.filter(Boolean).map((part) => h('span', {}, part)));
    this.hud.title = ammo;
  }

  say(text: string): void {
    this.live.textContent = text;
  }

  // --- building ---

  private build(): void {
    const button = (label: string, title: string, run: () => void, kind = '') => h('button', { title, class: kind, onclick: run }, label);
    const openButton = h('button', { onclick: () => this.picker.click() }, 'Open…');
    this.picker.addEventListener('change', () => {
      void this.take([...(this.picker.files ?? [])]);
      this.picker.value = '';
    });
    this.recordings.addEventListener('change', () => {
      this.sideBySide = this.recordings.value === 'all';
      if (!this.sideBySide) this.active = Number(this.recordings.value);
      this.arrange();
      this.show();
    });
    this.cameras.addEventListener('change', () => (this.camera = this.cameras.value as Mode));
    this.follows.addEventListener('change', () => this.follow(this.follows.value === '' ? null : Number(this.follows.value)));
    this.speeds.value = '1';
    this.speeds.addEventListener('change', () => this.setSpeed(Number(this.speeds.value)));
    const filters = (Object.keys(this.marks) as (keyof Marks)[]).map((name) => {
      const box = h('input', { type: 'checkbox', checked: true });
      box.addEventListener('change', () => {
        this.marks[name] = box.checked;
        this.changed();
      });
      return h('label', {}, box, name);
    });
    const app = h(
      'div',
      { class: 'app' },
      h('header', {}, h('h1', {}, 'Fragreel'), openButton, this.picker, this.recordings, this.about, h('label', {}, h('span', {}, 'View '), this.cameras), h('label', {}, h('span', {}, 'Follow '), this.follows), button('?', 'keys', () => this.help.showModal())),
      this.stages,
      h('aside', {}, this.tabs, this.body),
      h(
        'footer',
        {},
        this.timeline.element,
        button('‹ kill', 'last kill', () => this.actions.kill(-1), 'fine'),
        button('−1', 'one frame back', () => this.actions.frame(-1), 'fine'),
        this.play,
        button('+1', 'one frame on', () => this.actions.frame(1), 'fine'),
        button('kill ›', 'next kill', () => this.actions.kill(1), 'fine'),
        h('span', { class: 'fine' }, this.speeds),
        this.clocks,
        this.watching,
        this.liveButton,
        h('span', { class: 'space fine' }),
        this.sheet,
        h('button', { title: 'full screen', 'aria-label': 'full screen', class: 'compact', onclick: () => this.actions.whole() }, icon('whole')),
        h('details', { class: 'fine' }, h('summary', {}, 'marks'), h('div', { class: 'choices' }, ...filters)),
      ),
    );
    this.panels.forEach((panel, at) => {
      const tab = h('button', { role: 'tab', id: `tab-${panel.name}`, 'aria-controls': 'panel', onclick: () => this.choose(at) }, panel.title);
      this.tabs.append(tab);
    });
    this.tabs.addEventListener('keydown', (event) => {
      const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      if (!by) return;
      this.choose((this.panel + by + this.panels.length) % this.panels.length);
      (this.tabs.children[this.panel] as HTMLElement).focus();
      event.stopPropagation();
    });
    const rows = KEYS.map(([key, what]) => h('tr', {}, h('th', { scope: 'row' }, h('kbd', {}, key)), h('td', {}, what)));
    this.help.append(h('table', {}, h('caption', {}, 'Keys'), h('tbody', {}, ...rows)), h('form', { method: 'dialog' }, h('button', {}, 'Close')));
    this.root.append(app, this.help, this.live);
    this.choose(0);
    this.welcome();
    for (const kind of ['dragenter', 'dragover']) this.addEventListener(kind, (event) => (event.preventDefault(), app.classList.add('drop')));
    this.addEventListener('dragleave', () => app.classList.remove('drop'));
    this.addEventListener('drop', (event) => {
      event.preventDefault();
      app.classList.remove('drop');
      if (event.dataTransfer) void dropped(event.dataTransfer).then((files) => this.take(files));
    });
    this.stages.append(this.feed, this.hud, this.notice);
  }

  /** In a small viewer the panels come over the picture. */
  private openSheet(): void {
    const isOpen = this.root.querySelector('.app')!.classList.toggle('sheet');
    this.sheet.setAttribute('aria-expanded', String(isOpen));
    this.changed();
  }

  private welcome(): void {
    this.notice.replaceChildren(
      h('div', {}, 'Drop a recording of Quake, QuakeWorld, Quake II, Quake III or Half-Life here. It stays on this machine.'),
      h('button', { onclick: () => this.picker.click() }, 'Choose files…'),
    );
  }

  /** Files that somebody dropped or chose. */
  private async take(files: File[]): Promise<void> {
    const game = files.filter((file) => isMap(file.name) || isArchive(file.name) || isLoose(file.name));
    const recordings = files.filter((file) => !game.includes(file));
    if (recordings.length > MOST_AT_ONCE) this.chooseOf(recordings);
    else if (recordings.length) await this.open(recordings);
    if (game.length) await this.addMaps(game);
  }

  /** Of a whole folder one is chosen. */
  private chooseOf(files: File[]): void {
    this.notice.replaceChildren(offered(files, (file) => void this.open([file])));
  }

  /** Takes maps, those that the open recordings were played on, or the only one there is; and whatever textures of them there are. */
  addMaps(files: File[]): Promise<string[]> {
    return this.maps.add(files);
  }

  private choose(at: number): void {
    this.panel = at;
    const panel = this.panels[at]!;
    [...this.tabs.children].forEach((tab, index) => {
      tab.setAttribute('aria-selected', String(index === at));
      (tab as HTMLElement).tabIndex = index === at ? 0 : -1;
    });
    this.body.setAttribute('aria-labelledby', `tab-${panel.name}`);
    this.body.replaceChildren(panel.element);
    this.changed();
  }

  private firstToFollow(): number | null {
    const scene = this.stage?.scene;
    return scene?.view?.slot ?? scene?.players.find((player) => player.origin && !player.spectator)?.slot ?? null;
  }

  private readonly key = (event: KeyboardEvent) => {
    if (this.help.open) return;
    // other elements on somebody's page keep their keys
    const inside = event.composedPath().includes(this) || (this.ownsPage && event.target === document.body);
    if (inside && press(event, this.actions)) event.preventDefault();
  };

  private readonly actions = {
    toggle: () => this.toggle(),
    skip: (by: number) => this.seek(this.clock + by),
    frame: (by: number) => {
      const film = this.session?.film;
      if (!film) return;
      this.pause();
      const frame = Math.min(Math.max(film.frameAt(this.time) + by, 0), film.frameCount - 1);
      this.seekSession(film.tracks.times[frame] ?? 0);
    },
    speed: (by: 1 | -1) => {
      const at = SPEEDS.indexOf(Math.abs(this.speed));
      const speed = SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)]!;
      this.setSpeed(Math.sign(this.speed) * speed);
    },
    reverse: () => {
      this.setSpeed(-this.speed);
      if (!this.playing) this.toggle();
    },
    kill: (by: 1 | -1) => {
      const slot = this.look.followed;
      const found = neighbor(this.session?.events ?? [], this.time, by, (event) => isKill(event) && (slot === null || involves(event, slot)));
      if (found) this.seekSession(found.time);
      else this.say('no more kills');
    },
    round: (by: 1 | -1) => {
      const found = neighbor(this.session?.events ?? [], this.time, by, (event) => ['round', 'match', 'level'].includes(event.kind));
      if (found) this.seekSession(found.time);
    },
    player: (by: 1 | -1) => {
      const slots = this.stage?.scene?.players.filter((player) => !player.spectator).map((player) => player.slot) ?? [];
      if (!slots.length) return;
      const at = slots.indexOf(this.look.followed ?? -1);
      this.follow(slots[(at + by + slots.length) % slots.length]!);
    },
    nth: (number: number) => {
      const slots = this.stage?.scene?.players.filter((player) => !player.spectator).map((player) => player.slot) ?? [];
      this.follow(number === 0 ? null : (slots[number - 1] ?? this.look.followed));
    },
    camera: () => (this.camera = MODES[(MODES.indexOf(this.mode) + 1) % MODES.length]!),
    floor: () => {
      this.floorOnly = !this.floorOnly;
      this.changed();
    },
    heat: () => this.heatChoice.next(),
    trails: () => {
      this.look.trails = !this.look.trails;
      this.changed();
    },
    light: () => {
      this.look.light = !this.look.light;
      this.changed();
    },
    textures: () => {
      this.look.textures = !this.look.textures;
      this.changed();
    },
    whole: () => void (document.fullscreenElement ? document.exitFullscreen() : this.requestFullscreen?.()),
    mark: (end: 0 | 1) => {
      this.range[end] = this.time;
      const [from, to] = this.range;
      if (from !== null && to !== null && from > to) this.range = [to, from];
      this.changed();
    },
    ends: (end: 0 | 1) => this.seek(end ? this.duration : 0),
    help: () => this.help.showModal(),
  };
}

/** Fetches an address. Browsers do not tell a page why it may not read another origin. */
async function asked(address: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(address, { signal });
  } catch (error) {
    const { origin } = new URL(address, document.baseURI);
    if (signal.aborted || origin === location.origin) throw error;
    throw new Error(`${origin} is another origin: either this page's policy (connect-src) or that server (Access-Control-Allow-Origin) does not permit it`);
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

if (!customElements.get('fragreel-viewer')) customElements.define('fragreel-viewer', FragreelViewer);
