// Tables.

/** A table that a click on a heading sorts. */
class NamesTable {
  constructor() {
    this.by = 'total';
    this.isDescending = true;
    this.isWhole = false;
  }

  show() {
    const { report } = app;
    fill(byId('names'),
      el('h2', {}, 'Spans by name'),
      el('p', { class: 'lead' }, 'Self is a span’s time without that of its children. A name leads to its spans in the timeline.'),
      app.filter.note('Only names with such spans are listed. All numbers but “Matching” are of all spans.'),
      el('div', { class: 'card' }, csvButton('spans', () => [['name', 'count', 'total_ns', 'self_ns', 'mean_ns', 'p50_ns', 'p95_ns', 'p99_ns', 'max_ns', 'errors'],
        ...report.names.map((name) => ['name', 'count', 'total', 'self', 'mean', 'p50', 'p95', 'p99', 'max', 'errors'].map((key) => name[key]))]),
      this.table(report),
        report.names.length > 20 && el('button', { type: 'button', class: 'more', onclick: () => { this.isWhole = !this.isWhole; this.show(); } },
          this.isWhole ? 'Show fewer' : `Show all ${grouped(report.names.length)}`),
        report.namesLeftOut > 0 && this.isWhole && el('p', { class: 'hint' }, count(report.namesLeftOut, 'rarer name is', 'rarer names are') + ' in report --json alone.')));
    this.draw();
  }

  table(report) {
    const columns = [['name', 'Span'], ['count', 'Count'], ['total', 'Total'], ['self', 'Self'], ['mean', 'Mean'],
      ['p50', 'p50'], ['p95', 'p95'], ['p99', 'p99'], ['max', 'Longest'], ['errors', 'Errors']];
    this.chart = null;
    const matching = app.filter.countsByName();
    if (matching) columns.splice(1, 0, ['matching', 'Matching']);
    const order = report.names.map((name, number) => ({ ...name, number, matching: matching?.[number] }))
      .filter((name) => !matching || name.matching > 0);
    const sign = this.isDescending ? -1 : 1;
    order.sort((a, b) => sign * (this.by === 'name' ? a.name.localeCompare(b.name) : (a[this.by] ?? 0) - (b[this.by] ?? 0)));
    const most = Math.max(...report.names.map((name) => name.total), 1);
    const resort = (key) => {
      this.isDescending = this.by === key ? !this.isDescending : key !== 'name';
      this.by = key;
      this.show();
    };
    return scrolling(el('table', {},
      el('thead', {}, el('tr', {}, columns.map(([key, label]) => sortHeading(this, key, label, key === 'name', resort)), el('th', { scope: 'col' }, 'Durations'))),
      el('tbody', {}, order.slice(0, this.isWhole ? order.length : 20).flatMap((name) => this.rows(name, most)))));
  }

  rows(name, most) {
    const isOpen = this.opened === name.name;
    const row = el('tr', {},
      el('td', { class: 'text' }, el('span', { class: 'named' }, swatch(name.number), nameButton(name.number))),
      name.matching !== undefined && numeric(grouped(name.matching)),
      numeric(grouped(name.count)),
      el('td', {}, duration(name.total), bar(name.total / most)),
      ...['self', 'mean', 'p50', 'p95', 'p99', 'max'].map((key) => numeric(duration(name[key]))),
      numeric(name.errors > 0 ? '▲ ' + grouped(name.errors) : '–', { class: name.errors > 0 && 'bad' }),
      el('td', {}, name.durations.length > 0 && el('button', {
        type: 'button', class: 'link', 'aria-expanded': String(isOpen), 'data-durations': name.name,
        'aria-label': 'Durations of ' + clip(app.model.nameOf(name.number), 100), title: 'How long each took',
        onclick: () => this.toggle(name.name),
      }, smallDurations(name.durations))));
    if (!isOpen) return [row];
    this.chart = new DurationsChart(name, name.number);
    return [row, el('tr', { class: 'opened' }, el('td', { class: 'text', colspan: '12' }, this.chart.box))];
  }

  toggle(name) {
    this.opened = this.opened === name ? undefined : name;
    this.show();
    [...byId('names').querySelectorAll('[data-durations]')].find((button) => button.dataset.durations === name)?.focus({ preventScroll: true });
    app.address.changed();
  }

  draw() {
    if (this.chart) this.chart.draw();
  }

  // Its part of the address.

  save(parameters) {
    if (this.opened !== undefined) parameters.set('durations', this.opened);
  }

  restore(parameters) {
    const name = parameters.get('durations') ?? undefined;
    if (this.opened === name) return;
    this.opened = name;
    this.isWhole ||= app.report.names.length > 20 && name !== undefined;
    this.show();
  }
}

