'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { StepsChart, UNLISTED, REST } = load(['search', 'steps'], ['StepsChart', 'UNLISTED', 'REST']);

/** A chart whose legend lists two phases, of a run with these names and two more. */
function chart(phase = -1) {
  const names = ['pipeline_step', 'generate', 'train', 'save', 'worker.generate'].map((name) => ({ name }));
  globalThis.app = { report: { names }, model: { report: { names }, unnamed: new Map() }, colors: { place: (number) => number } };
  return Object.assign(Object.create(StepsChart.prototype), { listed: [1, 2], phase, show() {} });
}

for (const [what, address, phase] of [
  ['no phase', '', -1],
  ['a phase', 'phase=train', 2],
  ['what is unattributed', 'phase=', REST],
  ['the step itself', 'phase=pipeline_step', -1],
  ['a span that is no phase', 'phase=worker.generate', -1],
  ['a phase that the legend does not list', 'phase=save', -1],
  ['a name of another run', 'phase=rollout', -1],
]) {
  test(`an address with ${what} shows ${phase === -1 ? 'all phases' : 'that alone'}`, () => {
    const view = chart(1);
    view.restore(new URLSearchParams(address));
    assert.equal(view.phase, phase);
  });
}

// 100 long: 40 of generate, 20 of train, 15 of save, 5 in phases that it does not name, 20 in none.
const bar = { steps: 1, wall: 100, rest: 20, phases: [1, 40, 2, 20, 3, 15] };

for (const [what, phase, drawn, named] of [
  ['all', -1, [[1, 40], [2, 20], [UNLISTED, 20], [REST, 20]], [[1, 40], [2, 20], [3, 15], [UNLISTED, 5], [REST, 20]]],
  ['a phase', 2, [[2, 20]], [[2, 20]]],
  ['those that the legend does not list', UNLISTED, [[UNLISTED, 20]], [[3, 15], [UNLISTED, 5]]],
]) {
  test(`a bar of ${what} draws only what the legend lists, and names more`, () => {
    assert.deepEqual(chart(phase).parts(bar), drawn);
    assert.deepEqual(chart(phase).parts(bar, true), named);
  });
}

test('the table has a column for each phase of the legend, and one for the others', () => {
  const view = chart();
  app.model.nameOf = (number) => app.report.names[number].name;
  assert.deepEqual(view.csv([{ label: '7', start: 5, ...bar }]), [
    ['label', 'start_ns', 'steps', 'took_ns', 'generate_ns', 'train_ns', 'phases_not_listed_ns', 'unattributed_ns'],
    ['7', 5, 1, 100, 40, 20, 20, 20]]);
});
