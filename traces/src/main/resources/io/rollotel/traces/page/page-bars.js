// The spans of a row as bars. There is a bar for each span that is wide enough to be visible, and
// one for each sequence of narrower ones: some thousands at most, whatever their number.

const RULER = 40;
const NARROW = 2; // pixels; narrower spans are drawn together with their neighbours
const MIX_UNITS = 6; // a bar shows the mix of names in so many parts at most

function isSameMix(a, b) {
  return a.length === b.length && a.every(([name, part], i) => b[i][0] === name && b[i][1] === part);
}

function triangle(context, x, y, color, size) {
  context.fillStyle = color;
  context.beginPath();
  context.moveTo(x, y - size);
  context.lineTo(x + size, y + size);
  context.lineTo(x - size, y + size);
  context.fill();
}

class BarPainter {
  /** @param view with from and to in nanoseconds, top in pixels, and the items to highlight */
  constructor(model, canvas, view, width, height) {
    this.model = model;
    this.view = view;
    this.width = width;
    this.height = height;
    this.context = prepareCanvas(canvas, width, height);
    this.colors = themeColors();
    this.perNano = (width - view.left) / (view.to - view.from);
    this.rectangles = 0;
    this.mix = new Mix(model.report.names.length + model.open.length + 2);
    this.times = (model.timesByName ||= new TimesByName(model, (item) => model.end[item] - model.start[item]));
  }

  x(nanos) {
    return this.view.left + (nanos - this.view.from) * this.perNano;
  }

  row(row, top, height) {
    const { model, view } = this;
    const bar = height >= 8 ? height - 3 : Math.max(1, height - 1);
    let item = model.firstEndingAfter(row.first, row.last, view.from);
    if (item > row.first && model.end[item - 1] === model.start[item - 1]) {
      item = model.firstStartingAt(row.first, item, view.from);
    }
    this.pending = null;
    this.rowNumber = row.number;
    if (row.isOpen) return this.open(row.first, top, bar);
    const narrow = NARROW / this.perNano;
    while (item < row.last && model.start[item] < view.to) {
      if (model.end[item] - model.start[item] >= narrow) {
        this.flush();
        this.wide(item, top, bar);
        item++;
        continue;
      }
      let next = model.firstStartingAt(item + 1, row.last, model.start[item] + narrow);
      if (next - 1 > item && model.end[next - 1] - model.start[next - 1] >= narrow) next--;
      this.narrow(item, next, top, bar);
      item = next;
    }
    this.flush();
    if (bar >= 4) this.waits(row, top, bar);
  }

  /** Shows where the path waited for a call in a queue: pale and hatched, with a dashed line. */
  waits(row, top, bar) {
    const { context, model, colors, view } = this;
    const high = bar >= 12 ? 3 : 2;
    for (const segment of model.waitsOfRow(row.number)) {
      const from = Math.max(this.x(model.segmentStart[segment]), view.left - 4);
      const to = Math.min(this.x(model.segmentEnd[segment]), this.width + 4);
      if (to - from < NARROW) continue;
      context.strokeStyle = colors.path;
      context.globalAlpha = 0.25;
      this.hatch(from, to - from, top, bar, 1);
      context.globalAlpha = 1;
      context.lineWidth = high;
      context.setLineDash([4, 3]);
      context.beginPath();
      context.moveTo(from, top + bar - high / 2);
      context.lineTo(to, top + bar - high / 2);
      context.stroke();
      context.setLineDash([]);
      this.rectangles++;
    }
  }

  alpha(item) {
    const { view, model } = this;
    if (view.matches && !view.matches(item)) return view.areMatchesAlone ? 0 : 0.16;
    if (view.isPathAlone && !(model.flags[item] & ON_PATH)) return 0.16;
    return 1;
  }

