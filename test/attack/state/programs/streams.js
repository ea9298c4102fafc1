// Locks shared streams, leaves reads and writes pending, and errors one of them.
let source;
const readable = new ReadableStream({ start: (controller) => (source = controller) });
const writable = new WritableStream({ write: () => new Promise(() => {}) });
const failing = new WritableStream({});
const transform = new TransformStream();
export async function plant() {
  readable.getReader().read();
  source.enqueue("planted");
  source.enqueue("planted too");
  writable.getWriter().write("planted");
  failing.abort("planted").catch(() => {});
  transform.readable.tee();
  transform.writable.getWriter().write(1).catch(() => {});
  await null;
}
export function probe() {
  return [readable.locked, writable.locked, failing.locked, transform.readable.locked, source.desiredSize];
}
