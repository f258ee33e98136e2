'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { Model, placeOfOpen } = load(['packed', 'workers', 'model'], ['Model', 'placeOfOpen']);

test('a path that begins before the run, as that of a step that has not ended may, is read', () => {
  const model = Object.assign(Object.create(Model.prototype), { unit: 1, items: 1 });
  // Two segments from -60 on: the step itself for 60, item 0 for 50, as PageTimeline packs them.
  model.readPath({ path: [2, 119, 1, 120, 2, 100] });
  assert.deepEqual([...model.segmentItem], [-1, 0]);
  assert.deepEqual([...model.segmentStart], [-60, 0]);
  assert.deepEqual([...model.segmentEnd], [0, 50]);
});

const DAY = 86_400e9;

for (const [what, start, nanos, drawn] of [
  ['of the run', 20e9, 40e9, { start: 20e9, nanos: 40e9, isFar: false }],
  ['that hangs since months before the first span that has ended', -100 * DAY, 101 * DAY, { start: -100 * DAY, nanos: 101 * DAY, isFar: false }],
  ['by a clock that began in 1970', -20_000 * DAY, 5e9, { start: 55e9, nanos: 5e9, isFar: true }],
  ['by a clock that was corrected meanwhile', -20_000 * DAY, 20_000 * DAY, { start: 0, nanos: 60e9, isFar: true }],
  ['by a clock years ahead', 4000 * DAY, 5e9, { start: 55e9, nanos: 5e9, isFar: true }],
]) {
  test(`an open span ${what} leaves the timeline usable`, () => assert.deepEqual(placeOfOpen(start, nanos, 60e9), drawn));
}
