import { JSONPath } from "jsonpath-plus";

const json = {
  store: {
    book: [
      { price: 8, title: "A" },
      { price: 12, title: "B" },
    ],
  },
};

export const finds = () => JSONPath({ path: "$.store.book[*].title", json });
export const filters = () => JSONPath({ path: "$..book[?(@.price < 10)]", json });
export const paths = () => JSONPath({ path: "$..price", json, resultType: "path" });
