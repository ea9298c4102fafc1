// Throws where nobody catches: in jobs, in listeners, from reportError, while the call goes on.
let listened = 0;
export async function plant() {
  addEventListener("error", (event) => (listened++, event.preventDefault()));
  queueMicrotask(() => {
    throw new Error("planted in a job");
  });
  const target = new EventTarget();
  target.addEventListener("x", () => {
    throw new Error("planted in a listener");
  });
  target.dispatchEvent(new Event("x"));
  reportError(new Error("planted"));
  Promise.reject(new Error("planted and left"));
  await null;
}
export function probe() {
  reportError("probed");
  return listened;
}
