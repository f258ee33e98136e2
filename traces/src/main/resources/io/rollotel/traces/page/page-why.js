// Where the time went: the activity of threads in spans, and an icicle of the methods that ran. It
// can be compared with other workers' spans of the same name, and with another run.

const FRAME_HEIGHT = 22;

/** Deeper ones become visible with a click on one above them. */
const FRAME_ROWS = 30;

const ACTIVITY_COLORS = ['#3b8f5a', '#c2503f', '#8a6fc0', '#5f87b8', '#2f9aa8', '#b98a2f', '#d8762a', '#a8577e', '#7c8797', '#6f7f9f', '#a0a8b4', '#c3c9d1', '#4f8a86'];

class ProfileView {
  constructor() {
    this.name = -1; // the critical path
    this.worker = -1;
    this.search = '';
    this.isFolded = false; // methods of one package are one block
    this.focus = [];
    this.from = -1; // the first bar of the chart of steps, -1 for all of the time
    this.to = -1;
    this.against = null; // what it is compared with: 'workers', 'run', '' for nothing, null for what there is
  }

  /** An active run has another state. */
  renumber(numbers) {
    if (this.name >= 0) this.name = numbers.name(this.name);
    this.worker = this.name < 0 ? -1 : numbers.worker(this.worker);
    [this.from, this.to] = [numbers.bar(this.from), numbers.bar(this.to)];
    this.focus = []; // methods have other numbers as well
  }

  show() {
    const { profile } = app.report;
    const box = byId('why');
    box.hidden = !profile || profile.path.length === 0;
    byId('nav-why').hidden = box.hidden;
    if (box.hidden) return;
    this.bars = el('div', {});
    this.icicle = el('div', { class: 'icicle', role: 'group', 'aria-label': 'Methods that ran, callers above those that they call. Enter fills the width with one, Escape shows all.', onkeydown: (event) => this.key(event) });
    this.said = el('p', { class: 'hint', role: 'status' });
    this.lines = el('div', { class: 'lines' });
    this.workers = el('select', { 'aria-label': 'Worker', onchange: (event) => { this.worker = Number(event.target.value); this.changed(); } });
    this.spans = el('select', { 'aria-label': 'Spans', onchange: (event) => { this.name = Number(event.target.value); this.worker = -1; this.focus = []; this.changed(); } },
      el('option', { value: '-1' }, 'The critical path'),
      [...new Set(profile.names.map((row) => row.name))].map((name) => el('option', { value: String(name) }, clip(app.model.nameOf(name), 60))));
    this.first = el('select', { 'aria-label': 'Step', onchange: (event) => { const bar = Number(event.target.value); this.chooseSteps(bar, bar); } });
    this.last = el('select', { 'aria-label': 'Last step', onchange: (event) => this.chooseSteps(this.from, Number(event.target.value)) });
    this.fold = el('button', { type: 'button', title: 'Methods of one package that call each other become one block', onclick: () => { this.isFolded = !this.isFolded; this.focus = []; this.changed(); } }, 'Fold packages');
    this.others = el('select', { 'aria-label': 'Compare with', onchange: (event) => { this.against = event.target.value; this.changed(); } });
    fill(box,
      el('h2', {}, 'Why the time went by'),
      el('p', { class: 'lead' }, `What threads did while spans ran, by the profile of ${count(profile.processes, 'process', 'processes')}. Below it the methods that ran, as wide as their time; in brackets what threads did instead of running.`),
      el('div', { class: 'card' },
        el('div', { class: 'tools' },
          this.spans,
          this.workers, this.first, this.last, this.others, this.fold,
          el('input', { type: 'search', placeholder: 'Find a method', 'aria-label': 'Find a method', value: this.search, oninput: (event) => { this.search = event.target.value; this.draw(); } }),
          svgButton('methods', () => icicleSvg(this.icicle))),
        this.bars, this.icicle, this.said, this.lines,
        profile.leftOut && el('p', { class: 'hint' }, 'The profile has more methods than this page holds; export --speedscope has all.'),
        profile.stepsLeftOut && el('p', { class: 'hint' }, 'The profile has more by step than this page holds, so that no step can be chosen; export --step has all.'),
        profile.linesLeftOut && el('p', { class: 'hint' }, 'The profile has more lines than this page holds, so that methods are without them; export --pprof has all.')));
    if (this.from >= 0 && !profile.isUnpacked) { // of another state of an active run
      const steps = [this.from, this.to];
      [this.from, this.to] = [-1, -1];
      this.chooseSteps(...steps);
    }
    this.offer();
    this.draw();
  }

