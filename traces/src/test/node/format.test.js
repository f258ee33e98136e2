'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { duration, percent, count, rate, change, harmless, isolated, clip, tickLabel, tickStep } =
  load(['format'], ['duration', 'percent', 'count', 'rate', 'change', 'harmless', 'isolated', 'clip', 'tickLabel', 'tickStep']);

for (const [nanos, text] of [
  [0, '0 ns'], [999, '999 ns'], [1000, '1.00 µs'], [9994, '9.99 µs'], [9996, '10.0 µs'], [999_499, '999 µs'], [999_500, '1.00 ms'],
  [999_499_999, '999 ms'], [999_500_000, '1.00 s'], [59_949_000_000, '59.9 s'], [59_950_000_000, '1m 00s'],
  [3_599_499_999_999, '59m 59s'], [3_599_500_000_000, '1h 00m'], [90_061_000_000_000, '25h 01m'], [-1500, '−1.50 µs'],
]) {
  test(`${nanos} ns is ${text}`, () => assert.equal(duration(nanos), text));
}

for (const [part, whole, text] of [[0, 0, '0%'], [0, 5, '0%'], [1, 3, '33%'], [1, 100, '1.0%'], [9.94, 100, '9.9%'], [9.96, 100, '10%'], [-1, 50, '-2.0%']]) {
  test(`${part} of ${whole} is ${text}`, () => assert.equal(percent(part, whole), text));
}

test('one and many are counted in words', () => {
  assert.equal(count(1, 'span'), '1 span');
  assert.equal(count(12_345_678, 'span'), '12,345,678 spans');
  assert.equal(count(2, 'match', 'matches'), '2 matches');
});

test('characters that turn or end a line are replaced', () => {
  assert.equal(harmless('a\u202eb\u0000c\td\n'), 'a\ufffdb\ufffdc\td\n');
});

for (const [name, shown] of [['generate', 'generate'], ['שלום.x', '\u2066שלום.x\u2069'], ['خدمة', '\u2066خدمة\u2069'], ['世界', '世界']]) {
  test(`the name ${name} leaves numbers beside it where they are`, () => assert.equal(isolated(name), shown));
}

test('a long text ends with an ellipsis', () => {
  assert.equal(clip('abcdef', 6), 'abcdef');
  assert.equal(clip('abcdefg', 6), 'abcde…');
  assert.equal(clip('abcd😀g', 6), 'abcd…');
  assert.equal(clip('abc😀fg', 6), 'abc😀…');
});

for (const [span, ticks, step] of [[1e9, 10, 1e8], [1e9, 9, 2e8], [7, 100, 1], [600e9, 5, 120e9], [3600e9, 4, 1800e9], [0, 3, 1]]) {
  test(`${span} ns with room for ${ticks} ticks has one each ${step} ns`, () => assert.equal(tickStep(span, ticks), step));
}

for (const [nanos, step, text] of [[0, 1, '0'], [1.5e9, 5e8, '1.5 s'], [2e6, 1e6, '2 ms'], [90 * 60e9, 60e9, '1h 30m'], [-2e3, 1e3, '−2 µs']]) {
  test(`${nanos} ns among ticks of ${step} ns is ${text}`, () => assert.equal(tickLabel(nanos, step), text));
}

for (const [perSecond, text] of [[0, '0/s'], [12.34, '12.3/s'], [1234.5, '1,235/s'], [1, '1.00/s'], [0.5, '30.0/min'], [1 / 60, '1.00/min'], [0.001, '3.60/h']]) {
  test(`${perSecond} a second is ${text}`, () => assert.equal(rate(perSecond), text));
}

for (const [now, before, text] of [[150, 100, '+50%'], [100, 150, '−33%'], [102, 100, '+2.0%'], [100, 100, 'the same'], [0, 5, '–'], [5, 0, '–']]) {
  test(`${now} after ${before} is ${text}`, () => assert.equal(change(now, before), text));
}
