/** Whether what a program has open keeps its process alive. */

/** Sockets and processes have both functions; the types of streams do not say so. Nothing happens to what has neither. */
export function setAlive(handle: object | null | undefined, on: boolean): void {
  const change: unknown = handle && Reflect.get(handle, on ? "ref" : "unref");
  if (typeof change === "function") Reflect.apply(change, handle, []);
}
