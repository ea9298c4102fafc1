import jsonata from "jsonata";

export const sums = () =>
  jsonata("$sum(items.(price * n))").evaluate({
    items: [
      { price: 2, n: 3 },
      { price: 5, n: 1 },
    ],
  });
export const groups = () => jsonata("items{name: $count($)}").evaluate({ items: [{ name: "a" }, { name: "b" }, { name: "a" }] });
