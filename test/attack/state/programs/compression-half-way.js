// Compresses half of something and never ends it; decompresses with half a header.
const packed = new CompressionStream("gzip");
const unpacked = new DecompressionStream("gzip");
export async function plant() {
  const writer = packed.writable.getWriter();
  packed.readable.getReader().read();
  await writer.write(new Uint8Array(100_000).fill(7));
  unpacked.writable.getWriter().write(Uint8Array.of(0x1f, 0x8b, 8)).catch(() => {});
}
export function probe() {
  return [packed.writable.locked, packed.readable.locked, unpacked.writable.locked];
}
