/** Errors that end a command with a message and an exit code. */

import type { JsonObject } from "../../../manifests/mod.ts";
import { EXIT } from "./exit-codes.ts";

/** Error of a command. `main` prints it and returns its exit code. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exitCode: number;
  /** Code in the output of `--json`, as `error.code`. */
  readonly code: string;
  /** Advice to the user, one line each. */
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

/** Creates the error for an invalid command line. */
export function usageError(message: string, hints: readonly string[] = []): CliError {
  return new CliError("usage", message, { exitCode: EXIT.usage, hints });
}

/** Creates the error for a name that does not exist. */
export function notFoundError(message: string, hints: readonly string[] = []): CliError {
  return new CliError("not_found", message, { exitCode: EXIT.notFound, hints });
}
