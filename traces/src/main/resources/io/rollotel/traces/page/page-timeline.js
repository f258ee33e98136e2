// The timeline: its tools, selection, search and keys.

class Timeline extends LanesView {
  constructor() {
    super();
    this.hits = [];
    this.hit = -1;
    this.box.addEventListener('keydown', (event) => this.key(event));
  }

  show() {
    const { report, model } = app;
    [this.view.from, this.view.to] = this.within(model.first, model.first + this.whole());
    this.query = new QueryField('Find spans', 'Find spans: a word, or name:generate rank:3 dur>20ms status:error', (text) => this.find({ text }), (by) => this.go(by));
    this.search = this.query.input;
    const button = (text, label, action, more) => el('button', { type: 'button', title: label, 'aria-label': label, onclick: action, ...more }, text);
    this.matchesButton = button('Only matches', 'Hides what does not match the query', () => this.toggleMatches(), { id: 'matches-alone', 'aria-pressed': 'false', hidden: true });
    this.pathButton = button('Critical path only', 'Everything else is pale', () => this.togglePath(), { id: 'path-alone', 'aria-pressed': 'false' });
    this.pauseButton = !model.pauses.isEmpty && button('Pauses', 'Marks where a process stood still', () => this.togglePauses(), { id: 'pauses', 'aria-pressed': 'true' });
    this.saidSpan = el('p', { class: 'unseen', role: 'status' });
    this.saidPause = el('p', { class: 'hint', role: 'status', hidden: true });
    this.errorButton = report.errors > 0 && button('▲ Next error', 'Go to the next error', () => this.nextError(), { id: 'next-error' });
    fill(byId('timeline'),
      el('h2', {}, 'Timeline'),
      el('p', { class: 'lead' }, 'A lane for each process; what a span called in its own process lies below it. The thick line is the critical path; it is dashed where a call waited in a queue. ▲ and hatching mark errors.'
        + (model.open.length > 0 ? ' A jagged end marks a span that is still open: ❯ its process is alive, ✕ it is not.' : '')),
      report.selection && el('p', { class: 'lead chosen' }, chosenTraces() + ' Where nothing is drawn, a process may have been busy all the same' + (report.heat ? ': the heat map of the workers shows how busy it was.' : '.')),
      el('div', { class: 'card' },
        el('div', { class: 'tools' },
          this.query.box,
          el('div', { class: 'group' },
            button('↑', 'Previous match', () => this.go(-1), { id: 'previous' }),
            button('↓', 'Next match', () => this.go(1), { id: 'next' })),
          el('div', { class: 'group' },
            button('−', 'Zoom out', () => this.zoom(2), { id: 'zoom-out' }),
            button('+', 'Zoom in', () => this.zoom(0.5), { id: 'zoom-in' }),
            button('All', 'The whole run', () => this.fit(), { id: 'fit' })),
          this.matchesButton, this.pathButton, this.pauseButton, this.errorButton,
          pngButton('timeline', () => [this.map.canvas, this.canvas])),
        this.query.wrong,
        this.controls.box,
        el('div', { class: 'chart' }, this.map.canvas, this.rewards.canvas),
        this.box,
        this.range.box,
        this.saidSpan,
        this.saidPause,
        !model.pauses.isEmpty && (this.pauseLegend = model.pauses.legend()),
        el('p', { class: 'hint keys' }, 'Drag to move, ', el('kbd', {}, 'Shift'), ' + drag to select a range, ', el('kbd', {}, 'Ctrl'), ' + wheel to zoom, click for details, double-click to zoom to a span. Keys: ',
          el('kbd', {}, '+'), ' ', el('kbd', {}, '−'), ' ', el('kbd', {}, '←'), ' ', el('kbd', {}, '→'), ' move, ',
          el('kbd', {}, 'n'), ' ', el('kbd', {}, 'p'), ' next and previous span, ', el('kbd', {}, 'u'), ' ', el('kbd', {}, 'd'), ' parent and child, ',
          !model.pauses.isEmpty && [el('kbd', {}, 'g'), ' ', el('kbd', {}, 'Shift'), '+', el('kbd', {}, 'g'), ' next and previous pause, '],
          el('kbd', {}, 'i'), ' its details, ', el('kbd', {}, 'Enter'), ' zoom to it, ', el('kbd', {}, 'r'), ' select a range, ', el('kbd', {}, '/'), ' find.')));
    this.load();
    this.draw();
  }

