// The start: reads the report, draws it, and follows it where it is served by a running collector.

const app = { report: null, model: null, timeline: null, stepName: -1, colors: new NameColors(), address: new Address(), trace: new TraceView(), calls: new CallsView(), profile: new ProfileView(), filter: new PageFilter() };

function useTheme(choice) {
  const isDark = choice ? choice === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  const button = byId('theme');
  fill(button, isDark ? '☀ ' : '☾ ', el('span', { class: 'word' }, isDark ? 'Light' : 'Dark'));
  button.setAttribute('aria-label', isDark ? 'Change to the light theme' : 'Change to the dark theme');
}

/** The theme that was chosen before; some browsers keep nothing for files. */
function chosenTheme(chosen) {
  try {
    if (chosen) localStorage.setItem('roll-otel-theme', chosen);
    return localStorage.getItem('roll-otel-theme');
  } catch {
    return chosen || null;
  }
}

function redraw() {
  if (!app.model) return;
  app.chart.draw();
  app.runs.draw();
  app.timeline.drawSoon();
  app.trace.layout();
  app.calls.draw();
  app.profile.draw();
  app.names.draw();
  if (app.idleChart) app.idleChart.draw();
}

async function load(received) {
  const report = harmlessTexts(received);
  const model = await decode(report);
  const isFirst = !app.model;
  const old = app.model;
  app.report = report;
  app.model = model;
  app.stepName = report.steps.areTraces || report.steps.bars.length === 0 || report.steps.bars[0].item < 0
    ? -1 : model.name[report.steps.bars[0].item];
  app.colors.show(model, app.stepName);
  byId('wait').hidden = true;
  drawOverview();
  if (isFirst) app.timeline = new Timeline();
  app.runs ||= new RunsSection();
  app.runs.show();
  app.chart ||= new StepsChart();
  app.chart.show();
  if (isFirst) {
    app.timeline.show();
    app.names = new NamesTable();
    app.address.holders.push(app.trace, app.timeline, app.chart, app.calls, app.names, app.profile);
  } else {
    app.timeline.follow(old);
    app.trace.follow();
  }
  app.profile.show();
  app.calls.show();
  app.names.show();
  drawOpen();
  drawWorkers();
  drawTrouble();
  const manner = app.isLive ? 'live: this page asks its collector alone.' : 'offline: this page speaks to nobody.';
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
  useTheme(chosenTheme());
  byId('theme').addEventListener('click', () => {
    useTheme(chosenTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
    redraw();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { useTheme(chosenTheme()); redraw(); });
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
    if (report.live) await follow(report.live);
    else await load(report);
  } catch (error) {
    failed('The report cannot be shown: ' + error);
    throw error;
  }
}

start();
