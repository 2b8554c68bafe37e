// The viewer's parts, and what is done with them together. What pages see of it is in element.ts.

import { messageOf } from './data/reason';
import type { Player, Scene } from './data/scene';
import { ENDING, readComments } from './data/comments';
import { watched } from './data/director';
import { ghostsOf } from './data/ghosts';
import { Library } from './open/library';
import type { Moment, Mode } from './data/link';
import { Reporter } from './data/reporter';
import type { Session } from './data/session';
import { isArchive, isLoose, isMap, isPack } from './maps/archive';
import { dropped, recordingsIn } from './files/dropped';
import type { Level } from './maps/format';
import type { Rays } from './maps/rays';
import { MapStore } from './open/mapstore';
import type { ModelStore } from './files/modelstore';
import { chartsPanel } from './panel/charts';
import { clipPanel } from './panel/clip';
import { commentsPanel } from './panel/comments';
import { comparePanel } from './panel/compare';
import { duelsPanel } from './panel/duels';
import { heatPanel } from './panel/heat';
import { chatPanel, happenedPanel } from './panel/lists';
import { movementPanel } from './panel/movement';
import { playersPanel } from './panel/players';
import { resultsPanel } from './panel/results';
import { valuesPanel } from './panel/values';
import type { Clock } from './store/clock';
import type { Look } from './store/look';
import { Store } from './store/store';
import { actionsOf } from './view/actions';
import { camcorder } from './view/camcorder';
import { Chrome } from './view/chrome';
import { h } from './view/dom';
import { Notice, type Sample } from './view/notice';
import { MOST_AT_ONCE } from './view/offer';
import { Pad } from './view/gamepad';
import type { Panel } from './view/panel';
import { Pip } from './view/pip';
import { Sounds } from './view/sounds';
import type { Stage } from './view/stage';
import { Stages } from './view/stages';
import style from './view/style.css?inline';
import tokens from './view/tokens.css?inline';

/** Topics after which the picture is another one. */
const CHANGES = ['comments', 'clock', 'selection', 'look', 'content', 'files', 'picture', 'panes'] as const;

/** Rules for a page as rules for the element. */
const atHost = (css: string): string =>
  css.replace(/:root(\[[^\]]*\])?/g, (_, attribute: string | undefined) =>
    attribute ? `:host(${attribute})` : ':host',
  );

export abstract class Viewer extends HTMLElement {
  readonly store = new Store();
  protected readonly library = new Library(this.store);
  protected readonly mapStore = new MapStore(this.store);
  readonly notice = new Notice(this.store);
  protected readonly reporter = new Reporter(this);
  readonly sounds = new Sounds((name) => this.store.world.find(name));
  private heardUntil = 0;
  private readonly pictures = new Stages(this.store);
  protected readonly panels: Panel[] = [
    playersPanel(this.store),
    happenedPanel(this.store),
    chatPanel(this.store),
    commentsPanel(this.store),
    resultsPanel(this.store),
    chartsPanel(this.store),
    heatPanel(this.store),
    duelsPanel(this.store),
    movementPanel(this.store),
    comparePanel(this.store),
    clipPanel(
      this.store,
      camcorder(
        this.store,
        () => this.stage,
        (milliseconds) => this.advance(milliseconds),
      ),
      () => this.link(),
      () => this.address,
    ),
    valuesPanel(this.store),
  ];
  private readonly pad = new Pad();
  protected readonly pip = new Pip(() => this.tick());
  protected readonly actions = actionsOf(
    this.store,
    this,
    () =>
      void this.pip.toggle().then(
        () => this.store.tell('picture'),
        (error: unknown) => this.store.tell('said', String(error)),
      ),
  );
  /** What is shown until it plays. */
  private readonly poster = h('img', { class: 'poster', alt: '', hidden: true });
  readonly chrome = new Chrome(this.store, this.pictures.element, this.panels, this.actions);
  private readonly heard = h('div', { class: 'hidden', 'aria-live': 'polite' });
  private readonly root = this.attachShadow({ mode: 'open' });
  protected readonly resized = new ResizeObserver(() => this.store.tell('picture'));
  private dirty = true;
  protected wish: Moment = {};
  /** Where what is open came from, for links; nothing where it is a file of this disk. */
  protected address = '';