  /** Updates to a new state of an active run: a view of the whole run keeps showing all of it. */
  follow(old, shift) {
    const { view } = this;
    const isWhole = this.isWhole(old);
    [view.from, view.to] = [view.from + shift, view.to + shift];
    const range = view.range?.map((nanos) => nanos + shift);
    view.range = range && range[1] > app.model.first ? withinRun(app.model, range) : null;
    view.selected = -1;
    this.choosePause(null);
    this.close();
    this.load();
    if (isWhole) this.fit();
    else this.set(this.view.from, this.view.to);
    if (!app.filter.isEmpty()) this.find(app.filter.filter);
  }

  /** Scrolls to a span, zooms to make it visible, and selects it. */
  reveal(item) {
    if (item < 0) return;
    app.address.go('timeline');
    this.zoomTo(item);
    this.select(item);
  }

  /** @param isFromTrace whether it was chosen in the waterfall, which then stays visible */
  select(item, isFromTrace) {
    this.view.selected = item;
    this.view.selectedId = '';
    this.saidSpan.textContent = item >= 0 && !isFromTrace ? this.wordsOf(item) : ''; // the waterfall's rows speak themselves
    if (item >= 0) {
      this.scrollTo(item);
      const { start, end } = app.model;
      if (end[item] < this.view.from || start[item] > this.view.to) {
        const half = (this.view.to - this.view.from) / 2;
        const middle = (start[item] + end[item]) / 2;
        this.set(middle - half, middle + half);
      }
      showDetails(item, isFromTrace ? app.trace : this);
    } else {
      this.close();
    }
    this.drawSoon();
    app.trace.drawSoon();
    app.address.changed();
  }

  close() {
    const details = byId('details');
    const box = app.address.part === 'trace' && app.trace.id !== '' ? app.trace.box : this.box;
    const isLeft = details.contains(document.activeElement);
    details.hidden = true;
    makeRoom(false, box);
    if (isLeft) box.focus({ preventScroll: true });
  }

  /** For those who hear what is selected. */
  wordsOf(item) {
    const { model } = app;
    return `${clip(model.nameOf(model.name[item]), 200)}, ${duration(model.nanosOf(item))}, after ${duration(model.start[item])}, on ${model.shortWorker(model.rows[model.rowOf(item)].worker)}`
      + (model.isError(item) ? ', error' : '') + (model.openOf(item) ? ', still open' : '');
  }

  /** Scrolls the page if the details of a span would cover the span itself. */
  uncover(item, height) {
    const { lane, row } = this.placeOf(item);
    const y = lane.top + row.top + lane.rowHeight - this.box.scrollTop + RULER;
    const below = this.box.getBoundingClientRect().top + y - (innerHeight - height - 12);
    if (below > 0) scrollBy(0, below);
  }

  togglePath() {
    this.view.isPathAlone = !this.view.isPathAlone;
    this.pathButton.setAttribute('aria-pressed', String(this.view.isPathAlone));
    this.drawSoon();
    app.address.changed();
  }

  togglePauses() {
    this.view.arePausesShown = !this.view.arePausesShown;
    this.pauseButton.setAttribute('aria-pressed', String(this.view.arePausesShown));
    this.pauseLegend.hidden = !this.view.arePausesShown;
    this.choosePause(null);
    this.layout();
    app.address.changed();
  }

  /** Frames some pauses and describes them. */
  choosePause(pause) {
    this.view.pause = pause;
    this.saidPause.hidden = pause === null;
    this.saidPause.textContent = pause ? `${app.model.shortWorker(pause.worker)}: ${app.model.pauses.words(pause)}` : '';
    this.drawSoon();
  }

