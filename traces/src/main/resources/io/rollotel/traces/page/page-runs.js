// Runs of an agent framework: the reward of each, and its steps.

const RUNS_HEIGHT = 150;
const CURVE_HEIGHT = 210;
const STATE_MARKS = { completed: '✓ ', failed: '▲ ', 'not ended': '… ' };

/** A reward or similar number with two decimals; a very small or large one as a power of ten. */
function amount(value) {
  if (value === null) return '–';
  const size = Math.abs(value);
  const text = size >= 999999.5 || (size < 0.01 && size !== 0) ? size.toExponential(1) : size.toFixed(2);
  return (value < 0 ? '−' : '') + text;
}

/** Approximately this many round numbers between two: the labels of a chart's lines. */
function roundNumbers(least, most, about) {
  const rough = Math.max((most - least) / about, Number.MIN_VALUE);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
  const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9)));
  const numbers = [];
  for (let i = Math.ceil(least / step - 1e-9); i * step <= most + step * 1e-9 && numbers.length < 20; i++) {
    numbers.push({ value: i * step, text: (i * step).toFixed(digits).replace('-', '−') });
  }
  return numbers;
}

const unpackStep = ([action, item, number, start, nanos, reward, gained, error]) =>
  ({ action, item, number, start, nanos, reward, gained, isError: error === 1 });

function stepTitle(step) {
  return (step.number < 0 ? 'A step' : 'Step ' + step.number) + (step.action ? ', ' + clip(step.action, 60) : '');
}

const stepWords = (run, step) => [el('b', {}, stepTitle(step) + (step.isError ? ' ▲ failed' : '')),
  el('div', {}, `reward ${amount(step.reward)}, so far ${amount(step.gained)}`),
  el('div', {}, duration(step.nanos) + ' of ' + clip(run.id, 60))];

/** The line of a run's reward: level during a step, up or down at its end. */
function gainedLine(context, run, x, y) {
  context.moveTo(x(run.start), y(0));
  let before = 0;
  for (const step of run.shown) {
    const end = x(step.start + step.nanos);
    context.lineTo(end, y(before));
    context.lineTo(end, y(step.gained));
    before = step.gained;
  }
  context.lineTo(x(run.start + run.nanos), y(before));
}

/** The least and the greatest reward of runs at any time; includes zero. */
function gainedRange(runs) {
  let least = 0;
  let most = 0;
  for (const run of runs) {
    for (const step of run.shown) {
      least = Math.min(least, step.gained);
      most = Math.max(most, step.gained);
    }
  }
  return most > least ? { least, most } : { least: 0, most: 1 };
}

class RunsSection {
  constructor() {
    this.chosen = -1;
    this.step = -1;
    this.by = 'start';
    this.isDescending = false;
    this.isWhole = false;
    this.chart = this.canvas('Total reward of each run. Left and right choose a run.', {
      pointermove: (event) => this.pointRun(event), click: (event) => this.choose(this.runAt(event)), keydown: (event) => this.keyRun(event),
    });
    this.curve = this.canvas('What the run has gained after each step; the table of steps shows the numbers. Left and right choose a step, Enter shows it in the timeline.', {
      pointermove: (event) => this.pointStep(event), click: (event) => this.openStep(this.stepAt(event)), keydown: (event) => this.keyStep(event),
    });
    this.one = el('div', { class: 'card', id: 'run' });
    this.all = el('div', { class: 'card' });
  }

  canvas(label, listeners) {
    const canvas = el('canvas', { tabindex: '0', role: 'img', 'aria-label': label });
    for (const [event, listener] of Object.entries(listeners)) canvas.addEventListener(event, listener);
    canvas.addEventListener('pointerleave', () => tip.hide());
    canvas.addEventListener('blur', () => { tip.hide(); this.step = -1; this.draw(); });
    return canvas;
  }

  show() {
    const { agentRuns } = app.report;
    const before = this.runs && this.runs[this.chosen];
    this.runs = agentRuns.runs.map((run) => ({ ...run, shown: run.shown.map(unpackStep) }));
    const hasRuns = this.runs.length > 0;
    byId('runs').hidden = !hasRuns;
    byId('nav-runs').hidden = !hasRuns;
    if (!hasRuns) return;
    const kept = before ? this.runs.findIndex((run) => run.id === before.id && run.start === before.start) : -1;
    this.chosen = kept >= 0 ? kept : this.best();
    fill(byId('runs'),
      el('h2', {}, 'Runs of the agent'),
      el('p', { class: 'lead' }, this.lead(agentRuns)),
      this.runs.length > 1 && el('div', { class: 'card' },
        el('h3', {}, 'Total reward of each run, in the order in which they began'),
        el('div', { class: 'chart' }, this.chart),
        el('p', { class: 'hint' }, 'Choose one to see its steps below.')),
      this.one, this.all);
    this.showOne();
    this.showAll();
  }

