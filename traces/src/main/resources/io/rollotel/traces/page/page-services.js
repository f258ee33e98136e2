// A run without steps: each trace is a request. Rate, errors and duration by the root's name, the
// calls between services, and slow or failed traces.

const RATE_HEIGHT = 150;
const SPARK = { width: 120, height: 24 };
const LISTED_TRACES = 20;

/** The share of failures, marked by a symbol as well as a colour. */
function errorCell(errors, all) {
  return el('td', { class: errors > 0 && 'bad' }, errors > 0 ? '▲ ' + percent(errors, all) : '0%');
}

/** The outline of stacked columns: x and y of a path. */
function columnsPath(heights, bases, width, bottom) {
  return heights.map((height, i) => (height <= 0 ? '' : `M${(i * width).toFixed(1)} ${(bottom - bases[i]).toFixed(1)}v${(-height).toFixed(1)}h${(width * 0.86).toFixed(2)}v${height.toFixed(1)}z`)).join('');
}

/** The sums of this many columns each. */
const together = (columns, each) => Array.from({ length: Math.ceil(columns.length / each) },
  (_, i) => columns.slice(i * each, (i + 1) * each).reduce((a, b) => a + b, 0));

/** How many columns are merged: few requests in narrow columns would be just noise. */
function intervalsTogether(counts) {
  const all = counts.reduce((a, b) => a + b, 0);
  return [1, 2, 3, 4, 5, 6, 8, 10].find((each) => (all * each) / counts.length >= 10) || 12;
}

/** Requests of a name over time, as small as a cell of a table. */
function rateSpark({ begun, failed }) {
  const each = Math.max(3, intervalsTogether(begun));
  const [all, bad] = [together(begun, each), together(failed, each)];
  const scale = (SPARK.height - 1) / Math.max(1, ...all);
  const width = SPARK.width / all.length;
  return svg('svg', { class: 'spark', width: SPARK.width, height: SPARK.height, 'aria-hidden': 'true' },
    svg('path', { class: 'begun', d: columnsPath(all.map((n, i) => (n - bad[i]) * scale), bad.map((n) => n * scale), width, SPARK.height) }),
    svg('path', { class: 'failed', d: columnsPath(bad.map((n) => n * scale), bad.map(() => 0), width, SPARK.height) }));
}

/** Requests a second over the run, failed ones below. */
class RateChart {
  constructor() {
    this.box = el('div', { class: 'chart rate', onpointermove: (event) => this.point(event), onpointerleave: () => tip.hide() });
  }

  /** Shows the requests of one name, or of all. */
  show(series, name) {
    this.name = name;
    const { columnNanos } = app.report.requests;
    const sum = (key) => series[0][key].map((_, i) => series.reduce((total, one) => total + one[key][i], 0));
    const all = sum('begun');
    const each = intervalsTogether(all);
    this.columnNanos = columnNanos * each;
    this.begun = together(all, each);
    this.failed = together(sum('failed'), each);
    // The last column may extend beyond the run's end, and is cut there.
    this.seconds = this.begun.map((_, i) => Math.max(1, Math.min(this.columnNanos, app.report.wallNanos - i * this.columnNanos)) / 1e9);
    this.used = Math.max(1, Math.min(this.begun.length, Math.ceil(app.report.wallNanos / this.columnNanos)));
    this.draw();
  }

  geometry() {
    const width = this.box.clientWidth;
    const left = 64;
    return { width, left, plot: Math.max(10, width - left - 4), top: 14, bottom: RATE_HEIGHT - 22 };
  }

