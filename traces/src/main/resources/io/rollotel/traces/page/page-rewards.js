// The rewards of an agent's runs, above the lanes.

const REWARDS_HEIGHT = 58;

/** Above the lanes, on the same time axis: the reward of runs so far. */
class RewardStrip {
  constructor() {
    this.canvas = el('canvas', { class: 'rewards', role: 'img', 'aria-label': 'What runs have gained so far, in the time of the lanes; the table of runs shows the numbers.' });
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('pointerleave', () => tip.hide());
    this.canvas.addEventListener('click', (event) => {
      const at = this.stepAt(event);
      if (at) app.timeline.reveal(at.step.item);
    });
  }

  draw(view) {
    const { runs } = app.runs || {};
    const width = this.canvas.parentElement.clientWidth;
    this.canvas.hidden = !runs || runs.every((run) => run.shown.length === 0);
    if (this.canvas.hidden || width <= 0) return;
    this.view = view;
    const context = prepareCanvas(this.canvas, width, REWARDS_HEIGHT);
    const colors = themeColors();
    const left = view.left;
    const seen = runs.filter((run) => run.start <= view.to && run.start + run.nanos >= view.from);
    const { least, most } = gainedRange(seen);
    const x = (nanos) => left + ((nanos - view.from) / (view.to - view.from)) * (width - left);
    const y = (value) => REWARDS_HEIGHT - 5 - ((REWARDS_HEIGHT - 10) * (value - least)) / (most - least);
    context.fillStyle = colors.soft;
    context.fillRect(left, 0, width - left, REWARDS_HEIGHT);
    context.fillStyle = colors.idle;
    context.fillRect(left, Math.round(y(0)), width - left, 1);
    context.save();
    context.beginPath();
    context.rect(left, 0, width - left, REWARDS_HEIGHT);
    context.clip();
    context.lineWidth = 1.5;
    for (const run of seen) {
      context.strokeStyle = run.state === 'failed' ? colors.error : colors.accent;
      context.beginPath();
      gainedLine(context, run, x, y);
      context.stroke();
    }
    context.restore();
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = left > 0 ? colors.dim : colors.ink;
    context.fillText('Reward so far', left > 0 ? 2 : 4, left > 0 ? REWARDS_HEIGHT / 2 : 9);
    if (left > 0) {
      context.textAlign = 'right';
      context.fillText(amount(most), left - 6, 9);
      context.fillText(amount(least), left - 6, REWARDS_HEIGHT - 9);
      context.textAlign = 'left';
    }
  }

  stepAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const { from, to, left } = this.view;
    const at = from + ((event.clientX - box.left - left) / (box.width - left)) * (to - from);
    for (const run of app.runs.runs) {
      if (at < run.start || at > run.start + run.nanos) continue;
      const step = run.shown.find((candidate) => at <= candidate.start + candidate.nanos) || run.shown[run.shown.length - 1];
      if (step) return { run, step };
    }
    return null;
  }

  point(event) {
    const at = this.stepAt(event);
    this.canvas.style.cursor = at ? 'pointer' : 'default';
    if (at) tip.show(event.clientX, event.clientY, ...stepWords(at.run, at.step));
    else tip.hide();
  }
}
