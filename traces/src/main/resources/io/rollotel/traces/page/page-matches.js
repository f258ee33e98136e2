// The items of the page that a query matches.

/** Marks of all items for which a row's worker has a property. */
function markWorkers(model, isWanted, found) {
  const known = new Map();
  for (const row of model.rows) {
    if (!known.has(row.worker)) known.set(row.worker, isWanted(model.process(row.worker)));
    if (known.get(row.worker)) found.fill(1, row.first, row.last);
  }
}

/** Marks of all items whose name has a property. */
function markNames(model, isWanted, found) {
  const { report, name } = model;
  const known = new Uint8Array(report.names.length + model.open.length + 2);
  report.names.forEach((one, number) => { known[number] = isWanted(one.name) ? 1 : 0; });
  for (const [number, text] of model.unnamed) known[number] = isWanted(text) ? 1 : 0;
  for (let item = 0; item < model.items; item++) found[item] |= known[name[item]];
}

function markTraces(model, isWanted, found) {
  const numbers = model.traceNumbers();
  const known = model.traceTexts().map(isWanted);
  for (let item = 0; item < model.items; item++) {
    if (numbers[item] > 0 && known[numbers[item] - 1]) found[item] = 1;
  }
}

/** Marks of all items by themselves. */
function markItems(model, isWanted, found) {
  for (let item = 0; item < model.items; item++) {
    if (isWanted(item)) found[item] = 1;
  }
}

/** For each item, the place of its step in a list of labels; -1 for none. */
async function stepLabelsOfItems(model) {
  if (model.stepLabelsOfItems) return model.stepLabelsOfItems;
  const { steps } = model.report;
  const labels = [];
  const of = new Int32Array(model.items).fill(-2); // -2: not known yet
  const add = (item, label) => { of[item] = labels.push(label) - 1; };
  for (const { item, label } of steps.bars) if (item >= 0) add(item, label);
  // If bars have several steps, only the spans' own attributes distinguish them.
  if (steps.together > 1 && !steps.areTraces && steps.bars[0]?.item >= 0) {
    const stepName = model.name[steps.bars[0].item];
    await eachAttribute(model, 'global_step', (item, value) => {
      if (model.name[item] === stepName && of[item] === -2) add(item, textOf(value));
    });
  }
  for (let item = 0; item < model.items; item++) {
    let top = item;
    while (of[top] === -2 && model.parent[top] >= 0) top = model.parent[top];
    const step = Math.max(-1, of[top]);
    for (let at = item; at >= 0 && of[at] === -2; at = model.parent[at]) of[at] = step;
  }
  model.stepLabelsOfItems = { of, labels };
  return model.stepLabelsOfItems;
}

/**
 * The details in lower case, and the positions of their lines, which change if not all is ASCII.
 */
async function lowerDetails(model) {
  const details = await model.details();
  const lower = (model.lowerDetails ||= new TextDecoder().decode(details.text).toLowerCase());
  return { ...details, lower, isAscii: lower.length === details.text.length };
}

/** Calls back for each line of the details that contains a text, in lower case and JSON syntax. */
async function eachLine(model, wanted, use) {
  const { ends, lower, isAscii } = await lowerDetails(model);
  if (!isAscii) {
    lower.split('\n').forEach((line, i) => {
      if (i < ends.length && line.includes(wanted)) use(i);
    });
    return;
  }
  let line = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, ends[line])) {
    while (ends[line] < at) line++;
    if (line >= ends.length) break;
    use(line);
  }
}

/** A text in JSON syntax and lower case. */
const inJson = (text) => JSON.stringify(text).slice(1, -1).toLowerCase();

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;

/** The end of the quoted text that begins there. */
function quoteEnd(bytes, from) {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

const isOpening = (byte) => byte === 123 || byte === 91; // { [
const isClosing = (byte) => byte === 125 || byte === 93;

function hasBytes(bytes, at, wanted) {
  let i = 0;
  while (i < wanted.length && bytes[at + i] === wanted[i]) i++;
  return i === wanted.length;
}

/**
 * The start of an attribute's value in a line of the details; -1 if it has none. Parsing hundreds
 * of thousands of lines would take seconds.
 *
 * @param key in JSON syntax, with its colon: attributes are the third level, [id,wait,{"a":{…
 */
function attributeAt(bytes, from, to, key) {
  let depth = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      if (depth === 3 && hasBytes(bytes, at, key)) return at + key.length;
      at = quoteEnd(bytes, at);
    } else if (isOpening(byte)) depth++;
    else if (isClosing(byte)) depth--;
  }
  return -1;
}

/** The end of the value that begins there. */
function valueEnd(bytes, from) {
  let depth = 0;
  let at = from;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = quoteEnd(bytes, at);
    else if (isOpening(byte)) depth++;
    else if ((isClosing(byte) && --depth < 0) || (byte === COMMA && depth === 0)) break;
  }
  return at;
}

/** Some bytes as text; other characters than ASCII change, but stay distinct. */
function rawText(bytes, from, to) {
  let text = '';
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]);
  return text;
}

/** Calls back with the value of an attribute, for each item whose span has it. */
async function eachAttribute(model, key, use) {
  const { text, ends, itemOf } = await model.details();
  const wanted = new TextEncoder().encode(JSON.stringify(key) + ':');
  const values = new Map(); // many spans have the same
  for (let line = 0; line < ends.length; line++) {
    const at = attributeAt(text, line === 0 ? 0 : ends[line - 1] + 1, ends[line], wanted);
    if (at < 0) continue;
    const end = valueEnd(text, at);
    const isShort = end - at <= 64;
    const raw = isShort ? rawText(text, at, end) : '';
    let value = isShort ? values.get(raw) : undefined;
    if (value === undefined) {
      value = JSON.parse(new TextDecoder().decode(text.subarray(at, end)));
      if (isShort && values.size < 100_000) values.set(raw, value);
    }
    use(itemOf[line], value);
  }
}

