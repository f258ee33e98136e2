// The details of one span.

/** A link to a trace viewer, if the template gives a safe URL. */
function viewerLink(template, traceId, spanId) {
  if (!template || !traceId || !spanId) return null;
  const filled = template.replaceAll('{trace_id}', traceId).replaceAll('{span_id}', spanId)
    .replaceAll('{traceparent}', `00-${traceId}-${spanId}-01`);
  try {
    const url = new URL(filled);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
  } catch {
    return null;
  }
}

/** An attribute's value for display. */
const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

/** The spans of an item's name below its caller, without itself. */
function siblings(model, item) {
  const parent = model.parent[item];
  const found = [];
  for (let one = 0; parent >= 0 && one < model.ended; one++) {
    if (model.parent[one] === parent && model.name[one] === model.name[item] && one !== item && model.spans[one] === 1) found.push(one);
  }
  return found;
}

/**
 * How long a span took compared with its siblings, or with all of its name; null if there are none.
 */
function compared(model, item) {
  const nanos = model.end[item] - model.start[item];
  const say = (others, usual, isLongest, isShortest, scope) => {
    const ratio = nanos / Math.max(1, usual);
    return el('span', {}, `${duration(nanos)}; ${others} ${duration(usual)}`,
      ratio >= 1.2 || ratio <= 0.8 ? ` (${ratio < 0.1 ? ratio.toFixed(2) : ratio < 10 ? ratio.toFixed(1) : grouped(Math.round(ratio))} times that)` : '',
      isLongest ? ', the longest' : isShortest ? ', the shortest' : '', el('span', { class: 'scope' }, scope));
  };
  if (model.spans[item] > 1) return null;
  const times = siblings(model, item).map((one) => model.end[one] - model.start[one]).sort((a, b) => a - b);
  if (times.length > 0) {
    return say(times.length === 1 ? 'the other took' : `the others’ median, of ${grouped(times.length)}, is`, median(times),
      nanos > times[times.length - 1], nanos < times[0], ' – below the same caller');
  }
  const all = model.report.names[model.name[item]];
  if (!all || all.count < 2) return null;
  return say(`the median of all ${grouped(all.count)} is`, all.p50, nanos >= all.max, false, ' – in the whole run');
}

/**
 * Everything else becomes narrower beside the details of a span; the clicked element stays in
 * place.
 */
function makeRoom(isNeeded, anchor) {
  if (document.body.classList.contains('has-details') === isNeeded) return;
  const before = anchor.getBoundingClientRect().top;
  document.body.classList.toggle('has-details', isNeeded);
  redraw();
  scrollBy(0, anchor.getBoundingClientRect().top - before);
}

/** Moves the focus to what is known of the selected span; Escape leads back. */
function enterDetails() {
  const box = byId('details');
  box.tabIndex = -1;
  if (!box.hidden) box.focus({ preventScroll: true });
}

