'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { DurationsChart } = load(['percentiles', 'durations'], ['DurationsChart']);

/** As Java counts them. */
const classOf = (nanos) => Math.floor((4 * Math.log(nanos)) / Math.log(2) + 1e-9);

/** The durations that a click on a bar looks for. */
function clicked(bar) {
  let found;
  globalThis.tip = { hide: () => {} };
  globalThis.app = { timeline: { fit: () => {}, find: (filter) => { found = filter; } }, address: { go: () => {} } };
  Object.assign(Object.create(DurationsChart.prototype), { first: 0, name: { name: 'n' } }).open(bar);
  delete globalThis.tip;
  delete globalThis.app;
  return found;
}

test('a click on a bar finds the spans that it counts, and no others', () => {
  for (let nanos = 1; nanos < 5000; nanos++) {
    for (let bar = 0; bar < 52; bar++) {
      const { from, to } = clicked(bar);
      assert.equal(nanos >= from && nanos < to, bar === classOf(nanos), `${nanos} ns, bar ${bar} from ${from} to ${to}`);
    }
  }
});
