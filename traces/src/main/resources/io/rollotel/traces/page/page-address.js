// The fragment of the address holds the state of the view: the part of the page, the zoom, the
// selection and the search. So users can send it to others, and the browser's back and forward
// work.

const SETTLED_MILLIS = 250;

/** The parts that change continuously: they add no entry to the history. */
const RANGES = ['zoom', 'tracezoom', 'range', 'cell'];

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

/** A bar in the address: its moment, since an active run joins its bars as it grows. */
const barKey = (bars, number) => '@' + bars[number].start;

/** The bar of such a moment, or of its number in this report, as pages before had it; -1 if there is none. */
function barOfKey(bars, key) {
  if (/^\d{1,6}$/.test(key)) return Number(key) < bars.length ? Number(key) : -1;
  const moment = /^@(-?\d{1,19})$/.exec(key);
  return moment ? bars.findLastIndex(({ start }) => start <= Number(moment[1])) : -1;
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
