// The effects of pointer and wheel on the timeline.

class TimelinePointer {
  constructor(timeline) {
    this.timeline = timeline;
    this.pointers = timeline.pointers;
    this.isSelecting = false; // a drag selects a range, with Shift or without
    this.drag = null; // where the range that is being drawn began
    const { canvas, stage } = timeline;
    stage.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    canvas.addEventListener('pointerdown', (event) => this.down(event));
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerup', (event) => this.up(event));
    canvas.addEventListener('pointercancel', (event) => { this.pointers.delete(event.pointerId); this.dropDrag(); });
    canvas.addEventListener('pointerleave', () => tip.hide());
    this.pressed = [-1, -1]; // the items of the last two presses
    canvas.addEventListener('dblclick', () => {
      const [item] = this.pressed; // the first click may have opened the details, which shifts the lanes
      if (item >= 0) timeline.zoomTo(item);
    });
  }

  selecting(isOn) {
    this.isSelecting = isOn;
    this.timeline.controls.say();
  }

  nanosAt(clientX) {
    const { canvas, view, width } = this.timeline;
    const share = (clientX - canvas.getBoundingClientRect().left - view.left) / (width - view.left);
    return view.from + share * (view.to - view.from);
  }

  /** Pixels as time. */
  nanosOf(pixels) {
    const { view, width } = this.timeline;
    return (pixels / (width - view.left)) * (view.to - view.from);
  }

  /** The block at a position, and the distance from its top; undefined for none. */
  blockAt(event) {
    const { canvas, view, lanes, height } = this.timeline;
    const box = canvas.getBoundingClientRect();
    const y = event.clientY - box.top - RULER;
    if (event.clientX - box.left < view.left || y < 0) return undefined;
    const place = lanes.inSight(view.top, height - RULER).seen.findLast((one) => y >= one.y && y < one.y + one.block.height);
    return place && { block: place.block, below: y - place.y };
  }

  laneAt(event) {
    const place = this.blockAt(event);
    return place && place.block.lane && { lane: place.block.lane, below: place.below };
  }

  rowAt(event) {
    const place = this.laneAt(event);
    return place && place.lane.rows.find((row) => place.below >= row.top && place.below < row.top + place.lane.rowHeight);
  }

  /** The pauses whose marks are there; null for none. */
  pauseAt(event) {
    const place = this.laneAt(event);
    if (!place || place.lane.marks === 0 || place.below >= place.lane.rows[0].top) return null;
    const at = this.nanosAt(event.clientX);
    const near = this.nanosOf(event.pointerType === 'touch' ? 12 : 3);
    const { pauses } = app.model;
    return pauses.between(place.lane.worker, at, at) || pauses.between(place.lane.worker, at - near, at + near);
  }

  /** The segment of a path in which a call waited there; -1 if there is none. */
  waitAt(event) {
    const { model } = app;
    const row = this.rowAt(event);
    const at = this.nanosAt(event.clientX);
    const waits = row ? model.waitsOfRow(row.number) : [];
    return waits.find((segment) => model.segmentStart[segment] <= at && at < model.segmentEnd[segment]) ?? -1;
  }

  itemAt(event) {
    const { model } = app;
    const row = this.rowAt(event);
    if (!row) return -1;
    const at = this.nanosAt(event.clientX);
    const near = this.nanosOf(3);
    const first = model.firstEndingAfter(row.first, row.last, at - near);
    if (first >= row.last || model.start[first] > at + near) return -1;
    const on = model.firstEndingAfter(row.first, row.last, at);
    if (on < row.last && model.start[on] <= at && model.end[on] - model.start[on] > near) return on;
    const last = model.firstStartingAt(first + 1, row.last, at + near);
    return model.longest(first, Math.max(last, first + 1));
  }