/** @param view the view in which it was chosen: its row or bar stays visible */
async function showDetails(item, view) {
  const { model, report } = app;
  const box = byId('details');
  const row = model.rows[model.rowOf(item)];
  const joined = model.spans[item];
  const path = Array.from(model.segmentsByItem.subarray(model.segmentsFrom[item], model.segmentsFrom[item + 1]))
    .reduce((sum, segment) => sum + model.segmentEnd[segment] - model.segmentStart[segment], 0);
  const detail = await model.detail(item);
  if (app.model !== model || app.timeline.view.selected !== item) return; // another was clicked meanwhile
  const traceId = model.traceId(item);
  if (detail && joined === 1) {
    app.timeline.view.selectedId = detail.id;
    app.address.changed();
  }
  const link = detail && joined === 1 && viewerLink(report.traceUrl, traceId, detail.id);
  const children = model.children(item);
  const open = model.openOf(item);
  const facts = [
    [open ? 'Open for' : 'Took', duration(model.nanosOf(item))],
    open && ['Its process', processState(open.process)],
    open && ['Thread', String(open.thread)],
    !open && ['Beside others', compared(model, item)],
    !open && ['On the path', model.flags[item] & ON_PATH ? duration(path) + ' itself' : 'no'],
    detail && detail.attributes['roll.recovered'] === true && ['Recovered', '✕ out of the recorder of a process that died: its attributes are lost'],
    detail && detail.queue !== null && joined === 1 && ['Waited', duration(detail.queue) + (detail.queue < 0 ? ': clocks disagree' : ' in a queue')],
    open?.isFar ? ['Started', 'unknown: its clock was off by years, so it is drawn at the end of the run'] : ['Started', moment(model.epoch, model.start[item], true)],
    !open?.isFar && ['', duration(model.start[item]) + ' into the run'],
    ['Process', model.worker(row.worker)],
    ['Trace', traceId ? el('span', { class: 'id' }, traceId, copyButton(traceId, 'the trace id')) : 'not on a page of this size'],
    joined === 1 && detail && ['Span', el('span', { class: 'id' }, detail.id, copyButton(detail.id, 'the span id'))],
    model.flags[item] & ORPHAN && ['Parent', 'not in the file'],
  ].filter((fact) => fact && fact[1]);
  const attributes = detail ? Object.entries(detail.attributes) : [];
  const name = model.nameOf(model.name[item]);
  const bar = app.profile.hasSteps() ? report.steps.bars.findIndex((one) => one.item === item) : -1;
  const choose = (other) => (view === app.trace ? view.choose(other) : app.timeline.reveal(other));
  const hadFocus = box.contains(document.activeElement); // on a button that is about to be replaced
  fill(box,
    el('header', {},
      el('h2', { class: 'named' }, swatch(model.name[item]), el('span', {}, joined > 1 ? `${grouped(joined)} spans, the longest ${name}` : name)),
      el('button', { type: 'button', class: 'quiet', 'aria-label': 'Close', onclick: () => { app.timeline.select(-1); view.box.focus({ preventScroll: true }); } }, '✕')),
    model.isError(item) && el('p', { class: 'reason' }, '▲ ' + (harmless((detail && detail.error) || '') || 'failed; no reason was recorded'),
      detail && detail.error && copyButton(harmless(detail.error), 'the error')),
    joined > 1 && el('p', { class: 'why' }, 'The run has more spans than a page can hold, so that neighbours too short to distinguish are drawn as one.'),
    el('div', { class: 'go' },
      el('button', { type: 'button', onclick: () => (view === app.trace ? view : app.timeline).zoomTo(item) }, 'Zoom to it'),
      view === app.trace
        ? el('button', { type: 'button', onclick: () => app.timeline.reveal(item) }, 'In the timeline')
        : traceId && el('button', { type: 'button', id: 'show-trace', onclick: () => app.trace.open(item) }, 'Show this trace'),
      model.parent[item] >= 0 && el('button', { type: 'button', onclick: () => choose(model.parent[item]) }, 'Parent'),
      children.length > 0 && el('button', { type: 'button', onclick: () => choose(children[0]) },
        children.length === 1 ? 'Child' : `First of ${children.length === 1000 ? '1,000+' : grouped(children.length)} children`),
      bar >= 0 && el('button', { type: 'button', id: 'why-step', title: 'What threads did in it', onclick: () => app.profile.showStep(bar) }, 'Why?'),
      el('button', { type: 'button', id: 'copy-span', title: 'Copies the span in OTLP’s JSON', onclick: async (event) => {
        const button = event.currentTarget;
        button.textContent = await copyText(await otlpJson(model, [item])) ? 'Copied' : 'Could not copy';
      } }, 'Copy as JSON'),
      link && el('a', { href: link, target: '_blank', rel: 'noopener noreferrer' }, 'Open in the trace viewer')),
    whyOfSpan(model, item),
    el('div', { class: 'sides' },
      el('dl', {}, facts.flatMap(([term, text]) => [el('dt', {}, term), el('dd', {}, text)])),
      el('div', {},
        el('h3', {}, 'Attributes' + (joined > 1 ? ' of the longest' : ''),
          attributes.length > 0 && copyButton(harmless(JSON.stringify(detail.attributes, null, 2)), 'all attributes as JSON')),
        attributes.length > 0
          ? attributeList(detail.attributes, true)
          : el('p', { class: 'none' }, open ? 'They come with the end of a span.' : detail ? 'None.' : 'Left out: a page has 20 MB at most, and they go to errors, steps, the critical path and the longest spans first.'),
        eventsAndLinks(model, detail, (other) => (view === app.trace && view.has(other) ? view.choose(other) : app.timeline.reveal(other))))));
  if (hadFocus) enterDetails();
  box.scrollTop = 0;
  box.dataset.item = item; // for tests
  makeRoom(true, view.box);
  const isAtTheSide = box.offsetTop < 200 && box.offsetWidth < innerWidth / 2;
  view.uncover(item, isAtTheSide ? 0 : box.offsetHeight);
}
