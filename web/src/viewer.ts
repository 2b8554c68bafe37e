// The viewer's parts and how they work together. What pages see of it is in element.ts.

import type { Player, Scene } from './data/scene';
import { watched } from './data/director';
import { Library, type LibraryHost } from './data/library';
import type { Moment, Mode } from './data/link';
import { Reporter } from './data/reporter';
import type { Session } from './data/session';
import { type TransportHost, Transport } from './data/transport';
import { isArchive, isLoose, isMap } from './maps/archive';
import { dropped, recordingsIn } from './maps/dropped';
import type { Level } from './maps/format';
import type { Rays } from './maps/rays';
import { type MapHost, MapStore } from './files/mapstore';
import type { ModelStore } from './files/modelstore';
import { chartsPanel } from './panel/charts';
import { clipPanel } from './panel/clip';
import { duelsPanel } from './panel/duels';
import { heatPanel } from './panel/heat';
import { chatPanel, happenedPanel } from './panel/lists';
import { MOST_AT_ONCE } from './view/offer';
import type { App, Panel } from './view/panel';
import { playersPanel } from './panel/players';
import { resultsPanel } from './panel/results';
import { valuesPanel } from './panel/values';
import { actionsOf } from './view/actions';
import { camcorder } from './view/camcorder';
import type { Camera } from './view/camera';
import { Chrome, type ChromeHost } from './view/chrome';
import { Display } from './view/display';
import { h } from './view/dom';
import { Sounds } from './view/sounds';
import { Stages } from './view/stages';
import { HeatMap } from './view/heat';
import { Notice } from './view/notice';
import type { Look } from './view/overlay';
import type { Stage, Stageable } from './view/stage';
import style from './view/style.css?inline';

