// The picture of one recording: a camera, what it sees, and how it is steered.

import type { Player, Scene } from '../data/scene';
import type { Box, Vector } from '../data/vector';
import type { Session } from '../data/session';
import { Camera, axes } from './camera';
import type { Mode } from '../data/link';
import { besides, ghostsOf } from '../data/ghosts';
import type { Pane } from '../store/pane';
import type { Store } from '../store/store';
import { h } from './dom';
import { type Footprint, blank, bounds, drawFootprint, footprint, placesIn, planning } from './footprint';
import { type Shown, drawOverlay } from './overlay';
import { HeatMap, heatWish } from './heat';
import { Display } from './display';
import { drawPenLines } from './penlines';
import { Plates } from './plates';
import { pointed } from './pointing';
import { Space } from './space';
import { Sharpness, flat } from './software';

/** The eye stays so far from a wall. */
const WALL = 12;
/** The area of a picture on which writing is as large as on the page. */
const USUAL = 960 * 540;
/** The plan of a level with more places is made between pictures, for this many milliseconds at a time. In a large recording, no seek waits for one. */
const [AT_ONCE, AT_ONCE_OF_LARGE, SLICE] = [100_000, 2000, 12];
/** So far behind who died. */
const OUTSIDE = 40;
/** Degrees that the view of who died lies on its side in Quake. */
const FALLEN = 80;

export class Stage {
  readonly element: HTMLElement;
  readonly canvas = h('canvas', { 'aria-hidden': 'true' });
  readonly ground = h('canvas', { 'aria-hidden': 'true' });
  space: Space | null;
  private readonly ending = new AbortController();
  readonly camera = new Camera();
  scene: Scene | null = null;
  /** Pixels of a picture that is not as large as its place on the page. */
  size: [number, number] | null = null;
  /** Whether the plan follows, until somebody drags it. */
  centered = false;
  private readonly context = flat(this.canvas);
  private readonly sharpness = new Sharpness();
  private readonly plates = new Plates();
  private readonly heat = new HeatMap();
  private readonly display = new Display();
  /** Whether the picture is read, so that names are drawn into it. */
  isRead = false;
  private readonly tag = h('div', { class: 'tag' });
  private readonly tip = h('div', { class: 'tip', hidden: true });
  /** Where a pointer rests on the picture. */
  private pointer: { x: number; y: number } | null = null;
  private plans = new Map<number, { plan: Footprint | null; frames: number }>();
  /** With more places, the plan of a level is made beside the pictures. */
  atOnce: number;
  /** The level whose plan is made, while it is. */
  private planned: number | null = null;
  /** Whether somebody chose what the plan shows. */
  private chosen = false;
  private level = -1;
  /** Whether one sees whom one follows though one sees through his eyes. */
  private isOutside = false;
  private held = new Set<string>();
  private pointers = new Map<number, { x: number; y: number }>();
  private pinch = 0;

  constructor(
    readonly pane: Pane,
    private readonly store: Store,
  ) {
    const { session } = pane;
    this.camera.mode = pane.camera;
    this.atOnce = session.isLarge ? AT_ONCE_OF_LARGE : AT_ONCE;
    this.element = h(
      'div',
      { class: 'stage', tabIndex: 0, role: 'img', 'aria-label': `picture of ${session.name}` },
      this.ground,
      this.canvas,
      this.plates.element,
      ...this.display.elements,
      this.tag,
      this.tip,
    );
    this.space = Space.on(this.ground, store.keep);
    this.steer();
    const { signal } = this.ending;
    // a graphics driver was started again, or other pages wanted all there is: until the context comes back, the plan is drawn without it
    const lost = (event: globalThis.Event) => {
      event.preventDefault();
      this.space = null;
      store.tell('picture');
    };
    const restored = () => {
      this.space = Space.on(this.ground, store.keep);
      store.tell('picture');
    };
    this.ground.addEventListener('webglcontextlost', lost, { signal });
    this.ground.addEventListener('webglcontextrestored', restored, { signal });
  }

  get session(): Session {
    return this.pane.session;
  }

  /** Gives back what the graphics card holds: browsers have few contexts. */
  close(): void {
    this.ending.abort();
    this.space?.close();
    this.space = null;
  }

  /** What the map is, as far as the recording shows it. */
  get box(): Box | null {
    return this.plan?.box ?? null;
  }

