// Who called whom, by names: an icicle. Below each call path are those that it calls, as wide as
// the work in and below them; the remaining width below a path is its own work.

const CALL_HEIGHT = 26;

class CallPaths {
  /** @param rows for each, its caller, name, count, total, self and errors */
  constructor(rows) {
    this.caller = [];
    this.name = [];
    this.count = [];
    this.total = [];
    this.self = [];
    this.errors = [];
    this.work = [];
    this.callees = [];
    this.tops = [];
    rows.forEach(([caller, name, number, total, self, errors], path) => {
      this.caller.push(caller);
      this.name.push(name);
      this.count.push(number);
      this.total.push(total);
      this.self.push(self);
      this.errors.push(errors);
      this.work.push(self);
      this.callees.push([]);
      (caller < 0 ? this.tops : this.callees[caller]).push(path);
    });
    for (let path = this.work.length - 1; path >= 0; path--) {
      if (this.caller[path] >= 0) this.work[this.caller[path]] += this.work[path];
    }
    this.whole = this.tops.reduce((sum, path) => sum + this.work[path], 0);
    const order = (a, b) => app.colors.place(this.name[a]) - app.colors.place(this.name[b]) || this.work[b] - this.work[a];
    this.tops.sort(order);
    for (const callees of this.callees) callees.sort(order);
  }

  /** A path and its callers, the outermost first. */
  chain(path) {
    const chain = [];
    for (let at = path; at >= 0; at = this.caller[at]) chain.unshift(at);
    return chain;
  }

  names(path) {
    return this.chain(path).map((at) => app.report.names[this.name[at]]?.name ?? app.model.nameOf(this.name[at]));
  }

  /** The path of some names; -1 if there is none. */
  find(names) {
    let path = -1;
    for (const name of names) {
      path = (path < 0 ? this.tops : this.callees[path]).find((callee) => app.report.names[this.name[callee]]?.name === name) ?? -1;
      if (path < 0) return -1;
    }
    return path;
  }
}

class CallsView {
  constructor() {
    this.names = null; // of the path that fills the width
    this.current = -1;
    this.slice = new CallSlice(() => this.readSlice());
    this.tableBox = el('div', {});
  }

  show() {
    const { report } = app;
    byId('calls').hidden = report.calls.paths.length === 0;
    if (byId('calls').hidden) return;
    this.slice.show();
    this.usePaths(report.calls.paths);
    this.box = el('div', {
      class: 'icicle', role: 'group', 'aria-label': 'Call paths. The arrow keys go from one to the next, Enter fills the width with one and finds its spans, Escape shows all.',
      onkeydown: (event) => this.key(event), onpointerleave: () => this.say(this.current),
    });
    this.said = el('p', { class: 'hint', role: 'status' });
    const { leftOut } = report.calls;
    fill(byId('calls'),
      el('h2', {}, 'Who called whom'),
      el('p', { class: 'lead' }, 'Spans of one name below the same callers are one path. A path is as wide as the work in it and below it, of all workers added up. The part of a path with nothing below it is its own work. Click a path to zoom to it and find its spans in the timeline.'),
      this.note = el('div'),
      el('div', { class: 'card' }, svgButton('call-paths', () => icicleSvg(this.box)), this.slice.tools, this.box, this.said, this.slice.note,
        leftOut > 0 && el('p', { class: 'hint' }, `${count(leftOut, 'path')} with less work ${leftOut === 1 ? 'is' : 'are'} not on this page.`)),
      el('details', { class: 'more' }, el('summary', {}, 'The paths with the most time of their own'), this.tableBox));
    this.findAgain();
    if (this.slice.kind !== 'all') this.readSlice();
  }

  usePaths(rows) {
    this.paths = new CallPaths(rows);
    this.focus = this.names ? this.paths.find(this.names) : -1;
    this.current = this.focus;
  }

  /** Shows the paths of the choice. */
  async readSlice() {
    const { report } = app;
    const number = (this.reads = (this.reads || 0) + 1);
    const rows = await this.slice.rows();
    if (number !== this.reads || report !== app.report) return;
    this.usePaths(rows);
    this.findAgain();
    this.box.dataset.of = this.slice.kind; // for tests
  }

