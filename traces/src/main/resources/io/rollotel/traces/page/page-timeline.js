// The timeline: what is seen of it, and what pointer, wheel and keys do.

const LEAST_NANOS = 200; // never fewer across the whole width

class Timeline {
  constructor() {
    this.view = { from: 0, to: 1, top: 0, left: 0, selected: -1, isPathAlone: false, matches: null, areMatchesAlone: false, arePausesShown: true, pause: null };
    this.canvas = el('canvas', { 'aria-hidden': 'true' });
    this.spacer = el('div', {}, this.canvas);
    this.box = el('div', {
      class: 'lanes', tabindex: '0', role: 'application',
      'aria-label': 'Timeline. Plus and minus zoom, left and right move, n and p go to the next and the previous span, u to the parent, d to the first child, g to the next pause of a process, Enter zooms to the span, Escape closes it.',
    }, this.spacer);
    this.map = el('canvas', { class: 'map', 'aria-hidden': 'true' });
    this.rewards = new RewardStrip();
    this.pointers = new Map();
    this.hits = [];
    this.hit = -1;
    this.isDirty = false;
    this.listen();
  }

  show() {
    const { report, model } = app;
    this.view.from = model.first;
    this.view.to = model.first + Math.max(this.whole(), LEAST_NANOS);
    this.query = new QueryField('Find spans', 'Find spans: a word, or name:generate rank:3 dur>20ms status:error', (text) => this.find({ text }), (by) => this.go(by));
    this.search = this.query.input;
    const button = (text, label, action, more) => el('button', { type: 'button', title: label, 'aria-label': label, onclick: action, ...more }, text);
    this.matchesButton = button('Only matches', 'Hides what does not match the query', () => this.toggleMatches(), { id: 'matches-alone', 'aria-pressed': 'false', hidden: true });
    this.pathButton = button('Critical path only', 'Everything else is pale', () => this.togglePath(), { id: 'path-alone', 'aria-pressed': 'false' });
    this.pauseButton = !model.pauses.isEmpty && button('Pauses', 'Marks where a process stood still', () => this.togglePauses(), { id: 'pauses', 'aria-pressed': 'true' });
    this.saidPause = el('p', { class: 'hint', role: 'status', hidden: true });
    this.errorButton = report.errors > 0 && button('▲ Next error', 'Go to the next error', () => this.nextError(), { id: 'next-error' });
    fill(byId('timeline'),
      el('h2', {}, 'Timeline'),
      el('p', { class: 'lead' }, 'A lane for each process; what a span called in its own process lies below it. The thick line is the critical path; it is dashed where a call waited in a queue. ▲ and hatching mark errors.'
        + (model.open.length > 0 ? ' A torn end is that of a span still open: ❯ its process lives, ✕ it has died.' : '')),
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
          this.matchesButton, this.pathButton, this.pauseButton, this.errorButton),
        this.query.wrong,
        el('div', { class: 'chart' }, this.map, this.rewards.canvas),
        this.box,
        this.saidPause,
        !model.pauses.isEmpty && (this.pauseLegend = model.pauses.legend()),
        el('p', { class: 'hint keys' }, 'Drag to move, ', el('kbd', {}, 'Ctrl'), ' + wheel to zoom, click for details, double-click to zoom to a span. Keys: ',
          el('kbd', {}, '+'), ' ', el('kbd', {}, '−'), ' ', el('kbd', {}, '←'), ' ', el('kbd', {}, '→'), ' move, ',
          el('kbd', {}, 'n'), ' ', el('kbd', {}, 'p'), ' next and previous span, ', el('kbd', {}, 'u'), ' ', el('kbd', {}, 'd'), ' parent and child, ',
          !model.pauses.isEmpty && [el('kbd', {}, 'g'), ' ', el('kbd', {}, 'Shift'), '+', el('kbd', {}, 'g'), ' next and previous pause, '],
          el('kbd', {}, 'Enter'), ' zoom to it, ', el('kbd', {}, '/'), ' find.')));
    this.load();
    this.draw();
  }

  /** Takes over another state of the report, and keeps the view. */
  load() {
    const { model } = app;
    const groups = new Map();
    model.rows.forEach((row, number) => {
      let group = groups.get(row.worker);
      if (!group) {
        const worker = model.process(row.worker);
        group = { worker: row.worker, rows: [], label: this.labelOf(worker, row.worker), second: this.secondOf(worker) };
        groups.set(row.worker, group);
      }
      group.rows.push({ ...row, number });
    });
    this.groups = [...groups.values()];
    // What is still open has called what lies below it.
    for (const group of this.groups) group.rows.sort((a, b) => (b.isOpen ? 1 : 0) - (a.isOpen ? 1 : 0));
    // Who drives the steps first: it calls the others.
    const drives = (group) => (app.report.workers[group.worker]?.driver ? 0 : 1);
    this.groups.sort((a, b) => drives(a) - drives(b));
    this.places = new Map();
    this.busyLanes = null;
    app.filter.sum(model);
    if (app.filter.isEmpty()) this.query.say(app.filter.words());
    this.layout();
  }

  /** Another state of a run that is still on: what showed all of it goes on doing so. */
  follow(old) {
    const isWhole = this.isWhole(old);
    this.view.selected = -1;
    this.choosePause(null);
    this.close();
    this.load();
    if (isWhole) this.fit();
    else this.set(this.view.from, this.view.to);
    if (!app.filter.isEmpty()) this.find(app.filter.filter);
  }

  /** All of it, and a little more, so that the end can be seen. */
  whole() {
    return (app.model.wall - app.model.first) * 1.005;
  }

  isWhole(model) {
    return this.view.from <= model.first && this.view.to >= model.wall;
  }

  labelOf(worker, number) {
    if (!worker) return app.model.worker(number);
    const service = worker.service || '(unnamed)';
    return worker.rank === '' ? service : service + ' · rank ' + worker.rank;
  }

  secondOf(worker) {
    if (!worker) return '';
    return worker.driver && !app.report.steps.areTraces ? worker.instance + ' · driver' : worker.instance;
  }

  layout() {
    const width = this.box.clientWidth || 800;
    this.width = width;
    this.view.left = width > 700 ? 172 : 0;
    const { pauses } = app.model;
    let top = 0;
    for (const group of this.groups) {
      const size = group.rows.length;
      group.rowHeight = size <= 12 ? 22 : size <= 40 ? 11 : 5;
      group.top = top;
      group.marks = this.view.arePausesShown && pauses.has(group.worker) ? MARK_ROOM : 0;
      group.marksTop = this.view.left ? 4 : 22;
      const head = (this.view.left ? 6 : 24) + group.marks;
      group.rows.forEach((row, i) => {
        row.top = head + i * group.rowHeight;
        this.places.set(row.number, { group, row });
      });
      group.height = Math.max(head + size * group.rowHeight + 6, this.view.left ? 44 : 0);
      top += group.height;
    }
    this.total = top;
    const limit = Math.min(innerHeight * 0.72, 760);
    this.height = Math.max(RULER + 60, Math.min(limit, top + RULER));
    this.box.style.height = this.height + 'px';
    this.spacer.style.height = top + RULER + 'px';
  }

  drawSoon() {
    if (this.isDirty) return;
    this.isDirty = true;
    requestAnimationFrame(() => {
      this.isDirty = false;
      this.draw();
    });
  }

  draw() {
    if (!this.box.isConnected) return;
    if (this.box.clientWidth !== this.width) this.layout();
    const began = performance.now();
    this.view.top = this.box.scrollTop;
    const painter = new Painter(app.model, this.canvas, this.view, this.width, this.height);
    const rectangles = painter.paint(this.groups);
    this.drawMap();
    this.rewards.draw(this.view);
    // For tests, and for whoever wonders.
    this.box.dataset.rectangles = rectangles;
    this.box.dataset.millis = (performance.now() - began).toFixed(1);
    this.box.dataset.from = this.view.from;
    this.box.dataset.to = this.view.to;
  }

  /** How many lanes are at work, over the whole run, and the part that is seen. */
  drawMap() {
    const { model } = app;
    const width = this.map.parentElement.clientWidth;
    const height = 44;
    if (width <= 0) return;
    const left = this.view.left;
    const columns = Math.max(1, Math.floor(width - left));
    if (!this.busyLanes || this.busyLanes.length !== columns) this.busyLanes = this.countBusy(columns);
    const context = prepareCanvas(this.map, width, height);
    const colors = themeColors();
    const most = this.busyLanes.reduce((a, b) => Math.max(a, b), 0.01);
    context.fillStyle = colors.soft;
    context.fillRect(left, 0, columns, height);
    context.fillStyle = colors.accent;
    context.globalAlpha = 0.55;
    for (let x = 0; x < columns; x++) {
      const high = (this.busyLanes[x] / most) * (height - 4);
      context.fillRect(left + x, height - high, 1, high);
    }
    context.globalAlpha = 1;
    const x = (nanos) => left + ((nanos - model.first) / (model.wall - model.first)) * columns;
    const from = x(this.view.from);
    const to = x(this.view.to);
    context.fillStyle = colors.paper;
    context.globalAlpha = 0.6;
    context.fillRect(left, 0, Math.max(0, from - left), height);
    context.fillRect(to, 0, Math.max(0, left + columns - to), height);
    context.globalAlpha = 1;
    context.strokeStyle = colors.accent;
    context.lineWidth = 2;
    const a = Math.max(left + 1, from);
    context.strokeRect(a, 1, Math.max(3, Math.min(to, left + columns) - a - 1), height - 2);
    if (left > 0) {
      context.fillStyle = colors.dim;
      context.font = '12px system-ui, sans-serif';
      context.textBaseline = 'middle';
      context.fillText('Lanes at work, all of it', 2, height / 2);
    }
  }

  countBusy(columns) {
    const { model } = app;
    const busy = new Float32Array(columns);
    const per = (model.wall - model.first) / columns;
    for (const row of model.rows) {
      const worker = app.report.workers[row.worker];
      if (row.isOpen || row.depth > 0 || (worker && worker.driver && model.report.workers.length > 1)) continue;
      for (let item = row.first; item < row.last; item++) {
        const from = (model.start[item] - model.first) / per;
        const to = (model.end[item] - model.first) / per;
        let column = Math.min(columns - 1, Math.floor(from));
        if (to <= column + 1) busy[column] += to - from;
        else {
          for (; column < to && column < columns; column++) {
            busy[column] += Math.min(to, column + 1) - Math.max(from, column);
          }
        }
      }
    }
    return busy;
  }

  // Moving.

  set(from, to) {
    const whole = this.whole();
    const { first } = app.model;
    const span = Math.min(Math.max(to - from, LEAST_NANOS), Math.max(whole, LEAST_NANOS));
    const begin = Math.max(first, Math.min(from, first + whole - span));
    this.view.from = begin;
    this.view.to = begin + span;
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
      const middle = selected >= 0 ? (app.model.start[selected] + app.model.end[selected]) / 2 : -1;
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

  /** Scrolls to a span, zooms so that it can be seen, and selects it. */
  reveal(item) {
    if (item < 0) return;
    app.address.go('timeline');
    this.zoomTo(item);
    this.select(item);
  }

  scrollTo(item) {
    const place = this.places.get(app.model.rowOf(item));
    const top = place.group.top + place.row.top;
    const room = this.height - RULER;
    if (top < this.box.scrollTop) this.box.scrollTop = Math.max(0, top - 12);
    else if (top + place.group.rowHeight > this.box.scrollTop + room) this.box.scrollTop = top + place.group.rowHeight - room + 12;
  }

  /** @param isFromTrace whether it was chosen in the waterfall, which then stays in sight */
  select(item, isFromTrace) {
    this.view.selected = item;
    this.view.selectedId = '';
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
    byId('details').hidden = true;
    makeRoom(false, app.address.part === 'trace' && app.trace.id !== '' ? app.trace.box : this.box);
  }

  /** Scrolls the page where what is known of a span would lie over the span itself. */
  uncover(item, height) {
    const place = this.places.get(app.model.rowOf(item));
    const y = place.group.top + place.row.top + place.group.rowHeight - this.box.scrollTop + RULER;
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

  /** Frames some pauses and says what they are. */
  choosePause(pause) {
    this.view.pause = pause;
    this.saidPause.hidden = pause === null;
    this.saidPause.textContent = pause ? `${app.model.shortWorker(pause.worker)}: ${app.model.pauses.words(pause)}` : '';
    this.drawSoon();
  }

  /** Goes to the next pause of any process, or to the one before. */
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
    const group = this.groups.find((one) => one.worker === pause.worker);
    if (group && (group.top < this.box.scrollTop || group.top + MARK_ROOM > this.box.scrollTop + this.height - RULER)) this.box.scrollTop = group.top;
    this.choosePause(pause);
  }

  showPath() {
    if (!this.view.isPathAlone) this.togglePath();
    const slowest = app.report.steps.slowest[0];
    app.address.go('timeline');
    if (slowest && slowest.item >= 0) this.zoomTo(slowest.item);
  }

  nextError() {
    const { model } = app;
    const n = model.items;
    for (let i = 1; i <= n; i++) {
      const item = (this.view.selected + i + n) % n;
      if (model.isError(item)) return this.reveal(item);
    }
  }

  // Finding.

  showName(number) {
    this.fit();
    this.find({ name: app.report.names[number]?.name ?? app.model.nameOf(number) });
    app.address.go('timeline');
  }

  /** Goes to where the page's query is typed. */
  typeQuery() {
    app.address.go('timeline');
    this.search.focus({ preventScroll: true });
  }

  /** @param filter as PageFilter takes it */
  find(filter) {
    return app.filter.set(filter);
  }

  /** Shows what matches the page's query. */
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

  // What the address holds of it.

  save(parameters) {
    const { from, to, selected, selectedId, isPathAlone } = this.view;
    if (!this.isWhole(app.model)) parameters.set('zoom', Math.round(from) + '..' + Math.round(to));
    if (isPathAlone) parameters.set('path', 'alone');
    if (!this.view.arePausesShown) parameters.set('pauses', 'off');
    if (selected >= 0) parameters.set('span', selectedId || '@' + selected);
    if (this.view.areMatchesAlone) parameters.set('matches', 'alone');
    app.filter.save(parameters);
  }

  async restore(parameters) {
    const { model } = app;
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

  // Pointer, wheel, keys.

  nanosAt(clientX) {
    const box = this.canvas.getBoundingClientRect();
    const share = (clientX - box.left - this.view.left) / (this.width - this.view.left);
    return this.view.from + share * (this.view.to - this.view.from);
  }

  /** The worker's group at a place, and how far below its top that is; undefined for none. */
  groupAt(event) {
    const box = this.canvas.getBoundingClientRect();
    if (event.clientX - box.left < this.view.left || event.clientY - box.top < RULER) return undefined;
    const y = event.clientY - box.top - RULER + this.view.top;
    const group = this.groups.find((candidate) => y >= candidate.top && y < candidate.top + candidate.height);
    return group && { group, below: y - group.top };
  }

  rowAt(event) {
    const place = this.groupAt(event);
    return place && place.group.rows.find((row) => place.below >= row.top && place.below < row.top + place.group.rowHeight);
  }

  /** The pauses whose marks are there, null for none. */
  pauseAt(event) {
    const place = this.groupAt(event);
    if (!place || place.group.marks === 0 || place.below >= place.group.rows[0].top) return null;
    const at = this.nanosAt(event.clientX);
    const near = ((event.pointerType === 'touch' ? 12 : 3) / (this.width - this.view.left)) * (this.view.to - this.view.from);
    const { pauses } = app.model;
    return pauses.between(place.group.worker, at, at) || pauses.between(place.group.worker, at - near, at + near);
  }

  /** The segment of a path in which a call waited there, -1 where none did. */
  waitAt(event) {
    const { model } = app;
    const row = this.rowAt(event);
    const at = this.nanosAt(event.clientX);
    const waits = row ? model.waitsOfRow(row.number) : [];
    return waits.find((segment) => model.segmentStart[segment] <= at && at < model.segmentEnd[segment]) ?? -1;
  }

  itemAt(event) {
    const { model } = app;
    const row = this.rowAt(event);
    if (!row) return -1;
    const at = this.nanosAt(event.clientX);
    const near = (3 / (this.width - this.view.left)) * (this.view.to - this.view.from);
    const first = model.firstEndingAfter(row.first, row.last, at - near);
    if (first >= row.last || model.start[first] > at + near) return -1;
    const on = model.firstEndingAfter(row.first, row.last, at);
    if (on < row.last && model.start[on] <= at && model.end[on] - model.start[on] > near) return on;
    const last = model.firstStartingAt(first + 1, row.last, at + near);
    return model.longest(first, Math.max(last, first + 1));
  }

  listen() {
    const { canvas, box, map } = this;
    box.addEventListener('scroll', () => this.drawSoon());
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    canvas.addEventListener('pointerdown', (event) => this.down(event));
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerup', (event) => this.up(event));
    canvas.addEventListener('pointercancel', (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener('pointerleave', () => tip.hide());
    canvas.addEventListener('dblclick', (event) => {
      const item = this.itemAt(event);
      if (item >= 0) this.zoomTo(item);
    });
    box.addEventListener('keydown', (event) => this.key(event));
    const seek = (event) => {
      const bounds = map.getBoundingClientRect();
      const share = (event.clientX - bounds.left - this.view.left) / (bounds.width - this.view.left);
      const half = (this.view.to - this.view.from) / 2;
      const { first, wall } = app.model;
      const at = first + share * (wall - first);
      this.set(at - half, at + half);
    };
    map.addEventListener('pointerdown', (event) => { map.setPointerCapture(event.pointerId); seek(event); });
    map.addEventListener('pointermove', (event) => { if (event.buttons) seek(event); });
  }

  wheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 200))), this.nanosAt(event.clientX));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.pan((event.deltaX || event.deltaY) / this.width);
    }
  }

  down(event) {
    this.pointers.set(event.pointerId, { x: event.clientX, startX: event.clientX, startY: event.clientY });
    this.hasMoved = false;
    this.canvas.setPointerCapture(event.pointerId);
    tip.hide();
  }

  move(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return this.hover(event);
    const others = [...this.pointers.entries()].filter(([id]) => id !== event.pointerId);
    if (others.length > 0) {
      const other = others[0][1].x;
      const before = Math.max(10, Math.abs(pointer.x - other));
      const now = Math.max(10, Math.abs(event.clientX - other));
      this.zoom(before / now, this.nanosAt((event.clientX + other) / 2));
      this.hasMoved = true;
    } else if (this.hasMoved || Math.abs(event.clientX - pointer.startX) > 4) {
      this.hasMoved = true;
      this.pan((pointer.x - event.clientX) / (this.width - this.view.left));
    }
    pointer.x = event.clientX;
  }

  up(event) {
    this.pointers.delete(event.pointerId);
    if (this.hasMoved) return;
    const pause = this.pauseAt(event);
    if (pause) this.choosePause(pause);
    else this.select(this.itemAt(event));
    this.box.focus({ preventScroll: true });
  }

  hover(event) {
    const { model } = app;
    const item = this.itemAt(event);
    const wait = item < 0 ? this.waitAt(event) : -1;
    this.canvas.style.cursor = item >= 0 ? 'pointer' : 'default';
    if (wait >= 0) {
      return tip.show(event.clientX, event.clientY, el('b', {}, clip(model.nameOf(model.name[model.segmentItem[wait]]), 100)),
        'waited in the queue for ' + duration(model.segmentEnd[wait] - model.segmentStart[wait]) + ', on the critical path');
    }
    const pause = item < 0 ? this.pauseAt(event) : null;
    if (pause) return tip.show(event.clientX, event.clientY, model.pauses.words(pause));
    if (item < 0) return tip.hide();
    tip.show(event.clientX, event.clientY, el('b', {}, clip(model.nameOf(model.name[item]), 100)),
      (model.isError(item) ? '▲ error, ' : '') + duration(model.end[item] - model.start[item])
        + (model.spans[item] > 1 ? `, ${count(model.spans[item], 'span')} drawn as one` : '')
        + (model.flags[item] & ON_PATH ? ', on the critical path' : '')
        + (model.openOf(item) ? ', still open' + (model.openOf(item).process.alive ? '' : ': its process has died') : ''));
  }

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
      Enter: () => selected >= 0 && this.zoomTo(selected),
      Escape: () => { this.choosePause(null); this.select(-1); },
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  besides(by) {
    const { selected } = this.view;
    const row = app.model.rows[app.model.rowOf(selected)];
    return Math.max(row.first, Math.min(row.last - 1, selected + by));
  }

  firstVisible() {
    const { model } = app;
    for (const row of this.groups.flatMap((group) => group.rows)) {
      const item = model.firstEndingAfter(row.first, row.last, this.view.from);
      if (item < row.last && model.start[item] < this.view.to) return item;
    }
    return -1;
  }
}
