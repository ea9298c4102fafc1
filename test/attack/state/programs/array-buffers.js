// Writes into buffers and views that live as long as the module.
const buffer = new ArrayBuffer(65536);
const view = new DataView(buffer);
export function plant() {
  new Uint8Array(buffer).fill(7);
  view.setFloat64(0, 1.5);
}
export function probe() {
  return [view.getFloat64(0), new Uint8Array(buffer)[100]];
}
