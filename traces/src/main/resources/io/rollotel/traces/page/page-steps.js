// Steps over time: a bar for each, its phases stacked in the order in which they occur.

const CHART_HEIGHT = 240;
const REST = -2; // in place of a phase: in none of them
const UNLISTED = -3; // the phases that the legend does not list
const LISTED_PHASES = 12; // of the run, each a part of its own

/** Of fewer bars, each can be seen beside one that is much longer. */
const FEWEST_CUT = 10;

/**
 * The time up to which bars are drawn completely, so that a few very long ones do not flatten the
 * others.
 */
function usualMost(values) {
  const sorted = Float64Array.from(values).sort();
  if (sorted.length < FEWEST_CUT) return sorted[sorted.length - 1];
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))];
  const limit = Math.max(2 * at(0.9), 3 * at(0.5));
  const most = sorted[sorted.length - 1];
  return most <= limit ? most : sorted.filter((value) => value <= limit).at(-1);
}

/** For each value, the median of it and its neighbours. */
function runningMedian(values) {
  const reach = Math.max(2, Math.round(values.length / 40));
  return values.map((_, i) => {
    const near = values.slice(Math.max(0, i - reach), i + reach + 1).sort((a, b) => a - b);
    return (near[(near.length - 1) >> 1] + near[near.length >> 1]) / 2;
  });
}

/** The labels of an axis of this many steps: every second, fifth, tenth, … */
function roundEvery(least) {
  for (let power = 1; ; power *= 10) {
    for (const factor of [1, 2, 5]) if (factor * power >= least) return factor * power;
  }
}

/** The ticks of a logarithmic axis: powers of ten, and more between them if there are few. */
function logTicks(least, most) {
  const ticks = [];
  for (let power = 10 ** Math.floor(Math.log10(least)); power <= most; power *= 10) {
    for (const factor of most / least < 12 ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : most / least < 150 ? [1, 2, 5] : [1]) {
      if (factor * power >= least && factor * power <= most) ticks.push(factor * power);
    }
  }
  return ticks;
}

class StepsChart {
  constructor() {
    this.canvas = el('canvas', {
      tabindex: '0', role: 'img', 'aria-label': 'Steps over time, stacked by phase. Left and right choose a step, Enter shows it in the timeline, w shows what threads did in it.',
    });
    this.chosen = -1;
    this.isLog = false;
    this.isCut = true;
    this.phase = -1; // the only one that is shown
    this.listed = [];
    this.hovered = -1;
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerleave', () => tip.hide());
    this.canvas.addEventListener('click', (event) => this.open(this.barAt(event)));
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.canvas.addEventListener('blur', () => { tip.hide(); this.chosen = -1; this.draw(); });
  }

  show() {
    const { steps } = app.report;
    if (steps.bars.length < 2) {
      byId('steps').hidden = true;
      return;
    }
    this.listed = steps.phases.slice(0, LISTED_PHASES).map(({ name }) => name);
    if (this.phase >= 0 && !this.listed.includes(this.phase)) this.phase = -1;
    const what = steps.areTraces ? 'Traces over time' : 'Steps over time';
    const each = steps.together > 1 ? ` Each bar is the mean of ${steps.together}.` : '';
    const toggle = (id, text, label, flag) => el('button', {
      type: 'button', id, title: label, 'aria-pressed': String(this[flag]),
      onclick: (event) => { this[flag] = !this[flag]; event.currentTarget.setAttribute('aria-pressed', String(this[flag])); this.draw(); app.address.changed(); },
    }, text);
    this.cutButton = toggle('steps-cut', 'Cut the longest off', 'Bars that are many times as long as the others end at a jagged edge, with their time', 'isCut');
    fill(byId('steps'),
      el('h2', {}, what),
      el('p', { class: 'lead' }, `How long each took, and for what: ${this.shown(steps)}, the longest ${duration(steps.slowest[0].wall)}.${each} Choose one to see it in the timeline.`),
      el('div', { class: 'card' },
        el('div', { class: 'tools' },
          toggle('steps-log', 'Log scale', 'The height of a bar is the logarithm of its time; its colours are shares of it', 'isLog'), this.cutButton,
          csvButton(steps.areTraces ? 'traces' : 'steps', () => this.csv(steps.bars)), pngButton('steps', () => [this.canvas])),
        el('div', { class: 'chart' }, this.canvas),
        this.legend(steps)),
      !steps.areTraces && steps.count > 2 && el('details', { class: 'more' },
        el('summary', {}, 'The slowest steps'), this.slowest(steps)));
    this.draw();
  }

  /** An active run has another state. */
  renumber(numbers) {
    if (this.phase >= 0) this.phase = numbers.name(this.phase);
    this.hovered = -1; // the legend is rebuilt
    this.chosen = numbers.bar(this.chosen);
  }

