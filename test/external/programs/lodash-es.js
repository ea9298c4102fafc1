import { camelCase, chunk, cloneDeep, debounce, groupBy, merge, orderBy, template, throttle } from "lodash-es";

export const groups = () => groupBy([6.1, 4.2, 6.3], Math.floor);
export const orders = () => orderBy([{ a: 2 }, { a: 1 }, { a: 3 }], ["a"], ["desc"]);
export const merges = () => merge({ a: [{ b: 2 }] }, { a: [{ c: 3 }] });
export const clones = () => cloneDeep({ at: new Date(0), re: /x/g.source, map: [...new Map([[1, { a: 2 }]])] });
export const words = () => [camelCase("Foo Bar--baz"), chunk([1, 2, 3, 4, 5], 2)];
export const renders = () => template("hello <%= user %>!")({ user: "fred" });
export const waits = async () => {
  let calls = 0;
  const once = debounce(() => calls++, 5);
  once();
  once();
  throttle(() => calls++, 5)();
  await new Promise((resolve) => setTimeout(resolve, 30));
  return calls;
};