  lead(all) {
    return `${count(all.count, 'run')}, ${grouped(all.completed)} completed`
      + (all.failed > 0 ? `, ${grouped(all.failed)} failed` : '') + `: ${count(all.steps, 'step')}`
      + (all.meanReward === null ? '.' : `, mean total reward ${amount(all.meanReward)}${this.over(all)}.`)
      + (all.leftOut > 0 ? ` The latest ${grouped(this.runs.length)} are shown, the ${grouped(all.leftOut)} before them are in report --json.` : '');
  }

  /** Of which runs the mean is: not only of the completed ones. */
  over(all) {
    if (all.count === 1) return '';
    return all.rewarded === all.count ? ` over all ${grouped(all.count)}` : ` over the ${grouped(all.rewarded)} with one`;
  }

  /** The initial choice: the run with the largest reward. */
  best() {
    let best = 0;
    this.runs.forEach((run, i) => { if (run.total !== null && !(run.total <= this.runs[best].total)) best = i; });
    return best;
  }

  choose(number) {
    if (number < 0 || number >= this.runs.length) return;
    this.chosen = number;
    this.step = -1;
    this.showOne();
    this.draw();
  }

  showOne() {
    const run = this.runs[this.chosen];
    const button = (text, by) => el('button', {
      type: 'button', disabled: !this.runs[this.chosen + by],
      onclick: () => { this.choose(this.chosen + by); const again = byId(by < 0 ? 'run-before' : 'run-after'); if (!again.disabled) again.focus(); },
      id: by < 0 ? 'run-before' : 'run-after',
    }, text);
    const said = [run.environment, run.model].filter(Boolean).map((text) => clip(text, 100));
    fill(this.one,
      el('div', { class: 'tools' },
        el('h3', { class: 'find' }, el('span', {}, clip(run.id || '(no id)', 120) + ' '), this.state(run)),
        run.shown.length > 0 && csvButton('run-steps', () => [['step', 'action', 'start_ns', 'took_ns', 'reward', 'gained', 'error'],
          ...run.shown.map((step) => [step.number, step.action, step.start, step.nanos, step.reward, step.gained, step.isError])]),
        this.runs.length > 1 && button('Previous run', -1), this.runs.length > 1 && button('Next run', 1),
        run.item >= 0 && el('button', { type: 'button', onclick: () => app.timeline.reveal(run.item) }, 'Show in the timeline')),
      el('p', { class: 'why' }, `Total reward ${amount(run.total)} in ${count(run.steps, 'step')} and ${duration(run.nanos)}`
        + (said.length > 0 ? ' · ' + said.join(' · ') : '') + '. The line is what it had gained so far; below it are the steps, a click finds one in the timeline.'),
      run.shown.length > 0 && el('div', { class: 'chart' }, this.curve),
      run.nth > 1 && el('p', { class: 'hint' }, `Of so many steps every ${grouped(run.nth)}th is shown.`),
      run.steps > 0 && run.nth === 0 && el('p', { class: 'hint' }, 'A page of this size has no room for the steps of so old a run: they are in report --json, and in the timeline.'),
      run.shown.length > 0 && this.steps(run));
    this.draw();
  }

  state(run) {
    return el('span', { class: run.state === 'failed' ? 'state bad' : 'state' }, STATE_MARKS[run.state] + run.state);
  }

  /** The table is created on demand. */
  steps(run) {
    const most = 500;
    const box = scrolling();
    return el('details', {
      class: 'more', ontoggle: () => box.firstChild || box.append(el('table', {},
        el('thead', {}, el('tr', {}, el('th', { class: 'text', scope: 'col' }, 'Step'), el('th', { scope: 'col' }, 'Reward'),
          el('th', { scope: 'col' }, 'So far'), el('th', { scope: 'col' }, 'Took'))),
        el('tbody', {}, run.shown.slice(0, most).map((step) => el('tr', {},
          el('td', { class: 'text' }, itemButton(step.item, stepTitle(step)), step.isError && el('span', { class: 'mark' }, ' ▲ failed')),
          numeric(amount(step.reward)), numeric(amount(step.gained)), numeric(duration(step.nanos)))))),
      ...(run.shown.length > most ? [el('p', { class: 'hint' }, `and ${grouped(run.shown.length - most)} more`)] : [])),
    }, el('summary', {}, 'Its steps as a table'), box);
  }

