// Leaves microtasks in the queue.
let ran = 0;
export function plant() {
  for (let i = 0; i < 100; i++)
    Promise.resolve().then(() => {
      ran++;
      queueMicrotask(() => ran++);
    });
}
export function probe() {
  return ran;
}