  draw() {
    if (!this.box.isConnected || !this.begun) return;
    const { width, left, plot, top, bottom } = this.geometry();
    if (width <= 0) return;
    const rates = this.begun.slice(0, this.used).map((n, i) => n / this.seconds[i]);
    const bad = this.failed.slice(0, this.used).map((n, i) => n / this.seconds[i]);
    const most = Math.max(...rates, 1e-12);
    const scale = (bottom - top) / most;
    const each = plot / this.used;
    const { wallNanos } = app.report;
    const step = tickStep(wallNanos, plot / 90);
    const ticks = [];
    for (let at = 0; at <= wallNanos && ticks.length < 100; at += step) ticks.push(at);
    const failures = this.failed.reduce((a, b) => a + b, 0);
    const label = `${this.name ? 'Requests of ' + clip(this.name, 100) : 'All requests'} over time: at most ${rate(most)}, ${failures > 0 ? count(failures, 'request') + ' failed' : 'none failed'}.`;
    this.box.replaceChildren(svg('svg', { width, height: RATE_HEIGHT, role: 'img', 'aria-label': label },
      svg('line', { class: 'axis', x1: left, x2: left + plot, y1: bottom, y2: bottom }),
      svg('line', { class: 'grid', x1: left, x2: left + plot, y1: top, y2: top }),
      svg('text', { x: left - 8, y: top + 4, 'text-anchor': 'end' }, rate(most)),
      svg('text', { x: left - 8, y: bottom + 1, 'text-anchor': 'end' }, '0'),
      ticks.map((at) => svg('text', { x: left + (at / Math.max(1, wallNanos)) * plot, y: bottom + 16, 'text-anchor': at === 0 ? 'start' : 'middle' },
        (at / Math.max(1, wallNanos)) * plot > plot - 24 ? '' : tickLabel(at, step))),
      svg('g', { transform: `translate(${left} 0)` },
        svg('path', { class: 'begun', d: columnsPath(rates.map((n, i) => (n - bad[i]) * scale), bad.map((n) => n * scale), each, bottom) }),
        svg('path', { class: 'failed', d: columnsPath(bad.map((n) => n * scale), bad.map(() => 0), each, bottom) }))));
  }

  point(event) {
    const { left, plot } = this.geometry();
    const box = this.box.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left - left) / plot) * this.used);
    if (column < 0 || column >= this.used || event.clientY - box.top > RATE_HEIGHT) return tip.hide();
    const { columnNanos } = this;
    tip.show(event.clientX, event.clientY, el('b', {}, rate(this.begun[column] / this.seconds[column])),
      `${count(this.begun[column], 'request')} within ${duration(this.seconds[column] * 1e9)}, from ${duration(column * columnNanos)} on`
        + (this.failed[column] > 0 ? `; ▲ ${grouped(this.failed[column])} failed` : ''));
  }
}

class ServicesView {
  constructor() {
    this.by = 'count';
    this.isDescending = true;
    this.chosen = undefined; // the name of a root, of which alone traces are shown
    this.isFailedOnly = false;
    this.isWhole = false;
    this.chart = new RateChart();
    this.graph = new ServiceGraph();
  }

  /** The part of the page below the overview; nothing for a run with steps. */
  show() {
    const { requests } = app.report;
    byId('services').hidden = !requests;
    byId('nav-services').hidden = !requests;
    if (!requests) return;
    document.querySelector('nav a[href="#steps"]').textContent = 'Traces';
    document.querySelector('nav a[href="#workers"]').textContent = 'Processes';
    this.list = el('div', { class: 'card', id: 'traces' });
    fill(byId('services'),
      el('h2', {}, 'Services'),
      el('p', { class: 'lead' }, 'Who calls whom. A request to a service is a span that was called from another process, or by nobody. Times are those of the callee.'),
      el('div', { class: 'card' }, app.report.requests.services.length > 1 && svgButton('services', () => drawingSvg(this.graph.box.querySelector('svg'))), this.graph.box,
        el('div', { class: 'two' }, this.services(requests), this.calls(requests))),
      this.list);
    this.showTraces();
    this.showRates();
    this.draw();
  }

  draw() {
    if (!app.report.requests) return;
    this.chart.draw();
    this.graph.draw();
  }

  // Rate, errors and duration.

  /** A card of the overview. */
  card() {
    const { requests } = app.report;
    this.table = el('div', {});
    this.of = el('h2', { class: 'question' });
    const card = el('div', { class: 'card' }, csvButton('requests', () => [
      ['name', 'count', 'per_second', 'errors', 'p50_ns', 'p95_ns', 'p99_ns', 'max_ns'],
      ...requests.roots.map((root) => [app.model.nameOf(root.name), ...['count', 'perSecond', 'errors', 'p50', 'p95', 'p99', 'max'].map((key) => root[key])])]),
    this.of, this.chart.box, this.table,
    requests.rootsLeftOut > 0 && el('p', { class: 'hint' }, count(requests.rootsLeftOut, 'more name of requests is', 'more names of requests are') + ' in report --json.'));
    this.showTable();
    return card;
  }

  root() {
    return app.report.requests.roots.find((root) => app.model.nameOf(root.name) === this.chosen);
  }

  showRates() {
    const { requests } = app.report;
    const root = this.root();
    this.of.textContent = root ? 'Requests over time: ' + clip(this.chosen, 100) : 'Requests over time';
    this.chart.show(root ? [root] : [...requests.roots, requests.others], root && this.chosen);
  }

