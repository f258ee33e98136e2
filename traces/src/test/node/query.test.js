'use strict';

const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { parseQuery, QueryError, matchingItems, quoted } =
  load(['format', 'packed', 'workers', 'model', 'details', 'query', 'matches'], ['parseQuery', 'QueryError', 'matchingItems', 'quoted']);

const vectors = JSON.parse(fs.readFileSync(path.join(__dirname, '../resources/io/rollotel/traces/query/query-vectors.json'), 'utf8'));

/** A number that JSON has and JavaScript does not is a text on the page. */
const onPage = (value) => (typeof value === 'number' && Math.abs(value) >= 2 ** 53 && value < 1e20 ? String(value) : value);

/** What Model has of some spans, each a row and a worker of its own; those that are open last. */
function modelOf(spans) {
  const ended = spans.filter((span) => !span.open);
  const lines = ended.map((span, item) => {
    const attributes = Object.fromEntries(Object.entries(span.attributes).map(([key, value]) => [key, onPage(value)]));
    return { item, line: JSON.stringify([span.span, span.queueNanos ?? null, { a: attributes, ...(span.error && { error: span.error }) }]) };
  }).reverse(); // the most important first
  const text = new TextEncoder().encode(lines.map(({ line }) => line + '\n').join(''));
  const ends = [...text.keys()].filter((at) => text[at] === 10);
  const itemOf = Int32Array.from(lines, ({ item }) => item);
  const traces = [...new Set(spans.map(({ trace }) => trace))];
  const item = (id) => spans.findIndex(({ span }) => span === id);
  return {
    items: spans.length, ended: ended.length,
    report: {
      names: ended.map(({ name }) => ({ name })),
      steps: { areTraces: false, together: 1, bars: spans.filter(({ name }) => name === 'pipeline_step').map(({ span, step }) => ({ item: item(span), label: step })) },
    },
    unnamed: new Map(spans.slice(ended.length).map(({ name }, i) => [ended.length + 1 + i, name])),
    rows: spans.map((_, i) => ({ worker: i, first: i, last: i + 1 })),
    process: (number) => ({ rank: '', ...spans[number] }),
    name: spans.map((span, i) => (span.open ? i + 1 : i)),
    start: spans.map(({ start }) => start * 1e6),
    end: spans.map(({ end }) => end * 1e6),
    flags: spans.map((span) => (span.error ? 1 : 0) | (span.path ? 2 : 0)),
    parent: spans.map(({ parent }) => item(parent)),
    open: spans.map((span, i) => ({ item: i, id: span.span, isOpen: span.open })).filter(({ isOpen }) => isOpen),
    traceNumbers: () => spans.map(({ trace }) => traces.indexOf(trace) + 1),
    traceTexts: () => traces,
    details: async () => ({ text, ends, itemOf }),
  };
}

const matchesOf = async (model, query, spans = vectors.spans) => {
  const found = await matchingItems(model, parseQuery(query));
  return spans.filter((_, item) => found[item]).map(({ id }) => id);
};

// Of all, whose details are not ASCII, and of as many as are: they are searched in another way.
const ascii = vectors.spans.filter((span) => /^[\x00-\x7f]*$/.test(JSON.stringify(span)));

for (const { query, matches, error, at } of vectors.queries) {
  test(`${query} ${error ? 'is refused' : 'finds what it says'}`, async () => {
    if (error) {
      assert.throws(() => parseQuery(query), (thrown) => {
        assert.ok(thrown instanceof QueryError, String(thrown.stack));
        assert.deepEqual({ message: thrown.message, at: thrown.at }, { message: error, at });
        return true;
      });
      return;
    }
    assert.deepEqual(await matchesOf(modelOf(vectors.spans), query), matches);
    assert.deepEqual(await matchesOf(modelOf(ascii), query, ascii), matches.filter((id) => ascii.some((span) => span.id === id)));
  });
}

test('a blank query has no terms and finds nothing', async () => {
  assert.deepEqual(parseQuery(' \t\u00a0'), []);
  assert.deepEqual(await matchesOf(modelOf(vectors.spans), ''), []);
});

test('several steps to a bar are told apart by their attributes', async () => {
  const model = modelOf(vectors.spans);
  model.report.steps.together = 2;
  model.report.steps.bars.pop();
  model.name[3] = model.name[0]; // pipeline_step, as the other
  assert.deepEqual(await matchesOf(model, 'step:13'), ['step13', 'train']);
});

test('a text in quotes is found as it is', () => {
  for (const text of ['a b', 'say "hi"', 'back\\slash', '-x', 'OR', 'a:b', '', '*']) {
    assert.deepEqual(parseQuery(quoted(text)), [[{ isNot: false, kind: 'find', wanted: text.toLowerCase() }]]);
  }
});

/** The numbers of a linear congruential generator, so that what fails can be repeated. */
function randomOf(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('whatever is written is a query or refused', async () => {
  const pieces = ['name', 'dur', 'rank', 'status', 'queue', 'step', 'trace', 'span', 'worker', 'x.y', ':', '=', '!=', '>', '<=', '"', '\\', '*', '-', ' ', 'OR', 'AND', '1', '20ms', 'error', 'yes',
    'ä', '\ud800', '\u0000', 'toString', '__proto__', '[', '(', '.', 'e', '{}', '\n', '\u{1f600}'];
  const random = randomOf(7);
  const model = modelOf(vectors.spans);
  for (let round = 0; round < 20_000; round++) {
    const query = Array.from({ length: random(9) }, () => pieces[random(pieces.length)]).join('');
    try {
      const alternatives = parseQuery(query);
      if (round % 10 === 0) await matchingItems(model, alternatives);
    } catch (error) {
      assert.ok(error instanceof QueryError, JSON.stringify(query) + ': ' + error.stack);
      assert.ok(error.at >= 0 && error.at <= query.length, JSON.stringify(query));
    }
  }
});

test('a long pattern takes no long time', async () => {
  const model = modelOf([{ ...vectors.spans[0], name: 'a'.repeat(20_000), attributes: {} }]);
  const began = performance.now();
  await matchingItems(model, parseQuery('name:' + 'a*'.repeat(5_000) + 'b'));
  assert.ok(performance.now() - began < 1000);
});

test('a million spans are searched within a key press', async () => {
  const items = 1_000_000;
  const names = Array.from({ length: 50 }, (_, i) => ({ name: 'worker.call' + i }));
  const model = {
    items, ended: items, open: [], unnamed: new Map(), report: { names },
    rows: Array.from({ length: 100 }, (_, i) => ({ worker: i, first: i * 10_000, last: (i + 1) * 10_000 })),
    process: (number) => ({ service: 'actor', instance: 'a' + number, rank: String(number), host: 'h', pid: '1' }),
    name: Uint16Array.from({ length: items }, (_, i) => i % 50), start: Float64Array.from({ length: items }, (_, i) => i * 1e3),
    end: Float64Array.from({ length: items }, (_, i) => i * 1e3 + (i % 1000)), flags: new Uint8Array(items),
  };
  const times = [];
  for (let round = 0; round < 5; round++) {
    const began = performance.now();
    const found = await matchingItems(model, parseQuery('name:call7 rank>=50 dur>500ns -status:error'));
    times.push(performance.now() - began);
    assert.equal(found.reduce((sum, one) => sum + one, 0), 5000);
  }
  assert.ok(Math.min(...times) < 200, times.join(' ')); // about 20 where nothing else runs
});
