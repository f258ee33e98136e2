// Beside another run: what changed since, the phases before and after, and how long each span took.

const AGAINST_HEIGHT = 180;
const VERDICTS = { DIFFERENT: '', NO_DIFFERENCE: 'no difference beyond chance', TOO_FEW: 'too few values to tell' };

/** A difference that is large enough to be of interest, were it no chance. */
const isNotable = ({ ratio }) => ratio !== null && ratio !== undefined && Math.abs(ratio - 1) >= 0.05;

/** The result of a comparison, in words. */
function verdictWords(change) {
  const { verdict, ratio } = change;
  if (verdict === 'NO_DIFFERENCE' && isNotable(change)) return 'may be chance';
  if (verdict !== 'DIFFERENT') return VERDICTS[verdict];
  return ratio === null || ratio > 1 ? 'slower' : 'faster';
}

const factor = (ratio) => (ratio === null || ratio === undefined ? '–' : ratio.toFixed(2));

/** A ratio with its interval. */
const factorWords = ({ ratio, low, high }) => factor(ratio) + (low === null || low === undefined ? '' : ` (${factor(low)} to ${high === null ? '∞' : factor(high)})`);

/** The answer in one sentence: whether steps, or otherwise spans, take longer than before. */
function changeHeadline(changes, what) {
  const steps = changes.find(({ kind }) => kind === 'STEP');
  if (steps.verdict === 'DIFFERENT') {
    return `A ${what} takes ${duration(steps.medianAfter)}, before it took ${duration(steps.medianBefore)}: ${factor(steps.ratio)} times as long`;
  }
  const mean = changes.find(({ kind }) => kind === 'MEAN');
  if (mean && mean.verdict === 'DIFFERENT') {
    return `On average, a ${what} takes ${duration(mean.medianAfter)}, before it took ${duration(mean.medianBefore)}: ${factor(mean.ratio)} times as long`;
  }
  if (steps.verdict === 'TOO_FEW') return `Too few ${what}s to tell whether they changed: ${steps.after} against ${steps.before}`;
  if (isNotable(steps)) {
    return `A ${what} takes ${duration(steps.medianAfter)}, before it took ${duration(steps.medianBefore)}: ${factor(steps.ratio)} times as long, but that may be chance`;
  }
  return `A ${what} takes about as long as before, without a significant difference: ${duration(steps.medianAfter)} against ${duration(steps.medianBefore)}`;
}

/**
 * The number of values in each class of times.
 *
 * @param perDoubling classes for each doubling of the time
 * @returns pairs of a class and a count, like the durations of a name
 */
function countedClasses(values, perDoubling) {
  const counts = new Map();
  for (const value of values) {
    const at = value <= 1 ? 0 : Math.floor(perDoubling * Math.log2(value) + 1e-9);
    counts.set(at, (counts.get(at) || 0) + 1);
  }
  return [...counts].sort((a, b) => a[0] - b[0]).flat();
}

/** Two distributions over the same classes, each as shares of its own values. */
function sharedClasses(before, after) {
  const numbers = [...before, ...after].filter((_, i) => i % 2 === 0);
  if (numbers.length === 0) return { first: 0, before: [], after: [] };
  const first = Math.min(...numbers);
  const size = Math.max(...numbers) - first + 1;
  const shares = (pairs) => {
    const counts = new Array(size).fill(0);
    let all = 0;
    for (let i = 0; i < pairs.length; i += 2) {
      counts[pairs[i] - first] = pairs[i + 1];
      all += pairs[i + 1];
    }
    return counts.map((one) => one / Math.max(1, all));
  };
  return { first, before: shares(before), after: shares(after) };
}

/** On which workers spans got slower, in a few sentences, and how many more of these there are. */
function slowerWorkersWords({ slowerWorkers, slowerWorkersLeftOut }) {
  return [...slowerWorkers, ...(slowerWorkersLeftOut > 0 ? [`And ${slowerWorkersLeftOut} more (--json has them)`] : [])].map((sentence) => sentence + '.');
}

/** The section for a run and its baseline; absent if a page shows one run. */
class AgainstView {
  constructor() {
    this.isWhole = false; // also what did not change
    this.subject = ''; // of the distribution: '' for steps, else a name
    this.pair = new StepPair(this);
  }

