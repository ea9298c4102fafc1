/**
 * The simplex search of Nelder and Mead (1965), with coefficients that depend on the number of variables (Gao and Han,
 * "Implementing the Nelder-Mead simplex algorithm with adaptive parameters", 2012). It needs values only, no derivatives.
 *
 * Restarts from the best point until a restart gains nothing, because a simplex can collapse before it reaches the minimum.
 */

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

interface Options {
  readonly bounds: readonly Bounds[];
  /** Relative tolerance, for the value and for the size of the simplex. */
  readonly tolerance: number;
  readonly maxEvaluations: number;
}

export interface Minimum {
  readonly place: readonly number[];
  readonly value: number;
  readonly converged: boolean;
  readonly evaluations: number;
}

interface Corner {
  readonly place: readonly number[];
  readonly value: number;
}

const MAX_RESTARTS = 10;

/** Values that are not a number count as infinite. */
export function minimize(value: (place: readonly number[]) => number, start: readonly number[], options: Options): Minimum {
  let evaluations = 0;
  const at = (place: readonly number[]): Corner => {
    evaluations += 1;
    const within = place.map((part, index) => clamp(part, options.bounds[index]));
    const found = value(within);
    return { place: within, value: Number.isNaN(found) ? Number.POSITIVE_INFINITY : found };
  };
  const isSpent = (): boolean => evaluations >= options.maxEvaluations;
  let best = at(start);
  if (!Number.isFinite(best.value)) throw new Error("Cannot optimize: the objective is not a finite number at the start (start elsewhere)");
  let converged = false;
  for (let round = 0; round < MAX_RESTARTS && !converged && !isSpent(); round++) {
    const found = descend(at, best, { ...options, isSpent, share: 0.1 / (round + 1) });
    const gain = best.value - found.value;
    best = found.value < best.value ? found : best;
    converged = !isSpent() && round > 0 && gain <= options.tolerance * Math.max(1e-12, Math.abs(best.value));
  }
  return { ...best, converged, evaluations };
}

interface Descent extends Options {
  readonly isSpent: () => boolean;
  /** Distance of the first corners from the start, as a share of it. */
  readonly share: number;
}

function descend(at: (place: readonly number[]) => Corner, from: Corner, { bounds, tolerance, isSpent, share }: Descent): Corner {
  const dimensions = from.place.length;
  const [expand, contract, shrink] = [1 + 2 / dimensions, 0.75 - 1 / (2 * dimensions), dimensions === 1 ? 0.5 : 1 - 1 / dimensions];
  let corners: readonly Corner[] = [from, ...from.place.map((_, index) => at(moved(from.place, index, bounds[index], share)))];
  for (;;) {
    corners = corners.toSorted((left, right) => left.value - right.value);
    const [best, worst] = [corners[0] ?? from, corners.at(-1) ?? from];
    if (isSpent() || isSmall(corners, best, worst, tolerance)) return best;
    const center = from.place.map((_, index) => corners.slice(0, -1).reduce((sum, { place }) => sum + (place[index] ?? 0), 0) / dimensions);
    const along = (far: number): Corner => at(center.map((part, index) => part + far * (part - (worst.place[index] ?? 0))));
    const reflected = along(1);
    const second = corners.at(-2) ?? best;
    let next: Corner | undefined;
    if (reflected.value < best.value) {
      const expanded = along(expand);
      next = expanded.value < reflected.value ? expanded : reflected;
    } else if (reflected.value < second.value) next = reflected;
    else {
      const contracted = along(reflected.value < worst.value ? contract : -contract);
      if (contracted.value < Math.min(reflected.value, worst.value)) next = contracted;
    }
    corners =
      next === undefined
        ? [best, ...corners.slice(1).map(({ place }) => at(place.map((part, index) => mixed(best.place[index] ?? 0, part, shrink))))]
        : [...corners.slice(0, -1), next];
  }
}

/** Steps away from a near bound. */
function moved(place: readonly number[], index: number, bounds: Bounds | undefined, share: number): readonly number[] {
  return place.map((part, at) => {
    if (at !== index) return part;
    const step = share * Math.max(Math.abs(part), 0.1);
    return part + step > (bounds?.max ?? Number.POSITIVE_INFINITY) ? part - step : part + step;
  });
}

function isSmall(corners: readonly Corner[], best: Corner, worst: Corner, tolerance: number): boolean {
  if (!(worst.value - best.value <= tolerance * Math.max(1e-12, Math.abs(best.value)))) return false;
  return corners.every(({ place }) =>
    place.every((part, index) => Math.abs(part - (best.place[index] ?? 0)) <= Math.sqrt(tolerance) * Math.max(1e-6, Math.abs(part))),
  );
}

function clamp(value: number, bounds: Bounds | undefined): number {
  return bounds === undefined ? value : Math.min(bounds.max, Math.max(bounds.min, value));
}

function mixed(from: number, to: number, share: number): number {
  return from + share * (to - from);
}
