// Changes what the guest APIs keep for themselves.
export function plant() {
  Deno.env.set("PLANTED", "1");
  console.count("planted");
  performance.mark("planted");
}
export function probe() {
  return performance.getEntriesByName("planted").length;
}
