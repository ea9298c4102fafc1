// Suspends a chain of generators that delegate to one another, deep inside the innermost.
const log = [];
function* inner() {
  try {
    yield* [1, 2, 3, 4];
  } finally {
    log.push("inner");
  }
}
function* outer(depth) {
  try {
    yield* depth === 0 ? inner() : outer(depth - 1);
  } finally {
    log.push(depth);
  }
}
const walk = outer(20);
export function plant() {
  walk.next();
  walk.next();
}
export function probe() {
  return [walk.next().value, walk.return("end").value, log.length];
}
