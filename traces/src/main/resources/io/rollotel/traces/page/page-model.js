// The contents of the report, as columns: a span (or several that no screen could distinguish) is
// an item, a number. Rows hold their items by time, and those do not overlap.

const ERROR = 1;
const ON_PATH = 2;
const JOINED = 4;
const ORPHAN = 8;
const DISPATCH = 16; // the sender's span of a call, which its execution stands for

const YEAR_NANOS = 366 * 86_400e9;

/**
 * Where an open span is drawn: at the end of the run if its clock must have been off by years, since
 * the timeline would otherwise have to be that long.
 */
function placeOfOpen(start, nanos, wall) {
  const isFar = start < -YEAR_NANOS || start + nanos > wall + YEAR_NANOS;
  const shown = isFar ? Math.min(nanos, wall) : nanos;
  return { start: isFar ? wall - shown : start, nanos: shown, isFar };
}

class Model {
  constructor(report, packed, column) {
    this.report = report;
    this.ended = packed.items;
    this.isEverySpan = packed.everySpan; // or neighbours are joined
    this.items = packed.items + report.open.spans.length; // those that have not ended follow
    this.epoch = BigInt(report.startEpochNanos);
    this.unit = packed.unitNanos;
    this.wall = Math.max(report.wallNanos, 1);
    this.readTimes(packed, column);
    this.readParents(column);
    this.readOpen(report);
    this.readPath(column);
    this.pauses = new Pauses(report, column.pauses);
    this.breakdowns = readBreakdowns(column.breakdowns);
    this.prepareLevels();
    this.packedDetails = { items: packed.detailItems, text: packed.detailText };
    this.hasAllDetails = packed.detailsLeftOut === 0;
  }

  readTimes(packed, column) {
    const n = this.items;
    const gaps = new Numbers(column.gap);
    const durations = new Numbers(column.duration);
    const joined = new Numbers(column.joined);
    const names = new Numbers(column.name);
    this.start = new Float64Array(n);
    this.end = new Float64Array(n);
    this.spans = new Uint32Array(n);
    this.name = new Uint16Array(n);
    this.flags = new Uint8Array(n);
    this.flags.set(column.flags);
    this.rows = [];
    let item = 0;
    for (const [worker, lane, depth, size] of packed.rows) {
      this.rows.push({ worker, lane, depth, first: item, last: item + size });
      let reached = 0;
      for (const end = item + size; item < end; item++) {
        reached += gaps.next();
        this.start[item] = reached * this.unit;
        reached += durations.next();
        this.end[item] = reached * this.unit;
        this.spans[item] = joined.next() + 1;
        this.name[item] = names.next();
      }
    }
  }

  readParents(column) {
    const parents = new Numbers(column.parent);
    const traces = new Numbers(column.trace);
    this.traceIds = column.traceIds;
    this.parent = new Int32Array(this.items);
    this.trace = new Int32Array(this.items);
    let before = 0;
    for (let item = 0; item < this.ended; item++) {
      before += parents.signed();
      this.parent[item] = before;
      if (before < 0) this.trace[item] = traces.next();
    }
  }

  /** Spans that have not ended: a row each, until the last sign of life of its process. */
  readOpen(report) {
    const { processes, spans } = report.open;
    const traces = this.traceIds.length / 16;
    const ids = new Uint8Array(this.traceIds.length + 16 * spans.length);
    ids.set(this.traceIds);
    this.traceIds = ids;
    this.first = 0;
    this.unnamed = new Map();
    this.workers = new WorkerNames(report.workers);
    const { wall } = this;
    this.open = spans.map(([name, number, process, began, age, traceId, spanId, parent, thread], i) => {
      const { start, nanos, isFar } = placeOfOpen(began, age, wall);
      const item = this.ended + i;
      const worker = processes[process].worker >= 0 ? processes[process].worker : report.processes + process;
      this.workers.add(worker, processes[process]);
      // Names without an ended span follow the others and “a rarer one”.
      const known = report.names[number] ? number : report.names.length + 1 + i;
      if (known !== number) this.unnamed.set(known, name);
      this.start[item] = start;
      this.end[item] = start + nanos;
      this.spans[item] = 1;
      this.name[item] = known;
      this.parent[item] = parent;
      for (let byte = 0; byte < 16; byte++) ids[(traces + i) * 16 + byte] = parseInt(traceId.slice(2 * byte, 2 * byte + 2), 16);
      this.trace[item] = traces + i + 1;
      this.first = Math.min(this.first, start);
      this.wall = Math.max(this.wall, start + nanos);
      this.rows.push({ worker, lane: 0, depth: i, first: item, last: item + 1, isOpen: true });
      return { item, worker, start, nanos, age, isFar, id: spanId, thread, process: processes[process] };
    });
  }

  /** Updates the ages of open spans of live processes. */
  growOpen(nanos) {
    this.grown = nanos;
    for (const span of this.open) {
      if (span.process.alive) this.end[span.item] = span.start + span.nanos + nanos;
      this.wall = Math.max(this.wall, this.end[span.item]);
    }
  }

