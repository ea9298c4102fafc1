// Changes how errors are made and shown.
export function plant() {
  Error.prepareStackTrace = () => "planted";
  Error.prototype.toString = () => "planted";
  Error.prototype.planted = 1;
}
export function probe() {
  return [String(new Error("x")), typeof new Error("x").planted, typeof Error.prepareStackTrace];
}
