'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { ago, clockTime, lostText } = load(['format', 'live'], ['ago', 'clockTime', 'lostText']);

for (const [millis, text] of [
  [-5, 'just now'], [999, 'just now'], [1000, '1 s ago'], [8400, '8 s ago'], [59_999, '59 s ago'], [60_000, '1m 00s ago'], [3_725_000, '1h 02m ago'],
]) {
  test(`${millis} ms after an update the page says: ${text}`, () => assert.equal(ago(millis), text));
}

test('a time of day has two digits for each part', () => {
  assert.equal(clockTime(new Date(2026, 10, 25, 9, 6, 0)), '09:06:00');
});

test('a lost connection is told with both times', () => {
  assert.equal(lostText(new Date(2026, 10, 25, 19, 6, 20), new Date(2026, 10, 25, 19, 6, 18)),
    'Connection to the collector lost at 19:06:20; showing data up to 19:06:18.');
  assert.equal(lostText(new Date(2026, 10, 25, 19, 6, 20), null), 'Connection to the collector lost at 19:06:20; no data have come yet.');
});
