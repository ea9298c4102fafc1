/**
 * The method of Dormand and Prince of order 5(4), with adaptive step size and dense output (Hairer, Nørsett and Wanner, "Solving
 * Ordinary Differential Equations I", 2nd edition, II.4 to II.6, program DOPRI5).
 */

type State = readonly number[];
type Slope = (t: number, state: State) => readonly number[];

interface Options {
  readonly from: number;
  /** Times at which the state is wanted, in order of integration. */
  readonly times: readonly number[];
  readonly relative: number;
  readonly absolute: number;
  readonly maxSteps: number;
}

interface Solution {
  readonly states: readonly State[];
  readonly steps: number;
  readonly evaluations: number;
}

const NODES = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1];
const STAGES: readonly (readonly number[])[] = [
  [],
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
/** Coefficients of the error estimate: the difference of both orders. */
const ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];
/** Coefficients of the dense output, of order 4. */
const BETWEEN = [
  -12715105075 / 11282082432,
  0,
  87487479700 / 32700410799,
  -10690763975 / 1880347072,
  701980252875 / 199316789632,
  -1453857185 / 822651844,
  69997945 / 29380423,
];

/** @throws {Error} with the time at which the solution diverges, or at which steps become too small or too many. */
export function dormandPrince(slope: Slope, start: State, options: Options): Solution {
  const { from, times, maxSteps } = options;
  const end = times.at(-1) ?? from;
  const forward = end >= from ? 1 : -1;
  let t = from;
  let state: State = start;
  let first = slope(t, state);
  let [steps, evaluations] = [0, 1];
  if (first.some(Number.isNaN)) throw new Error(`Cannot integrate: the equations have no value at the beginning, t = ${from}`);
  let size = Math.min(Math.abs(end - from), firstSize(first, state, options)) * forward;
  const states: State[] = [];
  const isDue = (reached: number): boolean => {
    const next = times[states.length];
    return next !== undefined && (reached - next) * forward >= 0;
  };
  while (isDue(t)) states.push(state);
  while (states.length < times.length) {
    if (steps++ >= maxSteps)
      throw new Error(
        `Cannot integrate: more than ${maxSteps} steps up to t = ${t} (stiff equations need other methods; try a greater tolerance)`,
      );
    if (Math.abs(size) <= 4 * Number.EPSILON * Math.max(Math.abs(t), Number.MIN_VALUE))
      throw new Error(`Cannot integrate beyond t = ${t}: steps become too small (the solution probably diverges there)`);
    if ((t + size - end) * forward > 0) size = end - t;
    const stages = allStages(slope, t, state, { first, size });
    evaluations += 6;
    const last = stages[6] ?? [];
    const next = combined(state, stages, STAGES[6] ?? [], size);
    const error = errorOf(state, next, combined([], stages, ERROR, size), options);
    if (error <= 1) {
      const reached = size === end - t ? end : t + size;
      while (isDue(reached)) states.push(between({ t, size, state, next, stages }, times[states.length] ?? reached));
      [t, state, first] = [reached, next, last];
    }
    // NaN and infinity: halve the step.
    size *= Number.isFinite(error) ? Math.min(5, Math.max(0.2, 0.9 * Math.max(error, 1e-10) ** -0.2)) : 0.1;
  }
  return { states, steps, evaluations };
}

/** Initial step: a straight line would change the state by a hundredth. */
function firstSize(first: State, state: State, options: Options): number {
  const scale = norm(state, state, state, options);
  const change = norm(first, state, state, options);
  return scale < 1e-5 || change < 1e-5 ? 1e-6 : (0.01 * scale) / change;
}

interface Begun {
  readonly first: State;
  readonly size: number;
}

function allStages(slope: Slope, t: number, state: State, { first, size }: Begun): readonly State[] {
  const stages: State[] = [first];
  for (let index = 1; index < 7; index++)
    stages.push(slope(t + (NODES[index] ?? 0) * size, combined(state, stages, STAGES[index] ?? [], size)));
  return stages;
}

/** Adds multiples of the stages to the state. */
function combined(state: State, stages: readonly State[], weights: readonly number[], size: number): State {
  return (stages[0] ?? []).map((_, at) => {
    let sum = 0;
    for (const [index, weight] of weights.entries()) sum += weight * (stages[index]?.[at] ?? 0);
    return (state[at] ?? 0) + size * sum;
  });
}

function errorOf(before: State, after: State, difference: State, options: Options): number {
  return norm(difference, before, after, options);
}

/** Returns the mean square of the components, each in units of its tolerance. */
function norm(values: State, before: State, after: State, { absolute, relative }: Options): number {
  const sum = values.reduce((total, value, at) => {
    const scale = absolute + relative * Math.max(Math.abs(before[at] ?? 0), Math.abs(after[at] ?? 0));
    return total + (value / scale) ** 2;
  }, 0);
  return Math.sqrt(sum / values.length);
}

interface Step {
  readonly t: number;
  readonly size: number;
  readonly state: State;
  readonly next: State;
  readonly stages: readonly State[];
}

function between({ t, size, state, next, stages }: Step, wanted: number): State {
  const share = (wanted - t) / size;
  if (share >= 1) return next;
  const rest = 1 - share;
  return state.map((before, at) => {
    const difference = (next[at] ?? 0) - before;
    const begin = size * (stages[0]?.[at] ?? 0) - difference;
    const finish = difference - size * (stages[6]?.[at] ?? 0) - begin;
    let more = 0;
    for (const [index, weight] of BETWEEN.entries()) more += weight * (stages[index]?.[at] ?? 0);
    return before + share * (difference + rest * (begin + share * (finish + rest * size * more)));
  });
}