  table() {
    const { paths } = this;
    const { matching } = this;
    const isListed = (path) => (this.slice.kind === 'all' || paths.count[path] > 0 || paths.self[path] > 0) && (!matching || matching[path] > 0);
    const order = paths.name.map((_, path) => path).filter(isListed).sort((a, b) => paths.self[b] - paths.self[a]);
    return el('div', { class: 'card' }, csvButton('calls', () => [['path', 'calls', 'total_ns', 'itself_ns', 'work_ns', 'errors'],
      ...order.map((path) => [paths.names(path).join(' > '), paths.count[path], paths.total[path], paths.self[path], paths.work[path], paths.errors[path]])]),
    scrolling(el('table', {},
      el('thead', {}, el('tr', {}, el('th', { class: 'text', scope: 'col' }, 'Path'), ...[...(matching ? ['Matching'] : []), 'Calls', 'Total', 'Itself', 'Of all work', 'Errors'].map((head) => el('th', { scope: 'col' }, head)))),
      el('tbody', {}, order.slice(0, 50).map((path) => el('tr', {},
        el('td', { class: 'text' }, el('button', { type: 'button', class: 'link', title: 'Show in the timeline', onclick: () => { this.choose(path); app.address.go('timeline'); } },
          el('span', { class: 'long' }, paths.chain(path).map((at) => clip(app.model.nameOf(paths.name[at]), 60)).join(' › ')))),
        matching && numeric(grouped(matching[path])), numeric(grouped(paths.count[path])), numeric(duration(paths.total[path])), numeric(duration(paths.self[path])),
        el('td', {}, percent(paths.self[path], paths.whole), bar(paths.self[path] / Math.max(1, paths.whole))),
        numeric(paths.errors[path] > 0 ? '▲ ' + grouped(paths.errors[path]) : '–', { class: paths.errors[path] > 0 && 'bad' })))))));
  }

  /** The page's query has changed. */
  findAgain() {
    if (!this.paths || byId('calls').hidden) return;
    this.matching = this.matchingPaths();
    fill(this.note, this.matching && app.filter.note('Paths with such spans are coloured and have a frame. All numbers but “Matching” are of all spans.'));
    fill(this.tableBox, this.table());
    const isFocused = this.box.contains(document.activeElement);
    this.draw();
    if (isFocused) this.box.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
  }

  /** How many spans of each path match the page's query; null if there is none, or it is a path. */
  matchingPaths() {
    const found = app.filter.marks();
    if (!found || app.filter.filter.calls) return null;
    const { model } = app;
    const { paths } = this;
    const caller = callerOf(model);
    const key = (path, name) => (path + 1) * 65536 + name;
    const below = new Map();
    paths.name.forEach((name, path) => below.set(key(paths.caller[path], name), path));
    const pathOf = new Int32Array(model.items).fill(-2); // -2: not known yet, -1: of no path
    const counts = new Array(paths.name.length).fill(0);
    const isChosen = this.slice.chooser();
    for (let item = 0; item < model.ended; item++) {
      if (!found[item] || model.flags[item] & DISPATCH || !isChosen(item)) continue;
      const chain = [];
      for (let at = item; at >= 0 && pathOf[at] === -2; at = caller(at)) chain.push(at);
      for (let i = chain.length - 1; i >= 0; i--) {
        const above = caller(chain[i]);
        const over = above < 0 ? -1 : pathOf[above];
        pathOf[chain[i]] = above >= 0 && over < 0 ? -1 : below.get(key(over, model.name[chain[i]])) ?? -1;
      }
      if (pathOf[item] >= 0) counts[pathOf[item]] += model.spans[item];
    }
    return counts;
  }

  draw() {
    if (!this.paths || byId('calls').hidden) return;
    const { paths, focus } = this;
    const width = this.box.clientWidth;
    if (width <= 0) return;
    this.width = width;
    const chain = focus < 0 ? [] : paths.chain(focus);
    const blocks = [this.block(-1, 0, 0, width)];
    chain.forEach((path, i) => blocks.push(this.block(path, i + 1, 0, width)));
    const unit = width / Math.max(1, focus < 0 ? paths.whole : paths.work[focus]);
    let depth = chain.length;
    // Row by row, so that the keyboard finds neighbours beside each other.
    let row = [[focus, 0]];
    while (row.length > 0) {
      depth++;
      const below = [];
      for (const [caller, from] of row) {
        let left = from;
        for (const path of caller < 0 ? paths.tops : paths.callees[caller]) {
          const size = paths.work[path] * unit;
          if (size >= 2) {
            blocks.push(this.block(path, depth, left, size));
            below.push([path, left]);
          }
          left += size;
        }
      }
      row = below;
    }
    this.box.style.height = depth * CALL_HEIGHT + 'px';
    this.box.dataset.blocks = blocks.length; // for tests
    this.box.replaceChildren(...blocks);
    this.say(this.current);
  }

