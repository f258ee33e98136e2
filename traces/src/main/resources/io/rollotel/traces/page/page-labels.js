// Texts in a canvas: as much of them as fits, in a readable colour.

const FONT = 'system-ui, sans-serif';

/** Black or white, whichever is readable on a colour: one of them always is. */
const inkOn = new Map();
function textColorOn(background) {
  if (!inkOn.has(background)) {
    const linear = [1, 3, 5].map((at) => {
      const value = parseInt(background.slice(at, at + 2), 16) / 255;
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    inkOn.set(background, luminance > 0.179 ? '#000000' : '#ffffff');
  }
  return inkOn.get(background);
}

/** The widths of texts, cached because the same ones are measured repeatedly. */
const textWidths = new Map();
function textWidth(context, text) {
  const key = context.font + text;
  let width = textWidths.get(key);
  if (width === undefined) {
    if (textWidths.size > 20_000) textWidths.clear();
    width = context.measureText(text).width;
    textWidths.set(key, width);
  }
  return width;
}

/** As much of a text as fits, with an ellipsis where it is cut; empty if nothing fits. */
function fitted(context, text, room, cut = clip) {
  const whole = cut(text, 120);
  if (textWidth(context, whole) <= room) return whole;
  let low = 0;
  let high = whole.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (textWidth(context, cut(whole, middle + 1)) <= room) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : cut(whole, low + 1);
}
