// One trace as a waterfall: a row for each span below that of its caller, and its bar beside it.

const ROW_SPARE = 6; // rows that are there above and below those that are seen

class TraceView {
  constructor() {
    this.id = '';
    this.collapsed = new Set();
    this.hits = [];
    this.matches = null;
    this.text = '';
    this.isPathAlone = false;
    this.seen = [];
  }

  /** Shows the trace of an item. */
  open(item) {
    const id = app.model.traceId(item);
    if (id === '') return;
    this.showTrace(id);
    app.address.go('trace');
    app.timeline.select(item, true);
    this.scrollTo(item);
    this.box.focus({ preventScroll: true });
  }

  showTrace(id, range) {
    const rows = new TraceRows(app.model, id);
    if (rows.items.length === 0) return this.close();
    if (id !== this.id) {
      this.collapsed.clear();
      this.isPathAlone = false;
      this.text = '';
    }
    this.id = id;
    this.rows = rows;
    [this.from, this.to] = range || this.whole();
    this.build();
    byId('nav-trace').hidden = false;
    this.find(this.text);
    this.layout();
  }

  close() {
    if (this.id === '') return;
    this.id = '';
    byId('trace').hidden = true;
    byId('nav-trace').hidden = true;
    app.address.changed();
  }

  /** Updates to a new state of an active run: its items have other numbers. */
  follow(shift) {
    this.collapsed.clear();
    if (this.id !== '') this.showTrace(this.id, this.isWhole() ? null : [this.from + shift, this.to + shift]);
  }

  has(item) {
    return this.id !== '' && this.rows.place.has(item);
  }

  whole() {
    return [this.rows.first, Math.max(this.rows.last, this.rows.first + LEAST_NANOS)];
  }

  isWhole() {
    const [from, to] = this.whole();
    return this.from <= from && this.to >= to;
  }

  build() {
    const { model } = app;
    const { rows } = this;
    const button = (text, label, action, more) => el('button', { type: 'button', title: label, 'aria-label': label, onclick: action, ...more }, text);
    this.query = new QueryField('Find spans in this trace', 'Find in this trace', (text) => this.find(text), (by) => this.go(by));
    this.pathButton = button('Critical path only', 'Hides what is not on the critical path', () => this.togglePath(), { id: 'trace-path', 'aria-pressed': String(this.isPathAlone) });
    this.ticks = el('div', { class: 'track ticks', 'aria-hidden': 'true' });
    this.spacer = el('div', { class: 'spacer' });
    this.box = el('div', {
      class: 'waterfall', role: 'tree', tabindex: '0',
      'aria-label': 'The trace. Up and down go from span to span, right and left expand and collapse, Enter zooms to the span, i goes to its details, 0 shows all, Escape closes it.',
      onscroll: () => this.drawSoon(), onkeydown: (event) => this.key(event), onclick: (event) => this.click(event),
      ondblclick: (event) => { const item = this.itemOf(event); if (item >= 0) this.zoomTo(item); },
    }, this.spacer);
    this.box.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    const root = rows.items[0];
    fill(byId('trace'),
      el('h2', {}, 'Trace of ' + clip(model.nameOf(model.name[root]), 100)),
      el('p', { class: 'lead' }, [count(rows.items.length, 'row'), count(rows.workers, 'process', 'processes'), duration(rows.last - rows.first),
        rows.errors > 0 ? '▲ ' + count(rows.errors, 'error') : 'no errors', 'started ' + moment(model.epoch, rows.first, true)].join(' · ')
        + '. The thick line is the critical path, dashed where a call waited in a queue. ▲ and hatching mark errors.'),
      el('div', { class: 'card' },
        el('div', { class: 'tools' },
          this.query.box,
          el('div', { class: 'group' },
            button('↑', 'Previous match in the trace', () => this.go(-1)),
            button('↓', 'Next match in the trace', () => this.go(1))),
          el('div', { class: 'group' },
            button('−', 'Zoom out of the trace', () => this.zoom(2)),
            button('+', 'Zoom into the trace', () => this.zoom(0.5)),
            button('←', 'Earlier', () => this.pan(-0.5)),
            button('→', 'Later', () => this.pan(0.5)),
            button('All', 'The whole trace', () => this.set(...this.whole()), { id: 'trace-all' })),
          el('div', { class: 'group' },
            button('Collapse', 'Collapse all but the outermost', () => this.collapseAll(), { id: 'trace-collapse' }),
            button('Expand', 'Expand all', () => { this.collapsed.clear(); this.layout(); }, { id: 'trace-expand' })),
          this.pathButton,
          button('In the timeline', 'Find this trace in the timeline', () => this.inTimeline()),
          csvButton('trace', () => this.rows.csv()),
          svgButton('trace', () => traceSvg(this)),
          button('↓ JSON', 'This trace in OTLP’s JSON', () => this.json(), { id: 'trace-json' }),
          button('Close', 'Close the trace', () => this.close(), { id: 'trace-close' })),
        this.query.wrong,
        el('div', { class: 'call heads', 'aria-hidden': 'true' }, el('div', {}, 'Span'), el('div', { class: 'on' }, 'Process'),
          el('div', { class: 'begun' }, 'Start'), el('div', { class: 'took' }, 'Took'), this.ticks),
        this.box));
  }

