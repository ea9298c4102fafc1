/** Reports the error of a failed command: a message with advice, or the same as JSON. */

import { errorText } from "../../platform/error-text.ts";
import { type DoorErrorCode, DoorError } from "../operations.ts";
import { problemToText } from "../../../manifests/mod.ts";
import { LockFileError } from "../../plugins/consent/lock.ts";
import { PackageError } from "../../plugins/installing/package-error.ts";
import { GrantFileError } from "../../project/grants/grants.ts";
import { ExportError } from "../../testing/export-case.ts";
import { type ClientPlatform, FileError, type FileErrorCode } from "../../platform/platform.ts";
import { ProjectConfigError } from "../../project/project-file.ts";
import { TrustFileError } from "../../project/trust/trust-store.ts";
import { CliError } from "./cli-error.ts";
import { EXIT } from "./exit-codes.ts";
import type { Output } from "./output.ts";
import { pathFrom } from "./paths.ts";
import { printable, printableLines } from "../../primitives/text.ts";
import { asTyped } from "../../primitives/typed-commands.ts";

/** Prints the error. An unknown error is a defect: its stack goes to the log. @returns the exit code */
export function reportError(error: unknown, platform: ClientPlatform, output: Output): number {
  const shown = toCliError(error, output.program);
  const { cwd } = platform.environment;
  if (!shown) {
    platform.log.write("error", "The command failed unexpectedly", { error });
    return report(new CliError("internal", `bascule failed unexpectedly: ${errorText(error)}`), output, cwd);
  }
  return report(shown, output, cwd);
}

function report(error: CliError, output: Output, cwd: string): number {
  const { style, program } = output;
  const message = asTyped(fromHere(error.message, cwd), program);
  const hints = error.hints.map((hint) => asTyped(hint, program));
  output.note(`${style.red("error")} ${printable(message)}`);
  for (const hint of hints) output.note(`  ${printableLines(hint).replaceAll("\n", "\n  ")}`);
  output.document({
    ok: false,
    error: {
      code: error.code,
      message,
      ...(hints.length === 0 ? {} : { hints }),
      ...(error.details === undefined ? {} : { details: error.details }),
    },
  });
  return error.exitCode;
}

/** Writes quoted absolute paths relative to the working directory, if they are below it or directly in a parent folder. */
function fromHere(message: string, cwd: string): string {
  return message.replaceAll(/"(\/[^"]*)"/gu, (quoted, path: string) => {
    const relative = pathFrom(cwd, path);
    return /^\.\.\/(?:.*\/)?[^/.][^/]*\//u.test(relative) ? quoted : `"${relative}"`;
  });
}

const BY_DOOR: Readonly<Record<DoorErrorCode, number>> = {
  not_found: EXIT.notFound,
  invalid_request: EXIT.usage,
  too_large: EXIT.usage,
  busy: EXIT.unavailable,
  refused: EXIT.denied,
  failed: EXIT.failed,
  closed: EXIT.unavailable,
  internal: EXIT.failed,
};

function toCliError(error: unknown, program: string): CliError | undefined {
  if (error instanceof CliError) return error;
  if (error instanceof DoorError) {
    const hints = error.suggestion !== undefined ? [`Did you mean "${error.suggestion}"?`] : adviceByCode(error.code, program);
    const [message = "", ...more] = error.message.split("\n");
    return new CliError(error.code, message, { exitCode: BY_DOOR[error.code], hints: [...more, ...hints] });
  }
  if (error instanceof ExportError) return new CliError("export", `Cannot export a case: ${error.message}`);
  if (error instanceof TrustFileError) return new CliError("trust_file", error.message);
  if (error instanceof GrantFileError) return new CliError("grants_file", error.message);
  if (error instanceof PackageError) {
    const [message = "", ...hints] = error.message.split("\n");
    return new CliError("package", message, { hints });
  }
  if (error instanceof LockFileError) return lockError(error);
  if (error instanceof ProjectConfigError)
    return new CliError("config", `Invalid ${error.place}`, { hints: error.problems.map(problemToText) });
  if (error instanceof FileError)
    return new CliError("file", `${error.path === undefined ? "" : `"${error.path}": `}${error.message}`, {
      exitCode: error.code === "not_found" ? EXIT.notFound : EXIT.failed,
      hints: ADVICE[error.code] ?? [],
    });
  return undefined;
}

const ADVICE: Readonly<Partial<Record<FileErrorCode, readonly string[]>>> = {
  not_found: ["Check the path; a folder for output has to exist"],
  permission_denied: ["Choose a place that you may read and write, or change its owner or mode"],
  not_a_directory: ["Name a folder there"],
  is_a_directory: ["Name a file in it"],
  already_exists: ["Choose another name, or remove it first"],
  no_space: ["Free some space, then run this again"],
  busy: ["Run this again"],
};

function lockError({ message, problems }: LockFileError): CliError {
  return new CliError("lock_file", message.split("\n")[0] ?? message, { hints: problems.map(problemToText) });
}

function adviceByCode(code: DoorErrorCode, program: string): readonly string[] {
  return code === "not_found" ? [`${program} list --all shows all plugins and tools`] : [];
}
