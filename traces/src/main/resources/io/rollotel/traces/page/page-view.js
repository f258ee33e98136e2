// The visible part of the timeline: the period and the lanes.

const LEAST_NANOS = 200; // never fewer across the whole width

/** For the browser's performance tools: the duration of a user's action. */
function measured(what, began) {
  performance.clearMeasures('timeline ' + what);
  performance.measure('timeline ' + what, { start: began, end: performance.now() });
}

class LanesView {
  constructor() {
    this.view = { from: 0, to: 1, top: 0, left: 0, selected: -1, isPathAlone: false, matches: null, areMatchesAlone: false, arePausesShown: true, pause: null, range: null };
    this.canvas = el('canvas', { 'aria-hidden': 'true' });
    this.lanes = new Lanes();
    this.heads = new LaneHeads(this);
    this.stage = el('div', { class: 'stage' }, this.canvas, this.heads.layer);
    this.spacer = el('div', {}, this.stage);
    this.box = el('div', {
      class: 'lanes', tabindex: '0', role: 'application',
      'aria-label': 'Timeline. Plus and minus zoom, left and right move, n and p go to the next and the previous span, u to the parent, d to the first child, g to the next pause of a process, Enter zooms to the span, i goes to its details, Escape closes it. r selects a range of time, Shift with left and right moves its end. Tab goes to the labels of the lanes, up and down from one to the next, t pins a lane.',
    }, this.spacer);
    this.box.addEventListener('scroll', () => this.drawSoon());
    this.map = new BusyMap(this);
    this.rewards = new RewardStrip();
    this.controls = new LaneControls(this);
    this.range = new RangePanel(this);
    this.pointers = new Map();
    this.pointer = new TimelinePointer(this);
    this.frame = 0;
  }

  /** Updates to a new state of the report, and keeps the view. */
  load() {
    const { model } = app;
    this.lanes.load(model);
    this.strips = new Strips(model);
    const { steps } = app.report;
    this.stepOfItem = new Map(steps.together === 1 && !steps.areTraces ? steps.bars.map((bar) => [bar.item, bar]) : []);
    this.map.forget();
    app.filter.sum(model);
    if (app.filter.isEmpty()) this.query.say(app.filter.words());
    this.controls.show();
    this.layout();
    this.range.show();
    if (!app.isLive) this.range.prepareSoon();
  }

  /** All of it, and a little more, so that the end is visible. */
  whole() {
    return (app.model.wall - app.model.first) * 1.005;
  }

  isWhole(model) {
    return this.view.from <= model.first && this.view.to >= model.wall;
  }

  layout() {
    const width = this.box.clientWidth || 800;
    this.width = width;
    this.view.left = width <= 700 ? 0 : width > 800 && this.lanes.all.length >= COMPACT_FROM ? 212 : 172;
    this.arrange();
  }

  /** Orders the lanes and places them below each other. */
  arrange() {
    const { lanes, view } = this;
    const { model } = app;
    const [from, to] = this.part = this.partInSight();
    const { pauses } = model;
    this.places = new Map();
    lanes.arrange((lane) => takesPart(model, lane, from, to));
    lanes.place(view.left, (lane) => view.arePausesShown && pauses.has(lane.worker), this.places);
    const many = lanes.all.length >= COMPACT_FROM;
    const limit = many ? innerHeight * 0.8 : Math.min(innerHeight * 0.72, 760);
    this.height = Math.max(RULER + 60, Math.min(limit, lanes.total + RULER));
    this.box.style.height = this.height + 'px';
    this.spacer.style.height = lanes.total + RULER + 'px';
    this.stage.style.height = this.height + 'px';
    this.controls.say();
  }

  /**
   * The period in which lanes must take part to stay visible: the selected step, or the visible
   * period.
   */
  partInSight() {
    const step = this.selectedStep();
    return step ? [step.start, step.start + step.wall] : [this.view.from, this.view.to];
  }

  /** The selected step, or the step of the selected span. */
  selectedStep() {
    for (let item = this.view.selected; item >= 0; item = app.model.parent[item]) {
      if (this.stepOfItem.has(item)) return this.stepOfItem.get(item);
    }
    return undefined;
  }

