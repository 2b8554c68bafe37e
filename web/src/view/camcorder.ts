// Pictures and videos of what is shown.

import type { Store } from '../store/store';
import type { Stage } from './stage';

/** What a video shall be. Without a size it has that of the picture. */
export interface Wishes {
  kind: 'mp4' | 'webm' | 'gif';
  width?: number;
  height?: number;
  /** Pictures a second. */
  rate: number;
  from: number;
  to: number;
  /** Whether score, kills, and the followed player's display are on it. */
  over: boolean;
}

export interface Camcorder {
  picture(): Promise<Blob>;
  /** Nothing where the browser cannot. */
  video(wishes: Wishes, done: (part: number) => void, signal: AbortSignal): Promise<Blob> | null;
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
  /** Frame by frame, without a clock. */
  const exactly = async (wishes: Wishes, progress: (part: number) => void, signal: AbortSignal): Promise<Blob> => {
    const { exact, paint } = await import('./exact');
    const stage = shownStage();
    if (!stage) throw new Error('nothing is open');
    // encoders want even numbers
    const even = (size: number) => Math.max(2, Math.round(size / 2) * 2);
    const [width, height] = [
      even(wishes.width ?? stage.element.clientWidth),
      even(wishes.height ?? stage.element.clientHeight),
    ];
    const canvas = document.createElement('canvas');
    const time = stage.scene?.time ?? 0;
    store.manual = true;
    stage.size = [width, height];
    try {
      const over = (context: CanvasRenderingContext2D) => {
        if (wishes.over)
          for (const element of stage.over)
            paint(context, element, stage.element, stage.camera.height ? height / stage.camera.height : 1);
      };
      const at = async (time: number) => {
        shown(time, canvas, over);
        // what a picture needs is asked for when it is drawn
        for (const end = performance.now() + PATIENCE; store.world.reads && performance.now() < end; ) {
          signal.throwIfAborted();
          await new Promise((done) => setTimeout(done, 20));
          shown(time, canvas, over);
        }
        return canvas;
      };
      return await exact({ ...wishes, width, height }, at, progress, signal);
    } finally {
      stage.size = null;
      store.manual = false;
      seek(time);
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
      const { from, to } = wishes;
      const kind = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find(
        (one) => typeof MediaRecorder !== 'undefined' && MediaRecorder.isTypeSupported(one),
      );
      if (!kind || wishes.kind !== 'webm') return null;
      const canvas = document.createElement('canvas');
      shown(from, canvas);
      const recorder = new MediaRecorder(canvas.captureStream(RATE), { mimeType: kind, videoBitsPerSecond: 6_000_000 });
      const pieces: Blob[] = [];
      recorder.addEventListener('dataavailable', ({ data }) => data.size && pieces.push(data));
      store.manual = true;
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
          store.manual = false;
          if (signal.aborted) fail(signal.reason);
          else if (!pieces.length) fail(new Error('this browser is too slow to record a video'));
          else done(new Blob(pieces, { type: 'video/webm' }));
        });
        recorder.start(200);
        step();
      });
    },
  };
}
