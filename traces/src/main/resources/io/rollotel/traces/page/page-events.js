// The events of a span, and the spans that it is linked with.

const EXCEPTION = ['exception.type', 'exception.message'];

/** Attributes as a list of terms. */
function attributeList(attributes, isCopied) {
  const entries = Object.entries(attributes);
  return entries.length > 0 && el('dl', { class: 'attributes' }, entries.flatMap(([key, value]) => [
    el('dt', {}, harmless(key), isCopied && copyButton(harmless(textOf(value)), clip(harmless(key), 60))), el('dd', {}, harmless(textOf(value)))]));
}

function without(attributes, keys) {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => !keys.includes(key)));
}

/** A stack trace, folded. */
function stackTrace(stack) {
  if (stack === null) return el('p', { class: 'none' }, 'The stack trace is left out: the page has no room for it.');
  const text = harmless(stack);
  return stack !== '' && el('details', {},
    el('summary', {}, `Stack trace, ${count(text.trimEnd().split('\n').length, 'line')}`),
    copyButton(text, 'the stack trace'),
    el('pre', { tabindex: '0', 'aria-label': 'Stack trace' }, text));
}

/** @param error why the span failed: it is shown above, and not repeated */
function eventRow({ nanos, name, attributes, stack }, error) {
  const [type, message] = EXCEPTION.map((key) => (attributes[key] === undefined ? '' : harmless(textOf(attributes[key]))));
  const exception = type && message ? type + ': ' + message : type || message;
  return el('li', {},
    el('p', {}, nanos !== null && el('span', { class: 'at' }, (nanos < 0 ? '' : '+') + duration(nanos) + ' '), el('b', {}, harmless(name) || '(no name)')),
    exception && exception !== error && el('p', { class: 'reason' }, exception, copyButton(exception, 'the exception')),
    stackTrace(stack),
    attributeList(without(attributes, EXCEPTION), false));
}

/** @param choose shows an item */
function linkRow([item, traceId, spanId, attributes], choose) {
  const { model } = app;
  return el('li', {},
    item >= 0
      ? el('button', { type: 'button', class: 'link', onclick: () => choose(item) }, model.spans[item] > 1 ? 'one of several spans' : model.nameOf(model.name[item]))
      : el('p', {}, 'a span that is not on this page'),
    el('div', { class: 'id' }, spanId, spanId && copyButton(spanId, 'the linked span’s id')),
    el('div', { class: 'id' }, 'of trace ', traceId, traceId && copyButton(traceId, 'the linked trace’s id')),
    attributeList(attributes, false));
}

/** A span's events and links in the panel; nothing if it has none. */
function eventsAndLinks(model, detail, choose) {
  if (!detail || detail.open) return [];
  const { most, forgotten, leftOut } = model.report.timeline.events;
  const { events, links, eventsLeftOut, linksLeftOut } = detail;
  const hint = (text) => el('p', { class: 'none' }, text);
  const whole = `This page holds ${grouped(most)} at most, those of errors first.`;
  return [
    events.length + eventsLeftOut > 0 && el('h3', {}, 'Events'),
    events.length > 0 && el('ol', { class: 'events' }, events.map((event) => eventRow(event, harmless(detail.error || '')))),
    eventsLeftOut > 0 && hint(`${count(eventsLeftOut, events.length > 0 ? 'more event' : 'event')}, left out. ${whole}`),
    forgotten && events.length === 0 && hint(`Of the events of this run ${grouped(leftOut)} are left out. ${whole}`),
    links.length + linksLeftOut > 0 && el('h3', {}, 'Links'),
    links.length > 0 && el('ul', { class: 'events' }, links.map((link) => linkRow(link, choose))),
    linksLeftOut > 0 && hint(`${count(linksLeftOut, links.length > 0 ? 'more link' : 'link')}, left out. ${whole}`),
  ];
}
