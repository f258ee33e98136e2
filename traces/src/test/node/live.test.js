'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { ago, clockTime, reportIn, stateOf, troubleIn, troubleText } = load(['format', 'live'], ['ago', 'clockTime', 'reportIn', 'stateOf', 'troubleIn', 'troubleText']);

for (const [millis, text] of [
  [-5, 'just now'], [999, 'just now'], [1000, '1 s ago'], [8400, '8 s ago'], [59_999, '59 s ago'], [60_000, '1m 00s ago'], [3_725_000, '1h 02m ago'],
]) {
  test(`${millis} ms after an update the page says: ${text}`, () => assert.equal(ago(millis), text));
}

test('a time of day has two digits for each part', () => {
  assert.equal(clockTime(new Date(2026, 10, 25, 9, 6, 0)), '09:06:00');
});

test('a lost connection is told with both times', () => {
  const lost = 'Connection to the collector lost';
  assert.equal(troubleText(lost, new Date(2026, 10, 25, 19, 6, 20), new Date(2026, 10, 25, 19, 6, 18)),
    'Connection to the collector lost at 19:06:20; showing data up to 19:06:18.');
  assert.equal(troubleText(lost, new Date(2026, 10, 25, 19, 6, 20), null), 'Connection to the collector lost at 19:06:20; no data have come yet.');
});

for (const [tag, state] of [['"5fb4y-0"', '5fb4y-0'], ['W/"5fb4y-0"', '5fb4y-0'], ['5fb4y-0', '5fb4y-0'], ['', ''], [null, '']]) {
  test(`the tag ${tag} names the state '${state}'`, () => assert.equal(stateOf(tag), state));
}

for (const text of ['<html>502 Bad Gateway</html>', '', 'null', '7', '"x"', '{"error":"login"}', '{"empty":tru']) {
  test(`an answer of another server is no report: ${text}`, () => assert.equal(reportIn(text), null));
}

test('an answer of the collector is a report', () => {
  assert.deepEqual(reportIn('{"empty":true}'), { empty: true });
  assert.deepEqual(reportIn('{"run":"x","timeline":{}}'), { run: 'x', timeline: {} });
});

for (const [status, type, badge] of [
  [401, 'text/plain', 'Refused'], [403, 'text/plain; charset=utf-8', 'Refused'], [403, 'text/html', 'Refused'], [500, 'text/plain; charset=utf-8', 'No report'],
  [500, 'text/html', undefined], [502, 'text/plain', undefined], [503, 'text/html', undefined], [404, 'text/plain', undefined], [200, 'text/html', undefined],
]) {
  test(`the status ${status} as ${type} is shown as ${badge || 'a lost connection'}`, () => {
    assert.equal(troubleIn({ status, headers: new Headers({ 'Content-Type': type }) }, 'why')?.badge, badge);
  });
}
