/** Comparisons of JSON values as JSON Schema defines them, each counted. */

import { isJsonArray, isJsonObject, type JsonValue } from "../text/json.ts";

/** Remaining steps of a check. */
export interface StepBudget {
  steps: number;
}

/** Compares deeply; false if the budget ends. */
export function isEqual(a: JsonValue, b: JsonValue, budget: StepBudget): boolean {
  // Counted first, because comparing equal parts takes time too.
  if (--budget.steps <= 0) return false;
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (isJsonArray(a)) return isJsonArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index] ?? null, budget));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key] ?? null, b[key] ?? null, budget))
  );
}

/** Returns a text that two values share exactly if they are equal; the order of keys does not matter. */
export function equalityKey(value: JsonValue, budget: StepBudget): string {
  if (--budget.steps <= 0) return "";
  if (typeof value === "string") budget.steps -= value.length >> 6;
  if (isJsonArray(value)) return `[${value.map((item) => equalityKey(item, budget)).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${equalityKey(value[key] ?? null, budget)}`).join(",")}}`;
}

/** Returns whether `value` is a whole multiple of `unit`, in exact decimal arithmetic: 0.3 is one of 0.1. */
export function isMultiple(value: number, unit: number): boolean {
  const [a, b] = [decimal(value), decimal(unit)];
  const exponent = Math.min(a.exponent, b.exponent);
  return (a.digits * 10n ** BigInt(a.exponent - exponent)) % (b.digits * 10n ** BigInt(b.exponent - exponent)) === 0n;
}

/** The number as it is written: its digits, and a power of ten. */
function decimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
