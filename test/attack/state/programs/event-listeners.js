// Leaves listeners on the global object, on shared targets and on prototypes' handlers.
const target = new EventTarget();
let heard = 0;
export function plant() {
  for (const type of ["planted", "error", "unhandledrejection"]) addEventListener(type, () => heard++);
  globalThis.onplanted = () => heard++;
  target.addEventListener("planted", { handleEvent: () => heard++ }, { once: true, capture: true });
  target.addEventListener("planted", () => heard++);
  EventTarget.prototype.planted = 1;
}
export function probe() {
  dispatchEvent(new Event("planted"));
  target.dispatchEvent(new Event("planted"));
  return [heard, target.planted];
}
