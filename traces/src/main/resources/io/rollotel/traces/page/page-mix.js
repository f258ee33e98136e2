// The activity in a period, by name: sums that do not inspect every span.

const FEW_ITEMS = 128; // whose times are added one by one

/** Times by name, reused for each collection. */
class Mix {
  constructor(names) {
    this.times = new Float64Array(names);
    this.names = [];
  }

  add(name, nanos) {
    if (nanos <= 0) return;
    if (this.times[name] === 0) this.names.push(name);
    this.times[name] += nanos;
  }

  clear() {
    for (const name of this.names) this.times[name] = 0;
    this.names.length = 0;
  }

  get total() {
    return this.names.reduce((sum, name) => sum + this.times[name], 0);
  }

  /** The names with the most time, as [name, nanos]. */
  top(most) {
    return this.names.map((name) => [name, this.times[name]]).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, most);
  }

  /**
   * Divides pixels among the names by their time, in whole pixels, as [name, pixels]. Names with
   * less than half a pixel get none, and all pixels are assigned.
   *
   * @param order the place of a name
   */
  divide(pixels, order) {
    const { names, times } = this;
    if (names.length <= 1) return names.map((name) => [name, pixels]);
    const total = this.total;
    const shares = names.map((name) => {
      const exact = (times[name] / total) * pixels;
      return { name, whole: Math.floor(exact), rest: exact - Math.floor(exact), exact };
    });
    let left = pixels - shares.reduce((sum, share) => sum + share.whole, 0);
    shares.sort((a, b) => b.rest - a.rest || b.exact - a.exact);
    for (let i = 0; left > 0; i++, left--) shares[i].whole++;
    return shares.filter((share) => share.whole > 0).sort((a, b) => order(a.name) - order(b.name)).map((share) => [share.name, share.whole]);
  }
}

/**
 * The time of each name in any period of a row, from sums at regular intervals of items. The more
 * names a row has, the larger the intervals: there are at most a quarter as many sums as items.
 */
class TimesByName {
  /** @param nanosOf the effective time of an item */
  constructor(model, nanosOf) {
    this.model = model;
    this.nanosOf = nanosOf;
    this.rows = new Map();
    this.slotOf = new Int32Array(model.report.names.length + model.open.length + 2).fill(-1);
  }

  row(number) {
    if (!this.rows.has(number)) this.rows.set(number, this.summed(this.model.rows[number]));
    return this.rows.get(number);
  }

  summed({ first, last }) {
    const { slotOf } = this;
    const { name } = this.model;
    const names = [];
    for (let item = first; item < last; item++) if (slotOf[name[item]] < 0) slotOf[name[item]] = names.push(name[item]) - 1;
    const size = Math.max(64, 4 * names.length);
    const blocks = Math.floor((last - first) / size);
    const sums = new Float64Array((blocks + 1) * names.length);
    const now = new Float64Array(names.length);
    for (let block = 0; block < blocks; block++) {
      for (let item = first + block * size; item < first + (block + 1) * size; item++) now[slotOf[name[item]]] += this.nanosOf(item);
      sums.set(now, (block + 1) * names.length);
    }
    for (const one of names) slotOf[one] = -1;
    return { first, size, names, sums };
  }

  /** Adds the times of items of one row to a mix. */
  add(number, from, to, mix) {
    const { name } = this.model;
    const each = (low, high) => {
      for (let item = low; item < high; item++) mix.add(name[item], this.nanosOf(item));
    };
    if (to - from < FEW_ITEMS) return each(from, to);
    const { first, size, names, sums } = this.row(number);
    const low = Math.ceil((from - first) / size);
    const high = Math.floor((to - first) / size);
    if (high <= low) return each(from, to);
    each(from, first + low * size);
    for (let slot = 0; slot < names.length; slot++) mix.add(names[slot], sums[high * names.length + slot] - sums[low * names.length + slot]);
    each(first + high * size, to);
  }
}
