// Why the time went by: what threads did in spans, and an icicle of the methods that ran. For one
// worker it can be compared with what the others did in spans of the same name.

const FRAME_HEIGHT = 22;

/** Deeper ones come into view with a click on one above them. */
const FRAME_ROWS = 30;

const ACTIVITY_COLORS = ['#3b8f5a', '#c2503f', '#8a6fc0', '#5f87b8', '#2f9aa8', '#b98a2f', '#d8762a', '#a8577e', '#7c8797', '#6f7f9f', '#a0a8b4', '#c3c9d1'];

const addTo = (map, key, nanos) => map.set(key, (map.get(key) || 0) + nanos);

/**
 * Rows of one kind added up: time by activity, and one tree of all of their trees. A method is one
 * node below its caller, whatever lines of it ran; the node knows their time.
 */
class ProfileSum {
  constructor(rows) {
    this.activities = new Map();
    this.root = this.node(-1);
    for (const row of rows) {
      for (const [activity, nanos] of row.activities) addTo(this.activities, activity, nanos);
      this.add(row);
    }
    this.total = [...this.activities.values()].reduce((sum, nanos) => sum + nanos, 0);
  }

  node(frame) {
    return { frame, total: 0, lines: new Map(), below: new Map() };
  }

  /** A row's nodes are four numbers each: caller, frame, line, own time. Callers come first. */
  add({ nodes }) {
    const totals = new Float64Array(nodes.length / 4);
    for (let place = totals.length - 1; place >= 0; place--) {
      totals[place] += nodes[4 * place + 3];
      if (nodes[4 * place] >= 0) totals[nodes[4 * place]] += totals[place];
    }
    const places = [];
    totals.forEach((nanos, place) => {
      const [caller, frame, line] = nodes.slice(4 * place, 4 * place + 3);
      const above = caller < 0 ? this.root : places[caller];
      if (!above.below.has(frame)) above.below.set(frame, this.node(frame));
      const node = above.below.get(frame);
      node.total += nanos;
      if (line > 0) addTo(node.lines, line, nanos);
      if (caller < 0) this.root.total += nanos;
      places.push(node);
    });
  }

  /** The node of a path of frames, undefined where there is none. */
  find(path) {
    let node = this.root;
    for (const frame of path) node = node?.below.get(frame);
    return node;
  }

  /** The part of a path of frames in all of the time. */
  share(path) {
    return this.total > 0 ? (this.find(path)?.total ?? 0) / this.total : 0;
  }
}

/** The lines of a method with the most time, and how much of its time each has. */
function linesOf(node) {
  return [...(node?.lines ?? [])].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 5).filter(([, nanos]) => nanos >= 0.005 * node.total);
}

class ProfileView {
  constructor() {
    this.name = -1; // the critical path
    this.worker = -1;
    this.search = '';
    this.focus = [];
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
    this.workers = el('select', { 'aria-label': 'Worker', onchange: (event) => { this.worker = Number(event.target.value); this.draw(); } });
    fill(box,
      el('h2', {}, 'Why the time went by'),
      el('p', { class: 'lead' }, `What threads did while spans ran, by the profile of ${count(profile.processes, 'process', 'processes')}. Below it the methods that ran, as wide as their time; in brackets what threads did instead of running.`),
      el('div', { class: 'card' },
        el('div', { class: 'tools' },
          el('select', { 'aria-label': 'Spans', onchange: (event) => { this.name = Number(event.target.value); this.worker = -1; this.focus = []; this.offerWorkers(); this.draw(); } },
            el('option', { value: '-1' }, 'The critical path'),
            [...new Set(profile.names.map((row) => row.name))].map((name) => el('option', { value: String(name), selected: name === this.name }, clip(app.model.nameOf(name), 60)))),
          this.workers,
          el('input', { type: 'search', placeholder: 'Find a method', 'aria-label': 'Find a method', value: this.search, oninput: (event) => { this.search = event.target.value; this.draw(); } })),
        this.bars, this.icicle, this.said, this.lines,
        profile.leftOut && el('p', { class: 'hint' }, 'The profile has more methods than this page holds; export --speedscope has all.'),
        profile.linesLeftOut && el('p', { class: 'hint' }, 'The profile has more lines than this page holds, so that methods are without them; export --pprof has all.')));
    this.offerWorkers();
    this.draw();
  }

  offerWorkers() {
    const workers = app.report.profile.names.filter((row) => row.name === this.name).map((row) => row.worker);
    fill(this.workers, el('option', { value: '-1' }, 'All workers'),
      workers.map((worker) => el('option', { value: String(worker) }, clip(app.model.worker(worker), 60))));
    this.workers.hidden = workers.length < 2;
  }

  rows(isPeers) {
    const { path, names } = app.report.profile;
    if (this.name < 0) return path;
    return names.filter((row) => row.name === this.name && (this.worker < 0 || (row.worker === this.worker) !== isPeers));
  }

