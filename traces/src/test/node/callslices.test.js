'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { sumOfSlices, CallSlice } = load(['format', 'packed', 'model', 'overview', 'callslices'], ['sumOfSlices', 'CallSlice']);

// Slice 0 has path 0 and 2, slice 3 has path 2.
const BYTES = Uint8Array.from([0, 2, 0, 1, 10, 4, 0, 2, 2, 6, 6, 1, 3, 1, 2, 5, 50, 50, 0]);
const NONE = [0, 0, 0, 0];

for (const [from, to, expected] of [
  [0, 0, [[1, 10, 4, 0], NONE, [2, 6, 6, 1]]], [3, 3, [NONE, NONE, [5, 50, 50, 0]]], [0, 9, [[1, 10, 4, 0], NONE, [7, 56, 56, 1]]],
  [1, 2, [NONE, NONE, NONE]], [4, 9, [NONE, NONE, NONE]],
]) {
  test(`slices ${from} to ${to} are added up`, () => assert.deepEqual(sumOfSlices(BYTES, 3, from, to), expected));
}

test('steps of another run are none of this one, whatever is chosen then', () => {
  const element = () => ({ options: [], replaceChildren(...children) { this.options = children; } });
  const bars = ['7', '8'].map((label, i) => ({ label, start: i, wall: 1 }));
  globalThis.el = element;
  globalThis.app = {
    address: { changed: () => {} }, model: { shortWorker: (number) => 'worker ' + number, worker: String },
    report: { steps: { bars }, workers: [{}, {}], calls: { bySteps: 'x', byWorkers: 'x' } },
  };
  const slice = new CallSlice(() => {});
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
