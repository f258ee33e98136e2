'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { percentileOf, durationsBySlice, stepsOfItems, DISPATCH } = load(
  ['format', 'packed', 'workers', 'model', 'slices', 'percentiles'], ['percentileOf', 'durationsBySlice', 'stepsOfItems', 'DISPATCH']);

const STEP = 0;
const WORK = 1;

/** Items as [name, parent, start, end, flags]. */
function model(items) {
  const column = (at) => items.map((item) => item[at] ?? 0);
  return { items: items.length, ended: items.length, stepName: STEP, name: column(0), parent: column(1), start: column(2), end: column(3), flags: column(4) };
}

for (const [sorted, percents, expected] of [
  [[1, 2, 3, 4], 50, 2], [[1, 2, 3], 50, 2], [[7], 95, 7], [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 95, 10], [Array.from({ length: 100 }, (_, i) => i + 1), 95, 95],
]) {
  test(`p${percents} of ${sorted.length} values is ${expected}`, () => assert.equal(percentileOf(sorted, percents), expected));
}

for (const [situation, items, of, steps] of [
  ['below a step, however deep', [[STEP, -1, 0, 9], [WORK, 0, 1, 5], [WORK, 1, 2, 3]], [0, 0, 0], [0]],
  ['steps by their start, not by their item', [[STEP, -1, 20, 29], [STEP, -1, 0, 9], [WORK, 0, 21, 22]], [1, 0, 1], [1, 0]],
  ['the outermost of the name', [[STEP, -1, 0, 9], [STEP, 0, 1, 5], [WORK, 1, 2, 3]], [0, 0, 0], [0]],
  ['a child that comes before its parent', [[WORK, 1, 2, 3], [STEP, -1, 0, 9]], [0, 0], [1]],
  ['in no step', [[WORK, -1, 0, 3], [STEP, -1, 4, 9]], [-1, 0], [1]],
  ['a step below something else', [[WORK, -1, 0, 9], [STEP, 0, 1, 5], [WORK, 1, 2, 3]], [-1, 0, 0], [1]],
  ['the sender of a step is none', [[STEP, -1, 0, 1, DISPATCH], [STEP, 0, 1, 5]], [-1, 0], [1]],
]) {
  test(`step of an item: ${situation}`, () => {
    const found = stepsOfItems(model(items));
    assert.deepEqual([...found.of], of);
    assert.deepEqual(found.steps, steps);
  });
}

test('durations by slice have percentiles, the slowest, and what is in no slice', () => {
  const items = [[WORK, -1, 0, 10], [WORK, -1, 0, 30], [WORK, -1, 0, 20], [STEP, -1, 0, 99], [WORK, -1, 0, 5], [WORK, -1, 0, 70, DISPATCH], [WORK, -1, 0, 8]];
  const slices = [0, 0, 0, 0, -1, 2, 2];
  const found = durationsBySlice(model(items), WORK, 3, (item) => slices[item]);
  assert.deepEqual(found.rows, [{ count: 3, p50: 20, p95: 30, max: 30, item: 1 }, null, { count: 1, p50: 8, p95: 8, max: 8, item: 6 }]);
  assert.equal(found.outside, 1);
  assert.deepEqual(found.slowest.map(({ item, slice }) => [item, slice]), [[1, 0], [2, 0], [0, 0], [6, 2]]);
});