  showAll() {
    const columns = [['id', 'Run'], ['state', 'State'], ['steps', 'Steps'], ['total', 'Reward'], ['mean', 'A step'], ['best', 'Best step'], ['nanos', 'Took'], ['start', 'Began']];
    const isText = (key) => key === 'id' || key === 'state';
    const sign = this.isDescending ? -1 : 1;
    const order = this.runs.map((run, number) => ({ run, number }));
    order.sort((a, b) => sign * (isText(this.by) ? a.run[this.by].localeCompare(b.run[this.by]) : (a.run[this.by] ?? -Infinity) - (b.run[this.by] ?? -Infinity)) || a.number - b.number);
    const most = Math.max(...this.runs.map((run) => run.total || 0), Number.MIN_VALUE);
    const resort = (key) => {
      this.isDescending = this.by === key ? !this.isDescending : !isText(key) && key !== 'start';
      this.by = key;
      this.showAll();
    };
    const keys = ['id', 'environment', 'model', 'state', 'start', 'nanos', 'steps', 'errors', 'total', 'mean', 'best'];
    fill(this.all, csvButton('runs', () => [keys.map((key) => ({ start: 'start_ns', nanos: 'took_ns', total: 'reward' }[key] || key)),
      ...order.map(({ run }) => keys.map((key) => run[key]))]), scrolling(el('table', {},
      el('thead', {}, el('tr', {}, columns.map(([key, label]) => sortHeading(this, key, label, isText(key), resort)))),
      el('tbody', {}, order.slice(0, this.isWhole ? order.length : 20).map(({ run, number }) => el('tr', {},
        el('td', { class: 'text' }, el('button', { type: 'button', class: 'link', title: 'Show its steps', onclick: () => { this.choose(number); this.one.scrollIntoView({ block: 'nearest' }); } }, clip(run.id || '(no id)', 120))),
        el('td', { class: 'text' }, this.state(run)),
        el('td', {}, grouped(run.steps), run.errors > 0 && el('span', { class: 'mark' }, ' ▲ ' + grouped(run.errors))),
        el('td', {}, amount(run.total), bar((run.total || 0) / most)),
        numeric(amount(run.mean)), numeric(amount(run.best)), numeric(duration(run.nanos)), numeric(duration(run.start))))))),
    order.length > 20 && el('button', { type: 'button', class: 'more', onclick: () => { this.isWhole = !this.isWhole; this.showAll(); } },
      this.isWhole ? 'Show fewer' : `Show all ${grouped(order.length)}`));
  }

  draw() {
    if (byId('runs').hidden || !this.runs) return;
    if (this.chart.isConnected) this.drawRuns();
    if (this.curve.isConnected) this.drawCurve();
  }

