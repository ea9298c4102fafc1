/** Parses times on the command line: ISO 8601, or an age. */

import { usageError } from "./cli-error.ts";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns milliseconds since the epoch. @param name of the option, for the message @throws {CliError} if `written` is neither */
export function readTime(name: string, written: string, now: number): number {
  const [, amount, unit = ""] = /^(\d{1,9})([smhd])$/u.exec(written) ?? [];
  const time = amount === undefined ? Date.parse(written) : now - Number(amount) * (UNITS[unit] ?? 0);
  if (Number.isNaN(time))
    throw usageError(`Option "--${name}" must be a time such as 2026-11-20T08:00Z, or an age such as 12h, not "${written}"`);
  return time;
}
