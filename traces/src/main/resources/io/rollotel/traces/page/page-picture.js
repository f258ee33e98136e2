// Pictures out of the page: what is drawn on a canvas as PNG, rows and blocks as SVG.

const PICTURE_ROWS = 2000;
const PICTURE_FONT = 'system-ui, -apple-system, Segoe UI, Roboto, sans-serif';

const xmlText = (text) => harmless(String(text)).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/**
 * Rectangles with texts as an SVG document. A text ends where its rectangle does.
 *
 * @param boxes each with x, y, width, height, and as far as it has one: fill, text, ink
 */
function svgDocument(width, height, paper, boxes) {
  const round = (number) => Math.round(number * 100) / 100;
  const parts = boxes.map(({ x, y, width: w, height: h, fill: color, text, ink }) => {
    const place = `x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}"`;
    const rectangle = color ? `<rect ${place} fill="${xmlText(color)}"/>` : '';
    return rectangle + (text && w > 14
      ? `<svg ${place}><title>${xmlText(text)}</title><text x="5" y="${round(h / 2)}" dominant-baseline="central" fill="${xmlText(ink)}">${xmlText(text)}</text></svg>`
      : '');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${round(height)}" font-family="${PICTURE_FONT}" font-size="12.5">`
    + `<rect width="100%" height="100%" fill="${xmlText(paper)}"/>\n${parts.join('\n')}\n</svg>\n`;
}

/** The blocks of an icicle as they are seen. */
function icicleSvg(box) {
  const boxes = [...box.children].map((block) => {
    const style = getComputedStyle(block);
    return { x: block.offsetLeft, y: block.offsetTop, width: block.offsetWidth - 1, height: block.offsetHeight - 1, fill: style.backgroundColor, ink: style.color, text: block.textContent };
  });
  return svgDocument(box.clientWidth, box.clientHeight, themeColors().card, boxes);
}

const DRAWN_STYLES = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity', 'font-family', 'font-size', 'font-weight', 'text-anchor', 'dominant-baseline', 'display'];

/** A drawing of the page's as a document of its own, which takes its styles along. */
function drawingSvg(drawing) {
  const copy = drawing.cloneNode(true);
  const copies = [copy, ...copy.querySelectorAll('*')];
  [drawing, ...drawing.querySelectorAll('*')].forEach((one, i) => {
    const style = getComputedStyle(one);
    for (const key of DRAWN_STYLES) copies[i].setAttribute(key, style.getPropertyValue(key));
    copies[i].removeAttribute('class');
  });
  const { width, height } = drawing.getBoundingClientRect();
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.prepend(svg('rect', { width, height, fill: themeColors().card }));
  return new XMLSerializer().serializeToString(copy);
}

/** The rows of a trace that are not collapsed, in the time that is seen. */
function traceSvg(view) {
  const { model } = app;
  const { rows } = view;
  const colors = themeColors();
  const [width, labels, row] = [1400, 460, 22];
  const seen = view.seen.slice(0, PICTURE_ROWS);
  const boxes = [];
  seen.forEach((place, i) => {
    const item = rows.items[place];
    const indent = 12 * Math.min(rows.depth[place], 24);
    const isError = model.isError(item);
    const took = duration(model.end[item] - model.start[item]);
    boxes.push({ x: indent, y: i * row, width: labels - 90 - indent, height: row, ink: isError ? colors.error : colors.ink, text: (isError ? '▲ ' : '') + model.nameOf(model.name[item]) });
    boxes.push({ x: labels - 86, y: i * row, width: 80, height: row, ink: colors.dim, text: took });
    const [from, to] = [view.share(model.start[item]), view.share(model.end[item])].map((share) => labels + Math.max(0, Math.min(1, share)) * (width - labels - 4));
    boxes.push({ x: from, y: i * row + 3, width: Math.max(2, to - from), height: row - 6, fill: isError ? colors.error : nameColor(model.name[item]) });
    for (let at = model.segmentsFrom[item]; at < model.segmentsFrom[item + 1]; at++) {
      const segment = model.segmentsByItem[at];
      const [left, right] = [view.share(model.segmentStart[segment]), view.share(model.segmentEnd[segment])].map((share) => labels + Math.max(0, Math.min(1, share)) * (width - labels - 4));
      boxes.push({ x: left, y: (i + 1) * row - 5, width: Math.max(1, right - left), height: 3, fill: colors.path });
    }
  });
  return svgDocument(width, Math.max(1, seen.length) * row, colors.card, boxes);
}

function pictureButton(name, kind, action) {
  return el('button', {
    type: 'button', class: 'csv', 'data-picture': name, title: `This picture as ${kind}`, 'aria-label': `Download ${name} as ${kind}`, onclick: action,
  }, '↓ ' + kind);
}

/** A button that exports a picture of rows or blocks. */
const svgButton = (name, make) => pictureButton(name, 'SVG', () => download(name + '.svg', 'image/svg+xml', make()));

/** The labels that lie over a canvas as elements. */
function drawLabels(context, canvas, left, top) {
  const bounds = canvas.getBoundingClientRect();
  const ratio = canvas.width / Math.max(1, bounds.width);
  for (const label of canvas.parentElement?.querySelectorAll('.heads .one-line') ?? []) {
    const box = label.getBoundingClientRect();
    if (box.width === 0 || box.top < bounds.top || box.bottom > bounds.bottom) continue;
    const style = getComputedStyle(label);
    context.font = `${style.fontWeight} ${parseFloat(style.fontSize) * ratio}px ${style.fontFamily}`;
    context.textBaseline = 'middle';
    context.fillStyle = style.color;
    context.fillText(fitted(context, label.textContent, box.width * ratio), left + (box.left - bounds.left) * ratio, top + (box.top + box.height / 2 - bounds.top) * ratio);
  }
}

/**
 * A button that exports some canvases as a picture, one below the other, on the theme's background.
 */
function pngButton(name, canvases) {
  return pictureButton(name, 'PNG', () => {
    const drawn = canvases().filter((canvas) => canvas.width > 1 && canvas.height > 1);
    const margin = Math.round(12 * (window.devicePixelRatio || 1));
    const picture = el('canvas', {});
    picture.width = Math.max(1, ...drawn.map((canvas) => canvas.width)) + 2 * margin;
    picture.height = drawn.reduce((sum, canvas) => sum + canvas.height + margin, margin);
    const context = picture.getContext('2d');
    context.fillStyle = themeColors().card;
    context.fillRect(0, 0, picture.width, picture.height);
    let top = margin;
    for (const canvas of drawn) {
      context.drawImage(canvas, margin, top);
      drawLabels(context, canvas, margin, top);
      top += canvas.height + margin;
    }
    picture.toBlob((blob) => blob && download(name + '.png', 'image/png', blob), 'image/png');
  });
}
