// The call paths of some steps, or of one worker, instead of the whole run.

/**
 * Adds up the slices of call paths from one to another.
 *
 * @param bytes the packed data
 * @param size how many paths there are
 * @returns for each path, its count, total, self and errors
 */
function sumOfSlices(bytes, size, from, to) {
  const sums = Array.from({ length: size }, () => [0, 0, 0, 0]);
  const numbers = new Numbers(bytes);
  let slice = 0;
  while (!numbers.isAtEnd()) {
    slice += numbers.next();
    let path = 0;
    for (let left = numbers.next(); left > 0; left--) {
      path += numbers.next();
      const isWanted = slice >= from && slice <= to;
      for (let i = 0; i < 4; i++) {
        const value = numbers.next();
        if (isWanted) sums[path][i] += value;
      }
    }
    if (slice > to) break;
  }
  return sums;
}

/** The scope of the icicle: all, some steps, a worker. */
class CallSlice {
  /** @param changed called when the choice has changed */
  constructor(changed) {
    this.changed = changed;
    this.kind = 'all';
    this.from = 0;
    this.to = 0;
    this.worker = 0;
    this.kinds = el('select', { 'aria-label': 'Whose calls', id: 'calls-of', onchange: () => this.choose() });
    this.first = el('select', { 'aria-label': 'From', id: 'calls-from', onchange: () => this.choose(true) });
    this.last = el('select', { 'aria-label': 'To', id: 'calls-to', onchange: () => this.choose() });
    this.workers = el('select', { 'aria-label': 'Worker', id: 'calls-worker', onchange: () => this.choose() });
    this.between = el('span', { class: 'found' }, 'to');
    this.note = el('p', { class: 'hint' });
    this.tools = el('div', { class: 'tools' }, this.kinds, this.first, this.between, this.last, this.workers);
  }

  /** An active run has another state: what is no longer there cannot remain chosen. */
  renumber(numbers) {
    [this.from, this.to] = [numbers.bar(this.from), numbers.bar(this.to)];
    this.worker = numbers.worker(this.worker);
    if ((this.kind === 'steps' && this.from < 0) || (this.kind === 'worker' && this.worker < 0)) this.kind = 'all';
    if (this.from < 0) this.from = this.to = 0;
    this.worker = Math.max(0, this.worker);
  }

  /** Updates to a new state of the report. */
  show() {
    const { report } = app;
    const { bySteps, byWorkers } = report.calls;
    const what = report.steps.areTraces ? 'traces' : 'steps';
    const hasSteps = bySteps !== '' && report.steps.bars.length > 1;
    const hasWorkers = byWorkers !== '' && report.workers.length > 1;
    this.kinds.replaceChildren(el('option', { value: 'all' }, 'The whole run'),
      ...(hasSteps ? [el('option', { value: 'steps' }, upper(what))] : []), ...(hasWorkers ? [el('option', { value: 'worker' }, 'One worker')] : []));
    this.tools.hidden = !hasSteps && !hasWorkers;
    const bars = report.steps.bars.length;
    // An address may be of another run, and an active run may have other bars now.
    const isThere = { all: true, steps: hasSteps && this.to < bars, worker: hasWorkers && this.worker < report.workers.length };
    if (!isThere[this.kind]) this.kind = 'all';
    if (this.to >= bars) this.from = this.to = 0;
    if (this.worker >= report.workers.length) this.worker = 0;
    this.note.textContent = [
      report.selection ? 'Of a run that was read in parts there are the paths of the whole run alone, and of all its spans.' : '',
      !report.selection && bySteps === '' && report.steps.bars.length > 1 ? `By ${what} there are too many paths for this page.` : '',
      !report.selection && byWorkers === '' && report.workers.length > 1 ? 'By workers there are too many paths for this page.' : '',
    ].filter(Boolean).join(' ');
    this.note.hidden = this.note.textContent === '';
    // There may be thousands, so they are created on demand.
    this.first.replaceChildren();
    this.workers.replaceChildren();
    this.unpacked = {};
    this.set();
  }

