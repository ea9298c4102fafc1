// Aborts shared controllers, whose signals others depend on.
const controller = new AbortController();
const either = AbortSignal.any([controller.signal, new AbortController().signal]);
let told = 0;
export function plant() {
  either.addEventListener("abort", () => told++);
  AbortSignal.any([either]).onabort = () => told++;
  controller.abort("planted");
  AbortSignal.timeout(100_000);
}
export function probe() {
  return [controller.signal.aborted, String(either.reason), told];
}