  /** The alternatives to the current choice. */
  offer() {
    const workers = app.report.profile.names.filter((row) => row.name === this.name).map((row) => row.worker);
    fill(this.workers, el('option', { value: '-1' }, 'All workers'),
      workers.map((worker) => el('option', { value: String(worker) }, clipMiddle(app.model.worker(worker), 60))));
    this.workers.hidden = workers.length < 2;
    this.spans.value = String(this.name);
    this.workers.value = String(this.worker);
    this.fold.setAttribute('aria-pressed', String(this.isFolded));
    this.offerOthers();
    this.offerSteps();
  }

  offerOthers() {
    const { other } = app.report.profile;
    const option = (value, words) => el('option', { value }, words);
    fill(this.others, other && option('run', 'Against run ' + clip(other.run, 30)),
      this.worker >= 0 && option('workers', 'Against the other workers'), option('', 'Against nothing'));
    this.others.hidden = !other && this.worker < 0;
    this.others.value = this.kindOfOthers();
  }

  /** The subject of comparison: the earlier choice, if it still exists. */
  kindOfOthers() {
    const kinds = [app.report.profile.other && 'run', this.worker >= 0 && 'workers', ''].filter((kind) => kind !== undefined && kind !== false);
    return kinds.includes(this.against) ? this.against : kinds[0];
  }

  offerSteps() {
    const { bars, areTraces } = app.report.steps;
    this.first.hidden = !this.hasSteps();
    this.last.hidden = !this.hasSteps() || this.from < 0 || this.from === bars.length - 1;
    if (!this.hasSteps()) return;
    const what = areTraces ? 'trace' : 'step';
    const label = (bar) => clip(stepLabel(bar), 40) + (bar.steps > 1 ? ` and ${bar.steps - 1} beside it` : '');
    const option = (bar, words) => el('option', { value: String(bar) }, words);
    if (this.first.options.length === 0) {
      fill(this.first, option(-1, `All ${what}s`), bars.map((bar, i) => option(i, upper(label(bar)))));
    }
    this.first.value = String(this.from);
    if (this.last.hidden) return;
    fill(this.last, bars.slice(this.from).map((bar, i) => option(this.from + i, i === 0 ? `This ${what} alone` : 'to ' + label(bar))));
    this.last.value = String(this.to);
  }

  hasSteps() {
    const { profile } = app.report;
    return Boolean(profile && (profile.byStep || profile.isUnpacked));
  }

  /** Shows the activity in some bars of the chart of steps; the whole time for -1. */
  async chooseSteps(from, to) {
    if (!this.hasSteps()) return;
    const { report } = app;
    await unpackSteps(report.profile);
    if (app.report !== report) return; // these are bars of an earlier state of an active run
    this.from = from;
    this.to = Math.max(from, to);
    this.changed();
  }

  /** Shows why a step took its time. */
  async showStep(bar) {
    this.name = -1;
    this.worker = -1;
    this.focus = [];
    await this.chooseSteps(bar, bar);
    app.address.go('why');
    this.first.focus({ preventScroll: true });
  }

  changed() {
    this.offer();
    this.draw();
    app.address.changed();
  }

  /** The included bars of the chart of steps; null for the whole time. */
  chosenBars() {
    return this.from >= 0 && app.report.profile.isUnpacked ? [this.from, this.to] : null;
  }

  rows(isPeers) {
    const { path, names } = app.report.profile;
    if (this.name < 0) return path;
    return names.filter((row) => row.name === this.name && (this.worker < 0 || (row.worker === this.worker) !== isPeers));
  }

  /** The sums of the shown activity. The critical path is that of a step. */
  sum() {
    const { bars, count: steps } = app.report.steps;
    const chosen = this.chosenBars();
    const sum = new ProfileSum(this.rows(false), chosen, this.isFolded);
    if (this.name < 0) sum.spans = chosen ? bars.slice(chosen[0], chosen[1] + 1).reduce((all, bar) => all + bar.steps, 0) : steps;
    return sum;
  }

