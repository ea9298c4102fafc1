import { describe, expect, it } from "vitest";
import { compileExpression } from "../../plugins/math/compile.ts";
import {
  bayesopt,
  calculate,
  matrix_eigenvalues,
  matrix_solve,
  matrix_svd,
  mcmc,
  monte_carlo,
  optimize,
  solve_ode,
} from "../../plugins/math/main.ts";

/** NIST StRD, linear regression, data set Norris (y, x). */
const NORRIS = [
  [0.1, 0.2],
  [338.8, 337.4],
  [118.1, 118.2],
  [888.0, 884.6],
  [9.2, 10.1],
  [228.1, 226.5],
  [668.5, 666.3],
  [998.5, 996.3],
  [449.1, 448.6],
  [778.9, 777.0],
  [559.2, 558.2],
  [0.3, 0.4],
  [0.1, 0.6],
  [778.1, 775.5],
  [668.8, 666.9],
  [339.3, 338.0],
  [448.9, 447.5],
  [10.8, 11.6],
  [557.7, 556.0],
  [228.3, 228.1],
  [998.0, 995.8],
  [888.8, 887.6],
  [119.6, 120.2],
  [0.3, 0.3],
  [0.6, 0.3],
  [557.6, 556.8],
  [339.3, 339.1],
  [888.0, 887.2],
  [998.5, 999.0],
  [778.9, 779.0],
  [10.2, 11.1],
  [117.6, 118.3],
  [228.9, 229.2],
  [668.4, 669.1],
  [449.2, 448.9],
  [0.2, 0.5],
] as const;

const HILBERT = Array.from({ length: 5 }, (_, row) => Array.from({ length: 5 }, (__, column) => 1 / (row + column + 1)));

describe("compileExpression()", () => {
  it.each(["2 + 3 * 4 ^ 2", "-2^2 + 7 % 4 - 3!", "max(1, hypot(3, 4), x) / y", "1 - 2 - 3 - x", "2^3^2 × π ÷ phi − ln(y)"])(
    "has the value of calculate for %s [G3.calculate]",
    async (expression) => {
      const { result } = await calculate({ expression, variables: { x: 6, y: 0.5 } });
      expect(compileExpression(expression, ["x", "y"])([6, 0.5])).toBe(result);
    },
  );

  it("takes a long sum, shadows constants, and points at errors [G3.calculate]", () => {
    expect(compileExpression(`e${"+1".repeat(2_000)}`, ["e"])([5])).toBe(2_005);
    expect(compileExpression("0 / x", ["x"])([0])).toBeNaN();
    expect(() => compileExpression("x + zz", ["x"])).toThrow('at character 5: unknown name "zz" (there are x, ');
    expect(() => compileExpression("x(2)", ["x"])).toThrow("a value is not a function");
  });
});

