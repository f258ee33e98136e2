// A step of this run below the same step of the baseline: both from their start on, in one scale.

const PAIR_ROW = 18;
const PAIR_ROWS = 4; // of one worker; deeper calls have no room
const PAIR_LANES = 24;
const PAIR_STEPS_HEIGHT = 130;

/** What a worker is called in both runs: its service with its rank, or its place among those without one. */
function workerKeys(workers) {
  const places = new Map();
  const order = workers.map((_, i) => i).sort((a, b) => (workers[a].instance < workers[b].instance ? -1 : 1));
  const keys = [];
  for (const number of order) {
    const { service, rank } = workers[number];
    const place = places.get(service) || 0;
    if (rank === '') places.set(service, place + 1);
    keys[number] = rank !== '' ? `${service} · rank ${rank}` : place === 0 ? service : `${service} · ${place + 1}`;
  }
  return keys;
}

/** The bar of the other run that has the same label, or where none is labelled, the same place; -1 for none. */
function pairedBar(bars, others, bar) {
  const { label } = bars[bar];
  if (label !== '') return others.findIndex((other) => other.label === label);
  return bar < others.length && others[bar].label === '' ? bar : -1;
}

/**
 * The bar whose mean step has grown most since, in time: of those whose steps are on the page in
 * both runs, or where there are none, of those with a pair. The longest one where none has a pair.
 */
function mostGrown(bars, others) {
  const mean = (bar) => bar.wall / bar.steps;
  const pairs = bars.map((_, i) => pairedBar(bars, others, i));
  const isPaired = (i) => pairs[i] >= 0;
  const isShown = (i) => isPaired(i) && bars[i].item >= 0 && others[pairs[i]].item >= 0;
  const isCandidate = [isShown, isPaired].find((is) => bars.some((_, i) => is(i)));
  const growth = (i) => (!isCandidate ? mean(bars[i]) : isCandidate(i) ? mean(bars[i]) - mean(others[pairs[i]]) : -Infinity);
  return bars.reduce((best, _, i) => (growth(i) > growth(best) ? i : best), 0);
}

/** Why a step may not be on the page, where that has chosen traces of a run alone; '' where it has all. */
function chosenSteps(now, before) {
  const parts = [['this run', now], ['the other', before]].filter(([, { selection }]) => selection)
    .map(([words, { selection }]) => `${grouped(selection.traces)} of ${count(selection.ofTraces, 'trace')} of ${words}`);
  return parts.length === 0 ? '' : `The page has the spans of ${parts.join(' and ')}.`;
}

/** How long some intervals are together, where they overlap once. */
function unionNanos(intervals) {
  intervals.sort((a, b) => a[0] - b[0]);
  let [sum, reached] = [0, -Infinity];
  for (const [from, to] of intervals) {
    if (to <= reached) continue;
    sum += to - Math.max(from, reached);
    reached = to;
  }
  return sum;
}

/** Of each worker that takes part in a step its rows, and for how long it is at work, since the step's start. */
function lanesOfStep(model, keys, item) {
  const lanes = new Map();
  const [from, to] = [model.start[item], model.end[item]];
  for (const row of model.rows) {
    const key = keys[row.worker];
    if (row.isOpen || key === undefined) continue;
    const first = model.firstEndingAfter(row.first, row.last, from);
    if (first >= row.last || model.start[first] >= to) continue;
    if (!lanes.has(key)) lanes.set(key, { rows: [], work: [] });
    const lane = lanes.get(key);
    let last = first;
    while (last < row.last && model.start[last] < to) {
      if (row.depth === 0) lane.work.push([Math.max(model.start[last], from), Math.min(model.end[last], to)]);
      last++;
    }
    if (lane.rows.length < PAIR_ROWS) lane.rows.push({ first, last });
  }
  for (const lane of lanes.values()) lane.busy = unionNanos(lane.work);
  return lanes;
}

/**
 * The lanes that two steps have in common or alone: in the order of the workers, and of more than
 * have room those whose work differs most.
 */
function pairedLanes(now, before, drivers) {
  const work = (lanes, key) => lanes.get(key)?.busy ?? 0;
  const lanes = [...new Set([...now.keys(), ...before.keys()])].map((key) => ({
    key, isDriver: drivers.has(key), nowNanos: work(now, key), beforeNanos: work(before, key),
    rows: Math.max(now.get(key)?.rows.length ?? 0, before.get(key)?.rows.length ?? 0),
  }));
  const byName = (a, b) => b.isDriver - a.isDriver || a.key.localeCompare(b.key, 'en', { numeric: true });
  const difference = (lane) => Math.abs(lane.nowNanos - lane.beforeNanos);
  const shown = lanes.sort((a, b) => b.isDriver - a.isDriver || difference(b) - difference(a) || byName(a, b)).slice(0, PAIR_LANES);
  return { shown: shown.sort(byName), leftOut: lanes.length - shown.length };
}

