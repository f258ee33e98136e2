// Draws the heat map: its visible rows, the steps above them, and the cursor.

const HEAT_HEAD = 26;

/**
 * Draws it.
 *
 * @param view its size, the rows in their order, the visible ones, and their labels
 * @returns how many cells are at the end of the scale
 */
function paintHeat(canvas, view) {
  const { width, height, left, row, isNarrow, top, matrix, scale, rows } = view;
  const context = prepareCanvas(canvas, width, height);
  const colors = themeColors();
  context.font = '12.5px system-ui, sans-serif';
  context.textBaseline = 'middle';
  const cell = (width - left) / matrix.columns;
  const w = Math.max(cell - (cell > 5 ? 1 : 0), 0.7);
  let cut = 0;
  for (let place = Math.max(0, Math.floor(top / row)); place < rows.length && place * row - top < height; place++) {
    const y = HEAT_HEAD + place * row - top;
    context.fillStyle = colors.ink;
    context.textAlign = 'left';
    context.fillText(fitted(context, view.label(rows[place]), (isNarrow ? width : left) - 10, clipMiddle), 0, isNarrow ? y + 9 : y + row / 2);
    const from = isNarrow ? y + 18 : y + 1;
    const high = isNarrow ? row - 20 : row - 2;
    for (let column = 0; column < matrix.columns; column++) {
      const shade = matrix.shade(rows[place], column);
      if (Number.isNaN(shade)) continue;
      const x = left + column * cell;
      context.fillStyle = colors.soft;
      context.fillRect(x, from, w, high);
      context.globalAlpha = scale.of(shade);
      context.fillStyle = colors.accent;
      context.fillRect(x, from, w, high);
      context.globalAlpha = 1;
      if (!scale.isCut(shade)) continue;
      cut++;
      context.fillStyle = colors.ink;
      context.fillRect(x, from, w, 3);
    }
  }
  paintHeatHead(context, colors, view, cell);
  if (view.cursor) paintHeatCursor(context, colors, view, cell);
  return cut;
}

function paintHeatHead(context, colors, { width, left, matrix, tick }, cell) {
  const y = HEAT_HEAD / 2 - 1;
  context.fillStyle = colors.card;
  context.fillRect(0, 0, width, HEAT_HEAD - 2);
  context.fillStyle = colors.dim;
  if (left > 0) {
    context.textAlign = 'left';
    context.fillText('Worker', 0, y);
    context.textAlign = 'right';
    context.fillText('Step', left - 10, y);
  }
  const every = roundEvery(64 / cell);
  context.textAlign = 'center';
  for (let column = 0; column < matrix.columns; column += every) {
    const text = clip(tick(column), 9);
    const half = context.measureText(text).width / 2;
    context.fillText(text, Math.max(left + half, Math.min(left + (column + 0.5) * cell, width - half)), y);
  }
}

function paintHeatCursor(context, colors, { width, height, left, row, isNarrow, top, cursor }, cell) {
  const y = HEAT_HEAD + cursor.row * row - top;
  context.save();
  context.beginPath();
  context.rect(0, HEAT_HEAD - 2, width, height); // not on the steps above
  context.clip();
  for (const [color, thick] of [[colors.card, 4], [colors.ink, 2]]) {
    context.strokeStyle = color;
    context.lineWidth = thick;
    context.strokeRect(left + cursor.column * cell - 0.5, isNarrow ? y + 17 : y, Math.max(cell, 3), isNarrow ? row - 18 : row);
  }
  context.restore();
}