  drawSoon() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!this.box.isConnected) return;
    const { view, lanes } = this;
    const began = performance.now();
    if (this.box.clientWidth !== this.width) this.layout();
    if (lanes.isOnly && this.part.join() !== this.partInSight().join()) this.arrange();
    view.top = this.box.scrollTop;
    const sight = lanes.inSight(view.top, this.height - RULER);
    const painter = new Painter(app.model, this.canvas, view, this.width, this.height);
    const rectangles = painter.paint(sight.seen, this.strips);
    this.heads.draw(sight, view.left, this.height);
    this.controls.show();
    this.map.draw(view);
    this.rewards.draw(view);
    measured('draw', began);
    // For tests and debugging.
    this.box.dataset.rectangles = rectangles;
    this.box.dataset.millis = (performance.now() - began).toFixed(1);
    this.box.dataset.from = view.from;
    this.box.dataset.to = view.to;
  }

  /** Changes the lanes and draws them. */
  change(what, action) {
    const began = performance.now();
    action();
    this.arrange();
    this.draw();
    measured(what, began);
    app.address.changed();
  }

  choose(what, value) {
    this.change(what, () => this.lanes.choose(what, value));
  }

  toggleGroup(group) {
    this.change('fold', () => this.lanes.fold(group, !this.lanes.isFolded(group)));
  }

  toggleSize(lane) {
    this.change('height', () => this.lanes.toggleSize(lane));
  }

  togglePin(lane) {
    this.change('pin', () => this.lanes.togglePin(lane));
  }

  toggleOnly() {
    this.change('only', () => { this.lanes.isOnly = !this.lanes.isOnly; });
  }

  // Moving.

  /** A period as near to another as the run allows. */
  within(from, to) {
    const whole = this.whole();
    const { first } = app.model;
    const span = Math.min(Math.max(to - from, LEAST_NANOS), Math.max(whole, LEAST_NANOS));
    // A run shorter than any window is in the middle of it.
    const begin = span > whole ? first - (span - whole) / 2 : Math.max(first, Math.min(from, first + whole - span));
    return [begin, begin + span];
  }

  set(from, to) {
    [this.view.from, this.view.to] = this.within(from, to);
    this.drawSoon();
    app.address.changed();
  }

  fit() {
    this.set(app.model.first, app.model.first + this.whole());
  }

  zoom(factor, at) {
    const { from, to } = this.view;
    const selected = this.view.selected;
    let centre = at;
    if (centre === undefined) {
      const middle = selected >= 0 ? (app.model.start[selected] + app.model.end[selected]) / 2 : NaN;
      centre = middle >= from && middle <= to ? middle : (from + to) / 2;
    }
    this.set(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }

  pan(share) {
    const by = (this.view.to - this.view.from) * share;
    this.set(this.view.from + by, this.view.to + by);
  }

  zoomTo(item) {
    const { start, end } = app.model;
    const room = Math.max((end[item] - start[item]) * 0.15, LEAST_NANOS / 2);
    this.set(start[item] - room, end[item] + room);
  }

  /** The place of an item; makes its lane visible. */
  placeOf(item) {
    const { model } = app;
    const row = model.rowOf(item);
    if (!this.places.has(row) && this.lanes.uncover(this.lanes.byWorker.get(model.rows[row].worker))) this.arrange();
    return this.places.get(row);
  }

  scrollTo(item) {
    const { lane, row } = this.placeOf(item);
    this.scrollToPlace(lane.top + row.top, lane.rowHeight, this.lanes.isPinned(lane));
  }

  scrollToBlock(block) {
    this.scrollToPlace(block.top, block.height, block.isPinned);
  }

  scrollToPlace(top, height, isPinned) {
    const room = this.height - RULER - Math.min(this.range.covers(this.box), this.height / 2);
    const covered = isPinned ? 0 : this.lanes.inSight(top, room).covered;
    if (top < this.box.scrollTop + covered) this.box.scrollTop = Math.max(0, top - covered - 12);
    else if (top + height > this.box.scrollTop + room) this.box.scrollTop = top + Math.min(height, room - covered - 12) - room + 12;
  }
}
