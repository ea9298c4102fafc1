/** The tool that integrates ordinary differential equations. */

import type { SolveOdeArgs, SolveOdeOutput } from "./bascule.d.ts";
import { compileExpression } from "./compile.ts";
import { dormandPrince } from "./dormand-prince.ts";
import { readNumbers, requireName } from "./names.ts";

const MAX_EQUATIONS = 20;
const DEFAULT_POINTS = 20;
const DEFAULT_TOLERANCE = 1e-6;
const MAX_STEPS = 20_000;

/** Integrates x' = f(t, x, …) from one time to another. */
export async function solve_ode(args: SolveOdeArgs): Promise<SolveOdeOutput> {
  const names = Object.keys(args.equations);
  if (names.length === 0 || names.length > MAX_EQUATIONS) throw new Error(`Give 1 to ${MAX_EQUATIONS} equations, not ${names.length}`);
  const constants = readNumbers(args.constants ?? {});
  const initial = readNumbers(args.initial);
  const slopes = names.map((name) => {
    requireName(name);
    const text = args.equations[name];
    if (typeof text !== "string") throw new Error(`The equation of "${name}" is not an expression`);
    return compileExpression(text, ["t", ...names, ...constants.keys()]);
  });
  const start = names.map((name) => {
    const value = initial.get(name);
    if (value === undefined) throw new Error(`"${name}" has no initial value`);
    return value;
  });
  const unknown = [...initial.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`"${unknown}" has an initial value but no equation`);
  const fixed = [...constants.values()];
  const points = args.points ?? DEFAULT_POINTS;
  const tolerance = args.tolerance ?? DEFAULT_TOLERANCE;
  const { from, to } = args;
  const times = Array.from({ length: points }, (_, index) => (index === points - 1 ? to : from + ((to - from) * (index + 1)) / points));
  const { states, steps, evaluations } = dormandPrince((t, state) => slopes.map((slope) => slope([t, ...state, ...fixed])), start, {
    ...{ from, times, relative: tolerance, absolute: tolerance * 1e-3, maxSteps: MAX_STEPS },
  });
  return {
    points: [
      { t: from, values: toRecord(names, start) },
      ...states.map((state, index) => ({ t: times[index] ?? to, values: toRecord(names, state) })),
    ],
    ...{ steps, evaluations },
  };
}

function toRecord(names: readonly string[], state: readonly number[]): Record<string, number> {
  return Object.fromEntries(names.map((name, index) => [name, state[index] ?? 0]));
}