  draw() {
    const { profile } = app.report ?? {};
    if (!profile || byId('why').hidden) return;
    const sum = new ProfileSum(this.rows(false));
    const peers = this.worker >= 0 ? new ProfileSum(this.rows(true)) : null;
    const parts = [...sum.activities].sort((a, b) => b[1] - a[1]);
    fill(this.bars, activityBar(parts, sum.total),
      el('ul', { class: 'shares' }, parts.filter(([, nanos]) => nanos > 0.005 * sum.total).map(([activity, nanos]) =>
        el('li', {}, el('span', { class: 'swatch', style: { background: ACTIVITY_COLORS[activity] }, 'aria-hidden': 'true' }), line(profile.activities[activity]),
          el('span', { class: 'of' }, duration(nanos) + (peers ? `, the others ${percent(peers.activities.get(activity) || 0, peers.total)}` : '')),
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
    const color = frame < 0 ? '#8993a3' : this.color(frame, share, peers && peers.share(path));
    const words = `${name}: ${duration(share * sum.total)}, ${percent(share, 1)} of the time` + (peers && frame >= 0 ? `, the others ${percent(peers.share(path), 1)}` : '') + lineWords(sum.find(path));
    return el('button', {
      type: 'button', 'aria-label': words, title: words, 'aria-pressed': String(frame >= 0 && path.length === this.focus.length && path.every((own, i) => own === this.focus[i])),
      tabindex: path.length === 0 ? '0' : '-1', 'data-depth': String(depth), class: this.isFound(frame) ? 'found' : null,
      style: { top: depth * FRAME_HEIGHT + 'px', left: left + 'px', width: Math.max(1, width - 1) + 'px', height: FRAME_HEIGHT - 1 + 'px', lineHeight: FRAME_HEIGHT - 1 + 'px', background: color, color: textColorOn(color) },
      onclick: () => this.choose(path), onfocus: () => { this.said.textContent = words; },
    }, width > 30 ? shortMethod(name) : '');
  }

  /** By package, or by how much more of the time it is than the others'. */
  color(frame, share, ofPeers) {
    const { frames } = app.report.profile;
    if (ofPeers !== null && ofPeers !== undefined) {
      const more = Math.max(-1, Math.min(1, (share - ofPeers) * 3));
      const pale = Math.round(200 * (1 - Math.abs(more)));
      const two = (number) => number.toString(16).padStart(2, '0');
      return more >= 0 ? '#' + two(208) + two(pale) + two(pale) : '#' + two(pale) + two(pale) + two(208);
    }
    const name = frames[frame];
    const activity = app.report.profile.activities.findIndex((words) => name === `[${words}]`);
    if (activity >= 0) return ACTIVITY_COLORS[activity];
    let hash = 0;
    for (const character of name.split('.').slice(0, -2).join('.')) hash = (hash * 31 + character.codePointAt(0)) % 360;
    return ['#c98b5a', '#bf7b6a', '#b5995a', '#a78a6f', '#8fa06a', '#c2a25e'][hash % 6];
  }

  /** Fills the width with a method. */
  choose(path) {
    this.focus = path;
    this.draw();
    (this.icicle.querySelector('[aria-pressed="true"]') || this.icicle.firstChild).focus({ preventScroll: true });
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
  const lines = linesOf(node).slice(0, 3);
  return lines.length > 0 ? `; of that at line ${lines.map(([line, nanos]) => `${line} ${percent(nanos, node.total)}`).join(', at line ')}` : '';
}

/** Without its package: a class begins with a capital. */
const shortMethod = (name) => name.replace(/\b(?:[a-z_][\w$]*\.)+(?=[A-Z$])/g, '');

/** What threads did, as a stack of colours. */
function activityBar(parts, total) {
  return el('div', { class: 'stack', 'aria-hidden': 'true' }, parts.map(([activity, nanos]) =>
    nanos > 0 && el('i', { title: app.report.profile.activities[activity], style: { background: ACTIVITY_COLORS[activity], flex: String(nanos / Math.max(1, total)) } })));
}

/** Why the time on the critical path went by, for the card; false where there is no profile. */
function whyOfPath() {
  const { profile } = app.report;
  if (!profile || profile.path.length === 0) return false;
  const sum = new ProfileSum(profile.path);
  const parts = [...sum.activities].sort((a, b) => b[1] - a[1]);
  return el('div', {}, el('h3', {}, 'Why'), activityBar(parts, sum.total),
    el('p', { class: 'why' }, parts.slice(0, 3).map(([activity, nanos]) => percent(nanos, sum.total) + ' ' + profile.activities[activity]).join(', ') + '. ',
      el('a', { href: '#why' }, 'In which methods?')));
}
