// The activity in a selected range of time.

const IN_A_QUEUE = -2; // in place of a name

/**
 * For each item, the time in which none of its callees on the same lane ran: the items of the row
 * below are within it.
 */
function ownTimes(model) {
  const own = new Float64Array(model.items);
  for (let item = 0; item < model.items; item++) own[item] = model.end[item] - model.start[item];
  model.rows.forEach((row, number) => {
    const below = rowBelow(model, number);
    if (!below) return;
    let item = row.first;
    for (let callee = below.first; callee < below.last; callee++) {
      while (item < row.last && model.end[item] <= model.start[callee]) item++;
      if (item < row.last && model.start[item] <= model.start[callee]) {
        own[item] = Math.max(0, own[item] - (model.end[callee] - model.start[callee]));
      }
    }
  });
  return own;
}

function rowBelow(model, number) {
  const row = model.rows[number];
  const below = model.rows[number + 1];
  return !row.isOpen && below && !below.isOpen && below.worker === row.worker && below.lane === row.lane && below.depth === row.depth + 1
    ? below : undefined;
}

/** How long a row was at work in a period. */
function busyIn(model, row, from, to) {
  const first = model.firstEndingAfter(row.first, row.last, from);
  const last = model.firstStartingAt(first, row.last, to);
  if (last <= first) return 0;
  return model.busyBefore[last] - model.busyBefore[first]
    - Math.max(0, from - model.start[first]) - Math.max(0, model.end[last - 1] - to);
}

/** The activity in a period; spans that have not ended are unknown. */
class RangeStatistics {
  constructor(model) {
    this.model = model;
    this.own = ownTimes(model);
    this.times = new TimesByName(model, (item) => this.own[item]);
    this.mix = new Mix(model.report.names.length + model.open.length + 2);
    model.rows.forEach(({ first, last }, number) => {
      if (last - first >= FEW_ITEMS) this.times.row(number);
    });
  }

  of(from, to) {
    const { model, mix } = this;
    const workers = new Set();
    let spans = 0;
    let errors = 0;
    mix.clear();
    model.rows.forEach((row, number) => {
      if (row.isOpen) return;
      const first = model.firstEndingAfter(row.first, row.last, from);
      const last = model.firstStartingAt(first, row.last, to);
      if (last <= first) return;
      workers.add(row.worker);
      spans += model.spansBefore[last] - model.spansBefore[first];
      errors += model.errorsBefore[last] - model.errorsBefore[first];
      const low = model.start[first] < from ? first + 1 : first;
      const high = model.end[last - 1] > to && last - 1 >= low ? last - 1 : last;
      if (low > first) this.part(number, first, from, to);
      if (high < last) this.part(number, last - 1, from, to);
      this.times.add(number, low, high, mix);
    });
    return { from, to, spans, errors, lanes: workers.size, busy: mix.total, names: mix.top(10), path: this.path(from, to) };
  }

  /** The own time of an item that is only partly within the range. */
  part(number, item, from, to) {
    const { model, mix } = this;
    const a = Math.max(from, model.start[item]);
    const b = Math.min(to, model.end[item]);
    const below = rowBelow(model, number);
    mix.add(model.name[item], Math.max(0, b - a - (below ? busyIn(model, below, a, b) : 0)));
  }

  /** The critical path within the range by name; a wait in a queue counts for no name. */
  path(from, to) {
    const { model } = this;
    const times = new Map();
    let total = 0;
    for (let segment = 0; segment < model.segmentItem.length; segment++) {
      const nanos = Math.min(to, model.segmentEnd[segment]) - Math.max(from, model.segmentStart[segment]);
      if (nanos <= 0) continue;
      const item = model.segmentItem[segment];
      const name = model.segmentWait[segment] ? IN_A_QUEUE : item < 0 ? -1 : model.name[item];
      times.set(name, (times.get(name) || 0) + nanos);
      total += nanos;
    }
    return { total, names: [...times].sort((a, b) => b[1] - a[1]).slice(0, 10) };
  }
}