  constructor() {
    super();
    const { store, root } = this;
    root.adoptedStyleSheets = [atHost(tokens), style].map((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return sheet;
    });
    const { element, help } = this.chrome;
    root.append(element, help, this.heard);
    this.pictures.element.append(this.notice.element);
    for (const topic of CHANGES) store.on(topic, () => (this.dirty = true));
    this.hearStore();
    this.notice.open = (address) => void this.openAddress(address);
    this.notice.welcome();
    this.takeDrops(element);
  }

  abstract open(files: Iterable<File>, beside?: boolean): Promise<void>;
  abstract openAddress(address: string, beside?: boolean): Promise<void>;
  abstract addMaps(files: File[]): Promise<string[]>;
  abstract link(): string;

  private hearStore(): void {
    const { store } = this;
    store.on('said', (text) => (this.heard.textContent = text));
    store.on('failed', (message) => this.reporter.send('fragreel-error', { message }));
    store.on('missed', (message) => this.reporter.send('fragreel-error', { message }));
    store.on('given', (files) => void this.take(files));
    store.on('files', () => this.sounds.refresh());
    store.on('look', () => this.sounds.turn(store.look.sounds));
    store.on('nextPlayer', (by) => this.actions.player(by));
    store.on('followed', (pane) => {
      const slot = pane.followed;
      const player = pane.scene?.players.find((one) => one.slot === slot);
      const name = player?.name?.clean ?? null;
      store.tell('said', slot === null ? 'following nobody' : `following ${name ?? `slot ${slot}`}`);
      if (pane === store.selection.pane) this.reporter.follows(slot, name);
    });
    store.on('opened', ({ session, beside }) => this.adopted(session, beside));
    store.on('ready', (session) => {
      this.begin(session);
      this.reporter.send('fragreel-ready', { name: session.name, info: session.info });
    });
  }

  private takeDrops(app: HTMLElement): void {
    const dragged = (event: Event) => {
      event.preventDefault();
      app.classList.add('drop');
    };
    for (const kind of ['dragenter', 'dragover']) this.addEventListener(kind, dragged);
    this.addEventListener('dragleave', () => app.classList.remove('drop'));
    this.addEventListener('drop', (event) => {
      event.preventDefault();
      app.classList.remove('drop');
      if (event.dataTransfer) void dropped(event.dataTransfer).then((files) => this.take(files));
    });
  }

  // --- what pages may use, and tests ---

  /** Time since the first frame of the recording that is shown, in milliseconds. */
  get time(): number {
    return this.store.clock.own;
  }

  /** Length of everything that is open, on the common clock. */
  get duration(): number {
    return this.store.selection.duration;
  }

  get playing(): boolean {
    return this.store.clock.playing;
  }

  get speed(): number {
    return this.store.clock.speed;
  }

  set speed(speed: number) {
    // frameworks set what stands in the page's markup
    this.setSpeed(Number(speed) || 1);
  }

  get followed(): number | null {
    return this.store.selection.followed;
  }

  set followed(slot: number | null) {
    this.follow(slot);
  }

  get camera(): Mode {
    return this.store.selection.camera;
  }

  set camera(mode: Mode) {
    this.store.selection.setCamera(mode);
  }

  get directed(): boolean {
    return this.store.selection.directed;
  }

  set directed(directed: boolean) {
    this.store.selection.direct(directed);
  }

  get range(): [number | null, number | null] {
    return this.store.clock.range;
  }

  set range(range: [number | null, number | null]) {
    this.store.clock.setRange(range);
  }

  get ownsPage(): boolean {
    return this.store.ownsPage;
  }

  set ownsPage(owns: boolean) {
    this.store.ownsPage = owns;
  }

  get keep(): boolean {
    return this.store.keep;
  }

  set keep(keep: boolean) {
    this.store.keep = keep;
  }

  get manual(): boolean {
    return this.store.manual;
  }

  set manual(manual: boolean) {
    this.store.manual = manual;
  }

  get sessions(): readonly Session[] {
    return this.store.selection.sessions;
  }

  get session(): Session | null {
    return this.store.selection.session;
  }

  get stage(): Stage | null {
    return this.pictures.stage;
  }

  get look(): Look {
    return this.store.look;
  }

  get transport(): Clock {
    return this.store.clock;
  }

  get models(): ModelStore | null {
    return this.store.world.models;
  }

  seek(time: number): void {
    this.store.clock.seek(time);
  }

  seekSession(time: number): void {
    this.store.clock.seekOwn(time);
  }

  pause(): void {
    this.store.clock.pause();
  }

