import { array, assert, coerce, create, number, object, string } from "superstruct";

const Article = object({ id: number(), title: string(), tags: array(string()) });

export const accepts = () => (assert({ id: 1, title: "a", tags: [] }, Article), true);
export const refuses = () => assert({ id: 1, title: "a", tags: [1] }, Article);
export const coerces = () =>
  create(
    "12",
    coerce(number(), string(), (text) => parseFloat(text)),
  );
