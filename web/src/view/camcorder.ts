// Pictures and films of what is shown.

import type { Camcorder } from '../panel/clip';
import type { Stage } from './stage';

/** What can be filmed. */
export interface Filmed {
  readonly stage: Stage | null;
  keep: boolean;
  manual: boolean;
  seekSession(time: number): void;
  advance(milliseconds: number): void;
}

const RATE = 30;

/** How long a slow machine may take for the first picture of a video, in milliseconds. */
const PATIENCE = 15_000;

export function camcorder(viewer: Filmed): Camcorder {
  /** Ground and players in one picture. */
  const compose = (into: HTMLCanvasElement): void => {
    const stage = viewer.stage;
    if (!stage) return;
    [into.width, into.height] = [stage.canvas.width, stage.canvas.height];
    const context = into.getContext('2d')!;
    context.fillStyle = '#1a1e26';
    context.fillRect(0, 0, into.width, into.height);
    // the ground is drawn in the same breath, so that it is still there to be read
    viewer.advance(0);
    if (stage.space) context.drawImage(stage.ground, 0, 0);
    context.drawImage(stage.canvas, 0, 0);
  };
  const shown = (time: number, into: HTMLCanvasElement): void => {
    viewer.seekSession(time);
    compose(into);
  };
  return {
    picture() {
      const canvas = document.createElement('canvas');
      viewer.seekSession(viewer.stage?.scene?.time ?? 0);
      compose(canvas);
      return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('the picture cannot be made'))), 'image/png'));
    },
    film(from, to, progress) {
      const kind = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'].find((one) => typeof MediaRecorder !== 'undefined' && MediaRecorder.isTypeSupported(one));
      if (!kind) return null;
      const canvas = document.createElement('canvas');
      shown(from, canvas);
      const recorder = new MediaRecorder(canvas.captureStream(RATE), { mimeType: kind, videoBitsPerSecond: 6_000_000 });
      const pieces: Blob[] = [];
      recorder.addEventListener('dataavailable', ({ data }) => data.size && pieces.push(data));
      viewer.manual = true;
      return new Promise((done, fail) => {
        const began = performance.now();
        const step = () => {
          const time = from + performance.now() - began;
          // the last picture stays until the video has one
          if (time >= to && (pieces.length || time > to + PATIENCE)) {
            recorder.stop();
            return;
          }
          shown(Math.min(time, to), canvas);
          progress(Math.min((time - from) / (to - from), 1));
          requestAnimationFrame(step);
        };
        recorder.addEventListener('error', () => fail(new Error('the film cannot be made')));
        recorder.addEventListener('stop', () => {
          viewer.manual = false;
          if (!pieces.length) fail(new Error('this browser is too slow to film'));
          else done(new Blob(pieces, { type: 'video/webm' }));
        });
        recorder.start(200);
        step();
      });
    },
  };
}
