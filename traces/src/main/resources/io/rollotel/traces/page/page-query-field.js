// The field for a query, with completions, the number of matches, and errors.

let queryFields = 0;

class QueryField {
  /**
   * @param label the description of the searched data
   * @param find searches for a text; the result is awaited
   * @param go goes to the next match or, with -1, to the previous one
   */
  constructor(label, placeholder, find, go) {
    const id = 'query-' + ++queryFields;
    this.id = id;
    this.find = find;
    this.go = go;
    this.options = [];
    this.chosen = -1;
    this.list = el('ul', { id: id + '-list', role: 'listbox', 'aria-label': 'Possible continuations of the query', class: 'completions', hidden: true });
    this.wrong = el('p', { id: id + '-wrong', class: 'wrong', 'aria-live': 'polite', hidden: true });
    this.found = el('span', { class: 'found', role: 'status' });
    this.input = el('input', {
      type: 'search', role: 'combobox', placeholder, 'aria-label': label, 'aria-autocomplete': 'list', 'aria-expanded': 'false',
      'aria-controls': id + '-list', 'aria-describedby': id + '-wrong', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off',
      oninput: () => { this.findSoon(); this.complete(); }, onkeydown: (event) => this.key(event), onblur: () => this.close(),
      onclick: () => this.input.value === '' && this.complete(),
    });
    this.box = el('div', { class: 'find' }, this.input, this.found, this.list);
  }

  /** The current search text, unless it is being typed. */
  show(text) {
    if (this.input.value !== text && !this.isTyping) this.input.value = text;
  }

  /** The number of matches, and a remark. */
  say(text, hint) {
    this.found.textContent = text;
    this.tell(hint || '', false);
  }

  /** The error in the query. */
  fail(error) {
    this.found.textContent = '';
    this.tell(`Character ${error.at + 1}: ${error.message}`, true);
  }

  tell(text, isWrong) {
    this.wrong.hidden = text === '';
    if (this.wrong.textContent !== text) this.wrong.textContent = text;
    this.wrong.classList.toggle('bad', isWrong);
    if (isWrong) this.input.setAttribute('aria-invalid', 'true');
    else this.input.removeAttribute('aria-invalid');
  }

  findSoon() {
    clearTimeout(this.timer);
    this.isTyping = true;
    this.timer = setTimeout(() => this.findTyped(), 150);
  }

  findTyped() {
    clearTimeout(this.timer);
    this.isTyping = false;
    this.finding = this.find(this.input.value);
  }

  /** Goes to a match of what is in the field, even if that was typed just now. */
  async goOn(by) {
    if (this.isTyping) this.findTyped();
    await this.finding;
    this.go(by);
  }

  findNow(text) {
    clearTimeout(this.timer);
    this.isTyping = false;
    this.input.value = text;
    this.finding = this.find(text);
  }

  // Completions.

  async complete() {
    const { model } = app;
    const at = this.input.selectionStart;
    const typed = this.input.value.slice(0, at);
    const attributes = await attributeKeys(model);
    if (app.model !== model || this.input.value.slice(0, at) !== typed || document.activeElement !== this.input) return;
    const { from, options } = completions(model, typed, attributes);
    this.from = from;
    this.to = at;
    this.options = options;
    this.chosen = -1;
    if (options.length === 0) return this.close();
    fill(this.list, options.map(({ text, hint }, i) => el('li', {
      id: `${this.id}-${i}`, role: 'option', 'aria-selected': 'false',
      onpointerdown: (event) => { event.preventDefault(); this.take(i); }, // the field keeps the focus
    }, el('code', {}, clip(text, 120)), hint && el('span', {}, hint))));
    this.input.setAttribute('aria-expanded', 'true');
    this.input.removeAttribute('aria-activedescendant');
  }

  close() {
    this.options = [];
    this.list.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
    this.input.removeAttribute('aria-activedescendant');
  }

  choose(i) {
    this.list.children[this.chosen]?.setAttribute('aria-selected', 'false');
    this.chosen = (i + this.options.length + 1) % (this.options.length + 1); // the last is none
    const option = this.list.children[this.chosen];
    option?.setAttribute('aria-selected', 'true');
    option?.scrollIntoView({ block: 'nearest' });
    if (option) this.input.setAttribute('aria-activedescendant', option.id);
    else this.input.removeAttribute('aria-activedescendant');
  }

  take(i) {
    const { text } = this.options[i];
    const isWhole = !/[:=<>]$/.test(text);
    const before = this.input.value.slice(0, this.from) + text + (isWhole ? ' ' : '');
    const after = this.input.value.slice(this.to).replace(/^\S*\s?/, '');
    this.input.value = before + after;
    this.input.setSelectionRange(before.length, before.length);
    this.close();
    this.findSoon();
    if (!isWhole) this.complete();
  }

  key(event) {
    const isOpen = this.options.length > 0;
    const isChosen = isOpen && this.chosen >= 0 && this.chosen < this.options.length;
    if (event.isComposing) return;
    if (event.key === 'ArrowDown' && !isOpen) this.complete();
    else if (event.key === 'ArrowDown') this.choose(this.chosen + 1);
    else if (event.key === 'ArrowUp' && isOpen) this.choose(this.chosen < 0 ? this.options.length - 1 : this.chosen - 1);
    else if ((event.key === 'Enter' || event.key === 'Tab') && isChosen) this.take(this.chosen);
    else if (event.key === 'Escape' && isOpen) this.close();
    else if (event.key === 'Escape') this.findNow('');
    else if (event.key === 'Enter') { this.close(); this.goOn(event.shiftKey ? -1 : 1); return; }
    else return;
    event.preventDefault();
  }
}