  /** The sums of the subject of comparison; null if there is none. */
  compared(sum) {
    const kind = this.kindOfOthers();
    if (kind === 'workers') return Object.assign(new ProfileSum(this.rows(true), this.chosenBars(), this.isFolded), { words: 'the others' });
    if (kind !== 'run') return null;
    const { other } = app.report.profile;
    const peers = new ProfileSum(this.name < 0 ? other.path : other.names.filter((row) => row.name === this.name), null, this.isFolded);
    if (this.name < 0) peers.spans = other.steps;
    compareBySpan(sum, peers);
    return Object.assign(peers, { words: 'the other run', isRun: true });
  }

  /** A time, beside that of the subject of comparison. */
  beside(sum, peers, nanos, ofPeers) {
    if (!peers) return duration(nanos);
    if (!peers.isRun) return `${duration(nanos)}, ${peers.words} ${percent(ofPeers, peers.total)}`;
    return `${duration(sum.each(nanos))} a ${this.name < 0 ? 'step' : 'span'}, ${peers.words} ${peers.spans > 0 ? `${duration(peers.each(ofPeers))} (${percent(ofPeers, peers.total)})` : 'has none'}`;
  }

  draw() {
    const { profile } = app.report ?? {};
    if (!profile || byId('why').hidden) return;
    const sum = this.sum();
    const peers = this.compared(sum);
    const part = (from, activity) => (from?.total > 0 ? (from.activities.get(activity) || 0) / from.total : 0);
    const parts = profile.activities.map((_, activity) => [activity, sum.activities.get(activity) || 0]).sort((a, b) => b[1] - a[1]);
    fill(this.bars, activityBar(parts, sum.total),
      el('ul', { class: 'shares' }, parts.filter(([activity]) => Math.max(part(sum, activity), part(peers, activity)) > 0.005).map(([activity, nanos]) =>
        el('li', {}, el('span', { class: 'swatch', style: { background: ACTIVITY_COLORS[activity] }, 'aria-hidden': 'true' }), line(profile.activities[activity]),
          el('span', { class: 'of' }, this.beside(sum, peers, nanos, peers?.activities.get(activity) || 0)),
          el('span', { class: 'pct' }, percent(nanos, sum.total))))));
    this.drawIcicle(sum, peers);
  }

  drawIcicle(sum, peers) {
    const width = this.icicle.clientWidth || 600;
    let top = sum.root;
    const path = [];
    for (const frame of this.focus) {
      if (!top.below.has(frame)) break;
      top = top.below.get(frame);
      path.push(frame);
    }
    this.focus = path;
    const blocks = [this.block([], sum.root, 0, 0, width, sum, peers)];
    path.forEach((frame, i) => blocks.push(this.block(path.slice(0, i + 1), null, i + 1, 0, width, sum, peers)));
    const unit = width / Math.max(1, top.total);
    let found = 0;
    let deepest = path.length;
    let row = [[top, 0, path, false]];
    for (let depth = path.length + 1; row.length > 0 && depth <= path.length + FRAME_ROWS; depth++) {
      const below = [];
      for (const [node, from, above, isFound] of row) {
        let left = from;
        for (const child of [...node.below.values()].sort((a, b) => b.total - a.total)) {
          const size = child.total * unit;
          const own = [...above, child.frame];
          const isHit = this.isFound(child.frame);
          if (isHit && !isFound) found += child.total;
          if (size >= 3) {
            deepest = depth;
            blocks.push(this.block(own, child, depth, left, size, sum, peers));
            below.push([child, left, own, isFound || isHit]);
          }
          left += size;
        }
      }
      row = below;
    }
    this.icicle.style.height = (deepest + 1) * FRAME_HEIGHT + 'px';
    this.icicle.replaceChildren(...blocks);
    this.said.textContent = this.search
      ? `${percent(found, top.total)} of the time is in methods with “${clip(this.search, 40)}”.`
      : sum.total === 0 ? 'None of these spans ran in what was chosen.'
      : peers?.isRun ? `Red: more time a ${this.name < 0 ? 'step' : 'span'} than in run ${clip(app.report.profile.other.run, 60)}. Blue: less.`
      : peers ? 'Red: a larger part of this worker’s time than of the others’. Blue: a smaller part.' : '';
    this.drawLines(sum.find(path), path);
  }

