// Leaves free memory full of recognisable bytes.
export function plant() {
  for (let i = 0; i < 200; i++) new Uint8Array(65536).fill(0xa5);
  return "planted".repeat(1000).length;
}
export function probe() {
  return new Uint8Array(1 << 20).some((byte) => byte !== 0);
}
