// The top of the page: the three questions, answered in words.

/** Waits in queues are mentioned from this share of the steps' time on. */
const LEAST_WAITS = 0.01;

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

/** @param filter as for PageFilter */
function foundButton(filter, text) {
  return el('button', { type: 'button', class: 'link', title: 'Show these spans in the timeline', onclick: () => app.timeline.showFound(filter) }, text);
}

/** Leads to the spans of a worker, or to those of one name. */
function workerButton(number, width, name) {
  const process = app.model.process(number);
  const worker = process?.instance ? (process.service + ' ' + process.instance).trim() : ''; // otherwise others of the service match
  const text = clipMiddle(app.model.worker(number), width);
  return worker ? foundButton({ worker, name: name === undefined ? name : app.model.plainName(name) }, text) : text;
}

/** A run without steps is spoken of by its traces. */
const unit = () => (app.report.steps.areTraces ? 'trace' : 'step');

const stepsWord = (number) => (app.report.steps.areTraces ? count(number, 'trace') : count(number, 'step'));

function drawOverview() {
  const { report, model } = app;
  document.title = 'Run ' + clip(report.run, 60) + ' – roll-otel report';
  fill(byId('overview'),
    el('h1', {}, report.requests ? 'How the requests of this run went' : 'Where the time of this run went'),
    el('p', { class: 'facts' },
      'Run ', el('b', {}, report.run), ', started ', el('b', {}, moment(model.epoch, 0)),
      ', took ', el('b', {}, duration(report.wallNanos)), ' · ',
      [count(report.traces, 'trace'), count(report.spans, 'span'),
        count(report.processes, 'process', 'processes')].join(' · '), ' · ',
      report.errors
        ? el('span', { class: 'bad' }, '▲ ' + count(report.errorsBegun, 'error')
          + (report.errors > report.errorsBegun ? ' in ' + count(report.errors, 'span') : ''))
        : 'no errors'),
    report.requests && el('div', { class: 'requests' }, app.services.card()),
    el('div', { class: 'answers' }, spentCard(), pathCard(), bottleneckCard(), savingsCard()),
    notices());
}

/** Beside numbers that depend on clocks which do not agree. */
function uncertain() {
  const hosts = app.report.doubtfulHosts;
  return hosts.length > 0 && el('p', { class: 'why' }, 'Uncertain: the times of '
    + hosts.slice(0, 3).map((host) => clip(host, 40) || '-').join(', ') + (hosts.length > 3 ? ', …' : '') + ' do not fit the others’.');
}

function answer(question, headline, why, ...rest) {
  return el('div', { class: 'card' },
    el('div', {}, el('h2', { class: 'question' }, question), el('p', { class: 'answer' }, headline),
      why && el('p', { class: 'why' }, why)),
    ...rest);
}

function spentCard() {
  const { steps } = app.report;
  const phases = steps.phases.slice(0, 5);
  // The page lists the longest of hundreds, but all their time is in some phase.
  const others = steps.phases.length > 5 ? phases.reduce((left, phase) => left - phase.total, steps.wall - steps.rest) : 0;
  const shares = phases.map((phase) => [swatch(phase.name), app.model.nameOf(phase.name), phase.total, nameColor(phase.name)]);
  if (others > 0) shares.push([el('span', { class: 'swatch others' }), 'other phases', others, 'var(--dim)']);
  if (steps.count > 0) {
    shares.push([el('span', { class: 'swatch rest' }), 'unattributed', steps.rest, 'var(--idle)']);
  }
  const first = phases[0];
  const headline = steps.count === 0
    ? 'Nothing with a time was recorded'
    : first && first.total >= steps.rest
      ? percent(first.total, steps.wall) + ' in ' + clip(app.model.nameOf(first.name), 60)
      : percent(steps.rest, steps.wall) + ' in the ' + (steps.areTraces ? 'traces’ roots' : 'steps') + ' themselves';
  return answer('Where is the time spent?', headline,
    steps.count > 0 && stepsWord(steps.count) + (steps.count > 1 ? ', ' + stepsTogether(steps)
      + ', the median one ' : ', ') + duration(steps.median)
      + `. A phase is what a ${unit()} waits for: its child that ends last.`,
    betweenSteps(steps.between),
    el('div', { class: 'stack', 'aria-hidden': 'true' }, shares.map(([, , nanos, color]) =>
      nanos > 0 && el('i', { style: { background: color, flex: String(nanos / Math.max(1, steps.wall)) } }))),
    el('ul', { class: 'shares' }, shares.map(([mark, name, nanos]) =>
      el('li', {}, mark, line(name), el('span', { class: 'of' }, duration(nanos)),
        el('span', { class: 'pct' }, percent(nanos, steps.wall))))),
    whyOfAll());
}

