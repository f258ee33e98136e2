// The heat map: a row for each worker, a column for each step or for several; darker means more.
// Its numbers are those of page-heat.js.

const HEAT_NAMES = 200; // that can be chosen
const HEAT_ORDERS = { outlier: 'Outliers first', rank: 'By rank', name: 'By name' };

class HeatMap {
  constructor() {
    this.kind = 'busy'; // or 'name', with one
    this.name = '';
    this.order = 'outlier';
    this.cell = null; // a worker, and a column as the report has it
    this.reads = 0;
    this.canvas = el('canvas', { role: 'img' });
    this.spacer = el('div', {}, this.canvas);
    this.box = el('div', {
      class: 'heat', tabindex: '0', role: 'application',
      'aria-label': 'Heat map of workers and steps. The arrow keys go from cell to cell, Page Up and Page Down by a screen, Home and End to the first and the last step, Enter shows the cell in the timeline.',
      onscroll: () => this.draw(), onkeydown: (event) => this.key(event),
      onpointermove: (event) => this.point(event), onpointerleave: () => tip.hide(), onclick: (event) => this.click(event),
    }, this.spacer);
    this.said = el('p', { class: 'hint', role: 'status' });
    this.choice = el('select', { id: 'heat-metric', 'aria-label': 'What the colours show', onchange: () => this.choose(this.choice.value) });
    this.orders = Object.entries(HEAT_ORDERS).map(([key, label]) => el('button', {
      type: 'button', id: 'heat-' + key, onclick: () => { this.order = key; this.box.scrollTop = 0; this.arrange(); app.address.changed(); },
    }, label));
    this.legend = el('div', { class: 'legend' });
    this.notes = el('p', { class: 'hint' });
    this.table = el('div', {});
    this.card = el('div', { class: 'card' },
      el('h3', {}, 'Each worker in each step'),
      el('div', { class: 'tools' }, this.choice, el('div', { class: 'group', role: 'group', 'aria-label': 'Order of the workers' }, this.orders),
        csvButton('heat', () => this.csv()), pngButton('heat', () => [this.canvas])),
      this.legend, this.box, this.said, this.notes,
      this.outliers = el('details', { class: 'more' }, el('summary', {}, 'The 20 cells that are furthest from the median of their peers'), this.table));
  }

  /** Updates to a new state of the report; returns the card, null if there are no steps. */
  show() {
    const { report, model } = app;
    this.matrix = null;
    this.shown = null;
    if (!report.heat || report.heat.rows * report.heat.columns.length < 2) return null;
    if (this.card.isConnected) {
      this.focused = this.card.contains(document.activeElement) ? document.activeElement : null;
      this.scrolled = this.box.scrollTop || this.scrolled;
    }
    this.heat = new Heat(model);
    this.services = Array.from({ length: this.heat.rows }, (_, row) => model.process(row)?.service ?? '');
    this.ranks = Array.from({ length: this.heat.rows }, (_, row) => model.process(row)?.rank ?? '');
    this.peers = peersOf(this.services);
    const choices = this.heat.choices();
    const option = ({ key, label }) => el('option', { value: key }, clip(label, 80));
    const names = choices.filter((one) => one.name !== undefined).slice(0, HEAT_NAMES);
    this.choice.replaceChildren(
      el('optgroup', { label: 'Times of a worker' }, choices.filter((one) => one.name === undefined).map(option)),
      ...(names.length > 0 ? [el('optgroup', { label: 'Longest span of a name' }, names.map(option))] : []));
    this.read();
    return this.card;
  }

  /** An active run has another state. */
  renumber(numbers) {
    if (!this.cell) return;
    const worker = numbers.worker(this.cell.worker);
    const column = numbers.bar(this.cell.column, numbers.old.heat?.columns ?? [], numbers.report.heat?.columns ?? []);
    this.cell = worker >= 0 && column >= 0 ? { worker, column } : null;
  }

