// The top of the page: the three questions, answered in words.

const PALETTE = [
  '#3b7dd8', '#e08a2e', '#3f9d6b', '#9a6fd0', '#c9a227', '#2fa3a8',
  '#d0679d', '#8a6b4f', '#6d8fe0', '#93a83a', '#5e7f96', '#c58a6a',
];

/** A name has its colour on the whole page; steps themselves are grey, they are what is divided. */
function nameColor(number) {
  if (number === app.stepName) return '#8993a3';
  return PALETTE[(number > app.stepName && app.stepName >= 0 ? number - 1 : number) % PALETTE.length];
}

function swatch(number) {
  return el('span', { class: 'swatch', style: { background: nameColor(number) }, 'aria-hidden': 'true' });
}

const line = (text) => el('span', { class: 'one-line', title: text }, clip(text, 200));

/** A name that shows its spans in the timeline. */
function nameButton(number) {
  const name = app.model.nameOf(number);
  return el('button', {
    type: 'button', class: 'link', title: 'Show in the timeline: ' + clip(name, 300),
    onclick: () => app.timeline.showName(number),
  }, el('span', { class: 'long' }, clip(name, 300)));
}

function itemButton(item, text) {
  if (item < 0) return el('span', {}, text);
  return el('button', {
    type: 'button', class: 'link', title: 'Show in the timeline',
    onclick: () => app.timeline.reveal(item),
  }, text);
}

const stepsWord = (number) => (app.report.steps.areTraces ? count(number, 'trace') : count(number, 'step'));

function drawOverview() {
  const { report, model } = app;
  document.title = 'Run ' + clip(report.run, 60) + ' – roll-otel report';
  fill(byId('overview'),
    el('h1', {}, 'Where the time of this run went'),
    el('p', { class: 'facts' },
      'Run ', el('b', {}, report.run), ', started ', el('b', {}, moment(model.epoch, 0)),
      ', took ', el('b', {}, duration(report.wallNanos)), ' · ',
      [count(report.traces, 'trace'), count(report.spans, 'span'),
        count(report.processes, 'process', 'processes')].join(' · '), ' · ',
      report.errors
        ? el('span', { class: 'bad' }, '▲ ' + count(report.errors, 'error'))
        : 'no errors'),
    el('div', { class: 'answers' }, spentCard(), pathCard(), bottleneckCard()),
    notices());
}

function answer(question, headline, why, ...rest) {
  return el('div', { class: 'card' },
    el('div', {}, el('h2', { class: 'question' }, question), el('p', { class: 'answer' }, headline)),
    ...rest, why && el('p', { class: 'why' }, why));
}

function spentCard() {
  const { steps } = app.report;
  const phases = steps.phases.slice(0, 5);
  const others = steps.phases.slice(5).reduce((sum, phase) => sum + phase.total, 0);
  const shares = phases.map((phase) => [swatch(phase.name), app.model.nameOf(phase.name), phase.total, nameColor(phase.name)]);
  if (others > 0) shares.push([el('span', { class: 'swatch rest' }), 'other phases', others, 'var(--dim)']);
  if (steps.count > 0) {
    shares.push([el('span', { class: 'swatch rest' }), 'in no phase', steps.rest, 'var(--idle)']);
  }
  const first = phases[0];
  const headline = steps.count === 0
    ? 'No step was recorded'
    : first && first.total >= steps.rest
      ? percent(first.total, steps.wall) + ' in ' + clip(app.model.nameOf(first.name), 60)
      : percent(steps.rest, steps.wall) + ' in no phase of its own';
  return answer('Where is the time spent?', headline,
    steps.count > 0 && stepsWord(steps.count) + (steps.count > 1 ? ', ' + duration(steps.wall)
      + ' together, the median one ' : ', ') + duration(steps.median)
      + '. A phase is what a step waits for: its child that ends last.',
    el('div', { class: 'stack', 'aria-hidden': 'true' }, shares.map(([, , nanos, color]) =>
      nanos > 0 && el('i', { style: { background: color, flex: String(nanos / Math.max(1, steps.wall)) } }))),
    el('ul', { class: 'shares' }, shares.map(([mark, name, nanos]) =>
      el('li', {}, mark, line(name), el('span', { class: 'of' }, duration(nanos)),
        el('span', { class: 'pct' }, percent(nanos, steps.wall))))));
}

function pathCard() {
  const { path } = app.report;
  const top = path.names[0];
  const bars = (pairs, label) => el('ul', { class: 'shares bars' }, pairs.slice(0, 4).map(([number, nanos]) =>
    el('li', {}, line(label(number)), el('span', { class: 'of' }, duration(nanos)),
      el('span', { class: 'pct' }, percent(nanos, path.total)),
      el('span', { class: 'meter', 'aria-hidden': 'true' },
        el('i', { style: { width: percent(nanos, path.total) } })))));
  return answer('What is the critical path?',
    top ? percent(top[1], path.total) + ' of it is ' + clip(app.model.nameOf(top[0]), 60) : 'Nothing was recorded',
    'The chain of work without which a step would have ended earlier. To make the run faster, make '
      + 'this faster.',
    top && bars(path.names, (number) => app.model.nameOf(number)),
    path.workers.length > 1 && el('div', {}, el('h3', {}, 'By process'),
      bars(path.workers, (number) => app.model.worker(number))),
    top && el('div', {}, el('button', { type: 'button', onclick: () => app.timeline.showPath() },
      'Show it in the timeline')));
}