class StepPair {
  /** @param view with the other run, as before */
  constructor(view) {
    this.view = view;
    this.bar = -1;
  }

  hasSteps() {
    const both = [app.report.steps, this.view.before.report.steps];
    return both.every((steps) => !steps.areTraces && steps.bars.length > 0);
  }

  show() {
    if (!this.hasSteps()) return null;
    const { bars } = app.report.steps;
    this.keys = { now: workerKeys(app.report.workers), before: workerKeys(this.view.before.report.workers) };
    this.drivers = new Set([[app.report, this.keys.now], [this.view.before.report, this.keys.before]]
      .flatMap(([report, keys]) => keys.filter((_, i) => report.workers[i].driver)));
    if (this.bar < 0 || this.bar >= bars.length) this.bar = mostGrown(bars, this.view.before.report.steps.bars);
    this.chart = el('canvas', { tabindex: '0', role: 'img', 'aria-label': 'The time of each step, in this run and in the other. Left and right choose a step.', onkeydown: (event) => this.key(event), onclick: (event) => this.choose(this.barAt(event)), onpointermove: (event) => this.point(event), onpointerleave: () => tip.hide() });
    this.choice = el('select', { 'aria-label': 'Step', onchange: (event) => this.choose(Number(event.target.value)) },
      bars.map((bar, i) => el('option', { value: String(i) }, upper(clip(stepLabel(bar), 40)))));
    const move = (by, sign, label) => el('button', { type: 'button', title: label, 'aria-label': label, onclick: () => this.choose(this.bar + by) }, sign);
    this.sides = ['before', 'now'].map((side) => {
      const canvas = el('canvas', { role: 'img', onpointermove: (event) => this.pointSpan(event, side), onpointerleave: () => tip.hide(), onclick: (event) => this.open(event, side) });
      return { side, canvas, title: el('p', { class: 'why' }) };
    });
    this.said = el('p', { class: 'hint', role: 'status' });
    this.table = el('div', {});
    return el('div', { class: 'card' },
      el('h3', {}, 'Steps side by side'),
      el('div', { class: 'chart' }, this.chart),
      el('div', { class: 'legend' }, el('span', {}, el('span', { class: 'swatch trend' }), 'before'), el('span', {}, el('span', { class: 'swatch now' }), 'now')),
      el('div', { class: 'tools next' }, el('div', { class: 'group' }, move(-1, '←', 'Previous step'), move(1, '→', 'Next step')), this.choice,
        el('button', { type: 'button', title: 'The step that has grown most', onclick: () => this.choose(mostGrown(bars, this.view.before.report.steps.bars)) }, 'Grown most'),
        pngButton('steps-side-by-side', () => this.sides.map(({ canvas }) => canvas))),
      this.sides.flatMap(({ title, canvas }) => [title, el('div', { class: 'chart pair' }, canvas)]),
      this.said,
      el('details', { class: 'more' }, el('summary', {}, 'Workers in this step'), this.table));
  }

  choose(bar) {
    const { bars } = app.report.steps;
    if (!(bar >= 0 && bar < bars.length)) return;
    this.bar = bar;
    this.draw();
    app.address.changed();
  }

