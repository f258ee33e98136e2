'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const { load } = require('./modules.js');

const { Lanes, WorkerNames, laneLine, laneOrder, groupNames, takesPart } =
  load(['format', 'packed', 'workers', 'model', 'mix', 'pauses', 'lanes'], ['Lanes', 'WorkerNames', 'laneLine', 'laneOrder', 'groupNames', 'takesPart']);

const worker = (service, rank, more = {}) => ({ service, instance: service + rank, rank: String(rank), host: 'n' + Math.floor(rank / 8), driver: false, stepBusy: 100, stepWall: 100, path: 0, ...more });

/** A model of so many workers with a row each, in which one span lies. */
function model(workers, { stragglers = [], spans = () => [0, 10] } = {}) {
  const report = { workers, stragglers, steps: { areTraces: false } };
  return {
    report, rows: workers.map((_, i) => ({ worker: i, lane: 0, depth: 0, first: i, last: i + 1 })),
    start: workers.map((_, i) => spans(i)[0]), end: workers.map((_, i) => spans(i)[1]),
    workers: new WorkerNames(workers), process: (number) => workers[number], worker: (number) => 'process ' + number,
    firstEndingAfter(from, to, nanos) { return this.end[from] > nanos ? from : to; },
  };
}

function lanesOf(workers, more) {
  const lanes = new Lanes();
  lanes.load(model(workers, more));
  lanes.arrange(() => true);
  return lanes;
}

const driver = worker('driver', 0, { driver: true, rank: '' });
const crowd = [...Array.from({ length: 100 }, (_, i) => worker('actor', 99 - i)), driver];
const labels = (lanes) => lanes.blocks.map(({ lane, group }) => (lane ? lane.label : '[' + group.name + ']'));

test('few lanes have no groups, usual heights and the order of ranks', () => {
  const lanes = lanesOf([worker('actor', 10), worker('actor', 9), worker('critic', 1), driver]);
  assert.deepEqual(labels(lanes), ['driver', 'actor · rank 9', 'actor · rank 10', 'critic · rank 1']);
  assert.equal(lanes.get('size'), 'normal');
});

test('workers of one role without ranks have their instances in one line', () => {
  const host = 'rollout-worker-7f9c5d-x2x4z:41';
  const { all } = lanesOf([worker('actor', 0, { rank: '', instance: 'vm:41' }), worker('actor', 1, { rank: '', instance: host }), worker('critic', 3), driver]);
  assert.deepEqual(all.map(laneLine), ['actor · vm:41', host, 'critic · rank 3', 'driver']);
  const domain = '.cluster.example.com:41';
  assert.deepEqual(lanesOf([1, 2].map((n) => worker('actor', n, { rank: '', instance: 'node' + n + domain }))).all.map(laneLine), ['actor · node1:41', 'actor · node2:41']);
});

test('more than 24 are compact, more than 64 are in groups that start collapsed', () => {
  assert.equal(lanesOf(crowd.slice(0, 24)).get('size'), 'normal');
  assert.equal(lanesOf(crowd.slice(0, 25)).get('size'), 'compact');
  assert.equal(lanesOf(crowd.slice(0, 64)).get('group'), 'none');
  assert.deepEqual(labels(lanesOf(crowd)), ['driver', '[actor]']);
});

for (const [sort, first] of [['rank', 0], ['idle', 42], ['cost', 17], ['path', 63]]) {
  test(`sorted by ${sort} rank ${first} comes first, after the driver`, () => {
    const workers = crowd.map((one) => ({ ...one, stepBusy: one.rank === '42' ? 10 : 90, path: one.rank === '63' ? 5 : 0 }));
    const lanes = lanesOf(workers, { stragglers: [{ workers: [{ worker: 82, cost: 7 }] }, { workers: [{ worker: 82, cost: 1 }, { worker: 1, cost: 2 }] }] });
    lanes.pins = new Set();
    lanes.choose('group', 'none');
    lanes.choose('sort', sort);
    lanes.arrange(() => true);
    assert.deepEqual(labels(lanes).slice(0, 2), ['driver', 'actor · rank ' + first]);
  });
}

test('what waiting costs most is pinned in a large run, and stays so until somebody unpins it', () => {
  const lanes = lanesOf(crowd, { stragglers: [{ workers: [{ worker: 22, cost: 100 }, { worker: 3, cost: 1 }] }] });
  assert.deepEqual(labels(lanes), ['driver', 'actor · rank 77', '[actor]']);
  lanes.togglePin(lanes.byWorker.get(22));
  lanes.arrange(() => true);
  assert.deepEqual(labels(lanes), ['driver', '[actor]']);
});

test('a group that is expanded has all its lanes but the pinned ones, which count in it', () => {
  const lanes = lanesOf(crowd);
  lanes.togglePin(lanes.byWorker.get(99));
  lanes.fold(lanes.groups[0], false);
  lanes.arrange(() => true);
  assert.deepEqual(labels(lanes).slice(0, 4), ['driver', 'actor · rank 0', '[actor]', 'actor · rank 1']);
  assert.equal(lanes.groups[0].lanes.length, 100);
  assert.equal(lanes.shown.length, 101);
});