function bottleneckCard() {
  const { report, model } = app;
  const { steps } = report;
  const said = [];
  let headline = 'None stands out';
  const straggler = report.stragglers[0];
  if (straggler && straggler.cost > 0) {
    const worst = straggler.workers[0];
    if (worst.cost >= 0.03 * steps.wall) headline = clip(model.worker(worst.worker), 60) + ' keeps the others waiting';
    said.push([worst.cost >= 0.03 * steps.wall,
      itemButton(straggler.worst, clip(model.worker(worst.worker), 80)),
      ` was last in ${grouped(worst.times)} of ${count(straggler.fanOuts, 'fan-out')} of `
        + clip(model.nameOf(straggler.name), 60) + (straggler.alwaysTheSame ? ', always' : '')
        + `: the others waited ${duration(worst.cost)} for it, ${percent(worst.cost, steps.wall)} of the steps’ time.`]);
  }
  const slowest = steps.slowest[0];
  if (slowest) {
    const times = steps.median > 0 ? slowest.wall / steps.median : 1;
    const label = stepLabel(slowest);
    if (said.length === 0 || !said[0][0]) {
      if (times >= 1.5) headline = upper(label) + ' took ' + times.toFixed(1) + ' times the median';
    }
    said.push([false, itemButton(slowest.item, upper(label)),
      ` took longest: ${duration(slowest.wall)}, ${times.toFixed(1)} times the median.`]);
  }
  const idle = report.workers
    .map((worker, number) => ({ worker, number }))
    .filter(({ worker }) => !worker.driver && worker.stepWall > 0)
    .sort((a, b) => b.worker.stepWall * a.worker.stepBusy - a.worker.stepWall * b.worker.stepBusy);
  if (idle.length > 0) {
    const wall = idle.reduce((sum, { worker }) => sum + worker.stepWall, 0);
    const busy = idle.reduce((sum, { worker }) => sum + worker.stepBusy, 0);
    const most = idle[0];
    said.push([false, el('a', { href: '#workers' }, count(idle.length, 'worker')),
      ` stood idle for ${percent(wall - busy, wall)} of the steps’ time`
        + (idle.length > 1 ? `, most of all ${clip(model.worker(most.number), 80)} (${percent(most.worker.stepWall - most.worker.stepBusy, most.worker.stepWall)}).` : '.')]);
  }
  const queue = report.queues[0];
  if (queue && queue.count > 0) {
    const waits = queue.wait > queue.work;
    if (waits && !said.some(([isMain]) => isMain)) headline = clip(model.nameOf(queue.name), 60) + ' waits longer than it works';
    said.push([waits, clip(model.nameOf(queue.name), 80),
      ` waited ${duration(queue.wait)} in queues and worked ${duration(queue.work)}.`]);
  }
  return answer('Which step or worker is the bottleneck?', headline, null,
    el('ul', { class: 'said' }, said.map(([isMain, ...words]) => el('li', { class: isMain && 'main' }, ...words))));
}

const upper = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

function stepLabel(step) {
  if (step.label !== '') return 'step ' + step.label;
  const of = app.report.steps.areTraces ? 'the trace' : 'the step';
  return of + ' at ' + duration(step.start);
}

function notices() {
  const { report } = app;
  const said = [];
  const note = (number, one, many, rest) => number > 0 && said.push(count(number, one, many) + rest);
  note(report.unendedTraces, 'trace has', 'traces have', ' no root: it had not ended, or was lost.');
  note(report.orphanSpans, 'span’s parent is', 'spans’ parents are', ' not in the file.');
  note(report.backwardsSpans, 'span ends', 'spans end', ' before the start, and count as 0 ns.');
  note(report.untimedSpans, 'span has', 'spans have', ' no times, and are not drawn.');
  for (const clock of report.clocks) {
    said.push(`The clock of ${clock.ahead || '-'} is about ${duration(clock.nanos)} ahead of that of `
      + `${clock.behind || '-'}, give or take ${duration(clock.uncertainty)}. No time is corrected.`);
  }
  note(report.files.unreadableLines, 'line', 'lines', ' could not be read: ' + report.files.unreadable.slice(0, 3).join('; '));
  note(report.files.tornLines, 'line was', 'lines were', ' cut off by the end of a process.');
  note(report.files.duplicates, 'span was', 'spans were', ' delivered twice, and count once.');
  note(report.bytesLeftOut || 0, 'older byte', 'older bytes', ' of the files are left out while the run is on.');
  const hidden = report.spans - report.timeline.spans - report.untimedSpans;
  note(hidden, 'span is', 'spans are', ' nested too deeply to be drawn.');
  if (report.otherRuns.length > 0) {
    said.push('Other runs in these files, which --run ID shows: '
      + report.otherRuns.slice(0, 5).map((run) => clip(run.run, 60)).join(', ')
      + (report.otherRuns.length > 5 ? ', …' : '') + '.');
  }
  return said.length > 0 && el('div', { class: 'notices' }, el('ul', {}, said.map((text) => el('li', {}, text))));
}
