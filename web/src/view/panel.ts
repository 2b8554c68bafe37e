// A panel beside the picture. It is made with the store, and reads there what it shows.

export interface Panel {
  readonly name: string;
  readonly title: string;
  readonly element: HTMLElement;
  /** Whether it gives away how a match ends: it is shown on request. */
  readonly spoils?: boolean;
  /** Called when something it shows may have changed: often while playing. */
  update?(): void;
  /** Called for each picture while it is shown. */
  glide?(): void;
  /** Called when another recording is shown or more is known of it. */
  reset?(): void;
  /** Gives back what it holds outside of its element. */
  close?(): void;
}