  /** Goes to the next or the previous pause of any process. */
  nextPause(by) {
    const { pauses } = app.model;
    if (!this.pauseButton || pauses.isEmpty) return;
    if (!this.view.arePausesShown) this.togglePauses();
    const pause = pauses.next(this.view.pause, this.view.from, by);
    const [start, end] = pauses.range(pause);
    const isNarrow = ((end - start) / (this.view.to - this.view.from)) * (this.width - this.view.left) < NARROW;
    const half = isNarrow ? Math.max((end - start) * 20, LEAST_NANOS) : (this.view.to - this.view.from) / 2;
    const middle = (start + end) / 2;
    if (isNarrow || start < this.view.from || end > this.view.to) this.set(middle - half, middle + half);
    const lane = this.lanes.byWorker.get(pause.worker);
    if (lane) {
      if (this.lanes.uncover(lane)) this.arrange();
      this.scrollToPlace(lane.top, MARK_ROOM, this.lanes.isPinned(lane));
    }
    this.choosePause(pause);
  }

  showPath() {
    if (!this.view.isPathAlone) this.togglePath();
    const slowest = app.report.steps.slowest[0];
    app.address.go('timeline');
    if (slowest && slowest.item >= 0) this.zoomTo(slowest.item);
  }

  /** By time; after the last one the first again. */
  nextError() {
    const { model } = app;
    const { selected } = this.view;
    const isBefore = (a, b) => a < 0 || b < 0 || (model.start[a] === model.start[b] ? a < b : model.start[a] < model.start[b]);
    let first = -1;
    let next = -1;
    for (let item = 0; item < model.items; item++) {
      if (!model.isError(item)) continue;
      if (first < 0 || isBefore(item, first)) first = item;
      if (selected >= 0 && item !== selected && isBefore(selected, item) && (next < 0 || isBefore(item, next))) next = item;
    }
    if (first >= 0) this.reveal(next < 0 ? first : next);
  }

  // Finding.

  showName(number) {
    this.showFound({ name: app.model.plainName(number) });
  }

  /** @param filter as for PageFilter */
  showFound(filter) {
    this.fit();
    this.find(filter);
    app.address.go('timeline');
  }

  /** Moves the focus to the page's query. */
  typeQuery() {
    app.address.go('timeline');
    this.search.focus({ preventScroll: true });
  }

  /** @param filter as for PageFilter */
  find(filter) {
    return app.filter.set(filter);
  }

  /** Shows the matches of the page's query. */
  showMatches() {
    const { model } = app;
    const { error, hint } = app.filter;
    const found = app.filter.marks();
    this.hits = [];
    this.hit = -1;
    for (let item = 0; found && item < model.items; item++) {
      if (found[item]) this.hits.push(item);
    }
    this.hits.sort((a, b) => model.start[a] - model.start[b]);
    this.view.matches = found && ((item) => found[item] === 1);
    if (error) this.query.fail(error);
    else this.query.say(app.filter.words(), hint);
    this.matchesButton.hidden = !found;
    this.box.dataset.found = this.hits.length;
    this.drawSoon();
  }

  toggleMatches() {
    this.view.areMatchesAlone = !this.view.areMatchesAlone;
    this.matchesButton.setAttribute('aria-pressed', String(this.view.areMatchesAlone));
    this.drawSoon();
    app.address.changed();
  }

  go(by) {
    if (this.hits.length === 0) return;
    this.hit = (this.hit + by + this.hits.length + (this.hit < 0 && by < 0 ? 1 : 0)) % this.hits.length;
    const item = this.hits[this.hit];
    this.query.say(grouped(this.hit + 1) + ' of ' + grouped(this.hits.length));
    const { start, end } = app.model;
    const pixels = ((end[item] - start[item]) / (this.view.to - this.view.from)) * (this.width - this.view.left);
    if (pixels < 4) {
      const half = Math.max((end[item] - start[item]) * 20, LEAST_NANOS);
      this.set((start[item] + end[item]) / 2 - half, (start[item] + end[item]) / 2 + half);
    }
    this.select(item);
  }