  rowHeight() {
    return innerWidth > 640 ? 28 : 46;
  }

  layout() {
    if (this.id === '') return;
    this.seen = this.rows.seen(this.collapsed, this.isPathAlone);
    const height = this.rowHeight();
    this.spacer.style.height = this.seen.length * height + 'px';
    this.box.style.height = Math.min(this.seen.length * height, Math.max(200, innerHeight * 0.66)) + 'px';
    this.box.dataset.rows = this.seen.length; // for tests
    this.drawSoon();
    this.draw();
  }

  drawSoon() {
    if (this.isDirty || this.id === '') return;
    this.isDirty = true;
    requestAnimationFrame(() => {
      this.isDirty = false;
      this.draw();
    });
  }

  draw() {
    if (this.id === '' || !this.box.isConnected) return;
    const height = this.rowHeight();
    const first = Math.max(0, Math.floor(this.box.scrollTop / height) - ROW_SPARE);
    const last = Math.min(this.seen.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / height) + ROW_SPARE);
    const rows = [];
    for (let i = first; i < last; i++) rows.push(traceRow(this, this.seen[i], i * height, height));
    this.spacer.replaceChildren(...rows);
    const selected = this.rows.place.get(app.timeline.view.selected);
    if (selected === undefined) this.box.removeAttribute('aria-activedescendant');
    else this.box.setAttribute('aria-activedescendant', 'call-' + selected);
    this.drawTicks();
  }

  share(nanos) {
    return Math.max(-0.01, Math.min(1.01, (nanos - this.from) / (this.to - this.from)));
  }

  drawTicks() {
    const width = this.ticks.clientWidth;
    if (width <= 0) return;
    const step = tickStep(this.to - this.from, width / 90);
    const labels = [];
    for (let nanos = Math.ceil((this.from - this.rows.first) / step) * step; nanos <= this.to - this.rows.first; nanos += step) {
      const left = this.share(nanos + this.rows.first) * width;
      const text = tickLabel(nanos, step);
      if (left >= 0 && left < width - 8 * text.length - 6) labels.push(el('span', { style: { left: left + 'px' } }, text));
    }
    this.ticks.replaceChildren(...labels);
  }

  // Moving.

  set(from, to) {
    const [first, last] = this.whole();
    const span = Math.min(Math.max(to - from, LEAST_NANOS), last - first);
    this.from = Math.max(first, Math.min(from, last - span));
    this.to = this.from + span;
    this.box.dataset.from = this.from; // for tests
    this.box.dataset.to = this.to;
    this.drawSoon();
    app.address.changed();
  }

  zoom(factor, at) {
    const { start, end } = app.model;
    const selected = app.timeline.view.selected;
    const middle = this.rows.place.has(selected) ? (start[selected] + end[selected]) / 2 : NaN;
    const centre = at ?? (middle >= this.from && middle <= this.to ? middle : (this.from + this.to) / 2);
    this.set(centre - (centre - this.from) * factor, centre + (this.to - centre) * factor);
  }

  pan(share) {
    const by = (this.to - this.from) * share;
    this.set(this.from + by, this.to + by);
  }

  zoomTo(item) {
    const { start, end } = app.model;
    const room = Math.max((end[item] - start[item]) * 0.1, LEAST_NANOS / 2);
    this.set(start[item] - room, end[item] + room);
  }

  wheel(event) {
    const bounds = this.ticks.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const at = this.from + Math.max(0, Math.min(1, (event.clientX - bounds.left) / bounds.width)) * (this.to - this.from);
      this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 200))), at);
    } else if (event.shiftKey) {
      event.preventDefault();
      this.pan((event.deltaX || event.deltaY) / bounds.width);
    }
  }

  collapseAll() {
    this.rows.items.forEach((item, place) => { if (this.rows.size[place] > 1 && this.rows.depth[place] > 0) this.collapsed.add(item); });
    this.layout();
  }

  togglePath() {
    this.isPathAlone = !this.isPathAlone;
    this.pathButton.setAttribute('aria-pressed', String(this.isPathAlone));
    this.layout();
    app.address.changed();
  }

  toggle(item) {
    if (!this.collapsed.delete(item)) this.collapsed.add(item);
    this.layout();
  }

  inTimeline() {
    app.timeline.find({ text: this.id });
    app.timeline.set(...this.whole());
    app.address.go('timeline');
  }

  /** Makes the row of an item exist and visible. */
  scrollTo(item) {
    const place = this.rows.place.get(item);
    if (place === undefined) return;
    let hasOpened = false;
    for (let above = this.rows.caller[place]; above >= 0; above = this.rows.caller[above]) {
      hasOpened = this.collapsed.delete(this.rows.items[above]) || hasOpened;
    }
    if (hasOpened) this.layout();
    const height = this.rowHeight();
    const top = this.seen.indexOf(place) * height;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top + height > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = top + height - this.box.clientHeight;
    this.draw();
  }

  /** Scrolls the page if the details of a span would cover its row. */
  uncover(item, height) {
    const at = this.seen.indexOf(this.rows.place.get(item));
    if (at < 0) return;
    const y = (at + 1) * this.rowHeight() - this.box.scrollTop;
    const below = this.box.getBoundingClientRect().top + y - (innerHeight - height - 12);
    if (below > 0) scrollBy(0, below);
  }

  async json() {
    download('trace-' + this.id + '.json', 'application/json', await otlpJson(app.model, this.rows.items));
  }

  // Finding.

  async find(text) {
    this.text = text;
    this.query.show(text);
    const { rows } = this;
    const isOwn = text.trim() !== '';
    let matches = isOwn ? null : app.filter.marks();
    let error = null;
    try {
      if (isOwn) matches = await findItems(app.model, { text });
    } catch (thrown) {
      if (!(thrown instanceof QueryError)) throw thrown;
      error = thrown;
    }
    if (this.text !== text || this.rows !== rows) return;
    this.matches = matches;
    this.hits = matches ? rows.items.filter((item) => matches[item]) : [];
    this.hit = -1;
    if (error) this.query.fail(error);
    else this.query.say(matches ? `${grouped(this.hits.length)} of ${count(rows.items.length, 'row')}` + (isOwn ? '' : ' match the page’s query') : '');
    this.box.dataset.found = this.hits.length; // for tests
    this.drawSoon();
    app.address.changed();
  }

  /** The page's query has changed: it applies here unless there is a separate search. */
  findAgain() {
    if (this.id !== '') this.find(this.text);
  }

  go(by) {
    if (this.hits.length === 0) return;
    this.hit = (this.hit + by + this.hits.length + (this.hit < 0 && by < 0 ? 1 : 0)) % this.hits.length;
    this.query.say(grouped(this.hit + 1) + ' of ' + grouped(this.hits.length));
    this.choose(this.hits[this.hit]);
  }

  // Pointer and keys.

  itemOf(event) {
    const row = event.target instanceof Element && event.target.closest('[data-place]');
    return row ? this.rows.items[Number(row.dataset.place)] : -1;
  }

  click(event) {
    const item = this.itemOf(event);
    if (item < 0) return;
    if (event.target.closest('.fold') && this.rows.size[this.rows.place.get(item)] > 1) this.toggle(item);
    else this.choose(item);
  }

  choose(item) {
    if (this.isPathAlone && !this.rows.hasPath[this.rows.place.get(item)]) this.togglePath();
    this.scrollTo(item);
    app.timeline.select(item, true);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { seen, rows } = this;
    const selected = rows.place.get(app.timeline.view.selected);
    const at = selected === undefined ? -1 : seen.indexOf(selected);
    const to = (index) => seen.length > 0 && this.choose(rows.items[seen[Math.max(0, Math.min(seen.length - 1, index))]]);
    const item = at < 0 ? -1 : rows.items[selected];
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.rowHeight()) - 1);
    const fold = (isWanted) => {
      if (at < 0) return to(0);
      const hasMore = rows.size[selected] > 1;
      if (hasMore && this.collapsed.has(item) !== isWanted) this.toggle(item);
      else if (!isWanted && hasMore) to(at + 1);
      else if (isWanted && rows.caller[selected] >= 0) this.choose(rows.items[rows.caller[selected]]);
    };
    const actions = {
      ArrowDown: () => to(at + 1), ArrowUp: () => to(at - 1), PageDown: () => to(at + page), PageUp: () => to(at - page),
      Home: () => to(0), End: () => to(seen.length - 1), ArrowRight: () => fold(false), ArrowLeft: () => fold(true),
      Enter: () => item >= 0 && this.zoomTo(item), '+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2),
      0: () => this.set(...this.whole()), c: () => this.togglePath(), i: () => enterDetails(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  // Its part of the address.

  save(parameters) {
    if (this.id === '') return;
    parameters.set('trace', this.id);
    if (!this.isWhole()) parameters.set('tracezoom', Math.round(this.from) + '..' + Math.round(this.to));
    if (this.isPathAlone) parameters.set('tracepath', 'alone');
    if (this.text !== '') parameters.set('tracefind', this.text);
  }

  restore(parameters) {
    const id = parameters.get('trace') || '';
    if (id === '') return this.close();
    const range = rangeOf(parameters.get('tracezoom'));
    if (id !== this.id || byId('trace').hidden) this.showTrace(id, range);
    if (this.id !== id) return; // it is not in this run
    this.set(...(range || this.whole()));
    if (this.isPathAlone !== (parameters.get('tracepath') === 'alone')) this.togglePath();
    return this.find(parameters.get('tracefind') || '');
  }
}

/** A button that shows the trace of an item; nothing if it has none. */
function traceButton(item, name) {
  return item >= 0 && app.model.traceId(item) !== '' && el('button', {
    type: 'button', class: 'link trace', title: 'Show its trace as a waterfall', 'aria-label': 'Show the trace of ' + clip(name, 100),
    onclick: () => app.trace.open(item),
  }, 'trace');
}
