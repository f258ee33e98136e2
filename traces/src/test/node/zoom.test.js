'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { LanesView, TraceView } = load(['view', 'trace'], ['LanesView', 'TraceView']);

/** Where a view is after a step of the zoom; a span is from 100 to 200. */
function zoomed(kind, from, to, selected) {
  const places = selected < 0 ? [] : [[selected, 0]];
  globalThis.app = { model: { start: [100], end: [200] }, timeline: { view: { from, to, selected } } };
  let seen;
  const view = Object.assign(Object.create(kind.prototype), { view: { from, to, selected }, from, to, rows: { place: new Map(places) }, set: (...range) => { seen = range; } });
  view.zoom(0.5);
  delete globalThis.app;
  return seen;
}

for (const kind of [LanesView, TraceView]) {
  for (const [what, from, to, selected, expected] of [
    ['its middle', 0, 1000, -1, [250, 750]],
    ['its middle, where a span was open before the run', -3000, 1000, -1, [-2000, 0]],
    ['the selected span', 0, 1000, 0, [75, 575]],
    ['its middle, where the selected span is not in sight', 400, 1000, 0, [550, 850]],
  ]) {
    test(`${kind.name} zooms into ${what}`, () => assert.deepEqual(zoomed(kind, from, to, selected), expected));
  }
}
