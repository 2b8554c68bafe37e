// Two pictures beside each other: the engine's left, the page's right.

import { readFileSync } from 'node:fs';
import { HEIGHT, WIDTH } from './run.mjs';

const RUNS = 10;

/** An uncompressed or packed TGA: its pixels as they are in the file. */
export function pixels(file) {
  const bytes = readFileSync(file);
  const [width, height, from, depth] = [bytes.readUInt16LE(12), bytes.readUInt16LE(14), 18 + bytes[0], bytes[16] / 8];
  let body = bytes.subarray(from);
  if (bytes[2] === RUNS) {
    const made = Buffer.alloc(width * height * depth);
    for (let at = 0, to = 0; to < made.length; ) {
      const [head, count] = [body[at], (body[at++] & 127) + 1];
      for (let pixel = 0; pixel < count; pixel++)
        to += body.copy(made, to, at + (head & 128 ? 0 : pixel * depth), at + (head & 128 ? 0 : pixel * depth) + depth);
      at += (head & 128 ? 1 : count) * depth;
    }
    body = made;
  }
  return {
    width,
    height,
    depth,
    above: (bytes[17] & 0x20) !== 0,
    base64: body.subarray(0, width * height * depth).toString('base64'),
  };
}

export async function writePair(browser, engine, right, path) {
  const sheet = await browser.newPage({ viewport: { width: WIDTH * 2, height: HEIGHT } });
  await sheet.setContent(
    '<style>body{margin:0}canvas,img{position:fixed;top:0;width:50%;height:100%}img{left:50%}</style><canvas></canvas><img>',
  );
  await sheet.evaluate(
    async ({ left, right }) => {
      const canvas = document.querySelector('canvas');
      const { width, height, depth, above } = left;
      const bytes = Uint8Array.from(atob(left.base64), (c) => c.charCodeAt(0));
      Object.assign(canvas, { width, height });
      const image = new ImageData(width, height);
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const [to, from] = [(y * width + x) * 4, ((above ? y : height - 1 - y) * width + x) * depth];
          image.data.set([bytes[from + 2], bytes[from + 1], bytes[from], 255], to);
        }
      }
      canvas.getContext('2d').putImageData(image, 0, 0);
      document.querySelector('img').src = right;
      await document.querySelector('img').decode();
    },
    { left: pixels(engine), right },
  );
  await sheet.screenshot({ path });
  await sheet.close();
}
