// The custom element: `<fragreel-viewer src="final.dm_68" t="1:23" pov="sarge">`.

import type { FragreelViewer as Public } from '../fragreel-viewer';
import { type Moment, read, seconds, write } from './data/link';
import { MOST_AT_ONCE, type Offered } from './view/offer';
import { Viewer } from './viewer';
import { press } from './view/keys';

/** `Public` is what the package's types say of it. */
export class FragreelViewer extends Viewer implements Public {
  static readonly observedAttributes = ['src', 't', 'pov', 'cam', 'clip', 'speed', 'maps', 'poster'];

  private request = 0;

  // --- what pages may use ---

  get src(): string {
    return this.getAttribute('src') ?? '';
  }

  set src(address: string) {
    this.setAttribute('src', address);
  }

  get theme(): string {
    return this.getAttribute('theme') ?? '';
  }

  set theme(theme: string) {
    this.setAttribute('theme', theme);
  }

  get controls(): string {
    return this.getAttribute('controls') ?? '';
  }

  set controls(controls: string) {
    this.setAttribute('controls', controls);
  }

  get maps(): string {
    return this.getAttribute('maps') ?? '';
  }

  set maps(addresses: string) {
    this.setAttribute('maps', addresses);
  }

  set layout(layout: 'one' | 'four') {
    if (this.session) this.store.selection.pick(layout === 'four' ? 'four' : 0);
    else this.store.selection.layout = layout;
  }

  /** Opens files: recordings take the place of those that are open, or stand beside them. */
  open(files: Iterable<File>, beside = false): Promise<void> {
    if (!beside) this.address = '';
    return this.library.open(files, beside);
  }

  /** Opens a recording by its address, at a moment. */
  openAddress(address: string, beside = false, moment?: Moment): Promise<void> {
    if (moment) this.wish = moment;
    if (!beside) this.address = new URL(address, document.baseURI).href;
    return this.library.openAddress(address, beside);
  }

  /** Opens recordings of one match beside each other. */
  async openSeveral(addresses: string[]): Promise<void> {
    for (const [at, address] of addresses.entries()) await this.openAddress(address, at > 0);
    this.store.selection.pick(this.sessions.length > 1 ? 'beside' : 0);
  }

  /** Shows a list of recordings to choose from; `about` is what is known of one. */
  offer(entries: Offered[]): void {
    const all = () => void this.openSeveral(entries.map((entry) => entry.src));
    this.notice.choose(
      entries,
      (entry) => void this.openAddress(entry.src),
      entries.length > 1 && entries.length <= MOST_AT_ONCE ? all : undefined,
    );
  }

  addMaps(files: File[]): Promise<string[]> {
    return this.mapStore.add(files);
  }

  /** Has one clock with a show that games watch, which takes what is done here. */
  conduct(address: string): void {
    this.store.clock.conduct(address);
  }

  /** Shows a recording while it is written, and each that follows it. */
  watch(address: string): void {
    this.library.watch(address);
  }

  /** An address of this origin, as links have it. */
  private get shared(): string | undefined {
    const { href } = new URL('.', document.baseURI);
    return this.address.startsWith(href) ? this.address.slice(href.length) : this.address || undefined;
  }

  link(): string {
    const moment: Moment = { time: this.time, camera: this.camera, directed: this.directed };
    if (this.followed !== null) moment.follow = this.followed;
    if (this.speed !== 1) moment.speed = this.speed;
    const [from, to] = this.range;
    if (from !== null && to !== null) moment.range = [from, to];
    const source = read(location.hash).source ?? this.shared;
    if (source) moment.source = source;
    return write(moment);
  }

  // --- life ---

  connectedCallback(): void {
    if (!this.hasAttribute('tabindex')) this.tabIndex = -1;
    const loop = (now: number) => {
      this.request = requestAnimationFrame(loop);
      this.tick(now);
    };
    this.request = requestAnimationFrame(loop);
    document.addEventListener('keydown', this.key);
    document.addEventListener('keyup', this.released);
    this.resized.observe(this);
    for (const name of ['speed', 'poster']) this.attributeChangedCallback(name, null, this.getAttribute(name));
    const source = this.getAttribute('src');
    // an element that was only moved has its recordings
    if (source && !this.sessions.length && !this.store.selection.isBusy)
      this.attributeChangedCallback('src', null, source);
  }

  disconnectedCallback(): void {
    cancelAnimationFrame(this.request);
    document.removeEventListener('keydown', this.key);
    document.removeEventListener('keyup', this.released);
    this.resized.disconnect();
    // a page that moves the element puts it back at once
    queueMicrotask(() => this.isConnected || this.release());
  }

  /** Gives back workers, contexts and connections. */
  private release(): void {
    this.store.clock.stop();
    this.library.close();
    this.mapStore.close();
    this.store.look.set({ sounds: false });
    this.pip.close();
    for (const panel of this.panels) panel.close?.();
    this.notice.welcome();
  }

  attributeChangedCallback(name: string, _old: string | null, value: string | null): void {
    if (!this.isConnected || value === null) return;
    const follow = (pov: string) => (/^\d+$/.test(pov) ? Number(pov) : pov);
    if (name === 'poster') {
      this.showPoster(new URL(value, document.baseURI).href);
    } else if (name === 't') {
      const time = seconds(value);
      if (time !== null) this.seekSession(time);
    } else if (name === 'speed') {
      const speed = Number(value);
      if (Number.isFinite(speed) && speed !== 0) this.setSpeed(Math.max(-16, Math.min(16, speed)));
    } else if (name === 'maps') {
      for (const session of this.sessions) void this.mapStore.fetch(session, value);
    } else if (name === 'pov') this.goTo({ follow: follow(value) });
    else if (name === 'cam' || name === 'clip') {
      this.goTo(read(`${name}=${value}`));
    } else if (name === 'src') {
      const time = seconds(this.getAttribute('t'));
      const pov = this.getAttribute('pov');
      const shown = read(`cam=${this.getAttribute('cam') ?? ''}&clip=${this.getAttribute('clip') ?? ''}`);
      const from = time ?? shown.range?.[0] ?? null;
      this.wish = {
        ...(from !== null && { time: from }),
        ...(pov && { follow: follow(pov) }),
        ...shown,
        ...this.wish,
      };
      void this.openAddress(value);
    }
  }

  /** Browsers press a button when Space is let go of, which plays here. */
  private readonly released = (event: KeyboardEvent) => {
    if (
      event.key === ' ' &&
      event.composedPath()[0] instanceof HTMLButtonElement &&
      event.composedPath().includes(this)
    )
      event.preventDefault();
  };

  private readonly key = (event: KeyboardEvent) => {
    if (this.chrome.help.open) return;
    // other elements on somebody's page keep their keys
    const inside = event.composedPath().includes(this) || (this.ownsPage && event.target === document.body);
    if (inside && press(event, this.actions)) event.preventDefault();
  };
}

if (!customElements.get('fragreel-viewer')) customElements.define('fragreel-viewer', FragreelViewer);