  /** @param model the other run's */
  show(model) {
    const { against } = app.report;
    byId('against').hidden = byId('nav-against').hidden = !against;
    if (!against) return;
    this.before = { report: against.baseline, model };
    this.numbers = new Map(app.report.names.map(({ name }, i) => [name, i]));
    this.what = app.report.steps.areTraces ? 'trace' : 'step';
    this.headline = changeHeadline(against.changes, this.what);
    this.table = el('div', {});
    this.phases = el('div', {});
    this.canvas = el('canvas', { role: 'img', onpointermove: (event) => this.point(event), onpointerleave: () => tip.hide() });
    this.said = el('p', { class: 'hint' });
    this.choice = el('select', { 'aria-label': 'Distribution of', onchange: (event) => this.choose(event.target.value) });
    this.all = el('button', { type: 'button', id: 'against-all', 'aria-pressed': 'false', title: 'Also show what did not change significantly', onclick: () => { this.isWhole = !this.isWhole; this.drawTable(); app.address.changed(); } }, 'All comparisons');
    fill(byId('against'),
      el('h2', {}, 'Against run ', clip(against.baseline.run, 60)),
      el('p', { class: 'lead' }, this.headline + `. Times are medians: of ${this.what}s, of phases by ${this.what}, and of the mean duration of a name by ${this.what}.`),
      el('div', { class: 'two' },
        el('div', { class: 'card' }, el('h3', {}, 'What changed'), el('div', { class: 'tools' }, this.all, csvButton('against', () => this.csv())), this.table, this.slowerWorkers(against), this.onlyNames(against)),
        el('div', { class: 'card' }, this.phases, el('h3', { class: 'next' }, 'How long each took'), el('div', { class: 'tools' }, this.choice, pngButton('distribution', () => [this.canvas])), el('div', { class: 'chart' }, this.canvas), this.said)),
      this.pair.show());
    this.offer();
    this.drawTable();
    this.drawPhases();
    this.draw();
    this.pair.draw();
  }

  /** On which workers spans got slower while they did not on the others. */
  slowerWorkers(against) {
    return slowerWorkersWords(against).map((sentence) => el('p', { class: 'why' }, sentence));
  }