export abstract class Viewer
  extends HTMLElement
  implements App, ChromeHost, MapHost, LibraryHost, Stageable, TransportHost
{
  readonly look: Look = {
    followed: null,
    trails: true,
    names: true,
    things: true,
    light: true,
    textures: true,
    dark: true,
  };
  floorOnly = false;
  /** Whether the page is the viewer's own: keys and wheel are its without focus. */
  ownsPage = false;
  /** For tests and pictures: what was drawn can be read again, and time passes only by `advance`. */
  keep = false;
  manual = false;
  readonly transport = new Transport(this);
  readonly library = new Library(this);
  readonly notice = new Notice();
  protected readonly mapStore = new MapStore(this);
  protected readonly reporter = new Reporter(this);
  private isDirected = false;
  readonly sounds = new Sounds((name) => this.mapStore.find(name));
  private heardUntil = 0;
  private readonly pictures = new Stages(this, this.library);
  private readonly display = new Display();
  private readonly heatChoice = heatPanel(() => this.changed());
  private readonly heatMap = new HeatMap();
  protected readonly panels: Panel[] = [
    playersPanel(),
    happenedPanel(),
    chatPanel(),
    resultsPanel(),
    chartsPanel(),
    this.heatChoice,
    duelsPanel(),
    clipPanel(camcorder(this)),
    valuesPanel(),
  ];
  protected readonly actions = actionsOf(this);
  protected readonly chrome = new Chrome(this, this.panels, this.actions);
  private readonly heard = h('div', { class: 'hidden', 'aria-live': 'polite' });
  private readonly root = this.attachShadow({ mode: 'open' });
  protected readonly resized = new ResizeObserver(() => this.changed());
  private dirty = true;
  protected wish: Moment = {};
  /** The address of the recording that the first screen offers. */
  private sample = '';

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    this.root.adoptedStyleSheets = [sheet];
    const { app, help, stages } = this.chrome;
    this.root.append(app, help, this.heard);
    stages.append(...this.display.elements, this.notice.element);
    this.welcome();
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

  abstract open(files: Iterable<File>, beside?: boolean): Promise<void>;
  abstract openAddress(address: string, beside?: boolean): Promise<void>;
  abstract addMaps(files: File[]): Promise<string[]>;
  abstract link(): string;

  // --- the moment ---

  /** Time since the first frame of the recording that is shown, in milliseconds. */
  get time(): number {
    return this.transport.clock - this.offset;
  }

  /** Length of everything that is open, on the common clock. */
  get duration(): number {
    return this.library.duration;
  }

  get playing(): boolean {
    return this.transport.playing;
  }

  get speed(): number {
    return this.transport.speed;
  }

  set speed(speed: number) {
    // frameworks set what stands in the page's markup
    this.setSpeed(Number(speed) || 1);
  }

  get followed(): number | null {
    return this.look.followed;
  }

  set followed(slot: number | null) {
    this.follow(slot);
  }

  get camera(): Mode {
    return this.pictures.mode;
  }

  set camera(mode: Mode) {
    this.pictures.setMode(mode);
    if ((mode === 'behind' || mode === 'eyes') && this.look.followed === null) this.follow(this.firstToFollow());
    this.changed();
  }

  seek(time: number): void {
    this.transport.seek(time);
  }

  seekSession(time: number): void {
    this.seek(time + this.offset);
  }

  pause(): void {
    if (this.playing) this.toggle();
  }

  toggle(): void {
    this.transport.toggle();
  }

  setSpeed(speed: number): void {
    this.transport.setSpeed(speed);
  }

  /** Whether the one who makes the next kill is followed. */
  get directed(): boolean {
    return this.isDirected;
  }

  set directed(directed: boolean) {
    this.isDirected = directed;
    if (directed && this.camera === 'top') this.camera = 'behind';
    this.changed();
  }

  follow(slot: number | null): void {
    this.isDirected = false;
    this.look.followed = slot;
    for (const stage of this.pictures.stages) stage.centered = slot !== null;
    if (slot === null && (this.camera === 'behind' || this.camera === 'eyes')) this.camera = 'top';
    const player = this.stage?.scene?.players.find((one) => one.slot === slot);
    this.say(slot === null ? 'following nobody' : `following ${player?.name?.clean ?? `slot ${slot}`}`);
    this.reporter.follows(slot, player?.name?.clean ?? null);
    this.changed();
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
      const scene = session.replay.sceneAt(this.time);
      const found = scene.players.find(
        (player) =>
          player.slot === wanted ||
          (typeof wanted === 'string' && player.name?.clean.toLowerCase() === wanted.toLowerCase()),
      );
      this.follow(found?.slot ?? (typeof wanted === 'number' ? wanted : null));
    }
    if (moment.camera) this.camera = moment.camera;
  }

  /** Lets time pass, for tests and for pages with a clock of their own. */
  advance(milliseconds: number): void {
    const from = this.time;
    this.transport.advance(milliseconds);
    if (this.session && this.time > from) this.reporter.passed(this.session.events, from, this.time);
    this.render(milliseconds);
  }

  // --- what its parts ask for ---

  get sessions(): Session[] {
    return this.library.sessions;
  }

  get session(): Session | null {
    return this.library.session;
  }

  get stage(): Stage | null {
    return this.pictures.stage;
  }

  get offset(): number {
    return this.session?.offset ?? 0;
  }

  get range(): [number | null, number | null] {
    return this.transport.range;
  }

  set range(range: [number | null, number | null]) {
    this.transport.range = range;
  }

  get isEmpty(): boolean {
    return !this.session;
  }

  get grows(): boolean {
    return this.library.isLive && this.sessions.length > 0;
  }

  get over(): HTMLElement[] {
    return this.display.elements;
  }

  get moves(): boolean {
    return this.playing && !this.manual;
  }

  get takesWheel(): boolean {
    return this.ownsPage || this.matches(':focus-within') || document.fullscreenElement === this;
  }

  map(session: Session, time: number): Level | null {
    return this.mapStore.at(session, time);
  }

  get models(): ModelStore | null {
    return this.mapStore.hasArchives ? this.mapStore.models : null;
  }

  rays(session: Session, time: number): Rays | null {
    return this.mapStore.raysAt(session, time);
  }

  ghosts(session: Session, scene: Scene): Player[] {
    return this.pictures.ghosts(session, scene, this.transport.clock);
  }

  heat(session: Session): ((context: CanvasRenderingContext2D, camera: Camera) => void) | null {
    const wish = this.heatChoice.wish(this);
    return wish && ((context, camera) => this.heatMap.draw(context, camera, session, wish));
  }

  /** Sounds are off until somebody asks for them. */
  turnSounds(): void {
    this.sounds.turn(!this.sounds.isOn);
    this.say(this.sounds.isOn ? 'sounds are on' : 'sounds are off');
    this.changed();
  }

  dropped(): void {
    this.sounds.refresh();
  }

  nextHeat(): void {
    this.heatChoice.next();
  }

  showHelp(): void {
    this.chrome.help.showModal();
  }

  say(text: string): void {
    this.heard.textContent = text;
  }

  failed(text: string): void {
    this.notice.fail(text);
    this.reporter.send('fragreel-error', { message: text });
  }

  missed(text: string): void {
    this.reporter.send('fragreel-error', { message: text });
  }

  doubt(text: string, keep: () => void): void {
    this.notice.doubt(text, 'Remember it', keep);
  }

  changed(): void {
    this.dirty = true;
  }

  /** Files that somebody dropped or chose. */
  async take(files: File[]): Promise<void> {
    const inside = await Promise.all(files.map(recordingsIn));
    // an archive of recordings is none of game files
    const game = files.filter(
      (file, at) => !inside[at].length && (isMap(file.name) || isArchive(file.name) || isLoose(file.name)),
    );
    const recordings = files.flatMap((file, at) =>
      inside[at].length ? inside[at] : game.includes(file) ? [] : [file],
    );
    if (recordings.length > MOST_AT_ONCE) this.notice.choose(recordings, (file) => void this.open([file]));
    else if (recordings.length) await this.open(recordings);
    if (game.length) await this.addMaps(game);
  }

  pick(at: number | 'all'): void {
    this.library.sideBySide = at === 'all';
    if (at !== 'all') this.library.active = at;
    this.arrange();
    this.show();
  }

  adopted(session: Session, beside: boolean): void {
    if (!beside) [this.look.followed, this.isDirected] = [null, false];
    this.reporter.reset();
    if (!beside) this.chrome.reset();
    this.arrange();
    if (!beside) {
      const wish = this.wish;
      this.wish = {};
      if (session.replay.frameCount) this.render(0);
      // whose eyes it is, is whom one wants to see first
      if (wish.follow === undefined) this.follow(session.replay.sceneAt(0).view?.slot ?? null);
      for (const stage of this.pictures.stages) {
        stage.centered = false;
        stage.fit();
      }
      this.goTo(wish);
    }
    void this.mapStore.recall(session).then(() => this.mapStore.fetch(session, this.getAttribute('maps') ?? ''));
    this.show();
    if (!session.replay.frameCount)
      this.failed(
        `${session.name}: it has no frames to show${session.info.damage[0] ? `: ${session.info.damage[0].detail}` : ''}`,
      );
    this.reporter.send('fragreel-open', { name: session.name, info: session.info });
  }

  /** All is known of a recording. */
  ready(session: Session): void {
    this.reporter.send('fragreel-ready', { name: session.name, info: session.info });
  }

  show(): void {
    this.chrome.show();
    for (const panel of this.panels) panel.reset?.(this);
    this.changed();
  }

  protected arrange(): void {
    this.chrome.stages.replaceChildren(...this.pictures.arrange(), ...this.display.elements, this.notice.element);
    this.chrome.list(this.library);
    this.changed();
  }

  /** Offers a recording to try on the first screen. */
  offerSample(address: string): void {
    this.sample = address;
    if (this.isEmpty && !this.library.isBusy) this.welcome();
  }

  protected welcome(): void {
    this.notice.welcome(
      () => this.chrome.pickFiles(),
      this.sample ? () => void this.openAddress(this.sample) : undefined,
    );
  }

  private firstToFollow(): number | null {
    const scene = this.stage?.scene;
    return scene?.view?.slot ?? scene?.players.find((player) => player.origin && !player.spectator)?.slot ?? null;
  }

  private hear(): void {
    const { session, stage, sounds } = this;
    if (sounds.isOn && session && stage?.scene && this.playing)
      sounds.pass(session.replay, this.heardUntil, stage.scene, this.speed, stage.camera, this.look.followed);
    else sounds.stop();
    this.heardUntil = stage?.scene?.time ?? 0;
  }

  /** Goes where the next kill will be. */
  private direct(): void {
    const { session } = this;
    if (!this.isDirected || !session) return;
    const scene = session.replay.sceneAt(this.time);
    const slot = watched(session.events, this.time, (one) =>
      scene.players.some((player) => player.slot === one && player.origin && !player.spectator),
    );
    if (slot === null || slot === this.look.followed) return;
    this.follow(slot);
    this.isDirected = true;
  }

  private render(elapsed: number): void {
    if (!this.dirty && !this.playing) return;
    this.dirty = false;
    this.direct();
    this.pictures.draw(this.transport.clock, elapsed);
    const { session, stage } = this;
    this.hear();
    if (session && stage?.scene) this.display.update(session, stage.scene, this.look.followed);
    else this.display.clear();
    this.chrome.update(!this.playing || this.manual);
    if (stage?.scene)
      this.reporter.moved(stage.scene, {
        time: this.time,
        duration: this.duration,
        playing: this.playing,
        speed: this.speed,
      });
  }
}
