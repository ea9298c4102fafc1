// Doubles a string until nothing is left.
let text = "planted";
export function plant() {
  try {
    for (;;) text += text;
  } catch {
    return text.length;
  }
}
export function probe() {
  return text.length;
}
