'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { layersOf, orderedLayers, graphLayout, callLine, pointAt, textPlaces } =
  load(['graph'], ['layersOf', 'orderedLayers', 'graphLayout', 'callLine', 'pointAt', 'textPlaces']);

const calls = (...pairs) => pairs.map(([from, to]) => ({ from, to }));

test('a caller stands left of all that it calls', () => {
  assert.deepEqual(layersOf(5, calls([0, 1], [0, 2], [1, 2], [2, 3])), [0, 1, 2, 3, 0]);
});

for (const [what, count, pairs, layers] of [
  ['no services', 0, [], []],
  ['one service that calls itself', 1, [[0, 0]], [0]],
  ['a ring is cut at its rarest call', 3, [[0, 1], [1, 2], [2, 0]], [0, 1, 2]],
  ['two that call each other, the first call being the more frequent', 2, [[1, 0], [0, 1]], [1, 0]],
  ['nobody calls anybody', 3, [], [0, 0, 0]],
]) {
  test('layers: ' + what, () => assert.deepEqual(layersOf(count, calls(...pairs)), layers));
}

test('callees stand in the order of their callers', () => {
  // a calls d, and b calls c: c and d change places.
  assert.deepEqual(orderedLayers(4, calls([0, 3], [1, 2])), [[0, 1], [3, 2]]);
});

const overlaps = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

for (const room of [362, 1200, 2300]) {
  test(`boxes of a hundred services do not overlap, in ${room} px`, () => {
    const pairs = calls(...Array.from({ length: 300 }, (_, i) => [(i * 7) % 100, (i * 13 + 1) % 100]));
    const { boxes, width, height } = graphLayout(100, pairs, room);
    boxes.forEach((box, i) => {
      assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height, `box ${i} in the picture`);
      for (let other = 0; other < i; other++) assert.ok(!overlaps(box, boxes[other]), `${other} and ${i}`);
    });
  });
}

test('a line leads from its caller to its callee', () => {
  const { boxes, isUpright } = graphLayout(2, calls([0, 1]), 1000);
  const line = callLine(boxes[0], boxes[1], isUpright, false);
  assert.deepEqual(pointAt(line, 0), [boxes[0].x + boxes[0].width, boxes[0].y + boxes[0].height / 2]);
  assert.deepEqual(pointAt(line, 1), [boxes[1].x, boxes[1].y + boxes[1].height / 2]);
});

test('texts keep away from boxes and from each other', () => {
  const line = [[0, 0], [100, 0], [200, 0], [300, 0]];
  const places = textPlaces([line, line, line], [60, 60, 400], [{ x: 120, y: -20, width: 60, height: 40 }]);
  assert.ok(Math.abs(places[0][0] - 150) >= 60, 'not on the box in the middle');
  assert.ok(Math.abs(places[0][0] - places[1][0]) >= 60, 'side by side');
  assert.equal(places[2], null, 'no room');
});
