// Leaves rejected promises that nobody handles.
const kept = [];
export function plant() {
  kept.push(Promise.reject(new Error("planted")));
  kept[0].catch(() => {});
}
export function probe() {
  return kept.length;
}
