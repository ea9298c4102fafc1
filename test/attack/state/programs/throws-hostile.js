// Throws something whose every read runs guest code.
let reads = 0;
export function plant() {
  throw new Proxy(
    {},
    {
      get() {
        reads++;
        throw new Error("planted");
      },
    },
  );
}
export function probe() {
  return reads;
}
