// Finds spans by a query, or by the names of all their callers.

/**
 * For each item, whether it is wanted.
 *
 * @param filter text: a query; or calls: the names of a span and of all its callers, the outermost
 *     first
 * @throws QueryError if the text is not a query
 */
async function findItems(model, filter) {
  if (filter.calls) {
    const found = new Uint8Array(model.items);
    markCalls(model, filter.calls.map((name) => numberOfName(model, name)), found);
    return found;
  }
  return matchingItems(model, parseQuery(filter.text));
}

function numberOfName(model, name) {
  const number = model.report.names.findIndex((one) => one.name === name);
  if (number >= 0) return number;
  return [...model.unnamed].find(([, one]) => one === name)?.[0] ?? -1;
}

/** The caller of an item; -1 if there is none. */
function callerOf(model) {
  return (item) => {
    let at = model.parent[item];
    while (at >= 0 && model.flags[at] & DISPATCH) at = model.parent[at]; // the call itself
    return at >= 0 && model.openOf(at) ? -1 : at; // open spans are in no call path
  };
}

/** Marks the spans of a name whose callers, up to the first, have these names. */
function markCalls(model, numbers, found) {
  const last = numbers.length - 1;
  const caller = callerOf(model);
  for (let item = 0; item < model.items; item++) {
    if (model.name[item] !== numbers[last] || model.openOf(item)) continue;
    let at = item;
    let i = last;
    for (; i >= 0 && at >= 0 && model.name[at] === numbers[i]; i--) at = caller(at);
    if (i < 0 && at < 0) found[item] = 1;
  }
}

/** The item of a span's id; -1 if the page has none. */
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