/** The time that is in none of the shares. */
function betweenSteps(between) {
  if (!between) return null;
  const work = between.work.slice(0, 5).map(({ name, nanos }) => `${clip(app.model.nameOf(name), 60)} ${duration(nanos)}`).join(', ');
  return el('p', { class: 'why' }, `Besides, no step ran for ${duration(between.nanos)}, ${percent(between.share, 1)} of the time from the first to the last`
    + (work ? `: ${work}.` : '.'));
}

/** What the steps add up to, which is more than the run's time where several run at once. */
function stepsTogether(steps) {
  const atOnce = ` up to ${grouped(steps.atOnce)} at once`;
  const [times, unit] = steps.perMinute >= 0.995 ? [1, 'a minute'] : steps.perMinute * 60 >= 0.995 ? [60, 'an hour'] : [1440, 'a day'];
  const rate = steps.perMinute > 0 ? `, ${amount(steps.perMinute * times)} ${unit}` : '';
  if (steps.overlap) return `which overlap,${atOnce}: ${duration(steps.wall)} in ${duration(steps.extent)}${rate}`;
  const several = steps.areTraces && steps.atOnce > 1 && !app.report.standsForTraces;
  return duration(steps.wall) + (several ? ' in all,' + atOnce : ' together') + rate;
}

function pathCard() {
  const { path } = app.report;
  const parts = path.names.map(([number, nanos]) => [app.model.nameOf(number), nanos]);
  const waits = path.waiting && ['queue waits, most: ' + app.model.nameOf(path.waiting.name), path.waiting.total];
  if (waits) parts.push(waits);
  parts.sort((a, b) => b[1] - a[1]);
  const places = path.workers.map(([number, nanos]) => [app.model.workers.inWords(number), nanos, app.model.worker(number)]);
  if (waits) places.push(['no process: queue waits', path.waiting.total]);
  places.sort((a, b) => b[1] - a[1]);
  const top = parts[0];
  const ofTop = () => (top === waits ? 'waiting in queues' : clipMiddle(top[0], 60));
  const bars = (rows, shown) => el('ul', { class: 'shares bars' }, rows.slice(0, 4).map(([label, nanos, whole]) =>
    el('li', {}, shown(label, whole), el('span', { class: 'of' }, duration(nanos)),
      el('span', { class: 'pct' }, percent(nanos, path.total)),
      el('span', { class: 'meter', 'aria-hidden': 'true' },
        el('i', { style: { width: percent(nanos, path.total) } })))));
  return answer('What is the critical path?',
    top ? percent(top[1], path.total) + ' of it is ' + ofTop() : 'Nothing was recorded',
    `The chain of work without which the ${path.ofRun ? 'run' : unit() + 's'} would have ended earlier: what to make faster first.`
      + (path.between > 0 ? ` ${percent(path.between, path.total)} of it lies between one step and the next.` : ''),
    top && bars(parts, line),
    path.workers.length > 1 && el('div', {}, el('h3', {}, 'By process'), bars(places, (label, whole) => el('div', { title: whole }, workerLine(label)))),
    whyOfPath(),
    uncertain(),
    top && el('div', {}, el('button', { type: 'button', onclick: () => app.timeline.showPath() },
      'Show it in the timeline')));
}

