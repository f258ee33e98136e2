// How the durations of a name went over the run: percentiles for each step, or for stretches of time
// where there are no steps, and the slowest spans.

const PERCENTILES_HEIGHT = 210;
const MOST_SLICES = 240;
const SLOWEST_DOTS = 12;

/** The nearest-rank percentile of sorted values, as in the report. */
const percentileOf = (sorted, percents) => sorted[Math.max(1, Math.ceil((sorted.length * percents) / 100)) - 1];

/**
 * The items of a name by slices.
 *
 * @param sliceOf gives an item's slice, -1 for none
 * @returns of each slice how many, p50, p95, the longest and its item, null where it has none;
 *     the slowest of all slices; and how many items are in no slice
 */
function durationsBySlice(model, name, slices, sliceOf) {
  const items = Array.from({ length: slices }, () => []);
  let outside = 0;
  for (let item = 0; item < model.ended; item++) {
    if (model.name[item] !== name || model.flags[item] & DISPATCH) continue;
    const slice = sliceOf(item);
    if (slice < 0) outside++;
    else items[slice].push(item);
  }
  const nanos = (item) => model.end[item] - model.start[item];
  const slower = (a, b) => nanos(b) - nanos(a) || model.start[a] - model.start[b] || a - b;
  const rows = items.map((some) => {
    if (some.length === 0) return null;
    some.sort(slower);
    const sorted = some.map(nanos).reverse();
    return { count: some.length, p50: percentileOf(sorted, 50), p95: percentileOf(sorted, 95), max: nanos(some[0]), item: some[0] };
  });
  const slowest = items.flatMap((some, slice) => some.slice(0, SLOWEST_DOTS).map((item) => ({ item, slice, nanos: nanos(item) })))
    .sort((a, b) => slower(a.item, b.item)).slice(0, SLOWEST_DOTS);
  return { rows, slowest, outside };
}

/** The slices of a run: each step or several, or stretches of equal time; null where nothing is exact. */
function slicesOfRun(report, model) {
  if (!model.isEverySpan) return null;
  const { steps } = report;
  const known = steps.areTraces || steps.bars.length < 2 ? null : stepsOfItems(model);
  const read = steps.bars.reduce((sum, bar) => sum + bar.steps, 0);
  if (known && known.steps.length === read) {
    const together = steps.together * Math.ceil(steps.bars.length / MOST_SLICES);
    const first = (slice) => steps.bars[(slice * together) / steps.together];
    return {
      count: Math.ceil(read / together), together,
      of: (item) => (known.of[item] < 0 ? -1 : Math.floor(known.of[item] / together)),
      tick: (slice) => first(slice).label || duration(first(slice).start),
      label: (slice) => stepLabel(first(slice)) + (together > 1 ? ` and the next ${together - 1}` : ''),
      outside: 'in no step',
    };
  }
  const each = Math.max(1, (model.wall - model.first) / 60);
  const start = (slice) => model.first + slice * each;
  return {
    count: 60, together: 0,
    of: (item) => Math.max(0, Math.min(59, Math.floor((model.start[item] - model.first) / each))),
    tick: (slice) => duration(start(slice)),
    label: (slice) => `begun from ${duration(start(slice))} to ${duration(start(slice + 1))}`,
    outside: '',
  };
}