  private get plan(): Footprint | null {
    const level = this.scene?.level ?? 0;
    const { replay } = this.session;
    const known = this.plans.get(level);
    // of a recording that grows it is drawn again now and then
    if (known && replay.frameCount < known.frames * 1.25 + 20) return known.plan;
    if (known && this.planned === level) return known.plan;
    if (placesIn(replay, level) <= this.atOnce) return this.show(level, footprint(replay, level), replay.frameCount);
    void this.makePlan(level);
    if (known) return known.plan;
    const box = bounds(replay, level);
    const plan = box && blank(box);
    // the first picture does not wait for it
    this.plans.set(level, { plan, frames: 0 });
    return plan;
  }

  /** Whether the plan is still made. */
  get isPlanning(): boolean {
    return this.planned !== null;
  }

  private show(level: number, plan: Footprint | null, frames: number): Footprint | null {
    const isKnown = this.plans.has(level);
    this.plans.set(level, { plan, frames });
    if (plan && isKnown && !this.chosen && level === this.level) this.camera.fit(plan.box);
    return plan;
  }

  /** Makes the plan of a level with many places beside the pictures. */
  private async makePlan(level: number): Promise<void> {
    if (this.planned !== null) return;
    this.planned = level;
    const { replay } = this.session;
    const frames = replay.frameCount;
    try {
      const steps = planning(replay, level);
      for (;;) {
        for (const end = performance.now() + SLICE; performance.now() < end; ) {
          const { done, value } = steps.next();
          if (!done) continue;
          this.show(level, value, frames);
          return;
        }
        await new Promise((done) => setTimeout(done));
        if (this.ending.signal.aborted) return;
      }
    } finally {
      this.planned = null;
      this.store.tell('picture');
    }
  }

  setMode(mode: Mode): void {
    if (mode === 'free' && this.camera.mode !== 'free' && this.scene) {
      const followed = this.followed(this.scene);
      const middle = followed?.origin ?? this.middle();
      this.camera.eye = [middle[0], middle[1], middle[2] + 500];
      this.camera.angles = [60, followed?.angles?.[1] ?? 90, 0];
      this.camera.eye[0] -= Math.cos((this.camera.angles[1] * Math.PI) / 180) * 300;
      this.camera.eye[1] -= Math.sin((this.camera.angles[1] * Math.PI) / 180) * 300;
      this.camera.eye = this.inside(middle, this.camera.eye);
    }
    this.camera.mode = mode;
    if (mode !== 'eyes') this.camera.fov = 90;
  }

  private middle(): Vector {
    const box = this.box;
    return box
      ? [(box.min[0] + box.max[0]) / 2, (box.min[1] + box.max[1]) / 2, (box.min[2] + box.max[2]) / 2]
      : [0, 0, 0];
  }

  private followed(scene: Scene): Player | null {
    return scene.players.find((player) => player.slot === this.pane.followed) ?? null;
  }

  /** Fits the whole level into the picture. */
  fit(): void {
    const box = this.box;
    if (box) this.camera.fit(box);
  }

  /** Restores the first view. */
  reset(): void {
    this.chosen = false;
    this.centered = false;
    this.fit();
    const { mode } = this.camera;
    if (mode === 'free') {
      this.camera.mode = 'top';
      this.setMode(mode);
    }
    this.store.tell('picture');
  }

  /** Says what is under the pointer. */
  private point(): void {
    const { pointer, scene, camera, tip } = this;
    const found =
      pointer && scene && !this.pointers.size
        ? pointed(scene, this.session.replay, camera, pointer.x, pointer.y)
        : null;
    tip.hidden = !found;
    this.element.classList.toggle('points', found !== null && found.slot !== null);
    if (!found || !pointer) return;
    tip.textContent = found.text;
    const right = pointer.x > camera.width / 2;
    tip.style.left = right ? '' : `${pointer.x + 14}px`;
    tip.style.right = right ? `${camera.width - pointer.x + 14}px` : '';
    tip.style.top = `${Math.min(pointer.y + 10, camera.height - 30)}px`;
  }

  /** What plates and controls leave free, as the style sheet says it by the padding. */
  private measure(): void {
    const style = getComputedStyle(this.element);
    const of = (side: string) => Number.parseFloat(style.getPropertyValue(`padding-${side}`)) || 0;
    this.camera.free = this.size ? [0, 0, 0, 0] : [of('top'), of('right'), of('bottom'), of('left')];
  }

