// Histograms of the durations of a name's spans: four classes for each doubling of the time.

const DURATIONS_HEIGHT = 190;

/** The lower bound of a class of times. */
const classStart = (number) => (number === 0 ? 0 : 2 ** (number / 4));

/** The counts of all classes from the first to the last non-empty one. */
function durationClasses(pairs) {
  const first = pairs[0];
  const counts = new Array(pairs[pairs.length - 2] - first + 1).fill(0);
  for (let i = 0; i < pairs.length; i += 2) counts[pairs[i] - first] = pairs[i + 1];
  return { first, counts };
}

/** The picture of a name's durations that fits into a table. */
function smallDurations(pairs) {
  const { first, counts } = durationClasses(pairs);
  const each = Math.max(1, Math.ceil(counts.length / 24));
  const bars = [];
  for (let i = 0; i < counts.length; i += each) bars.push(counts.slice(i, i + each).reduce((a, b) => a + b, 0));
  const most = Math.max(...bars);
  return el('span', { class: 'small-durations', 'aria-hidden': 'true', title: `${duration(classStart(first))} to ${duration(classStart(first + counts.length))}` },
    bars.map((bar) => el('i', { style: { height: bar === 0 ? '0' : Math.max(8, (100 * bar) / most) + '%' } })));
}

/** The ticks of a logarithmic axis of durations below a chart, as many as fit. */
function durationTicks(context, colors, { x, left, plot, bottom, least, most }) {
  context.fillStyle = colors.dim;
  context.textAlign = 'center';
  let free = left - 20;
  for (const nanos of logTicks(Math.max(1, least), most)) {
    const text = duration(nanos).replace(/\.0+(?= )/, '');
    const half = context.measureText(text).width / 2;
    const at = Math.min(Math.max(x(nanos), left + half), left + plot - half);
    if (at - half < free) continue;
    context.fillRect(Math.round(x(nanos)), bottom, 1, 4);
    context.fillText(text, at, bottom + 13);
    free = at + half + 10;
  }
}

/** The durations of one name: a bar for each class; a click finds its spans. */
class DurationsChart {
  constructor(name, number) {
    this.name = name;
    this.number = number;
    this.chosen = -1;
    Object.assign(this, durationClasses(name.durations));
    this.canvas = el('canvas', {
      tabindex: '0', role: 'img',
      'aria-label': `How long ${clip(app.model.nameOf(number), 100)} took: the median is ${duration(name.p50)}, 95 % took at most ${duration(name.p95)}, 99 % at most ${duration(name.p99)}, the longest ${duration(name.max)}. Left and right choose a class, Enter finds its spans.`,
      onpointermove: (event) => this.point(event), onpointerleave: () => tip.hide(),
      onclick: (event) => this.open(this.classAt(event)), onkeydown: (event) => this.key(event),
      onblur: () => { tip.hide(); this.chosen = -1; this.draw(); },
    });
    this.box = el('div', { class: 'durations' },
      el('p', { class: 'why' }, `How long each took, on a logarithmic axis: p50 ${duration(name.p50)}, p95 ${duration(name.p95)}, p99 ${duration(name.p99)}, the longest ${duration(name.max)}. A click on a bar finds its spans in the timeline.`),
      this.canvas);
    this.percentiles = new PercentilesChart(number);
    if (this.percentiles.box) this.box.append(this.percentiles.box);
    this.box.prepend(pngButton('durations', () => [this.canvas, this.percentiles.canvas].filter(Boolean)));
  }

  geometry() {
    const width = Math.max(200, this.box.closest('.scroll').clientWidth - (innerWidth > 640 ? 50 : 36));
    const left = Math.max(46, 18 + 7 * grouped(2 * Math.max(...this.counts)).length); // the labels of the axis
    return { width, left, plot: width - left - 10, top: 52, bottom: DURATIONS_HEIGHT - 24 };
  }

  draw() {
    if (!this.box.isConnected) return;
    const { width, left, plot, top, bottom } = this.geometry();
    this.box.style.width = width + 'px';
    this.canvas.style.width = width + 'px';
    this.percentiles.draw(width);
    const context = prepareCanvas(this.canvas, width, DURATIONS_HEIGHT);
    const colors = themeColors();
    const { counts, first } = this;
    const most = Math.max(...counts);
    const step = Math.max(1, tickStep(most, 3));
    const end = Math.ceil(most / step) * step;
    const y = (number) => bottom - ((bottom - top) * number) / end;
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    for (let number = 0; number <= end; number += step) {
      context.fillStyle = colors.line;
      context.fillRect(left, Math.round(y(number)), plot, 1);
      context.fillStyle = colors.dim;
      context.fillText(grouped(number), left - 6, y(number));
    }
    const slot = plot / counts.length;
    counts.forEach((number, i) => {
      context.fillStyle = nameColor(this.number);
      if (number > 0) context.fillRect(left + i * slot, Math.min(y(number), bottom - 2), Math.max(1, slot - 1), Math.max(2, bottom - y(number)));
      if (i === this.chosen) {
        context.strokeStyle = colors.ink;
        context.lineWidth = 2;
        context.strokeRect(left + i * slot, top, Math.max(1, slot - 1), bottom - top);
      }
    });
    const x = (nanos) => left + Math.max(0, Math.min(1, (4 * Math.log2(Math.max(nanos, 1)) - first) / counts.length)) * plot;
    durationTicks(context, colors, { x, left, plot, bottom, least: classStart(this.first), most: classStart(this.first + counts.length) });
    ['p50', 'p95', 'p99'].forEach((key, i) => {
      const at = x(this.name[key]);
      const text = key + ' ' + duration(this.name[key]);
      const isRight = at + context.measureText(text).width + 8 > left + plot;
      context.fillStyle = colors.ink;
      context.fillRect(Math.round(at), 8 + i * 15, 1, bottom - 8 - i * 15);
      context.textAlign = isRight ? 'right' : 'left';
      context.fillText(text, at + (isRight ? -4 : 4), 9 + i * 15);
    });
  }

  classAt(event) {
    const { left, plot } = this.geometry();
    const share = (event.clientX - this.canvas.getBoundingClientRect().left - left) / plot;
    const at = Math.floor(share * this.counts.length);
    return at >= 0 && at < this.counts.length ? at : -1;
  }

  range(at) {
    return [classStart(this.first + at), classStart(this.first + at + 1)];
  }

  words(at) {
    const [from, to] = this.range(at);
    return [el('b', {}, `${duration(from)} to ${duration(to)}`), count(this.counts[at], 'span')];
  }

  point(event) {
    const at = this.classAt(event);
    if (at < 0) tip.hide();
    else tip.show(event.clientX, event.clientY, ...this.words(at));
  }

  key(event) {
    const move = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (move) {
      this.chosen = Math.max(0, Math.min(this.counts.length - 1, this.chosen + move));
      this.draw();
      const { left, plot } = this.geometry();
      const box = this.canvas.getBoundingClientRect();
      tip.show(box.left + left + ((this.chosen + 0.5) * plot) / this.counts.length, box.top + 60, ...this.words(this.chosen));
    } else if (event.key === 'Enter' && this.chosen >= 0) {
      this.open(this.chosen);
    } else {
      return;
    }
    event.preventDefault();
  }

  open(at) {
    if (at < 0) return;
    const [from, to] = this.range(at);
    tip.hide();
    app.timeline.fit();
    app.timeline.find({ name: this.name.name, from: Math.ceil(from), to: Math.ceil(to) }); // whole nanoseconds
    app.address.go('timeline');
  }
}
