// The picture in a small window of its own that stays over other windows.

import { paintAll } from './painted';
import type { Stage } from './stage';

interface DocumentPip {
  requestWindow(size: { width: number; height: number }): Promise<Window>;
}

const [WIDTH, HEIGHT] = [640, 360];

export class Pip {
  private readonly canvas = document.createElement('canvas');
  private readonly context = this.canvas.getContext('2d')!;
  private window: Window | null = null;
  private video: HTMLVideoElement | null = null;

  /** `step` lets time pass: the window is seen while the page may not be. */
  constructor(private readonly step: () => void) {
    Object.assign(this.canvas.style, { width: '100%', height: '100%', objectFit: 'contain', display: 'block' });
  }

  get isOn(): boolean {
    return this.window !== null || this.video !== null;
  }

  /** Whether the browser has such windows. */
  static get isThere(): boolean {
    return 'documentPictureInPicture' in globalThis || document.pictureInPictureEnabled === true;
  }

  async toggle(): Promise<void> {
    if (this.isOn) {
      this.close();
      return;
    }
    [this.canvas.width, this.canvas.height] = [WIDTH, HEIGHT];
    const { documentPictureInPicture: windows } = globalThis as { documentPictureInPicture?: DocumentPip };
    if (windows) await this.openWindow(windows);
    else await this.openVideo();
  }

  close(): void {
    this.window?.close();
    if (this.video && document.pictureInPictureElement) void document.exitPictureInPicture();
    this.window = this.video = null;
  }

  /** Takes what the stage has drawn just now. */
  draw(stage: Stage): void {
    const { canvas, context } = this;
    const { width, height } = stage.canvas;
    if (!width || !height) return;
    const wanted = Math.min(1, 960 / width);
    const [wide, high] = [Math.round(width * wanted), Math.round(height * wanted)];
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    context.fillStyle = '#1a1e26';
    context.fillRect(0, 0, wide, high);
    if (stage.space) context.drawImage(stage.ground, 0, 0, wide, high);
    context.drawImage(stage.canvas, 0, 0, wide, high);
    paintAll(context, stage.over, stage.element, stage.camera.width ? wide / stage.camera.width : 1);
  }

  private async openWindow(windows: DocumentPip): Promise<void> {
    const opened = await windows.requestWindow({ width: WIDTH, height: HEIGHT });
    this.window = opened;
    const { body } = opened.document;
    // rules of style are not for the new window's document
    Object.assign(body.style, { margin: '0', background: '#000', height: '100vh' });
    body.append(this.canvas);
    opened.addEventListener('pagehide', () => (this.window = null));
    // a page that is not seen gets no pictures; the window does
    const loop = () => {
      if (this.window !== opened) return;
      if (document.hidden) this.step();
      opened.requestAnimationFrame(loop);
    };
    opened.requestAnimationFrame(loop);
  }

  private async openVideo(): Promise<void> {
    const video = document.createElement('video');
    video.muted = true;
    video.srcObject = this.canvas.captureStream();
    this.video = video;
    try {
      await video.play();
      await video.requestPictureInPicture();
    } catch (error) {
      this.video = null;
      throw error;
    }
    video.addEventListener('leavepictureinpicture', () => (this.video = null));
  }
}
