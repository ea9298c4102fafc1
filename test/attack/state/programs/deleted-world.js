// Deletes every global it can.
export function plant() {
  for (const key of Reflect.ownKeys(globalThis)) {
    try {
      delete globalThis[key];
    } catch {
      // Some cannot be deleted; that is fine.
    }
  }
}
export function probe() {
  return typeof Array + typeof setTimeout;
}