  key(event) {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!move) return;
    this.choose(this.bar + move);
    event.preventDefault();
  }

  draw() {
    if (!this.chart?.isConnected || this.chart.parentElement.clientWidth <= 0) return;
    this.choice.value = String(this.bar);
    this.drawSteps();
    const others = this.view.before.report.steps.bars;
    const bar = app.report.steps.bars[this.bar];
    const pair = pairedBar(app.report.steps.bars, others, this.bar);
    const steps = {
      now: { model: app.model, item: bar.item, words: stepLabel(bar), run: 'Now' },
      before: { model: this.view.before.model, item: pair < 0 ? -1 : others[pair].item, words: pair < 0 ? '' : stepLabel(others[pair]), run: 'Before' },
    };
    for (const [side, step] of Object.entries(steps)) {
      step.lanes = step.item < 0 ? new Map() : lanesOfStep(step.model, this.keys[side], step.item);
      step.nanos = step.item < 0 ? 0 : step.model.end[step.item] - step.model.start[step.item];
    }
    const { shown, leftOut } = pairedLanes(steps.now.lanes, steps.before.lanes, this.drivers);
    this.lanes = shown;
    this.steps = steps;
    this.span = Math.max(steps.now.nanos, steps.before.nanos, 1);
    for (const { side, canvas, title } of this.sides) {
      const step = steps[side];
      title.textContent = step.item < 0 ? `${step.run}: ${side === 'before' && pair < 0 ? 'that run has no such step' : 'not on this page'}` : `${step.run}: ${clip(step.words, 60)}, ${duration(step.nanos)}`;
      canvas.setAttribute('aria-label', title.textContent + '. The table below has the time of each worker.');
      this.drawSide(canvas, side);
    }
    const [isNow, isBefore] = [steps.now.item >= 0, steps.before.item >= 0];
    const difference = isNow && isBefore ? (lane) => duration(lane.nowNanos - lane.beforeNanos) : () => '–';
    this.said.textContent = [
      leftOut > 0 ? `${count(leftOut, 'worker')} more took part; shown are the ${shown.length} whose work differs most.` : '',
      chosenSteps(app.report, this.view.before.report),
    ].join(' ').trim();
    fill(this.table, scrolling(el('table', {},
      el('thead', {}, el('tr', {}, el('th', { class: 'text' }, 'Worker'), el('th', {}, 'At work before'), el('th', {}, 'Now'), el('th', {}, 'Longer by'))),
      el('tbody', {}, shown.map((lane) => el('tr', {}, el('td', { class: 'text' }, clip(lane.key, 80)),
        numeric(isBefore ? duration(lane.beforeNanos) : '–'), numeric(isNow ? duration(lane.nowNanos) : '–'), numeric(difference(lane))))))));
  }

  /** The time of all steps, in both runs. */
  drawSteps() {
    const width = this.chart.parentElement.clientWidth;
    const context = prepareCanvas(this.chart, width, PAIR_STEPS_HEIGHT);
    const colors = themeColors();
    const { bars } = app.report.steps;
    const others = this.view.before.report.steps.bars;
    const [left, top, bottom] = [60, 8, PAIR_STEPS_HEIGHT - 20];
    const mean = (bar) => bar.wall / bar.steps;
    const paired = bars.map((_, i) => pairedBar(bars, others, i));
    const values = [...bars.map(mean), ...paired.filter((pair) => pair >= 0).map((pair) => mean(others[pair]))];
    const usual = Math.max(usualMost(values), 1);
    const step = tickStep(usual, 3);
    const end = Math.ceil(usual / step) * step;
    const y = (nanos) => bottom - ((bottom - top) * Math.min(nanos, end)) / end;
    this.slot = (width - left - 4) / bars.length;
    const x = (i) => left + (i + 0.5) * this.slot;
    context.font = '12px system-ui, sans-serif';
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (let nanos = 0; nanos <= end; nanos += step) {
      context.fillStyle = colors.line;
      context.fillRect(left, Math.round(y(nanos)), width - left - 4, 1);
      context.fillStyle = colors.dim;
      context.fillText(tickLabel(nanos, step), left - 8, y(nanos));
    }
    context.fillStyle = colors.soft;
    context.fillRect(left + this.bar * this.slot, top, Math.max(2, this.slot), bottom - top);
    const curve = (color, value) => {
      context.strokeStyle = context.fillStyle = color;
      context.lineWidth = 2;
      context.beginPath();
      bars.forEach((bar, i) => { if (value(bar, i) !== null) context.lineTo(x(i), y(value(bar, i))); });
      context.stroke();
      if (bars.length === 1 && value(bars[0], 0) !== null) context.fillRect(x(0) - 2, y(value(bars[0], 0)) - 2, 4, 4);
    };
    curve(colors.ink, (_, i) => (paired[i] < 0 ? null : mean(others[paired[i]])));
    curve(colors.accent, mean);
    context.fillStyle = colors.dim;
    context.textAlign = 'center';
    const every = roundEvery(58 / this.slot);
    bars.forEach((bar, i) => i % every === 0 && bar.label !== '' && context.fillText(clip(bar.label, 9), Math.max(left + 14, Math.min(x(i), width - 18)), PAIR_STEPS_HEIGHT - 8));
  }

  barAt(event) {
    const at = Math.floor((event.clientX - this.chart.getBoundingClientRect().left - 60) / this.slot);
    return at >= 0 && at < app.report.steps.bars.length ? at : -1;
  }

  point(event) {
    const at = this.barAt(event);
    if (at < 0) return tip.hide();
    const { bars } = app.report.steps;
    const others = this.view.before.report.steps.bars;
    const pair = pairedBar(bars, others, at);
    tip.show(event.clientX, event.clientY, el('b', {}, upper(clip(stepLabel(bars[at]), 60))),
      el('div', {}, 'before ' + (pair < 0 ? '–' : duration(others[pair].wall / others[pair].steps))), el('div', {}, 'now ' + duration(bars[at].wall / bars[at].steps)));
  }

  left(width) {
    return width > 640 ? 172 : 92;
  }

  /** One run's step; whatever its number of spans, at most one rectangle a pixel and row. */
  drawSide(canvas, side) {
    const width = canvas.parentElement.clientWidth;
    const { model, item, lanes } = this.steps[side];
    const heights = this.lanes.map((lane) => Math.max(1, lane.rows) * PAIR_ROW + 8);
    const context = prepareCanvas(canvas, width, Math.max(24, heights.reduce((a, b) => a + b, 0)));
    const colors = themeColors();
    const left = this.left(width);
    const x = (nanos) => left + ((nanos - model.start[item]) * (width - left)) / this.span;
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    let top = 0;
    this.lanes.forEach((lane, i) => {
      context.fillStyle = colors.line;
      context.fillRect(0, top + heights[i] - 1, width, 1);
      context.fillStyle = colors.ink;
      context.fillText(fitted(context, lane.key, left - 8), 0, top + 4 + PAIR_ROW / 2);
      (lanes.get(lane.key)?.rows ?? []).forEach((row, r) => {
        const y = top + 4 + r * PAIR_ROW;
        let free = -Infinity;
        for (let at = row.first; at < row.last; at++) {
          const from = Math.max(left, x(model.start[at]));
          const to = Math.min(width, x(model.end[at]));
          if (to < free + 1) continue;
          context.fillStyle = this.colorOf(model, at);
          context.fillRect(from, y, Math.max(1, to - from - (to - from > 3 ? 1 : 0)), PAIR_ROW - 2);
          free = to;
          if (to - from > 40) {
            const back = context.fillStyle;
            context.fillStyle = textColorOn(back);
            context.fillText(fitted(context, model.nameOf(model.name[at]), to - from - 8), from + 4, y + PAIR_ROW / 2 - 0.5);
          }
        }
      });
      top += heights[i];
    });
    if (item >= 0) {
      const end = x(model.end[item]);
      context.fillStyle = colors.path;
      context.fillRect(Math.min(end, width - 1), 0, 1, top);
    }
    canvas.dataset.lanes = this.lanes.map((lane) => lane.key).join('\n'); // for tests
  }

  /** By the name, whose number the other run's model does not know. */
  colorOf(model, item) {
    const number = model === app.model ? model.name[item] : this.view.numbers.get(model.nameOf(model.name[item]));
    return (number !== undefined && app.colors.byNumber[number]) || '#8993a3';
  }

  spanAt(event, side) {
    const { model, item, lanes } = this.steps[side];
    if (item < 0) return -1;
    const box = event.currentTarget.getBoundingClientRect();
    const left = this.left(box.width);
    const nanos = model.start[item] + ((event.clientX - box.left - left) * this.span) / (box.width - left);
    let y = event.clientY - box.top;
    for (const lane of this.lanes) {
      const height = Math.max(1, lane.rows) * PAIR_ROW + 8;
      const row = lanes.get(lane.key)?.rows[Math.floor((y - 4) / PAIR_ROW)];
      if (y >= 0 && y < height) {
        if (!row) return -1;
        const at = model.firstEndingAfter(row.first, row.last, nanos);
        return at < row.last && model.start[at] <= nanos ? at : -1;
      }
      y -= height;
    }
    return -1;
  }

  pointSpan(event, side) {
    const at = this.spanAt(event, side);
    if (at < 0) return tip.hide();
    const { model, item } = this.steps[side];
    tip.show(event.clientX, event.clientY, el('b', {}, clip(model.nameOf(model.name[at]), 100)),
      el('div', {}, `${duration(model.end[at] - model.start[at])}, ${duration(model.start[at] - model.start[item])} after the step began`));
  }

  /** This run's spans are in the timeline; the other's have no page here. */
  open(event, side) {
    const at = this.spanAt(event, side);
    if (at >= 0 && side === 'now') app.timeline.reveal(at);
  }

  save(parameters) {
    if (this.chart && this.bar !== mostGrown(app.report.steps.bars, this.view.before.report.steps.bars)) parameters.set('pair', barKey(app.report.steps.bars, this.bar));
  }

  restore(parameters) {
    if (!this.chart) return;
    const { bars } = app.report.steps;
    const key = parameters.get('pair');
    const bar = key === null ? mostGrown(bars, this.view.before.report.steps.bars) : barOfKey(bars, key);
    if (bar !== this.bar) this.choose(bar);
  }
}
