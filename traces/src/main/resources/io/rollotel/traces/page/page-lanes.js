// The lanes of the timeline: their order, groups and heights.

const COMPACT_FROM = 25; // so many lanes are compact unless somebody chose another height
const FOLDED_FROM = 65; // so many are in groups, which start collapsed
const RANK_GROUPS = 64; // more ranks than that share groups
const MOST_PINNED = 3; // without being asked
const ONE_LINE = 24; // so many characters of a name fit into a compact lane

const LANE_SIZES = ['compact', 'normal', 'tall'];
const LANE_CHOICES = { group: ['none', 'role', 'host', 'rank'], sort: ['rank', 'idle', 'cost', 'path'], size: LANE_SIZES, fold: ['all', 'none'] };

const GROUP_HEIGHT = 38; // of a heading with its strip

/** The name of a worker in the address: the same in every state of an active run. */
function laneKey(worker, number) {
  return worker && (worker.service || worker.instance) ? worker.service + '/' + worker.instance : '#' + number;
}

/** The worker of such a name, or of its number in this report, as pages before had it; -1 if there is none. */
function workerOfKey(report, key) {
  if (/^#?\d{1,6}$/.test(key)) return Number(key.replace('#', ''));
  return report.workers.findIndex((worker, number) => laneKey(worker, number) === key);
}

/** How long others waited for each worker, in nanoseconds. */
function waitingCosts(report) {
  const costs = new Map();
  for (const { workers } of report.stragglers) {
    for (const { worker, cost } of workers) costs.set(worker, (costs.get(worker) || 0) + cost);
  }
  return costs;
}

/** A lane for each worker, in the order of the report. */
function lanesOf(model) {
  const { report } = model;
  const costs = waitingCosts(report);
  const lanes = new Map();
  model.rows.forEach((row, number) => {
    let lane = lanes.get(row.worker);
    if (!lane) {
      const worker = model.process(row.worker);
      lane = {
        worker: row.worker, rows: [], key: laneKey(worker, row.worker), isDriver: Boolean(worker?.driver),
        label: laneLabel(model, worker, row.worker), second: laneInstance(model, worker, row.worker), instance: worker?.instance || '',
        service: worker ? worker.service || '(unnamed)' : '(not listed)', host: worker?.host || '', rank: worker?.rank || '',
        idle: !worker?.driver && worker?.stepWall > 0 ? 1 - worker.stepBusy / worker.stepWall : 0, cost: costs.get(row.worker) || 0, path: worker?.path || 0,
      };
      lanes.set(row.worker, lane);
    }
    lane.rows.push({ ...row, number });
  });
  const labels = new Map();
  for (const { label } of lanes.values()) labels.set(label, (labels.get(label) || 0) + 1);
  for (const lane of lanes.values()) {
    lane.isNamesake = labels.get(lane.label) > 1;
    // Open spans have called the spans below them.
    lane.rows.sort((a, b) => (b.isOpen ? 1 : 0) - (a.isOpen ? 1 : 0));
  }
  return [...lanes.values()];
}

function laneLabel(model, worker, number) {
  if (!worker) return model.worker(number);
  const service = worker.service || '(unnamed)';
  return worker.rank === '' ? service : service + ' · rank ' + worker.rank;
}

function laneInstance(model, worker, number) {
  if (!worker) return '';
  return model.workers.shortInstance(number) + (worker.driver && !model.report.steps.areTraces ? ' · driver' : '');
}

/**
 * A lane's name in one line, which no other lane has: of workers of one role without ranks, only the
 * instances differ.
 */
function laneLine({ label, second, isNamesake }) {
  if (!isNamesake || !second) return label;
  const both = label + ' · ' + second;
  return both.length > ONE_LINE ? second : both;
}

/** A rank as a number; those without one come last. */
function rankNumber(rank) {
  return /^\d{1,15}$/.test(rank) ? Number(rank) : Infinity;
}

/** The order of lanes: by the user's choice, then by role, rank and place in the report. */
function laneOrder(lanes, sort) {
  const roles = new Map();
  for (const { service } of lanes) if (!roles.has(service)) roles.set(service, roles.size);
  const byRank = (a, b) => {
    const ranks = [rankNumber(a.rank), rankNumber(b.rank)];
    return roles.get(a.service) - roles.get(b.service) || (ranks[0] === ranks[1] ? 0 : ranks[0] - ranks[1]) || a.worker - b.worker;
  };
  return sort === 'rank' ? byRank : (a, b) => b[sort] - a[sort] || byRank(a, b);
}

/**
 * The value that a lane is sorted by, in words. Its label has the rank, so a pinned lane shows its
 * cost.
 */
function laneFact(lane, sort, isPinned) {
  if (sort === 'idle') return percent(lane.idle, 1);
  if (sort === 'path') return lane.path > 0 ? duration(lane.path) : '';
  return lane.cost > 0 && (sort === 'cost' || isPinned) ? 'costs ' + duration(lane.cost) : '';
}

/**
 * The names of the groups of some lanes: ranks are grouped with as many neighbours as necessary to
 * limit the number of groups.
 */
function groupNames(lanes, by) {
  if (by === 'role') return (lane) => lane.service;
  if (by === 'host') return (lane) => lane.host || '(unknown host)';
  const ranks = new Set(lanes.map((lane) => rankNumber(lane.rank)).filter(Number.isFinite));
  const most = Math.max(0, ...ranks);
  let width = 1;
  while (ranks.size > RANK_GROUPS && (most + 1) / width > RANK_GROUPS) width *= 2;
  return (lane) => {
    const rank = rankNumber(lane.rank);
    if (rank === Infinity) return lane.rank === '' ? 'no rank' : 'rank ' + lane.rank;
    const first = rank - (rank % width);
    return width === 1 ? 'rank ' + rank : `ranks ${first}–${first + width - 1}`;
  };
}

/** The lanes for which the others waited longest, if they stand out. */
function costliest(lanes) {
  const sorted = lanes.filter((lane) => lane.cost > 0 && !lane.isDriver).sort((a, b) => b.cost - a.cost);
  return sorted.slice(0, MOST_PINNED).filter((lane) => lane.cost >= sorted[0].cost / 4);
}

/** The height of a row in a lane with this many rows. */
function rowHeight(rows, size) {
  if (size === 'compact') return rows === 1 ? 13 : rows === 2 ? 7 : rows === 3 ? 5 : rows <= 12 ? 4 : rows <= 40 ? 3 : 2;
  const normal = rows <= 12 ? 22 : rows <= 40 ? 11 : 5;
  return size === 'tall' ? Math.round(normal * 1.6) : normal;
}

class Lanes {
  constructor() {
    this.all = [];
    this.chosen = {}; // group, sort, size, fold: what somebody chose
    this.toggled = new Set(); // groups that are not as most are
    this.opened = new Set(); // lanes of another height than the others
    this.pins = null; // keys of pinned lanes, null before anybody has pinned one
    this.isOnly = false; // lanes alone in which something ran
    this.blocks = [];
    this.shown = [];
    this.total = 0;
  }

  load(model) {
    this.all = lanesOf(model);
    this.byWorker = new Map(this.all.map((lane) => [lane.worker, lane]));
    this.startingPins = this.all.length >= FOLDED_FROM ? costliest(this.all).map((lane) => lane.key) : [];
  }

  /** The default appearance of lanes. */
  start(what) {
    const many = this.all.length;
    if (what === 'group') return many >= FOLDED_FROM ? 'role' : 'none';
    if (what === 'size') return many >= COMPACT_FROM ? 'compact' : 'normal';
    if (what === 'fold') return many >= FOLDED_FROM ? 'all' : 'none';
    return 'rank';
  }

  get(what) {
    return this.chosen[what] || this.start(what);
  }

  choose(what, value) {
    this.chosen[what] = value === this.start(what) ? undefined : value;
    if (what === 'group' || what === 'fold') this.toggled.clear();
    if (what === 'size') this.opened.clear();
  }

  isPinned(lane) {
    return this.pins ? this.pins.has(lane.key) : this.startingPins.includes(lane.key);
  }

  togglePin(lane) {
    this.pins ||= new Set(this.startingPins);
    if (!this.pins.delete(lane.key)) this.pins.add(lane.key);
  }

  toggleSize(lane) {
    if (!this.opened.delete(lane.key)) this.opened.add(lane.key);
  }

  isFolded(group) {
    return (this.get('fold') === 'all') !== this.toggled.has(group.name);
  }

  fold(group, isFolded) {
    if (this.isFolded(group) === isFolded) return;
    if (!this.toggled.delete(group.name)) this.toggled.add(group.name);
  }

  /**
   * The next height of a lane that was opened individually, the usual height of a compact or tall
   * one.
   */
  sizeOf(lane) {
    const size = this.get('size');
    if (!this.opened.has(lane.key)) return size;
    return size === 'normal' ? 'tall' : 'normal';
  }

  /**
   * Orders the lanes: the driver, pinned ones, then groups or all the others.
   *
   * @param takesPart whether a lane stays if only some do
   */
  arrange(takesPart) {
    const sort = this.get('sort');
    const by = this.get('group');
    const lanes = [...this.all].sort(laneOrder(this.all, sort));
    const isIn = (lane) => !this.isOnly || takesPart(lane);
    const drivers = lanes.filter((lane) => lane.isDriver && isIn(lane));
    const pinned = lanes.filter((lane) => !lane.isDriver && this.isPinned(lane));
    const rest = lanes.filter((lane) => !lane.isDriver && !this.isPinned(lane) && isIn(lane));
    this.hidden = lanes.filter((lane) => !isIn(lane)).length;
    this.groups = by === 'none' ? [] : this.grouped(lanes.filter((lane) => !lane.isDriver && isIn(lane)), by);
    this.blocks = [...drivers, ...pinned].map((lane) => ({ lane, isPinned: !lane.isDriver }));
    if (by === 'none') this.blocks.push(...rest.map((lane) => ({ lane })));
    for (const group of this.groups) {
      this.blocks.push({ group });
      if (!this.isFolded(group)) this.blocks.push(...group.lanes.filter((lane) => !this.isPinned(lane)).map((lane) => ({ lane })));
    }
    this.shown = this.blocks.filter((block) => block.lane).map((block) => block.lane);
  }

  /** Groups in the order of their first lane; those of ranks by rank. A pinned lane still counts in its group. */
  grouped(lanes, by) {
    const nameOf = groupNames(this.all, by);
    const groups = new Map();
    for (const lane of by === 'rank' ? [...lanes].sort((a, b) => rankNumber(a.rank) - rankNumber(b.rank) || 0) : lanes) {
      const name = nameOf(lane);
      if (!groups.has(name)) groups.set(name, { name, lanes: [] });
      groups.get(name).lanes.push(lane);
    }
    if (by === 'rank') for (const group of groups.values()) group.lanes.sort(laneOrder(this.all, this.get('sort')));
    return [...groups.values()];
  }

  /** Places the blocks below each other, and the rows in each. */
  place(left, hasMarks, places) {
    let top = 0;
    for (const block of this.blocks) {
      block.top = top;
      if (block.group) {
        block.height = block.group.height = left ? GROUP_HEIGHT : GROUP_HEIGHT + 20;
        block.group.top = top;
      } else {
        this.placeRows(block.lane, top, left, hasMarks(block.lane), places);
        block.height = block.lane.height;
      }
      top += block.height;
    }
    this.total = top;
  }

  placeRows(lane, top, left, hasMarks, places) {
    lane.size = this.sizeOf(lane);
    const isCompact = lane.size === 'compact';
    lane.rowHeight = rowHeight(lane.rows.length, lane.size);
    lane.top = top;
    lane.marks = hasMarks ? MARK_ROOM : 0;
    lane.marksTop = left ? (isCompact ? 2 : 4) : isCompact ? 17 : 22;
    const head = (left ? (isCompact ? 2 : 6) : isCompact ? 18 : 24) + lane.marks;
    lane.rows.forEach((row, i) => {
      row.top = head + i * lane.rowHeight;
      places.set(row.number, { lane, row });
    });
    const least = left ? (isCompact ? 16 : 44) : 0;
    lane.height = Math.max(head + lane.rows.length * lane.rowHeight + (isCompact ? 2 : 6), least);
  }

  /**
   * The visible blocks, each with its y below the ruler, in drawing order: pinned lanes stay at the
   * top as long as they leave half of the room to the others.
   *
   * @return the visible blocks, and how much of the top the pinned ones cover
   */
  inSight(scroll, room) {
    const isSticky = this.blocks.reduce((sum, block) => sum + (block.isPinned ? block.height : 0), 0) <= room / 2;
    const seen = [];
    const above = [];
    let covered = 0;
    let stack = 0;
    for (const block of this.blocks) {
      const y = block.top - scroll;
      if (block.isPinned && isSticky) {
        if (y < stack) covered = stack + block.height;
        if (Math.max(y, stack) < room) above.push({ block, y: Math.max(y, stack), isStuck: y < stack });
        stack += block.height;
      } else if (y + block.height > 0 && y < room) {
        seen.push({ block, y });
      }
    }
    return { seen: [...seen, ...above], covered };
  }

  /** Shows a lane that is in a collapsed group, or hidden. */
  uncover(lane) {
    if (this.shown.includes(lane)) return false;
    this.isOnly = this.isOnly && this.groups.some((group) => group.lanes.includes(lane));
    const by = this.get('group');
    if (by !== 'none') this.fold({ name: groupNames(this.all, by)(lane) }, false);
    return true;
  }

  // Its part of the address.

  save(parameters) {
    for (const what of Object.keys(LANE_CHOICES)) if (this.chosen[what]) parameters.set('lane' + what, this.chosen[what]);
    for (const name of this.toggled) parameters.append('fold', name);
    for (const key of this.opened) parameters.append('lane', key);
    if (this.pins) for (const key of this.pins.size ? this.pins : ['']) parameters.append('pin', key);
    if (this.isOnly) parameters.set('only', 'busy');
  }

  restore(parameters) {
    for (const [what, values] of Object.entries(LANE_CHOICES)) {
      const value = parameters.get('lane' + what);
      this.chosen[what] = values.includes(value) && value !== this.start(what) ? value : undefined;
    }
    this.toggled = new Set(parameters.getAll('fold'));
    this.opened = new Set(parameters.getAll('lane'));
    this.pins = parameters.has('pin') ? new Set(parameters.getAll('pin').filter((key) => key !== '')) : null;
    this.isOnly = parameters.get('only') === 'busy';
  }
}

/** Whether anything ran in a lane during a period. */
function takesPart(model, lane, from, to) {
  return lane.rows.some((row) => {
    const item = model.firstEndingAfter(row.first, row.last, from);
    return item < row.last && model.start[item] < to;
  });
}
