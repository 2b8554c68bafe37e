import type { Info, KillEvent } from './answers';

export type { Info, KillEvent } from './answers';

/** Where the camera is: above the level, free, behind the followed player, or in the player's eyes. */
export type Camera = 'top' | 'free' | 'behind' | 'eyes';

/** A moment of a recording, as links have it; times are milliseconds. */
export interface Moment {
  time?: number;
  follow?: number | string;
  camera?: Camera;
  speed?: number;
  range?: [number, number];
}

/**
 * `<fragreel-viewer src="final.dm_68" t="1:23" pov="sarge">`: a recording of Quake, QuakeWorld, Quake II, Quake III or Half-Life.
 * Its events are in `FragreelViewerEvents`.
 */
export class FragreelViewer extends HTMLElement {
  /** Time since the first frame of the recording that is shown, in milliseconds. */
  readonly time: number;
  /** How long everything that is open lasts, in milliseconds. */
  readonly duration: number;
  readonly playing: boolean;
  /** From 0.1 to 16, or the same backwards with a minus. */
  speed: number;
  /** What the attributes of these names say. */
  src: string;
  theme: string;
  controls: string;
  maps: string;
  camera: Camera;
  /** The slot of the player who is followed. */
  followed: number | null;
  /** Opens files: in place of what is open, or beside it. */
  open(files: Iterable<File>, beside?: boolean): Promise<void>;
  /** Opens a recording by its address. */
  openAddress(address: string, beside?: boolean): Promise<void>;
  /**
   * Shows recordings while they are written: the address answers with `{ files: [{ name, src, bytes, complete }], over }`, and `src` with what is
   * there from `Range: bytes=N-` on, as `fragreel record --view` does.
   */
  watch(address: string): void;
  /** Opens recordings of one match beside each other. */
  openSeveral(addresses: string[]): Promise<void>;
  /** Takes `.bsp`, `.pak` and `.pk3` files; resolves with the names of the maps that are used. */
  addMaps(files: File[]): Promise<string[]>;
  seek(milliseconds: number): void;
  /** Plays, or pauses. */
  toggle(): void;
  pause(): void;
  /** From 0.1 to 16, or the same backwards with a minus. */
  setSpeed(speed: number): void;
  follow(slot: number | null): void;
  goTo(moment: Moment): void;
  /** The moment that is shown, as the part of an address behind `#`. */
  link(): string;
}

/** What the tag takes. */
export interface FragreelViewerAttributes {
  /** The address of a recording. */
  src?: string;
  /** Where it begins: seconds, or `m:ss`. */
  t?: string | number;
  /** Whom it follows: a slot, or a name. */
  pov?: string | number;
  /** The camera; `director` follows who makes the next kill. */
  cam?: Camera | 'director';
  /** The part that is marked: `FROM-TO`, each in seconds or `m:ss`. */
  clip?: string;
  /** It plays as soon as all is known. */
  autoplay?: boolean | '';
  /** The marked part is repeated. */
  loop?: boolean | '';
  /** From 0.1 to 16, or the same backwards with a minus. */
  speed?: string | number;
  /** The address of a picture to show until it plays. */
  poster?: string;
  /** Its colors; without it, the reader's own settings. */
  theme?: 'light' | 'dark';
  /** `none` leaves the picture alone. */
  controls?: 'none' | 'all';
  /** Where maps are: addresses with blanks between them, in which `{map}` stands for a map's name. */
  maps?: string;
}

/** What the element tells a page. Times are milliseconds since the first frame. */
export interface FragreelViewerEvents {
  /** A recording can be seen; `info` is what `fragreel info --json` prints. */
  'fragreel-open': CustomEvent<{ name: string; info: Info }>;
  /** All is known of it: events, results, findings. */
  'fragreel-ready': CustomEvent<{ name: string; info: Info }>;
  /** The time, at most four times a second while it passes. */
  'fragreel-time': CustomEvent<{ time: number; duration: number; playing: boolean; speed: number }>;
  /** Another frame is shown. */
  'fragreel-frame': CustomEvent<{ frame: number; time: number }>;
  /** A kill while the recording plays forward, as `fragreel events --json` prints it. */
  'fragreel-kill': CustomEvent<KillEvent>;
  /** Another player is followed, or nobody. */
  'fragreel-pov': CustomEvent<{ slot: number | null; name: string | null }>;
  'fragreel-error': CustomEvent<{ message: string }>;
}

declare global {
  interface HTMLElementTagNameMap {
    'fragreel-viewer': FragreelViewer;
  }
  interface HTMLElementEventMap extends FragreelViewerEvents {}
  /** For libraries whose JSX is global: React before 19, and others. React 19 needs `import 'fragreel-viewer/react'`. */
  namespace JSX {
    interface IntrinsicElements {
      'fragreel-viewer': FragreelViewerAttributes & {
        class?: string;
        className?: string;
        id?: string;
        style?: unknown;
        ref?: unknown;
        key?: unknown;
      };
    }
  }
}