/** The wait of each line of the details, without parsing any: ["0123456789abcdef",wait,… */
async function markQueues(model, term, found) {
  const { text, ends, itemOf } = await model.details();
  const isWanted = timeTest(term);
  for (let line = 0; line < ends.length; line++) {
    let at = (line === 0 ? 0 : ends[line - 1] + 1) + 20;
    const isNegative = text[at] === 45;
    if (isNegative) at++;
    let nanos = -1;
    for (; text[at] >= 48 && text[at] <= 57; at++) nanos = Math.max(0, nanos) * 10 + text[at] - 48;
    if (nanos >= 0 && isWanted(isNegative ? -nanos : nanos)) found[itemOf[line]] = 1;
  }
}

async function markSpans(model, term, found) {
  const { text, ends, itemOf } = await model.details();
  for (let line = 0; line < ends.length; line++) {
    const from = line === 0 ? 0 : ends[line - 1] + 1;
    if (matchesText(term, rawText(text, from + 2, from + 18))) found[itemOf[line]] = 1;
  }
  for (const open of model.open) if (matchesText(term, open.id)) found[open.item] = 1;
}

/** A word: in names, ids, attributes and errors, as far as they are on the page. */
async function markFound(model, { wanted }, found) {
  if (wanted === '') return found.fill(1);
  markNames(model, (name) => name.toLowerCase().includes(wanted), found);
  const { itemOf } = await model.details();
  await eachLine(model, inJson(wanted), (line) => { found[itemOf[line]] = 1; });
  for (const open of model.open) if (open.id.includes(wanted)) found[open.item] = 1;
  if (/^[0-9a-f]{8,32}$/.test(wanted)) markTraces(model, (id) => id.startsWith(wanted), found);
}

async function markAttributes(model, term, found) {
  const known = new Map();
  await eachAttribute(model, term.key, (item, value) => {
    if (!known.has(value)) {
      if (known.size > 100_000) known.clear();
      known.set(value, matchesAttribute(term, value));
    }
    if (known.get(value)) found[item] = 1;
  });
}

const WORKER_TEXTS = {
  service: (process) => [process.service], host: (process) => [process.host], rank: (process) => [process.rank], pid: (process) => [String(process.pid ?? '')],
  worker: (process) => [process.service, process.instance, (process.service + ' ' + process.instance).trim()],
};

function markProcesses(model, term, found) {
  const matches = term.kind === 'word' ? matchesWord : matchesText;
  markWorkers(model, (process) => {
    const texts = process ? WORKER_TEXTS[term.key](process).filter((text) => text) : [];
    if (texts.length === 0) return false;
    return term.op === '!=' ? texts.every((text) => matches(term, text)) : texts.some((text) => matches(term, text));
  }, found);
}

/** The words of a key that a term matches. */
const wantedChoices = (term) => Object.fromEntries(term.choices.map((choice) => [choice, matchesText(term, choice, true)]));

function markStatus(model, term, found) {
  const { error, ok, open } = wantedChoices(term);
  markItems(model, (item) => (item >= model.ended ? open : model.flags[item] & ERROR ? error : ok), found);
}

function markPath(model, term, found) {
  const { yes, no } = wantedChoices(term);
  markItems(model, (item) => (model.flags[item] & ON_PATH ? yes : no), found);
}

async function markSteps(model, term, found) {
  const { of, labels } = await stepLabelsOfItems(model);
  const isWanted = labels.map((label) => label !== '' && matchesWord(term, label));
  markItems(model, (item) => of[item] >= 0 && isWanted[of[item]], found);
}

function markTimes(model, term, found) {
  const { start, end } = model;
  const isWanted = timeTest(term);
  markItems(model, term.key === 'start' ? (item) => isWanted(start[item]) : (item) => isWanted(end[item] - start[item]), found);
}

/** For each item, whether a term matches it. */
async function marksOf(model, term) {
  const found = new Uint8Array(model.items);
  if (term.kind === 'find') await markFound(model, term, found);
  else if (term.kind === 'attribute') await markAttributes(model, term, found);
  else if (WORKER_TEXTS[term.key]) markProcesses(model, term, found);
  else {
    await {
      name: () => markNames(model, (name) => matchesText(term, name), found),
      dur: () => markTimes(model, term, found),
      start: () => markTimes(model, term, found),
      queue: () => markQueues(model, term, found),
      trace: () => markTraces(model, (id) => matchesText(term, id), found),
      span: () => markSpans(model, term, found),
      status: () => markStatus(model, term, found),
      path: () => markPath(model, term, found),
      step: () => markSteps(model, term, found),
    }[term.key]();
  }
  if (term.isNot) for (let item = 0; item < found.length; item++) found[item] ^= 1;
  return found;
}

/** For each item, whether a query matches it; none if the query is empty. */
async function matchingItems(model, alternatives) {
  const found = new Uint8Array(model.items);
  for (const terms of alternatives) {
    const all = await marksOf(model, terms[0]);
    for (const term of terms.slice(1)) {
      const marks = await marksOf(model, term);
      for (let item = 0; item < all.length; item++) all[item] &= marks[item];
    }
    for (let item = 0; item < all.length; item++) found[item] |= all[item];
  }
  return found;
}
