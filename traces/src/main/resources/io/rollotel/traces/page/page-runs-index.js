// All runs of a directory: when, how long, how they ended, and whether steps got slower.

const TREND_HEIGHT = 200;

/** The values in the chart of runs. */
const TRENDS = {
  median: ['Median step', duration],
  wall: ['Time taken', duration],
  errors: ['Errors', grouped],
  spans: ['Spans', grouped],
};

const app = { model: true, report: null, address: new Address() };

/** How many times a value is another one. */
const timesOf = (ratio) => (ratio < 0.005 ? '<0.01' : ratio.toFixed(ratio < 99.5 ? 2 : 0));

/** The last part of an address, as the file is called; as it is where it is not in UTF-8. */
function fileName(pathname) {
  const name = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The command that writes the page of a run, or of two compared runs. */
const reportCommand = (...words) => command('java', '-jar', 'roll-otel-agent.jar', 'report', ...app.report.dirs, ...words);

/** A value of each run, from the oldest to the latest. */
class TrendChart {
  constructor(index) {
    this.index = index;
    this.box = el('div', {
      class: 'chart trend', onpointermove: (event) => this.point(event), onpointerleave: () => tip.hide(),
      onclick: (event) => { const run = this.runAt(event); if (run) this.index.toggle(run.run); },
    });
  }

  geometry() {
    const width = this.box.clientWidth;
    const left = 76;
    return { width, left, plot: Math.max(10, width - left - 4), top: 14, bottom: TREND_HEIGHT - 24 };
  }

  draw() {
    const { runs } = app.report;
    const { width, left, plot, top, bottom } = this.geometry();
    if (width <= 0) return;
    const [label, text] = TRENDS[this.index.trend];
    const values = runs.map((run) => run[this.index.trend]);
    const most = Math.max(...values, 1);
    const each = Math.min(60, plot / runs.length);
    const date = (run) => new Date(run.start).toISOString().slice(0, 10);
    const last = runs.length - 1;
    const column = (run, i) => {
      const high = values[i] > 0 ? Math.max(1, (values[i] / most) * (bottom - top)) : 0;
      const kind = this.index.chosen.includes(run.run) ? 'chosen' : run.isSlower && this.index.trend === 'median' ? 'failed' : 'begun';
      return high > 0 && svg('rect', { class: kind, x: left + i * each, y: bottom - high, width: Math.max(0.5, each * 0.84), height: high });
    };
    this.box.replaceChildren(svg('svg', { width, height: TREND_HEIGHT, role: 'img', 'aria-label': `${label} of ${count(runs.length, 'run')}, the oldest first; at most ${text(most)}. The table has all numbers.` },
      svg('line', { class: 'axis', x1: left, x2: left + plot, y1: bottom, y2: bottom }),
      svg('line', { class: 'grid', x1: left, x2: left + plot, y1: top, y2: top }),
      svg('text', { x: left - 8, y: top + 4, 'text-anchor': 'end' }, text(most)),
      svg('text', { x: left - 8, y: bottom + 1, 'text-anchor': 'end' }, '0'),
      runs.map(column),
      runs.map((run, i) => run.isSlower && this.index.trend === 'median' && each >= 12 && svg('text', { class: 'bad', x: left + (i + 0.42) * each, y: bottom - (values[i] / most) * (bottom - top) - 3, 'text-anchor': 'middle' }, '▲')),
      svg('text', { x: left, y: bottom + 17 }, date(runs[0])),
      last > 0 && each * runs.length > 190 && svg('text', { x: left + each * runs.length, y: bottom + 17, 'text-anchor': 'end' }, date(runs[last]))));
  }

  runAt(event) {
    const { left, plot } = this.geometry();
    const { runs } = app.report;
    return runs[Math.floor((event.clientX - this.box.getBoundingClientRect().left - left) / Math.min(60, plot / runs.length))];
  }

  point(event) {
    const run = this.runAt(event);
    if (!run) return tip.hide();
    const [label, text] = TRENDS[this.index.trend];
    tip.show(event.clientX, event.clientY, el('b', {}, clip(run.run, 80)),
      `${moment(BigInt(run.start) * 1000000n, 0)} · ${label.toLowerCase()} ${text(run[this.index.trend])}`
        + (run.ratio ? ` · ${timesOf(run.ratio)} times that of ${clip(run.ratioTo, 80)}` : ''));
  }
}

class RunsIndex {
  constructor() {
    this.by = 'start';
    this.isDescending = true;
    this.chosen = []; // two ids at most, the first chosen first
    this.usualTrend = app.report.runs.some((run) => run.median > 0) ? 'median' : 'wall';
    this.trend = this.usualTrend;
    this.isWhole = false;
    this.chart = new TrendChart(this);
  }

  show() {
    this.showOverview();
    this.showCompare();
    this.showTable();
  }

  showOverview() {
    const { runs, dirs, leftOut } = app.report;
    const lost = runs.filter((run) => run.died > 0).length;
    const latest = runs.at(-1);
    document.title = `${count(runs.length, 'run')} – roll-otel`;
    const select = el('select', { 'aria-label': 'What the chart shows', onchange: () => { this.trend = select.value; this.chart.draw(); app.address.changed(); } },
      Object.entries(TRENDS).map(([key, [label]]) => el('option', { value: key, selected: key === this.trend }, label)));
    fill(byId('overview'),
      el('h1', {}, `${count(runs.length, 'run')} in ${dirs.map((dir) => clip(dir, 80)).join(', ')}`),
      el('p', { class: 'facts' }, 'The latest, ', el('b', {}, clip(latest.run, 80)), ', started ', el('b', {}, moment(BigInt(latest.start) * 1000000n, 0)),
        ', took ', el('b', {}, duration(latest.wall)),
        latest.ratio ? `; its median step took ${timesOf(latest.ratio)} times that of ${clip(latest.ratioTo, 80)}` : '', this.slower(runs),
        lost > 0 && [' · ', el('span', { class: 'bad' }, '✕ ' + count(lost, 'run', 'runs') + ' lost a process')]),
      leftOut > 0 && el('p', { class: 'hint' }, `${count(leftOut, 'older run is', 'older runs are')} in report --runs alone.`),
      el('div', { class: 'card' }, el('div', { class: 'tools' }, el('h2', { class: 'question' }, 'From run to run'), select), this.chart.box,
        el('p', { class: 'hint' }, '▲ marks a run whose median step took at least 1.1 times that of the run before, by more than chance explains. Runs of fewer than four steps are passed over. A click chooses a run to compare.')));
    this.chart.draw();
  }

  /** How many runs have slower steps than the run before, in words. */
  slower(runs) {
    const compared = runs.filter((run) => run.ratio);
    const tooFew = compared.filter((run) => !run.isTold).length;
    const slower = compared.filter((run) => run.isSlower).length;
    return [
      slower > 0 && [' · ', el('span', { class: 'bad' }, '▲ ' + count(slower, 'run has', 'runs have') + ' clearly slower steps than the run before')],
      slower === 0 && tooFew < compared.length && ' · no run has clearly slower steps than the run before',
      tooFew > 0 && ` · ${count(tooFew, 'run has', 'runs have')} too few steps to tell`,
    ].flat();
  }

  // Two of them.

  pair() {
    return app.report.runs.filter((run) => this.chosen.includes(run.run)); // the oldest first
  }

  showCompare() {
    const pair = this.pair();
    const row = (label, text, key) => el('tr', {}, el('th', { class: 'text', scope: 'row' }, label),
      ...pair.map((run) => numeric(run[key] > 0 || key === 'errors' ? text(run[key]) : '–')), numeric(change(pair[1][key], pair[0][key])));
    fill(byId('compare'),
      el('h2', {}, 'Compare two runs'),
      pair.length < 2
        ? el('p', { class: 'lead' }, pair.length === 0 ? 'Choose two runs in the table below.' : `Choose another run beside ${clip(pair[0].run, 80)}.`)
        : el('div', { class: 'card' },
          scrolling(el('table', {},
            el('thead', {}, el('tr', {}, el('td', {}), ...pair.map((run) => el('th', { scope: 'col' }, runLink(run))), el('th', { scope: 'col' }, 'Change'))),
            el('tbody', {}, row('Median step', duration, 'median'), row('Time taken', duration, 'wall'), row('Steps', grouped, 'steps'),
              row('Spans', grouped, 'spans'), row('Errors', grouped, 'errors')))),
          pair.some((run) => run.isCut) ? el('p', { class: 'why' }, 'These run ids are too long for a command.') : [el('p', { class: 'why' }, 'This page runs nothing. What got slower or faster, and with a profile why, is what this command shows:'),
          reportCommand('--run=' + pair[1].run, '--against=' + pair[0].run, '--html=compare.html', '--open')]));
  }

  toggle(run) {
    this.chosen = this.chosen.includes(run) ? this.chosen.filter((one) => one !== run) : [...this.chosen, run].slice(-2);
    this.showCompare();
    this.chart.draw();
    for (const box of byId('all').querySelectorAll('input')) box.checked = this.chosen.includes(box.dataset.run);
    app.address.changed();
  }

  // All of them.

  showTable() {
    const { runs } = app.report;
    const hasSteps = runs.some((run) => run.steps > 0);
    const columns = [['run', 'Run'], ['start', 'Started (UTC)'], ['wall', 'Took'], ['processes', 'Processes'], ['spans', 'Spans'], ['errors', 'Errors'],
      ...(hasSteps ? [['steps', 'Steps'], ['median', 'Median step'], ['ratio', 'Of the run before']] : []), ['end', 'End']];
    const isText = (key) => key === 'run' || key === 'end';
    const sign = this.isDescending ? -1 : 1;
    const rows = [...runs].sort((a, b) => sign * (isText(this.by) ? a[this.by].localeCompare(b[this.by]) : (a[this.by] ?? 0) - (b[this.by] ?? 0)));
    const resort = (key) => {
      this.isDescending = this.by === key ? !this.isDescending : !isText(key);
      this.by = key;
      this.showTable();
      app.address.changed();
    };
    const most = 100;
    fill(byId('all'),
      el('h2', {}, 'All runs'),
      el('div', { class: 'card' }, csvButton('runs', () => [['run', 'started', 'took_ns', 'processes', 'spans', 'errors', 'steps', 'median_step_ns', 'ratio', 'ratio_to', 'end', 'finding'],
        ...rows.map((run) => [run.run, new Date(run.start).toISOString(), run.wall, run.processes, run.spans, run.errors, run.steps, run.median, run.ratio, run.ratioTo, run.end, run.finding])]),
      scrolling(el('table', {},
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Compare'), columns.map(([key, label]) => sortHeading(this, key, label, isText(key), resort)),
          el('th', { class: 'text', scope: 'col' }, 'What would save time'))),
        el('tbody', {}, rows.slice(0, this.isWhole ? rows.length : most).map((run) => this.row(run, hasSteps))))),
      rows.length > most && el('button', { type: 'button', class: 'more', onclick: () => { this.isWhole = !this.isWhole; this.showTable(); } },
        this.isWhole ? 'Show fewer' : `Show all ${grouped(rows.length)}`)),
      el('div', { class: 'card' }, el('h3', {}, 'Pages of the runs'), this.pages(runs)));
  }

  row(run, hasSteps) {
    return el('tr', {},
      el('td', {}, el('input', { type: 'checkbox', 'data-run': run.run, checked: this.chosen.includes(run.run), 'aria-label': 'Compare ' + clip(run.run, 100), onchange: () => this.toggle(run.run) })),
      el('td', { class: 'text' }, runLink(run)),
      numeric(moment(BigInt(run.start) * 1000000n, 0).slice(0, 19)),
      numeric(duration(run.wall)), numeric(grouped(run.processes)), numeric(grouped(run.spans)),
      el('td', { class: run.errors > 0 && 'bad' }, run.errors > 0 ? '▲ ' + grouped(run.errors) : '0'),
      hasSteps && [numeric(run.steps > 0 ? grouped(run.steps) : '–'), numeric(run.median > 0 ? duration(run.median) : '–'),
        el('td', { class: run.isSlower && 'bad', title: run.ratio && 'of ' + clip(run.ratioTo, 100) }, run.ratio ? (run.isSlower ? '▲ ' : '') + timesOf(run.ratio) : '–')],
      el('td', { class: run.died > 0 ? 'text bad' : 'text' }, (run.died > 0 ? '✕ ' : run.isOn ? '❯ ' : '') + run.end),
      el('td', { class: 'text finding' }, el('span', { class: 'long' }, run.finding || '–')));
  }

  pages(runs) {
    const with_ = runs.filter((run) => run.page).length;
    return [
      el('p', { class: 'why' }, with_ === runs.length ? 'Each run has a page, which its name leads to.'
        : (with_ === 0 ? 'No run has a page beside this one.' : `${count(with_, 'run has', 'runs have')} a page, which their names lead to.`)
          + ' This command makes those of the latest runs:'),
      with_ < runs.length && reportCommand('--runs', '--html=' + (fileName(location.pathname) || 'index.html'), '--pages'),
    ];
  }

  // Its part of the address.

  save(parameters) {
    if (this.chosen.length > 0) parameters.set('compare', JSON.stringify(this.chosen));
    if (this.by !== 'start' || !this.isDescending) parameters.set('by', (this.isDescending ? '-' : '') + this.by);
    if (this.trend !== this.usualTrend) parameters.set('trend', this.trend);
  }

  restore(parameters) {
    this.chosen = (callsOf(parameters.get('compare')) || []).slice(0, 2);
    const by = parameters.get('by') || '-start';
    this.isDescending = by.startsWith('-');
    this.by = by.replace(/^-/, '');
    const trend = parameters.get('trend') || '';
    this.trend = Object.hasOwn(TRENDS, trend) ? trend : this.usualTrend;
    this.show();
  }
}

/** The name of a run, with a link to its page if there is one. */
function runLink(run) {
  const name = el('span', { class: 'long' }, clip(run.run, 100));
  return run.page ? el('a', { href: encodeURIComponent(run.page) }, name) : name;
}

function start() {
  const data = JSON.parse(byId('data').textContent, (_, value) => (typeof value === 'string' ? harmless(value) : value));
  app.report = { ...data, run: 'runs' };
  const index = new RunsIndex();
  followTheme(() => index.chart.draw());
  followPrinting(() => index.chart.draw());
  index.show();
  app.address.holders.push(index);
  if (location.hash) app.address.restore();
  addEventListener('resize', () => index.chart.draw());
  byId('foot').textContent = 'Made by roll-otel, offline: this page connects to nothing.';
  document.body.dataset.ready = 'true';
}

start();
