'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { HeatMatrix, peersOf, peerMedians, heatOrder, heatOutliers, heatScale, columnsTogether, moveCell, unpackCells, itemOfCell } = load(
  ['format', 'packed', 'workers', 'model', 'slices', 'heat'],
  ['HeatMatrix', 'peersOf', 'peerMedians', 'heatOrder', 'heatOutliers', 'heatScale', 'columnsTogether', 'moveCell', 'unpackCells', 'itemOfCell']);

const _ = NaN; // took no part

/** A matrix of rows of values; steps are one each unless told. */
function matrix(rows, more = {}) {
  return new HeatMatrix({ rows: rows.length, steps: more.steps || rows[0].map(() => 1), values: Float64Array.from(rows.flat()), ...more });
}

const valuesOf = (made) => Array.from({ length: made.rows }, (unused, row) => Array.from({ length: made.columns }, (none, column) => made.at(row, column)));

/** The order of workers that are all peers. */
function order(rows, by = 'outlier', ranks = rows.map((unused, row) => String(row))) {
  const made = matrix(rows);
  return heatOrder(made, peerMedians(made, rows.map(() => 0)), by, ranks);
}

for (const [situation, rows, expected] of [
  ['one that takes longer', [[1, 1], [1, 1], [9, 9], [1, 1]], [2, 0, 1, 3]],
  ['one that takes less', [[5, 5], [5, 5], [5, 5], [0, 0]], [3, 0, 1, 2]],
  ['one bad step comes after several', [[1, 1, 1], [1, 1, 8], [6, 6, 6], [1, 1, 1], [1, 1, 1]], [2, 1, 0, 3, 4]],
  ['differences below a hundredth move none', [[1000, 1000], [1001, 1002], [1003, 1000], [9000, 9000], [1000, 1004]], [3, 0, 1, 2, 4]],
  ['all are equal', [[3], [3], [3]], [0, 1, 2]],
  ['one took no part at all, and one in half of it', [[_, _], [1, 1], [_, 9], [1, 1], [1, 1]], [2, 1, 3, 4]],
  ['a single worker', [[7, 8]], [0]],
]) {
  test(`rows, outliers first: ${situation}`, () => assert.deepEqual(order(rows), expected));
}

test('rows in the order of ranks: as numbers, those without one last', () => {
  assert.deepEqual(order([[1], [1], [1], [1]], 'rank', ['10', '', '9', '10']), [2, 0, 3, 1]);
});

test('rows in the order of names: as they are numbered', () => {
  assert.deepEqual(order([[1], [9], [1]], 'name'), [0, 1, 2]);
});

test('straggler of rank 777 among a thousand is the first row', () => {
  let seed = 1;
  const noise = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const rows = Array.from({ length: 1000 }, (unused, row) => Array.from({ length: 50 }, () => (row === 777 ? 60 : 18 + 4 * noise())));
  assert.equal(order(rows)[0], 777);
});

test('peers are of one service, of small services together', () => {
  assert.deepEqual(peersOf(['a', 'a', 'a', 'b', 'c', 'b', 'a']), [0, 0, 0, 1, 1, 1, 0]);
});

test('a service that works less is no outlier beside its own', () => {
  const rows = [[9], [9], [9], [9], [1], [1], [4]];
  const made = matrix(rows);
  const medianOf = peerMedians(made, peersOf(['big', 'big', 'big', 'big', 'small', 'small', 'small']));
  assert.deepEqual(heatOrder(made, medianOf, 'outlier', []), [6, 0, 1, 2, 3, 4, 5]);
});

for (const [situation, rows, by, more, expected] of [
  ['one column each', [[1, 2, 3]], 1, {}, [[1, 2, 3]]],
  ['the mean of two', [[1, 3, 5, 7]], 2, {}, [[2, 6]]],
  ['the last is shorter', [[2, 4, 9]], 2, {}, [[3, 9]]],
  ['by the steps that each has', [[2, 6]], 2, { steps: [3, 1] }, [[3]]],
  ['who took no part in one of two has half', [[_, 4]], 2, {}, [[2]]],
  ['who took no part in both has nothing', [[_, _, 1]], 2, {}, [[_, 1]]],
  ['of longest spans the longest', [[1, 3, _, 7]], 2, { isLongest: true }, [[3, 7]]],
]) {
  test(`columns that are joined: ${situation}`, () => assert.deepEqual(valuesOf(matrix(rows, more).joined(by)), expected));
}