  /** The key of the choice, because the numbers of names change with each state of a report. */
  chosenKey() {
    if (this.kind !== 'name') return this.kind;
    const number = app.report.names.findIndex((one) => one.name === this.name);
    const key = 'name ' + number;
    return this.heat.choices().some((one) => one.key === key) ? key : 'busy';
  }

  choose(key) {
    this.kind = key.startsWith('name ') ? 'name' : key;
    this.name = this.kind === 'name' ? app.report.names[Number(key.slice(5))].name : '';
    this.box.scrollTop = 0;
    this.read();
    app.address.changed();
  }

  async read() {
    const key = this.chosenKey();
    this.choice.value = key;
    const { heat } = this;
    const number = ++this.reads;
    const matrix = await heat.matrix(key);
    if (number !== this.reads) return; // another has been chosen meanwhile
    this.shownKey = key;
    this.matrix = matrix;
    this.medianOf = peerMedians(matrix, this.peers);
    this.arrange();
  }

  arrange() {
    this.orders.forEach((button, i) => button.setAttribute('aria-pressed', String(Object.keys(HEAT_ORDERS)[i] === this.order)));
    if (!this.matrix) return;
    this.rows = heatOrder(this.matrix, this.medianOf, this.order, this.ranks);
    this.places = new Map(this.rows.map((row, place) => [row, place]));
    this.shown = null;
    for (const one of [this.box, this.legend, this.outliers]) one.hidden = this.rows.length === 0;
    this.notes.textContent = 'Only the processes that drive the steps have any of this.';
    this.notes.hidden = this.rows.length > 0;
    this.drawTable();
    this.draw();
    this.say();
  }

  geometry() {
    const width = this.box.clientWidth;
    const isNarrow = width <= 640;
    const left = isNarrow ? 0 : Math.min(260, Math.round(width / 5));
    const row = isNarrow ? 38 : 20;
    const height = Math.min(HEAT_HEAD + this.rows.length * row, Math.max(240, Math.min(innerHeight * 0.62, 620)));
    return { width, isNarrow, left, row, height, plot: width - left };
  }

  /** The matrix at the available width. */
  fitted(plot) {
    const by = columnsTogether(this.matrix.columns, plot);
    if (!this.shown || this.shown.by !== by) {
      const matrix = this.matrix.joined(by);
      this.shown = { by, matrix, medianOf: by === 1 ? this.medianOf : peerMedians(matrix, this.peers), scale: heatScale(matrix, this.rows) };
      this.describe();
    }
    return this.shown;
  }

  draw() {
    if (!this.matrix || this.rows.length === 0 || !this.box.isConnected || this.box.clientWidth <= 0) return;
    const { width, isNarrow, left, row, height, plot } = this.geometry();
    this.box.style.height = height + 'px';
    this.spacer.style.height = HEAT_HEAD + this.rows.length * row + 'px';
    if (this.scrolled) { this.box.scrollTop = this.scrolled; this.scrolled = 0; }
    if (this.focused) { this.focused.focus({ preventScroll: true }); this.focused = null; }
    const { matrix, scale } = this.fitted(plot);
    const top = this.box.scrollTop;
    const cut = paintHeat(this.canvas, {
      width, height, left, row, isNarrow, top, matrix, scale, rows: this.rows, cursor: this.cursor(), tick: (column) => this.tick(column),
      label: (worker) => app.model.shortWorker(worker),
    });
    this.box.dataset.rows = this.rows.length; // for tests
    this.box.dataset.columns = matrix.columns;
    this.box.dataset.top = this.rows[Math.floor(top / row)] ?? -1;
    this.box.dataset.metric = this.shownKey;
    this.box.dataset.cut = cut;
  }

