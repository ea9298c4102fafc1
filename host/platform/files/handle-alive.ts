/** Decides whether an open handle keeps the process alive. */

/** Calls `ref` or `unref`. Sockets and processes have both, although the types of streams do not show them. Other objects are ignored. */
export function setAlive(handle: object | null | undefined, on: boolean): void {
  const change: unknown = handle && Reflect.get(handle, on ? "ref" : "unref");
  if (typeof change === "function") Reflect.apply(change, handle, []);
}