  /** The lines of the method that fills the width. */
  drawLines(node, path) {
    const lines = path.length > 0 ? linesOf(node) : [];
    this.lines.hidden = lines.length === 0;
    if (lines.length === 0) return;
    fill(this.lines,
      el('h3', {}, 'Lines of ' + clip(shortMethod(app.report.profile.frames[node.frame]), 80)),
      el('p', { class: 'hint' }, 'Where it stood or called others, by its time.'),
      el('ul', { class: 'shares bars' }, lines.map(([line, nanos]) => el('li', {},
        el('span', {}, `line ${line}`), el('span', { class: 'of' }, duration(nanos)), el('span', { class: 'pct' }, percent(nanos, node.total)),
        el('span', { class: 'meter', 'aria-hidden': 'true' }, el('i', { style: { width: (100 * nanos) / node.total + '%' } }))))));
  }

  isFound(frame) {
    return frame >= 0 && this.search !== '' && app.report.profile.frames[frame].toLowerCase().includes(this.search.toLowerCase());
  }

  block(path, node, depth, left, width, sum, peers) {
    const { frames } = app.report.profile;
    const frame = path.length > 0 ? path[path.length - 1] : -1;
    const name = frame < 0 ? 'All of the time' : frames[frame];
    const share = sum.share(path);
    const color = frame < 0 ? '#8993a3' : this.color(frame, peers && sum.part(path) - peers.part(path));
    const compared = peers && frame >= 0 ? peers.find(path)?.total ?? 0 : null;
    const words = `${name}: ${percent(share, 1)} of the time, ${this.beside(sum, compared === null ? null : peers, share * sum.total, compared)}` + lineWords(sum.find(path));
    return el('button', {
      type: 'button', 'aria-label': words, title: words, 'aria-pressed': String(frame >= 0 && path.length === this.focus.length && path.every((own, i) => own === this.focus[i])),
      tabindex: path.length === 0 ? '0' : '-1', 'data-depth': String(depth), class: this.isFound(frame) ? 'found' : null,
      style: { top: depth * FRAME_HEIGHT + 'px', left: left + 'px', width: Math.max(1, width - 1) + 'px', height: FRAME_HEIGHT - 1 + 'px', lineHeight: FRAME_HEIGHT - 1 + 'px', background: color, color: textColorOn(color) },
      onclick: () => this.choose(path), onfocus: () => { this.said.textContent = words; },
    }, width > 30 ? shortMethod(name) : '');
  }

  /** By package, or by how much its share exceeds that in the subject of comparison. */
  color(frame, difference) {
    const { frames } = app.report.profile;
    if (difference !== null) {
      const more = Math.max(-1, Math.min(1, difference * 3));
      const pale = Math.round(200 * (1 - Math.abs(more)));
      const two = (number) => number.toString(16).padStart(2, '0');
      return more >= 0 ? '#' + two(208) + two(pale) + two(pale) : '#' + two(pale) + two(pale) + two(208);
    }
    const name = frames[frame];
    const activity = app.report.profile.activities.findIndex((words) => name === `[${words}]`);
    if (activity >= 0) return ACTIVITY_COLORS[activity];
    let hash = 0;
    for (const character of name.split('.').slice(0, name.endsWith('.*') ? -1 : -2).join('.')) hash = (hash * 31 + character.codePointAt(0)) % 360;
    return ['#c98b5a', '#bf7b6a', '#b5995a', '#a78a6f', '#8fa06a', '#c2a25e'][hash % 6];
  }

  /** Fills the width with a method. */
  choose(path) {
    this.focus = path;
    this.draw();
    (this.icicle.querySelector('[aria-pressed="true"]') || this.icicle.firstChild).focus({ preventScroll: true });
  }

  // Its part of the address.

  save(parameters) {
    if (this.name >= 0) parameters.set('why', app.model.nameOf(this.name));
    if (this.worker >= 0) parameters.set('whyworker', laneKey(app.report.workers[this.worker], this.worker));
    if (this.against !== null) parameters.set('whyagainst', this.against);
    if (this.isFolded) parameters.set('whyfold', 'on');
    const { bars } = app.report.steps;
    if (this.from >= 0) parameters.set('whysteps', barKey(bars, this.from) + (this.from === this.to ? '' : '..' + barKey(bars, this.to)));
  }

