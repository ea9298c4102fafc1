// Overflows the stack inside native functions that call back, and keeps what they left.
const kept = { overflows: 0, list: [3, 1, 2] };
const attempt = (run) => {
  try {
    run();
  } catch (error) {
    kept.overflows++;
    kept.last = error;
  }
};
export function plant() {
  const sort = () => kept.list.sort(sort);
  const replace = () => "a".replace(/a/g, replace);
  const clone = { toJSON: () => JSON.stringify(clone) };
  const proxy = new Proxy({}, { get: (target, key, receiver) => receiver[key], ownKeys: () => Object.keys(proxy) });
  const from = { [Symbol.iterator]: () => Array.from(from) };
  for (const run of [sort, replace, () => JSON.stringify(clone), () => proxy.a, () => Object.keys(proxy), () => Array.from(from)]) attempt(run);
}
export function probe() {
  return [kept.overflows, kept.list.join(), typeof kept.last];
}
