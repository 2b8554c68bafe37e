// Tabs, each with one panel or several, and what is not given away.

import type { Store } from '../store/store';
import { h } from './dom';
import { type Icon, icon } from './icons';
import type { Panel } from './panel';

/** The panels of each tab, by their names. */
const TABS: { name: string; title: string; icon?: Icon; panels: string[] }[] = [
  { name: 'match', title: 'Match', panels: ['players'] },
  { name: 'events', title: 'Events', panels: ['events', 'chat', 'comments'] },
  { name: 'stats', title: 'Stats', panels: ['results', 'charts', 'duels', 'movement', 'compare'] },
  { name: 'map', title: 'Map', panels: ['heat'] },
  { name: 'clip', title: 'Clip', panels: ['clip'] },
  { name: 'inside', title: 'Inside', icon: 'more', panels: ['values'] },
];

export class Tabs {
  readonly elements: HTMLElement[];
  private readonly tabs = h('div', { role: 'tablist', 'aria-label': 'panels' });
  private readonly body = h('div', { role: 'tabpanel', tabIndex: 0, id: 'panel' });
  private at = 0;
  /** The panel of each tab that was chosen last. */
  private readonly chosen = TABS.map(() => 0);
  /** Panels that show something else now. They are filled when somebody looks at them. */
  private readonly stale = new Set<Panel>();
  /** Whether the panel that is shown is behind a curtain. */
  private isHidden = false;

  constructor(
    private readonly store: Store,
    private readonly panels: Panel[],
  ) {
    TABS.forEach(({ name, title, icon: picture }, at) =>
      this.tabs.append(
        h(
          'button',
          {
            role: 'tab',
            id: `tab-${name}`,
            'aria-controls': 'panel',
            title: picture ? title : undefined,
            'aria-label': title,
            class: picture ? 'bare' : '',
            onclick: () => this.show(at),
          },
          picture ? icon(picture) : title,
        ),
      ),
    );
    this.tabs.addEventListener('keydown', (event) => {
      const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      if (!by) return;
      this.show((this.at + by + TABS.length) % TABS.length);
      (this.tabs.children[this.at] as HTMLElement).focus();
      event.stopPropagation();
    });
    this.elements = [this.tabs, this.body];
    // another recording has another end
    store.on('opened', ({ beside }) => !beside && store.look.set({ spoilers: false }));
    for (const topic of ['opened', 'content', 'panes'] as const)
      store.on(topic, () => {
        for (const panel of panels) this.stale.add(panel);
        this.refresh();
      });
    store.on('look', () => this.isHidden !== this.hides && this.show(this.at));
    this.show(0);
  }

  private get panel(): Panel | undefined {
    const name = TABS[this.at].panels[this.chosen[this.at]];
    return this.panels.find((panel) => panel.name === name);
  }

  private get hides(): boolean {
    return (this.panel?.spoils ?? false) && !this.store.look.spoilers;
  }

  /** Shows a panel by its name. */
  choose(name: string): void {
    const at = TABS.findIndex(({ panels }) => panels.includes(name));
    if (at < 0) return;
    this.chosen[at] = TABS[at].panels.indexOf(name);
    this.show(at);
  }

  private show(at: number): void {
    this.at = at;
    [...this.tabs.children].forEach((tab, index) => {
      tab.setAttribute('aria-selected', String(index === at));
      (tab as HTMLElement).tabIndex = index === at ? 0 : -1;
    });
    this.body.setAttribute('aria-labelledby', `tab-${TABS[at].name}`);
    this.isHidden = this.hides;
    this.refresh();
    const curtain = () =>
      h(
        'div',
        { class: 'curtain' },
        h('p', {}, 'This shows how the match ends.'),
        h('button', { class: 'edge', onclick: () => this.store.look.set({ spoilers: true }) }, 'Show it'),
      );
    const parts = [this.choices(), this.isHidden ? curtain() : this.panel?.element];
    this.body.replaceChildren(...parts.filter((part): part is HTMLElement => !!part));
    this.store.tell('picture');
    this.update();
  }

  /** Which panel of several a tab shows. */
  private choices(): HTMLElement | null {
    const { panels } = TABS[this.at];
    if (panels.length < 2) return null;
    return h(
      'div',
      { class: 'segments', role: 'group', 'aria-label': 'part' },
      ...panels.map((name) =>
        h(
          'button',
          { 'aria-pressed': String(this.panel?.name === name), onclick: () => this.choose(name) },
          this.panels.find((panel) => panel.name === name)?.title ?? name,
        ),
      ),
    );
  }

  private refresh(): void {
    const { panel } = this;
    if (panel && !this.hides && this.stale.delete(panel)) panel.reset?.();
  }

  glide(): void {
    if (!this.hides) this.panel?.glide?.();
  }

  update(): void {
    if (!this.hides) this.panel?.update?.();
  }
}
