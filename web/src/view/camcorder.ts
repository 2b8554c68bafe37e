// Pictures and videos of what is shown.

import type { Part } from '../store/clock';
import type { Store } from '../store/store';
import type { Made } from './exact';
import type { Stage } from './stage';

/** What a video shall be. Without a size it has that of the picture. */
export interface Wishes {
  kind: 'mp4' | 'webm' | 'gif';
  width?: number;
  height?: number;
  /** Pictures a second. */
  rate: number;
  /** One after the other. */
  parts: readonly Part[];
  /** Whether score, kills, and the followed player's display are on it. */
  over: boolean;
  /** Whether the sounds of dropped files are heard. */
  sound: boolean;
}

export interface Camcorder {
  picture(): Promise<Blob>;
  /** Nothing where the browser cannot. Without an encoder it records only one part. */
  video(wishes: Wishes, done: (part: number) => void, signal: AbortSignal): Promise<Made> | null;
}

const RATE = 30;

/** How long a slow machine may take for what a picture of a video needs, in milliseconds. */
const PATIENCE = 15_000;

/** `shownStage` is the picture that is taken, `advance` draws it. */
export function camcorder(
  store: Store,
  shownStage: () => Stage | null,
  advance: (milliseconds: number) => void,
): Camcorder {
  const seek = (time: number) => store.clock.seekOwn(time);
  /** Ground and players in one picture, and what lies over them. */
  const compose = (into: HTMLCanvasElement, over: (context: CanvasRenderingContext2D) => void = () => {}): void => {
    const stage = shownStage();
    if (!stage) return;
    if (into.width !== stage.canvas.width || into.height !== stage.canvas.height)
      [into.width, into.height] = [stage.canvas.width, stage.canvas.height];
    // what is read again and again stays in main memory
    const context = into.getContext('2d', { willReadFrequently: true })!;
    context.fillStyle = '#1a1e26';
    context.fillRect(0, 0, into.width, into.height);
    // the ground is drawn in the same breath, so that it is still there to be read
    stage.isRead = true;
    advance(0);
    stage.isRead = false;
    if (stage.space) context.drawImage(stage.ground, 0, 0, into.width, into.height);
    context.drawImage(stage.canvas, 0, 0);
    over(context);
  };
  const shown = (time: number, into: HTMLCanvasElement, over?: (context: CanvasRenderingContext2D) => void): void => {
    seek(time);
    compose(into, over);
  };
  /** The followed player of a part; a part without one keeps who is followed. */
  const followIn = ({ slot }: Part, { pane }: Stage): void => {
    if (slot !== undefined && slot !== null && slot !== pane.followed) store.selection.follow(slot, pane);
  };
  /** Time passes only for the video, until the answer is called: then all is as it was. */
  const taken = ({ scene, pane }: Stage): (() => void) => {
    const time = scene?.time ?? 0;
    const { followed, directed } = pane;
    store.manual = true;
    return () => {
      store.manual = false;
      if (pane.followed !== followed) store.selection.follow(followed, pane);
      pane.directed = directed;
      store.tell('selection');
      seek(time);
    };
  };
  /** Frame by frame, without a clock. */
  const exactly = async (wishes: Wishes, progress: (part: number) => void, signal: AbortSignal): Promise<Made> => {
    const { Soundtrack, exact, paintAll } = await import('./exact');
    const stage = shownStage();
    if (!stage) throw new Error('nothing is open');
    // encoders want even numbers
    const even = (size: number) => Math.max(2, Math.round(size / 2) * 2);
    const [width, height] = [
      even(wishes.width ?? stage.element.clientWidth),
      even(wishes.height ?? stage.element.clientHeight),
    ];
    const canvas = document.createElement('canvas');
    const track =
      wishes.sound && wishes.kind !== 'gif'
        ? await Soundtrack.of(stage.session.replay, wishes.parts, (name) => store.world.find(name))
        : null;
    const giveBack = taken(stage);
    stage.size = [width, height];
    try {
      const over = (context: CanvasRenderingContext2D) => {
        if (wishes.over)
          paintAll(context, stage.over, stage.element, stage.camera.height ? height / stage.camera.height : 1);
      };
      const draw = async (part: Part, time: number, at: number) => {
        followIn(part, stage);
        shown(time, canvas, over);
        // what a picture needs is asked for when it is drawn
        const waits = () => store.world.reads || stage.isPlanning;
        for (const end = performance.now() + PATIENCE; waits() && performance.now() < end; ) {
          signal.throwIfAborted();
          await new Promise((done) => setTimeout(done, 20));
          shown(time, canvas, over);
        }
        track?.pass(part, time, at, stage.camera, stage.pane.followed);
        return canvas;
      };
      return await exact({ ...wishes, width, height }, draw, progress, signal, track && (() => track.render()));
    } finally {
      stage.size = null;
      giveBack();
    }
  };
  return {
    picture() {
      const canvas = document.createElement('canvas');
      seek(shownStage()?.scene?.time ?? 0);
      compose(canvas);
      return new Promise((done, fail) =>
        canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('the picture cannot be made'))), 'image/png'),
      );
    },
    video(wishes, progress, signal) {
      if (wishes.kind === 'gif' || typeof VideoEncoder !== 'undefined') return exactly(wishes, progress, signal);
      const [part, ...others] = wishes.parts;
      const stage = shownStage();
      const kind = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find(
        (one) => typeof MediaRecorder !== 'undefined' && MediaRecorder.isTypeSupported(one),
      );
      if (!kind || wishes.kind !== 'webm' || !part || others.length || !stage) return null;
      const { from, to } = part;
      const giveBack = taken(stage);
      followIn(part, stage);
      const canvas = document.createElement('canvas');
      shown(from, canvas);
      const recorder = new MediaRecorder(canvas.captureStream(RATE), { mimeType: kind, videoBitsPerSecond: 6_000_000 });
      const pieces: Blob[] = [];
      recorder.addEventListener('dataavailable', ({ data }) => data.size && pieces.push(data));
      return new Promise((done, fail) => {
        const began = performance.now();
        const step = () => {
          const time = from + performance.now() - began;
          // the last picture stays until the video has one
          if (signal.aborted || (time >= to && (pieces.length || time > to + PATIENCE))) {
            recorder.stop();
            return;
          }
          shown(Math.min(time, to), canvas);
          progress(Math.min((time - from) / (to - from), 1));
          requestAnimationFrame(step);
        };
        recorder.addEventListener('error', () => fail(new Error('the video cannot be made')));
        recorder.addEventListener('stop', () => {
          giveBack();
          if (signal.aborted) fail(signal.reason);
          else if (!pieces.length) fail(new Error('this browser is too slow to record a video'));
          else done({ blob: new Blob(pieces, { type: 'video/webm' }), hasSound: false });
        });
        recorder.start(200);
        step();
      });
    },
  };
}
