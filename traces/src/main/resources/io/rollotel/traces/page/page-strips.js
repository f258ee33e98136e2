// Groups of lanes, one strip each: how many lanes were at work, and on what.

const STRIP_NAMES = 15; // of a strip; the rarer ones share one colour
const OTHERS = -3; // in place of a name
const MOST_ERRORS = 300; // marks of a strip

/** The rows that say whether a lane is at work: its outermost spans, as far as they have ended. */
const outermostRows = (lane) => lane.rows.filter((row) => row.depth === 0 && !row.isOpen);

/** The names with the most time in some rows. */
function namesOfRows(model, rows, most) {
  const times = new Float64Array(model.report.names.length + model.open.length + 2);
  for (const row of rows) {
    for (let item = row.first; item < row.last; item++) times[model.name[item]] += model.end[item] - model.start[item] + 1;
  }
  return Array.from(times.keys()).filter((name) => times[name] > 0).sort((a, b) => times[b] - times[a]).slice(0, most);
}

/**
 * For each column of a period, how many lanes were at work on average, by name.
 *
 * @param rows of the lanes
 * @param names the distinguished names; the last slot of a column is for the others
 */
function stripOf(model, rows, names, from, to, columns) {
  const { start, end, name } = model;
  const per = (to - from) / columns;
  const slots = names.length + 1;
  const slotOf = new Int32Array(model.report.names.length + model.open.length + 2).fill(names.length);
  names.forEach((one, slot) => { slotOf[one] = slot; });
  const busy = new Float32Array(columns * slots);
  for (const row of rows) {
    for (let item = model.firstEndingAfter(row.first, row.last, from); item < row.last && start[item] < to; item++) {
      const a = Math.max(0, (start[item] - from) / per);
      const b = Math.min(columns, (end[item] - from) / per);
      const slot = slotOf[name[item]];
      let column = Math.min(columns - 1, Math.floor(a));
      if (b <= column + 1) {
        busy[column * slots + slot] += b - a;
        continue;
      }
      busy[column * slots + slot] += column + 1 - a;
      for (column++; column + 1 <= b; column++) busy[column * slots + slot] += 1;
      if (column < columns) busy[column * slots + slot] += b - column;
    }
  }
  return { names: [...names, OTHERS], slots, columns, busy };
}

/** How many lanes were at work in a column, or on average in all. */
function busyLanes(strip, column) {
  const from = column === undefined ? 0 : column * strip.slots;
  const to = column === undefined ? strip.busy.length : from + strip.slots;
  let sum = 0;
  for (let i = from; i < to; i++) sum += strip.busy[i];
  return column === undefined ? sum / strip.columns : sum;
}

/** The strips of a state of the report, recounted if the visible part changes. */
class Strips {
  constructor(model) {
    this.model = model;
    this.byGroup = new Map();
  }

  get(group, from, to, columns) {
    let known = this.byGroup.get(group.name);
    if (known?.group !== group) {
      // Lanes are grouped repeatedly, mostly in the same way.
      const key = group.lanes.map((lane) => lane.worker).join();
      if (known?.key === key) known.group = group;
      else known = this.known(group, key);
      this.byGroup.set(group.name, known);
    }
    const seen = [from, to, columns].join();
    if (known.seen !== seen) {
      known.seen = seen;
      known.strip = stripOf(this.model, known.rows, known.names, from, to, columns);
    }
    return known.strip;
  }

  known(group, key) {
    const rows = group.lanes.flatMap(outermostRows);
    return { group, key, rows, names: namesOfRows(this.model, rows, STRIP_NAMES), seen: '' };
  }

  /** Items with errors of a group in a period; a part of them if there are very many. */
  errors(group, from, to) {
    const { model } = this;
    const items = [];
    for (const lane of group.lanes) {
      for (const row of lane.rows) {
        const first = model.firstEndingAfter(row.first, row.last, from);
        const last = model.firstStartingAt(first, row.last, to);
        for (let item = first; items.length < MOST_ERRORS && last > item && model.errorsBefore[last] > model.errorsBefore[item]; item++) {
          item = firstGreater(model.errorsBefore.subarray(item, last + 1), model.errorsBefore[item]) + item - 1;
          items.push(item);
        }
      }
    }
    return items;
  }

  /** Draws the strip of a group into a painter's canvas. */
  draw(painter, group, top, height) {
    const { context, colors, view, width } = painter;
    const columns = Math.max(1, Math.floor(width - view.left));
    const strip = this.get(group, view.from, view.to, columns);
    const order = strip.names.map((_, slot) => slot).sort((a, b) => app.colors.place(strip.names[a]) - app.colors.place(strip.names[b]));
    const lanes = group.lanes.length;
    context.fillStyle = colors.soft;
    context.fillRect(view.left, top, columns, height);
    const reached = new Float32Array(columns);
    const scale = new Float32Array(columns);
    // A lane with several concurrent spans counts once.
    for (let column = 0; column < columns; column++) scale[column] = height / Math.max(lanes, busyLanes(strip, column));
    for (const slot of order) {
      context.fillStyle = strip.names[slot] === OTHERS ? colors.idle : nameColor(strip.names[slot]);
      let run = null;
      for (let column = 0; column <= columns; column++) {
        let from = 0;
        let to = 0;
        if (column < columns) {
          const share = strip.busy[column * strip.slots + slot] * scale[column];
          from = Math.round(reached[column]);
          to = Math.round(reached[column] += share);
        }
        if (run && run.from === from && run.to === to) continue;
        if (run && run.to > run.from) {
          context.fillRect(view.left + run.column, top + height - run.to, column - run.column, run.to - run.from);
          painter.rectangles++;
        }
        run = { column, from, to };
      }
    }
    for (const item of this.errors(group, view.from, view.to)) {
      const x = Math.min(Math.max(painter.x(this.model.start[item]), view.left + 4), width - 4);
      painter.triangle(x, top + 5, colors.error, 4);
    }
  }

  /** The activity of a group at a place of its strip, in words. */
  words(group, view, columns, column) {
    const strip = this.get(group, view.from, view.to, columns);
    const names = strip.names.map((name, slot) => [name, strip.busy[column * strip.slots + slot]])
      .filter(([, lanes]) => lanes > 0.005).sort((a, b) => b[1] - a[1]).slice(0, 6);
    return [el('b', {}, `${clip(group.name, 60)}: ${this.atWork(busyLanes(strip, column), group)}`),
      ...names.map(([name, lanes]) => el('div', {},
        name === OTHERS ? el('span', { class: 'swatch rest' }) : swatch(name), ' ',
        (name === OTHERS ? 'other names' : clip(this.model.nameOf(name), 60)) + ' ' + percent(lanes, group.lanes.length)))];
  }

  atWork(lanes, group) {
    return `${grouped(Math.min(group.lanes.length, Math.round(lanes)))} of ${count(group.lanes.length, 'lane')} at work`;
  }
}
