import { bignumber, chain, derivative, det, evaluate, format, inv, simplify } from "mathjs";

export const evaluates = () => [evaluate("sqrt(3^2 + 4^2)"), evaluate("2 inch to cm").toString(), format(evaluate("[1, 2; 3, 4] * 2"))];
export const derives = () => [derivative("x^2 + sin(x)", "x").toString(), simplify("2x + 3x").toString()];
export const matrices = () => [
  det([
    [1, 2],
    [3, 4],
  ]),
  inv([
    [1, 2],
    [3, 4],
  ]),
];
export const large = () => [bignumber("0.1").plus("0.2").toString(), chain(3).add(4).multiply(2).done()];
