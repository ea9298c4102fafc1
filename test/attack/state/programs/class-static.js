// Keeps state in static fields, private ones included.
class Counter {
  static total = 0;
  static #secret = [];
  static add() {
    Counter.total++;
    Counter.#secret.push("planted");
  }
  static read() {
    return [Counter.total, Counter.#secret.length];
  }
}
export function plant() {
  Counter.add();
}
export function probe() {
  return Counter.read();
}
