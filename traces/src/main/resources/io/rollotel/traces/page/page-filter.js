// The page's query: one for all views. The address holds it, a bar below the heading shows it, and
// each view says how many match.

/** What a filter is in the language of queries; calls have no words in it. */
function queryOf({ text, name, from, to, waited, worker }) {
  if (name === undefined && worker === undefined) return text;
  const nanos = (op, value) => (value === undefined || !Number.isFinite(value) ? '' : `${op}${Math.round(value)}ns`);
  return [worker !== undefined && 'worker=' + asValue(worker), name !== undefined && 'name=' + asValue(name),
    nanos('dur>=', from), nanos('dur<', to), nanos('queue>=', waited)].filter(Boolean).join(' ');
}

class PageFilter {
  constructor() {
    this.filter = { text: '' };
    this.found = null;
    this.model = null;
    this.error = null;
    this.hint = '';
  }

  /** What the field says of it. */
  text() {
    const { calls, text } = this.filter;
    return calls ? calls.map((one) => one || '(no name)').join(' › ') : text;
  }

  isEmpty() {
    return !this.filter.calls && this.filter.text.trim() === '';
  }

  /** Of each item whether it matches; null where nothing is looked for, or not yet in this state of the run. */
  marks() {
    return this.model === app.model ? this.found : null;
  }

  /**
   * @param filter as of findItems; or a name, a worker or both, and how long its spans took, from and
   *     to, or how long they waited at least
   */
  async set(filter) {
    const { model } = app;
    const mine = filter.calls ? { calls: filter.calls } : { text: queryOf(filter) };
    this.filter = mine;
    app.timeline.query.show(this.text()); // what is typed meanwhile stays
    let found = null;
    let error = null;
    let hint = '';
    if (!this.isEmpty()) {
      try {
        found = await findItems(model, mine);
        if (mine.text && !found.includes(1)) hint = await unknownAttribute(model, parseQuery(mine.text));
      } catch (thrown) {
        if (!(thrown instanceof QueryError)) throw thrown;
        error = thrown;
      }
    }
    if (this.filter !== mine || app.model !== model) return; // another search has begun meanwhile
    const isOther = found !== null || this.found !== null;
    Object.assign(this, { found, error, hint, model });
    this.sum(model);
    app.timeline.showMatches();
    this.draw();
    if (isOther) this.drawViews();
    app.address.changed();
  }

  sum({ items, spans }) {
    this.matching = 0;
    this.total = 0;
    for (let item = 0; item < items; item++) {
      this.total += spans[item];
      if (this.found && this.found[item]) this.matching += spans[item];
    }
  }

  /** How many of the spans that are items match, or all where nothing is looked for. */
  words() {
    const { selection } = app.report;
    return (this.marks() ? grouped(this.matching) + ' of ' : '') + count(this.total, 'span')
      + (selection ? ` of the ${grouped(selection.traces)} chosen traces` : '');
  }

  /** The bar, which is in sight with every view. */
  draw() {
    const bar = byId('query-bar');
    document.body.classList.toggle('has-query', !this.isEmpty());
    if (this.isEmpty()) {
      bar.hidden = true;
    } else {
      fill(bar, el('div', { class: 'inner' },
        el('button', { type: 'button', class: 'link', title: 'Change the query', 'aria-label': 'Change the query ' + clip(this.text(), 200), onclick: () => app.timeline.typeQuery() },
          el('code', { class: 'one-line' }, clip(this.text(), 300))),
        el('span', { id: 'query-count' }, this.error ? 'cannot be read: all spans are shown' : this.words() + (this.matching === this.total ? '' : ' match')),
        el('button', { type: 'button', class: 'quiet', id: 'query-clear', title: 'Clear the query', 'aria-label': 'Clear the query', onclick: () => this.set({ text: '' }) }, '×')));
    }
  }

  /** The views whose rows depend on it. */
  drawViews() {
    app.trace.findAgain();
    app.calls.findAgain();
    app.names.show();
    drawOpen();
    drawWorkers();
    drawTrouble();
  }

  /** How many matching spans there are by a number of each item; null where nothing is looked for. */
  counts(numberOf, size) {
    const found = this.marks();
    if (!found) return null;
    const { spans, items } = app.model;
    const counts = new Array(size).fill(0);
    for (let item = 0; item < items; item++) {
      const number = found[item] ? numberOf(item) : -1;
      if (number >= 0 && number < size) counts[number] += spans[item];
    }
    return counts;
  }

  countsByName() {
    return this.counts((item) => (item < app.model.ended && !(app.model.flags[item] & DISPATCH) ? app.model.name[item] : -1), app.report.names.length);
  }

  countsByWorker() {
    if (!this.marks()) return null;
    const workerOf = new Int32Array(app.model.items);
    for (const row of app.model.rows) workerOf.fill(row.worker, row.first, row.last);
    return this.counts((item) => workerOf[item], app.report.workers.length);
  }

  /** The longest spans that match, but for steps; null where nothing is looked for. */
  slowest(most) {
    const found = this.marks();
    if (!found) return null;
    const { model, stepName } = app;
    const nanos = (item) => model.end[item] - model.start[item];
    let longest = [];
    let least = -1;
    for (let item = 0; item < model.ended; item++) {
      if (!found[item] || model.name[item] === stepName || nanos(item) <= least) continue;
      longest.push(item);
      if (longest.length < 20 * most) continue;
      longest = longest.sort((a, b) => nanos(b) - nanos(a)).slice(0, most);
      least = nanos(longest[most - 1]);
    }
    return longest.sort((a, b) => nanos(b) - nanos(a)).slice(0, most)
      .map((item) => ({ item, name: model.name[item], worker: model.rows[model.rowOf(item)].worker, nanos: nanos(item) }));
  }

  /** What a view says of its rows under a query, nothing where there is none. */
  note(text) {
    return this.marks() && el('p', { class: 'matching' }, `${this.words()} match the query. ${text}`);
  }

  // Its part of the address.

  save(parameters) {
    const { calls, text } = this.filter;
    if (calls) parameters.set('calls', JSON.stringify(calls));
    else if (text.trim() !== '' && !this.error) parameters.set('find', text);
  }

  restore(parameters) {
    const calls = callsOf(parameters.get('calls'));
    const name = parameters.get('name'); // as pages before had it
    const took = rangeOf(parameters.get('took'));
    const find = parameters.get('find') ?? (location.hash.length > 1 ? '' : app.report.where || '');
    return this.set(calls ? { calls } : name !== null ? { name, ...(took && { from: took[0], to: took[1] }) } : { text: readable(find) });
  }
}

/** A search text from before queries existed is quoted if it is not a query. */
function readable(text) {
  try {
    parseQuery(text);
    return text;
  } catch {
    return quoted(text);
  }
}

/** Names the attribute of a query that no span of the page has; empty if all are known. */
async function unknownAttribute(model, alternatives) {
  for (const term of alternatives.flat()) {
    if (term.kind !== 'attribute' || term.isNot) continue;
    let isKnown = false;
    await eachAttribute(model, term.key, () => { isKnown = true; });
    if (!isKnown) return `No span on this page has an attribute ${clip(term.key, 60)}. To search for text, put it in quotes.`;
  }
  return '';
}
