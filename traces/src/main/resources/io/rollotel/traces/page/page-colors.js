// The colour of a name depends on the name itself: it is the same in every view, in each state of
// an active run, and from run to run. A phase and the worker's call that it makes have the same
// hue.

/** The first eight are for well-known phases, the others for all other names. */
const PALETTE = [
  '#3b7dd8', '#e08a2e', '#3f9d6b', '#9a6fd0', '#c9a227', '#2fa3a8', '#d0679d', '#8a6b4f',
  '#6d8fe0', '#93a83a', '#5e7f96', '#c58a6a', '#a8558f', '#5fae8b', '#7a6ff0', '#b59a5b',
];

const KNOWN_PHASES = [
  /generat|rollout|sampl|infer|play/, /train|learn|backward|optimi|gradient/, /reward|score|judge|verif/,
  /log_?prob|^ref|critic|value/, /advantage|returns|gae/, /sync|broadcast|weights|publish|model_?update/, /valid|eval/, /save|checkpoint/,
];

/** A hash of a text that is the same everywhere: FNV-1a. */
function textHash(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** The method of a worker's call; undefined for other names. */
const calledBy = (name) => /^(?:worker|\w*(?:Worker|Actor))\.(.+)$/.exec(name)?.[1];

/** The first item of each name; -1 if the timeline has none. */
function firstItems(model) {
  const most = model.report.names.length + model.open.length + 2;
  const first = new Int32Array(most).fill(-1);
  for (let item = 0; item < model.items; item++) {
    const name = model.name[item];
    if (first[name] < 0 || model.start[item] < model.start[first[name]]) first[name] = item;
  }
  return first;
}

/** A colour mixed with some white, or with black if the share is negative. */
function mixed(color, share) {
  const to = share < 0 ? 0 : 255;
  const part = (at) => {
    const value = parseInt(color.slice(at, at + 2), 16);
    return Math.round(value + (to - value) * Math.abs(share)).toString(16).padStart(2, '0');
  };
  return '#' + part(1) + part(3) + part(5);
}

/** Remembers assigned colours: a new name does not take another's colour. */
class NameColors {
  constructor() {
    this.hues = new Map();
    this.callers = new Map();
    this.taken = new Array(PALETTE.length).fill(0);
    this.byNumber = [];
  }

  /**
   * Assigns colours to the names of a state of the report, in the order of their first occurrence.
   */
  show(model, stepName) {
    const first = firstItems(model);
    const start = (number) => (first[number] >= 0 ? model.start[first[number]] : Infinity);
    const names = [...model.report.names.keys(), ...model.unnamed.keys()];
    names.sort((a, b) => start(a) - start(b) || (model.nameOf(a) < model.nameOf(b) ? -1 : 1));
    this.byNumber = [];
    this.places = new Map(names.map((number, place) => [number, place]));
    for (const number of names) {
      if (number === stepName) this.byNumber[number] = '#8993a3'; // they are what is divided
      else this.byNumber[number] = this.colorOf(model.nameOf(number), this.callerOf(model, first[number], stepName));
    }
  }

  /** The name of the phase that made a call, if known. */
  callerOf(model, item, stepName) {
    const parent = item >= 0 ? model.parent[item] : -1;
    return parent >= 0 && model.name[parent] !== stepName ? model.nameOf(model.name[parent]) : undefined;
  }

  colorOf(name, caller) {
    const method = calledBy(name);
    const family = ((method && (this.callers.get(name) || caller)) || method || name).toLowerCase();
    if (method) this.callers.set(name, family);
    if (!this.hues.has(family)) this.hues.set(family, this.freeHue(family));
    const { hue, round } = this.hues.get(family);
    const base = round === 0 ? PALETTE[hue] : mixed(PALETTE[hue], round % 2 ? -0.3 : 0.2);
    return method ? mixed(base, 0.3) : base;
  }

  /** The family's own hue, or the next one that is used less. */
  freeHue(family) {
    const half = PALETTE.length / 2;
    const phase = KNOWN_PHASES.findIndex((words) => words.test(family));
    const own = phase >= 0 ? phase : half + (textHash(family) % half);
    const from = phase >= 0 ? 0 : half;
    let best = own;
    for (let i = 0; i < PALETTE.length; i++) {
      const hue = i < half ? from + ((own - from + i) % half) : (own + i) % PALETTE.length;
      if (this.taken[hue] < this.taken[best]) best = hue;
    }
    return { hue: best, round: this.taken[best]++ };
  }

  /** The place of a name in the order of first occurrence. */
  place(number) {
    return this.places.get(number) ?? this.places.size;
  }
}

const nameColor = (number) => app.colors.byNumber[number] || '#8993a3';

function swatch(number) {
  return el('span', { class: 'swatch', style: { background: nameColor(number) }, 'aria-hidden': 'true' });
}
