// Fills the timeline of marks and measures, with details that hold on to objects.
export function plant() {
  const detail = { planted: new Uint8Array(5000).fill(9) };
  for (let i = 0; i < 50; i++) performance.mark(`mark ${i}`, { detail });
  performance.measure("planted", { start: "mark 0", end: "mark 49", detail });
  performance.now = () => 0;
}
export function probe() {
  return [performance.getEntries().length, performance.getEntriesByType("measure").length, Object.hasOwn(performance, "now")];
}
