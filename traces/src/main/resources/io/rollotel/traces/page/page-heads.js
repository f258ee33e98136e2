// The column at the left of the lanes: their labels and the headings of their groups, as buttons.

/** A label and its button to pin it. */
class LaneHead {
  constructor(timeline, lane) {
    this.name = el('span', { class: 'name' });
    this.fact = el('span', { class: 'fact' });
    this.second = el('span', { class: 'second' });
    this.button = el('button', { type: 'button', class: 'label', onclick: () => timeline.toggleSize(this.lane) },
      el('span', { class: 'first' }, this.name, this.fact), this.second);
    this.pin = el('button', { type: 'button', class: 'pin', tabindex: '-1', onclick: () => timeline.togglePin(this.lane) }, '⚲');
    this.box = el('div', { class: 'head' }, this.button, this.pin);
    this.lane = lane;
  }

  show({ block: { lane }, isStuck }, timeline) {
    const { lanes } = timeline;
    const size = lanes.get('size');
    const isPinned = lanes.isPinned(lane);
    const fact = laneFact(lane, lanes.get('sort'), isPinned);
    const isOneLine = lane.height < 40 || lane.size === 'compact' || timeline.view.left === 0;
    const line = laneLine(lane);
    const state = [line, isOneLine, lane.label, lane.second, lane.host, lane.idle, lane.cost, lane.path, fact, size, lane.size, isPinned, isStuck, lane.height].join('\n');
    this.lane = lane;
    if (state === this.state) return;
    this.state = state;
    this.box.classList.toggle('compact', lane.height < 40 || lane.size === 'compact');
    this.box.classList.toggle('pinned', isPinned);
    this.name.replaceChildren(workerLine(isOneLine ? line : lane.label));
    this.fact.textContent = fact;
    this.second.replaceChildren(workerLine(lane.second));
    this.second.hidden = isOneLine;
    // The parts of a name that is cut would be read out as words of their own.
    this.button.setAttribute('aria-label', [clipMiddle(isOneLine ? line : lane.label, 200), fact, !isOneLine && clipMiddle(lane.second, 200)].filter(Boolean).join(', '));
    this.button.setAttribute('aria-expanded', String(LANE_SIZES.indexOf(lane.size) > LANE_SIZES.indexOf(size === 'tall' ? 'normal' : size)));
    this.button.title = [clip(lane.label, 200), clipMiddle(lane.instance, 200), lane.isDriver && 'driver', lane.host && 'on ' + clipMiddle(lane.host, 100),
      lane.idle > 0 && `bubble ${percent(lane.idle, 1)}`, lane.cost > 0 && `the others waited ${duration(lane.cost)} for it`,
      lane.path > 0 && `${duration(lane.path)} of the critical path`].filter(Boolean).join(', ');
    this.pin.hidden = lane.isDriver;
    this.pin.setAttribute('aria-pressed', String(isPinned));
    this.pin.setAttribute('aria-label', 'Pin ' + clipMiddle(line, 100));
    this.pin.title = isPinned ? 'Unpin the lane' : 'Keep it at the top';
  }
}

/** The heading of a group, which collapses it. */
class GroupHead {
  constructor(timeline, group) {
    this.arrow = el('span', { class: 'arrow', 'aria-hidden': 'true' });
    this.name = el('span', { class: 'one-line' });
    this.second = el('span', { class: 'one-line second' });
    this.button = el('button', { type: 'button', class: 'label', onclick: () => timeline.toggleGroup(this.group) },
      el('span', { class: 'first' }, this.arrow, this.name), this.second);
    this.box = el('div', { class: 'head group' }, this.button);
    this.group = group;
  }

  show({ block: { group } }, timeline) {
    const { view, strips, lanes } = timeline;
    const strip = strips.get(group, view.from, view.to, Math.max(1, Math.floor(timeline.width - view.left)));
    const second = strips.atWork(busyLanes(strip), group);
    const isFolded = lanes.isFolded(group);
    const state = [group.name, second, isFolded].join('\n');
    this.group = group;
    if (state === this.state) return;
    this.state = state;
    this.arrow.textContent = isFolded ? '▸' : '▾';
    this.name.textContent = clip(group.name, 200);
    this.second.textContent = second;
    this.button.title = `${clip(group.name, 200)}: ${second} on average in what is visible`;
    this.button.setAttribute('aria-expanded', String(!isFolded));
  }
}