function bottleneckCard() {
  const findings = [straggler(), slowWorker(), slowestStep(), ...waits(), bubbles(), queueing()].filter(Boolean);
  const worst = findings.filter((finding) => finding.headline).sort((a, b) => b.share - a.share)[0];
  const question = app.report.steps.areTraces ? 'Which trace or process is the bottleneck?' : 'Which step or worker is the bottleneck?';
  return answer(question, worst ? worst.headline : 'None stands out', null,
    el('ul', { class: 'said' }, findings.map((finding) =>
      el('li', { class: finding === worst && 'main' }, ...finding.words))),
    worst?.why,
    uncertain());
}

/** Below the others, as wide as they are; none where no replay tells. */
function savingsCard() {
  const { savings, steps } = app.report;
  if (savings.length === 0) return null;
  const card = answer('What would save time?', `Up to ${percent(Math.max(...savings.map(({ saves }) => saves)), steps.wall)} of ${unit()} time`,
    `How much earlier the ${unit()}s would have ended without each of these, by a replay of the ${unit()}s. The savings overlap.`,
    el('ul', { class: 'said saves' }, savings.map((saving) =>
      el('li', {}, el('b', {}, `${percent(saving.saves, steps.wall)}, ${duration(saving.saves)}: `),
        itemButton(saving.item, saving.text)))));
  card.classList.add('wide');
  return card;
}

/** Each with the share of the steps' time that it cost, and a headline where that is worth one. */
function straggler() {
  const { report, model } = app;
  const row = report.stragglers[0];
  if (!row || row.cost === 0) return null;
  const last = row.workers[0];
  const share = last.cost / report.steps.wall;
  if (share < 0.01) return null;
  if (row.tail) return { share, headline: false, words: [itemButton(row.worst, row.tail + '.')] }; // any worker may get such a call
  return {
    share,
    why: whyOfWorker(row.name, last.worker),
    headline: share >= 0.03 && clipMiddle(model.workers.inWords(last.worker), 60) + (last.late ? ' is sent its calls last' : ' keeps the others waiting'),
    words: [itemButton(row.worst, clipMiddle(model.workers.inWords(last.worker), 80)),
      ` was the last to finish ${clip(model.nameOf(row.name), 60)} in ${grouped(last.times)} of ${last.fanOuts < row.fanOuts ? 'its ' : ''}${count(last.fanOuts, 'fan-out')}`
        + `${last.always ? ', always' : ''}: the others waited ${duration(last.cost)} for it, ${percent(last.cost, report.steps.wall)} of the ${unit()}s’ time.`
        + (last.late ? ` Its calls are sent last, ${duration(last.late)} after the first.` : '')],
  };
}

/** One that is not the straggler, such as one that the others wait for inside their calls. */
function slowWorker() {
  const { slow: [slow], steps } = app.report;
  if (!slow) return null;
  const share = slow.saves / steps.wall;
  return { share, headline: share >= 0.03 && slow.words,
    words: [itemButton(slow.item, slow.words), `: that costs ${percent(share, 1)} of ${unit()} time.`] };
}

/** What seems to be the work, in the other cards, but only waits for the work of others. */
function waits() {
  return app.report.waits.map((wait) => ({ share: 0, headline: false, words: [itemButton(wait.item, wait.text + '.')] }));
}

function slowestStep() {
  const { steps } = app.report;
  const slowest = steps.slowest[0];
  if (!slowest || steps.count < 2) return null;
  const [usual, of] = usualOf(slowest);
  const times = (slowest.wall / Math.max(1, usual)).toFixed(1);
  const share = (slowest.wall - usual) / steps.wall;
  const label = upper(stepLabel(slowest));
  return {
    share,
    headline: share >= 0.03 && slowest.wall >= 1.5 * usual && `${label} took ${times} times the median${of}`,
    words: [itemButton(slowest.item, label), ` took longest: ${duration(slowest.wall)}, ${times} times the median${of}${mostOfIt()}${diedIn(slowest)}.`],
  };
}

/** The median to compare a step with, and whose it is: a trace is compared with those of its own root. */
function usualOf(slowest) {
  const { steps, requests } = app.report;
  const trace = requests && requests.traces.find(([item]) => item === slowest.item);
  if (!trace) return [steps.median, ''];
  const root = requests.roots[trace[1]];
  return [root.p50, ' of ' + clip(app.model.nameOf(root.name), 60)];
}

