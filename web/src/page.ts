// The static page: a viewer that fills it, and links to moments.

import sample from '../../samples/quake3/ctf_bots.dm_71?url';
import './element';
import { read } from './data/link';
import type { FragreelViewer } from './element';
import type { Offered } from './view/offer';

const viewer = document.getElementById('viewer') as FragreelViewer;

viewer.ownsPage = true;
let opened: string | undefined;
function follow(): void {
  const { source, ...moment } = read(location.hash);
  // a link to another recording opens that one
  if (source && source !== opened) {
    opened = source;
    void viewer.openAddress(source, false, moment);
  } else viewer.goTo(moment);
}

addEventListener('hashchange', follow);
follow();
// a page in one file, and what the command serves, have no files beside them
if (!('fragreelWorker' in globalThis) && !location.hash) viewer.offerSample(sample);

// what `fragreel view` has to choose from, and the show of `fragreel serve --view`
const wishes = new URLSearchParams(location.hash.slice(1));
const show = wishes.get('show');
if (show) viewer.conduct(show);
// what `fragreel record --view` writes
const live = wishes.get('live');
if (live) viewer.watch(live);
const list = wishes.get('list');
if (list) {
  void fetch(list)
    .then((answer) => answer.json())
    .then((entries: Offered[]) => viewer.offer(entries));
}