  toggle(): void {
    this.store.clock.toggle();
  }

  setSpeed(speed: number): void {
    this.store.clock.setSpeed(speed);
  }

  follow(slot: number | null): void {
    this.store.selection.follow(slot);
  }

  map(session: Session, time: number): Level | null {
    return this.store.world.at(session, time);
  }

  rays(session: Session, time: number): Rays | null {
    return this.store.world.raysAt(session, time);
  }

  ghosts(session: Session, scene: Scene): Player[] {
    return ghostsOf(this.sessions, session, scene, this.store.clock.now);
  }

  changed(): void {
    this.store.tell('picture');
  }

  /** Goes to a moment, now or as soon as a recording is there. */
  goTo(moment: Moment): void {
    const { session, store } = this;
    if (!session) {
      this.wish = { ...this.wish, ...moment };
      return;
    }
    if (moment.time !== undefined) this.seekSession(moment.time);
    if (moment.range) this.range = [...moment.range];
    if (moment.speed !== undefined) this.setSpeed(moment.speed);
    if (moment.follow !== undefined) {
      const wanted = moment.follow;
      const scene = session.replay.sceneAt(this.time);
      const found = scene.players.find(
        (player) =>
          player.slot === wanted ||
          (typeof wanted === 'string' && player.name?.clean.toLowerCase() === wanted.toLowerCase()),
      );
      this.follow(found?.slot ?? (typeof wanted === 'number' ? wanted : null));
    }
    if (moment.camera) store.selection.setCamera(moment.camera);
    if (moment.directed) store.selection.direct(true);
  }

  /** Lets time pass, for tests and for pages with a clock of their own. */
  advance(milliseconds: number): void {
    const from = this.time;
    this.store.clock.advance(milliseconds);
    if (this.session && this.time > from) this.reporter.passed(this.session.events, from, this.time);
    this.repeat();
    this.render(milliseconds);
  }

  /** Offers recordings to try on the first screen. */
  offerSamples(samples: Sample[], picture = ''): void {
    this.notice.samples = { all: samples, picture };
    if (this.store.selection.isEmpty && !this.store.selection.isBusy) this.notice.welcome();
  }

  // --- what is done with several parts ---

  /** Files that somebody dropped or chose. */
  private async take(given: File[]): Promise<void> {
    const comments = given.filter(({ name }) => name.toLowerCase().endsWith(ENDING));
    const files = given.filter((file) => !comments.includes(file));
    if (files.length) await this.takeFiles(files);
    for (const file of comments) await this.comment(file);
  }

  /** Comments belong to the recording that they name, or to the one that is shown. */
  private async comment(file: File): Promise<void> {
    const { store, sessions } = this;
    try {
      const { recording, map, comments, lines } = await readComments(file);
      const session = sessions.find(({ name }) => name === recording) ?? this.session;
      if (!session) throw new Error('drop it with its recording');
      if (map && !session.info.maps.includes(map)) throw new Error(`it is about ${recording} on ${map}`);
      session.comments = comments;
      store.pens.set(lines);
      store.tell('comments');
      store.tell('said', `${comments.length} comments`);
    } catch (error) {
      store.tell('failed', `${file.name}: ${messageOf(error)}`);
    }
  }

  /** Drops are looked into one after the other, as they came. */
  private looking: Promise<unknown> = Promise.resolve();

  private async takeFiles(files: File[]): Promise<void> {
    const looked = this.looking.then(() => Promise.all(files.map(recordingsIn)));
    this.looking = looked;
    const inside = await looked;
    const isOfGame = (file: File, at: number) =>
      !inside[at].why && (isMap(file.name) || isArchive(file.name) || isLoose(file.name));
    // an archive with recordings counts as recordings, unless other game files come with it: then the user means to drop game files
    const isGiven = files.some((file, at) => !inside[at].files.length && isOfGame(file, at));
    if (isGiven) files.forEach((file, at) => isPack(file.name) && inside[at].files.splice(0));
    const game = files.filter((file, at) => !inside[at].files.length && isOfGame(file, at));
    const recordings = files.flatMap((file, at) =>
      inside[at].files.length ? inside[at].files : game.includes(file) || inside[at].why ? [] : [file],
    );
    const whys = recordings.length ? [] : inside.flatMap(({ why }) => why || []);
    // what an earlier drop's maps lack is said before it
    if (whys.length) await this.mapStore.settled();
    for (const why of whys) this.store.tell('failed', why);
    if (recordings.length > MOST_AT_ONCE) this.notice.choose(recordings, (file) => void this.open([file]));
    else if (recordings.length) await this.open(recordings);
    if (game.length) await this.addMaps(game);
  }

