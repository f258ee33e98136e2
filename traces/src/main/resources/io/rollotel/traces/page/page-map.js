// The strip above the lanes: how many of them are at work over the whole run, and the visible part.

const MAP_HEIGHT = 44;

class BusyMap {
  constructor(timeline) {
    this.timeline = timeline;
    this.canvas = el('canvas', { class: 'map', 'aria-hidden': 'true' });
    this.canvas.addEventListener('pointerdown', (event) => { this.canvas.setPointerCapture(event.pointerId); this.seek(event); });
    this.canvas.addEventListener('pointermove', (event) => { if (event.buttons) this.seek(event); });
    this.forget();
  }

  /** Updates to a new report. */
  forget() {
    this.busy = null;
  }

  seek(event) {
    const { timeline } = this;
    const { from, to, left } = timeline.view;
    const bounds = this.canvas.getBoundingClientRect();
    const share = (event.clientX - bounds.left - left) / (bounds.width - left);
    const half = (to - from) / 2;
    const { first, wall } = app.model;
    const at = first + share * (wall - first);
    timeline.set(at - half, at + half);
  }

  draw(view) {
    const { model } = app;
    const width = this.canvas.parentElement.clientWidth;
    const height = MAP_HEIGHT;
    if (width <= 0) return;
    const { left } = view;
    const columns = Math.max(1, Math.floor(width - left));
    if (!this.busy || this.busy.length !== columns) this.busy = this.countBusy(columns);
    const context = prepareCanvas(this.canvas, width, height);
    const colors = themeColors();
    const most = this.busy.reduce((a, b) => Math.max(a, b), 0.01);
    context.fillStyle = colors.soft;
    context.fillRect(left, 0, columns, height);
    context.fillStyle = colors.accent;
    context.globalAlpha = 0.55;
    for (let x = 0; x < columns; x++) {
      const high = (this.busy[x] / most) * (height - 4);
      context.fillRect(left + x, height - high, 1, high);
    }
    context.globalAlpha = 1;
    const x = (nanos) => Math.max(left, Math.min(left + columns, left + ((nanos - model.first) / (model.wall - model.first)) * columns));
    context.fillStyle = colors.paper;
    context.globalAlpha = 0.6;
    context.fillRect(left, 0, x(view.from) - left, height);
    context.fillRect(x(view.to), 0, left + columns - x(view.to), height);
    context.globalAlpha = 1;
    if (view.range) {
      context.fillStyle = colors.ink;
      context.fillRect(x(view.range[0]), height - 4, Math.max(2, x(view.range[1]) - x(view.range[0])), 4);
    }
    context.strokeStyle = colors.accent;
    context.lineWidth = 2;
    const a = Math.max(left + 1, x(view.from));
    context.strokeRect(a, 1, Math.max(3, x(view.to) - a - 1), height - 2);
    if (left > 0) {
      context.fillStyle = colors.dim;
      context.font = `12px ${FONT}`;
      context.textBaseline = 'middle';
      context.fillText(fitted(context, 'Busy lanes, whole run', left - 8), 2, height / 2);
    }
  }

  countBusy(columns) {
    const { model } = app;
    const rows = model.rows.filter((row) => {
      const worker = app.report.workers[row.worker];
      return !row.isOpen && row.depth === 0 && !(worker && worker.driver && model.report.workers.length > 1);
    });
    return stripOf(model, rows, [], model.first, model.wall, columns).busy;
  }
}
