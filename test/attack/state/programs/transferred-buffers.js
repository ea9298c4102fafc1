// Transfers what the module holds away, so that it is detached.
let buffer = new ArrayBuffer(64);
const view = new Uint8Array(buffer).fill(3);
const growing = new ArrayBuffer(8, { maxByteLength: 65_536 });
const { port1 } = new MessageChannel();
export function plant() {
  structuredClone(buffer, { transfer: [buffer] });
  growing.resize(65_536);
  new Uint8Array(growing).fill(9);
  structuredClone(port1, { transfer: [port1] });
  buffer = new ArrayBuffer(1).transfer(4096);
}
export function probe() {
  return [buffer.byteLength, view.length, view[0], growing.byteLength];
}