  /** The common parts of both charts: numbers on the left, lines, and a context. */
  prepare(canvas, height, least, most, bottom) {
    const width = canvas.parentElement.clientWidth;
    const left = 60;
    const top = 8;
    const context = prepareCanvas(canvas, width, height);
    const colors = themeColors();
    const y = (value) => bottom - ((bottom - top) * (value - least)) / (most - least);
    context.font = '12px system-ui, sans-serif';
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const { value, text } of roundNumbers(least, most, 4)) {
      context.fillStyle = value === 0 ? colors.dim : colors.line;
      context.fillRect(left, Math.round(y(value)), width - left - 4, 1);
      context.fillStyle = colors.dim;
      context.fillText(text, left - 8, y(value));
    }
    return { context, colors, left, plot: width - left - 4, y, width };
  }

  drawRuns() {
    if (this.chart.parentElement.clientWidth <= 0) return;
    const totals = this.runs.map((run) => run.total || 0);
    const least = Math.min(0, ...totals);
    const most = Math.max(least === 0 ? Number.MIN_VALUE : 0, ...totals);
    const { context, colors, left, plot, y } = this.prepare(this.chart, RUNS_HEIGHT, least, most, RUNS_HEIGHT - 22);
    const slot = plot / this.runs.length;
    const gap = slot > 6 ? Math.min(4, slot * 0.2) : 0;
    this.runs.forEach((run, i) => {
      const x = left + i * slot;
      const w = Math.max(slot - gap, 0.7);
      const value = y(run.total || 0);
      context.fillStyle = run.state === 'failed' ? colors.error : run.state === 'completed' ? colors.accent : colors.dim;
      context.fillRect(x, Math.min(value, y(0)), w, Math.max(1, Math.abs(value - y(0))));
      if (run.state === 'failed' && w > 4) triangle(context, x + w / 2, RUNS_HEIGHT - 14, colors.error, 4);
      if (i === this.chosen) {
        context.strokeStyle = colors.ink;
        context.lineWidth = 2;
        context.strokeRect(x - 1, Math.min(value, y(0)) - 1, w + 2, Math.abs(value - y(0)) + 2);
      }
    });
  }

  runAt(event) {
    const box = this.chart.getBoundingClientRect();
    const run = Math.floor(((event.clientX - box.left - 60) / (box.width - 64)) * this.runs.length);
    return run >= 0 && run < this.runs.length ? run : -1;
  }

  runWords(run) {
    return [el('b', {}, clip(run.id || '(no id)', 80)), el('div', {}, STATE_MARKS[run.state] + run.state + ', reward ' + amount(run.total)),
      el('div', {}, count(run.steps, 'step') + ' in ' + duration(run.nanos))];
  }

  pointRun(event) {
    const at = this.runAt(event);
    this.chart.style.cursor = at >= 0 ? 'pointer' : 'default';
    if (at < 0) tip.hide();
    else tip.show(event.clientX, event.clientY, ...this.runWords(this.runs[at]));
  }

  keyRun(event) {
    const move = { ArrowLeft: -1, ArrowRight: 1, Home: -this.chosen, End: this.runs.length - 1 - this.chosen }[event.key];
    if (move === undefined) return;
    event.preventDefault();
    this.choose(Math.max(0, Math.min(this.runs.length - 1, this.chosen + move)));
    const box = this.chart.getBoundingClientRect();
    tip.show(box.left + 60 + ((this.chosen + 0.5) * (box.width - 64)) / this.runs.length, box.top + 30, ...this.runWords(this.runs[this.chosen]));
  }

  drawCurve() {
    const run = this.runs[this.chosen];
    if (this.curve.parentElement.clientWidth <= 0) return;
    const { least, most } = gainedRange([run]);
    const bottom = CURVE_HEIGHT - 56;
    const { context, colors, left, plot, y } = this.prepare(this.curve, CURVE_HEIGHT, least, most, bottom);
    const x = (nanos) => left + (plot * (nanos - run.start)) / Math.max(run.nanos, 1);
    context.strokeStyle = colors.accent;
    context.lineWidth = 2;
    context.beginPath();
    gainedLine(context, run, x, y);
    context.stroke();
    const isWide = plot / run.shown.length > 7;
    run.shown.forEach((step, i) => {
      const from = x(step.start);
      const end = x(step.start + step.nanos);
      const width = Math.max(end - from - (end - from > 4 ? 1 : 0), 1);
      context.fillStyle = step.isError ? colors.error : step.item >= 0 ? nameColor(app.model.name[step.item]) : colors.idle;
      context.fillRect(from, bottom + 12, width, 16);
      if (step.isError) triangle(context, from + width / 2, bottom + 20, width > 12 ? colors.card : colors.error, width > 12 ? 5 : 4);
      if (isWide || i === this.step) {
        context.fillStyle = step.isError ? colors.error : colors.accent;
        context.beginPath();
        context.arc(end, y(step.gained), i === this.step ? 5 : 3, 0, 7);
        context.fill();
      }
      if (i === this.step) {
        context.strokeStyle = colors.ink;
        context.strokeRect(from - 1, bottom + 11, width + 2, 18);
      }
    });
    context.fillStyle = colors.dim;
    context.textAlign = 'left';
    const tick = tickStep(run.nanos, plot / 110);
    for (let nanos = 0; nanos <= run.nanos; nanos += tick) {
      if (x(run.start + nanos) < left + plot - 30) context.fillText(tickLabel(nanos, tick), x(run.start + nanos), CURVE_HEIGHT - 10);
    }
  }

  /** The step below the pointer, or the nearest one. */
  stepAt(event) {
    const run = this.runs[this.chosen];
    const box = this.curve.getBoundingClientRect();
    const at = run.start + ((event.clientX - box.left - 60) / (box.width - 64)) * Math.max(run.nanos, 1);
    const away = (step) => Math.max(step.start - at, at - step.start - step.nanos, 0);
    let nearest = -1;
    run.shown.forEach((step, i) => { if (nearest < 0 || away(step) < away(run.shown[nearest])) nearest = i; });
    return nearest;
  }

  pointStep(event) {
    const at = this.stepAt(event);
    this.curve.style.cursor = 'pointer';
    if (at >= 0) tip.show(event.clientX, event.clientY, ...stepWords(this.runs[this.chosen], this.runs[this.chosen].shown[at]));
  }

  openStep(at) {
    if (at >= 0) app.timeline.reveal(this.runs[this.chosen].shown[at].item);
  }

  keyStep(event) {
    const run = this.runs[this.chosen];
    const move = { ArrowLeft: -1, ArrowRight: 1, Home: -run.shown.length, End: run.shown.length }[event.key];
    if (move) {
      this.step = Math.max(0, Math.min(run.shown.length - 1, this.step + move));
      this.drawCurve();
      const box = this.curve.getBoundingClientRect();
      const step = run.shown[this.step];
      tip.show(box.left + 60 + ((step.start + step.nanos - run.start) / Math.max(run.nanos, 1)) * (box.width - 64), box.top + 30, ...stepWords(run, step));
    } else if (event.key === 'Enter' && this.step >= 0) {
      this.openStep(this.step);
    } else {
      return;
    }
    event.preventDefault();
  }
}
