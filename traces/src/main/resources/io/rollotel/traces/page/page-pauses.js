// When processes stood still: marks above their lanes.

const MARK_HEIGHT = 8;
const MARK_ROOM = MARK_HEIGHT + 2;

/** A mark is at least so high, and one of so many levels: equal neighbours are drawn as one. */
const MARK_LEVELS = 4;

/** The first number of a sorted array that is greater, by its place. */
function firstGreater(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A moment as people find it: in its step, or in the run. */
function placeInRun(report, nanos) {
  const { areTraces, together, bars } = report.steps;
  const step = areTraces || together > 1 ? undefined : bars.find((bar) => bar.start <= nanos && nanos < bar.start + bar.wall);
  if (!step) return nanos < 0 ? duration(-nanos) + ' before the run' : duration(nanos) + ' into the run';
  return `${duration(nanos - step.start)} into ${step.label === '' ? 'the step' : 'step ' + clip(step.label, 40)}`;
}

class Pauses {
  /** @param bytes undefined where the run has no profile */
  constructor(report, bytes) {
    this.report = report;
    this.byWorker = new Map();
    const numbers = new Numbers(bytes || []);
    while (!numbers.isAtEnd()) {
      const worker = numbers.next();
      const size = numbers.next();
      const pauses = { start: new Float64Array(size), end: new Float64Array(size), activity: new Uint8Array(size), reason: new Uint16Array(size) };
      let reached = 0;
      for (let i = 0; i < size; i++) {
        pauses.start[i] = reached + numbers.signed();
        reached = pauses.start[i] + numbers.next();
        pauses.end[i] = reached;
        pauses.activity[i] = numbers.next();
        pauses.reason[i] = numbers.next();
      }
      this.byWorker.set(worker, pauses);
    }
    this.activities = [...new Set([...this.byWorker.values()].flatMap((pauses) => [...new Set(pauses.activity)]))].sort((a, b) => a - b);
  }

  get isEmpty() {
    return this.byWorker.size === 0;
  }

  has(worker) {
    return this.byWorker.has(worker);
  }

  /** Draws the marks of a lane: as high as the part of a pixel's time in which the process stood still. */
  draw(painter, lane, y) {
    const pauses = this.byWorker.get(lane.worker);
    if (!pauses) return;
    const { view, width } = painter;
    const bottom = y + lane.marksTop + MARK_HEIGHT;
    const perPixel = 1 / painter.perNano;
    let piece = null;
    const flush = () => {
      if (piece) this.mark(painter, piece.from, piece.to, bottom, piece.level, piece.activity);
      piece = null;
    };
    let i = firstGreater(pauses.end, view.from);
    while (i < pauses.start.length && pauses.start[i] < view.to) {
      const from = Math.max(painter.x(pauses.start[i]), view.left);
      const to = Math.min(painter.x(pauses.end[i]), width);
      if (to - from >= NARROW) {
        flush();
        this.mark(painter, from, to, bottom, MARK_LEVELS, pauses.activity[i]);
        this.shade(painter, from, to, bottom, y + lane.height - 1, pauses.activity[i]);
        i++;
        continue;
      }
      const column = Math.floor(from);
      const next = view.from + (column + 1 - view.left) * perPixel;
      const times = new Map();
      let time = 0;
      do {
        const nanos = pauses.end[i] - pauses.start[i];
        times.set(pauses.activity[i], (times.get(pauses.activity[i]) || 0) + nanos);
        time += nanos;
        i++;
      } while (i < pauses.start.length && pauses.start[i] < next && pauses.end[i] - pauses.start[i] < NARROW * perPixel);
      const level = Math.max(1, Math.min(MARK_LEVELS, Math.ceil((time / perPixel) * MARK_LEVELS)));
      const activity = [...times].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
      if (piece && piece.to === column && piece.level === level && piece.activity === activity) {
        piece.to = column + 1;
      } else {
        flush();
        piece = { from: column, to: column + 1, level, activity };
      }
    }
    flush();
    if (view.pause && view.pause.worker === lane.worker) this.frame(painter, pauses, bottom);
  }

  mark(painter, from, to, bottom, level, activity) {
    const height = (MARK_HEIGHT * level) / MARK_LEVELS;
    painter.context.fillStyle = ACTIVITY_COLORS[activity];
    painter.context.fillRect(from, bottom - height, Math.max(1, to - from), height);
    painter.rectangles++;
  }

  /** The spans that stood still are below the mark. */
  shade(painter, from, to, top, bottom, activity) {
    painter.context.globalAlpha = 0.18;
    painter.context.fillStyle = ACTIVITY_COLORS[activity];
    painter.context.fillRect(from, top, to - from, bottom - top);
    painter.context.globalAlpha = 1;
    painter.rectangles++;
  }

  /** Around what was chosen. */
  frame(painter, pauses, bottom) {
    const { context, colors, view } = painter;
    const from = painter.x(pauses.start[view.pause.first]);
    const to = painter.x(pauses.end[view.pause.last - 1]);
    if (to < view.left || from > painter.width) return;
    context.strokeStyle = colors.ink;
    context.lineWidth = 2;
    context.strokeRect(Math.max(view.left, from) - 1, bottom - MARK_HEIGHT - 1, Math.min(to, painter.width) - Math.max(view.left, from) + 3, MARK_HEIGHT + 2);
  }

  /** Those of a worker that touch a stretch of time; null for none. */
  between(worker, from, to) {
    const pauses = this.byWorker.get(worker);
    if (!pauses) return null;
    const first = firstGreater(pauses.end, from);
    let last = first;
    while (last < pauses.start.length && pauses.start[last] < to) last++;
    return last > first ? { worker, first, last } : null;
  }

  /** The next of all, or the one before, after what was chosen or after a moment. */
  next(chosen, moment, by) {
    this.order ||= [...this.byWorker].flatMap(([worker, { start }]) => Array.from(start, (nanos, i) => [nanos, worker, i]))
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const { order } = this;
    const at = chosen ? order.findIndex(([, worker, i]) => worker === chosen.worker && i === chosen.first) : -1;
    const later = order.findIndex(([nanos]) => nanos >= moment);
    const place = at >= 0 ? at + by : later < 0 ? 0 : by < 0 ? later - 1 : later;
    const [, worker, i] = order[(place + order.length) % order.length];
    return { worker, first: i, last: i + 1 };
  }

  range({ worker, first, last }) {
    const { start, end } = this.byWorker.get(worker);
    return [start[first], end[last - 1]];
  }

  /** Some in words: GC pause, 41.0 ms, 0.20 s into step 7. */
  words({ worker, first, last }) {
    const pauses = this.byWorker.get(worker);
    const counts = new Map();
    let nanos = 0;
    for (let i = first; i < last; i++) {
      counts.set(pauses.activity[i], (counts.get(pauses.activity[i]) || 0) + 1);
      nanos += pauses.end[i] - pauses.start[i];
    }
    const where = placeInRun(this.report, pauses.start[first]);
    if (last - first === 1) {
      const reason = this.report.pauses.reasons[pauses.reason[first]];
      return `${this.word(pauses.activity[first])}, ${duration(nanos)}, ${where}` + (reason ? ` (${reason})` : '');
    }
    const kinds = [...counts].map(([activity, number]) => count(number, this.word(activity))).join(' and ');
    return `${kinds}, ${duration(nanos)} together, the first ${where}`;
  }

  /** The activity's word for one. */
  word(activity) {
    return this.report.profile.activities[activity].replace(/s$/, '');
  }

  /** What the marks mean, and how many of them the page has. */
  legend() {
    const { leftOut, count: shown } = this.report.pauses;
    return el('div', { class: 'legend', id: 'pause-legend' },
      el('span', {}, 'Marks above a lane, where its process stood still:'),
      this.activities.map((activity) => el('span', {},
        el('span', { class: 'swatch', style: { background: ACTIVITY_COLORS[activity] }, 'aria-hidden': 'true' }), this.word(activity))),
      leftOut > 0 && el('span', {}, `The ${grouped(shown)} longest of ${grouped(shown + leftOut)} pauses.`));
  }
}
