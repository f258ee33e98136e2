'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { barKey, barOfKey, hasMoments, moveMoments } = load(['address'], ['barKey', 'barOfKey', 'hasMoments', 'moveMoments']);

const bars = [0, 5, 5, 5, 9].map((start) => ({ start }));

for (const [number, key] of [[0, '@0'], [1, '@5.0'], [2, '@5.1'], [3, '@5.2'], [4, '@9']]) {
  test(`bar ${number} is found again by its key ${key}`, () => {
    assert.equal(barKey(bars, number), key);
    assert.equal(barOfKey(bars, key), number);
  });
}

for (const [what, key, number] of [
  ['of a page before', '@5', 3], ['of a bar that has been joined with another', '@7.0', 3], ['of a bar of which fewer are left', '@5.9', 3],
  ['before all', '@-1', -1], ['by number', '2', 2], ['by a number that is not there', '7', -1], ['without sense', '@x', -1], ['without sense', '', -1],
]) {
  test(`the key ${key} ${what} leads to ${number}`, () => assert.equal(barOfKey(bars, key), number));
}

const EPOCH = 1_764_500_000_000_000_000n;
const model = { epoch: EPOCH - 1000n, wall: 5000 };

for (const [before, after] of [
  ['zoom=10..20', 'zoom=1010..1020'], ['zoom=-10..20', 'zoom=990..1020'], ['tracezoom=1..2&range=3..4', 'tracezoom=1001..1002&range=1003..1004'],
  ['cell=actor host@77 7@500.1', 'cell=actor host@77 7@1500.1'], ['cell=3.5', 'cell=3.5'], ['whysteps=@5.0..@9', 'whysteps=@1005.0..@1009'], ['whysteps=3', 'whysteps=3'], ['pair=@7', 'pair=@1007'],
  ['callsof=steps @5 @-9', 'callsof=steps @1005 @991'], ['callsof=worker actor a@5', 'callsof=worker actor a@5'], ['took=5..9&query=dur>5', 'took=5..9&query=dur>5'],
]) {
  test(`moments since a later first span are moved: ${before}`, () => {
    const parameters = new URLSearchParams([...new URLSearchParams(before), ['since', String(EPOCH)]]);
    moveMoments(parameters, model);
    parameters.delete('since');
    assert.equal(parameters.toString(), new URLSearchParams(after).toString());
    assert.equal(hasMoments(parameters), before !== after);
  });
}

for (const [what, since] of [['without their beginning', null], ['of another run', String(EPOCH + 5_000_000n)], ['with a beginning without sense', 'x']]) {
  test(`moments ${what} stay as they are`, () => {
    const parameters = new URLSearchParams({ zoom: '10..20', ...(since !== null && { since }) });
    moveMoments(parameters, model);
    assert.equal(parameters.get('zoom'), '10..20');
  });
}