describe("matrices", () => {
  it("fit NIST's line to Norris' data [G3.matrix_solve]", async () => {
    const fit = await matrix_solve({ matrix: NORRIS.map(([, x]) => [1, x]), right: NORRIS.map(([y]) => y) });
    expect(fit).toMatchObject({ kind: "least squares", rank: 2 });
    expect(fit.solution[0]).toBeCloseTo(-0.262323073774029, 10);
    expect(fit.solution[1]).toBeCloseTo(1.00211681802045, 12);
    // Certified residual standard deviation, of 34 degrees of freedom.
    expect(fit.residual / Math.sqrt(34)).toBeCloseTo(0.884796396144373, 10);
  });

  it("solve exactly, with the shortest vector, and report the condition [G3.matrix_solve]", async () => {
    const exact = await matrix_solve({
      matrix: [
        [2, 1],
        [1, 3],
      ],
      right: [3, 5],
    });
    expect(exact.solution.map((value) => Number(value.toPrecision(12)))).toEqual([0.8, 1.4]);
    expect(exact).toMatchObject({ kind: "exact", rank: 2 });
    expect(exact.determinant).toBeCloseTo(5, 12);
    const shortest = await matrix_solve({
      matrix: [
        [1, 1],
        [2, 2],
      ],
      right: [2, 4],
    });
    expect(shortest).toMatchObject({ kind: "least squares, least norm", rank: 1 });
    expect(shortest.solution[0]).toBeCloseTo(1, 12);
    await expect(matrix_solve({ matrix: [[1, 2], [3]], right: [1, 2] })).rejects.toThrow("Row 2 has 1 values, and the first has 2");
    await expect(matrix_solve({ matrix: [[1]], right: [1, 2] })).rejects.toThrow("The right side has 2 values, and the matrix 1 rows");
  });

  it("have the singular values and the condition of textbooks [G3.matrix_svd]", async () => {
    // Condition of Hilbert's matrix of order 5: 4.766e5 (Higham, "Accuracy and Stability of Numerical Algorithms", 28.1).
    expect((await matrix_svd({ matrix: HILBERT })).condition).toBeCloseTo(476_607.25, 0);
    const {
      singularValues,
      u = [],
      v = [],
    } = await matrix_svd({
      matrix: [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      vectors: true,
    });
    // sqrt(91 ± sqrt(8185)) / sqrt(2), from the eigenvalues of A* A.
    expect(singularValues[0]).toBeCloseTo(Math.sqrt((91 + Math.sqrt(8_185)) / 2), 12);
    expect(singularValues[1]).toBeCloseTo(Math.sqrt((91 - Math.sqrt(8_185)) / 2), 12);
    const back = u.map((row) =>
      [0, 1].map((column) => row.reduce((sum, value, at) => sum + value * (singularValues[at] ?? 0) * (v[column]?.[at] ?? 0), 0)),
    );
    for (const [row, values] of [
      [1, 2],
      [3, 4],
      [5, 6],
    ].entries())
      for (const [column, value] of values.entries()) expect(back[row]?.[column]).toBeCloseTo(value, 12);
    expect(
      await matrix_svd({
        matrix: [
          [1, 2, 3],
          [2, 4, 6],
        ],
      }),
    ).toMatchObject({ rank: 1 });
  });

  it("have real and complex eigenvalues, with vectors of the real ones [G3.matrix_eigenvalues]", async () => {
    expect(
      (
        await matrix_eigenvalues({
          matrix: [
            [0, -1],
            [1, 0],
          ],
          vectors: true,
        })
      ).values,
    ).toEqual([
      { re: 0, im: 1 },
      { re: 0, im: -1 },
    ]);
    const { values } = await matrix_eigenvalues({
      matrix: [
        [2, 0, 0],
        [0, 3, 4],
        [0, 4, 9],
      ],
      vectors: true,
    });
    expect(values.map(({ re }) => Number(re.toPrecision(12)))).toEqual([11, 2, 1]);
    for (const [index, part] of [0, 1 / Math.sqrt(5), 2 / Math.sqrt(5)].entries()) expect(values[0]?.vector?.[index]).toBeCloseTo(part, 12);
    await expect(matrix_eigenvalues({ matrix: [[1, 2]] })).rejects.toThrow("Only square matrices have eigenvalues, and this one is 1 by 2");
  });
});

describe("solve_ode()", () => {
  it("returns to the start of Arenstorf's orbit after its period [G3.solve_ode]", async () => {
    // Hairer, Nørsett and Wanner, "Solving Ordinary Differential Equations I", II.0.
    const [m, period] = [0.012277471, 17.06521656015796];
    const { points } = await solve_ode({
      equations: {
        x: "u",
        y: "v",
        u: "x + 2*v - n*(x + m)/((x + m)^2 + y^2)^1.5 - m*(x - n)/((x - n)^2 + y^2)^1.5",
        v: "y - 2*u - n*y/((x + m)^2 + y^2)^1.5 - m*y/((x - n)^2 + y^2)^1.5",
      },
      constants: { m, n: 1 - m },
      initial: { x: 0.994, y: 0, u: 0, v: -2.0015851063790824 },
      ...{ from: 0, to: period, points: 2, tolerance: 1e-11 },
    });
    expect(points.at(-1)?.values["x"]).toBeCloseTo(0.994, 4);
    expect(points.at(-1)?.values["y"]).toBeCloseTo(0, 4);
    expect(Math.hypot(Number(points[1]?.values["x"]), Number(points[1]?.values["y"]))).toBeGreaterThan(1);
  });

  it("is as exact between steps as at steps, and integrates backward [G3.solve_ode]", async () => {
    const { points, steps } = await solve_ode({
      equations: { x: "v", v: "-x" },
      initial: { x: 0, v: 1 },
      from: 0,
      to: 10,
      points: 200,
      tolerance: 1e-8,
    });
    expect(steps).toBeLessThan(200);
    for (const { t, values } of points) expect(Number(values["x"])).toBeCloseTo(Math.sin(t), 6);
    const back = await solve_ode({ equations: { x: "x" }, initial: { x: Math.E }, from: 1, to: 0, points: 1 });
    expect(Number(back.points.at(-1)?.values["x"])).toBeCloseTo(1, 5);
  });

  it("reports where a solution diverges, and missing values [G3.solve_ode]", async () => {
    await expect(solve_ode({ equations: { x: "x^2" }, initial: { x: 1 }, from: 0, to: 2 })).rejects.toThrow(
      /^Cannot integrate beyond t = (?:0\.99999|1)/u,
    );
    await expect(solve_ode({ equations: { x: "1" }, initial: {}, from: 0, to: 1 })).rejects.toThrow('"x" has no initial value');
  });
});

describe("optimize()", () => {
  it.each([
    ["Rosenbrock", "(1 - x)^2 + 100*(y - x^2)^2", { x: -1.2, y: 1 }, { x: 1, y: 1 }],
    ["Beale", "(1.5 - x + x*y)^2 + (2.25 - x + x*y^2)^2 + (2.625 - x + x*y^3)^2", { x: 1, y: 1 }, { x: 3, y: 0.5 }],
    ["Himmelblau", "(x^2 + y - 11)^2 + (x + y^2 - 7)^2", { x: 1, y: 1 }, { x: 3, y: 2 }],
    ["a parabola in one variable", "(x - 0.25)^2 + 3", { x: 10 }, { x: 0.25 }],
  ])("finds the minimum of %s [G3.optimize]", async (_name, objective, start, wanted) => {
    const variables = Object.fromEntries(Object.entries(start).map(([name, value]) => [name, { start: value }]));
    const { values, converged } = await optimize({ objective, variables });
    expect(converged).toBe(true);
    for (const [name, value] of Object.entries(wanted)) expect(Number(values[name])).toBeCloseTo(value, 4);
  });

  it("keeps within bounds, maximizes, and reports that it was stopped [G3.optimize]", async () => {
    const bounded = await optimize({
      objective: "x + y",
      goal: "maximize",
      variables: { x: { start: 0, max: 2 }, y: { start: 0, min: -1, max: 1 } },
    });
    expect(bounded).toMatchObject({ values: { x: 2, y: 1 }, objective: 3 });
    expect(
      await optimize({ objective: "(1 - x)^2 + 100*(y - x^2)^2", variables: { x: { start: -9 }, y: { start: 9 } }, maxEvaluations: 20 }),
    ).toMatchObject({ converged: false });
    await expect(optimize({ objective: "ln(x)", variables: { x: { start: -1 } } })).rejects.toThrow("not a finite number at the start");
  });
});

describe("sampling", () => {
  it("prices a call as Black and Scholes do, reproducibly for a seed [G3.monte_carlo]", async () => {
    const args = {
      expression: "exp(-0.05) * max(0, 100 * exp(0.03 + 0.2*z) - 100)",
      variables: { z: { distribution: "normal", mean: 0, sd: 1 } },
      samples: 100_000,
      above: 0,
    };
    const outcome = await monte_carlo(args);
    const [mean, error] = [outcome.mean ?? 0, outcome.standardError ?? 0];
    expect(error).toBeLessThan(0.06);
    expect(Math.abs(mean - 10.450583572185565)).toBeLessThan(4 * error);
    // N(d2) with d2 = 0.15.
    expect(outcome.shareAbove).toBeCloseTo(0.5596, 2);
    expect(await monte_carlo(args)).toEqual(outcome);
    expect((await monte_carlo({ ...args, seed: 1 })).mean).not.toBe(mean);
  });

  it.each([
    ["uniform", { min: 2, max: 4 }, 3, 1 / 3],
    ["triangular", { min: 0, mode: 3, max: 6 }, 3, 1.5],
    ["exponential", { rate: 2 }, 0.5, 0.25],
    ["bernoulli", { p: 0.3 }, 0.3, 0.21],
    ["poisson", { mean: 4 }, 4, 4],
    ["lognormal", { mean: 0, sd: 0.5 }, Math.exp(0.125), (Math.exp(0.25) - 1) * Math.exp(0.25)],
    ["choice", { values: [1, 2, 6] }, 3, 14 / 3],
  ])("has the mean and variance of the %s distribution [G3.monte_carlo]", async (distribution, given, mean, variance) => {
    const outcome = await monte_carlo({ expression: "x", variables: { x: { distribution, ...given } }, samples: 40_000 });
    expect(Math.abs((outcome.mean ?? 0) - mean)).toBeLessThan(4.5 * (outcome.standardError ?? 0));
    expect((outcome.standardDeviation ?? 0) ** 2 / variance).toBeCloseTo(1, 1);
  });

  it("finds the posterior of a conjugate model [G3.mcmc]", async () => {
    // Beta(1, 1) prior and 7 of 10: Beta(8, 4), mean 2/3, variance 32 / (144 * 13).
    const { variables } = await mcmc({
      logDensity: "7*ln(p) + 3*ln(1 - p)",
      variables: { p: { start: 0.5, min: 0, max: 1 } },
      samples: 8_000,
    });
    const [p] = variables;
    expect(Math.abs((p?.mean ?? 0) - 2 / 3)).toBeLessThan(4.5 * (p?.standardError ?? 0));
    expect(((p?.standardDeviation ?? 0) ** 2 * 144 * 13) / 32).toBeCloseTo(1, 1);
    expect(p?.rHat).toBeLessThan(1.01);
    expect(p?.effectiveSamples).toBeGreaterThan(1_000);
  });

  it("adds the term of each row of data [G3.mcmc]", async () => {
    // Flat prior, known deviation 1: the posterior is normal around the mean of the data, with deviation 1 / sqrt(4).
    const data = [1, 2, 3, 6].map((y) => ({ y }));
    const { variables } = await mcmc({ logDensity: "0", perRow: "-(y - m)^2 / 2", data, variables: { m: { start: 0 } }, samples: 4_000 });
    expect(Math.abs((variables[0]?.mean ?? 0) - 3)).toBeLessThan(4.5 * (variables[0]?.standardError ?? 0));
    expect(variables[0]?.standardDeviation).toBeCloseTo(0.5, 1);
    await expect(mcmc({ logDensity: "ln(x)", variables: { x: { start: -1 } } })).rejects.toThrow("The density at the start is 0");
  });
});

describe("bayesopt()", () => {
  it("finds Forrester's minimum in fifteen evaluations, and Branin's in forty [G3.bayesopt]", async () => {
    // Forrester, Sóbester and Keane, "Engineering Design via Surrogate Modelling", 2008: -6.02074 at 0.757249.
    const forrester = await bayesopt({ variables: { x: { min: 0, max: 1 } }, objective: "(6*x - 2)^2 * sin(12*x - 4)", iterations: 15 });
    expect(forrester.best?.objective).toBeLessThan(-6);
    expect(Number(forrester.best?.values["x"])).toBeCloseTo(0.757249, 1);
    const branin = await bayesopt({
      variables: { x: { min: -5, max: 10 }, y: { min: 0, max: 15 } },
      objective: "(y - 5.1*x^2/(4*pi^2) + 5*x/pi - 6)^2 + 10*(1 - 1/(8*pi))*cos(x) + 10",
      iterations: 40,
    });
    expect(branin.best?.objective).toBeLessThan(0.397887 + 0.05);
  });

  it("suggests a point within the range, better with more observations [G3.bayesopt]", async () => {
    const variables = { x: { min: 10, max: 20 } };
    const first = await bayesopt({ variables, goal: "maximize" });
    expect(first).toMatchObject({ observations: 0 });
    const observations = [11, 13, 15.5, 18, 19.5].map((x) => ({ values: { x }, objective: -((x - 16) ** 2) }));
    const next = await bayesopt({ variables, goal: "maximize", observations });
    expect(next.best).toMatchObject({ objective: -0.25 });
    expect(Number(next.suggestion["x"])).toBeGreaterThan(15.5);
    expect(Number(next.suggestion["x"])).toBeLessThan(17);
    expect(await bayesopt({ variables, goal: "maximize", observations })).toEqual(next);
    await expect(bayesopt({ variables, objective: "x" })).rejects.toThrow('Give "objective" and "iterations" together');
  });
});