test('shares of joined columns are of the time of both', () => {
  const joined = matrix([[1, 3]], { parts: Float64Array.from([10, 2]) }).joined(2);
  assert.equal(joined.shade(0, 0), 4 / 12);
});

for (const [columns, pixels, expected] of [[200, 1000, 1], [200, 600, 1], [200, 599, 2], [2000, 350, 18], [1, 1000, 1], [5, 0, 5]]) {
  test(`${columns} columns on ${pixels} pixels are drawn ${expected} as one`, () => assert.equal(columnsTogether(columns, pixels), expected));
}

test('outliers: the furthest first, of equal ones the first row, none that is as its peers', () => {
  const made = matrix([[1, 1, 1], [1, 5, 9], [1, 1, 1], [5, 1, 1]]);
  const found = heatOutliers(made, peerMedians(made, [0, 0, 0, 0]), 2);
  assert.deepEqual(found.map(({ row, column, value, median }) => [row, column, value, median]), [[1, 2, 9, 1], [1, 1, 5, 1]]);
  assert.equal(heatOutliers(made, peerMedians(made, [0, 0, 0, 0])).length, 3);
});

for (const [situation, values, low, high, cut] of [
  ['from zero to the most', [1, 2, 10], 0, 10, 0],
  ['all of one size begin at the least', [90, 95, 100], 80, 100, 0],
  ['all equal', [5, 5, 5], 4, 5, 0],
  ['nothing at all', [], 0, 0, 0],
  ['only zeros', [0, 0], 0, 0, 0],
  ['an outlier does not flatten the others', [...new Array(200).fill(10), 10_000], 0, 30, 1],
  ['a few among zeros are not cut', [...new Array(500).fill(0), 30, 40], 0, 40, 0],
]) {
  test(`scale: ${situation}`, () => {
    const made = values.length ? matrix([values]) : matrix([[_]]);
    const scale = heatScale(made, [0]);
    assert.deepEqual([scale.low, scale.high, values.filter(scale.isCut).length], [low, high, cut]);
  });
}

test('scale: least, median and most are those of all cells, also of those that are cut', () => {
  const scale = heatScale(matrix([[...new Array(200).fill(10), 10_000, _]]), [0]);
  assert.deepEqual([scale.least, scale.median, scale.most, scale.of(10), scale.of(10_000)], [10, 10, 10_000, 10 / 30, 1]);
});

for (const [key, from, to] of [
  ['ArrowRight', [3, 4], [3, 5]], ['ArrowLeft', [3, 0], [3, 0]], ['ArrowUp', [0, 4], [0, 4]], ['ArrowDown', [3, 4], [4, 4]],
  ['ArrowDown', [9, 4], [9, 4]], ['PageDown', [3, 4], [8, 4]], ['PageUp', [3, 4], [0, 4]], ['Home', [3, 4], [3, 0]], ['End', [3, 4], [3, 19]],
]) {
  test(`${key} moves the cell from ${from} to ${to}`, () => {
    assert.deepEqual(moveCell({ row: from[0], column: from[1] }, { key }, 10, 20, 5), { row: to[0], column: to[1] });
  });
}

test('Control with Home and End moves to the corners, the first key to the first cell, others nowhere', () => {
  assert.deepEqual(moveCell({ row: 3, column: 4 }, { key: 'End', ctrlKey: true }, 10, 20, 5), { row: 9, column: 19 });
  assert.deepEqual(moveCell({ row: 3, column: 4 }, { key: 'Home', ctrlKey: true }, 10, 20, 5), { row: 0, column: 0 });
  assert.deepEqual(moveCell(null, { key: 'ArrowRight' }, 10, 20, 5), { row: 0, column: 0 });
  assert.equal(moveCell({ row: 3, column: 4 }, { key: 'x' }, 10, 20, 5), null);
  assert.equal(moveCell(null, { key: 'ArrowRight' }, 0, 0, 5), null);
});

test('cells are unpacked in their unit', () => {
  assert.deepEqual([...unpackCells(Uint8Array.from([0, 1, 200, 1]), 1000, 3)], [0, 1000, 200_000]);
});
