// Unpacks the report that the page holds.

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function inflate(base64) {
  const deflated = new Blob([bytesOf(base64)]).stream();
  const stream = deflated.pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Numbers of seven bits a byte, the lowest first. */
class Numbers {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  isAtEnd() {
    return this.at >= this.bytes.length;
  }

  next() {
    let byte = this.bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127;
    let factor = 128;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte >= 128);
    return value;
  }

  signed() {
    const value = this.next();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

/** Makes all texts of a report safe, except for parts that are unpacked later. */
function harmlessTexts(value) {
  if (typeof value === 'string') return harmless(value);
  if (Array.isArray(value)) return typeof value[0] === 'number' ? value : value.map(harmlessTexts);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, key === 'timeline' ? one : harmlessTexts(one)]));
}

async function decode(report) {
  const packed = report.timeline;
  const column = {};
  await Promise.all(
    Object.entries(packed.columns).map(async ([name, base64]) => {
      column[name] = await inflate(base64);
    }));
  for (const part of ['pauses', 'breakdowns']) {
    if (!report[part]) continue;
    column[part] = await inflate(report[part].column);
    report[part].column = null;
  }
  const model = new Model(report, packed, column);
  for (const [number, worker] of await furtherWorkers(report)) model.workers.add(number, worker);
  report.timeline.columns = null; // the texts are no longer needed
  return model;
}
