/** What a command of the CLI is. A command is one file in `commands/` and one line in `doors/cli/commands/mod.ts`. */

import type { Platform } from "../../platform/platform.ts";
import type { Options, OptionSpec } from "./arguments.ts";
import type { Output } from "./output.ts";
import type { Project } from "./project.ts";

/** What a command is given. */
export interface CommandContext {
  readonly platform: Platform;
  readonly positionals: readonly string[];
  readonly options: Options;
  readonly output: Output;
  readonly project: Project;
  /** Aborted at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Every command, for those that speak of them. */
  readonly commands: () => Promise<readonly Command[]>;
}

/** What stands in a place of a command line: a plugin's name, a tool's, either, a path, or one of a few words. */
export type Word = "plugin" | "tool" | "any" | "path" | readonly string[];

/** One command: what it is called, how it is explained, what it does. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Without the program's name: `call <tool> [arguments]`. */
  readonly usage: string;
  /** More to know, in whole lines. */
  readonly details?: readonly string[];
  readonly examples?: readonly string[];
  /** How many positional arguments it takes; more is a usage error. Absent means any number. */
  readonly positionals?: { readonly min: number; readonly max: number };
  /** What stands in each place, for completion; the last one also in all that may follow. Absent where only the person knows. */
  readonly words?: readonly Word[];
  readonly options: readonly OptionSpec[];
  /** @returns the exit code. @throws {CliError} to end with a message. */
  run(context: CommandContext): Promise<number>;
}
