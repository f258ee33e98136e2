// Who idled when.

/** A row for each worker, a column for each step or several: the darker, the longer idle. */
class IdleChart {
  constructor() {
    this.canvas = el('canvas', { role: 'img', 'aria-label': 'How much of each step each worker stood idle; the table has the totals.' });
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerleave', () => tip.hide());
  }

  geometry() {
    const { idle } = app.report.steps;
    const width = this.canvas.parentElement.clientWidth;
    const left = width > 640 ? 190 : 0;
    const row = width > 640 ? 22 : 38;
    return { idle, width, left, row, cells: idle[0].percents.length };
  }

  draw() {
    if (!this.canvas.isConnected) return;
    const { idle, width, left, row, cells } = this.geometry();
    if (width <= 0) return;
    const context = prepareCanvas(this.canvas, width, row * idle.length);
    const colors = themeColors();
    context.font = '12.5px system-ui, sans-serif';
    context.textBaseline = 'middle';
    const cell = (width - left) / cells;
    idle.forEach(({ worker, percents }, i) => {
      context.fillStyle = colors.ink;
      const label = clip(app.model.worker(worker), left ? 28 : 50);
      context.fillText(label, 0, i * row + (left ? row / 2 : 8));
      const top = i * row + (left ? 2 : 17);
      const height = left ? row - 4 : row - 21;
      percents.forEach((percents_, c) => {
        context.globalAlpha = 1;
        context.fillStyle = colors.soft;
        context.fillRect(left + c * cell, top, Math.max(cell - (cell > 4 ? 1 : 0), 0.7), height);
        if (percents_ <= 0) return;
        context.globalAlpha = percents_ / 100;
        context.fillStyle = colors.accent;
        context.fillRect(left + c * cell, top, Math.max(cell - (cell > 4 ? 1 : 0), 0.7), height);
      });
      context.globalAlpha = 1;
    });
  }

  point(event) {
    const { idle, left, row, cells, width } = this.geometry();
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left - left) / (width - left)) * cells);
    const at = idle[Math.floor((event.clientY - box.top) / row)];
    if (!at || column < 0 || column >= cells) return tip.hide();
    const { together, idleTogether, bars } = { ...app.report.steps, together: app.report.steps.together };
    const bar = bars[Math.floor((column * idleTogether) / together)];
    const percents = at.percents[column];
    tip.show(event.clientX, event.clientY, el('b', {}, clip(app.model.worker(at.worker), 80)),
      percents < 0 ? 'took no part' : `idle for ${percents}%`, bar ? ' · ' + stepLabel(bar) + (idleTogether > 1 ? ' and on' : '') : '');
  }
}