/** The visible ones; Tab reaches one of them, arrow keys the others. */
class LaneHeads {
  constructor(timeline) {
    this.timeline = timeline;
    this.layer = el('div', { class: 'heads' });
    this.heads = new Map();
    this.current = '';
    this.layer.addEventListener('keydown', (event) => this.key(event));
    this.layer.addEventListener('focusin', (event) => {
      for (const [key, head] of this.heads) if (head.box.contains(event.target)) this.current = key;
      this.rove();
    });
  }

  static keyOf(block) {
    return block.group ? 'group ' + block.group.name : 'lane ' + block.lane.worker;
  }

  draw({ seen, covered }, left, height) {
    const { timeline } = this;
    this.layer.style.width = left ? left - 6 + 'px' : '100%';
    this.layer.style.height = height - RULER + 'px';
    this.layer.classList.toggle('narrow', left === 0);
    const keys = new Set();
    for (const place of seen) {
      const key = LaneHeads.keyOf(place.block);
      keys.add(key);
      let head = this.heads.get(key);
      if (!head) {
        head = place.block.group ? new GroupHead(timeline, place.block.group) : new LaneHead(timeline, place.block.lane);
        this.heads.set(key, head);
        this.layer.append(head.box);
      }
      head.show(place, timeline);
      this.put(head, place, covered);
    }
    for (const [key, head] of this.heads) {
      // The focused element keeps the focus until the arrow keys move it.
      if (keys.has(key)) continue;
      if (head.box.contains(document.activeElement)) {
        head.box.style.top = '-200px';
        continue;
      }
      head.box.remove();
      this.heads.delete(key);
    }
    this.rove();
  }

  /** A tall lane's label stays visible as long as the lane is. */
  put(head, { block, y, isStuck }, covered) {
    const isWhole = block.group || isStuck; // a label that lies over others covers them
    const room = isWhole ? block.height - 1 : Math.min(block.height - 1, block.lane.size === 'compact' ? 18 : 42);
    const top = isStuck === undefined ? Math.max(y, Math.min(covered, y + block.height - room - 2)) : y;
    const style = `top: ${Math.round(top)}px; height: ${Math.round(room)}px;`;
    if (head.style !== style) {
      head.box.style.top = Math.round(top) + 'px';
      head.box.style.height = Math.round(room) + 'px';
      head.style = style;
    }
    head.box.classList.toggle('stuck', Boolean(isStuck));
  }

  rove() {
    const current = this.heads.has(this.current) ? this.current : this.heads.keys().next().value;
    for (const [key, head] of this.heads) {
      const index = key === current ? '0' : '-1';
      if (head.button.getAttribute('tabindex') !== index) head.button.setAttribute('tabindex', index);
    }
  }

  key(event) {
    const { timeline } = this;
    const { blocks } = timeline.lanes;
    const at = blocks.findIndex((block) => LaneHeads.keyOf(block) === this.current);
    const block = blocks[at];
    const places = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: blocks.length - 1, PageDown: at + 20, PageUp: at - 20 };
    if (event.ctrlKey || event.metaKey || event.altKey || !block) return;
    if (event.key in places) this.focus(blocks[Math.max(0, Math.min(blocks.length - 1, places[event.key]))]);
    else if (event.key === 't' && block.lane && !block.lane.isDriver) timeline.togglePin(block.lane);
    else if (event.key === 'Enter' || event.key === ' ') {
      event.stopPropagation(); // the button's own, not the timeline's
      return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Scrolls to a block and gives its button the focus. */
  focus(block) {
    this.current = LaneHeads.keyOf(block);
    this.timeline.scrollToBlock(block);
    this.timeline.draw();
    this.heads.get(this.current)?.button.focus({ preventScroll: true });
  }
}