/** The percentiles of one name's durations over the run. */
class PercentilesChart {
  constructor(number) {
    const { report, model } = app;
    this.number = number;
    this.slices = slicesOfRun(report, model);
    this.chosen = -1;
    const by = report.steps.areTraces || this.slices?.together === 0 ? 'over time' : 'by step';
    if (!this.slices) {
      this.box = el('p', { class: 'hint' }, `Percentiles by step are not known here: ${report.selection ? 'the page has spans of chosen traces alone' : 'neighbouring spans are drawn as one on this page'}.`);
      return;
    }
    Object.assign(this, durationsBySlice(model, number, this.slices.count, this.slices.of));
    if (this.rows.filter(Boolean).length < 2) {
      this.box = null; // one slice has nothing to compare
      return;
    }
    this.canvas = el('canvas', {
      tabindex: '0', role: 'img', 'aria-label': `Durations of ${clip(model.nameOf(number), 100)} ${by}: p50, p95 and the longest. Left and right choose, Enter shows the slowest span in the timeline.`,
      onpointermove: (event) => this.point(event), onpointerleave: () => tip.hide(), onclick: (event) => this.click(event),
      onkeydown: (event) => this.key(event), onblur: () => { tip.hide(); this.chosen = -1; this.draw(); },
    });
    this.said = el('p', { class: 'hint', role: 'status' });
    this.box = el('div', { class: 'percentiles' },
      el('p', { class: 'why' }, `${upper(by)}: the line is p50, the band goes to p95, the thin line is the longest. The dots are the slowest ${grouped(this.slowest.length)}; a click shows the span in the timeline.`
        + (this.slices.together > 1 ? ` ${grouped(this.slices.together)} steps together.` : '')
        + (this.outside > 0 ? ` ${count(this.outside, 'span')} in no step ${this.outside === 1 ? 'is' : 'are'} not here.` : '')
        + (report.standsForTraces ? ' Of the traces that were taken.' : '')),
      this.canvas, this.said);
  }

  geometry() {
    const width = Number.parseFloat(this.canvas.style.width) || 600;
    return { width, left: 60, plot: width - 60 - 10, top: 10, bottom: PERCENTILES_HEIGHT - 24 };
  }

  /** Where times lie: on a logarithmic axis where they differ much. */
  scale() {
    const { top, bottom } = this.geometry();
    const rows = this.rows.filter(Boolean);
    const most = Math.max(1, ...rows.map((row) => row.max));
    const least = Math.max(1, Math.min(...rows.map((row) => row.p50)));
    if (most > 8 * least) {
      const from = least / 1.5;
      const high = Math.log(most / from);
      return { y: (nanos) => bottom - ((bottom - top) * Math.max(0, Math.log(Math.max(nanos, from) / from))) / high, ticks: logTicks(from, most).map((nanos) => [nanos, duration(nanos).replace(/\.0+(?= )/, '')]) };
    }
    const step = tickStep(most, 4);
    const end = Math.ceil(most / step) * step;
    return { y: (nanos) => bottom - ((bottom - top) * nanos) / end, ticks: Array.from({ length: Math.round(end / step) + 1 }, (_, i) => [i * step, tickLabel(i * step, step)]) };
  }

  draw(width) {
    if (!this.canvas) return;
    if (width) this.canvas.style.width = width + 'px';
    const { width: wide, left, plot, top, bottom } = this.geometry();
    const context = prepareCanvas(this.canvas, wide, PERCENTILES_HEIGHT);
    const colors = themeColors();
    const { y, ticks } = this.scale();
    const x = (slice) => this.x(slice);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    let free = Infinity;
    for (const [nanos, text] of ticks) {
      context.fillStyle = colors.line;
      context.fillRect(left, Math.round(y(nanos)), plot, 1);
      if (y(nanos) > free) continue;
      free = y(nanos) - 14;
      context.fillStyle = colors.dim;
      context.fillText(text, left - 8, y(nanos));
    }
    const every = roundEvery(64 / (plot / this.slices.count));
    context.textAlign = 'center';
    for (let slice = 0; slice < this.slices.count; slice += every) {
      const text = clip(this.slices.tick(slice), 9);
      const half = context.measureText(text).width / 2;
      context.fillText(text, Math.max(left + half, Math.min(x(slice), left + plot - half)), bottom + 13);
    }
    for (const run of this.runs()) {
      context.fillStyle = nameColor(this.number);
      context.globalAlpha = 0.35;
      context.beginPath();
      run.forEach((slice) => context.lineTo(x(slice), y(this.rows[slice].p50)));
      [...run].reverse().forEach((slice) => context.lineTo(x(slice), y(this.rows[slice].p95)));
      context.fill();
      context.globalAlpha = 1;
      this.line(context, colors.dim, 1, run, (row) => y(row.max), x);
      this.line(context, colors.ink, 2, run, (row) => y(row.p50), x);
    }
    for (const { slice, nanos } of this.slowest) this.dot(context, colors.card, colors.error, x(slice), y(nanos));
    if (this.chosen >= 0) {
      context.strokeStyle = colors.ink;
      context.lineWidth = 1;
      context.strokeRect(x(this.chosen) - 3, top, 6, bottom - top);
    }
    this.canvas.dataset.slices = this.slices.count; // for tests
  }