  // Its part of the address.

  save(parameters) {
    const { from, to, selected, selectedId, isPathAlone } = this.view;
    if (!this.isWhole(app.model)) parameters.set('zoom', Math.round(from) + '..' + Math.round(to));
    if (isPathAlone) parameters.set('path', 'alone');
    if (!this.view.arePausesShown) parameters.set('pauses', 'off');
    if (selected >= 0) parameters.set('span', selectedId || '@' + selected);
    if (this.view.areMatchesAlone) parameters.set('matches', 'alone');
    app.filter.save(parameters);
    this.lanes.save(parameters);
    if (this.view.range) parameters.set('range', this.view.range.map(Math.round).join('..'));
  }

  async restore(parameters) {
    const { model } = app;
    this.lanes.restore(parameters);
    this.arrange();
    this.range.select(rangeOf(parameters.get('range')));
    const zoom = rangeOf(parameters.get('zoom'));
    if (zoom) this.set(...zoom);
    else this.fit();
    if (this.view.isPathAlone !== (parameters.get('path') === 'alone')) this.togglePath();
    if (this.pauseButton && this.view.arePausesShown === (parameters.get('pauses') === 'off')) this.togglePauses();
    if (this.view.areMatchesAlone !== (parameters.get('matches') === 'alone')) this.toggleMatches();
    const found = app.filter.restore(parameters);
    const span = parameters.get('span') || '';
    const item = span.startsWith('@') ? Number(span.slice(1)) : span ? await itemOfSpan(model, span) : -1;
    if (app.model !== model) return;
    const isThere = Number.isInteger(item) && item >= 0 && item < model.items;
    const isInTrace = isThere && app.trace.has(item);
    if (isThere || this.view.selected >= 0) this.select(isThere ? item : -1, isInTrace);
    if (isInTrace) app.trace.scrollTo(item);
    await found;
  }

  // Keys.

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { model } = app;
    const { selected } = this.view;
    const actions = {
      '+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2), 0: () => this.fit(),
      ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2), a: () => this.pan(-0.2),
      w: () => this.zoom(0.5), s: () => this.zoom(2),
      n: () => this.select(selected < 0 ? this.firstVisible() : this.besides(1)),
      p: () => this.select(selected < 0 ? this.firstVisible() : this.besides(-1)),
      u: () => selected >= 0 && model.parent[selected] >= 0 && this.select(model.parent[selected]),
      d: () => selected >= 0 && this.select(model.children(selected)[0] ?? selected),
      e: () => this.nextError(), c: () => this.togglePath(), g: () => this.nextPause(1), G: () => this.nextPause(-1),
      i: () => enterDetails(), r: () => this.range.start(), '<': () => this.range.move(-1, 0), '>': () => this.range.move(1, 0),
      'Shift+ArrowLeft': () => this.range.move(0, -1), 'Shift+ArrowRight': () => this.range.move(0, 1),
      Enter: () => selected >= 0 && this.zoomTo(selected),
      Escape: () => this.escape(),
    };
    const action = actions[event.shiftKey && event.key.startsWith('Arrow') ? 'Shift+' + event.key : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** Closes one thing after the other: the span, the range. */
  escape() {
    const isRangeLast = this.view.selected < 0 && !this.pointer.isSelecting && this.view.pause === null;
    this.pointer.selecting(false);
    this.choosePause(null);
    if (isRangeLast && this.view.range) this.range.select(null);
    this.select(-1);
  }

  besides(by) {
    const { selected } = this.view;
    const row = app.model.rows[app.model.rowOf(selected)];
    return Math.max(row.first, Math.min(row.last - 1, selected + by));
  }

  firstVisible() {
    const { model } = app;
    for (const row of this.lanes.shown.flatMap((lane) => lane.rows)) {
      const item = model.firstEndingAfter(row.first, row.last, this.view.from);
      if (item < row.last && model.start[item] < this.view.to) return item;
    }
    return -1;
  }
}
