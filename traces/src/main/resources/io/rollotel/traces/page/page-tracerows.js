// The rows of a trace's waterfall: which there are, and what each looks like.

/**
 * The spans of a trace in the order of rows, with their depth and the number of their descendants.
 */
class TraceRows {
  constructor(model, id) {
    this.model = model;
    const numbers = model.numbersOfTrace(id);
    const traceOf = model.traceNumbers();
    const below = new Map();
    const roots = [];
    for (let item = 0; item < model.items; item++) {
      if (!numbers.has(traceOf[item])) continue;
      const parent = model.parent[item];
      if (parent < 0) roots.push(item);
      else if (below.has(parent)) below.get(parent).push(item);
      else below.set(parent, [item]);
    }
    const byStart = (a, b) => model.start[a] - model.start[b] || model.end[b] - model.end[a];
    this.items = [];
    this.depth = [];
    this.place = new Map();
    const open = roots.sort(byStart).reverse().map((item) => [item, 0]);
    while (open.length > 0) {
      const [item, depth] = open.pop();
      this.place.set(item, this.items.length);
      this.items.push(item);
      this.depth.push(depth);
      const children = below.get(item);
      if (children) for (const child of children.sort(byStart).reverse()) open.push([child, depth + 1]);
    }
    this.sum();
  }

  sum() {
    const { model, items, depth } = this;
    this.size = new Array(items.length).fill(1);
    this.hasPath = items.map((item) => (model.flags[item] & ON_PATH) !== 0);
    this.hasError = new Array(items.length).fill(false); // below it
    this.caller = new Array(items.length).fill(-1);
    const callers = [];
    items.forEach((_, place) => {
      callers[depth[place]] = place;
      if (depth[place] > 0) this.caller[place] = callers[depth[place] - 1];
    });
    for (let place = items.length - 1; place >= 0; place--) {
      const caller = this.caller[place];
      if (caller < 0) continue;
      this.size[caller] += this.size[place];
      this.hasPath[caller] ||= this.hasPath[place];
      this.hasError[caller] ||= this.hasError[place] || model.isError(items[place]);
    }
    this.first = items.reduce((least, item) => Math.min(least, model.start[item]), Infinity);
    this.last = items.reduce((most, item) => Math.max(most, model.end[item]), -Infinity);
    this.errors = items.filter((item) => model.isError(item)).length;
    this.workers = new Set(items.map((item) => model.rows[model.rowOf(item)].worker)).size;
  }

  /** The visible rows. */
  seen(collapsed, isPathAlone) {
    const seen = [];
    for (let place = 0; place < this.items.length;) {
      const isSeen = !isPathAlone || this.hasPath[place];
      if (isSeen) seen.push(place);
      place += isSeen && !collapsed.has(this.items[place]) ? 1 : this.size[place];
    }
    return seen;
  }

  /** The rows as a table. */
  csv() {
    const { model } = this;
    return [['depth', 'name', 'process', 'host', 'start_ns', 'took_ns', 'error', 'on_critical_path', 'open', 'spans'],
      ...this.items.map((item, place) => {
        const worker = model.rows[model.rowOf(item)].worker;
        return [this.depth[place], model.nameOf(model.name[item]), model.worker(worker), model.process(worker)?.host, model.start[item] - this.first,
          model.end[item] - model.start[item], model.isError(item), (model.flags[item] & ON_PATH) !== 0, Boolean(model.openOf(item)), model.spans[item]];
      })];
  }
}

/** A row of the view, at a place on the screen. */
function traceRow(view, place, top, height) {
  const { model } = app;
  const { rows } = view;
  const item = rows.items[place];
  const hasMore = rows.size[place] > 1;
  const isCollapsed = view.collapsed.has(item);
  const isError = model.isError(item);
  const name = (model.spans[item] > 1 ? `${grouped(model.spans[item])} spans, the longest ` : '') + model.nameOf(model.name[item]);
  const number = model.rows[model.rowOf(item)].worker;
  const worker = model.worker(number);
  const begun = '+' + duration(model.start[item] - rows.first);
  const took = duration(model.end[item] - model.start[item]);
  const isPale = view.matches && !view.matches[item];
  return el('div', {
    class: 'call' + (isPale ? ' pale' : ''), id: 'call-' + place, role: 'treeitem', 'aria-level': String(rows.depth[place] + 1),
    'aria-expanded': hasMore && String(!isCollapsed), 'aria-selected': String(item === app.timeline.view.selected), 'data-place': String(place),
    'aria-label': `${clip(name, 200)}, ${took}, after ${begun.slice(1)}, on ${worker}` + (isError ? ', error' : '')
      + (model.flags[item] & ON_PATH ? ', on the critical path' : '') + (model.openOf(item) ? ', still open' : ''),
    style: { top: top + 'px', height: height + 'px' },
  },
  el('div', { class: 'what', style: { paddingLeft: Math.min(rows.depth[place], 24) * (innerWidth > 640 ? 14 : 8) + 'px' } },
    el('span', { class: 'fold' }, hasMore ? (isCollapsed ? '▸' : '▾') : ''), swatch(model.name[item]),
    (isError || (isCollapsed && rows.hasError[place])) && el('span', { class: 'mark' }, '▲'),
    line(name), isCollapsed && el('span', { class: 'more-below' }, '+' + grouped(rows.size[place] - 1))),
  el('div', { class: 'on', title: worker }, workerLine(model.shortWorker(number))),
  el('div', { class: 'begun' }, begun),
  el('div', { class: 'took' }, took),
  el('div', { class: 'track' }, traceBars(view, item, isError)));
}

/** The bar of a span, with the critical path and the wait of the call. */
function traceBars(view, item, isError) {
  const { model } = app;
  const part = (kind, from, to, more) => {
    const left = view.share(from);
    const right = view.share(to);
    if (right <= 0 || left >= 1) return null;
    return el('i', { class: kind, style: { left: left * 100 + '%', width: `max(2px, ${(right - left) * 100}%)`, ...more } });
  };
  const least = (view.to - view.from) / 800;
  const bars = [];
  for (const segment of model.waitsOfItem(item)) bars.push(part('waited', model.segmentStart[segment], model.segmentEnd[segment]));
  bars.push(part('bar' + (isError ? ' error' : '') + (model.openOf(item) ? ' open' : ''), model.start[item], model.end[item],
    { background: isError ? undefined : nameColor(model.name[item]) }));
  let from = -1;
  let to = -1;
  const close = () => from >= 0 && bars.push(part('path', from, to));
  for (let i = model.segmentsFrom[item]; i < model.segmentsFrom[item + 1]; i++) {
    const segment = model.segmentsByItem[i];
    if (from >= 0 && model.segmentStart[segment] - to < least && model.segmentStart[segment] >= from) to = model.segmentEnd[segment];
    else {
      close();
      from = model.segmentStart[segment];
      to = model.segmentEnd[segment];
    }
  }
  close();
  return bars;
}
