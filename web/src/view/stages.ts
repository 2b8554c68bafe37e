// The pictures: one, those of several recordings beside each other, or one recording from four sides.

import { freeMap } from '../data/freemaps';
import type { Pane } from '../store/pane';
import type { Store } from '../store/store';
import { h } from './dom';
import { Stage } from './stage';

export class Stages {
  readonly stages: Stage[] = [];
  private readonly free = h('a', { class: 'free tag', target: '_blank', rel: 'noopener noreferrer', hidden: true });
  readonly element = h('main', { class: 'stages' }, this.free);

  constructor(private readonly store: Store) {
    store.on('panes', () => this.arrange());
    store.on('selection', () => {
      for (const stage of this.stages) {
        stage.setMode(stage.pane.camera);
        stage.element.classList.toggle('chosen', this.stages.length > 1 && stage.pane === store.selection.pane);
      }
    });
    store.on('followed', (pane) => {
      for (const stage of this.stages) if (stage.pane === pane) stage.centered = pane.followed !== null;
    });
    store.on('wanted', (what) => {
      if (what === 'whole level') this.stage?.reset();
      else if (what === 'closer') this.stage?.zoom(1.4);
      else if (what === 'further') this.stage?.zoom(1 / 1.4);
      else if (what === 'focus') this.stage?.element.focus();
    });
  }

  get stage(): Stage | null {
    const { pane } = this.store.selection;
    return this.stages.find((stage) => stage.pane === pane) ?? this.stages[0] ?? null;
  }

  private arrange(): void {
    const known = new Map<Pane, Stage>(this.stages.splice(0).map((stage) => [stage.pane, stage]));
    for (const pane of this.store.selection.panes) {
      this.stages.push(known.get(pane) ?? new Stage(pane, this.store));
      known.delete(pane);
    }
    for (const stage of known.values()) stage.close();
    this.element.dataset['layout'] = this.store.selection.layout;
    for (const old of this.element.querySelectorAll('.stage')) old.remove();
    this.element.prepend(...this.stages.map((stage) => stage.element));
  }

  draw(elapsed: number): void {
    const { clock } = this.store;
    for (const stage of this.stages) {
      stage.draw(clock.now - stage.session.offset, elapsed);
      stage.label(this.store.selection.layout === 'beside' ? stage.session.name : this.missing(stage));
    }
    this.offer();
  }

  /** Names a free source of a missing map. It is no part of a picture: that has nothing to press in it. */
  private offer(): void {
    const { stage } = this;
    const found =
      stage && this.store.selection.layout === 'one' && this.missing(stage) ? freeMap(stage.session.info) : null;
    this.free.hidden = !found;
    if (!found || this.free.href === found.address) return;
    this.free.href = found.address;
    this.free.textContent = found.text;
  }

  /** Asks for the map of a recording that has just been opened. */
  private missing({ session }: Stage): string {
    const [name] = session.info.maps;
    return this.store.clock.now === 0 && name && !this.store.world.at(session, 0)
      ? `${name}: drop its .bsp, .pak or .pk3 to see the level`
      : '';
  }
}
