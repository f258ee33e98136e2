// The activity of each worker in each step, as a matrix: its values, the order of its rows, the
// shades of its cells. The heat map draws it.

const HEAT_KINDS = {
  busy: { label: 'Busy', of: 'busy' },
  idle: { label: 'Idle', of: 'idle' },
  cost: { label: 'Cost: what the others waited for it', of: 'the others waited' },
  queue: { label: 'Waits in queues', of: 'its calls waited in queues' },
};

const HEAT_OUTLIERS = 20;

/**
 * From this many workers on, those of a service are each other's peers; workers of smaller services
 * are peers together.
 */
const LEAST_PEERS = 3;

/** Processes beyond those that the report lists, by their number. */
async function furtherWorkers(report) {
  const found = new Map();
  if (!report.heat || report.heat.further === '') return found;
  const lines = harmless(new TextDecoder().decode(await inflate(report.heat.further)).replaceAll('\t', '\n')).split('\n');
  for (let at = 0; at + 3 < lines.length; at += 4) {
    found.set(report.workers.length + at / 4, { service: lines[at], instance: lines[at + 1], rank: lines[at + 2], host: '', pid: '', driver: false });
  }
  return found;
}

/** Packed cells in nanoseconds, row by row. */
function unpackCells(bytes, unitNanos, size) {
  const numbers = new Numbers(bytes);
  return Float64Array.from({ length: size }, () => numbers.next() * unitNanos);
}

/**
 * A matrix of one metric. Its values are nanoseconds: for each step on average, or of the longest
 * span. NaN if a worker took no part.
 */
class HeatMatrix {
  /**
   * @param steps the number of steps in each column
   * @param parts for each cell, the time of the steps in which the worker took part; null for no
   *     shares
   */
  constructor({ rows, steps, values, parts = null, isLongest = false }) {
    Object.assign(this, { rows, steps, values, parts, isLongest, columns: steps.length });
  }

  at(row, column) {
    return this.values[row * this.columns + column];
  }

  partAt(row, column) {
    return this.parts[row * this.columns + column];
  }

  /** The value that the colour of a cell shows: a share if there are any. */
  shade(row, column) {
    return this.parts ? this.at(row, column) / this.partAt(row, column) : this.at(row, column);
  }

  hasRow(row) {
    for (let at = row * this.columns; at < (row + 1) * this.columns; at++) if (!Number.isNaN(this.values[at])) return true;
    return false;
  }

  /** The same with this many columns merged: their mean by steps, or the longest of them. */
  joined(by) {
    if (by === 1) return this;
    const columns = Math.ceil(this.columns / by);
    const steps = Array.from({ length: columns }, (_, column) => this.steps.slice(column * by, column * by + by).reduce((a, b) => a + b, 0));
    const join = (cells) => {
      const made = new Float64Array(this.rows * columns).fill(NaN);
      for (let row = 0; row < this.rows; row++) {
        for (let column = 0; column < this.columns; column++) {
          const value = cells[row * this.columns + column];
          if (Number.isNaN(value)) continue;
          const to = Math.floor(column / by);
          const at = row * columns + to;
          const before = Number.isNaN(made[at]) ? 0 : made[at];
          made[at] = this.isLongest ? Math.max(before, value) : before + (value * this.steps[column]) / steps[to];
        }
      }
      return made;
    };
    return new HeatMatrix({ rows: this.rows, steps, values: join(this.values), parts: this.parts && join(this.parts), isLongest: this.isLongest });
  }
}

/** The matrices of a report, each created on first use. */
class Heat {
  constructor(model) {
    const { heat } = model.report;
    this.model = model;
    this.rows = heat.rows;
    this.columns = heat.columns;
    this.packed = heat;
    this.made = new Map();
  }

  /** The choices: a kind, or a name's number with its text. */
  choices() {
    const { heat, names } = this.model.report;
    const kinds = Object.keys(HEAT_KINDS).map((kind) => ({ key: kind, label: HEAT_KINDS[kind].label }));
    // In the first step of an active run, the page has no complete step yet.
    const isKnown = !heat.names && stepsOfItems(this.model).steps.length === this.columns.reduce((sum, { steps }) => sum + steps, 0);
    const numbers = heat.names ? heat.names.map((one) => one.name) : isKnown ? names.map((_, number) => number) : [];
    return [...kinds, ...numbers.map((name) => ({ key: 'name ' + name, label: this.model.nameOf(name), name }))];
  }

