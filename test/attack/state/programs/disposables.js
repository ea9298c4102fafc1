// Disposes of what the module shares, and leaves a stack of things to dispose of.
const left = [];
const stack = new DisposableStack();
const open = new AsyncDisposableStack();
export function plant() {
  for (let i = 0; i < 20; i++) stack.defer(() => left.push(i));
  open.use({ [Symbol.asyncDispose]: () => left.push("async") });
  stack.dispose();
}
export function probe() {
  return [stack.disposed, left.length, open.disposed];
}
