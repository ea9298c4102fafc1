// Draws random numbers, which moves the generator on.
export function plant() {
  for (let i = 0; i < 1000; i++) Math.random();
  Math.random.planted = 1;
}
export function probe() {
  return [Math.random(), typeof Math.random.planted];
}
