'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { WorkerNames, withoutDomain, clipMiddle } = load(['format', 'workers'], ['WorkerNames', 'withoutDomain', 'clipMiddle']);

for (const [instance, short] of [
  ['node-02.cluster.example.com:2013', 'node-02:2013'], ['node-02:2013', 'node-02:2013'], ['10.0.0.12:2013', '10.0.0.12:2013'],
  ['com.acme.Worker', 'com.acme.Worker'], ['node-02.example.com', 'node-02.example.com'], ['', ''], ['fe80::1:7', 'fe80::1:7'],
]) {
  test(`the instance ${instance} is ${short} where there is little room`, () => assert.equal(withoutDomain(instance), short));
}

const process = (service, instance, rank = '') => ({ service, instance, rank });

test('a domain is left out unless two processes would look the same', () => {
  const names = new WorkerNames([
    process('actor', 'a.east.example.com:1'), process('actor', 'a.west.example.com:1'), process('actor', 'b.east.example.com:1'),
    process('judge', 'b.east.example.com:1'), process('actor', 'c.east.example.com:1', '7'), process('', ''),
  ]);
  names.add(9, process('other', 'd.example.com:5'));
  names.add(0, process('never', 'added'));
  assert.deepEqual([0, 1, 2, 3, 4, 5, 9, 10, -1].map((number) => names.short(number)), [
    'actor a.east.example.com:1', 'actor a.west.example.com:1', 'actor b:1', 'judge b:1', 'actor · rank 7', '(unnamed process)', 'other d:5', 'process 11', '(not in these files)']);
  assert.equal(names.full(2), 'actor b.east.example.com:1');
  assert.equal(names.inWords(2), 'actor b:1');
  assert.equal(names.inWords(4), 'actor c:1 · rank 7');
  assert.equal(names.inWords(10), 'process 11');
  assert.equal(names.full(4), 'actor c.east.example.com:1 · rank 7');
  names.add(11, process('other', 'd.another.com:5'));
  assert.equal(names.short(9), 'other d.example.com:5');
});

for (const [text, length, shown] of [
  ['abcdef', 6, 'abcdef'], ['abcdefg', 6, 'abc…fg'], ['abcdefg', 5, 'ab…fg'], ['abcdefg', 3, 'a…g'], ['abcdefg', 2, 'a…'], ['abcdefg', 1, '…'], ['abc😀😀g', 6, 'abc…g'], ['a😀cdefg', 5, 'a…fg'],
]) {
  test(`${text} in ${length} characters keeps both ends: ${shown}`, () => assert.equal(clipMiddle(text, length), shown));
}

test('workers that differ at the end alone look different', () => {
  const same = 'actor ' + 'x'.repeat(300);
  assert.notEqual(clipMiddle(same + ':1', 60), clipMiddle(same + ':2', 60));
});