  /** @param key of a choice */
  matrix(key) {
    if (!this.made.has(key)) this.made.set(key, this.make(key));
    return this.made.get(key);
  }

  async make(key) {
    const steps = this.columns.map((column) => column.steps);
    const base = { rows: this.rows, steps };
    if (key.startsWith('name ')) return new HeatMatrix({ ...base, values: await this.longest(Number(key.slice(5))), isLongest: true });
    const perStep = (cells) => cells.map((cell, i) => cell / steps[i % steps.length]);
    this.parts ||= this.cells(this.packed.parts).then(perStep);
    const parts = await this.parts;
    const cells = perStep(await this.cells(this.packed[key === 'idle' ? 'busy' : key]));
    // A worker that took no part has no value; a driver, which has no idle time, may have others.
    const values = cells.map((cell, i) => {
      if (parts[i] === 0) return cell > 0 ? cell : NaN;
      return key === 'idle' ? Math.max(0, parts[i] - cell) : cell;
    });
    return new HeatMatrix({ ...base, values, parts: key === 'idle' || key === 'busy' ? parts : null });
  }

  async cells({ unit, cells }) {
    return unpackCells(await inflate(cells), unit, this.rows * this.columns.length);
  }

  /** The longest span of a name in each cell. */
  async longest(name) {
    const packed = this.packed.names?.find((one) => one.name === name);
    if (packed) return (await this.cells(packed)).map((cell) => (cell > 0 ? cell : NaN));
    const values = new Float64Array(this.rows * this.columns.length).fill(NaN);
    if (this.packed.names) return values; // it has no room on the page
    const { model } = this;
    const slices = stepsOfItems(model);
    for (const row of model.rows) {
      if (row.worker >= this.rows) continue;
      for (let item = row.first; item < Math.min(row.last, model.ended); item++) {
        if (model.name[item] !== name || slices.of[item] < 0 || model.flags[item] & DISPATCH) continue;
        const at = row.worker * this.columns.length + Math.floor(slices.of[item] / this.packed.together);
        const nanos = Math.max(1, model.end[item] - model.start[item]);
        if (!(values[at] >= nanos)) values[at] = nanos;
      }
    }
    return values;
  }
}

/** For each row the number of its group of peers: those of its service. */
function peersOf(services) {
  const sizes = new Map();
  for (const service of services) sizes.set(service, (sizes.get(service) || 0) + 1);
  const groups = new Map();
  return services.map((service) => {
    const key = sizes.get(service) >= LEAST_PEERS ? ' ' + service : '';
    if (!groups.has(key)) groups.set(key, groups.size);
    return groups.get(key);
  });
}

/**
 * For each cell, the median of its column among the row's peers that took part, the lower of two.
 */
function peerMedians(matrix, peers) {
  const groups = peers.length === 0 ? 0 : Math.max(...new Set(peers)) + 1;
  const medians = new Float64Array(groups * matrix.columns).fill(NaN);
  for (let column = 0; column < matrix.columns; column++) {
    const values = Array.from({ length: groups }, () => []);
    for (let row = 0; row < matrix.rows; row++) {
      const value = matrix.at(row, column);
      if (!Number.isNaN(value)) values[peers[row]].push(value);
    }
    values.forEach((some, group) => {
      const sorted = Float64Array.from(some).sort();
      if (sorted.length > 0) medians[group * matrix.columns + column] = sorted[(sorted.length - 1) >> 1];
    });
  }
  return (row, column) => medians[peers[row] * matrix.columns + column];
}

/**
 * The rows that have a value, in an order.
 *
 * @param by 'outlier': those furthest from the medians of their peers first. Rows that differ by
 *     less than a hundredth of the furthest keep the order of their numbers, so that noise moves
 *     none. 'rank', 'name'
 * @param ranks as texts
 */
