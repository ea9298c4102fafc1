// Lets registered objects die, so that their finalizers wait to run.
const done = [];
const registry = new FinalizationRegistry((held) => done.push(held));
const token = {};
export async function plant() {
  for (let i = 0; i < 200; i++) {
    registry.register({ cyclic: [] }, `planted ${i}`, token);
    const a = {};
    a.a = a;
    registry.register(a, `cycle ${i}`);
  }
  for (let i = 0; i < 2000; i++) ({}).a = [];
  await null;
}
export function probe() {
  return [done.length, registry.unregister(token)];
}
