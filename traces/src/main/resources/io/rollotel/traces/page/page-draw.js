// Draws the timeline: its lanes and groups, the ruler above them, and overlays.

class Painter extends BarPainter {
  /** @param seen blocks with their y below the ruler */
  paint(seen, strips) {
    const { context, colors, view, height } = this;
    context.fillStyle = colors.card;
    context.fillRect(0, 0, this.width, height);
    context.save();
    context.beginPath();
    context.rect(0, RULER, this.width, height - RULER);
    context.clip();
    const isAbove = (place) => place.isStuck !== undefined;
    this.blocks(seen.filter((place) => !isAbove(place)), strips);
    this.chains(seen);
    this.blocks(seen.filter(isAbove), strips);
    this.range();
    context.restore();
    this.ruler();
    return this.rectangles;
  }

  blocks(places, strips) {
    const { context, colors, view } = this;
    for (const { block, y, isStuck } of places) {
      const top = y + RULER;
      if (isStuck) {
        context.fillStyle = colors.card;
        context.fillRect(0, top, this.width, block.height);
      }
      context.fillStyle = block.isPinned ? colors.accent : colors.line;
      context.fillRect(0, Math.round(top + block.height - 1), this.width, 1);
      if (block.lane) this.lane(block.lane, top);
      else if (view.left) strips.draw(this, block.group, top + 3, block.height - 7);
      else strips.draw(this, block.group, top + 22, block.height - 26);
    }
  }

  lane(lane, y) {
    const { context, view } = this;
    for (const row of lane.rows) {
      const top = y + row.top;
      if (top + lane.rowHeight < RULER || top > this.height) continue;
      context.save();
      context.beginPath();
      context.rect(view.left, Math.max(RULER, top - 1), this.width - view.left, lane.rowHeight + 2);
      context.clip();
      this.row(row, top, lane.rowHeight);
      context.restore();
    }
    if (view.arePausesShown && lane.marks > 0) this.model.pauses.draw(this, lane, y);
  }

  /** The range of time that is selected. */
  range() {
    const { context, colors, view } = this;
    if (!view.range) return;
    const from = Math.max(view.left, this.x(view.range[0]));
    const to = Math.min(this.width, this.x(view.range[1]));
    if (to < view.left || from > this.width) return;
    context.fillStyle = colors.accent;
    context.globalAlpha = 0.14;
    context.fillRect(from, RULER, to - from, this.height - RULER);
    context.globalAlpha = 1;
    context.fillRect(Math.round(from) - 1, RULER, 2, this.height - RULER);
    context.fillRect(Math.round(to) - 1, RULER, 2, this.height - RULER);
  }

  /** Thin lines between the rows of a path, if there is room for them. */
  chains(seen) {
    const { model, view, context } = this;
    const visible = [];
    for (const chain of model.chains) {
      if (chain.first === chain.last || model.segmentEnd[chain.last - 1] < view.from || model.segmentStart[chain.first] > view.to) continue;
      visible.push(chain);
      if (visible.length > 400) return;
    }
    const middle = new Map();
    for (const { block: { lane }, y } of seen) {
      for (const row of lane ? lane.rows : []) middle.set(row.number, y + row.top + lane.rowHeight - Math.min(4, lane.rowHeight / 2) + RULER);
    }
    context.strokeStyle = this.colors.path;
    context.lineWidth = 1;
    context.globalAlpha = 0.6;
    context.beginPath();
    let drawn = 0;
    for (const chain of visible) {
      let before = -1;
      for (let segment = chain.first; segment < chain.last && drawn < 4000; segment++) {
        const item = model.segmentItem[segment];
        const row = item < 0 ? -1 : model.rowOf(item);
        const x = this.x(model.segmentStart[segment]);
        if (before >= 0 && row >= 0 && row !== before && x >= view.left && x <= this.width && middle.has(row) && middle.has(before)) {
          context.moveTo(x, middle.get(before));
          context.lineTo(x, middle.get(row));
          drawn++;
        }
        before = row;
      }
    }
    // Any closer, they would hide the spans.
    if (drawn * 10 < this.width) context.stroke();
    context.globalAlpha = 1;
    this.rectangles += drawn;
  }

  ruler() {
    const { context, colors, view } = this;
    context.fillStyle = colors.card;
    context.fillRect(0, 0, this.width, RULER);
    context.fillStyle = colors.line;
    context.fillRect(0, RULER - 1, this.width, 1);
    context.font = `12px ${FONT}`;
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    const step = tickStep(view.to - view.from, (this.width - view.left) / 110);
    for (let nanos = Math.ceil(view.from / step) * step; nanos <= view.to; nanos += step) {
      const x = Math.round(this.x(nanos));
      context.fillStyle = colors.line;
      context.fillRect(x, 2, 1, 16);
      context.fillStyle = colors.dim;
      if (x + 4 + textWidth(context, tickLabel(nanos, step)) <= this.width) context.fillText(tickLabel(nanos, step), x + 4, 10);
    }
    this.steps();
  }

  /** The start of each step; not shown if bars have several steps. */
  steps() {
    const { context, colors, view } = this;
    const { steps } = app.report;
    if (steps.areTraces || steps.together > 1) return;
    let free = view.left;
    for (const step of steps.bars) {
      const x = this.x(step.start);
      const end = this.x(step.start + step.wall);
      if (end < view.left) continue;
      if (x > this.width) break;
      const from = Math.max(x, view.left);
      context.fillStyle = colors.soft;
      context.fillRect(from, 20, Math.max(Math.min(end, this.width) - from - 1, 1), 18);
      if (from >= free && Math.min(end, this.width) - from > 16) {
        const room = Math.min(end, this.width) - from - 8;
        const long = 'step ' + step.label;
        const text = step.label === '' ? '' : textWidth(context, long) <= room ? long : fitted(context, step.label, room);
        context.fillStyle = colors.dim;
        if (text) context.fillText(text, from + 4, 29);
      }
      if (x >= view.left && end - x > 6) {
        context.globalAlpha = 0.8;
        context.fillStyle = colors.line;
        context.fillRect(Math.round(x), RULER, 1, this.height - RULER);
        context.globalAlpha = 1;
      }
    }
  }
}
