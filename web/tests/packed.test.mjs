// Packed columns are read where they are, and parts of them are put together.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, packed, table } from './modules.mjs';

const { ABSENT, ALIKE, BLOCK, COUNTING, ONE_BYTE, PLAIN, TWO_BYTES, UNIT_SHIFT } = await load('data/layout');
const { append, bytesOf, emptyTable } = await load('data/packed');

test('each kind of block is read as the library packs it', () => {
  const made = emptyTable('place');
  const blocks = (kinds, bases, ones, twos, plain = new Float32Array()) => ({
    kinds: Uint8Array.from(kinds),
    bases: Float64Array.from(bases),
    ones: Uint8Array.from(ones),
    twos: Uint16Array.from(twos),
    plain,
  });
  const [eighths, angles] = [1 << UNIT_SHIFT, 2 << UNIT_SHIFT];
  const plain = Int32Array.from([-5, ABSENT]);
  append(made, {
    keys: Uint32Array.from([4, 9]),
    sizes: Uint32Array.from([3, 2]),
    columns: {
      frames: blocks([ALIKE | COUNTING, ONE_BYTE | COUNTING], [7, 20], [0, 255], [], new Int32Array()),
      x: blocks([ONE_BYTE, ONE_BYTE | eighths], [-10, 1], [0, 254, 255, 8, 3], []),
      y: blocks([TWO_BYTES | angles, TWO_BYTES], [0, 5], [], [1, 65534, 65535, 0, 300]),
      z: blocks([PLAIN, ALIKE], [0, -0], [], [], Float32Array.from([0.1, -0, Number.NaN])),
      pitch: blocks([ALIKE, ALIKE], [Number.NaN, 2.5], [], []),
      yaw: blocks([ALIKE, ALIKE], [1, 2], [], []),
      roll: blocks([ALIKE, ALIKE], [0, 0], [], []),
      bits: blocks([ONE_BYTE, PLAIN], [3, 0], [0, 255, 1], [], plain),
    },
  });
  assert.deepEqual(
    [[...made.starts], [...made.ends]],
    [
      [0, BLOCK],
      [3, BLOCK + 2],
    ],
  );
  const rows = [0, 1, 2, BLOCK, BLOCK + 1];
  const of = (name) => rows.map((row) => made[name].at(row));
  assert.deepEqual(of('frames'), [7, 8, 9, 20, 276]);
  assert.deepEqual(of('x'), [-10, 244, Number.NaN, 2, 1.375]);
  assert.deepEqual(of('y'), [360 / 65536, (65534 * 360) / 65536, Number.NaN, 5, 305]);
  assert.deepEqual(of('z'), [Math.fround(0.1), -0, Number.NaN, -0, -0]);
  assert.deepEqual(of('pitch'), [Number.NaN, Number.NaN, Number.NaN, 2.5, 2.5]);
  assert.deepEqual(of('bits'), [3, ABSENT, 4, -5, ABSENT]);
});

/** Rows of some subjects: one has a row at each frame, others leave out frames. */
function rowsOf(count) {
  const is = {
    3: () => true,
    7: (frame) => frame % 10 > 0,
    1: (frame) => frame % 50 === 3,
    400: (frame) => frame > 900,
  };
  return Object.entries(is)
    .sort(([one], [other]) => one - other)
    .flatMap(([key, there]) =>
      Array.from({ length: count }, (_, frame) => frame)
        .filter(there)
        .map((frame) => [Number(key), frame, { x: frame * 1.5, y: Number(key), bits: frame % 3 }]),
    );
}

test('parts are put together as if they had come at once', () => {
  const rows = rowsOf(60_000);
  const made = emptyTable('place');
  const came = new Map();
  for (let from = 0; from < 60_000; ) {
    const end = Math.min(60_000, from < 300 ? from + 1 + from : from + 9_973);
    const some = rows.filter(([key, frame]) => {
      if (frame >= end || !rows.length) return false;
      // rows of a block that is not full come again
      return frame >= from || (came.get(key)?.rest ?? []).includes(frame);
    });
    const fresh = new Set(some.filter(([, frame]) => frame >= from).map(([key]) => key));
    append(
      made,
      packed(
        table(
          'place',
          some.filter(([key]) => fresh.has(key)),
        ),
      ),
    );
    for (const key of fresh) {
      const own = some.filter(([of]) => of === key).map(([, frame]) => frame);
      came.set(key, { rest: own.slice(own.length - (own.length % BLOCK)) });
    }
    from = end;
  }
  assert.deepEqual([...made.keys], [1, 3, 7, 400]);
  for (const [track, key] of made.keys.entries()) {
    const own = rows.filter(([of]) => of === key);
    assert.equal(made.ends[track] - made.starts[track], own.length);
    for (const [at, [, frame, { x, y, bits }]] of own.entries()) {
      const row = made.starts[track] + at;
      const is = [made.frames.at(row), made.x.at(row), made.y.at(row), made.bits.at(row)];
      if (is[0] !== frame || is[1] !== x || is[2] !== y || is[3] !== bits) assert.deepEqual(is, [frame, x, y, bits]);
    }
  }
  // eight columns of four bytes, directories, and blocks that came again
  const each = bytesOf(made) / rows.length;
  assert.ok(each > 32 && each < 36, `${each}`);
});
