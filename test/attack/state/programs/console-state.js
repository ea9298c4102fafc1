// Opens groups, starts timers and counters of the console, and replaces its methods.
export function plant() {
  console.group("planted");
  console.groupCollapsed("planted");
  console.time("planted");
  for (let i = 0; i < 100; i++) console.count(`planted ${i}`);
  console.log.planted = 1;
  console.planted = 1;
  console.log = () => {};
}
export function probe() {
  return [typeof console.planted, typeof console.log.planted, String(console.log).length];
}