/** Whether a process ended in the step without ending its calls: that may be why it was slow. */
function diedIn(step) {
  const { model } = app;
  const trace = step.item < 0 ? '' : model.traceId(step.item);
  const open = trace && model.open.findLast((one) => hasDied(one.process) && model.traceId(one.item) === trace
    && one.start <= model.end[step.item] && model.end[one.item] >= model.start[step.item]);
  return open ? `; ✕ ${clipMiddle(model.workers.inWords(open.worker), 60)} died in it, in ${clip(model.nameOf(model.name[open.item]), 60)}` : '';
}

/** The phase that makes the slowest step so long. */
function mostOfIt() {
  const why = app.report.steps.whySlowest;
  return why ? `; ${duration(why.nanos)} of it in ${clip(app.model.nameOf(why.name), 60)}` : '';
}

function bubbles() {
  const { report, model } = app;
  if (report.steps.areTraces) return null; // between the requests of others a service has nothing to do
  const idleShare = ({ worker }) => 1 - worker.stepBusy / worker.stepWall;
  const idle = report.workers
    .map((worker, number) => ({ worker, number }))
    .filter(({ worker }) => !worker.driver && worker.stepWall > 0)
    .sort((a, b) => idleShare(b) - idleShare(a));
  if (idle.length === 0) return null;
  const wall = idle.reduce((sum, { worker }) => sum + worker.stepWall, 0);
  const busy = idle.reduce((sum, { worker }) => sum + worker.stepBusy, 0);
  const most = idle.length > 1 ? `, most of all ${clipMiddle(model.workers.inWords(idle[0].number), 80)} (${percent(idleShare(idle[0]), 1)}).` : '.';
  return {
    share: 0, // not to be gained: no worker is ever busy all the time
    headline: busy < wall / 2 && 'The workers are idle for more than half of step time',
    words: [el('a', { href: '#workers' }, count(idle.length, 'worker')),
      ` ${idle.length === 1 ? 'was' : 'were'} idle for ${percent(wall - busy, wall)} of step time${most}`],
  };
}

function queueing() {
  const { report, model } = app;
  const queue = report.queues[0];
  if (!queue || queue.delay < LEAST_WAITS * report.steps.wall) return null;
  const name = clip(model.nameOf(queue.name), 60);
  return {
    share: 0,
    headline: queue.p50 > queue.work / queue.count && name + ' waits longer than it works',
    words: [nameButton(queue.name), ` waited ${duration(queue.wait)} in queues, over ${count(queue.count, 'call')}, and worked ${duration(queue.work)}.`],
  };
}

const upper = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

function stepLabel(step) {
  if (step.label !== '') return (app.report.steps.areTraces ? 'trace ' : 'step ') + step.label;
  const of = app.report.steps.areTraces ? 'the trace' : 'the step';
  return step.start === 0 ? of.replace('the ', 'the first ') : of + ' at ' + duration(step.start);
}

/** In what processes died: the last that each had begun. */
function died() {
  const { model } = app;
  const last = new Map();
  for (const open of model.open) if (hasDied(open.process)) last.set(open.process, open);
  const words = [...last.values()].map((open) =>
    `${clipMiddle(model.workers.inWords(open.worker), 60)} died in ${clip(model.nameOf(model.name[open.item]), 60)}`);
  return words.length === 0 ? '' : ' ✕ ' + words.slice(0, 3).join('; ') + (words.length > 3 ? `; and ${grouped(words.length - 3)} others` : '') + '.';
}

/** Which traces have their spans on the page; empty where all have. */
function chosenTraces() {
  const { selection, spans } = app.report;
  if (!selection) return '';
  return `Single spans are shown of ${grouped(selection.traces)} of ${count(selection.ofTraces, 'trace')} (${grouped(selection.spans)} of ${count(spans, 'span')}): `
    + 'those that the report names, long ones of every part of the run, and an even sample.';
}

