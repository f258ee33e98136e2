// Following a run that is still on, where a collector serves the page.

const LIVE_MILLIS = 2000;
const SOON_MILLIS = 300;

const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

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

async function follow(path) {
  const token = new URLSearchParams(location.search).get('token');
  let have = '';
  let received = 0;
  for (;;) {
    let wait = LIVE_MILLIS;
    const isBeingRead = app.timeline && (app.timeline.view.selected >= 0 || app.timeline.pointers.size > 0);
    if (document.hidden || isBeingRead) {
      if (isBeingRead) showLive('Held while a span is open');
      await pause(LIVE_MILLIS / 4);
      continue;
    }
    try {
      const answer = await fetch(path + '?have=' + encodeURIComponent(have), {
        cache: 'no-store', headers: token ? { Authorization: 'Bearer ' + token } : {},
      });
      if (answer.status === 200) {
        const report = await answer.json();
        have = answer.headers.get('ETag') || '';
        showLive('Live');
        received = performance.now();
        if (report.empty) failed(begun(report.open || []));
        else await load(report);
      } else if (answer.status === 204) {
        showLive('Live');
        growOpen((performance.now() - received) * 1e6);
      } else if (answer.status === 202) {
        wait = SOON_MILLIS;
      } else {
        const reason = await answer.text();
        if (!app.model) failed('The collector refuses: ' + reason);
        showLive('Refused', true);
      }
    } catch (error) {
      if (error instanceof TypeError && !(error.stack || '').includes('decode')) {
        showLive('Collector gone: this was the last', true);
        if (!app.model) failed('The collector does not answer.');
      } else {
        throw error;
      }
    }
    await pause(wait);
  }
}