function heatOrder(matrix, medianOf, by, ranks) {
  const rows = Array.from({ length: matrix.rows }, (_, row) => row).filter((row) => matrix.hasRow(row));
  if (by === 'name') return rows; // workers are numbered by service, rank and instance
  if (by === 'rank') {
    const rank = (row) => (/^\d+$/.test(ranks[row]) ? Number(ranks[row]) : Infinity);
    const places = new Map(rows.map((row) => [row, rank(row)]));
    return rows.sort((a, b) => (places.get(a) === places.get(b) ? a - b : places.get(a) - places.get(b)));
  }
  const away = new Float64Array(matrix.rows);
  for (const row of rows) {
    for (let column = 0; column < matrix.columns; column++) {
      const value = matrix.at(row, column);
      if (!Number.isNaN(value)) away[row] += Math.abs(value - medianOf(row, column)) * matrix.steps[column];
    }
  }
  const most = away.reduce((a, b) => Math.max(a, b), 0);
  const levels = away.map((nanos) => (most > 0 ? Math.round((100 * nanos) / most) : 0));
  return rows.sort((a, b) => levels[b] - levels[a] || a - b);
}

/** The cells that are furthest from the median of their peers, the furthest first. */
function heatOutliers(matrix, medianOf, most = HEAT_OUTLIERS) {
  const found = [];
  for (let row = 0; row < matrix.rows; row++) {
    for (let column = 0; column < matrix.columns; column++) {
      const value = matrix.at(row, column);
      const median = medianOf(row, column);
      const away = Math.abs(value - median);
      if (!(away > 0) || (found.length === most && away <= found[most - 1].away)) continue;
      let at = found.length;
      while (at > 0 && found[at - 1].away < away) at--;
      found.splice(at, 0, { row, column, value, median, away });
      if (found.length > most) found.pop();
    }
  }
  return found;
}

/**
 * How dark cells are. The scale ends at three times the 99th percentile, so that a few outliers do
 * not flatten the others; it begins at the smallest value if all are of similar size.
 */
function heatScale(matrix, rows) {
  const shades = [];
  for (const row of rows) {
    for (let column = 0; column < matrix.columns; column++) {
      const shade = matrix.shade(row, column);
      if (!Number.isNaN(shade)) shades.push(shade);
    }
  }
  const sorted = Float64Array.from(shades).sort();
  const at = (some, share) => some[Math.max(0, Math.ceil(share * some.length) - 1)] ?? 0;
  const least = sorted[0] ?? 0;
  const most = sorted[sorted.length - 1] ?? 0;
  const positive = sorted.filter((shade) => shade > 0);
  const high = Math.min(most, 3 * at(positive, 0.99));
  const low = least > high / 2 ? Math.min(least, 0.8 * high) : 0;
  return {
    least, median: at(sorted, 0.5), most, low, high,
    of: (shade) => (high > low ? Math.max(0, Math.min(1, (shade - low) / (high - low))) : 0),
    isCut: (shade) => shade > high,
  };
}

/** How many columns must be merged so that each is wide enough for the pointer. */
const columnsTogether = (columns, pixels, least = 3) => Math.max(1, Math.ceil((columns * least) / Math.max(least, pixels)));

/** The cursor's position after a key in a matrix of this size; null for other keys. */
function moveCell(cell, { key, ctrlKey = false }, rows, columns, page) {
  if (rows === 0 || columns === 0) return null;
  const by = {
    ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
    PageUp: [-page, 0], PageDown: [page, 0],
    Home: ctrlKey ? [-rows, -columns] : [0, -columns], End: ctrlKey ? [rows, columns] : [0, columns],
  }[key];
  if (!by) return null;
  if (!cell) return { row: 0, column: 0 };
  return {
    row: Math.max(0, Math.min(rows - 1, cell.row + by[0])),
    column: Math.max(0, Math.min(columns - 1, cell.column + by[1])),
  };
}

/**
 * The item that best shows a worker's activity in a period: the longest of a name, or otherwise the
 * longest one; -1 if there is none.
 */
function itemOfCell(model, worker, from, to, name = -1) {
  let best = -1;
  let bestNanos = 0;
  for (const row of model.rows) {
    if (row.worker !== worker || (name < 0 && row.depth > 0)) continue;
    const first = model.firstEndingAfter(row.first, row.last, from);
    for (let item = first; item < row.last && model.start[item] < to; item++) {
      if (name >= 0 && (model.name[item] !== name || model.flags[item] & DISPATCH)) continue;
      const nanos = name >= 0 ? model.end[item] - model.start[item] : Math.min(to, model.end[item]) - Math.max(from, model.start[item]);
      if (best < 0 || nanos > bestNanos) {
        best = item;
        bestNanos = nanos;
      }
    }
  }
  return best;
}
