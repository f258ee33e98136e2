// The activity of threads in spans, added up: for some rows of the report, for the whole time or
// some steps.

const RUNNING = 0; // among the activities

const addTo = (map, key, nanos) => map.set(key, (map.get(key) || 0) + nanos);

/** Unpacks the activity by bar of the chart of steps, once, when a bar is first chosen. */
function unpackSteps(profile) {
  profile.unpacking ||= (async () => {
    const numbers = new Numbers(await inflate(profile.byStep));
    const many = (one) => Array.from({ length: numbers.next() }, one);
    const micros = () => numbers.next() * 1000;
    const byBar = (one) => {
      let bar = -1;
      return many(() => [(bar += numbers.next() + 1), one()]);
    };
    for (const row of [...profile.path, ...profile.names]) {
      row.bars = byBar(() => ({ spans: numbers.next(), activities: many(() => [numbers.next(), micros()]) }));
      row.nodeBars = Array.from({ length: row.nodes.length / 4 }, () => byBar(micros));
    }
    profile.byStep = null; // the text is no longer needed
    profile.isUnpacked = true;
  })();
  return profile.unpacking;
}

/**
 * Its package, with an asterisk: a class begins with a capital. Methods without a package stay
 * unchanged.
 */
function packageOf(profile, frame) {
  const [name] = /^(?:[a-z_][\w$]*\.)+(?=[A-Z$])/.exec(profile.frames[frame]) || [];
  if (!name) return frame;
  profile.packages ||= new Map();
  if (!profile.packages.has(name)) profile.packages.set(name, profile.frames.push(name + '*') - 1);
  return profile.packages.get(name);
}

/**
 * Rows of one kind added up: time by activity, and one tree of all of their trees. A method is one
 * node below its caller, regardless of lines; the node knows the time of each line.
 */
class ProfileSum {
  /**
   * @param bars the first and the last bar of the chart of steps to include; null for the whole
   *     time
   * @param isFolded whether methods of one package that call each other are one node
   */
  constructor(rows, bars, isFolded = false) {
    this.isFolded = isFolded;
    this.activities = new Map();
    this.spans = 0;
    this.root = this.node(-1);
    for (const row of rows) {
      if (bars) {
        this.addSteps(row, ([bar]) => bar >= bars[0] && bar <= bars[1]);
      } else {
        this.addActivities(row);
        this.addNodes(row, Float64Array.from({ length: row.nodes.length / 4 }, (_, place) => row.nodes[4 * place + 3]));
      }
    }
    this.total = [...this.activities.values()].reduce((sum, nanos) => sum + nanos, 0);
    this.whole = this.total; // of which a part is compared
  }

  node(frame) {
    return { frame, total: 0, lines: new Map(), below: new Map(), isWait: false };
  }

  addActivities({ spans, activities }) {
    this.spans += spans;
    for (const [activity, nanos] of activities) addTo(this.activities, activity, nanos);
  }

  /** A step has few samples: those of a row share the time in which it ran there. */
  addSteps(row, isWanted) {
    const parts = row.bars.filter(isWanted).map(([, part]) => part);
    parts.forEach((part) => this.addActivities(part));
    const ran = parts.flatMap((part) => part.activities).reduce((sum, [activity, nanos]) => sum + (activity === RUNNING ? nanos : 0), 0);
    const isRunning = [];
    let seen = 0;
    const own = Float64Array.from(row.nodeBars, (bars, place) => {
      const nanos = bars.filter(isWanted).reduce((sum, [, time]) => sum + time, 0);
      const caller = row.nodes[4 * place];
      isRunning.push(caller < 0 ? !app.report.profile.frames[row.nodes[4 * place + 1]].startsWith('[') : isRunning[caller]);
      seen += isRunning[place] ? nanos : 0;
      return nanos;
    });
    this.addNodes(row, own.map((nanos, place) => (isRunning[place] && seen > 0 ? (nanos * ran) / seen : nanos)));
  }

  /**
   * A row's nodes are four numbers each: caller, frame, line, own time. Callers come first.
   * @param totals the own times to include; becomes the totals with all descendants
   */
  addNodes({ nodes }, totals) {
    for (let place = totals.length - 1; place >= 0; place--) {
      if (nodes[4 * place] >= 0) totals[nodes[4 * place]] += totals[place];
    }
    const { profile } = app.report;
    const places = [];
    totals.forEach((nanos, place) => {
      const [caller, method, line] = nodes.slice(4 * place, 4 * place + 3);
      const above = caller < 0 ? this.root : places[caller];
      if (caller < 0) this.root.total += nanos;
      const isWait = above.isWait || (caller < 0 && profile.frames[method].startsWith('['));
      const frame = this.isFolded && !isWait ? packageOf(profile, method) : method;
      if (frame !== method && frame === above.frame) { // the caller's package has this time already
        places.push(above);
        return;
      }
      if (!above.below.has(frame)) above.below.set(frame, this.node(frame));
      const node = above.below.get(frame);
      node.isWait = isWait;
      node.total += nanos;
      if (line > 0 && frame === method) addTo(node.lines, line, nanos);
      places.push(node);
    });
  }

  /** The node of a path of frames; undefined if there is none. */
  find(path) {
    let node = this.root;
    for (const frame of path) node = node?.below.get(frame);
    return node;
  }

  /** The share of a path of frames in the whole time. */
  share(path) {
    return this.total > 0 ? (this.find(path)?.total ?? 0) / this.total : 0;
  }

  /** The share that is compared with another sum's. */
  part(path) {
    return this.whole > 0 ? (this.find(path)?.total ?? 0) / this.whole : 0;
  }

  /** The time per span of a path of frames, or of everything. */
  each(nanos) {
    return nanos / Math.max(1, this.spans);
  }
}

/** Compares two runs by their time per span, since one may have more spans. */
function compareBySpan(sum, other) {
  const most = Math.max(sum.each(sum.total), other.each(other.total));
  for (const one of [sum, other]) one.whole = most * one.spans;
}

/** The lines of a method with the most time, and how much of its time each has. */
function linesOf(node) {
  return [...(node?.lines ?? [])].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 5).filter(([, nanos]) => nanos >= 0.005 * node.total);
}
