// The store that all parts share: the clock, what is chosen, how it looks, and who hears of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './modules.mjs';

const { Store } = await load('store/store');

/** A recording of this number of seconds with players in these slots. The first one recorded it. */
function recording(seconds, slots = [0, 1, 2], offset = 0) {
  const players = slots.map((slot) => ({ slot, origin: [0, 0, 0], spectator: false }));
  const scene = { players, view: { slot: slots[0] } };
  let open = true;
  return {
    offset,
    replay: { duration: seconds * 1000, sceneAt: () => scene },
    close: () => (open = false),
    get isOpen() {
      return open;
    },
  };
}

/** A store, and what it announces. */
function heard(...topics) {
  const store = new Store();
  const told = [];
  for (const topic of topics) store.on(topic, () => told.push(topic));
  return { store, told, said: () => told.splice(0) };
}

test('who stops to hear hears no more, and what is told comes along', () => {
  const store = new Store();
  const all = [];
  const stop = store.on('said', (text) => all.push(`first ${text}`));
  store.on('said', (text) => all.push(`second ${text}`));
  store.tell('said', 'one');
  stop();
  store.tell('said', 'two');
  assert.deepEqual(all, ['first one', 'second one', 'second two']);
  // a listener that another one removes hears nothing more
  let third = () => {};
  store.on('failed', () => third());
  third = store.on('failed', () => all.push('never'));
  store.tell('failed', 'x');
  assert.ok(!all.includes('never'));
});

test('time stays inside of what is open, and passes only while it plays', () => {
  const { store, said } = heard('clock');
  const { clock, selection } = store;
  clock.toggle();
  assert.equal(clock.playing, false, 'there is nothing to play');
  selection.add(recording(10), false);
  said();
  clock.seek(99_000);
  assert.deepEqual([clock.now, said()], [10_000, ['clock']]);
  clock.advance(500);
  assert.deepEqual([clock.now, said()], [10_000, []], 'it stands still');
  clock.toggle();
  assert.deepEqual([clock.now, clock.playing], [0, true], 'from the end on it begins again');
  clock.setSpeed(2);
  clock.advance(1000);
  assert.equal(clock.now, 2000);
  clock.setSpeed(-1);
  clock.advance(5000);
  assert.deepEqual([clock.now, clock.playing], [0, false], 'it stops at the start');
  clock.setSpeed(1);
  clock.toggle();
  clock.advance(20_000);
  assert.deepEqual([clock.now, clock.playing], [10_000, false]);
});

test('in and out are in order', () => {
  const { clock, selection } = new Store();
  selection.add(recording(10), false);
  clock.mark(0, 5000);
  clock.mark(1, 2000);
  assert.deepEqual(clock.range, [2000, 5000]);
  clock.setRange([null, 100]);
  assert.deepEqual(clock.range, [null, 100]);
});

test('recordings beside each other have one clock, and a picture each', () => {
  const { store, said } = heard('panes', 'selection');
  const { selection, clock } = store;
  const [first, second] = [recording(10), recording(20, [4, 5], 3000)];
  selection.add(first, false);
  selection.add(second, true);
  assert.equal(selection.duration, 23_000);
  assert.deepEqual([selection.panes.length, selection.session], [1, first]);
  selection.follow(1);
  said();
  selection.pick('beside');
  assert.ok(said().includes('panes'));
  assert.deepEqual(
    selection.panes.map(({ session, followed }) => [session, followed]),
    [
      [first, 1],
      [second, null],
    ],
    'the picture that was there keeps whom it follows',
  );
  // each picture has its own player and camera
  selection.choose(selection.panes[1]);
  selection.setCamera('eyes');
  assert.deepEqual(
    selection.panes.map(({ followed, camera }) => [followed, camera]),
    [
      [1, 'top'],
      [4, 'eyes'],
    ],
  );
  clock.seekOwn(1000);
  assert.deepEqual([clock.now, clock.own], [4000, 1000]);
  selection.follow(null);
  assert.equal(selection.camera, 'top', 'without a player there are no eyes');
  // another recording takes the place of both
  const third = recording(5);
  selection.add(third, false);
  assert.deepEqual([first.isOpen, second.isOpen, selection.panes.length, selection.layout], [false, false, 1, 'one']);
});

test('one recording is seen from four sides', () => {
  const { selection } = new Store();
  selection.add(recording(10, [0, 1, 2, 3]), false);
  selection.follow(2);
  selection.pick('four');
  assert.deepEqual(
    selection.panes.map(({ followed, camera }) => [followed, camera]),
    [
      [2, 'top'],
      [0, 'eyes'],
      [1, 'eyes'],
      [3, 'behind'],
    ],
  );
  selection.pick(0);
  assert.deepEqual(
    selection.panes.map(({ followed }) => followed),
    [2],
  );
  // with fewer players, pictures without one are from above
  const { selection: small } = new Store();
  small.add(recording(10, [7]), false);
  small.pick('four');
  assert.deepEqual(
    small.panes.map(({ followed, camera }) => [followed, camera]),
    [
      [null, 'top'],
      [7, 'eyes'],
      [null, 'top'],
      [null, 'top'],
    ],
  );
});

test('who follows by hand is directed no more', () => {
  const { store, said } = heard('followed');
  const { selection } = store;
  selection.add(recording(10), false);
  selection.direct(true);
  assert.deepEqual([selection.directed, selection.camera, selection.followed], [true, 'behind', 0]);
  selection.direct(true);
  said();
  selection.follow(1);
  assert.deepEqual([selection.directed, said()], [false, ['followed']]);
});

test('what is drawn is chosen in one place', () => {
  const { store, said } = heard('look');
  const { look } = store;
  look.flip('trails');
  look.set({ marks: { ...look.marks, chat: true } });
  look.nextHeat();
  assert.deepEqual([look.trails, look.marks.chat, look.heat.what], [false, true, 'positions']);
  assert.deepEqual(said(), ['look', 'look', 'look']);
  for (let times = 0; times < 5; times++) look.nextHeat();
  assert.equal(look.heat.what, 'none');
});
