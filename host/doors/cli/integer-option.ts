/** Reads options that are integers. */

import type { Options } from "./arguments.ts";
import { usageError } from "./cli-error.ts";

/** Returns the option's value; undefined if it is absent. @throws {CliError} if it is not an integer from `least` to `most` */
export function integerOption(options: Options, name: string, least: number, most: number): number | undefined {
  const written = options.value(name);
  if (written === undefined) return undefined;
  const number = Number(written);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw usageError(`Option "--${name}" must be an integer ${range}, not "${written}"`);
}
