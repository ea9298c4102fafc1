import { parse, parseDocument, stringify } from "yaml";

export const parses = () => parse("a: [1, 2]\nb: &x {c: true}\nd: *x\ntext: |\n  two\n  lines\n");
export const writes = () => stringify({ a: [1, { b: "x: y" }], long: "word ".repeat(40), n: null });
export const keeps = () => {
  const document = parseDocument("# top\na: 1 # one\n");
  document.set("b", 2);
  return String(document);
};
export const complains = () => parse("a: [1");
