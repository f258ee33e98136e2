'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const page = load(['format', 'pair', 'against'], [
  'changeHeadline', 'factorWords', 'verdictWords', 'countedClasses', 'sharedClasses',
  'slowerWorkersWords', 'workerKeys', 'pairedBar', 'mostGrown', 'chosenSteps', 'unionNanos', 'pairedLanes', 'lanesOfStep',
]);

const steps = (verdict, before, after) => [{ kind: 'STEP', verdict, medianBefore: before, medianAfter: after, ratio: after / before, before: 3, after: 4 }];

for (const [changes, words] of [
  [steps('DIFFERENT', 100e6, 150e6), 'A step takes 150 ms, before it took 100 ms: 1.50 times as long'],
  [steps('NO_DIFFERENCE', 100e6, 101e6), 'A step takes about as long as before, without a significant difference: 101 ms against 100 ms'],
  [steps('NO_DIFFERENCE', 182e6, 147e6), 'A step takes 147 ms, before it took 182 ms: 0.81 times as long, but that may be chance'],
  [steps('TOO_FEW', 1, 2), 'Too few steps to tell whether they changed: 4 against 3'],
]) {
  test(words, () => assert.equal(page.changeHeadline(changes, 'step'), words));
}

for (const [change, words] of [
  [{ ratio: 1.5, low: 1.4, high: 1.6 }, '1.50 (1.40 to 1.60)'], [{ ratio: null, low: null, high: null }, '–'], [{ ratio: 2, low: 1, high: null }, '2.00 (1.00 to ∞)'],
]) {
  test(`a ratio is ${words}`, () => assert.equal(page.factorWords(change), words));
}

test('a verdict names the direction where there is a difference', () => {
  assert.equal(page.verdictWords({ verdict: 'DIFFERENT', ratio: 1.2 }), 'slower');
  assert.equal(page.verdictWords({ verdict: 'DIFFERENT', ratio: 0.8 }), 'faster');
  assert.equal(page.verdictWords({ verdict: 'DIFFERENT', ratio: null }), 'slower'); // from nothing
  assert.equal(page.verdictWords({ verdict: 'TOO_FEW', ratio: 2 }), 'too few values to tell');
  assert.equal(page.verdictWords({ verdict: 'NO_DIFFERENCE', ratio: 1.02 }), 'no difference beyond chance');
  assert.equal(page.verdictWords({ verdict: 'NO_DIFFERENCE', ratio: 0.68 }), 'may be chance');
});

test('sentences about slower workers that are left out are counted', () => {
  assert.deepEqual(page.slowerWorkersWords({ slowerWorkers: [], slowerWorkersLeftOut: 0 }), []);
  assert.deepEqual(page.slowerWorkersWords({ slowerWorkers: ['a', 'b', 'c'], slowerWorkersLeftOut: 2 }), ['a.', 'b.', 'c.', 'And 2 more (--json has them).']);
});

test('values are counted by class, and classes of two runs are the same', () => {
  assert.deepEqual(page.countedClasses([0, 1, 2, 3, 4, 4], 1), [0, 2, 1, 2, 2, 2]);
  assert.deepEqual(page.sharedClasses([1, 2], [3, 1, 4, 3]), { first: 1, before: [1, 0, 0, 0], after: [0, 0, 0.25, 0.75] });
  assert.deepEqual(page.sharedClasses([], []), { first: 0, before: [], after: [] });
});

test('workers of two runs are the same by service and rank, or by place', () => {
  const workers = [
    { service: 'actor', rank: '10', instance: 'z' }, { service: 'driver', rank: '', instance: 'b' },
    { service: 'helper', rank: '', instance: 'y' }, { service: 'helper', rank: '', instance: 'x' },
  ];
  assert.deepEqual(page.workerKeys(workers), ['actor · rank 10', 'driver', 'helper · 2', 'helper']);
});

