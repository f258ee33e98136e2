'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { completions, parseQuery, attributeKeys, queryOf, readable } = load(
  ['format', 'packed', 'workers', 'model', 'query', 'matches', 'completion', 'filter'], ['completions', 'parseQuery', 'attributeKeys', 'queryOf', 'readable']);

const model = {
  report: {
    names: [{ name: 'pipeline_step' }, { name: 'worker.generate' }, { name: 'GET /a b' }, { name: 'say "hi"*' }, { name: '' }],
    workers: [
      { service: 'actor', instance: 'actor-a', rank: '0', host: 'gpu-0', pid: '4711' },
      { service: 'actor', instance: 'actor-b', rank: '12', host: 'gpu-1', pid: '4712' },
      { service: '', instance: '', rank: '', host: '', pid: '' },
    ],
    steps: { together: 1, bars: [{ label: '7' }, { label: '' }] },
  },
  unnamed: new Map([[9, 'hangs']]),
};
const ATTRIBUTES = ['http.status_code', 'name', 'odd key'];
const texts = (typed) => completions(model, typed, ATTRIBUTES).options.map(({ text }) => text);

for (const [typed, options] of [
  ['st', ['status:', 'step:', 'start>', 'name=pipeline_step', 'http.status_code=']],
  ['x sta', ['status:', 'start>', 'http.status_code=']],
  ['status:', ['status:error', 'status:ok', 'status:open']],
  ['status:O', ['status:ok', 'status:open', 'status:error']],
  ['-status=er', ['status=error']],
  ['rank:', ['rank:0', 'rank:12']],
  ['rank:1', ['rank:12']],
  ['name:gen', ['name=worker.generate']],
  ['name=', ['name=pipeline_step', 'name=worker.generate', 'name="GET /a b"', 'name="say \\"hi\\"*"', 'name=""', 'name=hangs']],
  ['name="get /', ['name="GET /a b"']],
  ['worker:b', ['worker:actor-b']],
  ['host!=', ['host!=gpu-0', 'host!=gpu-1']],
  ['step:', ['step:7']],
  ['path:', ['path:yes', 'path:no']],
  ['odd', ['"odd key"=']],
  ['dur>', []],
  ['http.status_code=', []],
  ['"pip', []],
  ['zzz', []],
]) {
  test(`${typed} goes on`, () => assert.deepEqual(texts(typed), options));
}

test('an empty query begins with any key', () => {
  assert.equal(texts('')[0], 'name:');
  assert.equal(texts('').length, 12);
  assert.equal(completions(model, 'rank:3 ', ATTRIBUTES).from, 7);
});

test('a chosen term replaces what was typed behind its minus', () => {
  assert.equal(completions(model, 'rank:3 -sta', ATTRIBUTES).from, 8);
});

test('what is offered can be read', () => {
  for (const typed of ['status:', 'name=', 'rank:', 'worker:', 'g', 'odd', 'hi']) {
    for (const text of texts(typed)) assert.equal(parseQuery(text.endsWith('=') ? text + '1' : text)[0].length, 1, text);
  }
});

test('keys of attributes are sorted by how many spans have them', async () => {
  const lines = ['["0000000000000001",null,{"a":{"b":1,"a":2}}]\n', '["0000000000000002",null,0]\n', '["0000000000000003",5,{"a":{"a":1}}]\n'];
  const text = new TextEncoder().encode(lines.join(''));
  const ends = [...text.keys()].filter((at) => text[at] === 10);
  assert.deepEqual(await attributeKeys({ details: async () => ({ text, ends }) }), ['a', 'b']);
});

for (const [filter, query] of [
  [{ text: 'rank:3' }, 'rank:3'],
  [{ name: 'worker.generate' }, 'name=worker.generate'],
  [{ name: 'a "b"*', from: 1, to: 2.4 }, 'name="a \\"b\\"*" dur>=1ns dur<2ns'],
  [{ name: '', from: 0, to: Infinity }, 'name="" dur>=0ns'],
  [{ worker: 'actor vm:4711' }, 'worker="actor vm:4711"'],
  [{ worker: 'driver', name: 'train' }, 'worker=driver name=train'],
  [{ name: 'train', waited: 1234567 }, 'name=train queue>=1234567ns'],
]) {
  test(`${JSON.stringify(filter)} is a query`, () => assert.equal(queryOf(filter), query));
}

test('an address of before queries finds the text as it is', () => {
  assert.equal(readable('out of memory'), 'out of memory');
  assert.equal(readable('say "hi'), '"say \\"hi"');
  assert.equal(readable('a<b'), '"a<b"');
});
