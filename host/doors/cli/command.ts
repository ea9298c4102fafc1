/** Interface of a CLI command. Each command is one file in `commands/` and one line in `commands/mod.ts`. */

import type { ClientPlatform, Platform } from "../../platform/platform.ts";
import type { Options, OptionSpec } from "./arguments.ts";
import type { Output } from "./output.ts";
import type { Project } from "./project.ts";

/** Context of one run of a command that first asks a running host. */
export interface ClientContext {
  readonly platform: ClientPlatform;
  /** Loads the rest of the platform. */
  readonly whole: () => Promise<Platform>;
  readonly positionals: readonly string[];
  readonly options: Options;
  readonly output: Output;
  readonly project: Project;
  /** Aborted at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Loads all commands, for completions. */
  readonly commands: () => Promise<readonly Command[]>;
}

/** Context of one run of a command. */
export interface CommandContext extends ClientContext {
  readonly platform: Platform;
}

/** Kind of a positional argument, for completion: a plugin name, a tool name, either, a path, or one of these words. */
export type Word = "plugin" | "tool" | "any" | "path" | readonly string[];

/** One command. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Usage line without the program's name: `call <tool> [arguments]`. */
  readonly usage: string;
  /** Paragraphs of `--help`. */
  readonly details?: readonly string[];
  readonly examples?: readonly string[];
  /** Number of positional arguments; any other number is a usage error. Absent means any number. */
  readonly positionals?: { readonly min: number; readonly max: number };
  /** Kind of each positional argument, for completion. The last one repeats. Absent if the words cannot be known. */
  readonly words?: readonly Word[];
  readonly options: readonly OptionSpec[];
  /** Runs the command. @returns the exit code @throws {CliError} to end with a message */
  run(context: CommandContext): Promise<number>;
}

/** A command that a running host answers: it starts with little loaded. */
export interface ClientCommand extends Command {
  run(context: ClientContext): Promise<number>;
}