  private adopted(session: Session, beside: boolean): void {
    const { store } = this;
    this.reporter.reset();
    if (!beside) {
      // they were drawn on another level
      store.pens.clear();
      const wish = this.wish;
      this.wish = {};
      this.isWished = wish.time !== undefined;
      if (session.replay.frameCount) this.render(0);
      // whose eyes it is, is whom one wants to see first
      const { pane } = store.selection;
      if (wish.follow === undefined && pane) {
        pane.followed = session.replay.sceneAt(0).view?.slot ?? null;
        store.tell('selection');
      }
      this.goTo(wish);
    }
    void this.mapStore.recall(session).then(() => this.mapStore.fetch(session, this.getAttribute('maps') ?? ''));
    if (!session.replay.frameCount)
      store.tell(
        'failed',
        `${session.name}: it has no frames to show${session.info.damage[0] ? `: ${session.info.damage[0].detail}` : ''}`,
      );
    this.reporter.send('fragreel-open', { name: session.name, info: session.info });
  }

  /** Whether somebody wanted a certain moment. */
  private isWished = false;

  /** All is known of the first recording: it begins with its match, and plays if the page wants that. */
  private begin(session: Session): void {
    const { clock, selection } = this.store;
    const isElsewhere = clock.now !== 0 && !this.isWished;
    if (this.manual || session !== selection.sessions[0] || selection.isLive || clock.playing || isElsewhere) return;
    if (!this.isWished && session.start > 0) clock.seekOwn(session.start);
    if (this.hasAttribute('autoplay')) clock.toggle();
  }

  /** A clip goes on from its start where the page wants that. */
  private repeat(): void {
    const { clock } = this.store;
    const [from, to] = clock.range;
    if (clock.playing && from !== null && to !== null && this.hasAttribute('loop') && clock.own >= to)
      clock.seekOwn(from);
  }

  private hear(): void {
    const { session, stage, sounds } = this;
    if (sounds.isOn && session && stage?.scene && this.playing)
      sounds.pass({
        replay: session.replay,
        from: this.heardUntil,
        scene: stage.scene,
        speed: this.speed,
        camera: stage.camera,
        followed: this.followed,
      });
    else sounds.stop();
    this.heardUntil = stage?.scene?.time ?? 0;
  }

  /** Goes where the next kill will be. */
  private direct(): void {
    const { selection, clock } = this.store;
    for (const pane of selection.panes) {
      if (!pane.directed) continue;
      const { session } = pane;
      const time = clock.now - session.offset;
      const scene = session.replay.sceneAt(time);
      const slot = watched(session.events, time, (one) =>
        scene.players.some((player) => player.slot === one && player.origin && !player.spectator),
      );
      if (slot === null || slot === pane.followed) continue;
      selection.follow(slot, pane);
      pane.directed = true;
    }
  }

  /** A picture until it plays. */
  protected showPoster(address: string): void {
    this.poster.src = address;
    this.poster.hidden = this.playing || this.time > 0;
    if (!this.poster.isConnected) this.notice.element.before(this.poster);
  }

  private last = 0;

  /** Another picture is due. */
  protected tick(now = performance.now()): void {
    const elapsed = this.last ? Math.min(now - this.last, 250) : 0;
    this.last = now;
    if (this.manual) return;
    const sticks = this.ownsPage || this.matches(':focus-within') ? this.pad.read(this.actions) : null;
    if (sticks) this.stage?.push(sticks.left, sticks.right, elapsed);
    this.advance(elapsed);
  }

  private render(elapsed: number): void {
    if (!this.dirty && !this.playing) return;
    this.dirty = false;
    this.direct();
    if (this.playing || this.time > 0) this.poster.hidden = true;
    const { stage: small } = this;
    const isSmall = this.pip.isOn && small;
    if (isSmall) small.isRead = true;
    this.pictures.draw(elapsed);
    if (isSmall) {
      this.pip.draw(small);
      small.isRead = false;
    }
    this.hear();
    this.chrome.update(!this.playing || this.manual);
    const { stage } = this;
    if (stage?.scene)
      this.reporter.moved(stage.scene, {
        time: this.time,
        duration: this.duration,
        playing: this.playing,
        speed: this.speed,
      });
  }
}