  showTable() {
    const { roots } = app.report.requests;
    const columns = [['name', 'Request'], ['count', 'Count'], ['perSecond', 'Rate'], ['errorShare', 'Failed'], ['p50', 'p50'], ['p95', 'p95'], ['p99', 'p99'], ['max', 'Longest']];
    const rows = roots.map((root) => ({ ...root, text: app.model.nameOf(root.name), errorShare: root.errors / Math.max(1, root.count) }));
    const sign = this.isDescending ? -1 : 1;
    rows.sort((a, b) => sign * (this.by === 'name' ? a.text.localeCompare(b.text) : a[this.by] - b[this.by]));
    const resort = (key) => {
      this.isDescending = this.by === key ? !this.isDescending : key !== 'name';
      this.by = key;
      this.showTable();
    };
    fill(this.table, scrolling(el('table', {},
      el('thead', {}, el('tr', {}, columns.map(([key, label]) => sortHeading(this, key, label, key === 'name', resort)), el('th', { scope: 'col' }, 'Over time'))),
      el('tbody', {}, rows.map((root) => el('tr', {},
        el('td', { class: 'text' }, el('span', { class: 'named' }, swatch(root.name), el('button', {
          type: 'button', class: 'link', 'aria-pressed': String(this.chosen === root.text), 'data-root': root.text, title: 'Show these requests alone, above and among the traces',
          onclick: () => this.choose(this.chosen === root.text ? undefined : root.text),
        }, el('span', { class: 'long' }, clip(root.text, 300))))),
        numeric(grouped(root.count)), numeric(rate(root.perSecond)), errorCell(root.errors, root.count),
        ...['p50', 'p95', 'p99', 'max'].map((key) => numeric(duration(root[key]))),
        el('td', {}, rateSpark(root))))))));
  }

  choose(name) {
    this.chosen = name;
    this.isWhole = false;
    const focused = document.activeElement?.dataset.root;
    this.showTable();
    [...this.table.querySelectorAll('[data-root]')].find((button) => button.dataset.root === focused)?.focus({ preventScroll: true });
    this.showRates();
    this.showTraces();
    app.address.changed();
  }

  // Services and calls.

  services(requests) {
    return el('div', {}, el('h3', {}, 'Requests to each service'), scrolling(
      csvButton('services', () => [['service', 'count', 'per_second', 'errors', 'p50_ns', 'p95_ns', 'p99_ns', 'max_ns'],
        ...requests.services.map((one) => ['service', 'count', 'perSecond', 'errors', 'p50', 'p95', 'p99', 'max'].map((key) => one[key]))]),
      el('table', {},
        el('thead', {}, el('tr', {}, el('th', { class: 'text' }, 'Service'), el('th', {}, 'Count'), el('th', {}, 'Rate'), el('th', {}, 'Failed'), el('th', {}, 'p50'), el('th', {}, 'p95'))),
        el('tbody', {}, requests.services.map((one) => el('tr', {},
          el('td', { class: 'text' }, el('span', { class: 'long' }, serviceName(one))),
          numeric(grouped(one.count)), numeric(rate(one.perSecond)), errorCell(one.errors, one.count), numeric(duration(one.p50)), numeric(duration(one.p95))))))),
    requests.servicesLeftOut > 0 && el('p', { class: 'hint' }, count(requests.servicesLeftOut, 'more service is', 'more services are') + ' in report --json.'));
  }

  calls(requests) {
    const { services } = requests;
    return el('div', {}, el('h3', {}, 'Calls between services'),
      requests.calls.length === 0
        ? el('p', { class: 'none' }, 'No service called another one.')
        : scrolling(csvButton('calls-between-services', () => [['caller', 'callee', 'count', 'per_second', 'errors', 'p50_ns', 'p95_ns', 'p99_ns', 'max_ns'],
          ...requests.calls.map((one) => [services[one.from].service, services[one.to].service, ...['count', 'perSecond', 'errors', 'p50', 'p95', 'p99', 'max'].map((key) => one[key])])]),
        el('table', {},
          el('thead', {}, el('tr', {}, el('th', { class: 'text' }, 'Caller'), el('th', { class: 'text' }, 'Callee'), el('th', {}, 'Calls'), el('th', {}, 'Rate'), el('th', {}, 'Failed'), el('th', {}, 'p95'))),
          el('tbody', {}, requests.calls.map((one) => el('tr', {},
            el('td', { class: 'text' }, el('span', { class: 'long' }, serviceName(services[one.from]))), el('td', { class: 'text' }, el('span', { class: 'long' }, serviceName(services[one.to]))),
            numeric(grouped(one.count)), numeric(rate(one.perSecond)), errorCell(one.errors, one.count), numeric(duration(one.p95))))))),
      requests.callsLeftOut > 0 && el('p', { class: 'hint' }, count(requests.callsLeftOut, 'more pair of services is', 'more pairs of services are') + ' in report --json.'));
  }

