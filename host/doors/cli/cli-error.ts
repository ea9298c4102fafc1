/** A command ends with a message and an exit code. */

import type { JsonObject } from "../../../manifests/mod.ts";
import { EXIT } from "./exit-codes.ts";

/** Thrown by a command; `main` shows it and answers its exit code. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: number;
  /** What `--json` shows as `error.code`. */
  readonly code: string;
  /** What to do now, in whole lines. */
  readonly hints: readonly string[];
  readonly details: JsonObject | undefined;

  constructor(
    code: string,
    message: string,
    options: { readonly exitCode?: number; readonly hints?: readonly string[]; readonly details?: JsonObject } = {},
  ) {
    super(message);
    this.code = code;
    this.exitCode = options.exitCode ?? EXIT.failed;
    this.hints = options.hints ?? [];
    this.details = options.details;
  }
}

/** The command line is wrong. */
export function usageError(message: string, hints: readonly string[] = []): CliError {
  return new CliError("usage", message, { exitCode: EXIT.usage, hints });
}

/** Something that was named does not exist. */
export function notFoundError(message: string, hints: readonly string[] = []): CliError {
  return new CliError("not_found", message, { exitCode: EXIT.notFound, hints });
}
