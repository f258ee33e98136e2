// The start: reads the report, draws it, and follows it where it is served by a running collector.

const app = { report: null, model: null, timeline: null, stepName: -1, colors: new NameColors(), address: new Address(), trace: new TraceView(), calls: new CallsView(), heat: new HeatMap(), profile: new ProfileView(), services: new ServicesView(), against: new AgainstView(), filter: new PageFilter() };

function redraw() {
  if (!app.model) return;
  app.chart.draw();
  app.runs.draw();
  app.timeline.drawSoon();
  app.trace.layout();
  app.calls.draw();
  app.profile.draw();
  app.against.redraw();
  app.names.draw();
  app.heat.draw();
  app.services.draw();
}

/** Printing waits for no frame. */
function redrawNow() {
  redraw();
  if (!app.model) return;
  app.timeline.draw();
}

async function load(received) {
  const report = harmlessTexts(received);
  const model = await decode(report);
  const baseline = report.against && (await decode(report.against.baseline));
  const isFirst = !app.model;
  const old = app.model;
  app.report = report;
  app.model = model;
  app.stepName = report.steps.areTraces || report.steps.bars.length === 0 || report.steps.bars[0].item < 0
    ? -1 : model.name[report.steps.bars[0].item];
  model.stepName = app.stepName;
  app.colors.show(model, app.stepName);
  const numbers = old && new Renumbered(old, model);
  if (old) {
    for (const view of [app.chart, app.profile, app.calls.slice, app.heat]) view.renumber(numbers);
  }
  byId('wait').hidden = true;
  drawOverview();
  app.services.show();
  if (isFirst) app.timeline = new Timeline();
  app.runs ||= new RunsSection();
  app.runs.show();
  app.chart ||= new StepsChart();
  app.chart.show();
  app.against.show(baseline);
  if (isFirst) {
    app.timeline.show();
    app.names = new NamesTable();
    app.address.holders.push(app.trace, app.timeline, app.chart, app.calls, app.names, app.heat, app.profile, app.services, app.against);
  } else {
    app.timeline.follow(old, numbers.shift);
    app.trace.follow(numbers.shift);
  }
  app.profile.show();
  app.calls.show();
  app.names.show();
  drawOpen();
  drawWorkers();
  drawTrouble();
  const manner = app.isLive ? 'live: this page asks its collector alone.' : 'offline: this page connects to nothing.';
  byId('foot').textContent = `Run ${clip(report.run, 100)} · made by roll-otel, ${manner}`;
  // What the address names was not there when the browser looked for it.
  if (isFirst && location.hash) app.address.restore();
  else if (isFirst && report.where) app.filter.set({ text: report.where });
  if (isFirst) performance.mark('ready');
  document.body.dataset.ready = 'true';
}

function failed(message) {
  const wait = byId('wait');
  wait.hidden = false;
  wait.textContent = message;
}

async function start() {
  followTheme(redraw);
  followPrinting(redrawNow);
  addEventListener('resize', redraw);
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key === '/' && !isTyping && app.timeline) {
      event.preventDefault();
      app.timeline.typeQuery();
    }
    if (event.key === 'Escape' && !isTyping && app.timeline) app.timeline.select(-1);
  });
  if (typeof DecompressionStream === 'undefined') {
    failed('This page needs a browser of 2023 or later.');
    return;
  }
  const report = JSON.parse(byId('data').textContent);
  byId('data').remove(); // its text can be collected
  try {
    app.isLive = Boolean(report.live);
    if (report.live) await follow(report.live, harmless(report.dir || ''));
    else await load(report);
  } catch (error) {
    failed('The report cannot be shown: ' + error);
    throw error;
  }
}

start();