  /** The legend, the canvas's text, and the note on merged columns. */
  describe() {
    const { matrix, scale, by } = this.shown;
    const { report } = app;
    const text = (shade) => (matrix.parts ? percent(shade, 1) : duration(shade));
    const isAnyCut = scale.most > scale.high;
    fill(this.legend,
      el('span', {}, text(scale.low), el('span', { class: 'ramp', 'aria-hidden': 'true' }), text(scale.high) + (isAnyCut ? ' and more' : '')),
      isAnyCut && el('span', {}, el('span', { class: 'swatch cut', 'aria-hidden': 'true' }), `more than ${text(scale.high)}, up to ${text(scale.most)}`),
      el('span', {}, `least ${text(scale.least)}, median ${text(scale.median)}, most ${text(scale.most)}`));
    this.canvas.setAttribute('aria-label', `${this.metricLabel()}, by worker and step: ${count(this.rows.length, 'worker')}, least ${text(scale.least)}, median ${text(scale.median)}, most ${text(scale.most)}. The table below has the cells that stand out.`);
    const without = this.heat.rows - this.rows.length;
    const together = by * report.heat.together;
    const joined = matrix.isLongest ? 'the longest of them' : 'their mean';
    this.notes.textContent = [
      matrix.parts ? 'Colours are shares of the step.' : '',
      together > 1 ? `Each column is ${grouped(together)} steps, and shows ${joined}${by > 1 && report.heat.together === 1 ? ': a wider window has a column for each' : ''}.` : '',
      without > 0 ? `${count(without, 'process', 'processes')} ${matrix.isLongest ? (without === 1 ? 'has no such span' : 'have no such spans') : 'took no part'} and ${without === 1 ? 'has' : 'have'} no row.` : '',
      report.heat.rowsLeftOut > 0 ? `${count(report.heat.rowsLeftOut, 'more process is', 'more processes are')} in report --json.` : '',
      report.heat.names ? `Neighbouring spans are drawn as one on this page, so that only ${count(report.heat.names.length, 'name')} can be chosen.` : '',
      report.standsForTraces ? 'Of the traces that were taken.' : '',
    ].filter(Boolean).join(' ');
    this.notes.hidden = this.notes.textContent === '';
  }

  metricLabel() {
    return this.kind === 'name' && this.shownKey !== 'busy' ? 'Longest ' + clip(this.name || '(no name)', 80) : HEAT_KINDS[this.shownKey].label;
  }

  tick(column) {
    const { by } = this.shown;
    const of = this.heat.columns[column * by];
    return of.first !== '' ? of.first : duration(of.start);
  }

  /** The report's columns in a drawn one, and their labels. */
  columnsOf(column, by) {
    const columns = this.heat.columns.slice(column * by, column * by + by);
    const first = columns[0];
    const last = columns[columns.length - 1];
    const steps = columns.reduce((sum, one) => sum + one.steps, 0);
    const label = steps === 1 ? stepLabel({ label: first.first, start: first.start })
      : first.first !== '' && last.last !== '' ? `steps ${first.first} to ${last.last}` : `${count(steps, 'step')} from ${duration(first.start)} on`;
    return { label, steps, from: Math.min(...columns.map((one) => one.start)), to: Math.max(...columns.map((one) => one.end)) };
  }

  /** The value of a cell, in words. */
  words(matrix, by, row, column) {
    const { label, steps } = this.columnsOf(column, by);
    const value = matrix.at(row, column);
    if (Number.isNaN(value)) return `${label}: took no part`;
    if (matrix.isLongest) return `${label}: the longest took ${duration(value)}`;
    const of = matrix.parts ? ` of ${duration(matrix.partAt(row, column))}` : '';
    return `${label}: ${HEAT_KINDS[this.shownKey].of} ${duration(value)}${of}${steps > 1 ? ' a step, on average' : ''}`;
  }

  beside(value, median) {
    if (Number.isNaN(value) || Number.isNaN(median)) return '';
    return median > 0 ? `${(value / median).toFixed(2)} × the median of its peers, ${duration(median)}` : `the median of its peers is ${duration(median)}`;
  }