  block(path, depth, left, width) {
    const { paths } = this;
    const name = path < 0 ? 'All calls' : clip(app.model.nameOf(paths.name[path]), 120);
    const color = path < 0 ? '#8993a3' : nameColor(paths.name[path]);
    return el('button', {
      type: 'button', class: path < 0 ? 'all' : this.matching && (this.matching[path] > 0 ? 'found' : 'unfound'), 'data-path': String(path), tabindex: path === this.current ? '0' : '-1',
      'aria-label': this.words(path), 'aria-pressed': String(path === this.focus),
      style: { top: depth * CALL_HEIGHT + 'px', left: left + 'px', width: Math.max(1, width - 1) + 'px', background: color, color: textColorOn(color) },
      onclick: () => this.choose(path), onfocus: () => { this.moveTo(path); this.say(path); }, onpointerenter: () => this.say(path),
    }, width > 30 ? (path >= 0 && paths.errors[path] > 0 ? '▲ ' : '') + isolated(name) + (width > 220 ? '  ' + duration(path < 0 ? paths.whole : paths.work[path]) : '') : '');
  }

  words(path) {
    const { paths } = this;
    if (path < 0) return `All calls${this.slice.words()}: ${duration(paths.whole)} of work${this.slice.kind === 'worker' ? '' : ', of all workers added up'}`;
    const callers = paths.chain(path).slice(0, -1).reverse().map((at) => clip(app.model.nameOf(paths.name[at]), 40));
    const calls = paths.count[path];
    return clip(app.model.nameOf(paths.name[path]), 120) + (callers.length > 0 ? ', called by ' + callers.slice(0, 4).join(', by ') + (callers.length > 4 ? ', …' : '') : '')
      + `: ${count(calls, 'call')}, ${duration(paths.total[path])} in all, ${duration(paths.total[path] / Math.max(1, calls))} each, ${duration(paths.self[path])} itself; `
      + `with what is below it ${percent(paths.work[path], paths.whole)} of all work` + (paths.errors[path] > 0 ? `; ▲ ${count(paths.errors[path], 'error')}` : '')
      + (this.matching ? `; ${grouped(this.matching[path])} match the query` : '');
  }

  say(path) {
    const text = this.words(path) + '.';
    if (this.said.textContent !== text) this.said.textContent = text;
  }

  /** Fills the width with a path, and finds its spans. */
  choose(path) {
    this.set(path);
    const stretch = this.slice.stretch();
    if (path >= 0 && stretch) app.timeline.set(...stretch);
    if (path >= 0) app.timeline.find({ calls: this.names });
    else if (app.filter.filter.calls) app.timeline.find({ text: '' });
    app.address.changed();
  }

  set(path) {
    const isFocused = this.box.contains(document.activeElement);
    this.names = path < 0 ? null : this.paths.names(path);
    this.focus = path;
    this.current = path;
    this.draw();
    if (isFocused) this.box.querySelector(`[data-path="${path}"]`).focus({ preventScroll: true });
  }

  moveTo(path) {
    this.box.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1');
    this.current = path;
    this.box.querySelector(`[data-path="${path}"]`)?.setAttribute('tabindex', '0');
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const block = event.target.closest('[data-path]');
    if (!block) return;
    const path = Number(block.dataset.path);
    const { paths } = this;
    const blocks = [...this.box.children];
    const at = blocks.indexOf(block);
    const beside = (by) => (blocks[at + by]?.style.top === block.style.top ? blocks[at + by] : undefined);
    const of = (other) => this.box.querySelector(`[data-path="${other}"]`);
    const below = () => {
      const callees = path >= 0 ? paths.callees[path] : paths.tops;
      return callees.filter((callee) => of(callee)).sort((a, b) => paths.work[b] - paths.work[a]).map(of)[0];
    };
    const next = { ArrowUp: () => path >= 0 && of(paths.caller[path]), ArrowDown: below, ArrowLeft: () => beside(-1), ArrowRight: () => beside(1) }[event.key];
    if (event.key === 'Escape') this.choose(-1);
    else if (next) next()?.focus?.();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Its part of the address.

  save(parameters) {
    if (this.names) parameters.set('icicle', JSON.stringify(this.names));
    this.slice.save(parameters);
  }

  async restore(parameters) {
    if (!this.paths) return;
    this.slice.restore(parameters);
    this.names = callsOf(parameters.get('icicle'));
    await this.readSlice();
    this.set(this.focus);
  }
}