function withinRun({ first, wall }, [from, to]) {
  const begin = Math.max(first, Math.min(from, wall - 1));
  return [begin, Math.max(begin + 1, Math.min(to, wall))];
}

/** Selects a range, and shows its activity below the lanes. */
class RangePanel {
  constructor(timeline) {
    this.timeline = timeline;
    const button = (id, text, action) => el('button', { type: 'button', id, onclick: action }, text);
    this.title = el('h3');
    this.content = el('div');
    this.box = el('div', { class: 'range', id: 'range', role: 'region', 'aria-label': 'The selected range', hidden: true },
      el('div', { class: 'tools' }, el('div', { role: 'status' }, this.title),
        button('range-zoom', 'Zoom to it', () => timeline.set(...timeline.view.range)),
        button('range-clear', 'Clear', () => this.select(null))),
      this.content);
  }

  /** Computes the sums that every range needs, during idle time. */
  prepareSoon() {
    (window.requestIdleCallback || setTimeout)(() => this.statisticsOf(app.model));
  }

  statisticsOf(model) {
    if (this.statistics?.model !== model) this.statistics = new RangeStatistics(model);
    return this.statistics;
  }

  /** @param range from and to in nanoseconds; null for none */
  select(range) {
    const { timeline } = this;
    const began = performance.now();
    timeline.pointer.selecting(false);
    timeline.view.range = range && withinRun(app.model, range);
    this.show();
    measured('range', began);
    timeline.drawSoon();
    app.address.changed();
  }

  /** Selects the time of the selected span, or the middle of the visible part. */
  start() {
    const { from, to, selected } = this.timeline.view;
    const { start, end } = app.model;
    const quarter = (to - from) / 4;
    this.select(selected >= 0 ? [start[selected], end[selected]] : [from + quarter, to - quarter]);
  }

  /** Moves the start or the end by a fiftieth of the visible part. */
  move(byStart, byEnd) {
    const { view } = this.timeline;
    if (!view.range) return this.start();
    const by = (view.to - view.from) / 50;
    const [from, to] = view.range;
    if (from + byStart * by < to + byEnd * by) this.select([from + byStart * by, to + byEnd * by]);
  }

  /** Shows the activity in the selected range. */
  show() {
    const { range } = this.timeline.view;
    this.box.hidden = !range;
    if (!range) return;
    const { model, report } = app;
    const [from, to] = range;
    const facts = this.statisticsOf(model).of(from, to);
    const lanes = this.timeline.lanes.all.length;
    this.title.textContent = `${duration(to - from)} selected, from ${placeInRun(report, from)}`;
    fill(this.content,
      el('p', { class: 'why' }, report.selection && 'Of the chosen traces: ', facts.spans === 0 ? 'No span ran then.'
        : `${count(facts.spans, 'span')}, ${count(facts.errors, 'error')}; ${grouped(facts.lanes)} of ${count(lanes, 'lane')} had one.`),
      facts.spans > 0 && el('div', { class: 'two' },
        this.list('Time by name, without what each called on its lane', facts.names, facts.busy),
        this.list('The critical path by name', facts.path.names, facts.path.total)));
  }

  /** How many pixels at the bottom of a box are behind the panel. */
  covers(box) {
    return this.box.hidden ? 0 : Math.max(0, box.getBoundingClientRect().bottom - this.box.getBoundingClientRect().top);
  }

  list(title, names, total) {
    return el('div', {}, el('h3', {}, title), names.length === 0 ? el('p', { class: 'none' }, 'Nothing.')
      : el('ul', { class: 'shares' }, names.map(([name, nanos]) => el('li', {},
        name < 0 ? el('span', { class: 'swatch rest', 'aria-hidden': 'true' }) : swatch(name),
        el('span', { class: 'one-line', title: this.nameOf(name) }, clip(this.nameOf(name), 200)),
        el('span', { class: 'of' }, duration(nanos)), el('span', { class: 'pct' }, percent(nanos, total))))));
  }

  nameOf(name) {
    return name === IN_A_QUEUE ? 'waiting in a queue' : app.model.nameOf(name);
  }
}
