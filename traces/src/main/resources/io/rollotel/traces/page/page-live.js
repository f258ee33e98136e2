// Follows an active run if a collector serves the page.

const LIVE_MILLIS = 2000;
const SOON_MILLIS = 300;
const SILENCE_MILLIS = 30_000; // without a byte of an answer

const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** How long ago something was, to the second. */
function ago(millis) {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  return seconds === 0 ? 'just now' : (seconds < 60 ? seconds + ' s' : duration(seconds * 1e9)) + ' ago';
}

/** A moment in the user's time zone. */
const clockTime = (date) => [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');

/** The message while no data come: what is wrong, since when, and the age of the data shown. */
const troubleText = (what, since, known) => `${what} at ${clockTime(since)}; `
  + (known ? `showing data up to ${clockTime(known)}.` : 'no data have come yet.');

/** The state of the files in an answer's tag, which a proxy may have marked as weak. */
const stateOf = (tag) => (tag || '').replace(/^W\//, '').replaceAll('"', '');

/** The report in the text of an answer; null if it is something else, such as a proxy's page. */
function reportIn(text) {
  try {
    const report = JSON.parse(text);
    return report && (report.empty || report.timeline) ? report : null;
  } catch {
    return null;
  }
}

/** What a collector says that gives no report; null if it is not the collector who says it. */
function troubleIn(answer, text) {
  const isText = (answer.headers.get('Content-Type') || '').startsWith('text/plain');
  if (answer.status === 401 || answer.status === 403) return { badge: 'Refused', what: 'The collector refused this page', why: isText ? text : '' };
  if (answer.status === 500 && isText) return { badge: 'No report', what: 'The collector could not make the report', why: text };
  return null;
}

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

  /** @param said what the collector says; none if it does not answer */
  failed(said) {
    const trouble = said || { badge: 'Connection lost', what: 'Connection to the collector lost', why: '' };
    if (this.lost !== null && this.trouble === trouble.badge + trouble.why) return; // said once
    this.lost = new Date();
    this.trouble = trouble.badge + trouble.why;
    showLive(trouble.badge, true);
    if (!app.model) failed(said ? trouble.what + '.' : 'The collector does not answer.');
    fill(byId('lost'), el('p', {}, troubleText(trouble.what, this.lost, this.known)),
      trouble.why && el('p', {}, clip(harmless(trouble.why), 500)),
      el('p', {}, (said ? 'This page resumes when the collector sends a report again.' : 'This page resumes when the collector is back.')
        + ' If the run has ended, this shows all of it' + (this.dir ? ':' : ', on the collector’s host and with its output directory:')),
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

/**
 * Asks for new data, and returns the answer and its text; null if there is no answer. A slow line
 * may take its time, but a silent one is given up.
 */
async function asked(path, have, token) {
  const silence = new AbortController();
  let timer;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MILLIS);
  };
  try {
    wait();
    const answer = await fetch(path + '?have=' + encodeURIComponent(have), {
      cache: 'no-store', headers: token ? { Authorization: 'Bearer ' + token } : {}, signal: silence.signal,
    });
    const decoder = new TextDecoder();
    let text = '';
    for (const reader = answer.body?.getReader(); reader;) {
      wait();
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    return { answer, text };
  } catch {
    return null; // gone, or gone in the middle of its answer
  } finally {
    clearTimeout(timer);
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
    const report = answer?.status === 200 ? reportIn(text) : null;
    if (!answer) {
      connection.failed();
    } else if (report) {
      have = stateOf(answer.headers.get('ETag'));
      connection.answered(true);
      received = performance.now();
      try {
        if (report.empty) failed(begun(report.open || []));
        else await load(report);
      } catch (error) { // the next state may be another matter
        failed('The report cannot be shown: ' + error);
        console.error(error);
      }
    } else if (answer.status === 204) {
      connection.answered(false);
      growOpen((performance.now() - received) * 1e6);
    } else if (answer.status === 202) {
      wait = SOON_MILLIS;
    } else {
      connection.failed(troubleIn(answer, text));
    }
    await pause(wait);
  }
}