  /** The cursor's place in the drawing; null for none. */
  cursor() {
    if (!this.cell || !this.shown || !this.places.has(this.cell.worker)) return null;
    return { row: this.places.get(this.cell.worker), column: Math.min(this.shown.matrix.columns - 1, Math.floor(this.cell.column / this.shown.by)) };
  }

  say() {
    const at = this.cursor();
    let text = '';
    if (at) {
      const worker = this.rows[at.row];
      const { matrix, by, medianOf } = this.shown;
      const beside = this.beside(matrix.at(worker, at.column), medianOf(worker, at.column));
      text = `${clipMiddle(app.model.shortWorker(worker), 80)}, ${this.words(matrix, by, worker, at.column)}${beside ? '; ' + beside : ''}.`;
    }
    this.said.hidden = false; // a region that is hidden is not read out
    if (this.said.textContent !== text) this.said.textContent = text;
  }

  /** The cell below the pointer; null for none. */
  cellAt(event) {
    if (!this.shown) return null;
    const { left, row, plot } = this.geometry();
    const bounds = this.canvas.getBoundingClientRect();
    const y = event.clientY - bounds.top - HEAT_HEAD;
    const at = { row: Math.floor((y + this.box.scrollTop) / row), column: Math.floor(((event.clientX - bounds.left - left) / plot) * this.shown.matrix.columns) };
    return y >= 0 && at.row < this.rows.length && at.column >= 0 && at.column < this.shown.matrix.columns ? at : null;
  }

  point(event) {
    const at = this.cellAt(event);
    this.box.style.cursor = at ? 'pointer' : 'default';
    if (!at) return tip.hide();
    const { matrix, by, medianOf } = this.shown;
    const worker = this.rows[at.row];
    const beside = this.beside(matrix.at(worker, at.column), medianOf(worker, at.column));
    tip.show(event.clientX, event.clientY, el('b', {}, clipMiddle(app.model.worker(worker), 80)),
      el('div', {}, upper(this.words(matrix, by, worker, at.column))), beside !== '' && el('div', {}, beside));
  }

  click(event) {
    const at = this.cellAt(event);
    if (!at) return;
    const before = this.cursor();
    this.moveTo(at);
    // A finger cannot hover, so its first touch shows the cell's value.
    if (event.pointerType === 'touch' && !(before && before.row === at.row && before.column === at.column)) return;
    tip.hide();
    this.go(this.rows[at.row], at.column, this.shown.by);
  }

  moveTo(at) {
    this.cell = { worker: this.rows[at.row], column: at.column * this.shown.by };
    const { row, height } = this.geometry();
    const y = at.row * row;
    if (y < this.box.scrollTop) this.box.scrollTop = y;
    else if (y + row > this.box.scrollTop + height - HEAT_HEAD) this.box.scrollTop = y + row - (height - HEAT_HEAD);
    this.draw();
    this.say();
    app.address.changed();
  }

