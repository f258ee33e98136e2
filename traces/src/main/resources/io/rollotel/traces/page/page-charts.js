// Steps over time, and who idled when.

const CHART_HEIGHT = 220;

class StepsChart {
  constructor() {
    this.canvas = el('canvas', {
      tabindex: '0', role: 'img', 'aria-label': 'Steps over time, stacked by phase. Left and right choose a step, Enter shows it in the timeline.',
    });
    this.chosen = -1;
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
    const what = steps.areTraces ? 'Traces over time' : 'Steps over time';
    const each = steps.together > 1 ? ` Each bar is the mean of ${steps.together}.` : '';
    const phases = steps.phases.slice(0, 8);
    fill(byId('steps'),
      el('h2', {}, what),
      el('p', { class: 'lead' }, `How long each took, and for what: ${stepsWord(steps.count)}, the longest ${duration(steps.slowest[0].wall)}.${each} Choose one to see it in the timeline.`),
      el('div', { class: 'card' },
        el('div', { class: 'chart' }, this.canvas),
        el('div', { class: 'legend' },
          phases.map((phase) => el('span', {}, swatch(phase.name), clip(app.model.nameOf(phase.name), 60))),
          el('span', {}, el('span', { class: 'swatch rest' }), 'in no phase'))),
      !steps.areTraces && steps.count > 2 && el('details', { class: 'more' },
        el('summary', {}, 'The slowest steps'), this.slowest(steps)));
    this.draw();
  }

  slowest(steps) {
    return el('div', { class: 'card' }, el('div', { class: 'scroll' }, el('table', {},
      el('thead', {}, el('tr', {}, el('th', { class: 'text' }, 'Step'), el('th', {}, 'Took'),
        el('th', {}, 'Times the median'), el('th', { class: 'text' }, 'Longest phase'), el('th', {}, 'It took'))),
      el('tbody', {}, steps.slowest.slice(0, 10).map((step) => el('tr', {},
        el('td', { class: 'text' }, itemButton(step.item, upper(stepLabel(step)))),
        el('td', {}, duration(step.wall)),
        el('td', {}, (step.wall / Math.max(1, steps.median)).toFixed(1)),
        el('td', { class: 'text' }, step.phases.length ? app.model.nameOf(step.phases[0]) : '–'),
        el('td', {}, step.phases.length ? duration(step.phases[1]) : '')))))));
  }

  geometry() {
    const width = this.canvas.parentElement.clientWidth;
    const left = 52;
    return { width, left, plot: width - left - 4, bottom: CHART_HEIGHT - 22, top: 8 };
  }

  draw() {
    const { steps } = app.report;
    if (byId('steps').hidden || steps.bars.length < 2) return;
    const { width, left, plot, bottom, top } = this.geometry();
    if (width <= 0) return;
    const context = prepareCanvas(this.canvas, width, CHART_HEIGHT);
    const colors = themeColors();
    const mean = (bar) => bar.wall / bar.steps;
    const most = Math.max(...steps.bars.map(mean), 1);
    const y = (nanos) => bottom - ((bottom - top) * nanos) / most;
    context.font = '12px system-ui, sans-serif';
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    const step = tickStep(most, 4);
    for (let nanos = 0; nanos <= most; nanos += step) {
      context.fillStyle = colors.line;
      context.fillRect(left, Math.round(y(nanos)), plot, 1);
      context.fillStyle = colors.dim;
      context.fillText(tickLabel(nanos, step), left - 8, y(nanos));
    }
    const slot = plot / steps.bars.length;
    const gap = slot > 6 ? Math.min(4, slot * 0.2) : slot > 3 ? 1 : 0;
    steps.bars.forEach((bar, i) => {
      const x = left + i * slot;
      const w = Math.max(slot - gap, 0.7);
      let reached = 0;
      for (let p = 0; p < bar.phases.length; p += 2) {
        const nanos = bar.phases[p + 1] / bar.steps;
        context.fillStyle = nameColor(bar.phases[p]);
        context.fillRect(x, y(reached + nanos), w, y(reached) - y(reached + nanos));
        reached += nanos;
      }
      context.fillStyle = colors.idle;
      context.fillRect(x, y(mean(bar)), w, y(reached) - y(mean(bar)));
      if (i === this.chosen) {
        context.strokeStyle = colors.ink;
        context.lineWidth = 2;
        context.strokeRect(x - 1, y(mean(bar)) - 1, w + 2, bottom - y(mean(bar)) + 2);
      }
    });
    context.textAlign = 'center';
    context.fillStyle = colors.dim;
    const every = Math.ceil((steps.areTraces ? 90 : 58) / slot);
    for (let i = 0; i < steps.bars.length; i += every) {
      const bar = steps.bars[i];
      const text = bar.label !== '' && steps.together === 1 ? bar.label : duration(bar.start);
      context.fillText(clip(text, steps.areTraces ? 14 : 9), Math.max(left + 20, left + (i + 0.5) * slot), CHART_HEIGHT - 9);
    }
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
    return [el('b', {}, upper(stepLabel(bar)) + several + ': ' + duration(bar.wall / bar.steps) + (bar.steps > 1 ? ' on average' : '')),
      ...bar.phases.flatMap((number, i) => i % 2 === 0 && i < 12
        ? [el('div', {}, clip(app.model.nameOf(number), 60) + ' ' + duration(bar.phases[i + 1] / bar.steps))]
        : [])];
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
    } else {
      return;
    }
    event.preventDefault();
  }

  open(bar) {
    if (bar >= 0) app.timeline.reveal(app.report.steps.bars[bar].item);
  }
}

