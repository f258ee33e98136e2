// Keeps what is chosen in views of an active run whose state has changed.

/**
 * What the numbers of an earlier state of an active run are in the current one, -1 where there are none: each
 * state numbers its names, workers and bars anew, and begins with the first span that it has.
 */
class Renumbered {
  constructor(old, model) {
    this.old = old.report;
    this.report = model.report;
    this.shift = Number(old.epoch - model.epoch);
  }

  name(number) {
    const text = this.old.names[number]?.name;
    return text === undefined ? -1 : this.report.names.findIndex(({ name }) => name === text);
  }

  worker(number) {
    const known = this.old.workers[number];
    return known ? this.report.workers.findIndex((one) => one.service === known.service && one.instance === known.instance) : -1;
  }

  /** The bar in which another began, of the chart of steps or among the columns of the heat map. */
  bar(number, before = this.old.steps.bars, now = this.report.steps.bars) {
    return before[number] ? barAt(now, before[number].start + this.shift, placeAmongEqual(before, number)) : -1;
  }
}
