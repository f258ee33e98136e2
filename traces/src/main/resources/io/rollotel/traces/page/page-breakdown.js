// Why a single span took its time: the activity of its threads while it waited for no other span.

/** A span with less time of its own is explained by others. */
const MOSTLY_OTHERS = 0.2;

/** They do not explain a difference. */
const UNCLEAR = ['unexplained', 'without a profile'];

/** The activities of an item's span with their times, the longest first. */
function readBreakdowns(bytes) {
  const byItem = new Map();
  const numbers = new Numbers(bytes || []);
  let item = 0;
  while (!numbers.isAtEnd()) {
    item += numbers.signed();
    byItem.set(item, Array.from({ length: numbers.next() }, () => [numbers.next(), numbers.next()]));
  }
  return byItem;
}

const median = (sorted) => (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;

const spentOn = (words) => ({ 'GC pauses': 'in GC pauses', safepoints: 'in safepoints', socket: 'at sockets', file: 'at files' }[words] ?? words);

/**
 * The activities that took a span much longer or shorter than its siblings; empty if none stands
 * out.
 */
function activityBesideOthers(model, item) {
  const { activities } = model.report.profile;
  const own = new Map(model.breakdowns.get(item));
  const all = siblings(model, item);
  const others = all.filter((one) => model.breakdowns.has(one)).map((one) => new Map(model.breakdowns.get(one)));
  if (others.length === 0) return '';
  let most = 0;
  let activity = -1;
  activities.forEach((words, number) => {
    const usual = median(others.map((one) => one.get(number) || 0).sort((a, b) => a - b));
    const difference = (own.get(number) || 0) - usual;
    if (!UNCLEAR.includes(words) && Math.abs(difference) > Math.abs(most)) {
      most = difference;
      activity = number;
    }
  });
  if (activity < 0 || Math.abs(most) < 0.05 * (model.end[item] - model.start[item])) return '';
  const whom = all.length === 1 ? 'the other' : others.length === all.length ? 'the others’ median' : `the median of those ${grouped(others.length)} others that have a breakdown`;
  return `${duration(Math.abs(most))} ${most > 0 ? 'more' : 'less'} ${spentOn(activities[activity])} than ${whom}.`;
}

/** A link to the part Why, for the span's name on its worker; false if that has no such row. */
function linkToWhy(name, worker) {
  const workers = app.report.profile.names.filter((row) => row.name === name).map((row) => row.worker);
  if (!workers.includes(worker)) return false;
  return el('a', {
    href: '#why',
    onclick: () => {
      const { profile } = app;
      Object.assign(profile, { name, worker: workers.length > 1 ? worker : -1, focus: [], from: -1, to: -1 });
      profile.changed();
    },
  }, 'In which methods?');
}

/** Why a span took its time; false if its process has no profile. */
function whyOfSpan(model, item) {
  const { profile, breakdowns } = model.report;
  const { worker } = model.rows[model.rowOf(item)];
  if (!profile || !breakdowns || !breakdowns.workers.includes(worker) || model.openOf(item)) return false;
  const parts = model.breakdowns.get(item);
  const link = linkToWhy(model.name[item], worker);
  const said = (...text) => el('p', { class: 'why' }, ...text, ' ', link);
  let content;
  if (!parts) {
    content = [said(model.spans[item] > 1
      ? 'No breakdown: several spans are drawn as one here.'
      : `No breakdown in this page: it holds those of the ${grouped(breakdowns.most)} spans with the most time of their own.`)];
  } else if (parts.length === 0) {
    content = [said('It waited for other spans all of its time.')];
  } else {
    const total = parts.reduce((sum, [, nanos]) => sum + nanos, 0);
    const shares = parts.slice(0, 3).map(([activity, nanos]) => `${percent(nanos, total)} ${profile.activities[activity]}`).join(', ');
    const all = model.end[item] - model.start[item];
    const mostly = total < MOSTLY_OTHERS * all ? `It waited for other spans ${percent(all - total, all)} of its time: see the critical path. The rest: ` : '';
    const isPart = total < 0.99 * all;
    content = [activityBar(parts, total),
      said(mostly + shares + (isPart ? `, of ${duration(total)} in which it waited for no other span. ` : '. '), activityBesideOthers(model, item))];
  }
  return el('div', { class: 'why-span' }, el('h3', {}, 'Why'), content);
}
