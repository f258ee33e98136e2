'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { Renumbered, StepsChart, CallSlice, HeatMap, ProfileView } = load(
  ['address', 'renumbered', 'steps', 'callslices', 'heatmap', 'why'], ['Renumbered', 'StepsChart', 'CallSlice', 'HeatMap', 'ProfileView']);

/** A state of an active run. */
function state(epoch, names, instances, starts) {
  return {
    epoch: BigInt(epoch),
    report: {
      names: names.map((name) => ({ name })), workers: instances.map((instance) => ({ service: 'actor', instance })),
      steps: { bars: starts.map((start) => ({ start })) }, heat: { columns: starts.map((start) => ({ start })) },
    },
  };
}

const old = state(1000, ['step', 'generate', 'train'], ['b:1', 'c:1'], [0, 100, 200]);
// Another order of the names, another worker, and the first step is left out.
const now = state(1100, ['train', 'step', 'generate'], ['a:1', 'b:1', 'c:1'], [0, 100, 200]);
const gone = state(5000, ['step'], ['z:1'], [0]);

for (const [what, model, name, worker, bar, shift] of [
  ['the same state', old, 1, 1, 1, 0], ['another state', now, 2, 2, 0, -100], ['a state without them', gone, -1, -1, -1, -4000],
]) {
  test(`numbers of ${what} are found by what they stand for`, () => {
    const numbers = new Renumbered(old, model);
    assert.deepEqual([numbers.name(1), numbers.worker(1), numbers.bar(1), numbers.shift], [name, worker, bar, shift]);
    assert.deepEqual([numbers.name(-1), numbers.worker(-1), numbers.bar(-1)], [-1, -1, -1]);
  });
}

/** What a view has chosen after a change. */
function after(kind, fields, model) {
  const view = Object.assign(Object.create(kind.prototype), fields);
  view.renumber(new Renumbered(old, model));
  return view;
}

for (const [what, kind, chosen, kept, lost] of [
  ['a phase shown alone', StepsChart, { phase: 1, chosen: 1 }, { phase: 2, chosen: 0 }, { phase: -1, chosen: -1 }],
  ['what is unattributed', StepsChart, { phase: -2, chosen: -1 }, { phase: -2, chosen: -1 }, { phase: -2, chosen: -1 }],
  ['the calls of a worker', CallSlice, { kind: 'worker', worker: 1, from: 0, to: 0 }, { kind: 'worker', worker: 2 }, { kind: 'all', worker: 0 }],
  ['the calls of some steps', CallSlice, { kind: 'steps', worker: 0, from: 1, to: 2 }, { kind: 'steps', from: 0, to: 1 }, { kind: 'all', from: 0, to: 0 }],
  ['a cell of the heat map', HeatMap, { cell: { worker: 1, column: 2 } }, { cell: { worker: 2, column: 1 } }, { cell: null }],
  ['no cell', HeatMap, { cell: null }, { cell: null }, { cell: null }],
  ['the profile of a worker', ProfileView, { name: 2, worker: 0, from: 1, to: 1 }, { name: 0, worker: 1, from: 0, to: 0 }, { name: -1, worker: -1, from: -1, to: -1 }],
]) {
  test(`an active run’s other state keeps ${what}, or nothing`, () => {
    for (const [model, expected] of [[now, kept], [gone, lost]]) {
      const view = after(kind, chosen, model);
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, view[key]])), expected);
    }
  });
}
