'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { sumOfSlices, CallSlice } = load(['format', 'packed', 'workers', 'model', 'overview', 'address', 'lanes', 'callslices'], ['sumOfSlices', 'CallSlice']);

// Slice 0 has path 0 and 2, slice 3 has path 2.
const BYTES = Uint8Array.from([0, 2, 0, 1, 10, 4, 0, 2, 2, 6, 6, 1, 3, 1, 2, 5, 50, 50, 0]);
const NONE = [0, 0, 0, 0];

for (const [from, to, expected] of [
  [0, 0, [[1, 10, 4, 0], NONE, [2, 6, 6, 1]]], [3, 3, [NONE, NONE, [5, 50, 50, 0]]], [0, 9, [[1, 10, 4, 0], NONE, [7, 56, 56, 1]]],
  [1, 2, [NONE, NONE, NONE]], [4, 9, [NONE, NONE, NONE]],
]) {
  test(`slices ${from} to ${to} are added up`, () => assert.deepEqual(sumOfSlices(BYTES, 3, from, to), expected));
}

function planted(bars, workers) {
  globalThis.el = () => ({ options: [], replaceChildren(...children) { this.options = children; } });
  globalThis.app = {
    address: { changed: () => {} }, model: { shortWorker: (number) => 'worker ' + number, worker: String },
    report: { steps: { bars }, workers, calls: { bySteps: 'x', byWorkers: 'x' } },
  };
  return new CallSlice(() => {});
}

const worker = (instance) => ({ service: 'actor', instance });

test('a worker and steps in an address are the same ones after the run has grown', () => {
  const early = planted([0, 10, 20].map((start) => ({ label: String(start), start, wall: 9 })), ['a', 'c'].map(worker));
  const addresses = [['worker', { worker: 1 }], ['steps', { from: 1, to: 2 }]].map(([kind, choice]) => {
    const parameters = new URLSearchParams();
    Object.assign(early, choice, { kind }).save(parameters);
    return parameters;
  });
  const late = planted([0, 20].map((start) => ({ label: start + '–' + (start + 10), start, wall: 19 })), ['a', 'b', 'c'].map(worker));
  late.restore(addresses[0]);
  assert.equal(late.words(), ' of worker 2');
  late.restore(addresses[1]);
  assert.deepEqual([late.from, late.to], [0, 1]);
});

for (const [callsof, words] of [['worker 1', ' of worker 1'], ['steps 0 1', ' in step 0 to step 10'], ['steps 1', ' in step 10'], ['worker actor/gone', ''], ['steps @-5', ''], ['worker #1', ' of worker 1']]) {
  test(`an address with callsof=${callsof} is understood`, () => {
    const slice = planted([0, 10].map((start) => ({ label: String(start), start, wall: 9 })), ['a', 'b'].map(worker));
    slice.restore(new URLSearchParams({ callsof }));
    assert.equal(slice.words(), words);
  });
}

test('steps of another run are none of this one, whatever is chosen then', () => {
  const slice = planted(['7', '8'].map((label, i) => ({ label, start: i, wall: 1 })), [{}, {}]);
  for (const [kind, text] of [['steps', ' in step 7'], ['worker', ' of worker 0']]) {
    slice.restore(new URLSearchParams({ callsof: kind + ' 5 9' }));
    assert.equal(slice.words(), '');
    slice.kinds.value = kind;
    slice.choose();
    assert.equal(slice.words(), text);
  }
  delete globalThis.el;
  delete globalThis.app;
});