function notices() {
  const { report } = app;
  const said = [];
  const note = (number, one, many, rest) => number > 0 && said.push(count(number, one, many) + rest);
  if (report.standsForTraces) {
    said.push(`Traces were sampled: these stand for ${count(report.standsForTraces, 'trace')} `
      + `(${grouped(report.tracesLow)} to ${grouped(report.tracesHigh)}, with a confidence of 95 %) and `
      + `${count(report.standsForSpans, 'span')} (${grouped(report.spansLow)} to ${grouped(report.spansHigh)}). `
      + 'Totals are estimates for all of these; steps and the timeline show what was taken.');
  }
  if (report.joinedRuns.length > 0) {
    said.push(`This run is one with ${report.joinedRuns.slice(0, 5).map((run) => clip(run, 60)).join(', ')}`
      + (report.joinedRuns.length > 5 ? ', …' : '') + ', whose processes share its traces.');
  }
  if (report.selection) {
    said.push('The run was read in parts. Its figures, tables and charts are of all spans. ' + chosenTraces()
      + ' The timeline, single traces, and what a query matches are of these alone.');
  }
  note(report.steps.leftOut, 'trace is', 'traces are', ' not among the bars of the chart: there are too many, and it shows the slowest.');
  note(report.unendedTraces, 'trace has', 'traces have', ' no root: it had not ended, or was lost.');
  note(report.steps.virtual, report.steps.areTraces ? 'trace without its root is' : 'step that has not ended is',
    report.steps.areTraces ? 'traces without a root are each' : 'steps that have not ended are each', ' only as long as what was read of it.');
  note(report.orphanSpans - report.open.parents, 'span’s parent is', 'spans’ parents are', ' not in the file.');
  note(report.open.count, 'span has', 'spans have', ' not ended: see “Still open” below the timeline.' + died());
  note(report.droppedSpans, 'span was', 'spans were', ' dropped, so that counts and times are too low. The text report names the processes.');
  said.push(...report.missingRanks);
  note(report.backwardsSpans, 'span ends', 'spans end', ' before the start, and count as 0 ns.');
  note(report.untimedSpans, 'span has', 'spans have', ' no times, and are not drawn.');
  note(report.misdatedSpans, 'span is', 'spans are', ' years away from the others: a clock was wrong. They are not drawn.');
  for (const clock of report.clocks) {
    said.push(`The clock of ${clock.host || '-'} was ${clock.atLeast ? 'at least ' : ''}${duration(Math.abs(clock.nanos))} `
      + `${clock.nanos > 0 ? 'ahead of' : 'behind'} that of ${clock.of || '-'}${clock.atLeast ? '' : ` (±${duration(clock.uncertainty)})`}. `
      + 'Its times are corrected by that.');
  }
  for (const pair of report.clocksDisagree) {
    said.push(pair.skewed
      ? `The clock of ${pair.ahead || '-'} is about ${duration(pair.nanos)} (±${duration(pair.uncertainty)}) ahead of that of ${pair.behind || '-'}. No time is corrected.`
      : `The calls between ${pair.ahead || '-'} and ${pair.behind || '-'} contradict each other, so that their clocks cannot be compared.`);
  }
  note(report.files.unreadableLines, 'line', 'lines', ' could not be read: ' + report.files.unreadable.slice(0, 3).join('; '));
  note(report.files.tornLines, 'line was', 'lines were', ' cut off by the end of a process.');
  note(report.files.duplicates, 'span was', 'spans were', ' delivered twice, and count once.');
  if (report.files.leftOutBytes > 0) {
    said.push(`While the run is on, this is its newest part; ${Math.ceil(report.files.leftOutBytes / 1e6)} MB before it are left out. “report” shows all of it.`);
  }
  const timed = report.selection ? report.selection.timed : report.spans - report.untimedSpans - report.misdatedSpans;
  const hidden = timed - report.timeline.spans;
  note(hidden, 'span is', 'spans are', ' nested too deeply to be drawn.');
  if (report.otherRuns.length > 0) {
    said.push('Other runs in these files, which --run ID shows: '
      + report.otherRuns.slice(0, 5).map((run) => clip(run.run, 60)).join(', ')
      + (report.otherRuns.length > 5 ? ', …' : '') + '.');
  }
  return said.length > 0 && el('div', { class: 'notices' }, el('ul', {}, said.map((text) => el('li', {}, text))));
}
