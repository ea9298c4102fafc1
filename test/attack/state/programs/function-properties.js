// Hangs state on the tool functions themselves.
export function plant() {
  probe.planted = 1;
  plant.prototype.planted = 1;
  Object.setPrototypeOf(probe, { inherited: 1 });
}
export function probe() {
  return [typeof probe.planted, typeof plant.prototype.planted, typeof probe.inherited];
}