  x(slice) {
    const { left, plot } = this.geometry();
    return left + ((slice + 0.5) * plot) / this.slices.count;
  }

  /** Slices that have something, as far as they are neighbours. */
  runs() {
    const runs = [];
    let run = null;
    this.rows.forEach((row, slice) => {
      if (!row) run = null;
      else if (run) run.push(slice);
      else runs.push((run = [slice]));
    });
    return runs;
  }

  line(context, color, thick, run, height, x) {
    context.strokeStyle = color;
    context.lineWidth = thick;
    context.beginPath();
    for (const slice of run) context.lineTo(x(slice), height(this.rows[slice]));
    if (run.length === 1) context.lineTo(x(run[0]) + 2, height(this.rows[run[0]])); // or it would not be seen
    context.stroke();
  }

  dot(context, edge, color, x, y) {
    context.beginPath();
    context.arc(x, y, 4, 0, 2 * Math.PI);
    context.fillStyle = color;
    context.fill();
    context.strokeStyle = edge;
    context.lineWidth = 1.5;
    context.stroke();
  }

  /** The dot below the pointer, or else the slice. */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const px = event.clientX - box.left;
    const py = event.clientY - box.top;
    const { y } = this.scale();
    const reach = event.pointerType === 'touch' ? 14 : 7;
    const dot = this.slowest.find(({ slice, nanos }) => Math.hypot(this.x(slice) - px, y(nanos) - py) <= reach);
    const { left, plot } = this.geometry();
    const slice = Math.floor(((px - left) / plot) * this.slices.count);
    return { dot, slice: this.rows[slice] ? slice : -1 };
  }

  words(slice) {
    const row = this.rows[slice];
    return `${upper(this.slices.label(slice))}: ${count(row.count, 'span')}, p50 ${duration(row.p50)}, p95 ${duration(row.p95)}, the longest ${duration(row.max)}`;
  }

  point(event) {
    const { dot, slice } = this.at(event);
    this.canvas.style.cursor = dot || slice >= 0 ? 'pointer' : 'default';
    if (dot) tip.show(event.clientX, event.clientY, el('b', {}, duration(dot.nanos)), upper(this.slices.label(dot.slice)) + ', ' + clipMiddle(app.model.shortWorker(app.model.rows[app.model.rowOf(dot.item)].worker), 80));
    else if (slice >= 0) tip.show(event.clientX, event.clientY, this.words(slice));
    else tip.hide();
  }

  click(event) {
    const { dot, slice } = this.at(event);
    tip.hide();
    if (dot) app.timeline.reveal(dot.item);
    else if (slice >= 0) app.timeline.reveal(this.rows[slice].item);
  }

  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    const there = this.rows.map((row, slice) => (row ? slice : -1)).filter((slice) => slice >= 0);
    if (by) {
      const place = Math.max(0, Math.min(there.length - 1, there.indexOf(this.chosen) + by));
      this.chosen = there[place];
      this.draw();
      this.said.textContent = this.words(this.chosen) + '.';
    } else if (event.key === 'Enter' && this.chosen >= 0) {
      app.timeline.reveal(this.rows[this.chosen].item);
    } else {
      return;
    }
    event.preventDefault();
  }
}