/** Spans that have not ended: which processes hang, or died, in which spans. */
function drawOpen() {
  const { report, model } = app;
  byId('open').hidden = model.open.length === 0;
  byId('nav-open').hidden = model.open.length === 0;
  app.openAges = [];
  if (model.open.length === 0) return;
  // While the run is active, these come first, and leave room for the rest.
  const most = app.isLive && !app.isOpenWhole ? 10 : 200;
  const found = app.filter.marks();
  const shown = found ? model.open.filter(({ item }) => found[item]) : model.open;
  const listed = Math.min(200, shown.length);
  const dead = report.open.processes.filter(hasDied).length;
  fill(byId('open'),
    el('h2', {}, 'Still open'),
    el('p', { class: 'lead' }, count(report.open.count, 'span has', 'spans have') + ` begun and not ended, on ${count(report.open.processes.length, 'process', 'processes')}`
      + (dead > 0 ? `, of which ${dead === 1 ? 'one has' : grouped(dead) + ' have'} died` : '') + (report.open.count === 1 ? '. It is' : '. They are') + ' in the timeline, but in none of the numbers.'),
    app.filter.note('Only open spans that match are listed.'),
    el('div', { class: 'card' }, csvButton('open', () => [['name', 'open_for_ns', 'worker', 'alive', 'pid', 'thread', 'span_id'],
      ...model.open.map((open) => [model.nameOf(model.name[open.item]), model.openFor(open), model.worker(open.worker), open.process.alive, open.process.pid, open.thread, open.id])]),
    scrolling(el('table', {},
      el('thead', {}, el('tr', {}, el('th', { class: 'text', scope: 'col' }, 'Span'), el('th', { scope: 'col' }, 'Open for'),
        el('th', { class: 'text', scope: 'col' }, 'Worker'), el('th', { class: 'text', scope: 'col' }, 'Its process'), el('th', { scope: 'col' }, 'Thread'))),
      el('tbody', {}, shown.slice(0, most).map((open) => {
        const age = numeric(duration(model.openFor(open)));
        app.openAges.push({ age, open });
        return el('tr', {},
          el('td', { class: 'text' }, itemButton(open.item, clip(model.nameOf(model.name[open.item]), 120))),
          age,
          el('td', { class: 'text', title: model.worker(open.worker) }, clipMiddle(model.workers.inWords(open.worker), 100)),
          el('td', { class: open.process.alive ? 'text' : 'text bad' }, processState(open.process) + (open.isFar ? '; its clock was off by years' : '')),
          numeric(String(open.thread)));
      })))),
    app.isLive && listed > 10 && el('button', { type: 'button', class: 'more', onclick: () => { app.isOpenWhole = !app.isOpenWhole; drawOpen(); } },
      app.isOpenWhole ? 'Show fewer' : `Show all ${grouped(listed)}`),
    report.open.count > listed && !found && el('p', { class: 'hint' }, count(report.open.count - listed, 'more is', 'more are') + ' in report --json.')));
}

/** A process that ended in order, as by a signal, may leave spans open as well. */
const hasDied = ({ alive, exited }) => !alive && !exited;

function processState({ alive, exited, pid, lastSign }) {
  return alive ? `❯ pid ${pid}, alive` : `✕ pid ${pid}, ${exited ? 'ended' : 'dead'}; last sign of life ${moment(app.model.epoch, lastSign)}`;
}

/** Time passes without new data. */
function growOpen(nanos) {
  const { model, timeline } = app;
  if (!model.open.some((open) => open.process.alive)) return;
  const isWhole = timeline.isWhole(model);
  model.growOpen(nanos);
  for (const { age, open } of app.openAges) age.textContent = duration(model.openFor(open));
  timeline.map.forget();
  if (isWhole) timeline.fit();
  else timeline.drawSoon();
}

const LISTED_WORKERS = 20; // more of them would hide the heat map below