  resize(): void {
    const { size } = this;
    // what is written on a picture of another size is as large beside it as on one of this area
    const ratio = size ? Math.sqrt((size[0] * size[1]) / USUAL) : Math.min(window.devicePixelRatio || 1, 2);
    const [clientWidth, clientHeight] = size
      ? [size[0] / ratio, size[1] / ratio]
      : [this.element.clientWidth, this.element.clientHeight];
    const [width, height] = [
      Math.max(1, Math.round(clientWidth * ratio)),
      Math.max(1, Math.round(clientHeight * ratio)),
    ];
    if (this.canvas.width !== width || this.canvas.height !== height) {
      const first = this.camera.width <= 1;
      [this.canvas.width, this.canvas.height] = [width, height];
      [this.camera.width, this.camera.height] = [clientWidth || 1, clientHeight || 1];
      this.measure();
      if (first || !this.chosen) this.fit();
    }
    const part = this.sharpness.scale(this.store.moves, performance.now());
    const [wide, high] = [Math.max(1, Math.round(width * part)), Math.max(1, Math.round(height * part))];
    if (this.ground.width !== wide || this.ground.height !== high)
      [this.ground.width, this.ground.height] = [wide, high];
  }

  draw(time: number, elapsed: number): void {
    const { session, camera, context, store, pane } = this;
    const { world } = store;
    const look: Shown = { ...store.look, followed: pane.followed };
    this.resize();
    const scene = session.replay.sceneAt(time);
    this.scene = scene;
    this.pane.scene = scene;
    if (scene.level !== this.level) {
      this.level = scene.level;
      this.fit();
    }
    this.fly(elapsed);
    this.aim(scene);
    camera.update();
    const followed = this.followed(scene);
    const floor = store.look.floorOnly && followed?.origin ? followed.origin[2] : null;
    const map = this.space ? world.at(session, scene.time) : null;
    this.space?.setGround(map ?? (camera.isFlat ? null : this.plan));
    const source = {
      replay: session.replay,
      rays: map && world.raysAt(session, scene.time),
      models: look.textures ? world.models : null,
      stands: session.info.family === 'goldsrc' ? 36 : 24,
      isOutside: this.isOutside,
      sharpness: this.ground.width / this.canvas.width,
    };
    this.space?.draw(
      scene,
      camera,
      this.ground.width,
      this.ground.height,
      floor === null ? null : floor + 64,
      look,
      source,
    );
    const ghosts = [
      ...ghostsOf(store.selection.sessions, session, scene, store.clock.now),
      ...besides(store.beside, session, scene.time),
    ];
    const isOver = !camera.isFlat && !ghosts.length;
    const [isShown, isEyes] = [isOver && !this.isRead, camera.mode === 'eyes'];
    this.plates.show(
      isShown && look.names ? scene.players.filter((player) => !isEyes || player.slot !== look.followed) : [],
      camera,
      isShown && isEyes,
    );
    this.canvas.hidden = isOver;
    if (!isOver || this.isRead) {
      const ratio = this.canvas.width / camera.width;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, camera.width, camera.height);
      if (camera.isFlat) {
        if (this.plan && !map) drawFootprint(context, this.plan, camera, floor);
        const wish = heatWish(store, pane);
        if (wish) this.heat.draw(context, camera, session, wish);
      }
      drawOverlay(context, scene, camera, session.replay, look, ghosts);
      if (camera.isFlat) drawPenLines(context, store.pens, camera, scene.time, scene.level);
    }
    this.display.update(session, scene, pane.followed);
    this.point();
  }

  /** What lies over the picture: how the match stands, kills, and the followed player. */
  get over(): HTMLElement[] {
    return this.display.elements;
  }

  /** Shows less of the plan, or more. */
  zoom(factor: number): void {
    this.chosen = true;
    if (this.camera.isFlat) this.camera.zoom(factor);
    this.store.tell('picture');
  }

  label(text: string): void {
    this.tag.textContent = text;
  }

  /** Puts the camera where the followed player wants it. */
  private aim(scene: Scene): void {
    const { camera } = this;
    const followed = this.followed(scene);
    if (camera.isFlat) {
      if (this.centered && followed?.origin) camera.lookAt(followed.origin[0], followed.origin[1]);
      return;
    }
    if (camera.mode === 'free') return;
    const view =
      scene.view && (scene.view.slot === followed?.slot || (!followed && camera.mode === 'eyes')) ? scene.view : null;
    const origin: Vector | null =
      view?.origin ??
      (followed?.origin
        ? [followed.origin[0], followed.origin[1], followed.origin[2] + (followed.crouching ? 12 : 24)]
        : null);
    const angles = view?.angles ?? followed?.angles ?? null;
    if (!origin) return;
    this.isOutside = camera.mode === 'eyes' && followed?.alive === false && this.session.info.family === 'quake3';
    if (this.isOutside) {
      // Quake III looks at who died from behind
      camera.angles = [(angles?.[0] ?? 0) / 2, angles?.[1] ?? 0, 0];
      const [forward] = axes(camera.angles);
      const from: Vector = [origin[0], origin[1], origin[2] + 8];
      camera.eye = this.inside(from, [
        from[0] - forward[0] * OUTSIDE,
        from[1] - forward[1] * OUTSIDE,
        from[2] - forward[2] * OUTSIDE,
      ]);
      camera.fov = view?.fov ?? 90;
      return;
    }
    if (camera.mode === 'eyes') {
      camera.eye = origin;
      if (angles) {
        // what knocks the view aside is stated apart from where the player looks
        const kick = view && followed ? this.session.replay.handOf(followed.slot, scene)?.kick : null;
        camera.angles = angles.map((angle, axis) => angle + (kick?.[axis] ?? 0)) as Vector;
        if (followed?.alive === false && this.session.info.family === 'quake1') camera.angles[2] = FALLEN;
      }
      camera.fov = view?.fov ?? 90;
      return;
    }
    const yaw = angles?.[1] ?? camera.angles[1];
    camera.angles = [25, yaw, 0];
    const [forward] = axes(camera.angles);
    camera.eye = this.inside(origin, [
      origin[0] - forward[0] * 180,
      origin[1] - forward[1] * 180,
      origin[2] - forward[2] * 180,
    ]);
  }

  /** A place for the eye on the way from somebody, on his side of walls and ceilings. */
  private inside(from: Vector, to: Vector): Vector {
    const rays = this.scene && this.store.world.raysAt(this.session, this.scene.time);
    const length = Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    const free = rays?.free(from, to) ?? 1;
    if (free === 1) return to;
    const part = Math.max(0, free - WALL / length);
    return [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part, from[2] + (to[2] - from[2]) * part];
  }

  /** Moves a free camera by the keys that are held. */
  private fly(elapsed: number): void {
    if (this.camera.mode !== 'free' || !this.held.size) return;
    const [forward, left, up] = axes(this.camera.angles);
    const way: Vector = [0, 0, 0];
    const add = (axis: Vector, by: number) => axis.forEach((value, at) => (way[at] += value * by));
    if (this.held.has('w')) add(forward, 1);
    if (this.held.has('s')) add(forward, -1);
    if (this.held.has('a')) add(left, 1);
    if (this.held.has('d')) add(left, -1);
    if (this.held.has('e')) add(up, 1);
    if (this.held.has('q')) add(up, -1);
    const speed = (this.held.has('shift') ? 1400 : 500) * (elapsed / 1000);
    way.forEach((value, at) => (this.camera.eye[at] += value * speed));
    this.store.tell('picture');
  }

  /** Whether a drag draws. */
  private get draws(): boolean {
    return this.store.pens.tool !== null && this.camera.isFlat;
  }

  /** Whether the camera is the followed player's. */
  private get isGuided(): boolean {
    return this.camera.mode === 'eyes' || this.camera.mode === 'behind';
  }

  /** A gamepad moves the camera: parts of the full way of each stick. */
  push(move: [number, number], look: [number, number], elapsed: number): void {
    const { camera } = this;
    const part = elapsed / 1000;
    if (camera.isFlat) {
      this.chosen = true;
      this.centered = false;
      camera.center = [
        camera.center[0] + (move[0] * 600 * part) / camera.scale,
        camera.center[1] - (move[1] * 600 * part) / camera.scale,
      ];
      if (look[1]) camera.zoom(Math.exp(-look[1] * 1.5 * part));
    } else if (camera.mode === 'free') {
      const [forward, left] = axes(camera.angles);
      camera.eye = camera.eye.map(
        (value, axis) => value + (-forward[axis] * move[1] - left[axis] * move[0]) * 600 * part,
      ) as Vector;
      camera.angles = [
        Math.min(89, Math.max(-89, camera.angles[0] + look[1] * 120 * part)),
        camera.angles[1] - look[0] * 150 * part,
        0,
      ];
    } else return;
    this.store.tell('picture');
  }

  /** On a page of somebody else, the wheel is the viewer's while it has the focus. */
  private get takesWheel(): boolean {
    const { host } = this.element.getRootNode() as ShadowRoot;
    return this.store.ownsPage || host?.matches(':focus-within') || document.fullscreenElement === host;
  }

  private steer(): void {
    const { element, camera, store, pane } = this;
    element.addEventListener(
      'wheel',
      (event) => {
        if (!this.takesWheel) return;
        event.preventDefault();
        const factor = Math.exp(-event.deltaY * 0.0015);
        this.chosen = true;
        if (camera.isFlat) camera.zoom(factor, event.offsetX, event.offsetY);
        else if (camera.mode === 'free') {
          const [forward] = axes(camera.angles);
          forward.forEach((value, at) => (camera.eye[at] += value * -event.deltaY));
        }
        this.store.tell('picture');
      },
      { passive: false },
    );
    let pressed: { x: number; y: number } | null = null;
    element.addEventListener('pointerdown', (event) => {
      store.selection.choose(pane);
      pressed = { x: event.offsetX, y: event.offsetY };
      this.chosen = true;
      this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      element.setPointerCapture(event.pointerId);
      this.pinch = 0;
      if (this.draws && this.scene)
        store.pens.begin(this.scene.time, this.scene.level, camera.unproject(event.offsetX, event.offsetY));
    });
    element.addEventListener('pointermove', (event) => {
      const last = this.pointers.get(event.pointerId);
      this.pointer = event.pointerType === 'mouse' ? { x: event.offsetX, y: event.offsetY } : null;
      if (!last) {
        this.store.tell('picture');
        return;
      }
      const [dx, dy] = [event.offsetX - last.x, event.offsetY - last.y];
      this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      if (this.pointers.size === 2 && camera.isFlat) {
        const [a, b] = [...this.pointers.values()] as [{ x: number; y: number }, { x: number; y: number }];
        const apart = Math.hypot(a.x - b.x, a.y - b.y);
        if (this.pinch) camera.zoom(apart / this.pinch, (a.x + b.x) / 2, (a.y + b.y) / 2);
        this.pinch = apart;
      } else if (this.draws && this.scene) {
        const at = camera.unproject(event.offsetX, event.offsetY);
        store.pens.move(at, this.scene.time, this.scene.level, camera.scale);
      } else if (camera.isFlat) {
        if (Math.hypot(dx, dy) > 0) this.centered = false;
        camera.center = [camera.center[0] - dx / camera.scale, camera.center[1] + dy / camera.scale];
      } else if (camera.mode === 'free') {
        camera.angles = [Math.min(89, Math.max(-89, camera.angles[0] + dy * 0.25)), camera.angles[1] - dx * 0.25, 0];
      }
      this.store.tell('picture');
    });
    const up = (event: PointerEvent) => {
      this.pointers.delete(event.pointerId);
      this.pinch = 0;
      store.pens.end();
    };
    element.addEventListener('pointerup', (event) => {
      up(event);
      // a press without a way is a click
      const isClick =
        pressed && !this.pointers.size && Math.hypot(event.offsetX - pressed.x, event.offsetY - pressed.y) < 4;
      const found =
        isClick && this.scene && !this.draws
          ? pointed(this.scene, this.session.replay, camera, event.offsetX, event.offsetY)
          : null;
      if (found && found.slot !== null) store.selection.follow(found.slot, pane);
      else if (isClick && event.pointerType === 'mouse' && this.isGuided)
        store.tell('nextPlayer', event.button === 2 ? -1 : 1);
      pressed = null;
    });
    element.addEventListener('pointerleave', () => {
      this.pointer = null;
      this.store.tell('picture');
    });
    // as in the games: the first button follows the next player, the second one the last
    element.addEventListener('contextmenu', (event) => this.isGuided && event.preventDefault());
    element.addEventListener('dblclick', () => this.isGuided || this.reset());
    element.addEventListener('pointercancel', up);
    element.addEventListener('keydown', (event) => {
      if (camera.mode !== 'free' || event.ctrlKey || event.metaKey || event.altKey) return;
      const key = event.key.toLowerCase();
      if (!['w', 'a', 's', 'd', 'q', 'e', 'shift'].includes(key)) return;
      this.held.add(key);
      if (key !== 'shift') event.stopPropagation();
      this.store.tell('picture');
    });
    element.addEventListener('keyup', (event) => this.held.delete(event.key.toLowerCase()));
    element.addEventListener('blur', () => this.held.clear());
  }
}
