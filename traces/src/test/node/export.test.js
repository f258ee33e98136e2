'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { shellWord, csvField } = load(['export'], ['shellWord', 'csvField']);

for (const [text, word] of [
  ['output/otlp', 'output/otlp'], ['--run=a-b_1', '--run=a-b_1'], ['my dir', "'my dir'"], ["it's", "'it'\\''s'"], ['$(rm)', "'$(rm)'"], ['a;b', "'a;b'"], ['', "''"], ['a\nb', "'a\nb'"],
]) {
  test(`a shell takes ${JSON.stringify(text)} for one word`, () => assert.equal(shellWord(text), word));
}

for (const [value, field] of [[null, ''], [1.5, '1.5'], ['a,b', '"a,b"'], ['=1+1', "'=1+1"], ['say "x"', '"say ""x"""']]) {
  test(`${JSON.stringify(value)} is the field ${field}`, () => assert.equal(csvField(value), field));
}