  // Slow and failed traces.

  showTraces() {
    const { roots, traces, reasons } = app.report.requests;
    const shown = traces
      .map(([item, root, nanos, failed, errors, start, reason]) => ({ item, root, name: app.model.nameOf(roots[root].name), nanos, failed, errors, start, reason: reason < 0 ? '' : reasons[reason] }))
      .filter((trace) => (this.chosen === undefined || trace.name === this.chosen) && (!this.isFailedOnly || trace.errors > 0));
    const rows = this.isWhole ? shown : shown.slice(0, LISTED_TRACES);
    const only = (isFailed, label) => el('button', {
      type: 'button', 'data-failed': String(isFailed), 'aria-pressed': String(this.isFailedOnly === isFailed),
      onclick: () => this.showFailed(isFailed),
    }, label);
    const select = el('select', { 'aria-label': 'Requests whose traces are listed', onchange: () => this.choose(select.value === '' ? undefined : roots[Number(select.value)] && app.model.nameOf(roots[Number(select.value)].name)) },
      el('option', { value: '', selected: this.chosen === undefined }, 'All requests'),
      roots.map((root, number) => el('option', { value: String(number), selected: app.model.nameOf(root.name) === this.chosen }, clip(app.model.nameOf(root.name), 80))));
    fill(this.list,
      el('h3', {}, 'Slow and failed traces'),
      el('div', { class: 'tools' }, select, el('span', { class: 'group', role: 'group', 'aria-label': 'Which traces' }, only(false, 'Slowest'), only(true, 'With errors')),
        csvButton('slow-and-failed-traces', () => [['name', 'trace_id', 'took_ns', 'start_ns', 'failed', 'errors', 'reason'],
          ...shown.map((trace) => [trace.name, trace.item >= 0 ? app.model.traceId(trace.item) : null, trace.nanos, trace.start, trace.failed === 1, trace.errors, trace.reason])])),
      rows.length === 0
        ? el('p', { class: 'none' }, this.isFailedOnly ? 'None of these traces has an error.' : 'There are none.')
        : scrolling(el('table', {},
          el('thead', {}, el('tr', {}, el('th', { class: 'text' }, 'Trace of'), el('th', {}, 'Took'), el('th', {}, 'Times p50'), el('th', {}, 'Began after'), el('th', {}, 'Errors'), el('th', { class: 'text' }, 'Reason'))),
          el('tbody', {}, rows.map((trace) => el('tr', {},
            el('td', { class: 'text' }, this.opener(trace)),
            el('td', {}, duration(trace.nanos), bar(trace.nanos / Math.max(1, shown[0].nanos))),
            numeric((trace.nanos / Math.max(1, roots[trace.root].p50)).toFixed(1)),
            numeric(duration(trace.start)),
            el('td', { class: trace.errors > 0 && 'bad' }, trace.errors > 0 ? '▲ ' + grouped(trace.errors) : '–'),
            el('td', { class: 'text' }, el('span', { class: 'long' }, trace.failed ? trace.reason || 'failed' : trace.errors > 0 ? 'the request itself did not fail' : '–'))))))),
      el('p', { class: 'hint' }, 'Of each request the 20 slowest traces, and the 20 slowest that failed. A name opens the trace as a waterfall.'),
      shown.length > LISTED_TRACES && el('button', { type: 'button', class: 'more', onclick: () => { this.isWhole = !this.isWhole; this.showTraces(); } },
        this.isWhole ? 'Show fewer' : `Show all ${grouped(shown.length)}`));
  }

  opener({ item, name }) {
    const text = el('span', { class: 'long' }, clip(name, 200));
    if (item < 0 || app.model.traceId(item) === '') return text;
    return el('button', { type: 'button', class: 'link', title: 'Show the trace as a waterfall', onclick: () => app.trace.open(item) }, text);
  }

  showFailed(isFailed) {
    this.isFailedOnly = isFailed;
    this.isWhole = false;
    this.showTraces();
    this.list.querySelector(`[data-failed="${isFailed}"]`).focus({ preventScroll: true });
    app.address.changed();
  }

  // Its part of the address.

  save(parameters) {
    if (this.chosen !== undefined) parameters.set('request', this.chosen);
    if (this.isFailedOnly) parameters.set('failed', 'only');
  }

  restore(parameters) {
    if (!app.report.requests) return;
    const name = parameters.get('request') ?? undefined;
    const isFailed = parameters.get('failed') === 'only';
    if (name === this.chosen && isFailed === this.isFailedOnly) return;
    this.isFailedOnly = isFailed;
    this.choose(name);
  }
}

