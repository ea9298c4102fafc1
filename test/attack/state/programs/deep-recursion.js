// Uses up the stack, catches it and remembers.
let depth = 0;
const down = () => {
  depth++;
  down();
};
export function plant() {
  try {
    down();
  } catch {
    return depth;
  }
}
export function probe() {
  return depth;
}
