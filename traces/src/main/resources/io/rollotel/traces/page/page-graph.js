// The layout of a service graph: callers left of their callees, in layers.

/**
 * The forward calls: in a cycle of callers, calls that lead back are left out.
 *
 * @param count how many services there are
 * @param calls pairs of a caller and a callee, the most frequent first
 */
function onwardCalls(count, calls) {
  const out = Array.from({ length: count }, () => []);
  const reaches = (from, to) => {
    const open = [from];
    const seen = new Set(open);
    while (open.length > 0) {
      const at = open.pop();
      if (at === to) return true;
      for (const next of out[at]) {
        if (!seen.has(next)) {
          seen.add(next);
          open.push(next);
        }
      }
    }
    return false;
  };
  for (const { from, to } of calls) {
    if (from !== to && !reaches(to, from)) out[from].push(to); // the more frequent one of two comes first
  }
  return out;
}

/** The layer of each service: one more than that of its last caller. */
function layersOf(count, calls) {
  const out = onwardCalls(count, calls);
  const layer = new Array(count).fill(0);
  const callers = new Array(count).fill(0);
  for (const callees of out) for (const to of callees) callers[to]++;
  const open = [...layer.keys()].filter((service) => callers[service] === 0);
  while (open.length > 0) {
    const at = open.pop();
    for (const to of out[at]) {
      layer[to] = Math.max(layer[to], layer[at] + 1);
      if (--callers[to] === 0) open.push(to);
    }
  }
  return layer;
}

/**
 * The services of each layer from top to bottom, so that few calls cross: near the services that
 * they belong to.
 */
function orderedLayers(count, calls) {
  const layer = layersOf(count, calls);
  const layers = Array.from({ length: Math.max(-1, ...layer) + 1 }, () => []);
  layer.forEach((at, service) => layers[at].push(service));
  const place = new Array(count).fill(0);
  const number = () => layers.forEach((services) => services.forEach((service, i) => { place[service] = (i + 0.5) / services.length; }));
  const near = Array.from({ length: count }, () => []);
  for (const { from, to } of calls) {
    if (from === to) continue;
    near[from].push(to);
    near[to].push(from);
  }
  number();
  for (let round = 0; round < 8; round++) {
    const isRightwards = round % 2 === 0;
    for (const services of isRightwards ? layers : [...layers].reverse()) {
      const wanted = new Map(services.map((service) => {
        const beside = near[service].filter((other) => (isRightwards ? layer[other] < layer[service] : layer[other] > layer[service]));
        const sum = beside.reduce((total, other) => total + place[other], 0);
        return [service, beside.length > 0 ? sum / beside.length : place[service]];
      }));
      services.sort((a, b) => wanted.get(a) - wanted.get(b) || a - b);
      number();
    }
  }
  return layers;
}

/**
 * The boxes of services in a picture of some width, and its size: layers are columns, or rows if
 * the window has no room for columns.
 *
 * @param room the maximum width of the picture; one with many layers is wider, and can be scrolled
 */
function graphLayout(count, calls, room) {
  const layers = orderedLayers(count, calls);
  const most = Math.max(1, ...layers.map((services) => services.length));
  const isUpright = room < 640 && layers.length > 1;
  const box = { width: isUpright ? 152 : 168, height: 62 };
  const boxes = new Array(count);
  if (isUpright) {
    const across = 12;
    const down = 74;
    const width = Math.max(room, most * (box.width + across) + across);
    layers.forEach((services, row) => services.forEach((service, i) => {
      const each = width / services.length;
      boxes[service] = { ...box, x: each * (i + 0.5) - box.width / 2, y: 8 + row * (box.height + down) };
    }));
    return { boxes, width, height: 16 + layers.length * box.height + (layers.length - 1) * down, isUpright };
  }
  const least = 110;
  const gap = layers.length > 1 ? Math.min(260, Math.max(least, (room - 40 - layers.length * box.width) / (layers.length - 1))) : 0;
  const width = Math.max(layers.length * box.width + (layers.length - 1) * gap + 40, 0);
  const height = most * (box.height + 30) + 10;
  layers.forEach((services, column) => services.forEach((service, i) => {
    const each = height / services.length;
    boxes[service] = { ...box, x: 20 + column * (box.width + gap), y: each * (i + 0.5) - box.height / 2 };
  }));
  return { boxes, width, height, isUpright };
}

/** The line of a call between two boxes: the four points of a curve. */
function callLine(from, to, isUpright, isSelf) {
  const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
  const [[fromX, fromY], [toX, toY]] = [middle(from), middle(to)];
  if (isSelf) {
    return [[fromX + 24, from.y], [fromX + 34, from.y - 38], [fromX - 34, from.y - 38], [fromX - 24, from.y]];
  }
  const isBack = isUpright ? to.y <= from.y : to.x <= from.x;
  if (isBack && isUpright) {
    const far = Math.max(from.x, to.x) + from.width + 30;
    return [[from.x + from.width, fromY], [far, fromY], [far, toY], [to.x + to.width, toY]];
  }
  if (isBack) {
    const low = Math.max(from.y, to.y) + from.height + 34;
    return [[fromX, from.y + from.height], [fromX, low], [toX, low], [toX, to.y + to.height]];
  }
  if (isUpright) {
    const bend = (to.y - from.y - from.height) / 2;
    return [[fromX, from.y + from.height], [fromX, from.y + from.height + bend], [toX, to.y - bend], [toX, to.y]];
  }
  const bend = (to.x - from.x - from.width) / 2;
  return [[from.x + from.width, fromY], [from.x + from.width + bend, fromY], [to.x - bend, toY], [to.x, toY]];
}

/** A point of a curve: at 0 its beginning, at 1 its end. */
function pointAt(line, share) {
  const rest = 1 - share;
  const of = (axis) => rest ** 3 * line[0][axis] + 3 * rest * rest * share * line[1][axis] + 3 * rest * share * share * line[2][axis] + share ** 3 * line[3][axis];
  return [of(0), of(1)];
}

/**
 * The places of the lines' texts: on the line, clear of boxes and other texts; null if there is no
 * room.
 */
function textPlaces(lines, widths, boxes) {
  const taken = boxes.map((box) => [box.x, box.y, box.x + box.width, box.y + box.height]);
  return lines.map((line, number) => {
    for (const share of [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74]) {
      const [x, y] = pointAt(line, share);
      const place = [x - widths[number] / 2, y - 9, x + widths[number] / 2, y + 9];
      if (taken.some((other) => place[0] < other[2] && other[0] < place[2] && place[1] < other[3] && other[1] < place[3])) continue;
      taken.push(place);
      return [x, y];
    }
    return null;
  });
}