for (const [by, groups, first] of [['host', 13, 'n12'], ['rank', 50, 'ranks 0–1'], ['role', 1, 'actor']]) {
  test(`grouped by ${by} there are ${groups} groups`, () => {
    const lanes = lanesOf(crowd);
    lanes.choose('group', by);
    lanes.arrange(() => true);
    assert.equal(lanes.groups.length, groups);
    assert.equal(lanes.groups[0].name, by === 'host' ? 'n0' : first);
  });
}

test('few ranks have a group each, and a lane without a rank has one too', () => {
  const name = groupNames([{ rank: '3' }, { rank: '' }, { rank: 'x' }], 'rank');
  assert.deepEqual(['3', '', 'x'].map((rank) => name({ rank })), ['rank 3', 'no rank', 'rank x']);
});

test('lanes in which nothing ran go, pinned ones stay', () => {
  const source = model(crowd, { spans: (i) => (i < 10 ? [0, 10] : [20, 30]) });
  const lanes = lanesOf(crowd, { spans: (i) => (i < 10 ? [0, 10] : [20, 30]) });
  lanes.isOnly = true;
  lanes.togglePin(lanes.byWorker.get(50));
  lanes.choose('group', 'none');
  lanes.arrange((lane) => takesPart(source, lane, 0, 15));
  assert.equal(lanes.shown.length, 11);
  assert.equal(lanes.shown[0].worker, 50);
  assert.equal(lanes.hidden, 91); // the pinned one is shown, and at no work
});

test('a hidden lane is uncovered by expanding its group', () => {
  const lanes = lanesOf(crowd);
  assert.equal(lanes.uncover(lanes.byWorker.get(5)), true);
  lanes.arrange(() => true);
  assert.equal(lanes.shown.includes(lanes.byWorker.get(5)), true);
  assert.equal(lanes.uncover(lanes.byWorker.get(5)), false);
});

test('a lane that is left out is uncovered by showing all', () => {
  const lanes = lanesOf(crowd.slice(0, 10));
  lanes.isOnly = true;
  lanes.arrange(() => false);
  assert.equal(lanes.shown.length, 0);
  lanes.uncover(lanes.byWorker.get(5));
  lanes.arrange(() => false);
  assert.equal(lanes.shown.includes(lanes.byWorker.get(5)), true);
});

test('pinned lanes stay at the top while others are scrolled below them', () => {
  const lanes = lanesOf(crowd);
  lanes.togglePin(lanes.byWorker.get(99));
  lanes.fold(lanes.groups[0], false);
  lanes.arrange(() => true);
  lanes.place(172, () => false, new Map());
  const { seen, covered } = lanes.inSight(500, 400);
  const pinned = seen.at(-1);
  assert.equal(pinned.block.lane.worker, 99);
  assert.equal(pinned.y, 0);
  assert.equal(covered, pinned.block.height);
  assert.ok(seen.every(({ block, y }) => y < 400 && y + block.height > 0));
  assert.ok(seen.length < 40);
});

test('what is chosen goes through the address', () => {
  const lanes = lanesOf(crowd);
  lanes.choose('sort', 'cost');
  lanes.choose('size', 'tall');
  lanes.fold(lanes.groups[0], false);
  lanes.togglePin(lanes.byWorker.get(7));
  lanes.toggleSize(lanes.byWorker.get(8));
  lanes.isOnly = true;
  const parameters = new URLSearchParams();
  lanes.save(parameters);
  const others = lanesOf(crowd);
  others.restore(new URLSearchParams(parameters.toString()));
  others.arrange(() => true);
  lanes.arrange(() => true);
  assert.deepEqual(labels(others), labels(lanes));
  assert.equal(others.sizeOf(others.byWorker.get(8)), 'normal');
  assert.equal(others.isOnly, true);
  const none = new URLSearchParams();
  lanesOf(crowd).save(none);
  assert.equal(none.toString(), '');
});

test('an address of nonsense chooses nothing', () => {
  const lanes = lanesOf(crowd);
  lanes.restore(new URLSearchParams('lanegroup=x&lanesort=__proto__&pin=nobody&fold=nothing&lane=%00'));
  lanes.arrange(() => true);
  assert.deepEqual(labels(lanes), ['driver', '[actor]']);
});

test('ten thousand processes of which the report knows nothing are one group', () => {
  const lanes = new Lanes();
  const source = model(Array.from({ length: 10_000 }, () => undefined));
  lanes.load(source);
  lanes.arrange(() => true);
  assert.deepEqual(labels(lanes), ['[(not listed)]']);
  assert.equal(lanes.groups[0].lanes.length, 10_000);
});

test('lanes of the same rank keep the order of the report', () => {
  const lanes = [{ worker: 2, service: 'a', rank: '' }, { worker: 1, service: 'a', rank: '' }];
  assert.deepEqual([...lanes].sort(laneOrder(lanes, 'rank')).map((lane) => lane.worker), [1, 2]);
});
