// Elements. Everything from a trace becomes a text node, or an attribute that is only displayed:
// nothing here accepts markup.

function el(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'style') Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** The same for a picture of lines and texts. */
function svg(tag, properties, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A table that may be wider than the window; the arrow keys move it while it has the focus. */
const scrolling = (...children) => el('div', { class: 'scroll', role: 'group', tabindex: '0', 'aria-label': 'Table' }, ...children);

// Parts of tables.

const numeric = (text, more) => el('td', more || {}, text);

function bar(share, kind) {
  return el('span', { class: 'bar', 'aria-hidden': 'true' },
    el('i', { class: kind, style: { width: Math.min(100, Math.max(0, share * 100)) + '%' } }));
}

/** A heading that sorts a table, and shows whether it does. */
function sortHeading(table, key, label, isText, sort) {
  return el('th', {
    class: isText && 'text', scope: 'col',
    'aria-sort': table.by === key && (table.isDescending ? 'descending' : 'ascending'),
  }, el('button', {
    type: 'button',
    onclick: (event) => {
      const part = event.currentTarget.closest('section');
      sort(key); // makes the table anew: the keyboard stays where it was
      part.querySelector('th[aria-sort] button').focus();
    },
  }, label));
}

const SEEN_ENDING = 10; // characters

/** A worker in one line whose end is seen where there is no room for all of it. */
function workerLine(text) {
  const shown = clipMiddle(text, 200);
  const end = shown.length > SEEN_ENDING + 2 ? ending(shown, SEEN_ENDING) : '';
  return el('span', { class: 'both-ends' }, el('span', { class: 'one-line' }, shown.slice(0, shown.length - end.length)), end && el('span', {}, end));
}

const byId = (id) => document.getElementById(id);

function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter(Boolean));
  element.hidden = false;
  return element;
}

/** A tooltip: it follows the pointer, and disappears when the pointer leaves. */
const tip = {
  show(x, y, ...content) {
    const box = byId('tip');
    fill(box, ...content);
    const width = box.offsetWidth;
    const height = box.offsetHeight;
    box.style.left = Math.max(4, Math.min(x + 14, innerWidth - width - 8)) + 'px';
    box.style.top = (y + 18 + height > innerHeight ? Math.max(4, y - height - 12) : y + 18) + 'px';
  },
  hide() {
    byId('tip').hidden = true;
  },
};

/** A canvas for sharp lines on any screen; returns its context, in CSS pixels. */
function prepareCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const w = Math.max(1, Math.round(width * ratio));
  const h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.height = height + 'px';
  }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** The colours of the current theme. */
function themeColors() {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue('--' + name).trim();
  return {
    paper: color('paper'), card: color('card'), ink: color('ink'), dim: color('dim'),
    line: color('line'), soft: color('soft'), accent: color('accent'), error: color('error'),
    path: color('path'), idle: color('idle'), onAccent: color('on-accent'),
  };
}
