/** Reads numbers by name, as arguments give them. */

const MAX_NAMES = 100;
/** What an expression can name. */
const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** @throws {Error} if it cannot be named in an expression. */
export function requireName(name: string): void {
  if (!NAME.test(name))
    throw new Error(
      `Cannot calculate: a variable cannot be called ${JSON.stringify(name)} (begin with a letter; use letters, digits and _)`,
    );
}

/** A map, so that no expression can name what objects inherit. */
export function readNumbers(given: Readonly<Record<string, unknown>>): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const [name, value] of readEntries(given)) {
    if (typeof value !== "number" || !Number.isFinite(value))
      throw new Error(`Cannot calculate: the variable "${name}" is ${JSON.stringify(value)}, not a finite number`);
    numbers.set(name, value);
  }
  return numbers;
}

/** What is given for each variable: an object whose members are numbers. */
export function readRecords(given: Readonly<Record<string, unknown>>): ReadonlyMap<string, ReadonlyMap<string, unknown>> {
  const records = new Map<string, ReadonlyMap<string, unknown>>();
  for (const [name, value] of readEntries(given)) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new Error(`Cannot calculate: what is given for "${name}" is ${JSON.stringify(value)}, not an object`);
    records.set(name, new Map(Object.entries(value)));
  }
  return records;
}

/** @throws {Error} if there is none, or it is no finite number. */
export function numberIn(record: ReadonlyMap<string, unknown>, member: string, variable: string): number {
  const value = record.get(member);
  if (typeof value === "number" && Number.isFinite(value)) return value;
  const found = value === undefined ? "there is none" : `it is ${JSON.stringify(value)}`;
  throw new Error(`Cannot calculate: "${member}" of the variable "${variable}" has to be a finite number, and ${found}`);
}

/** @throws {Error} if it is given and no finite number. */
export function optionalNumberIn(record: ReadonlyMap<string, unknown>, member: string, variable: string): number | undefined {
  return record.has(member) ? numberIn(record, member, variable) : undefined;
}

function readEntries(given: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  const entries = Object.entries(given);
  if (entries.length > MAX_NAMES) throw new Error(`Cannot calculate: there are ${entries.length} variables, more than ${MAX_NAMES}`);
  for (const [name] of entries) requireName(name);
  return entries;
}
