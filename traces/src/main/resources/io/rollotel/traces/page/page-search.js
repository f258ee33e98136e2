// Finding spans: by a part of a name, an attribute, an error or an id, or exactly by what they are.

/**
 * Of each item whether it is one of those that are wanted.
 *
 * @param filter text: a part of anything; or name: a name, with from and to: how long it took; or
 *     calls: the names of a span and of all that have called it, the outermost first
 */
async function findItems(model, filter) {
  const found = new Uint8Array(model.items);
  if (filter.calls) {
    markCalls(model, filter.calls.map((name) => numberOfName(model, name)), found);
  } else if (filter.name !== undefined) {
    const number = numberOfName(model, filter.name);
    const { from = 0, to = Infinity } = filter;
    for (let item = 0; item < model.items; item++) {
      const nanos = model.end[item] - model.start[item];
      if (model.name[item] === number && nanos >= from && nanos < to) found[item] = 1;
    }
  } else {
    const wanted = filter.text.trim().toLowerCase();
    if (wanted === '') return found;
    const names = new Set();
    model.report.names.forEach(({ name }, i) => name.toLowerCase().includes(wanted) && names.add(i));
    for (const [i, name] of model.unnamed) if (name.toLowerCase().includes(wanted)) names.add(i);
    for (let item = 0; item < model.items; item++) {
      if (names.has(model.name[item])) found[item] = 1;
    }
    await markInDetails(model, wanted, found);
  }
  return found;
}

function numberOfName(model, name) {
  const number = model.report.names.findIndex((one) => one.name === name);
  if (number >= 0) return number;
  return [...model.unnamed].find(([, one]) => one === name)?.[0] ?? -1;
}

/** Marks the spans of a name whose callers, up to the first, have these names. */
function markCalls(model, numbers, found) {
  const last = numbers.length - 1;
  // A call on Ray has two spans of one name, and is one call.
  const sent = new Set(model.report.queues.filter((queue) => queue.dispatches > 0).map((queue) => queue.name));
  const caller = (item) => {
    const parent = model.parent[item];
    if (parent < 0 || model.openOf(parent)) return -1; // open spans are in no call path
    return sent.has(model.name[item]) && model.name[parent] === model.name[item] ? caller(parent) : parent;
  };
  for (let item = 0; item < model.items; item++) {
    if (model.name[item] !== numbers[last] || model.openOf(item)) continue;
    let at = item;
    let i = last;
    for (; i >= 0 && at >= 0 && model.name[at] === numbers[i]; i--) at = caller(at);
    if (i < 0 && at < 0) found[item] = 1;
  }
}

/** In ids, attributes and errors, as far as they are on the page and no book. */
async function markInDetails(model, wanted, found) {
  const { text, ends, itemOf } = await model.details();
  // As it stands in JSON: a quote in an attribute has a backslash there.
  const escaped = JSON.stringify(wanted).slice(1, -1);
  const lower = (model.lowerDetails ||= new TextDecoder().decode(text).toLowerCase());
  const isAscii = lower.length === text.length;
  if (!isAscii) {
    lower.split('\n').forEach((line, i) => {
      if (i < itemOf.length && line.includes(escaped)) found[itemOf[i]] = 1;
    });
  } else {
    let line = 0;
    for (let at = lower.indexOf(escaped); at >= 0; at = lower.indexOf(escaped, ends[line])) {
      while (ends[line] < at) line++;
      if (line >= ends.length) break;
      found[itemOf[line]] = 1;
    }
  }
  for (const open of model.open) if (open.id.includes(wanted)) found[open.item] = 1;
  if (/^[0-9a-f]{8,32}$/.test(wanted)) {
    const numbers = model.traceNumbers();
    const isWanted = model.traceTexts().map((id) => id.startsWith(wanted));
    for (let item = 0; item < model.items; item++) {
      if (numbers[item] > 0 && isWanted[numbers[item] - 1]) found[item] = 1;
    }
  }
}

/** The item of a span's id, -1 where the page has none. */
async function itemOfSpan(model, id) {
  const open = model.open.find((one) => one.id === id);
  if (open) return open.item;
  const { text, ends, itemOf } = await model.details();
  const wanted = new TextEncoder().encode('["' + id + '"');
  for (let line = 0; line < ends.length; line++) {
    const from = line === 0 ? 0 : ends[line - 1] + 1;
    let i = 0;
    while (i < wanted.length && text[from + i] === wanted[i]) i++;
    if (i === wanted.length) return itemOf[line];
  }
  return -1;
}