const bars = (...walls) => walls.map(([label, wall]) => ({ label, wall, steps: 1 }));

test('steps are paired by label, and by place only where there are none', () => {
  const now = bars(['7', 10], ['8', 20], ['9', 15]);
  const before = bars(['8', 10], ['9', 14]);
  assert.deepEqual(now.map((_, i) => page.pairedBar(now, before, i)), [-1, 0, 1]);
  assert.equal(page.mostGrown(now, before), 1);
  const [bare, others] = [bars(['', 5], ['', 6]), bars(['', 5])];
  assert.deepEqual(bare.map((_, i) => page.pairedBar(bare, others, i)), [0, -1]);
  assert.equal(page.mostGrown(bars(['1', 5], ['2', 9]), bars(['3', 1])), 1); // the longest, where none has a pair
});

test('of the steps that grew those come first that are on the page in both runs', () => {
  const bars = (...rows) => rows.map(([label, wall, item]) => ({ label, wall, steps: 1, item }));
  const now = bars(['1', 90, -1], ['2', 40, 5], ['3', 30, 6]);
  assert.equal(page.mostGrown(now, bars(['1', 10, 1], ['2', 10, -1], ['3', 10, 2])), 2);
  assert.equal(page.mostGrown(now, bars(['1', 10, 1], ['2', 10, -1])), 0); // none is
});

test('a page of chosen traces says of which run they are how many', () => {
  const some = { selection: { traces: 50, ofTraces: 1200 } };
  assert.equal(page.chosenSteps({}, {}), '');
  assert.equal(page.chosenSteps(some, {}), 'The page has the spans of 50 of 1,200 traces of this run.');
  assert.equal(page.chosenSteps(some, { selection: { traces: 1, ofTraces: 2 } }),
    'The page has the spans of 50 of 1,200 traces of this run and 1 of 2 traces of the other.');
});

test('overlapping intervals count once', () => {
  assert.equal(page.unionNanos([[5, 10], [0, 6], [20, 30], [21, 22]]), 20);
  assert.equal(page.unionNanos([]), 0);
});

test('of many workers those stay whose work differs most, and the driver', () => {
  const lanes = (nanos) => new Map(Array.from({ length: 100 }, (_, i) => [`w · rank ${i}`, { busy: nanos(i), rows: [{}] }]));
  const now = lanes((i) => (i === 77 ? 500 : 100));
  now.set('driver', { busy: 100, rows: [{}] });
  const { shown, leftOut } = page.pairedLanes(now, lanes(() => 100), new Set(['driver']));
  assert.equal(shown.length, 24);
  assert.equal(leftOut, 77);
  assert.equal(shown[0].key, 'driver');
  assert.ok(shown.some(({ key, nowNanos, beforeNanos }) => key === 'w · rank 77' && nowNanos === 500 && beforeNanos === 100));
  const ranks = shown.slice(1).map(({ key }) => Number(key.split(' ').at(-1)));
  assert.deepEqual(ranks, [...ranks].sort((a, b) => a - b));
});

test('a step has the spans that overlap it, cut to it', () => {
  const model = {
    start: [0, 0, 40, 90, 200], end: [100, 30, 60, 120, 300],
    rows: [{ worker: 0, depth: 0, first: 0, last: 1 }, { worker: 1, depth: 0, first: 1, last: 5 }, { worker: 1, depth: 1, first: 5, last: 5 }, { worker: 2, depth: 0, isOpen: true, first: 4, last: 5 }],
    firstEndingAfter(from, to, nanos) { let at = from; while (at < to && this.end[at] <= nanos) at++; return at; },
  };
  const lanes = page.lanesOfStep(model, ['driver', 'a', 'b'], 0);
  assert.deepEqual([...lanes.keys()], ['driver', 'a']);
  assert.equal(lanes.get('a').busy, 30 + 20 + 10);
  assert.deepEqual(lanes.get('a').rows, [{ first: 1, last: 4 }]);
});
