// The language of queries, the same as the command line's: package query of the Java side has the
// twin of this file, and both pass the same tests (query-vectors.json).

/** An invalid query: the error, and its position. */
class QueryError extends Error {
  constructor(message, at) {
    super(message);
    this.at = at;
  }
}

const QUERY_UNITS = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 };
const QUERY_NUMBER = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const QUERY_TIME = /^([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(ns|us|µs|μs|ms|s|m|h)?$/;

/**
 * The fields of each span and their types: text; a word, which is compared as a number if it is
 * one; a time; or one of some words. Any other key is an attribute.
 */
const QUERY_KEYS = new Map(Object.entries({
  name: 'text', worker: 'text', service: 'text', host: 'text', trace: 'text', span: 'text', rank: 'word', pid: 'word', step: 'word',
  dur: 'time', start: 'time', queue: 'time', status: ['error', 'ok', 'open'], path: ['yes', 'no'],
}));

/** A number; null for anything else. */
const queryNumber = (text) => (QUERY_NUMBER.test(text) ? Number(text) : null);

const isBlank = (character) => character <= ' ' || character === '\u00a0' || character === '\u3000';

/** A text in quotes, as a query takes it literally. */
const quoted = (text) => '"' + text.replace(/["\\]/g, '\\$&') + '"';

class QueryParser {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /** Alternatives: all terms of one of them must match. */
  parse() {
    const alternatives = [];
    let terms = [];
    let word = null; // OR or AND, which needs a term on either side
    for (;;) {
      this.skipBlanks();
      const from = this.at;
      const term = this.isAtEnd() ? null : this.term();
      const isWord = term?.joint !== undefined;
      if (word && (!term || isWord)) throw this.loneWord(word);
      if (!term) break;
      if (isWord) {
        if (terms.length === 0) throw this.loneWord({ joint: term.joint, at: from });
        word = { joint: term.joint, at: from };
        if (term.joint === 'OR') {
          alternatives.push(terms);
          terms = [];
        }
      } else {
        word = null;
        terms.push(term);
      }
    }
    if (terms.length > 0) alternatives.push(terms);
    return alternatives;
  }

  loneWord({ joint, at }) {
    return new QueryError(`${joint} belongs between two terms. Put it in quotes to search for the word.`, at);
  }

  isAtEnd() {
    return this.at >= this.text.length;
  }

  skipBlanks() {
    while (!this.isAtEnd() && isBlank(this.text[this.at])) this.at++;
  }

  term() {
    const from = this.at;
    const isNot = this.text[this.at] === '-';
    if (isNot) {
      this.at++;
      if (this.isAtEnd() || isBlank(this.text[this.at])) throw new QueryError('The minus excludes what follows it. Write it without a blank between, such as -status:error.', from);
    }
    const isQuoted = this.text[this.at] === '"';
    const begin = this.at;
    const key = isQuoted ? this.quotedText() : this.keyOrWord();
    const op = begin === this.at ? '' : this.operator();
    if (op === '') {
      if (isQuoted) {
        this.endOfQuote();
        return { isNot, kind: 'find', wanted: key.toLowerCase() };
      }
      const word = key + this.rest();
      return !isNot && (word === 'OR' || word === 'AND') ? { joint: word } : { isNot, kind: 'find', wanted: word.toLowerCase() };
    }
    const known = isQuoted ? undefined : QUERY_KEYS.get(key.toLowerCase());
    return this.field({ isNot, key: known ? key.toLowerCase() : key, kind: known === undefined ? 'attribute' : Array.isArray(known) ? 'choice' : known, choices: known, op, opAt: this.at - op.length });
  }

  /** Reads until an operator, a blank or the end. */
  keyOrWord() {
    const from = this.at;
    while (!this.isAtEnd() && !isBlank(this.text[this.at]) && this.peekOperator() === '') this.at++;
    return this.text.slice(from, this.at);
  }

  rest() {
    const from = this.at;
    while (!this.isAtEnd() && !isBlank(this.text[this.at])) this.at++;
    return this.text.slice(from, this.at);
  }

  quotedText() {
    const from = this.at;
    let text = '';
    for (this.at++; !this.isAtEnd(); this.at++) {
      const character = this.text[this.at];
      if (character === '"') {
        this.at++;
        return text;
      }
      if (character === '\\' && this.at + 1 < this.text.length) this.at++;
      text += this.text[this.at];
    }
    throw new QueryError('The quote has no end. Close it with ".', from);
  }

  endOfQuote() {
    if (!this.isAtEnd() && !isBlank(this.text[this.at])) throw new QueryError('Put a blank after the closing quote.', this.at);
  }

  peekOperator() {
    const two = this.text.slice(this.at, this.at + 2);
    if (two === '!=' || two === '>=' || two === '<=') return two;
    return [':', '=', '>', '<'].includes(two[0]) ? two[0] : '';
  }

  operator() {
    const op = this.peekOperator();
    this.at += op.length;
    return op;
  }

  field(term) {
    const at = this.at;
    const isQuoted = this.text[at] === '"';
    const value = isQuoted ? this.quotedText() : this.rest();
    if (isQuoted) this.endOfQuote();
    const isOrder = term.op[0] === '>' || term.op[0] === '<';
    if (isOrder && (term.kind === 'text' || term.kind === 'choice')) throw new QueryError(`${term.key} has no order. Use :, = or != with it.`, term.opAt);
    if (value === '' && !isQuoted) throw new QueryError(`The value is missing. Write, for example, ${this.example(term)}.`, at);
    term.isAny = !isQuoted && /^\*+$/.test(value) && !isOrder;
    if (term.isAny) return term;
    if (term.kind === 'time') term.number = this.time(term, value, at);
    else if (term.kind === 'choice') this.choose(term, value, at);
    else this.wanted(term, value, isQuoted, isOrder, at);
    return term;
  }

  example({ kind, key, op, choices }) {
    if (kind === 'time') return `${key}${op}20ms`;
    if (kind === 'choice') return `${key}${op}${choices[0]}`;
    return key + op + (kind === 'text' ? 'text' : '3');
  }

  time({ key }, value, at) {
    const [, number, unit] = QUERY_TIME.exec(value) || [];
    if (number === undefined || (unit === undefined && Number(number) !== 0)) throw new QueryError(`${key} is a time: write a number with ns, us, ms, s, m or h, such as 20ms.`, at);
    return Number(number) * (unit ? QUERY_UNITS[unit] : 1);
  }

  choose(term, value, at) {
    term.wanted = value.toLowerCase();
    if (!term.choices.includes(term.wanted)) throw new QueryError(`${term.key} is one of: ${term.choices.join(', ')}.`, at);
  }

  wanted(term, value, isQuoted, isOrder, at) {
    term.number = isQuoted ? null : queryNumber(value);
    if (isOrder && term.number === null) {
      throw new QueryError(QUERY_TIME.exec(value)?.[2]
        ? 'Only dur, start and queue know units. Write a plain number.'
        : `${term.op} needs a number, such as ${this.example(term)}.`, at);
    }
    term.wanted = term.op === ':' || (term.kind === 'text' && (term.key === 'trace' || term.key === 'span')) ? value.toLowerCase() : value;
    if (!isQuoted && value.includes('*')) term.parts = term.wanted.split('*');
  }
}

/** @throws QueryError if it is invalid */
const parseQuery = (text) => new QueryParser(text).parse();

/** The comparison of an operator with a number; created once for a million numbers. */
function comparison(op, to) {
  switch (op) {
    case '>': return (number) => number > to;
    case '>=': return (number) => number >= to;
    case '<': return (number) => number < to;
    case '<=': return (number) => number <= to;
    case '!=': return (number) => number !== to;
    default: return (number) => number === to;
  }
}

const compares = (op, number, to) => comparison(op, to)(number);

/** Whether a text begins with the first part, ends with the last, and has the others in between. */
function hasParts(parts, text) {
  const last = parts[parts.length - 1];
  if (!text.startsWith(parts[0])) return false;
  let at = parts[0].length;
  for (let i = 1; i < parts.length - 1; i++) {
    const found = text.indexOf(parts[i], at);
    if (found < 0) return false;
    at = found + parts[i].length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** @param isWhole whether : requires the whole text, not a part */
function matchesText(term, text, isWhole) {
  if (term.isAny) return term.op !== '!=';
  const one = term.op === ':' ? text.toLowerCase() : text;
  const isMatch = term.parts ? hasParts(term.parts, one) : term.op === ':' && !isWhole ? one.includes(term.wanted) : one === term.wanted;
  return isMatch !== (term.op === '!=');
}

/** A rank, a process's id or a step's label. */
function matchesWord(term, text) {
  const number = term.isAny || term.number === null ? null : queryNumber(text);
  if (number !== null) return compares(term.op, number, term.number);
  return term.op[0] !== '>' && term.op[0] !== '<' && matchesText(term, text, true);
}

/** @param value the value in JSON */
function matchesAttribute(term, value) {
  if (term.isAny) return term.op !== '!=';
  const number = term.number === null || term.op === ':' ? null : typeof value === 'number' ? value : typeof value === 'string' ? queryNumber(value) : null;
  if (number !== null) return compares(term.op, number, term.number);
  return term.op[0] !== '>' && term.op[0] !== '<' && matchesText(term, typeof value === 'string' ? value : JSON.stringify(value), false);
}

/** Whether a duration, a start or a wait, in nanoseconds, matches. */
const timeTest = (term) => (term.isAny ? () => term.op !== '!=' : comparison(term.op, term.number));