  async restore(parameters) {
    if (byId('why').hidden) return;
    const { profile, steps } = app.report;
    const name = parameters.get('why');
    const worker = workerOfKey(app.report, parameters.get('whyworker') ?? '');
    this.name = name === null ? -1 : profile.names.find((row) => app.model.nameOf(row.name) === name)?.name ?? -1;
    this.worker = profile.names.some((row) => row.name === this.name && row.worker === worker) ? worker : -1;
    this.focus = [];
    this.against = parameters.get('whyagainst');
    this.isFolded = parameters.get('whyfold') === 'on';
    const [from, to = from] = (parameters.get('whysteps') ?? '').split('..').map((key) => barOfKey(steps.bars, key));
    if (from >= 0 && to >= from && this.hasSteps()) await this.chooseSteps(from, to);
    else [this.from, this.to] = [-1, -1];
    this.offer();
    this.draw();
  }

  key(event) {
    const block = event.target.closest('button');
    if (!block || event.ctrlKey || event.metaKey || event.altKey) return;
    const blocks = [...this.icicle.children];
    const at = blocks.indexOf(block);
    const depth = Number(block.dataset.depth);
    const next = {
      ArrowLeft: () => blocks[at - 1], ArrowRight: () => blocks[at + 1],
      ArrowUp: () => blocks.slice(0, at).reverse().find((other) => Number(other.dataset.depth) < depth),
      ArrowDown: () => blocks.slice(at).find((other) => Number(other.dataset.depth) > depth),
    }[event.key];
    if (event.key === 'Escape') this.choose([]);
    else if (next) next()?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** The first lines of a method, as the end of a sentence. */
function lineWords(node) {
  const lines = linesOf(node).slice(0, 3).map(([line, nanos], i) => `${percent(nanos, node.total)}${i === 0 ? ' of it' : ''} at line ${line}`);
  return lines.length > 0 ? '; ' + lines.join(', ') : '';
}

/** Without its package: a class begins with a capital. */
const shortMethod = (name) => name.replace(/\b(?:[a-z_][\w$]*\.)+(?=[A-Z$])/g, '');

/** The activity of threads, as a stack of colours. */
function activityBar(parts, total) {
  return el('div', { class: 'stack', 'aria-hidden': 'true' }, parts.map(([activity, nanos]) =>
    nanos > 0 && el('i', { title: app.report.profile.activities[activity], style: { background: ACTIVITY_COLORS[activity], flex: String(nanos / Math.max(1, total)) } })));
}

/** Where time went, for a card: the activities of some rows; false if there are none. */
function whyOfRows(rows, of, link, others = []) {
  const sum = new ProfileSum(rows, null);
  if (sum.total === 0) return false;
  const peers = new ProfileSum(others, null);
  const parts = [...sum.activities].sort((a, b) => b[1] - a[1]);
  const words = ([activity, nanos]) => percent(nanos, sum.total) + ' ' + app.report.profile.activities[activity]
    + (peers.total > 0 ? ` (the others ${percent(peers.activities.get(activity) || 0, peers.total)})` : '');
  return el('div', {}, el('h3', {}, 'Why'), activityBar(parts, sum.total),
    el('p', { class: 'why' }, of, parts.slice(0, 3).map(words).join(', ') + '. ', link));
}

/** Where the time on the critical path went; false if there is no profile. */
function whyOfPath() {
  const { profile } = app.report;
  return profile ? whyOfRows(profile.path, '', el('a', { href: '#why' }, 'In which methods?')) : false;
}

/** Where the time of all spans went. For a worker's share of a phase, that is the work itself. */
function whyOfAll() {
  const { profile } = app.report;
  return profile ? whyOfRows(profile.names, 'Of all spans’ own time: ', false) : false;
}

/** Why a worker takes longer than others for spans of a name; false if unknown. */
function whyOfWorker(name, worker) {
  const { profile } = app.report;
  if (!profile) return false;
  const rows = profile.names.filter((row) => row.name === name);
  const own = rows.filter((row) => row.worker === worker);
  return whyOfRows(own, `Of ${clip(app.model.nameOf(name), 60)} there: `, linkToWhy(name, worker), rows.filter((row) => row.worker !== worker));
}
