// The fragment of the address holds the state of the view: the part of the page, the zoom, the
// selection and the search. So users can send it to others, and the browser's back and forward
// work.

const SETTLED_MILLIS = 250;

/** The parts that change continuously: they add no entry to the history. */
const RANGES = ['zoom', 'tracezoom', 'range', 'cell', 'since'];

/** How the parts that hold moments have them: since the first span of the run. */
const MOMENTS = {
  zoom: /-?\d+/g, tracezoom: /-?\d+/g, range: /-?\d+/g, whysteps: /(?<=@)-?\d+/g, pair: /(?<=^@)-?\d+/,
  callsof: /(?<=^steps .*@)-?\d+/g, cell: /(?<=@)-?\d+(?=(\.\d+)?$)/,
};

const hasMoments = (parameters) => Object.entries(MOMENTS).some(([key, moments]) => new RegExp(moments).test(parameters.get(key) || ''));

/**
 * Moves the moments of an address to the beginning that the run has here: a span that arrives later
 * may have started before all others. Another run, which shows what lies as long after its
 * beginning, keeps them.
 */
function moveMoments(parameters, { epoch, wall }) {
  if (!/^\d{1,19}$/.test(parameters.get('since') || '')) return;
  const shift = Number(BigInt(parameters.get('since')) - epoch);
  if (shift === 0 || Math.abs(shift) > wall) return;
  for (const [key, moments] of Object.entries(MOMENTS)) {
    if (parameters.has(key)) parameters.set(key, parameters.get(key).replace(moments, (nanos) => String(Number(nanos) + shift)));
  }
}

/** Two numbers as 1..2; null if there are none. */
function rangeOf(text) {
  const numbers = (text || '').split('..').map(Number);
  return numbers.length === 2 && numbers.every(Number.isFinite) && numbers[0] < numbers[1] ? numbers : null;
}

/** Names as a list in JSON; null if there is none. */
function callsOf(text) {
  try {
    const names = JSON.parse(text);
    return Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === 'string') ? names : null;
  } catch {
    return null;
  }
}

/** Which one a bar is of those that start in the same moment. */
const placeAmongEqual = (bars, number) => number - bars.findIndex(({ start }) => start === bars[number].start);

/** The bar that starts in a moment, or in which the moment lies; -1 if there is none. */
function barAt(bars, moment, place) {
  const number = bars.findIndex(({ start }) => start === moment) + place;
  return bars[number]?.start === moment ? number : bars.findLastIndex(({ start }) => start <= moment);
}

/** A bar in the address: its moment, since an active run joins its bars as it grows. */
function barKey(bars, number) {
  const { start } = bars[number];
  return '@' + start + (bars.filter((bar) => bar.start === start).length > 1 ? '.' + placeAmongEqual(bars, number) : '');
}

/** The bar of such a moment, or of its number in this report, as pages before had it; -1 if there is none. */
function barOfKey(bars, key) {
  if (/^\d{1,6}$/.test(key)) return Number(key) < bars.length ? Number(key) : -1;
  const [, moment, place] = /^@(-?\d{1,19})(?:\.(\d{1,6}))?$/.exec(key) || [];
  return moment === undefined ? -1 : barAt(bars, Number(moment), Number(place));
}

function parsedAddress(hash) {
  const text = hash.replace(/^#/, '');
  const at = text.indexOf('?');
  return { part: at < 0 ? text : text.slice(0, at), parameters: new URLSearchParams(at < 0 ? '' : text.slice(at + 1)) };
}

class Address {
  constructor() {
    this.part = '';
    this.holders = [];
    this.restoring = 0;
    this.restores = 0;
    this.isOwn = false; // what is seen differs from the address because somebody has done something
    for (const kind of ['pointerdown', 'keydown', 'wheel']) {
      addEventListener(kind, () => { this.isOwn = true; }, { capture: true, passive: true });
    }
    addEventListener('popstate', () => this.restore());
    document.addEventListener('click', (event) => {
      const link = event.target instanceof Element && event.target.closest('a[href^="#"]');
      if (!link) return;
      event.preventDefault();
      this.isOwn = true;
      this.go(link.getAttribute('href').slice(1));
      const part = byId(this.part);
      part.tabIndex = -1;
      part.focus({ preventScroll: true });
    });
  }

  /** Shows a part of the page. */
  go(part) {
    this.part = part;
    byId(part).scrollIntoView({ block: 'start' });
    this.changed();
  }

  changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), SETTLED_MILLIS);
  }

  text(without = []) {
    const parameters = new URLSearchParams();
    for (const holder of this.holders) holder.save(parameters);
    if (hasMoments(parameters)) parameters.set('since', String(app.model.epoch));
    // Who opens the address wants to see what it describes, not the top of the page.
    const part = this.part || (parameters.has('zoom') && !without.includes('zoom') ? 'timeline' : '');
    for (const key of without) parameters.delete(key);
    const query = parameters.toString();
    return '#' + part + (query ? '?' + query : '');
  }

  write() {
    const text = this.text();
    if (this.restoring > 0 || text === (location.hash || '#')) return;
    const { part, parameters } = parsedAddress(location.hash);
    const isImplied = this.part === '' && part === 'timeline' && parameters.has('zoom');
    for (const key of RANGES) parameters.delete(key);
    const query = parameters.toString();
    const isTheSame = this.text(RANGES) === '#' + (isImplied ? '' : part) + (query ? '?' + query : '');
    try {
      history[this.isOwn && !isTheSame ? 'pushState' : 'replaceState'](null, '', text);
    } catch {
      // Too often within a minute, or in a frame without history: the view is still correct.
    }
  }

  /** Shows the view in the address. */
  async restore() {
    if (!app.model) return;
    clearTimeout(this.timer);
    const { part, parameters } = parsedAddress(location.hash);
    moveMoments(parameters, app.model);
    const isAnother = part !== this.part;
    this.part = byId(part)?.tagName === 'SECTION' ? part : '';
    this.isOwn = false;
    this.restoring++;
    const number = ++this.restores;
    try {
      for (const holder of this.holders) {
        await holder.restore(parameters);
        if (number !== this.restores) return; // back again meanwhile
      }
    } finally {
      this.restoring--;
      this.changed();
    }
    if (isAnother && this.part) byId(this.part).scrollIntoView({ block: 'start' });
    document.body.dataset.address = location.hash; // for tests
  }
}