function drawWorkers() {
  const { report, model } = app;
  const { steps } = report;
  const matching = app.filter.countsByWorker();
  const rows = report.workers.map((worker, number) => ({ worker, number })).filter(({ number }) => !matching || matching[number] > 0);
  const isLong = rows.length > LISTED_WORKERS;
  if (isLong) rows.sort((a, b) => (matching ? matching[b.number] - matching[a.number] : b.worker.path - a.worker.path) || a.number - b.number);
  const listed = Math.min(rows.length, isLong && !app.isWorkersWhole ? LISTED_WORKERS : 200);
  fill(byId('workers'),
    el('h2', {}, steps.areTraces ? 'Processes' : 'Workers'),
    !steps.areTraces && el('p', { class: 'lead' }, 'A bubble is step time in which a worker had nothing to do. The driver has none.'),
    report.standsForTraces && el('p', { class: 'hint' }, `Spans${steps.areTraces ? ' and busy time' : ', busy time and bubble'} are those of the traces that were taken, shares of the critical path those of all traces.`),
    app.filter.note('Only processes with such spans are listed. All numbers but “Matching” are of all spans.'),
    el('div', { class: 'card' }, csvButton(steps.areTraces ? 'processes' : 'workers', () => [['service', 'instance', 'rank', 'host', 'pid', ...(steps.areTraces ? [] : ['driver']), 'spans', 'busy_ns', 'work_ns', 'step_wall_ns', 'step_busy_ns', 'critical_path_ns'],
      ...report.workers.map((worker) => ['service', 'instance', 'rank', 'host', 'pid', ...(steps.areTraces ? [] : ['driver']), 'spans', 'busy', 'work', 'stepWall', 'stepBusy', 'path'].map((key) => worker[key]))]),
    scrolling(el('table', {},
      el('thead', {}, el('tr', {}, el('th', { class: 'text' }, 'Process'), el('th', { class: 'text' }, 'Host'),
        matching && el('th', {}, 'Matching'), el('th', {}, 'Spans'), el('th', {}, 'Busy'), !steps.areTraces && el('th', {}, 'Bubble'), el('th', {}, 'On the critical path'))),
      el('tbody', {}, rows.slice(0, listed).map(({ worker, number }) => {
        const bubble = worker.stepWall > 0 ? 1 - worker.stepBusy / worker.stepWall : 0;
        const hasBubble = !worker.driver && worker.stepWall > 0;
        return el('tr', {},
          el('td', { class: 'text' }, workerButton(number, 120), worker.driver && !steps.areTraces && ' · driver'),
          el('td', { class: 'text' }, clipMiddle(worker.host || '–', 60)),
          matching && numeric(grouped(matching[number])),
          numeric(grouped(worker.spans)),
          numeric(steps.areTraces ? duration(worker.work) : worker.driver ? '–' : duration(worker.busy)),
          !steps.areTraces && el('td', {}, hasBubble ? percent(bubble, 1) : '–', hasBubble && bar(bubble, 'idle')),
          el('td', {}, percent(worker.path, report.path.total), bar(worker.path / Math.max(1, report.path.total))));
      })))),
      isLong && el('button', {
        type: 'button', class: 'more', onclick: () => {
          app.isWorkersWhole = !app.isWorkersWhole;
          drawWorkers();
          byId('workers').querySelector('button.more').focus({ preventScroll: true });
        },
      }, app.isWorkersWhole ? 'Show fewer' : `Show all ${grouped(Math.min(rows.length, 200))}`),
      isLong && el('p', { class: 'hint' }, matching ? 'Most matching spans first.' : 'Most time on the critical path first.'),
      (!isLong || app.isWorkersWhole) && moreProcesses(matching ? rows.length - 200 : report.processes - Math.min(200, rows.length)),
      uncertain()),
    app.heat.show(),
    el('div', { class: 'card' }, el('h3', {}, 'Stragglers: what waiting for the last worker cost'), stragglers(report, model), uncertain()),
    report.queues.length > 0 && el('div', { class: 'card' }, el('h3', {}, 'Waiting in queues, between dispatch and start'), queues(report, model)));
  app.heat.draw();
}

const moreProcesses = (number) => number > 0 && el('p', { class: 'hint' }, count(number, 'more process is', 'more processes are') + ' in report --json.');

function stragglers(report, model) {
  if (report.stragglers.length === 0) return el('p', { class: 'none' }, 'Nothing was handed to several workers at once.');
  return scrolling(csvButton('stragglers', () => [['name', 'times', 'cost_ns', 'last_worker', 'last_worker_times', 'last_worker_cost_ns', 'worst_cost_ns'],
    ...report.stragglers.map((row) => [model.nameOf(row.name), row.fanOuts, row.cost, model.worker(row.workers[0].worker), row.workers[0].times, row.workers[0].cost, row.worstCost])]),
  el('table', {},
    el('thead', {}, el('tr', {}, el('th', { class: 'text' }, 'Handed out'), el('th', {}, 'Times'), el('th', {}, 'Cost'),
      el('th', {}, report.steps.areTraces ? 'Of the traces' : 'Of the steps'), el('th', { class: 'text' }, 'Last at the greatest cost'), el('th', {}, 'Worst'))),
    el('tbody', {}, report.stragglers.slice(0, 20).map((row) => el('tr', {},
      el('td', { class: 'text' }, nameButton(row.name)),
      numeric(grouped(row.fanOuts)), numeric(duration(row.cost)), numeric(percent(row.cost, report.steps.wall)),
      el('td', { class: 'text' }, workerButton(row.workers[0].worker, 80, row.name), ', ' + grouped(row.workers[0].times) + '×'),
      el('td', {}, itemButton(row.worst, duration(row.worstCost)), ' ', traceButton(row.worst, model.nameOf(row.name))))))));
}