  /**
   * Phases are highlighted while the pointer is over them, and shown alone while they are pressed.
   */
  legend(steps) {
    const phases = [...this.listed].sort((a, b) => app.colors.place(a) - app.colors.place(b));
    const names = phases.map((name) => [name, [swatch(name), line(clip(app.model.nameOf(name), 60))]]);
    if (steps.bars.some((bar) => this.others(bar) > 0)) names.push([UNLISTED, [el('span', { class: 'swatch others' }), 'phases that are not listed']]);
    names.push([REST, [el('span', { class: 'swatch rest' }), 'unattributed']]);
    const hover = (name) => () => { this.hovered = name; this.draw(); };
    const buttons = names.map(([name, content]) => el('button', {
      type: 'button', class: 'quiet', 'aria-pressed': String(this.phase === name), title: 'Show this alone',
      onpointerenter: hover(name), onpointerleave: hover(-1), onfocus: hover(name), onblur: hover(-1),
      onclick: () => {
        this.phase = this.phase === name ? -1 : name;
        buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(this.phase === names[i][0])));
        this.draw();
        app.address.changed();
      },
    }, content));
    return el('div', { class: 'legend', role: 'group', 'aria-label': 'Phases' }, buttons,
      steps.bars.length >= 10 && el('span', {}, el('span', { class: 'swatch trend' }), 'median of the neighbours'));
  }

  slowest(steps) {
    return el('div', { class: 'card' }, csvButton('slowest-steps', () => this.csv(steps.slowest)), scrolling(el('table', {},
      el('thead', {}, el('tr', {}, el('th', { class: 'text' }, 'Step'), el('th', {}, 'Took'),
        el('th', {}, 'Times the median'), el('th', { class: 'text' }, 'Longest phase'), el('th', {}, 'It took'))),
      el('tbody', {}, steps.slowest.slice(0, 10).map((step) => el('tr', {},
        el('td', { class: 'text' }, itemButton(step.item, upper(stepLabel(step))), ' ', traceButton(step.item, stepLabel(step))),
        el('td', {}, duration(step.wall)),
        el('td', {}, (step.wall / Math.max(1, steps.median)).toFixed(1)),
        el('td', { class: 'text' }, step.phases.length ? app.model.nameOf(step.phases[0]) : '–'),
        el('td', {}, step.phases.length ? duration(step.phases[1]) : '')))))));
  }

  /** How many steps the chart shows, in words. */
  shown(steps) {
    if (app.report.standsForTraces) return steps.areTraces ? 'the traces that were taken' : 'steps of the traces that were taken';
    return stepsWord(steps.count);
  }

  csv(bars) {
    const phases = [...this.listed].sort((a, b) => app.colors.place(a) - app.colors.place(b));
    return [['label', 'start_ns', 'steps', 'took_ns', ...phases.map((name) => app.model.nameOf(name) + '_ns'), 'phases_not_listed_ns', 'unattributed_ns'],
      ...bars.map((bar) => [bar.label, bar.start, bar.steps, bar.wall, ...phases.map((name) => {
        const at = bar.phases.findIndex((other, i) => i % 2 === 0 && other === name);
        return at < 0 ? 0 : bar.phases[at + 1];
      }), this.others(bar), bar.rest])];
  }

  geometry() {
    const width = this.canvas.parentElement.clientWidth;
    const left = 60;
    return { width, left, plot: width - left - 4, bottom: CHART_HEIGHT - 22, top: 24 };
  }

  /** The time of the phases that the legend does not list. */
  others(bar) {
    return bar.phases.reduce((left, nanos, i) => (i % 2 === 1 && this.listed.includes(bar.phases[i - 1]) ? left - nanos : left), bar.wall - bar.rest);
  }

  /**
   * The parts of a bar from below: pairs of a phase, or of none, and its mean time.
   *
   * @param isNamed whether the long ones among the phases that the legend does not list are apart
   */
  parts(bar, isNamed = false) {
    const { phase, listed } = this;
    const parts = [];
    let others = bar.wall - bar.rest;
    for (let p = 0; p < bar.phases.length; p += 2) {
      if (!isNamed && !listed.includes(bar.phases[p])) continue;
      parts.push([bar.phases[p], bar.phases[p + 1] / bar.steps]);
      others -= bar.phases[p + 1];
    }
    parts.sort((a, b) => app.colors.place(a[0]) - app.colors.place(b[0]));
    if (others > 0) parts.push([UNLISTED, others / bar.steps]);
    parts.push([REST, bar.rest / bar.steps]);
    return phase === -1 ? parts : parts.filter(([name]) => (name >= 0 && !listed.includes(name) ? UNLISTED : name) === phase);
  }

  /** The scale and its ticks. */
  scale(totals) {
    const { bottom, top } = this.geometry();
    const most = Math.max(...totals, 1);
    const usual = Math.max(usualMost(totals), 1);
    this.cutButton.hidden = this.isLog || usual === most;
    if (this.isLog) {
      const least = Math.max(1, Math.min(...totals.filter((nanos) => nanos > 0), most) / 2);
      const y = (nanos) => bottom - ((bottom - top) * Math.max(0, Math.log(Math.max(nanos, least) / least))) / Math.log(most / least);
      return { most, y, ticks: logTicks(least, most).map((nanos) => [nanos, duration(nanos)]) };
    }
    const step = tickStep(this.isCut ? usual : most, 4);
    const end = Math.ceil((this.isCut ? usual : most) / step) * step;
    const y = (nanos) => bottom - ((bottom - top) * Math.min(nanos, end)) / end;
    const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, i) => [i * step, tickLabel(i * step, step)]);
    return { most: end, y, ticks };
  }

  draw() {
    const { steps } = app.report;
    if (byId('steps').hidden || steps.bars.length < 2) return;
    const { width, left, plot, bottom } = this.geometry();
    if (width <= 0) return;
    const context = prepareCanvas(this.canvas, width, CHART_HEIGHT);
    const colors = themeColors();
    const stacks = steps.bars.map((bar) => this.parts(bar));
    const totals = stacks.map((parts) => parts.reduce((sum, [, nanos]) => sum + nanos, 0));
    const { most, y, ticks } = this.scale(totals);
    context.font = '12px system-ui, sans-serif';
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const [nanos, text] of ticks) {
      context.fillStyle = colors.line;
      context.fillRect(left, Math.round(y(nanos)), plot, 1);
      context.fillStyle = colors.dim;
      context.fillText(text, left - 8, y(nanos));
    }
    const slot = plot / steps.bars.length;
    const gap = slot > 6 ? Math.min(4, slot * 0.2) : slot > 3 ? 1 : 0;
    const w = Math.max(slot - gap, 0.7);
    let cut = 0;
    let free = left;
    stacks.forEach((parts, i) => {
      const x = left + i * slot;
      const total = totals[i];
      const top = y(total);
      // On a logarithmic axis, colours show shares; a bar that is cut off lacks its end.
      const at = (nanos) => (this.isLog ? bottom - ((bottom - top) * nanos) / Math.max(1, total) : y(nanos));
      let reached = 0;
      for (const [name, nanos] of parts) {
        context.globalAlpha = this.hovered === -1 || this.hovered === name ? 1 : 0.2;
        context.fillStyle = name === REST ? colors.idle : name === UNLISTED ? colors.dim : nameColor(name);
        context.fillRect(x, at(reached + nanos), w, at(reached) - at(reached + nanos));
        reached += nanos;
      }
      context.globalAlpha = 1;
      if (!this.isLog && total > most) {
        cut++;
        this.tear(context, colors, x, w, top);
        const text = duration(total);
        const from = Math.min(Math.max(x + w / 2 - context.measureText(text).width / 2, left), left + plot - context.measureText(text).width);
        if (from >= free) {
          context.textAlign = 'left';
          context.fillStyle = colors.ink;
          context.fillText(text, from, top - 12);
          free = from + context.measureText(text).width + 8;
        }
      }
      if (i === this.chosen) {
        context.strokeStyle = colors.ink;
        context.lineWidth = 2;
        context.strokeRect(x - 1, top - 1, w + 2, bottom - top + 2);
      }
    });
    if (totals.length >= 10) this.trend(context, colors, totals, (i) => left + i * slot + w / 2, y);
    this.stepLabels(context, colors, slot);
    this.canvas.dataset.cut = cut; // for tests
    this.canvas.dataset.most = most;
    this.canvas.dataset.order = stacks[0].map(([name]) => (name < -1 ? '' : app.model.nameOf(name))).join();
  }

  /** A torn edge below the top of a bar that is cut off. */
  tear(context, colors, x, w, top) {
    context.fillStyle = colors.card;
    const tooth = Math.max(2, Math.min(6, w / 3));
    for (let from = x; from < x + w; from += tooth) {
      const to = Math.min(from + tooth, x + w);
      context.beginPath();
      context.moveTo(from, top + 9);
      context.lineTo((from + to) / 2, top + 5);
      context.lineTo(to, top + 9);
      context.lineTo(to, top + 12);
      context.lineTo((from + to) / 2, top + 8);
      context.lineTo(from, top + 12);
      context.fill();
    }
  }

  /** Steps without the chosen phase have no part in it. */
  trend(context, colors, totals, x, y) {
    const bars = totals.map((_, i) => i).filter((i) => this.phase === -1 || totals[i] > 0);
    const medians = runningMedian(bars.map((i) => totals[i]));
    for (const [color, thick] of [[colors.card, 4], [colors.ink, 1.5]]) {
      context.strokeStyle = color;
      context.lineWidth = thick;
      context.globalAlpha = color === colors.card ? 0.6 : 1;
      context.beginPath();
      medians.forEach((nanos, i) => context.lineTo(x(bars[i]), y(nanos)));
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  /** Round numbers if steps have numbers, otherwise every nth step. */
  stepLabels(context, colors, slot) {
    const { steps } = app.report;
    const { left, plot } = this.geometry();
    const wide = steps.areTraces ? 96 : 58;
    const hasNumbers = steps.together === 1 && steps.bars.every((bar) => /^\d{1,9}$/.test(bar.label));
    const every = roundEvery(wide / slot);
    context.textAlign = 'center';
    context.fillStyle = colors.dim;
    steps.bars.forEach((bar, i) => {
      if ((hasNumbers ? Number(bar.label) : i) % every !== 0) return;
      const text = clip(bar.label !== '' && steps.together === 1 ? bar.label : duration(bar.start), steps.areTraces ? 14 : 9);
      const half = context.measureText(text).width / 2;
      const x = Math.max(left + half, Math.min(left + (i + 0.5) * slot, left + plot - half));
      context.fillText(text, x, CHART_HEIGHT - 9);
    });
  }

  barAt(event) {
    const { left, plot } = this.geometry();
    const x = event.clientX - this.canvas.getBoundingClientRect().left - left;
    const { bars } = app.report.steps;
    const bar = Math.floor((x / plot) * bars.length);
    return bar >= 0 && bar < bars.length ? bar : -1;
  }

  point(event) {
    const bar = this.barAt(event);
    if (bar < 0) tip.hide();
    else tip.show(event.clientX, event.clientY, ...this.words(app.report.steps.bars[bar]));
  }

  words(bar) {
    const several = bar.steps > 1 ? `, the longest of ${bar.steps}` : '';
    const parts = this.parts(bar, true).filter(([, nanos]) => nanos > 0).reverse(); // as they are stacked
    const mark = (name) => (name === REST ? el('span', { class: 'swatch rest' }) : this.listed.includes(name) ? swatch(name) : el('span', { class: 'swatch others' }));
    const text = (name) => (name === REST ? 'unattributed' : name === UNLISTED ? 'phases that are not listed' : clip(app.model.nameOf(name), 60));
    return [el('b', {}, upper(stepLabel(bar)) + several + ': ' + duration(bar.wall / bar.steps) + (bar.steps > 1 ? ' on average' : '')),
      ...parts.map(([name, nanos]) => el('div', {}, mark(name), ' ', text(name) + ' ' + duration(nanos)))];
  }

  key(event) {
    const { bars } = app.report.steps;
    const move = { ArrowLeft: -1, ArrowRight: 1, Home: -bars.length, End: bars.length }[event.key];
    if (move) {
      this.chosen = Math.max(0, Math.min(bars.length - 1, this.chosen + move));
      this.draw();
      const { left, plot } = this.geometry();
      const box = this.canvas.getBoundingClientRect();
      tip.show(box.left + left + ((this.chosen + 0.5) * plot) / bars.length, box.top + 40, ...this.words(bars[this.chosen]));
    } else if (event.key === 'Enter' && this.chosen >= 0) {
      this.open(this.chosen);
    } else if (event.key === 'w' && this.chosen >= 0 && app.profile.hasSteps()) {
      app.profile.showStep(this.chosen);
    } else {
      return;
    }
    event.preventDefault();
  }

  open(bar) {
    if (bar >= 0) app.timeline.reveal(app.report.steps.bars[bar].item);
  }

  // Its part of the address.

  save(parameters) {
    if (this.isLog) parameters.set('steps', 'log');
    else if (!this.isCut) parameters.set('steps', 'whole');
    if (this.phase === UNLISTED) parameters.set('phases', 'unlisted');
    if (this.phase >= 0 || this.phase === REST) parameters.set('phase', this.phase === REST ? '' : app.model.nameOf(this.phase));
  }

  restore(parameters) {
    this.isLog = parameters.get('steps') === 'log';
    this.isCut = parameters.get('steps') !== 'whole';
    const phase = parameters.get('phase');
    const number = phase === null ? -1 : numberOfName(app.model, phase);
    const isOfUnlisted = parameters.get('phases') === 'unlisted' && app.report.steps.bars.some((bar) => this.others(bar) > 0);
    this.phase = isOfUnlisted ? UNLISTED : phase === '' ? REST : this.listed.includes(number) ? number : -1; // no bar has a name that is no phase
    this.show();
  }
}
