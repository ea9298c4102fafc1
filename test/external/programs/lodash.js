import _ from "lodash";

export const chains = () =>
  _([1, 2, 3, 4])
    .filter((n) => n % 2 === 0)
    .map((n) => n * n)
    .sum();
export const paths = () => _.get(_.set({}, "a[0].b.c", 4), "a[0].b.c");
export const compares = () => _.isEqual({ a: [1, { b: new Date(5) }] }, { a: [1, { b: new Date(5) }] });
export const deburrs = () => _.deburr("déjà vu");
