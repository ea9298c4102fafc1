// Changes how deep stacks are kept and what makes them, also by inheritance.
const down = (depth) => (depth === 0 ? new Error("x").stack.split("\n").length : down(depth - 1));
export function plant() {
  Error.stackTraceLimit = 1;
  Object.defineProperty(Error, "captureStackTrace", { value: () => "planted" });
  Object.setPrototypeOf(TypeError, class Planted {});
  RangeError.stackTraceLimit = 0;
}
export function probe() {
  return [down(5), typeof Error.captureStackTrace({}), Object.getPrototypeOf(TypeError) === Error];
}
