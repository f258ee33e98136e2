// Exports from the page: tables as CSV, a trace as OTLP's JSON, texts to the clipboard.

/** Offers a file for download: it is created here, and sent nowhere. */
function download(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = el('a', { href: url, download: clip(app.report.run, 60).replace(/[^\w.-]+/g, '_').replace(/^\.+/, '') + '-' + name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/** A field of CSV. Spreadsheets must not interpret a text of a trace as a formula. */
function csvField(value) {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? "'" + value : value;
  return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

const csv = (rows) => rows.map((row) => row.map(csvField).join(',') + '\r\n').join('');

/**
 * A button that exports a table as CSV: with all its rows, and times in nanoseconds.
 *
 * @param rows makes them, the heads first
 */
function csvButton(name, rows) {
  return el('button', {
    type: 'button', class: 'csv', 'data-csv': name, title: 'All rows of this table, times in nanoseconds',
    'aria-label': `Download ${name} as CSV`, onclick: () => download(name + '.csv', 'text/csv', csv(rows())),
  }, '↓ CSV');
}

/** What OTLP makes of an attribute. */
function otlpValue(value) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(otlpValue) } };
  return value === null ? {} : { kvlistValue: { values: otlpAttributes(value) } };
}

const otlpAttributes = (values) => Object.entries(values).filter(([, value]) => value !== '' && value !== undefined)
  .map(([key, value]) => ({ key, value: otlpValue(value) }));

function otlpEvent(model, item, { nanos, name, attributes, stack }) {
  return {
    ...(nanos !== null && { timeUnixNano: String(model.epoch + BigInt(Math.round(model.start[item])) + BigInt(nanos)) }), name,
    attributes: otlpAttributes({ ...attributes, ...(stack && { 'exception.stacktrace': stack }) }),
  };
}

/** Some items as a request of OTLP, in one line: other tools read it, and so does `report`. */
async function otlpJson(model, items) {
  const details = await Promise.all(items.map((item) => model.detail(item)));
  const ids = new Map();
  items.forEach((item, i) => ids.set(item, details[i] && model.spans[item] === 1
    ? details[i].id
    : (0xf000000000000000n + BigInt(item)).toString(16))); // its own had no room
  const byWorker = new Map();
  items.forEach((item, i) => {
    const detail = details[i];
    const worker = model.rows[model.rowOf(item)].worker;
    if (!byWorker.has(worker)) byWorker.set(worker, []);
    const parent = model.parent[item];
    const error = detail && detail.error;
    byWorker.get(worker).push({
      traceId: model.traceId(item), spanId: ids.get(item), ...(parent >= 0 && { parentSpanId: ids.get(parent) }),
      name: model.spans[item] > 1 ? `${model.spans[item]} spans, the longest ${model.nameOf(model.name[item])}` : model.nameOf(model.name[item]),
      startTimeUnixNano: String(model.epoch + BigInt(Math.round(model.start[item]))),
      endTimeUnixNano: String(model.epoch + BigInt(Math.round(model.end[item]))),
      attributes: otlpAttributes({ ...detail?.attributes, ...(model.openOf(item) && { 'roll.open': true }) }),
      ...(detail?.events.length > 0 && { events: detail.events.map((event) => otlpEvent(model, item, event)) }),
      ...(detail?.links.length > 0 && { links: detail.links.map(([, traceId, linkedId, values]) => ({ traceId, spanId: linkedId, attributes: otlpAttributes(values) })) }),
      ...(model.isError(item) && { status: { code: 2, ...(error && { message: error }) } }),
    });
  });
  return JSON.stringify({ resourceSpans: [...byWorker].map(([number, spans]) => {
    const { service, instance, host, pid, rank } = model.process(number) || {};
    return {
      resource: { attributes: otlpAttributes({
        'service.name': service, 'service.instance.id': instance, 'host.name': host, 'process.pid': /^\d{1,15}$/.test(pid) ? Number(pid) : pid,
        'roll.rank': rank, 'roll.run_id': model.report.run,
      }) },
      scopeSpans: [{ scope: { name: 'roll-otel.page' }, spans }],
    };
  }) }) + '\n';
}

/** Puts a text into the clipboard; says whether it could. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Not allowed, or a page that is not of this host: the way of before.
    const box = el('textarea', { readonly: true, 'aria-hidden': 'true', style: { position: 'fixed', top: '0', opacity: '0' } });
    box.value = text;
    const focused = document.activeElement;
    document.body.append(box);
    box.select();
    const isDone = document.execCommand('copy');
    box.remove();
    focused?.focus?.({ preventScroll: true });
    return isDone;
  }
}

/** A word of a command: in quotes where a shell would take it for more than a word. */
const shellWord = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'");

/** A command that the page cannot run itself, to be copied. */
function command(...words) {
  const text = words.map(shellWord).join(' ');
  return el('p', { class: 'command' }, el('code', {}, text), copyButton(text, 'the command'));
}

/** A button that copies a text, and says so; its sign is the style's, so that no text has it. */
function copyButton(text, what) {
  const button = el('button', {
    type: 'button', class: 'copy', title: 'Copy ' + what, 'aria-label': 'Copy ' + what,
    onclick: async () => {
      const isDone = await copyText(text);
      button.dataset.done = String(isDone);
      button.setAttribute('aria-label', isDone ? `Copied ${what}` : `Could not copy ${what}`);
      setTimeout(() => { delete button.dataset.done; button.setAttribute('aria-label', 'Copy ' + what); }, 1500);
    },
  });
  return button;
}