  wide(item, top, bar) {
    const { context, model, colors, view } = this;
    const from = Math.max(this.x(model.start[item]), view.left - 4);
    const to = Math.min(this.x(model.end[item]), this.width + 4);
    const width = Math.max(to - from - (to - from > 4 ? 1 : 0), 1);
    const isError = model.isError(item);
    const color = nameColor(model.name[item]);
    context.globalAlpha = this.alpha(item);
    context.fillStyle = color;
    context.fillRect(from, top, width, bar);
    this.rectangles++;
    if (isError) this.errorMark(from, width, top, bar);
    if (model.spans[item] > 1 && bar > 6) this.joinedMark(from, width, top, bar);
    if (bar >= 9 && width > 20 && context.globalAlpha === 1) this.text(item, from, width, top, bar, isError, color);
    if (model.flags[item] & ON_PATH && bar >= 4) {
      context.fillStyle = colors.path;
      const high = bar >= 12 ? 3 : 2;
      for (let i = model.segmentsFrom[item]; i < model.segmentsFrom[item + 1]; i++) {
        const segment = model.segmentsByItem[i];
        const a = Math.max(this.x(model.segmentStart[segment]), view.left - 4);
        const b = Math.min(this.x(model.segmentEnd[segment]), this.width + 4);
        if (b > a && b - a >= 0.3) {
          context.fillRect(a, top + bar - high, Math.max(b - a, 1), high);
          this.rectangles++;
        }
      }
    }
    if (item === view.selected) {
      context.globalAlpha = 1;
      context.strokeStyle = colors.ink;
      context.lineWidth = 2;
      context.strokeRect(from + 1, top + 1, Math.max(width - 2, 1), bar - 2);
    }
    context.globalAlpha = 1;
  }

  /** A bar with a torn end and a mark: an arrow, or a cross if the process has died. */
  open(item, top, bar) {
    const { context, model, colors, view } = this;
    const isAlive = model.openOf(item).process.alive;
    const from = Math.max(this.x(model.start[item]), view.left - 4);
    const to = Math.max(Math.min(this.x(model.end[item]), this.width + 40), from + 6);
    if (to < view.left || from > this.width) return;
    const color = nameColor(model.name[item]);
    const tooth = Math.min(5, bar / 3, (to - from) / 2);
    const path = () => {
      context.beginPath();
      context.moveTo(from, top);
      context.lineTo(to, top);
      for (let i = 1; i <= 4; i++) context.lineTo(i % 2 ? to - tooth : to, top + (bar * i) / 4);
      context.lineTo(from, top + bar);
      context.closePath();
    };
    context.globalAlpha = this.alpha(item);
    context.fillStyle = color;
    path();
    context.fill();
    this.rectangles++;
    const end = Math.min(to, this.width) - tooth;
    const room = end - Math.max(from, view.left);
    if (bar >= 12 && room > 24) {
      context.strokeStyle = textColorOn(color);
      context.lineWidth = 2;
      context.beginPath();
      const x = end - 10;
      const y = top + bar / 2;
      if (isAlive) { context.moveTo(x - 3, y - 5); context.lineTo(x + 2, y); context.lineTo(x - 3, y + 5); }
      else { context.moveTo(x - 4, y - 4); context.lineTo(x + 4, y + 4); context.moveTo(x + 4, y - 4); context.lineTo(x - 4, y + 4); }
      context.stroke();
      if (room > 60) this.text(item, from, end - 18 - from, top, bar, false, color);
    }
    if (!isAlive || item === view.selected) {
      context.globalAlpha = 1;
      context.strokeStyle = colors.ink;
      context.lineWidth = item === view.selected ? 2 : 1;
      if (item !== view.selected) context.setLineDash([4, 3]);
      path();
      context.stroke();
      context.setLineDash([]);
    }
    context.globalAlpha = 1;
  }

  text(item, from, width, top, bar, isError, color) {
    const { context, model, view } = this;
    const left = Math.max(from, view.left) + (isError ? 20 : 4);
    const room = Math.min(from + width, this.width) - left - 3;
    if (room < 12) return;
    context.font = `${Math.min(12, bar)}px ${FONT}`;
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    context.fillStyle = isError ? '#ffffff' : textColorOn(color);
    const name = model.nameOf(model.name[item]);
    const time = duration(model.nanosOf(item));
    const shown = isolated(clip(name, 60));
    const long = model.spans[item] > 1 ? `${shown} × ${grouped(model.spans[item])}` : shown + (model.openOf(item) ? '  open for ' : '  ') + time;
    const text = textWidth(context, long) <= room ? long : fitted(context, name, room);
    if (text) context.fillText(text, left, top + bar / 2 + 0.5);
  }

  /**
   * Errors are red and hatched, and have a triangle: they are visible without distinguishing red
   * from green.
   */
  errorMark(from, width, top, bar) {
    const { context } = this;
    context.fillStyle = '#b3202c';
    context.fillRect(from, top, width, bar);
    if (bar < 8) return;
    if (width > 60 && bar > 8) {
      context.strokeStyle = 'rgb(255 255 255 / 22%)';
      this.hatch(from, width, top, bar, 2);
    }
    // A white mark that is wider than the bar would not look like an error.
    const color = width > 10 ? '#ffffff' : this.colors.error;
    this.triangle(Math.max(from, this.view.left) + (width > 16 ? 10 : width / 2), top + bar / 2, color, Math.min(5, bar / 2 - 1));
  }

