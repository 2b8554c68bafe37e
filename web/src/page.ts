// The static page: a viewer that fills it, and links to moments.

import quake from '../../samples/quake1/netquake15_deltas_dm3.dem?url';
import quakeworld from '../../samples/quake1/match_e1m1.mvd?url';
import quake2 from '../../samples/quake2/yq2dm_Alice.dm2?url';
import quake3 from '../../samples/quake3/ctf_bots.dm_71?url';
import './element';
import first from './pictures/first.jpg';
import quakePicture from './pictures/quake.jpg';
import quake2Picture from './pictures/quake2.jpg';
import quake3Picture from './pictures/quake3.jpg';
import quakeworldPicture from './pictures/quakeworld.jpg';
import { read } from './data/link';
import type { FragreelViewer } from './element';
import type { Sample } from './view/notice';
import type { Offered } from './view/offer';

/** What the address asks for: behind `#`, which servers never see, or behind `?`, which capture programs keep. What is shared stands behind `#`. */
const asked = (): string => `${location.hash.slice(1)}&${location.search.slice(1)}`;
const viewer = document.getElementById('viewer') as FragreelViewer;

viewer.ownsPage = true;
let opened: string | undefined;
function follow(): void {
  const { source, ...moment } = read(asked());
  // a link to another recording opens that one
  if (source && source !== opened) {
    opened = source;
    void viewer.openAddress(source, false, moment);
  } else viewer.goTo(moment);
}

const samples: Sample[] = [
  { title: 'Quake III', about: 'capture the flag, one view', length: '1:02', src: quake3, picture: quake3Picture },
  { title: 'QuakeWorld', about: 'match, all views', length: '1:01', src: quakeworld, picture: quakeworldPicture },
  { title: 'Quake II', about: 'deathmatch, one view', length: '1:12', src: quake2, picture: quake2Picture },
  { title: 'Quake', about: 'a walk, one view', length: '0:21', src: quake, picture: quakePicture },
];

// for capture programs: the picture alone, which plays by itself
const clean = new URLSearchParams(asked());
if (clean.get('clean') === '1') {
  viewer.controls = 'none';
  viewer.setAttribute('autoplay', '');
  if (clean.get('loop') === '1') viewer.setAttribute('loop', '');
}
if (clean.get('layout') === 'four') viewer.layout = 'four';

addEventListener('hashchange', follow);
follow();
// what `fragreel view` has to choose from, and the show of `fragreel serve --view`
const wishes = new URLSearchParams(location.hash.slice(1));
// a page in one file, and what the command serves, have no files beside them
// and a moment is one of a recording that somebody has
const isAsked = Object.keys(read(asked())).length > 0 || ['show', 'live', 'list'].some((name) => wishes.has(name));
if (!('fragreelWorker' in globalThis) && !isAsked) viewer.offerSamples(samples, first);

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
