// Above the lanes: how they are grouped, in which order, how high, and which of them.

class LaneControls {
  constructor(timeline) {
    this.timeline = timeline;
    const select = (what, text, options) => {
      const choice = el('select', { id: 'lane-' + what, onchange: () => timeline.choose(what, choice.value) },
        options.map(([value, name]) => el('option', { value }, name)));
      this[what] = choice;
      return el('label', { class: 'choice' }, el('span', {}, text), choice);
    };
    const button = (id, title, action) => el('button', { type: 'button', id, title, 'aria-pressed': 'false', onclick: action });
    this.only = button('only-busy', 'Hides lanes in which nothing ran then', () => timeline.toggleOnly());
    this.range = button('select-range', 'Then drag over the lanes; Shift with a drag, or r, does the same', () => timeline.pointer.selecting(!timeline.pointer.isSelecting));
    this.range.textContent = 'Select range';
    this.folds = el('div', { class: 'group' },
      el('button', { type: 'button', id: 'fold-all', onclick: () => timeline.choose('fold', 'all') }, 'Collapse all'),
      el('button', { type: 'button', id: 'unfold-all', onclick: () => timeline.choose('fold', 'none') }, 'Expand all'));
    this.said = el('span', { class: 'found', role: 'status' });
    this.ofLanes = [
      select('group', 'Group by', [['none', 'nothing'], ['role', 'role'], ['host', 'host'], ['rank', 'rank']]),
      select('sort', 'Sort by', [['rank', 'rank'], ['idle', 'idleness'], ['cost', 'cost of waiting'], ['path', 'critical path']]),
      select('size', 'Height', [['compact', 'compact'], ['normal', 'normal'], ['tall', 'tall']]),
      this.folds, this.only];
    this.box = el('div', { class: 'tools lane-tools' }, this.ofLanes, this.range, this.said);
  }

  /** Shows the choices. */
  show() {
    const { lanes } = this.timeline;
    for (const what of ['group', 'sort', 'size']) if (this[what].value !== lanes.get(what)) this[what].value = lanes.get(what);
    for (const part of this.ofLanes) part.hidden = lanes.all.length < 2;
    this.folds.hidden = lanes.get('group') === 'none';
    const only = this.timeline.selectedStep() ? 'Only this step' : 'Only lanes at work';
    if (this.only.textContent !== only) this.only.textContent = only;
    this.only.setAttribute('aria-pressed', String(lanes.isOnly));
    this.range.setAttribute('aria-pressed', String(this.timeline.pointer.isSelecting));
  }

  say() {
    const { lanes, pointer } = this.timeline;
    const text = pointer.isSelecting ? 'Drag over the lanes.'
      : lanes.isOnly ? `${grouped(lanes.all.length - lanes.hidden)} of ${count(lanes.all.length, 'lane')} at work` : '';
    if (this.said.textContent !== text) this.said.textContent = text;
    this.range.setAttribute('aria-pressed', String(pointer.isSelecting));
  }
}
