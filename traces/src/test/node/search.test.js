'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { findItems, DISPATCH } = load(['model', 'query', 'search'], ['findItems', 'DISPATCH']);

/** Each span is called by the one before; calls have two, that of the sender first. */
function chain(size) {
  const isSent = (item) => item % 2 === 1;
  return {
    items: size,
    parent: Int32Array.from({ length: size }, (_, item) => item - 1),
    name: Uint16Array.from({ length: size }, (_, item) => (item === 0 ? 0 : 1)),
    flags: Uint8Array.from({ length: size }, (_, item) => (isSent(item) ? DISPATCH : 0)),
    report: { names: [{ name: 'step' }, { name: 'Worker.solve' }] },
    unnamed: new Map(),
    openOf: () => undefined,
  };
}

for (const [calls, expected] of [
  [['step'], [0]], [['step', 'Worker.solve'], [1, 2]], [['step', 'Worker.solve', 'Worker.solve'], [3, 4]], [['Worker.solve'], []],
]) {
  test(`path ${calls.join(' > ')} of a method that calls itself on Ray has its spans`, async () => {
    const found = await findItems(chain(7), { calls });
    assert.deepEqual([...found.keys()].filter((item) => found[item]), expected);
  });
}

test('callers are found however many there are', async () => {
  const found = await findItems(chain(100_001), { calls: ['step', 'Worker.solve'] });
  assert.equal(found.reduce((sum, one) => sum + one), 2);
});