/** A row for each worker, a column for each step or several: the darker, the longer idle. */
class IdleChart {
  constructor() {
    this.canvas = el('canvas', { role: 'img', 'aria-label': 'How much of each step each worker stood idle; the table has the totals.' });
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerleave', () => tip.hide());
  }

  geometry() {
    const { idle } = app.report.steps;
    const width = this.canvas.parentElement.clientWidth;
    const left = width > 640 ? 190 : 0;
    const row = width > 640 ? 22 : 38;
    return { idle, width, left, row, cells: idle[0].percents.length };
  }

  draw() {
    if (!this.canvas.isConnected) return;
    const { idle, width, left, row, cells } = this.geometry();
    if (width <= 0) return;
    const context = prepareCanvas(this.canvas, width, row * idle.length);
    const colors = themeColors();
    context.font = '12.5px system-ui, sans-serif';
    context.textBaseline = 'middle';
    const cell = (width - left) / cells;
    idle.forEach(({ worker, percents }, i) => {
      context.fillStyle = colors.ink;
      const label = clip(app.model.worker(worker), left ? 28 : 50);
      context.fillText(label, 0, i * row + (left ? row / 2 : 8));
      const top = i * row + (left ? 2 : 17);
      const height = left ? row - 4 : row - 21;
      percents.forEach((percents_, c) => {
        context.globalAlpha = 1;
        context.fillStyle = colors.soft;
        context.fillRect(left + c * cell, top, Math.max(cell - (cell > 4 ? 1 : 0), 0.7), height);
        if (percents_ <= 0) return;
        context.globalAlpha = percents_ / 100;
        context.fillStyle = colors.accent;
        context.fillRect(left + c * cell, top, Math.max(cell - (cell > 4 ? 1 : 0), 0.7), height);
      });
      context.globalAlpha = 1;
    });
  }

  point(event) {
    const { idle, left, row, cells, width } = this.geometry();
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left - left) / (width - left)) * cells);
    const at = idle[Math.floor((event.clientY - box.top) / row)];
    if (!at || column < 0 || column >= cells) return tip.hide();
    const { together, idleTogether, bars } = { ...app.report.steps, together: app.report.steps.together };
    const bar = bars[Math.floor((column * idleTogether) / together)];
    const percents = at.percents[column];
    tip.show(event.clientX, event.clientY, el('b', {}, clip(app.model.worker(at.worker), 80)),
      percents < 0 ? 'took no part' : `idle for ${percents}%`, bar ? ' · ' + stepLabel(bar) + (idleTogether > 1 ? ' and on' : '') : '');
  }
}
