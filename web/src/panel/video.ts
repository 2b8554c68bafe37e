// A part of the recording as a video: its shape, size, rate and sound, and how large it becomes.

import { messageOf } from '../data/reason';
import type { Part } from '../store/clock';
import type { Store } from '../store/store';
import type { Camcorder, Wishes } from '../view/camcorder';
import { h } from '../view/dom';
import { SOUND_BITS, bytesOfVideo } from '../view/filmsize';
import { choice, download, markedPart, stem, way } from './ways';

/** Sizes by shape; the usual one of each. */
const SHAPES = {
  wide: {
    title: 'Wide',
    sizes: ['426×240', '480×270', '640×360', '854×480', '1280×720', '1920×1080'],
    usual: '1280×720',
  },
  upright: { title: 'Upright', sizes: ['270×480', '360×640', '540×960', '720×1280', '1080×1920'], usual: '720×1280' },
  square: { title: 'Square', sizes: ['360×360', '480×480', '720×720', '1080×1080'], usual: '720×720' },
} as const;
type Shape = keyof typeof SHAPES;

const RATES = [10, 12, 25, 30, 50, 60];
/** A GIF has few colors, no sound, and a small picture. */
const [GIF_SIZE, GIF_RATE] = ['480×270', '12'];

export interface VideoWay {
  elements: HTMLElement[];
  /** Makes one video of parts of the recording. */
  make(parts: readonly Part[]): Promise<void>;
  /** Says what a video costs before it is made. */
  estimate(): void;
}

export function videoWay(store: Store, camcorder: Camcorder, report: HTMLElement): VideoWay {
  const kind = choice('kind of video', [
    ['mp4', 'MP4'],
    ['webm', 'WebM'],
    ['gif', 'GIF'],
  ]);
  const size = choice('size of video', []);
  const rate = choice(
    'pictures a second',
    RATES.map((one) => [String(one), `${one} a second`]),
  );
  rate.value = '30';
  const over = h('input', { type: 'checkbox', checked: true });
  const sound = h('input', { type: 'checkbox', checked: true });
  const about = h('p', { class: 'faint' });
  let shape: Shape = 'wide';
  const shapes = (Object.keys(SHAPES) as Shape[]).map((name) =>
    h('button', { onclick: () => show(name, SHAPES[name].usual) }, SHAPES[name].title),
  );
  const show = (name: Shape, wanted: string) => {
    shape = name;
    (Object.keys(SHAPES) as Shape[]).forEach((one, at) =>
      shapes[at].setAttribute('aria-pressed', String(one === shape)),
    );
    const shown: [string, string][] = shape === 'wide' ? [['', 'as shown']] : [];
    const all = [...shown, ...SHAPES[shape].sizes.map((one): [string, string] => [one, one])];
    size.replaceChildren(...all.map(([value, text]) => h('option', { value }, text)));
    size.value = wanted;
    estimate();
  };
  kind.addEventListener('change', () => {
    const isGif = kind.value === 'gif';
    if (isGif) {
      show('wide', GIF_SIZE);
      rate.value = GIF_RATE;
    } else if (rate.value === GIF_RATE) {
      show('wide', '');
      rate.value = '30';
    }
    estimate();
  });
  for (const one of [size, rate, sound]) one.addEventListener('change', () => estimate());
  const wishes = (parts: readonly Part[]): Wishes => {
    const [width, height] = size.value.split('×').map(Number);
    return {
      kind: kind.value as Wishes['kind'],
      rate: Number(rate.value),
      parts,
      over: over.checked,
      sound: sound.checked,
      ...(width && height && { width, height }),
    };
  };
  const estimate = () => {
    const marked = markedPart(store);
    const { kind, width = 1280, height = 720, rate, sound } = wishes([]);
    const hasSound = sound && kind !== 'gif' && store.world.hasSounds;
    const heard = hasSound
      ? 'with the sounds of the dropped files'
      : kind === 'gif' || !sound
        ? 'without sound'
        : 'without sound: drop files of the game to hear it';
    const most =
      marked && bytesOfVideo(kind, width, height, rate, (marked[1] - marked[0]) / 1000, hasSound ? SOUND_BITS : 0);
    about.textContent = most ? `about ${(most / 1e6).toFixed(1)} MB, ${heard}` : heard;
  };
  let running: AbortController | null = null;
  const make = async (parts: readonly Part[]) => {
    const wanted = wishes(parts);
    running = new AbortController();
    const { signal } = running;
    const made = camcorder.video(
      wanted,
      (part) => report.replaceChildren(`Making the video: ${Math.round(part * 100)} %`),
      signal,
    );
    if (!made) {
      running = null;
      report.replaceChildren(
        `This browser cannot record ${parts.length > 1 ? 'several moments in one video' : 'videos of this kind'}.`,
      );
      return;
    }
    shoot.textContent = 'Cancel';
    const began = performance.now();
    try {
      const { blob, hasSound } = await made;
      download(blob, `${stem(store)}.${wanted.kind}`);
      const took = ((performance.now() - began) / 1000).toFixed(1);
      report.replaceChildren(
        `The video is saved: ${(blob.size / 1e6).toFixed(1)} MB in ${took} s, with${hasSound ? '' : 'out'} sound.`,
      );
    } catch (error) {
      report.replaceChildren(signal.aborted ? 'The video is cancelled.' : messageOf(error));
    } finally {
      running = null;
      shoot.textContent = 'Make a video';
    }
  };
  const press = () => {
    const marked = markedPart(store);
    if (running) running.abort();
    else if (!marked) report.replaceChildren('Mark in and out first.');
    else void make([{ from: marked[0], to: marked[1] }]);
  };
  const shoot = h('button', { class: 'edge', onclick: press }, 'Make a video');
  show('wide', '');
  return {
    elements: [
      way('film', 'Film', 'drawn and encoded here', shoot),
      h(
        'div',
        { class: 'choices' },
        h('div', { class: 'segments', role: 'group', 'aria-label': 'shape of video' }, ...shapes),
        kind,
        size,
        rate,
        h('label', {}, over, 'with score, kills and display'),
        h('label', {}, sound, 'with sound'),
        about,
      ),
    ],
    async make(parts) {
      if (!running) await make(parts);
    },
    estimate,
  };
}