  set() {
    const { report, model } = app;
    this.kinds.value = this.kind;
    for (const one of [this.first, this.between, this.last]) one.hidden = this.kind !== 'steps';
    this.workers.hidden = this.kind !== 'worker';
    if (this.kind === 'steps') {
      if (this.first.options.length === 0) {
        for (const select of [this.first, this.last]) {
          select.replaceChildren(...report.steps.bars.map((bar, i) => el('option', { value: String(i) }, upper(clip(stepLabel(bar), 40)))));
        }
      }
      this.first.value = String(this.from);
      this.last.value = String(this.to);
    } else if (this.kind === 'worker') {
      if (this.workers.options.length === 0) this.workers.replaceChildren(...report.workers.map((_, i) => el('option', { value: String(i) }, clipMiddle(model.worker(i), 80))));
      this.workers.value = String(this.worker);
    }
  }

  /** @param isFirst whether the first step was chosen; the last one must not be earlier */
  choose(isFirst = false) {
    const isOther = this.kind !== this.kinds.value;
    this.kind = this.kinds.value;
    if (!isOther && this.kind === 'steps') {
      this.from = Number(this.first.value);
      this.to = Number(this.last.value);
      if (this.from > this.to) this[isFirst ? 'to' : 'from'] = isFirst ? this.from : this.to;
    } else if (!isOther && this.kind === 'worker') {
      this.worker = Number(this.workers.value);
    } else if (this.kind === 'steps') {
      this.to = Math.min(app.report.steps.bars.length - 1, Math.max(this.from, this.to));
    }
    this.set();
    this.changed();
    app.address.changed();
  }

  /** The rows of the report's paths, with the numbers of the choice. */
  async rows() {
    const { calls } = app.report;
    if (this.kind === 'all') return calls.paths;
    const { unpacked } = this;
    const key = this.kind === 'steps' ? 'bySteps' : 'byWorkers';
    unpacked[key] ||= inflate(calls[key]);
    const [from, to] = this.kind === 'steps' ? [this.from, this.to] : [this.worker, this.worker];
    const sums = sumOfSlices(await unpacked[key], calls.paths.length, from, to);
    return calls.paths.map(([caller, name], path) => [caller, name, ...sums[path]]);
  }

  /** Whether an item belongs to the choice: to the worker, or started during the steps. */
  chooser() {
    const { model } = app;
    const stretch = this.stretch();
    if (stretch) return (item) => model.start[item] >= stretch[0] && model.start[item] < stretch[1];
    if (this.kind === 'all') return () => true;
    const isOfWorker = new Uint8Array(model.items);
    for (const row of model.rows) if (row.worker === this.worker) isOfWorker.fill(1, row.first, row.last);
    return (item) => isOfWorker[item] === 1;
  }

  /** Behind “all calls”, and before a full stop. */
  words() {
    const { bars } = app.report.steps;
    if (this.kind === 'worker') return ' of ' + clipMiddle(app.model.shortWorker(this.worker), 80);
    if (this.kind === 'all') return '';
    return ' in ' + clip(stepLabel(bars[this.from]), 40) + (this.to > this.from ? ' to ' + clip(stepLabel(bars[this.to]), 40) : '');
  }

  /** The chosen period of the timeline; null for all of it. */
  stretch() {
    if (this.kind !== 'steps') return null;
    const chosen = app.report.steps.bars.slice(this.from, this.to + 1);
    return [chosen[0].start, Math.max(...chosen.map((bar) => bar.start + bar.wall))];
  }

  // Its part of the address.

  save(parameters) {
    const { steps, workers } = app.report;
    if (this.kind === 'steps') parameters.set('callsof', `steps ${barKey(steps.bars, this.from)} ${barKey(steps.bars, this.to)}`);
    if (this.kind === 'worker') parameters.set('callsof', 'worker ' + laneKey(workers[this.worker], this.worker));
  }

  restore(parameters) {
    const { report } = app;
    const [, kind = 'all', key = ''] = /^(steps|worker) (.*)$/s.exec(parameters.get('callsof') || '') || [];
    const [from, to = from] = key.split(' ').map((one) => barOfKey(report.steps.bars, one));
    const worker = workerOfKey(report, key);
    if (kind === 'steps' && from >= 0 && to >= 0) [this.from, this.to] = from < to ? [from, to] : [to, from];
    if (kind === 'worker' && worker >= 0) this.worker = worker;
    this.kind = (kind === 'steps' && (from < 0 || to < 0)) || (kind === 'worker' && worker < 0) ? 'all' : kind;
    this.show();
  }
}
