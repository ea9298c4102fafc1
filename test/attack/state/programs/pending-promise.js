// Leaves promises unsettled, with reactions attached.
const waiting = [];
export function plant() {
  waiting.push(new Promise(() => {}).then(() => waiting.push("late")));
  return waiting.length;
}
export function probe() {
  return waiting.length;
}
