// Keys, as in the engines' own demo players. They rest while somebody types, and never use Ctrl. Space plays and pauses whatever has the focus; Enter presses buttons.

export interface Actions {
  toggle(): void;
  skip(milliseconds: number): void;
  frame(by: number): void;
  speed(by: 1 | -1): void;
  reverse(): void;
  kill(by: 1 | -1): void;
  round(by: 1 | -1): void;
  player(by: 1 | -1): void;
  nth(number: number): void;
  camera(): void;
  floor(): void;
  heat(): void;
  trails(): void;
  light(): void;
  textures(): void;
  whole(): void;
  mark(end: 0 | 1): void;
  ends(end: 0 | 1): void;
  sounds(): void;
  four(): void;
  director(): void;
  draw(): void;
  small(): void;
  help(): void;
}

export const KEYS: [string, string][] = [
  ['Space or K', 'play, pause'],
  ['← →', '5 seconds back, forward; with Shift 1 second'],
  [', .', 'one frame back, forward'],
  ['[ ]', 'slower, faster'],
  ['R', 'play backwards'],
  ['J L', 'previous, next kill (of the followed player)'],
  ['N P', 'next, previous round, match or level'],
  ['Home End', 'start, end'],
  ['1 … 9', 'follow that player; 0 follows nobody'],
  ['X Z', 'follow the next, previous player'],
  ['V', 'next camera: plan, free, behind, eyes'],
  ['G', 'one view, four views'],
  ['Y', 'draw on the plan'],
  ['\\', 'picture in picture'],
  ['mouse buttons', 'behind or in the eyes: follow the next, previous player'],
  ['W A S D E Q', 'fly while the picture has the focus; Shift is faster'],
  ['M', "show only the followed player's floor"],
  ['T', 'trails'],
  ['B', 'light of the map, on and off'],
  ['C', 'textures of the map, on and off'],
  ['H', 'heat map'],
  ['I O', 'mark the start, the end of a clip'],
  ['U', 'sounds of the game files, on and off'],
  ['F', 'full screen'],
  ['?', 'these keys'],
];

/** Does what a key stands for. Returns whether it stands for something. */
export function press(event: KeyboardEvent, actions: Actions): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  const target = event.composedPath()[0] as HTMLElement;
  const range = target instanceof HTMLInputElement && target.type === 'range';
  if (
    !range &&
    (target instanceof HTMLInputElement ||
      target instanceof HTMLSelectElement ||
      target instanceof HTMLTextAreaElement ||
      target.isContentEditable)
  )
    return false;
  switch (event.key) {
    case ' ':
    case 'k':
      actions.toggle();
      return true;
    case 'ArrowLeft':
    case 'ArrowRight':
      if (target.getAttribute('role') === 'tab') return false;
      actions.skip((event.key === 'ArrowLeft' ? -1 : 1) * (event.shiftKey ? 1000 : 5000));
      return true;
    case ',':
      actions.frame(-1);
      return true;
    case '.':
      actions.frame(1);
      return true;
    case '[':
      actions.speed(-1);
      return true;
    case ']':
      actions.speed(1);
      return true;
    case 'Home':
      actions.ends(0);
      return true;
    case 'End':
      actions.ends(1);
      return true;
    case '\\':
      actions.small();
      return true;
    case '?':
      actions.help();
      return true;
  }
  if (/^[0-9]$/.test(event.key)) {
    actions.nth(Number(event.key));
    return true;
  }
  const letters: Record<string, () => void> = {
    r: () => actions.reverse(),
    j: () => actions.kill(-1),
    l: () => actions.kill(1),
    n: () => actions.round(1),
    p: () => actions.round(-1),
    x: () => actions.player(1),
    z: () => actions.player(-1),
    v: () => actions.camera(),
    m: () => actions.floor(),
    h: () => actions.heat(),
    t: () => actions.trails(),
    b: () => actions.light(),
    c: () => actions.textures(),
    g: () => actions.four(),
    u: () => actions.sounds(),
    y: () => actions.draw(),
    f: () => actions.whole(),
    i: () => actions.mark(0),
    o: () => actions.mark(1),
  };
  const action = letters[event.key.toLowerCase()];
  action?.();
  return !!action;
}
