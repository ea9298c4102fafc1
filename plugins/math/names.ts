/** Reads numbers by name from arguments. */

const MAX_NAMES = 100;
/** Names that an expression can use. */
const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** @throws {Error} if an expression cannot use the name. */
export function requireName(name: string): void {
  if (!NAME.test(name))
    throw new Error(`Cannot calculate: invalid variable name ${JSON.stringify(name)} (begin with a letter; use letters, digits and _)`);
}

/** Returns a map, so that no expression can name what objects inherit. */
export function readNumbers(given: Readonly<Record<string, unknown>>): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const [name, value] of readEntries(given)) {
    if (typeof value !== "number" || !Number.isFinite(value))
      throw new Error(`Cannot calculate: the variable "${name}" is ${JSON.stringify(value)}, not a finite number`);
    numbers.set(name, value);
  }
  return numbers;
}

/** Reads the parameters of each variable: objects whose members are numbers. */
export function readRecords(given: Readonly<Record<string, unknown>>): ReadonlyMap<string, ReadonlyMap<string, unknown>> {
  const records = new Map<string, ReadonlyMap<string, unknown>>();
  for (const [name, value] of readEntries(given)) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new Error(`Cannot calculate: the value of "${name}" is ${JSON.stringify(value)}, not an object`);
    records.set(name, new Map(Object.entries(value)));
  }
  return records;
}

/** @throws {Error} if the number is missing or not finite. */
export function numberIn(record: ReadonlyMap<string, unknown>, member: string, variable: string): number {
  const value = record.get(member);
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const found = value === undefined ? "it is missing" : `it is ${JSON.stringify(value)}`;
  throw new Error(`Cannot calculate: "${member}" of the variable "${variable}" must be a finite number, and ${found}`);
}

/** @throws {Error} if the number is given and not finite. */
export function optionalNumberIn(record: ReadonlyMap<string, unknown>, member: string, variable: string): number | undefined {
  return record.has(member) ? numberIn(record, member, variable) : undefined;
}

function readEntries(given: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  const entries = Object.entries(given);
  if (entries.length > MAX_NAMES) throw new Error(`Cannot calculate: there are ${entries.length} variables, more than ${MAX_NAMES}`);
  for (const [name] of entries) requireName(name);
  return entries;
}