  wheel(event) {
    const { timeline } = this;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      timeline.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 200))), this.nanosAt(event.clientX));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      timeline.pan((event.deltaX || event.deltaY) / timeline.width);
    }
  }

  down(event) {
    this.pointers.set(event.pointerId, { x: event.clientX, startX: event.clientX, startY: event.clientY });
    this.hasMoved = false;
    this.pressed = [this.pressed[1], this.itemAt(event)];
    this.drag = event.shiftKey || this.isSelecting ? this.nanosAt(event.clientX) : null;
    this.timeline.canvas.setPointerCapture(event.pointerId);
    tip.hide();
  }

  move(event) {
    const { timeline } = this;
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return this.hover(event);
    const others = [...this.pointers.entries()].filter(([id]) => id !== event.pointerId);
    if (others.length > 0) {
      const other = others[0][1].x;
      const before = Math.max(10, Math.abs(pointer.x - other));
      const now = Math.max(10, Math.abs(event.clientX - other));
      timeline.zoom(before / now, this.nanosAt((event.clientX + other) / 2));
      this.hasMoved = true;
      this.dropDrag();
    } else if (this.hasMoved || Math.abs(event.clientX - pointer.startX) > 4) {
      this.hasMoved = true;
      if (this.drag === null) timeline.pan((pointer.x - event.clientX) / (timeline.width - timeline.view.left));
      else this.draw(event);
    }
    pointer.x = event.clientX;
  }

  /** The range drawn so far is selected when another gesture begins. */
  dropDrag() {
    if (this.drag === null) return;
    this.drag = null;
    this.timeline.range.select(this.timeline.view.range);
  }

  /** The range during drawing; its activity is shown when it is complete. */
  draw(event) {
    const { timeline } = this;
    timeline.view.range = withinRun(app.model, this.dragged(event));
    timeline.drawSoon();
    const [from, to] = timeline.view.range;
    tip.show(event.clientX, event.clientY, duration(to - from));
  }

  dragged(event) {
    const at = this.nanosAt(event.clientX);
    return [Math.min(at, this.drag), Math.max(at, this.drag)];
  }

  up(event) {
    const { timeline } = this;
    this.pointers.delete(event.pointerId);
    if (this.hasMoved && this.drag !== null) timeline.range.select(this.dragged(event));
    this.drag = null;
    if (this.hasMoved) return;
    const place = this.blockAt(event);
    const pause = this.pauseAt(event);
    if (place?.block.group) timeline.toggleGroup(place.block.group);
    else if (pause) timeline.choosePause(pause);
    else timeline.select(this.itemAt(event));
    timeline.box.focus({ preventScroll: true });
  }

  hover(event) {
    const { model } = app;
    const { canvas, view, width } = this.timeline;
    const place = this.blockAt(event);
    if (place?.block.group) {
      canvas.style.cursor = 'pointer';
      const columns = Math.max(1, Math.floor(width - view.left));
      const column = Math.floor(event.clientX - canvas.getBoundingClientRect().left - view.left);
      return tip.show(event.clientX, event.clientY, ...this.timeline.strips.words(place.block.group, view, columns, Math.min(column, columns - 1)));
    }
    const item = this.itemAt(event);
    const wait = item < 0 ? this.waitAt(event) : -1;
    canvas.style.cursor = this.isSelecting ? 'crosshair' : item >= 0 ? 'pointer' : 'default';
    if (wait >= 0) {
      return tip.show(event.clientX, event.clientY, el('b', {}, clip(model.nameOf(model.name[model.segmentItem[wait]]), 100)),
        'waited in the queue for ' + duration(model.segmentEnd[wait] - model.segmentStart[wait]) + ', on the critical path');
    }
    const pause = item < 0 ? this.pauseAt(event) : null;
    if (pause) return tip.show(event.clientX, event.clientY, model.pauses.words(pause));
    if (item < 0) return tip.hide();
    tip.show(event.clientX, event.clientY, el('b', {}, clip(model.nameOf(model.name[item]), 100)),
      (model.isError(item) ? '▲ error, ' : '') + duration(model.nanosOf(item))
        + (model.spans[item] > 1 ? `, ${count(model.spans[item], 'span')} drawn as one` : '')
        + (model.flags[item] & ON_PATH ? ', on the critical path' : '')
        + (model.openOf(item) ? ', still open' + (model.openOf(item).process.alive ? '' : ': its process has ' + (hasDied(model.openOf(item).process) ? 'died' : 'ended')) : ''));
  }
}
