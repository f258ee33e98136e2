'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

/** Stands for whatever a document has. */
const anything = new Proxy(() => {}, {
  get: (_, key) => (key === Symbol.toPrimitive ? () => '' : anything), set: () => true, apply: () => anything,
});

/** The page of some runs, opened at a place. */
function opened(runs, { pathname = '/runs/index.html', hash = '' }) {
  const data = { runs: runs.map((run, i) => ({ run: 'run-' + i, start: i, wall: 1, died: 0, ...run })), dirs: ['out'], leftOut: 0 };
  Object.assign(globalThis, {
    location: { pathname, hash }, matchMedia: anything, addEventListener: () => {},
    document: new Proxy({}, { get: (_, key) => (key === 'getElementById' ? (id) => (id === 'data' ? { textContent: JSON.stringify(data) } : anything) : anything) }),
  });
  return load(['dom', 'format', 'theme', 'address', 'export', 'runs-index'], ['app']);
}

for (const [what, median, expected] of [['steps', 5, 'median'], ['no steps', 0, 'wall']]) {
  test(`of runs with ${what} an address without a value shows ${expected}`, () => {
    const { app } = opened([{ median }], {});
    const [index] = app.address.holders;
    assert.equal(index.trend, expected);
    for (const trend of ['spans', null, 'errors', 'toString']) {
      index.restore(new URLSearchParams(trend ? { trend } : {}));
      assert.equal(index.trend, ['spans', 'errors'].includes(trend) ? trend : expected);
      const saved = new URLSearchParams();
      index.save(saved);
      assert.equal(saved.get('trend') ?? expected, index.trend);
    }
  });
}

for (const pathname of ['/runs/all%20runs.html', '/caf%E9/all%20runs.html', '/runs/', '/runs/%E9.html']) {
  test(`page at ${pathname} is shown`, () => assert.equal(opened([{ median: 0 }], { pathname }).app.report.run, 'runs'));
}
