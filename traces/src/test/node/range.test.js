'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { Model, Mix, TimesByName, RangeStatistics, stripOf, busyLanes, namesOfRows, Strips } = load(
  ['format', 'packed', 'workers', 'model', 'mix', 'pauses', 'strips', 'range'],
  ['Model', 'Mix', 'TimesByName', 'RangeStatistics', 'stripOf', 'busyLanes', 'namesOfRows', 'Strips']);

/**
 * A model of rows of spans, each [name, start, end] and whether it failed, and of path segments, each
 * [item, start, end, isWait].
 */
function model(rows, segments = [], names = 4) {
  const made = Object.create(Model.prototype);
  const spans = rows.flatMap((row) => row.spans);
  made.report = { names: Array.from({ length: names }, (_, i) => ({ name: 'n' + i })), workers: [] };
  made.open = [];
  made.items = spans.length;
  made.start = Float64Array.from(spans, ([, start]) => start);
  made.end = Float64Array.from(spans, ([, , end]) => end);
  made.name = Uint16Array.from(spans, ([name]) => name);
  made.flags = Uint8Array.from(spans, ([, , , failed]) => (failed ? 1 : 0));
  made.spans = Uint32Array.from(spans, ([, , , , stands]) => stands || 1);
  let first = 0;
  made.rows = rows.map(({ worker = 0, lane = 0, depth = 0, spans: { length } }) => ({ worker, lane, depth, first, last: (first += length) }));
  made.segmentItem = Int32Array.from(segments, ([item]) => item);
  made.segmentStart = Float64Array.from(segments, ([, start]) => start);
  made.segmentEnd = Float64Array.from(segments, ([, , end]) => end);
  made.segmentWait = Uint8Array.from(segments, ([, , , wait]) => (wait ? 1 : 0));
  made.prepareLevels();
  return made;
}

/** The same sums, by looking at each span. */
function slowly(one, number, from, to) {
  const times = new Map();
  for (let item = from; item < to; item++) times.set(one.name[item], (times.get(one.name[item]) || 0) + one.end[item] - one.start[item]);
  return [...times].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

for (const names of [1, 3, 40, 2000]) {
  test(`sums of a row of ${names} names are those of its spans, wherever it is cut`, () => {
    const one = model([{ spans: [[0, 0, 1]] }, { worker: 1, spans: Array.from({ length: 5000 }, (_, i) => [(i * 7919) % names, 10 * i, 10 * i + 1 + (i % 9)]) }], [], names);
    const times = new TimesByName(one, (item) => one.end[item] - one.start[item]);
    const mix = new Mix(names + 2);
    for (const [from, to] of [[1, 5001], [1, 2], [70, 4000], [65, 129], [900, 900], [4990, 5001]]) {
      mix.clear();
      times.add(1, from, to, mix);
      assert.deepEqual(mix.top(names), slowly(one, 1, from, to), `${from} to ${to}`);
    }
  });
}

for (const [times, pixels, parts] of [
  [[[0, 3], [1, 1]], 4, [[0, 3], [1, 1]]],
  [[[2, 1], [0, 1], [1, 1]], 3, [[0, 1], [1, 1], [2, 1]]],
  [[[0, 99], [1, 1]], 6, [[0, 6]]],
  [[[0, 1], [1, 1], [2, 1]], 1, [[0, 1]]],
  [[[3, 5]], 6, [[3, 6]]],
  [[], 6, []],
]) {
  test(`${JSON.stringify(times)} in ${pixels} pixels are ${JSON.stringify(parts)}`, () => {
    const mix = new Mix(4);
    for (const [name, nanos] of times) mix.add(name, nanos);
    assert.deepEqual(mix.divide(pixels, (name) => name), parts);
  });
}

// A caller of 100 that calls for 20 and 30, on one lane; another worker with one that fails.
const nested = () => model([
  { depth: 0, spans: [[0, 0, 100], [0, 200, 300]] },
  { depth: 1, spans: [[1, 10, 30], [2, 40, 70]] },
  { worker: 1, depth: 0, spans: [[3, 50, 250, true, 5]] },
], [[0, 0, 10, false], [2, 10, 30, false], [4, 60, 90, true], [-1, 90, 95, false]]);

test('the whole run: time without callees, spans, errors, lanes and path', () => {
  const facts = new RangeStatistics(nested()).of(0, 400);
  assert.deepEqual(facts.names, [[3, 200], [0, 150], [2, 30], [1, 20]]);
  assert.equal(facts.busy, 400);
  assert.deepEqual([facts.spans, facts.errors, facts.lanes], [9, 1, 2]);
  assert.deepEqual(facts.path, { total: 65, names: [[-2, 30], [1, 20], [0, 10], [-1, 5]] });
});

test('a range cuts spans and their callees at its ends', () => {
  const facts = new RangeStatistics(nested()).of(20, 60);
  assert.deepEqual(facts.names, [[2, 20], [0, 10], [1, 10], [3, 10]]);
  assert.deepEqual(facts.path, { total: 10, names: [[1, 10]] });
  assert.equal(facts.busy, 50);
});

test('a range in which nothing ran is empty', () => {
  const facts = new RangeStatistics(nested()).of(310, 400);
  assert.deepEqual([facts.spans, facts.errors, facts.lanes, facts.names, facts.path.names], [0, 0, 0, [], []]);
});

test('a range within one span has its time alone', () => {
  const facts = new RangeStatistics(nested()).of(210, 220);
  assert.deepEqual(facts.names, [[0, 10], [3, 10]]);
});

test('a strip says of each column how many lanes were at what', () => {
  const one = model([{ spans: [[0, 0, 10], [1, 10, 40]] }, { worker: 1, spans: [[0, 5, 15]] }]);
  const strip = stripOf(one, one.rows, [0], 0, 40, 4);
  assert.deepEqual(Array.from(strip.busy), [1.5, 0, 0.5, 1, 0, 1, 0, 1]);
  assert.deepEqual([0, 1, 2, 3].map((column) => busyLanes(strip, column)), [1.5, 1.5, 1, 1]);
  assert.equal(busyLanes(strip), 1.25);
});

test('a strip of a part of the time counts what lies in it', () => {
  const one = model([{ spans: [[0, 0, 100]] }]);
  assert.deepEqual(Array.from(stripOf(one, one.rows, [0], 25, 75, 2).busy), [1, 0, 1, 0]);
});

test('a strip tells the names with the most time apart', () => {
  const one = model([{ spans: [[0, 0, 10], [1, 10, 40], [2, 40, 45]] }]);
  assert.deepEqual(namesOfRows(one, one.rows, 2), [1, 0]);
});

test('errors of a group are found without a look at each span', () => {
  const spans = Array.from({ length: 1000 }, (_, i) => [0, 10 * i, 10 * i + 5, i % 400 === 7]);
  const one = model([{ spans: spans.map((span) => span.slice(0, 3)) }, { worker: 1, spans }]);
  const group = { lanes: [{ rows: [one.rows[0]] }, { rows: [one.rows[1]] }] };
  assert.deepEqual(new Strips(one).errors(group, 0, 10_000), [1007, 1407, 1807]);
  assert.deepEqual(new Strips(one).errors(group, 80, 4100), [1407]);
});