const serviceName = (one) => one.service || '(unnamed service)';

/** The calls between services, as a picture; the tables below have the same data. */
class ServiceGraph {
  constructor() {
    this.box = el('div', { class: 'scroll graph', role: 'group', tabindex: '0', 'aria-label': 'Picture of who calls whom' });
  }

  draw() {
    const { services, calls } = app.report.requests;
    this.box.hidden = services.length < 2;
    if (this.box.hidden) return;
    const room = this.box.clientWidth - 2 * parseFloat(getComputedStyle(this.box).paddingLeft);
    if (!this.box.isConnected || room <= 0) return;
    const layout = graphLayout(services.length, calls, room);
    const { boxes, isUpright } = layout;
    const lines = calls.map((call) => callLine(boxes[call.from], boxes[call.to], isUpright, call.from === call.to));
    const texts = calls.map((call) => `${grouped(call.count)} · p95 ${duration(call.p95)}` + (call.errors > 0 ? ` · ▲ ${percent(call.errors, call.count)}` : ''));
    const widths = texts.map((text) => text.length * 6.4 + 8);
    const places = textPlaces(lines, widths, boxes);
    const most = Math.max(1, ...calls.map((call) => call.count));
    const points = lines.flat();
    const left = Math.min(0, ...points.map(([x]) => x - 8));
    const top = Math.min(0, ...points.map(([, y]) => y - 8));
    const width = Math.max(layout.width, ...points.map(([x]) => x + 8)) - left;
    const height = Math.max(layout.height, ...points.map(([, y]) => y + 8)) - top;
    this.box.replaceChildren(svg('svg', {
      width, height, viewBox: `${left} ${top} ${width} ${height}`, role: 'img',
      'aria-label': `${count(services.length, 'service')} and ${count(calls.length, 'pair')} of caller and callee. The tables below have all numbers.`,
    },
    calls.map((call, i) => this.line(lines[i], 1.2 + 3.3 * Math.sqrt(call.count / most), call.errors > 0, `${serviceName(services[call.from])} → ${serviceName(services[call.to])}: ${texts[i]}`)),
    services.map((one, i) => this.service(one, boxes[i])),
    calls.map((call, i) => places[i] && svg('rect', { class: 'plate', x: places[i][0] - widths[i] / 2, y: places[i][1] - 9, width: widths[i], height: 18, rx: 4 })),
    calls.map((call, i) => places[i] && svg('text', { class: call.errors > 0 ? 'label failed' : 'label', x: places[i][0], y: places[i][1] + 4, 'text-anchor': 'middle' }, texts[i]))));
  }

  line(line, width, isFailed, text) {
    const [[x, y], [nearX, nearY]] = [line[3], pointAt(line, 0.94)];
    const length = Math.hypot(x - nearX, y - nearY) || 1;
    const [dx, dy] = [(x - nearX) / length, (y - nearY) / length];
    const size = 5 + width;
    const corner = (side) => `${(x - dx * size * 1.5 - dy * size * side * 0.6).toFixed(1)} ${(y - dy * size * 1.5 + dx * size * side * 0.6).toFixed(1)}`;
    const d = `M${line[0].join(' ')} C${line.slice(1, 3).map((point) => point.join(' ')).join(' ')} ${(x - dx * size).toFixed(1)} ${(y - dy * size).toFixed(1)}`;
    return svg('g', { class: isFailed ? 'call failed' : 'call' }, svg('title', {}, clip(text, 300)),
      svg('path', { class: 'line', d, 'stroke-width': width.toFixed(1) }),
      svg('path', { class: 'head', d: `M${x} ${y}L${corner(1)}L${corner(-1)}z` }));
  }

  service(one, box) {
    const text = (y, kind, words) => svg('text', { class: kind, x: box.x + 12, y: box.y + y }, words);
    return svg('g', { class: 'service' }, svg('title', {}, clip(serviceName(one), 300)),
      svg('rect', { class: one.errors > 0 ? 'failed' : undefined, x: box.x, y: box.y, width: box.width, height: box.height, rx: 9 }),
      text(22, 'name', clip(serviceName(one), Math.floor((box.width - 24) / 8.4))),
      text(38, 'numbers', `${rate(one.perSecond)} · p95 ${duration(one.p95)}`),
      text(53, one.errors > 0 ? 'numbers failed' : 'numbers', one.errors > 0 ? `▲ ${percent(one.errors, one.count)} failed` : 'none failed'));
  }
}