function queues(report, model) {
  const areSent = report.queues.some((row) => row.dispatches > 0);
  const keys = ['count', 'dispatches', 'dispatch', 'wait', 'work', 'p50', 'p95', 'max', 'negative'];
  return scrolling(csvButton('queues', () => [['name', ...keys.map((key) => (['count', 'dispatches', 'negative'].includes(key) ? key : key + '_ns'))],
    ...report.queues.map((row) => [model.nameOf(row.name), ...keys.map((key) => row[key])])]),
  el('table', {},
    el('thead', {}, el('tr', {}, el('th', { class: 'text' }, 'Span'), el('th', {}, 'Calls'), areSent && el('th', {}, 'Dispatch'), el('th', {}, 'Waited'),
      el('th', {}, 'Worked'), el('th', {}, 'p50'), el('th', {}, 'p95'), el('th', {}, 'Longest'), el('th', {}, 'Skewed'))),
    el('tbody', {}, report.queues.slice(0, 20).map((row) => el('tr', {},
      el('td', { class: 'text' }, nameButton(row.name)),
      numeric(grouped(row.count)),
      areSent && numeric(row.dispatches > 0 ? duration(row.dispatch) : '–'),
      el('td', {}, duration(row.wait), bar(row.wait / Math.max(1, row.wait + row.work))),
      ...['work', 'p50', 'p95'].map((key) => numeric(duration(row[key]))),
      el('td', {}, row.max > 0 ? foundButton({ name: model.plainName(row.name), waited: row.max }, duration(row.max)) : duration(row.max)),
      numeric(row.negative > 0 ? grouped(row.negative) : '–'))))));
}

function drawTrouble() {
  const { report, model } = app;
  const matching = app.filter.counts((item) => (model.isError(item) ? model.name[item] : -1), report.names.length);
  const failures = report.failures.filter(({ name }) => !matching || matching[name] > 0);
  const slowest = app.filter.slowest(10) || report.slowest;
  fill(byId('trouble'),
    el('h2', {}, 'Errors and slow spans'),
    app.filter.note('Errors are listed of names of which a failed span matches; “Matching” counts these by name. The slowest spans are those that match.'),
    el('div', { class: 'two' },
      el('div', { class: 'card' }, el('h3', {}, 'Errors'),
        failures.length === 0
          ? el('p', { class: 'none' }, matching ? 'No span that matches failed.' : 'No span failed.')
          : scrolling(csvButton('errors', () => [['times', 'seen_above', 'name', 'worker', 'reason'],
            ...report.failures.map((failure) => [failure.count, failure.seen, model.nameOf(failure.name), model.worker(failure.worker), failure.reason])]),
          el('table', {},
            el('thead', {}, el('tr', {}, matching && el('th', {}, 'Matching'), el('th', {}, 'Times'), el('th', {}, 'Seen above'), el('th', { class: 'text' }, 'Span'), el('th', { class: 'text' }, 'Reason'))),
            el('tbody', {}, failures.slice(0, 20).map((failure) => el('tr', {},
              matching && numeric(grouped(matching[failure.name])),
              el('td', { class: 'bad' }, foundButton({ text: 'status:error name=' + asValue(model.plainName(failure.name)) }, '▲ ' + grouped(failure.count))),
              el('td', {}, failure.seen > 0 ? grouped(failure.seen) + ' ×' : '–'),
              el('td', { class: 'text' }, itemButton(failure.item, clip(model.nameOf(failure.name), 80)), ' ', traceButton(failure.item, model.nameOf(failure.name))),
              el('td', { class: 'text' }, el('span', { class: 'long' }, failure.reason || '–')))))))),
      el('div', { class: 'card' }, el('h3', {}, 'The slowest spans'),
        slowest.length === 0
          ? el('p', { class: 'none' }, 'There are none.')
          : scrolling(csvButton('slowest-spans', () => [['name', 'took_ns', 'start_ns', 'worker'],
            ...report.slowest.map((span) => [model.nameOf(span.name), span.nanos, span.item >= 0 ? model.start[span.item] : null, model.worker(span.worker)])]),
          el('table', {},
            el('thead', {}, el('tr', {}, el('th', { class: 'text' }, 'Span'), el('th', {}, 'Took'), el('th', { class: 'text' }, 'On'))),
            el('tbody', {}, slowest.map((span) => el('tr', {},
              el('td', { class: 'text' }, itemButton(span.item, clip(model.nameOf(span.name), 80)), ' ', traceButton(span.item, model.nameOf(span.name))),
              numeric(duration(span.nanos)),
              el('td', { class: 'text', title: model.worker(span.worker) }, clipMiddle(model.workers.inWords(span.worker), 60))))))))));
}
