// A moment as a link: `#t=83.25&pov=3&cam=eyes`. It stands behind the `#`, so no server sees it.

import type { Camera, Moment as Shown } from '../../fragreel-viewer';

export type Mode = Camera;
export const MODES: readonly Mode[] = ['top', 'free', 'behind', 'eyes'];

/** A moment, and the address of its recording. */
export interface Moment extends Shown {
  /** Whether the camera is with who makes the next kill. */
  directed?: boolean;
  source?: string;
}

export function read(hash: string): Moment {
  const values = new URLSearchParams(hash.replace(/^#/, ''));
  const moment: Moment = {};
  const time = seconds(values.get('t'));
  if (time !== null) moment.time = time;
  const pov = values.get('pov');
  if (pov) moment.follow = /^\d+$/.test(pov) ? Number(pov) : pov;
  for (const camera of values.getAll('cam')) {
    if (camera === 'director') moment.directed = true;
    else if (MODES.includes(camera as Mode)) moment.camera = camera as Mode;
  }
  const speed = Number(values.get('speed'));
  if (Number.isFinite(speed) && speed !== 0) moment.speed = Math.max(-16, Math.min(16, speed));
  const [from, to] = (values.get('clip') ?? '').split('-').map(seconds);
  if (from !== null && from !== undefined && to !== null && to !== undefined && from < to) moment.range = [from, to];
  const source = values.get('src');
  if (source) moment.source = source;
  return moment;
}

export function write(moment: Moment): string {
  const values: string[] = [];
  if (moment.source) values.push(`src=${encodeURIComponent(moment.source)}`);
  if (moment.time !== undefined) values.push(`t=${+(moment.time / 1000).toFixed(3)}`);
  if (moment.follow !== undefined) values.push(`pov=${encodeURIComponent(String(moment.follow))}`);
  // the director without a camera looks from behind
  const usual = moment.directed ? 'behind' : 'top';
  if (moment.camera && moment.camera !== usual) values.push(`cam=${moment.camera}`);
  if (moment.directed) values.push('cam=director');
  if (moment.speed !== undefined && moment.speed !== 1) values.push(`speed=${moment.speed}`);
  if (moment.range) values.push(`clip=${+(moment.range[0] / 1000).toFixed(3)}-${+(moment.range[1] / 1000).toFixed(3)}`);
  return `#${values.join('&')}`;
}

/** Seconds or `m:ss` as milliseconds. */
export function seconds(text: string | null | undefined): number | null {
  if (!text || !/^\d+(:\d+){0,2}(\.\d+)?$/.test(text)) return null;
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) * 1000;
}