  hatch(from, width, top, bar, lineWidth) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(from, top, width, bar);
    context.clip();
    context.lineWidth = lineWidth;
    context.beginPath();
    const first = Math.max(from - bar, this.view.left - bar);
    for (let x = first - (first % 9); x < Math.min(from + width, this.width); x += 9) {
      context.moveTo(x, top + bar);
      context.lineTo(x + bar, top);
    }
    context.stroke();
    context.restore();
  }

  triangle(x, y, color, size) {
    triangle(this.context, x, y, color, size);
  }

  joinedMark(from, width, top, bar) {
    const { context } = this;
    context.strokeStyle = 'rgb(255 255 255 / 55%)';
    context.lineWidth = 1;
    context.setLineDash([2, 2]);
    context.beginPath();
    context.moveTo(from, top + bar / 2);
    context.lineTo(from + width, top + bar / 2);
    context.stroke();
    context.setLineDash([]);
  }

  /**
   * Neighbours that are too narrow to distinguish: each name gets its part of the height; denser
   * ones are more opaque.
   */
  narrow(item, next, top, bar) {
    const { model, view, mix } = this;
    const from = this.x(model.start[item]);
    const busy = model.busyBefore[next] - model.busyBefore[item];
    const isInstant = busy === 0; // nothing would be seen of it at any zoom
    const to = Math.max(this.x(model.end[next - 1]), from + (isInstant ? NARROW : 1));
    const length = Math.max(model.end[next - 1] - model.start[item], 1 / this.perNano);
    let alpha = Math.max(isInstant ? 0.75 : 0.35, Math.ceil((busy / length) * 4) / 4);
    if (view.isPathAlone && model.pathBefore[next] === model.pathBefore[item]) alpha = 0.16;
    if (view.matches) {
      let isMatch = false;
      for (let i = item; i < next && !isMatch; i++) isMatch = view.matches(i);
      if (!isMatch && view.areMatchesAlone) return;
      alpha = isMatch ? Math.max(alpha, 0.75) : 0.16;
    }
    let parts = [[model.name[item], 1]];
    if (next - item > 1) {
      mix.clear();
      this.times.add(this.rowNumber, item, next, mix);
      if (mix.names.length > 0) parts = mix.divide(Math.max(1, Math.min(MIX_UNITS, bar)), (name) => app.colors.place(name));
    }
    const piece = {
      from, to, top, bar, alpha, parts,
      isError: model.errorsBefore[next] > model.errorsBefore[item],
      isPath: model.pathBefore[next] > model.pathBefore[item],
      isSelected: view.selected >= item && view.selected < next,
    };
    const last = this.pending;
    if (last && last.alpha === alpha && from - last.to < 0.8 && isSameMix(last.parts, parts)
        && last.isError === piece.isError && last.isPath === piece.isPath && !piece.isSelected && !last.isSelected) {
      last.to = to;
    } else {
      this.flush();
      this.pending = piece;
    }
  }

  flush() {
    const piece = this.pending;
    if (!piece) return;
    this.pending = null;
    const { context, colors } = this;
    const width = Math.max(piece.to - piece.from, 1);
    context.globalAlpha = piece.alpha;
    const units = piece.parts.reduce((sum, [, part]) => sum + part, 0);
    let reached = 0;
    for (const [name, part] of piece.parts) {
      const low = Math.round((reached * piece.bar) / units);
      const high = Math.round(((reached += part) * piece.bar) / units);
      context.fillStyle = nameColor(name);
      context.fillRect(piece.from, piece.top + piece.bar - high, width, high - low);
      this.rectangles++;
    }
    context.globalAlpha = Math.max(piece.alpha, 0.5);
    if (piece.isPath && piece.bar >= 4 && piece.alpha > 0.2) {
      const high = piece.bar >= 12 ? 3 : 2;
      context.fillStyle = colors.path;
      context.fillRect(piece.from, piece.top + piece.bar - high, width, high);
      this.rectangles++;
    }
    context.globalAlpha = 1;
    if (piece.isError) {
      context.fillStyle = '#b3202c';
      context.fillRect(piece.from, piece.top, width, piece.bar);
      this.triangle(piece.from + width / 2, piece.top + Math.min(5, piece.bar / 2), colors.error, Math.min(5, Math.max(3, piece.bar / 2)));
      this.rectangles++;
    }
    if (piece.isSelected) {
      context.strokeStyle = colors.ink;
      context.lineWidth = 2;
      context.strokeRect(piece.from - 2, piece.top - 1, width + 4, piece.bar + 2);
    }
  }
}
