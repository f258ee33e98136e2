'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { svgDocument, xmlText } = load(['format', 'picture'], ['svgDocument', 'xmlText']);

for (const [text, expected] of [
  ['a<b>&"\'', 'a&#60;b&#62;&#38;&#34;&#39;'],
  ['\u202e\u0000]]>', '\ufffd\ufffd]]&#62;'],
  [12.5, '12.5'],
]) {
  test(`${JSON.stringify(text)} is harmless in XML`, () => assert.equal(xmlText(text), expected));
}

test('boxes become rectangles and texts that end where they do', () => {
  const svg = svgDocument(100, 40, '#ffffff', [
    { x: 1.23456, y: 2, width: 50, height: 20, fill: 'rgb(1, 2, 3)', ink: '#000', text: '<b>' },
    { x: 60, y: 2, width: 4, height: 20, fill: '#fff', ink: '#000', text: 'too narrow' },
    { x: 70, y: 2, width: 20, height: 20 },
  ]);
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="100" height="40" viewBox="0 0 100 40"/);
  assert.match(svg, /<rect x="1\.23" y="2" width="50" height="20" fill="rgb\(1, 2, 3\)"\/><svg x="1\.23"/);
  assert.match(svg, /fill="#000">&#60;b&#62;<\/text>/);
  assert.doesNotMatch(svg, /too narrow|undefined|NaN/);
});