  key(event) {
    if (!this.shown || event.altKey || event.metaKey) return;
    const { row, height } = this.geometry();
    const at = this.cursor();
    const page = Math.max(1, Math.floor((height - HEAT_HEAD) / row) - 1);
    const next = moveCell(at, event, this.rows.length, this.shown.matrix.columns, page);
    if (next) this.moveTo(next);
    else if (event.key === 'Enter' && at) this.go(this.rows[at.row], at.column, this.shown.by);
    else if (event.key === 'Escape' && at) { this.cell = null; this.draw(); this.say(); app.address.changed(); } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Shows a worker in the timeline during a column. */
  go(worker, column, by) {
    const { timeline, model } = app;
    const { from, to } = this.columnsOf(column, by);
    const room = (to - from) * 0.05;
    const name = this.shownKey.startsWith('name ') ? Number(this.shownKey.slice(5)) : -1;
    const item = itemOfCell(model, worker, from, to, name);
    app.address.go('timeline');
    timeline.set(from - room, to + room);
    if (item >= 0) return timeline.select(item);
    const lane = timeline.lanes.byWorker.get(worker);
    if (!lane) return;
    if (timeline.lanes.uncover(lane)) timeline.arrange();
    timeline.scrollToPlace(lane.top, lane.height, timeline.lanes.isPinned(lane));
  }

  drawTable() {
    const { matrix } = this;
    const rows = heatOutliers(matrix, this.medianOf);
    fill(this.table, rows.length === 0 ? el('p', { class: 'none' }, 'None is: all are equal, or have no peers.')
      : scrolling(el('table', {},
        el('thead', {}, el('tr', {}, el('th', { class: 'text', scope: 'col' }, 'Worker'), el('th', { class: 'text', scope: 'col' }, 'Step'),
          el('th', { scope: 'col' }, this.kind === 'name' ? 'Longest' : HEAT_KINDS[this.shownKey].label.replace(/:.*/, '')), el('th', { scope: 'col' }, 'Median of its peers'), el('th', { scope: 'col' }, '× the median'))),
        el('tbody', {}, rows.map(({ row, column, value, median }) => el('tr', {},
          el('td', { class: 'text' }, clipMiddle(app.model.worker(row), 100)),
          el('td', { class: 'text' }, el('button', { type: 'button', class: 'link', title: 'Show in the timeline', onclick: () => this.go(row, column, 1) }, upper(this.columnsOf(column, 1).label))),
          numeric(duration(value)), numeric(duration(median)),
          numeric(median > 0 ? (value / median).toFixed(2) : '–')))))));
  }

  /** The whole matrix, as the report has it. */
  csv() {
    const { matrix } = this;
    const steps = matrix.steps.map((_, column) => this.columnsOf(column, 1).label);
    const all = Array.from({ length: matrix.rows }, (_, row) => row).filter((row) => matrix.hasRow(row));
    return [['service', 'instance', 'rank', ...steps], ...all.map((row) => {
      const { service, instance, rank } = app.model.process(row) || { service: '', instance: app.model.worker(row), rank: '' };
      return [service, instance, rank, ...steps.map((_, column) => {
        const value = matrix.at(row, column);
        return Number.isNaN(value) ? null : Math.round(value);
      })];
    })];
  }

  // Its part of the address.

  save(parameters) {
    if (!app.report.heat) return;
    if (this.kind === 'name') parameters.set('heatname', this.name);
    else if (this.kind !== 'busy') parameters.set('heat', this.kind);
    if (this.order !== 'outlier') parameters.set('heatorder', this.order);
    if (this.cell) parameters.set('cell', laneKey(app.model.process(this.cell.worker), this.cell.worker) + barKey(app.report.heat.columns, this.cell.column));
  }

  async restore(parameters) {
    if (!this.heat) return;
    const name = parameters.get('heatname');
    const kind = parameters.get('heat');
    this.kind = name !== null ? 'name' : Object.hasOwn(HEAT_KINDS, kind ?? '') ? kind : 'busy';
    this.name = name ?? '';
    const order = parameters.get('heatorder');
    this.order = Object.hasOwn(HEAT_ORDERS, order ?? '') ? order : 'outlier';
    const [, key, moment] = /^(.*)(@-?\d+(?:\.\d+)?)$/s.exec(parameters.get('cell') || '') || /^(\d+)\.(\d+)$/.exec(parameters.get('cell') || '') || [];
    const [worker, column] = key === undefined ? [-1, -1] : [workerOfKey(app.report, key), barOfKey(app.report.heat.columns, moment)];
    this.cell = worker >= 0 && column >= 0 ? { worker, column } : null;
    await this.read();
    const at = this.cursor();
    if (at) this.box.scrollTop = Math.max(0, (at.row - 3) * this.geometry().row);
  }
}
