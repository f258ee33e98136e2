// Formats durations, shares, counts and times like the text report.

function duration(nanos) {
  if (nanos < 0) return '−' + duration(-nanos);
  if (nanos < 1000) return Math.round(nanos) + ' ns';
  if (nanos < 999.5e3) return threeDigits(nanos / 1e3) + ' µs';
  if (nanos < 999.5e6) return threeDigits(nanos / 1e6) + ' ms';
  if (nanos < 59.95e9) return threeDigits(nanos / 1e9) + ' s';
  const seconds = Math.round(nanos / 1e9);
  const two = (number) => String(number).padStart(2, '0');
  if (seconds < 3600) return Math.floor(seconds / 60) + 'm ' + two(seconds % 60) + 's';
  const minutes = Math.round(seconds / 60);
  return Math.floor(minutes / 60) + 'h ' + two(minutes % 60) + 'm';
}

const threeDigits = (value) => value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0);

function percent(part, whole) {
  const percents = whole > 0 ? (100 * part) / whole : 0;
  return percents.toFixed(Math.abs(percents) < 9.95 && percents !== 0 ? 1 : 0) + '%';
}

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

/** How much longer or shorter something is, with its sign. */
function change(now, before) {
  if (before <= 0 || now <= 0) return '–';
  const percents = 100 * (now / before - 1);
  return Math.abs(percents) < 0.05 ? 'the same' : (percents > 0 ? '+' : '−') + Math.abs(percents).toFixed(Math.abs(percents) < 10 ? 1 : 0) + '%';
}

/** The rate of something, in the unit of time in which it happens at least once. */
function rate(perSecond) {
  const [times, unit] = perSecond >= 0.995 || perSecond <= 0 ? [1, 's'] : perSecond * 60 >= 0.995 ? [60, 'min'] : [3600, 'h'];
  const number = perSecond * times;
  return (number === 0 ? '0' : number >= 999.5 ? grouped(Math.round(number)) : threeDigits(number)) + '/' + unit;
}

const count = (number, one, many) => grouped(number) + ' ' + (number === 1 ? one : many || one + 's');

/**
 * Makes invisible control characters visible, especially those that change the direction of text.
 */
const harmless = (text) => text.replace(
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '\ufffd');

/** A name beside numbers, which one in a script from right to left would otherwise move away from their units. */
const isolated = (name) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(name) ? '\u2066' + name + '\u2069' : name);

/** The beginning of a text; an emoji, which is two units, is not divided. */
const beginning = (text, length) => text.slice(0, /[\ud800-\udbff]/.test(text[length - 1]) ? length - 1 : length);

/** The end of a text; an emoji is not divided. */
const ending = (text, length) => text.slice(text.length - length + (/[\udc00-\udfff]/.test(text[text.length - length]) ? 1 : 0));

const clip = (text, length) => (text.length > length ? beginning(text, length - 1) + '…' : text);

/** The same with the end, which tells a worker from its neighbours: long instances differ in the process alone. */
const clipMiddle = (text, length) => (text.length > length
  ? beginning(text, Math.ceil((length - 1) / 2)) + '…' + ending(text, Math.floor((length - 1) / 2)) : text);

/** A moment of the run in UTC, to the millisecond or to the second. */
function moment(epochNanos, sinceNanos, isExact) {
  const millis = Number(epochNanos / 1000000n) + sinceNanos / 1e6;
  const text = new Date(millis).toISOString();
  return text.slice(0, 10) + ' ' + text.slice(11, isExact ? 23 : 19) + ' UTC';
}

/** A time on the ruler: as many digits as its ticks need. */
function tickLabel(nanos, step) {
  if (nanos === 0) return '0';
  if (nanos < 0) return '−' + tickLabel(-nanos, step);
  if (step >= 60e9) {
    const seconds = Math.round(nanos / 1e9);
    const minutes = Math.floor(seconds / 60);
    return minutes >= 60
      ? Math.floor(minutes / 60) + 'h ' + String(minutes % 60).padStart(2, '0') + 'm'
      : minutes + 'm';
  }
  const [unit, sign] = nanos >= 1e9 ? [1e9, ' s'] : nanos >= 1e6 ? [1e6, ' ms'] : nanos >= 1e3 ? [1e3, ' µs'] : [1, ' ns'];
  return (nanos / unit).toFixed(Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9))) + sign;
}

/** The distance of ticks if this many fit: 1, 2 or 5 times a power of ten, or of minutes. */
function tickStep(span, ticks) {
  const rough = span / Math.max(1, ticks);
  for (const minutes of [1, 2, 5, 10, 30, 60, 120, 360, 720, 1440]) {
    if (rough > 20e9 && rough <= minutes * 60e9) return minutes * 60e9;
  }
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  for (const factor of [1, 2, 5, 10]) {
    if (rough <= factor * power) return Math.max(1, factor * power);
  }
  return 10 * power;
}
