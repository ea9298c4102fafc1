// Replaces what the host's own protocol might be built on.
export function plant() {
  JSON.parse = () => "planted";
  JSON.stringify = () => '"planted"';
}
export function probe() {
  return [JSON.parse("1"), JSON.stringify([2])];
}
