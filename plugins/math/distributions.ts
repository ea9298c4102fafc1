/** Distributions that a variable can be drawn from, by name. */

import { numberIn } from "./names.ts";
import type { Random } from "./random.ts";

type Draw = (random: Random) => number;
type Given = ReadonlyMap<string, unknown>;

/** Maximum mean: above it the product in Knuth's method underflows to 0. */
const MAX_POISSON_MEAN = 500;
const MAX_CHOICES = 1_000;

/** Samplers by distribution. Each checks its parameters once, before the first draw. */
const DISTRIBUTIONS: ReadonlyMap<string, (given: Given, name: string) => Draw> = new Map([
  ["normal", normal],
  ["lognormal", lognormal],
  ["uniform", uniform],
  ["triangular", triangular],
  ["exponential", exponential],
  ["bernoulli", bernoulli],
  ["poisson", poisson],
  ["choice", choice],
]);

/** @throws {Error} for an unknown distribution or a wrong parameter. */
export function drawFrom(name: string, given: Given): Draw {
  const wanted = given.get("distribution");
  const make = typeof wanted === "string" ? DISTRIBUTIONS.get(wanted) : undefined;
  if (make === undefined)
    throw new Error(
      `Cannot draw "${name}" from ${JSON.stringify(wanted ?? null)} (distributions are ${[...DISTRIBUTIONS.keys()].join(", ")})`,
    );
  return make(given, name);
}

function normal(given: Given, name: string): Draw {
  const mean = numberIn(given, "mean", name);
  const deviation = atLeast(0, "sd", given, name);
  return (random) => mean + deviation * random.normal();
}

/** Mean and deviation are those of the logarithm. */
function lognormal(given: Given, name: string): Draw {
  const draw = normal(given, name);
  return (random) => Math.exp(draw(random));
}

function uniform(given: Given, name: string): Draw {
  const [min, max] = range(given, name);
  return (random) => min + (max - min) * random.uniform();
}

function triangular(given: Given, name: string): Draw {
  const [min, max] = range(given, name);
  const mode = numberIn(given, "mode", name);
  if (mode < min || mode > max) throw new Error(`Cannot draw "${name}": its mode ${mode} is not between ${min} and ${max}`);
  const split = max === min ? 0 : (mode - min) / (max - min);
  return (random) => {
    const share = random.uniform();
    if (share < split) return min + Math.sqrt(share * (max - min) * (mode - min));
    return max - Math.sqrt((1 - share) * (max - min) * (max - mode));
  };
}

function exponential(given: Given, name: string): Draw {
  const rate = numberIn(given, "rate", name);
  if (rate <= 0) throw new Error(`Cannot draw "${name}": its rate ${rate} is not above 0`);
  return (random) => -Math.log1p(-random.uniform()) / rate;
}

function bernoulli(given: Given, name: string): Draw {
  const share = atLeast(0, "p", given, name);
  if (share > 1) throw new Error(`Cannot draw "${name}": its p ${share} is above 1`);
  return (random) => (random.uniform() < share ? 1 : 0);
}

/** Knuth's method. */
function poisson(given: Given, name: string): Draw {
  const mean = atLeast(0, "mean", given, name);
  if (mean > MAX_POISSON_MEAN)
    throw new Error(`Cannot draw "${name}": its mean ${mean} is above ${MAX_POISSON_MEAN} (take a normal distribution)`);
  const limit = Math.exp(-mean);
  return (random) => {
    let count = 0;
    for (let product = random.uniform(); product > limit; product *= random.uniform()) count += 1;
    return count;
  };
}

function choice(given: Given, name: string): Draw {
  const values = given.get("values");
  const isList = Array.isArray(values) && values.length > 0 && values.length <= MAX_CHOICES;
  if (!isList || !values.every((value): value is number => typeof value === "number"))
    throw new Error(`Cannot draw "${name}": "values" must be a list of 1 to ${MAX_CHOICES} numbers`);
  return (random) => values[Math.floor(random.uniform() * values.length)] ?? 0;
}

function range(given: Given, name: string): readonly [min: number, max: number] {
  const [min, max] = [numberIn(given, "min", name), numberIn(given, "max", name)];
  if (min > max) throw new Error(`Cannot draw "${name}": its min ${min} is above its max ${max}`);
  return [min, max];
}

function atLeast(least: number, member: string, given: Given, name: string): number {
  const value = numberIn(given, member, name);
  if (value < least) throw new Error(`Cannot draw "${name}": its ${member} ${value} is below ${least}`);
  return value;
}
