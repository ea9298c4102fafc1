import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { symbolic_solve } from "../../plugins/math/main.ts";

async function solve(equations: string | readonly string[], ...variables: readonly string[]): Promise<readonly string[]> {
  const { solutions, kind } = await symbolic_solve({
    equations: [equations].flat(),
    variables: variables.length === 0 ? ["x"] : variables,
  });
  if (solutions.length === 0) return [kind];
  return solutions.map(({ values }) => values.map(({ name, text, exact }) => `${name} ${exact ? "=" : "~"} ${text}`).join(", "));
}

describe("symbolic_solve()", () => {
  it.each([
    ["3*x - 7 = 0", ["x = 7/3"]],
    ["x^2 - 5*x + 6 = 0", ["x = 2", "x = 3"]],
    ["x^2 = x + 1", ["x = (1 - sqrt(5))/2", "x = (1 + sqrt(5))/2"]],
    ["x^2 = 12", ["x = -2*sqrt(3)", "x = 2*sqrt(3)"]],
    ["x^2 + x + 1", ["x = (-1 + sqrt(3)*i)/2", "x = (-1 - sqrt(3)*i)/2"]],
    ["0.1*x^2 = 0.4", ["x = -2", "x = 2"]],
    ["2*x^3 - 3*x^2 - 11*x + 6 = 0", ["x = -2", "x = 1/2", "x = 3"]],
    ["x^4 - 5*x^2 + 4 = 0", ["x = -2", "x = -1", "x = 1", "x = 2"]],
    ["x^3 = 8", ["x = 2", "x = -1 + sqrt(3)*i", "x = -1 - sqrt(3)*i"]],
    [
      "x^5 - x - 1 = 0",
      [
        "x ~ 1.16730397826",
        "x ~ -0.7648844336 + 0.352471546*i",
        "x ~ -0.7648844336 - 0.352471546*i",
        "x ~ 0.1812324445 + 1.083954101*i",
        "x ~ 0.1812324445 - 1.083954101*i",
      ],
    ],
    ["1/x + 1/(x + 1) = 3/2", ["x = -2/3", "x = 1"]],
    ["(x^2 - 1)/(x - 1) = 0", ["x = -1"]],
    ["exp(2*x + 1) = 5", ["x = (ln(5) - 1)/2"]],
    ["2^x = 8", ["x = ln(8)/ln(2)"]],
    ["ln(x)^2 = 4", ["x = exp(-2)", "x = exp(2)"]],
    ["log10(x - 1) = 2", ["x = 101"]],
    ["sqrt(x + 3) = x - 3", ["x = 6"]],
    ["sqrt(x) = -2", ["none"]],
    ["abs(2*x - 1) = 5", ["x = -2", "x = 3"]],
    ["sin(x) = 0", ["x = 2*n*pi", "x = 2*n*pi + pi"]],
    ["x = x + 1", ["none"]],
    ["2*(x + 1) = 2*x + 2", ["all"]],
  ])("solves %s [G3.symbolic_solve]", async (equation, solutions) => {
    expect(await solve(equation)).toEqual(solutions);
  });

  it("solves with letters, and lists its assumptions [G3.symbolic_solve]", async () => {
    expect(await symbolic_solve({ equations: ["a*x + b = c"], variables: ["x"] })).toEqual({
      kind: "some",
      solutions: [{ multiplicity: 1, values: [{ name: "x", text: "(-b + c)/a", exact: true }] }],
      assumptions: ["a is not 0"],
    });
    expect(await solve("a*x^2 + b*x + c = 0")).toEqual(["x = (-b + sqrt(-4*a*c + b^2))/(2*a)", "x = (-b - sqrt(-4*a*c + b^2))/(2*a)"]);
    expect(await solve("1/f = 1/u + 1/v", "v")).toEqual(["v = f*u/(-f + u)"]);
    expect(await solve("P*V = n*R*T", "T")).toEqual(["T = P*V/(R*n)"]);
  });

  it("solves systems, linear and not [G3.symbolic_solve]", async () => {
    expect(await solve(["x + y + z = 6", "2*y + 5*z = -4", "2*x + 5*y - z = 27"], "x", "y", "z")).toEqual(["x = 5, y = 3, z = -2"]);
    expect(await solve(["a*x + b*y = 1", "c*x + d*y = 2"], "x", "y")).toEqual(["x = (-2*b + d)/(a*d - b*c), y = (2*a - c)/(a*d - b*c)"]);
    expect(await solve(["x + y = 3", "x*y = 2"], "x", "y")).toEqual(["x = 1, y = 2", "x = 2, y = 1"]);
    expect(await solve(["x + y = 1", "x + y = 2"], "x", "y")).toEqual(["none"]);
    await expect(solve(["x + y = 1", "2*x + 2*y = 2"], "x", "y")).rejects.toThrow("the equations say the same");
    await expect(solve(["x^2 + y^2 = 1", "x^2*y^2 = 1"], "x", "y")).rejects.toThrow("in no equation an unknown stands alone");
  });

  it("counts multiple roots [G3.symbolic_solve]", async () => {
    const { solutions } = await symbolic_solve({ equations: ["(x - 1)^3 * (x + 2) = 0"], variables: ["x"] });
    expect(solutions.map(({ multiplicity, values }) => [values[0]?.text, multiplicity])).toEqual([
      ["-2", 1],
      ["1", 3],
    ]);
  });

  it.each([
    ["x + sin(x) = 1", "stands in x and sin(x) at once"],
    ["a*x^3 + x + 1", "the degree is 3, and the coefficients hold letters"],
    ["x! = 2", "factorials are calculated only"],
    ["x^100 = 1", "powers above 40"],
    ["(x+1)^40*(y+z+a+b)^40 = 1", "too many terms"],
    ["1/0 = x", "division by zero"],
    ["x = = 2", "Cannot read the equation"],
    ["x + ", "a value is missing"],
    ["(1/0.0000001)^40*x^2 = 10^40 * (9^40)^40", "the numbers become too long"],
  ])("gives the reason why it does not solve %s [G3.symbolic_solve]", async (equation, reason) => {
    await expect(solve(equation)).rejects.toThrow(reason);
  });

  it("finds the roots from which a polynomial was built [G3.symbolic_solve]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.integer({ min: -30, max: 30 }), { minLength: 1, maxLength: 5 }), async (roots) => {
        const equation = roots.map((root) => `(x - (${root}))`).join("*");
        expect(await solve(equation)).toEqual(roots.toSorted((left, right) => left - right).map((root) => `x = ${root}`));
      }),
      { numRuns: 60 },
    );
  });
});