  /** How long a span has been open, by its own clock. */
  openFor({ age, process }) {
    return age + (process.alive ? this.grown || 0 : 0);
  }

  /** How long an item took, or has been open. */
  nanosOf(item) {
    const open = this.openOf(item);
    return open ? this.openFor(open) : this.end[item] - this.start[item];
  }

  /** The details of an item's open span; undefined for others. */
  openOf(item) {
    return this.open[item - this.ended];
  }

  /**
   * Chains of segments, one a step; for each item the segments in which it worked. Before them, its
   * call may have waited in a queue, where it has no bar.
   */
  readPath(column) {
    const numbers = new Numbers(column.path);
    const items = [];
    const starts = [];
    const ends = [];
    const waits = [];
    this.chains = [];
    let before = 0;
    while (!numbers.isAtEnd()) {
      const size = numbers.next();
      let reached = numbers.signed();
      this.chains.push({ first: items.length, last: items.length + size });
      for (let i = 0; i < size; i++) {
        before += numbers.signed();
        items.push(before);
        starts.push(reached * this.unit);
        const time = numbers.next();
        const isWait = time % 2;
        reached += (time - isWait) / 2;
        ends.push(reached * this.unit);
        waits.push(isWait);
      }
    }
    this.segmentItem = Int32Array.from(items);
    this.segmentStart = Float64Array.from(starts);
    this.segmentEnd = Float64Array.from(ends);
    this.segmentWait = Uint8Array.from(waits);
    this.segmentsFrom = new Int32Array(this.items + 1);
    const isWork = (item, segment) => item >= 0 && !waits[segment];
    items.forEach((item, segment) => {
      if (isWork(item, segment)) this.segmentsFrom[item + 1]++;
    });
    for (let i = 0; i < this.items; i++) this.segmentsFrom[i + 1] += this.segmentsFrom[i];
    const next = this.segmentsFrom.slice();
    this.segmentsByItem = new Int32Array(items.length);
    items.forEach((item, segment) => {
      if (isWork(item, segment)) this.segmentsByItem[next[item]++] = segment;
    });
  }

  /** The segments in which calls of a row waited on a path. */
  waitsOfRow(number) {
    if (!this.waitsByRow) {
      this.waitsByRow = new Map();
      this.segmentItem.forEach((item, segment) => {
        if (item < 0 || !this.segmentWait[segment]) return;
        const row = this.rowOf(item);
        if (!this.waitsByRow.has(row)) this.waitsByRow.set(row, []);
        this.waitsByRow.get(row).push(segment);
      });
    }
    return this.waitsByRow.get(number) || [];
  }

  /** The segments in which the call of an item waited on a path. */
  waitsOfItem(item) {
    return this.waitsOfRow(this.rowOf(item)).filter((segment) => this.segmentItem[segment] === item);
  }

  /** Sums up to each item, and of each 16, 256, … items the longest. */
  prepareLevels() {
    const n = this.items;
    this.errorsBefore = new Uint32Array(n + 1);
    this.pathBefore = new Uint32Array(n + 1);
    this.busyBefore = new Float64Array(n + 1);
    this.spansBefore = new Float64Array(n + 1);
    for (let i = 0; i < n; i++) {
      this.errorsBefore[i + 1] = this.errorsBefore[i] + (this.flags[i] & ERROR ? 1 : 0);
      this.pathBefore[i + 1] = this.pathBefore[i] + (this.flags[i] & ON_PATH ? 1 : 0);
      this.busyBefore[i + 1] = this.busyBefore[i] + this.end[i] - this.start[i];
      this.spansBefore[i + 1] = this.spansBefore[i] + this.spans[i];
    }
    this.levels = [];
    let below = null;
    for (let size = n; size > 16; ) {
      const blocks = Math.floor(size / 16);
      const level = new Int32Array(blocks);
      for (let block = 0; block < blocks; block++) {
        let longest = below ? below[block * 16] : block * 16;
        for (let i = block * 16 + 1; i < block * 16 + 16; i++) {
          longest = this.longer(longest, below ? below[i] : i);
        }
        level[block] = longest;
      }
      this.levels.push(level);
      below = level;
      size = blocks;
    }
  }

  longer(a, b) {
    return this.end[b] - this.start[b] > this.end[a] - this.start[a] ? b : a;
  }

  /** The longest of some neighbours, using the levels: a few dozen lookups for a million items. */
  longest(from, to) {
    let best = from;
    let low = from;
    let high = to;
    for (let level = -1; low < high; level++) {
      const at = (i) => (level < 0 ? i : this.levels[level][i]);
      const above = this.levels[level + 1];
      while (low < high && (low % 16 !== 0 || low + 16 > high || !above)) best = this.longer(best, at(low++));
      while (high > low && high % 16 !== 0) best = this.longer(best, at(--high));
      low /= 16;
      high /= 16;
    }
    return best;
  }

