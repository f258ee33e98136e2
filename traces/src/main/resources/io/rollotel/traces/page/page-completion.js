// Completions for a query that is being typed.

const COMPLETIONS = 12;
const SAMPLED_DETAILS = 4000;

/** The meaning of each key, and the beginning of its terms. */
const QUERY_HINTS = [
  ['name:', 'a part of the name'], ['dur>', 'duration, such as dur>20ms'], ['status:', 'error, ok or open'], ['rank:', 'the worker’s rank'],
  ['worker:', 'a part of service or instance'], ['service:', 'a part of service.name'], ['host:', 'a part of host.name'], ['step:', 'global_step of the step'],
  ['path:', 'yes: on the critical path'], ['queue>', 'wait in the queue, such as queue>20ms'], ['start>', 'since the run’s start, such as start>1m'],
  ['pid:', 'process id'], ['trace:', 'a part of the trace id'], ['span:', 'a part of the span id'],
];

/** Attributes' keys on the page, the most frequent first: of the important spans, and some of the others. */
async function attributeKeys(model) {
  if (!model.attributeKeys) {
    const { text, ends } = await model.details();
    const decoder = new TextDecoder();
    const counts = new Map();
    const each = Math.max(1, Math.floor(ends.length / SAMPLED_DETAILS));
    for (let line = 0; line < ends.length; line += line < SAMPLED_DETAILS / 2 ? 1 : each) {
      const from = line === 0 ? 0 : ends[line - 1] + 1;
      const shown = JSON.parse(decoder.decode(text.subarray(from, ends[line])))[2];
      for (const key of Object.keys((shown && shown.a) || {})) counts.set(key, (counts.get(key) || 0) + 1);
    }
    model.attributeKeys = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([key]) => key);
  }
  return model.attributeKeys;
}

/** The values of a key that the page knows, without the empty one. */
function knownValues(model, key) {
  const { report } = model;
  const workers = (of) => [...new Set(report.workers.map(of))].filter((text) => text);
  switch (key) {
    case 'name': return [...report.names.map(({ name }) => name), ...model.unnamed.values()];
    case 'worker': return workers(({ instance }) => instance);
    case 'service': return workers(({ service }) => service);
    case 'host': return workers(({ host }) => host);
    case 'rank': return workers(({ rank }) => rank);
    case 'pid': return workers(({ pid }) => String(pid ?? ''));
    case 'step': return report.steps.together === 1 ? [...new Set(report.steps.bars.map(({ label }) => label))].filter((text) => text) : [];
    default: return Array.isArray(QUERY_KEYS.get(key)) ? QUERY_KEYS.get(key) : [];
  }
}

/** A value in the syntax of a term. */
const asValue = (text) => (text === '' || /[\s"*\\\u0000-\u0020\u00a0\u3000]/.test(text) ? quoted(text) : text);

/** A key in the syntax of a term: quoted if an attribute has the name of another key. */
const asKey = (text) => (/[\s":=<>!\\]|^-|^$/.test(text) || QUERY_KEYS.has(text.toLowerCase()) ? quoted(text) : text);

/** The start of the term that is being typed; -1 within quotes. */
function termStart(text) {
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (isQuoted && text[at] === '\\') at++;
    else if (text[at] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && isBlank(text[at])) from = at + 1;
  }
  return isQuoted && text[from] === '"' ? -1 : from;
}

/**
 * Completions of a term.
 *
 * @param text the query up to the cursor
 * @param attributes keys of attributes
 * @returns the start of the term, and its possible replacements: text and hint
 */
function completions(model, text, attributes) {
  const begin = termStart(text);
  if (begin < 0) return { from: text.length, options: [] };
  const from = begin + (text[begin] === '-' ? 1 : 0);
  const typed = text.slice(from);
  const [, key, op, value] = /^([^:=<>!"]+)(:|=|!=)(.*)$/su.exec(typed) || [];
  const options = [];
  const add = (option, hint) => {
    if (options.length < COMPLETIONS && option !== typed && !options.some((one) => one.text === option)) options.push({ text: option, hint });
  };
  if (key !== undefined) {
    const wanted = value.replace(/^"/, '').toLowerCase();
    const begins = (one) => one.toLowerCase().startsWith(wanted);
    const known = knownValues(model, key.toLowerCase()).filter((one) => one.toLowerCase().includes(wanted));
    // A name chosen from a list means the whole name.
    const whole = op === ':' && key.toLowerCase() === 'name' ? '=' : op;
    for (const one of [...known.filter(begins), ...known.filter((other) => !begins(other))]) add(key + whole + asValue(one), '');
    return { from, options };
  }
  const wanted = typed.toLowerCase();
  for (const [start, hint] of QUERY_HINTS) if (start.startsWith(wanted)) add(start, hint);
  if (wanted === '') return { from, options };
  const names = knownValues(model, 'name').filter((one) => one.toLowerCase().includes(wanted));
  const begins = (one) => one.toLowerCase().startsWith(wanted);
  for (const one of [...names.filter(begins), ...names.filter((other) => !begins(other))]) add('name=' + asValue(one), 'a name');
  for (const one of attributes) if (one.toLowerCase().includes(wanted)) add(asKey(one) + '=', 'an attribute');
  for (const rank of knownValues(model, 'rank')) if (rank === wanted) add('rank:' + rank, 'a worker’s rank');
  for (const one of knownValues(model, 'worker')) if (one.toLowerCase().includes(wanted)) add('worker=' + asValue(one), 'a worker');
  return { from, options };
}
