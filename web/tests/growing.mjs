// What a recording that grows costs the page: `node tests/growing.mjs FILE [BYTES A SECOND]`, from two thirds of the file on, for twenty seconds.

import { readFileSync } from 'node:fs';
import { launchAsInstalled, open, serve } from './harness.mjs';

const bytes = readFileSync(process.argv[2]);
const rate = Number(process.argv[3] ?? 20000);
let length = Math.floor((bytes.length * 2) / 3);
const name = process.argv[2].split('/').pop();
const server = await serve((request, response) => {
  if (request.url === '/live')
    response.end(
      JSON.stringify({ files: [{ name, src: 'recording/0/x', bytes: length, complete: false }], over: false }),
    );
  else if (request.url === '/recording/0/x') {
    const from = Number(request.headers.range?.match(/\d+/)?.[0] ?? 0);
    response.writeHead(from ? 206 : 200).end(bytes.subarray(from, length));
  } else return false;
  return true;
});
const browser = await launchAsInstalled();
const { page, close } = await open(browser, server, { hash: '#live=live' });
await page.waitForFunction(() => document.querySelector('fragreel-viewer').session?.events.length, null, {
  timeout: 120000,
});
await page.evaluate(() => {
  const { replay } = document.querySelector('fragreel-viewer').session;
  window.extends = [];
  const extend = replay.extend.bind(replay);
  replay.extend = (more) => {
    const began = performance.now();
    extend(more);
    window.extends.push(performance.now() - began);
  };
  window.gaps = [];
  let last = performance.now();
  const look = (now) => {
    window.gaps.push(now - last);
    last = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});
const growing = setInterval(() => (length = Math.min(bytes.length, length + rate)), 1000);
await page.waitForTimeout(20000);
clearInterval(growing);
const seen = await page.evaluate(() => {
  const { session, time, duration } = document.querySelector('fragreel-viewer');
  const sorted = (list) => list.toSorted((a, b) => a - b);
  const [extend, gaps] = [sorted(window.extends), sorted(window.gaps.slice(5))];
  const of = (list, part) => Math.round(list[Math.floor((list.length - 1) * part)]);
  return {
    megabytes: session.bytes / 1e6,
    frames: session.replay.frameCount,
    times: extend.length,
    extend: [of(extend, 0.5), of(extend, 1)],
    pictures: [of(gaps, 0.5), of(gaps, 0.99), of(gaps, 1)],
    behind: Math.round(duration - time),
  };
});
console.log(JSON.stringify(seen));
await close();
await browser.close();
server.close();