  /** Names that only one run has. */
  onlyNames({ newNames, goneNames }) {
    const words = (title, names) => names.length > 0 && el('p', { class: 'hint' }, title + names.slice(0, 5).map((name) => clip(name, 60)).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '') + '.');
    return [words('New names: ', newNames), words('Names that are gone: ', goneNames)];
  }

  drawTable() {
    const { changes, changesLeftOut } = app.report.against;
    const rows = changes.filter((change) => this.isWhole || change.verdict !== 'NO_DIFFERENCE');
    const rest = changes.length - rows.length + changesLeftOut;
    this.all.setAttribute('aria-pressed', String(this.isWhole));
    this.all.hidden = !this.isWhole && rows.length === changes.length;
    fill(this.table,
      rows.length === 0 ? el('p', { class: 'none' }, 'Nothing changed significantly.') : scrolling(el('table', {},
        el('thead', {}, el('tr', {}, el('th', { class: 'text' }, 'What'), el('th', {}, 'Before'), el('th', {}, 'Now'), el('th', {}, 'Ratio'), el('th', { class: 'text' }, 'Verdict'))),
        el('tbody', {}, rows.flatMap((change) => this.row(change))))),
      rest > 0 && el('p', { class: 'hint' }, count(rest, 'comparison shows', 'comparisons show') + ' no difference beyond chance' + (changesLeftOut > 0 ? ', or are in --json alone' : '') + '.'));
  }

  row(change) {
    const { kind, name, medianBefore, medianAfter } = change;
    const number = this.numbers.get(name);
    const words = kind === 'STEP' ? upper(this.what) : kind === 'MEAN' ? `Mean ${this.what}` : kind === 'UNATTRIBUTED' ? 'unattributed: in no phase' : clip(name || '(no name)', 80);
    const isBad = verdictWords(change) === 'slower';
    const row = el('tr', { class: change.cause && 'caused' },
      el('td', { class: 'text' }, el('span', { class: 'named' }, number !== undefined && kind !== 'STEP' && swatch(number),
        kind === 'PHASE' ? el('span', {}, 'phase ', words) : kind === 'MEAN' || kind === 'UNATTRIBUTED' || (kind === 'NAME' && !this.shared.includes(name)) ? el('span', {}, words)
          : el('button', { type: 'button', class: 'link', title: 'Show how long each took', onclick: () => this.choose(kind === 'STEP' ? '' : name) }, words))),
      numeric(duration(medianBefore)), numeric(duration(medianAfter)), numeric(factorWords(change)),
      el('td', { class: isBad ? 'text bad' : 'text' }, (isBad ? '▲ ' : '') + verdictWords(change)));
    return change.cause ? [row, el('tr', {}, el('td', { class: 'text cause', colspan: '5' }, upper(change.cause)))] : [row];
  }

  csv() {
    const keys = ['before', 'after', 'medianBefore', 'medianAfter', 'ratio', 'low', 'high', 'verdict'];
    return [['kind', 'name', 'values_before', 'values_now', 'median_before_ns', 'median_now_ns', 'ratio', 'ratio_low', 'ratio_high', 'verdict'],
      ...app.report.against.changes.map((change) => [change.kind.toLowerCase(), change.name, ...keys.map((key) => change[key])])];
  }

  /** Two bars of one scale: the medians of the phases, in the order in which they first occur. */
  drawPhases() {
    const phases = app.report.against.changes.filter(({ kind }) => kind === 'PHASE').map((change) => ({ ...change, number: this.numbers.get(change.name) ?? -1 }));
    phases.sort((a, b) => app.colors.place(a.number) - app.colors.place(b.number));
    if (phases.length === 0) return fill(this.phases);
    const sum = (key) => phases.reduce((all, phase) => all + phase[key], 0);
    const most = Math.max(sum('medianBefore'), sum('medianAfter'), 1);
    const bars = (title, key) => [el('p', { class: 'why' }, `${title}: ${duration(sum(key))} in phases`),
      el('div', { class: 'stack', role: 'img', 'aria-label': `${title}: ` + phases.slice(0, 12).map((phase) => `${clip(phase.name, 60)} ${duration(phase[key])}`).join(', ') },
        phases.map((phase) => el('i', { title: `${clip(phase.name, 60)}: ${duration(phase[key])}`, style: { width: (100 * phase[key]) / most + '%', background: nameColor(phase.number) } })))];
    fill(this.phases, el('h3', {}, `Phases of a ${this.what}`), bars('Before', 'medianBefore'), bars('Now', 'medianAfter'),
      el('div', { class: 'legend' }, phases.slice(0, 8).map((phase) => el('span', {}, swatch(phase.number), line(clip(phase.name, 60))))));
  }

  /**
   * The subjects that have a distribution: steps, and the names with the most time in both runs.
   */
  offer() {
    const names = new Set(this.before.report.names.map(({ name }) => name));
    this.shared = app.report.names.map(({ name }) => name).filter((name) => names.has(name)).slice(0, 200);
    fill(this.choice, el('option', { value: '' }, upper(this.what) + 's'), this.shared.map((name) => el('option', { value: name }, clip(name || '(no name)', 60))));
    if (!this.shared.includes(this.subject)) this.subject = '';
    this.choice.value = this.subject;
  }

  choose(subject) {
    if (subject !== '' && !this.shared.includes(subject)) return;
    this.subject = subject;
    this.choice.value = subject;
    this.draw();
    app.address.changed();
  }

  /** Both distributions of the chosen subject, with their medians. */
  distributions() {
    const steps = (report) => report.steps.bars.map((bar) => bar.wall / bar.steps);
    if (this.subject === '') {
      const perDoubling = 16; // steps differ by less than spans do
      const change = app.report.against.changes.find(({ kind }) => kind === 'STEP');
      return {
        perDoubling, ...sharedClasses(countedClasses(steps(this.before.report), perDoubling), countedClasses(steps(app.report), perDoubling)),
        medianBefore: change.medianBefore, medianAfter: change.medianAfter, countBefore: this.before.report.steps.count, countAfter: app.report.steps.count,
      };
    }
    const of = (report) => report.names.find(({ name }) => name === this.subject);
    const [old, now] = [of(this.before.report), of(app.report)];
    return { perDoubling: 4, ...sharedClasses(old.durations, now.durations), medianBefore: old.p50, medianAfter: now.p50, countBefore: old.count, countAfter: now.count };
  }

  draw() {
    if (!app.report.against || !this.canvas.isConnected) return;
    const width = this.canvas.parentElement.clientWidth;
    if (width <= 0) return;
    this.shown = this.distributions();
    const { first, before, after, perDoubling, medianBefore, medianAfter, countBefore, countAfter } = this.shown;
    const context = prepareCanvas(this.canvas, width, AGAINST_HEIGHT);
    const colors = themeColors();
    const [left, top, bottom] = [8, 40, AGAINST_HEIGHT - 24];
    const plot = width - 2 * left;
    const slot = plot / Math.max(1, after.length);
    const most = Math.max(...before, ...after, 1e-9);
    const y = (share) => bottom - ((bottom - top) * share) / most;
    context.fillStyle = colors.line;
    context.fillRect(left, bottom, plot, 1);
    context.fillStyle = this.subject === '' ? colors.accent : nameColor(this.numbers.get(this.subject));
    after.forEach((share, i) => share > 0 && context.fillRect(left + i * slot, Math.min(y(share), bottom - 2), Math.max(1, slot - 1), Math.max(2, bottom - y(share))));
    context.strokeStyle = colors.ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(left, bottom);
    before.forEach((share, i) => { context.lineTo(left + i * slot, y(share)); context.lineTo(left + (i + 1) * slot, y(share)); });
    context.lineTo(left + plot, bottom);
    context.stroke();
    const x = (nanos) => left + Math.max(0, Math.min(1, (perDoubling * Math.log2(Math.max(nanos, 1)) - first) / Math.max(1, after.length))) * plot;
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    [['before ', medianBefore], ['now ', medianAfter]].forEach(([words, nanos], i) => {
      const text = words + duration(nanos);
      const isRight = x(nanos) + context.measureText(text).width + 8 > left + plot;
      context.fillStyle = colors.ink;
      context.fillRect(Math.round(x(nanos)), 6 + i * 15, 1, bottom - 6 - i * 15);
      context.textAlign = isRight ? 'right' : 'left';
      context.fillText(text, x(nanos) + (isRight ? -4 : 4), 8 + i * 15);
    });
    durationTicks(context, colors, { x, left, plot, bottom, least: 2 ** (first / perDoubling), most: 2 ** ((first + after.length) / perDoubling) });
    const subject = this.subject === '' ? this.what + 's' : clip(this.subject || '(no name)', 60);
    const words = `Filled: ${count(countAfter, 'value')} of this run. Line: ${count(countBefore, 'value')} of before. Each as shares of its own values, on a logarithmic axis.`;
    this.said.textContent = words;
    this.canvas.setAttribute('aria-label', `How long ${subject} took: the median was ${duration(medianBefore)} before and is ${duration(medianAfter)} now. ${words}`);
  }

  point(event) {
    const { first, before, after, perDoubling } = this.shown;
    const box = this.canvas.getBoundingClientRect();
    const at = Math.floor(((event.clientX - box.left - 8) / (box.width - 16)) * after.length);
    if (!(at >= 0 && at < after.length)) return tip.hide();
    const start = (number) => (number === 0 ? 0 : 2 ** (number / perDoubling));
    tip.show(event.clientX, event.clientY, el('b', {}, `${duration(start(first + at))} to ${duration(start(first + at + 1))}`),
      el('div', {}, `before ${percent(before[at], 1)}`), el('div', {}, `now ${percent(after[at], 1)}`));
  }

  redraw() {
    if (!app.report.against) return;
    this.draw();
    this.pair.draw();
  }

  // Its part of the address.

  save(parameters) {
    if (!app.report.against) return;
    if (this.subject !== '') parameters.set('distribution', this.subject);
    if (this.isWhole) parameters.set('changes', 'all');
    this.pair.save(parameters);
  }

  restore(parameters) {
    if (!app.report.against) return;
    this.isWhole = parameters.get('changes') === 'all';
    this.drawTable();
    const subject = parameters.get('distribution') ?? '';
    if (subject === '' || this.shared.includes(subject)) this.choose(subject);
    this.pair.restore(parameters);
  }
}
