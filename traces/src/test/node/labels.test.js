'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { fitted, textWidth, textColorOn, clipMiddle } = load(['format', 'labels'], ['fitted', 'textWidth', 'textColorOn', 'clipMiddle']);

/** Wide and narrow letters: a mean would be wrong for both. */
const context = (font) => ({ font, measureText: (text) => ({ width: [...text].reduce((sum, letter) => sum + (letter === 'i' ? 2 : letter === 'W' ? 11 : 6), 0) }) });

for (const text of ['iiiiiiiiii', 'WWWWWWWWWW', 'worker.generate', 'x'.repeat(10_000), '😀'.repeat(99), '']) {
  test(`${text.slice(0, 20)} never takes more room than there is`, () => {
    for (let room = 0; room < 400; room += 7) {
      const shown = fitted(context('12px'), text, room);
      assert.ok(textWidth(context('12px'), shown) <= room, `${shown} in ${room}`);
      assert.ok(shown === '' || shown.endsWith('…') || shown === text, shown);
      assert.ok(shown.isWellFormed?.() ?? !/[\ud800-\udbff](?![\udc00-\udfff])/.test(shown), 'half a character');
    }
  });
}

for (const [room, shown] of [[5, ''], [11, ''], [12, 'a…'], [35, 'abcd…'], [36, 'abcdef'], [100, 'abcdef']]) {
  test(`abcdef in ${room} pixels is ${shown || 'nothing'}`, () => assert.equal(fitted(context('12px'), 'abcdef', room), shown));
}

test('a text of another font is measured anew', () => {
  assert.equal(textWidth({ font: 'a', measureText: () => ({ width: 1 }) }, 'same'), 1);
  assert.equal(textWidth({ font: 'b', measureText: () => ({ width: 2 }) }, 'same'), 2);
});

test('text on a colour is black or white', () => {
  assert.equal(textColorOn('#ffffff'), '#000000');
  assert.equal(textColorOn('#102030'), '#ffffff');
});

for (const [room, shown] of [[5, ''], [12, 'a…'], [18, 'a…f'], [35, 'ab…ef'], [36, 'abcdef']]) {
  test(`a worker in ${room} pixels keeps both ends: ${shown || 'nothing'}`, () => assert.equal(fitted(context('12px'), 'abcdef', room, clipMiddle), shown));
}
