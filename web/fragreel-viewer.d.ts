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
 * When one is open, it sends `fragreel-open` with `detail: { name, info }`, where `info` is what `fragreel info --json` prints.
 */
export class FragreelViewer extends HTMLElement {
  /** Time since the first frame of the recording that is shown, in milliseconds. */
  readonly time: number;
  /** How long everything that is open lasts, in milliseconds. */
  readonly duration: number;
  readonly playing: boolean;
  readonly speed: number;
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
}

declare global {
  interface HTMLElementTagNameMap {
    'fragreel-viewer': FragreelViewer;
  }
  interface HTMLElementEventMap {
    'fragreel-open': CustomEvent<{ name: string; info: unknown }>;
  }
  /** For libraries whose JSX is global: React before 19, and others. React 19 needs `import 'fragreel-viewer/react'`. */
  namespace JSX {
    interface IntrinsicElements {
      'fragreel-viewer': FragreelViewerAttributes & { class?: string; className?: string; id?: string; style?: unknown; ref?: unknown; key?: unknown };
    }
  }
}
