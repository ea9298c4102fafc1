// Keeps a large integer and changes the patched BigInt functions.
let value = 1n;
export function plant() {
  value <<= 100_000n;
  BigInt.asUintN = () => 0n;
}
export function probe() {
  return [value.toString().length, String(BigInt.asUintN(8, 257n))];
}
