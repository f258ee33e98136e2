'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { Model } = load(['packed', 'model'], ['Model']);

test('a path that begins before the run, as that of a step that has not ended may, is read', () => {
  const model = Object.assign(Object.create(Model.prototype), { unit: 1, items: 1 });
  // Two segments from -60 on: the step itself for 60, item 0 for 50, as PageTimeline packs them.
  model.readPath({ path: [2, 119, 1, 120, 2, 100] });
  assert.deepEqual([...model.segmentItem], [-1, 0]);
  assert.deepEqual([...model.segmentStart], [-60, 0]);
  assert.deepEqual([...model.segmentEnd], [0, 50]);
});
