// Follows an active run if a collector serves the page.

const LIVE_MILLIS = 2000;
const SOON_MILLIS = 300;

const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** How long ago something was, to the second. */
function ago(millis) {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  return seconds === 0 ? 'just now' : (seconds < 60 ? seconds + ' s' : duration(seconds * 1e9)) + ' ago';
}

/** A moment in the user's time zone. */
const clockTime = (date) => [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');

/** The message if the collector does not answer: since when, and the age of the data shown. */
const lostText = (lost, known) => `Connection to the collector lost at ${clockTime(lost)}; `
  + (known ? `showing data up to ${clockTime(known)}.` : 'no data have come yet.');

/** The state of the connection. */
class Connection {
  constructor(dir) {
    this.dir = dir;
    this.changed = null; // when there was something new
    this.known = null; // when the collector last said that there is nothing newer
    this.lost = null; // since when it has not answered
    this.age = byId('live-age'); // outside of what a screen reader reads out at each change
    setInterval(() => this.tick(), 1000);
  }

  tick() {
    if (this.changed === null) return;
    this.age.hidden = false;
    this.age.textContent = 'updated ' + ago(Date.now() - this.changed);
  }

  answered(isNew) {
    this.known = new Date();
    if (isNew) this.changed = this.known.getTime();
    showLive('Live');
    if (this.lost !== null) {
      this.lost = null;
      byId('lost').hidden = true;
    }
    this.tick();
  }

  failed() {
    if (this.lost !== null) return; // said once
    this.lost = new Date();
    showLive('Connection lost', true);
    if (!app.model) failed('The collector does not answer.');
    fill(byId('lost'), el('p', {}, lostText(this.lost, this.known)),
      el('p', {}, 'This page goes on when the collector is back. If the run has ended, this shows all of it'
        + (this.dir ? ':' : ', on the collector’s host and with its output directory:')),
      command('java', '-jar', 'roll-otel-agent.jar', 'report', this.dir || 'output/otlp', '--open'));
  }
}

function showLive(text, isLost) {
  const badge = byId('live');
  badge.hidden = false;
  badge.classList.toggle('lost', Boolean(isLost));
  if (badge.textContent !== text) badge.textContent = text;
}

function begun(open) {
  return open.length === 0
    ? 'No span has been recorded yet. A span is recorded when it ends.'
    : 'No span has ended yet. Still open: ' + open.map(harmless).join('; ') + '.';
}

/** While the run is active, open spans come first, because they may hang. */
function openFirst() {
  byId('main').insertBefore(byId('open'), byId('overview'));
  byId('nav-open').parentElement.prepend(byId('nav-open'));
}

/** Asks for new data, and returns the answer and its text; null if there is no answer. */
async function asked(path, have, token) {
  try {
    const answer = await fetch(path + '?have=' + encodeURIComponent(have), {
      cache: 'no-store', headers: token ? { Authorization: 'Bearer ' + token } : {},
    });
    return { answer, text: await answer.text() };
  } catch {
    return null; // gone, or gone in the middle of its answer
  }
}

async function follow(path, dir) {
  const token = new URLSearchParams(location.search).get('token');
  const connection = new Connection(dir);
  openFirst();
  let have = '';
  let received = 0;
  for (;;) {
    let wait = LIVE_MILLIS;
    const isBeingRead = app.timeline && (app.timeline.view.selected >= 0 || app.timeline.pointers.size > 0);
    if (document.hidden || isBeingRead) {
      if (isBeingRead && connection.lost === null) showLive('Held while a span is open');
      await pause(LIVE_MILLIS / 4);
      continue;
    }
    const { answer, text } = (await asked(path, have, token)) || {};
    if (!answer) {
      connection.failed();
    } else if (answer.status === 200) {
      const report = JSON.parse(text);
      have = answer.headers.get('ETag') || '';
      connection.answered(true);
      received = performance.now();
      if (report.empty) failed(begun(report.open || []));
      else await load(report);
    } else if (answer.status === 204) {
      connection.answered(false);
      growOpen((performance.now() - received) * 1e6);
    } else if (answer.status === 202) {
      wait = SOON_MILLIS;
    } else {
      if (!app.model) failed('The collector refuses: ' + text);
      showLive('Refused', true);
    }
    await pause(wait);
  }
}