  /** The first item of a stretch that ends after a moment. */
  firstEndingAfter(from, to, nanos) {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.end[middle] > nanos) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The first item of a stretch that starts at a moment or later; most are near the beginning. */
  firstStartingAt(from, to, nanos) {
    let reach = 1;
    while (from + reach < to && this.start[from + reach] < nanos) reach *= 2;
    let low = from + (reach >>> 1);
    let high = Math.min(to, from + reach + 1);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.start[middle] >= nanos) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  rowOf(item) {
    let low = 0;
    let high = this.rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.rows[middle].first <= item) low = middle;
      else high = middle - 1;
    }
    while (this.rows[low].last <= item) low++;
    return low;
  }

  nameOf(number) {
    if (number === -1) return '(not in these files)';
    const name = this.report.names[number];
    return name ? name.name || '(no name)' : this.unnamed.get(number) || '(a rarer name)';
  }

  /** As queries have it; empty for spans without a name. */
  plainName(number) {
    return this.report.names[number]?.name ?? this.nameOf(number);
  }

  process(number) {
    return this.workers.process(number);
  }

  worker(number) {
    return this.workers.full(number);
  }

  /** The same where there is little room. */
  shortWorker(number) {
    return this.workers.short(number);
  }

  isError(item) {
    return (this.flags[item] & ERROR) !== 0;
  }

  /** 32 hex digits, empty where the page has no room for them. */
  traceId(item) {
    let top = item;
    while (this.parent[top] >= 0) top = this.parent[top];
    return this.trace[top] === 0 ? '' : this.traceText(this.trace[top] - 1);
  }

  traceText(number) {
    const bytes = this.traceIds.subarray(number * 16, number * 16 + 16);
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  /** Which numbers a trace has: several where some of its spans have not ended. */
  numbersOfTrace(id) {
    const numbers = new Set();
    if (!/^[0-9a-f]{32}$/.test(id)) return numbers;
    const wanted = Array.from({ length: 16 }, (_, i) => parseInt(id.slice(2 * i, 2 * i + 2), 16));
    for (let at = 0; at < this.traceIds.length; at += 16) {
      let i = 0;
      while (i < 16 && this.traceIds[at + i] === wanted[i]) i++;
      if (i === 16) numbers.add(at / 16 + 1);
    }
    return numbers;
  }

  traceTexts() {
    return Array.from({ length: this.traceIds.length / 16 }, (_, number) => this.traceText(number));
  }

  /** Of every item what tops have: one more than the number of the trace, 0 for none. */
  traceNumbers() {
    if (!this.traceOfItem) {
      const numbers = this.trace.slice();
      for (let item = 0; item < this.items; item++) {
        let top = item;
        while (this.parent[top] >= 0 && numbers[top] === 0) top = this.parent[top];
        for (let at = item; at !== top && numbers[at] === 0; at = this.parent[at]) numbers[at] = numbers[top];
      }
      this.traceOfItem = numbers;
    }
    return this.traceOfItem;
  }

  children(item) {
    const found = [];
    for (let i = 0; i < this.items && found.length < 1000; i++) {
      if (this.parent[i] === item) found.push(i);
    }
    return found.sort((a, b) => this.start[a] - this.start[b]);
  }

  /** Unpacks what is shown of single spans, at the first click or search. */
  async details() {
    if (!this.detailLines) {
      this.detailLines = (async () => {
        const numbers = new Numbers(await inflate(this.packedDetails.items));
        const text = await inflate(this.packedDetails.text);
        const lineOf = new Int32Array(this.items).fill(-1);
        const ends = [];
        for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) ends.push(at);
        const itemOf = new Int32Array(ends.length);
        let before = 0;
        for (let line = 0; line < ends.length; line++) {
          before += numbers.signed();
          lineOf[before] = line;
          itemOf[line] = before;
        }
        this.packedDetails = null;
        return { text, ends, lineOf, itemOf };
      })();
    }
    return this.detailLines;
  }

  /** Id, wait, attributes and error of an item's span; null where the page has no room for them. */
  async detail(item) {
    const open = this.openOf(item);
    if (open) return { id: open.id, queue: null, attributes: {}, events: [], links: [], open };
    const { text, ends, lineOf } = await this.details();
    const line = lineOf[item];
    if (line < 0) return null;
    const from = line === 0 ? 0 : ends[line - 1] + 1;
    const [id, queue, shown, more = {}] = JSON.parse(new TextDecoder().decode(text.subarray(from, ends[line])));
    return {
      id, queue, attributes: (shown && shown.a) || {}, error: shown && shown.error,
      events: more.e ? await this.events(more.e) : [], links: more.l || [], eventsLeftOut: more.more || 0, linksLeftOut: more.moreLinks || 0,
    };
  }

  /** Events with their stack traces: empty for none, null for one that is left out. */
  async events(rows) {
    if (rows.some((row) => row[3] >= 0)) {
      this.stacks ||= inflate(this.report.timeline.events.stacks).then((bytes) => JSON.parse(new TextDecoder().decode(bytes)));
    }
    const stacks = (await this.stacks) || [];
    return rows.map(([nanos, name, attributes, stack]) => ({ nanos, name, attributes, stack: stack === -1 ? '' : stacks[stack] ?? null }));
  }
}
