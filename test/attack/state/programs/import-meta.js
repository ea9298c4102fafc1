// Writes on the module's own meta object, and leaves imports that fail.
export async function plant() {
  import.meta.planted = new Array(100).fill("planted");
  await Promise.allSettled([import("./missing.js"), import("node:nothing"), import("./other.js")]);
}
export function probe() {
  return [Reflect.ownKeys(import.meta).length, typeof import.meta.planted];
}
