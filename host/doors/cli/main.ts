/** Entry point of the CLI: finds the command, parses its arguments, runs it, and returns an exit code. */

import { currentPlatform } from "../../platform/current.ts";
import type { Log, Platform } from "../../platform/platform.ts";
import { boundYoungGeneration } from "../../platform/threads/young-generation.ts";
import { parseArguments } from "./arguments.ts";
import { usageError } from "./cli-error.ts";
import type { Command } from "./command.ts";
import { allCommands, COMMANDS, groupedCommands } from "./commands/mod.ts";
import { reportError } from "./errors.ts";
import { COMMON_OPTIONS, commandHelp, programHelp } from "./help.ts";
import { nearestName } from "../../tools/nearest.ts";
import { createOutput, type Output } from "./output.ts";
import { findProject } from "./project.ts";
import { createTerminalLog } from "./terminal-log.ts";
import { VERSION } from "../../primitives/version.ts";

/** Long-running commands that serve other processes. */
const SERVING: ReadonlySet<string> = new Set(["dev", "mcp", "runner", "serve"]);

/** Entry point for `bin/bascule.mjs`. @param program the program as the user typed it, for advice */
export async function start(argv: readonly string[], program: string): Promise<number> {
  const serves = SERVING.has(argv[0] ?? "");
  if (serves) boundYoungGeneration();
  const platform = currentPlatform({ log: { level: "warn" }, brief: !serves });
  const code = await main(argv, platform, program);
  await platform.terminal.flush();
  return code;
}

/**
 * Runs one command line on a platform.
 *
 * @param argv arguments after the program's name
 * @returns the exit code (see `exit-codes.ts`); errors of commands do not reject
 */
export async function main(argv: readonly string[], given: Platform, program = "bascule"): Promise<number> {
  // Look for --json before parsing, so that errors of the command line itself are reported as JSON too.
  const options = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const output = createOutput(given, { json: options.includes("--json"), color: !options.includes("--no-color"), program });
  // With --json keep the platform's log, which writes JSON lines.
  const platform = output.json ? given : { ...given, log: logFor(argv[0], output, given) };
  try {
    return await run(argv, platform, output);
  } catch (error) {
    return reportError(error, platform, output);
  }
}

function logFor(command: string | undefined, output: Output, { clock }: Platform): Log {
  return createTerminalLog({ output, level: "warn", ...(SERVING.has(command ?? "") && { now: clock.now }) });
}

async function run(argv: readonly string[], platform: Platform, output: Output): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") return showHelp(rest[0], platform, output);
  if (name === "--version" || name === "version") {
    output.line(VERSION);
    output.document({ version: VERSION });
    return 0;
  }
  const command = await findCommand(name, output);
  const parsed = parseArguments(rest, [...command.options, ...COMMON_OPTIONS]);
  if (!parsed.ok) {
    if (parsed.suggestion !== undefined) throw usageError(parsed.message, [`Did you mean ${parsed.suggestion}?`]);
    const isForTool = command.usage.includes("key=value");
    throw usageError(parsed.message, [
      ...(isForTool ? ["Write tool arguments as key=value, without --"] : []),
      `${output.program} ${command.name} --help shows its options`,
    ]);
  }
  if (parsed.options.has("help")) return showHelp(command.name, platform, output);
  checkPositionals(command, parsed.positionals, output);
  const project = await findProject(platform, parsed.options.value("config"));
  return command.run({
    platform,
    positionals: parsed.positionals,
    options: parsed.options,
    output,
    project,
    signal: interruptSignal(platform),
    commands: allCommands,
  });
}

async function showHelp(about: string | undefined, platform: Platform, output: Output): Promise<number> {
  const command = about === undefined || about.startsWith("-") ? undefined : await findCommand(about, output);
  const text = command ? commandHelp(command, output) : programHelp(await groupedCommands(), output);
  if (output.json) output.document({ help: text });
  else platform.terminal.out(text);
  return 0;
}

async function findCommand(name: string, output: Output): Promise<Command> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load) return await load();
  const near = nearestName(name, Object.keys(COMMANDS));
  if (name.startsWith("-")) throw usageError(`Expected a command before "${name}"`, [`${output.program} --help lists the commands`]);
  throw usageError(`Unknown command "${name}"`, [
    near === undefined ? `${output.program} --help lists the commands` : `Did you mean ${output.program} ${near}?`,
  ]);
}

function checkPositionals(command: Command, positionals: readonly string[], output: Output): void {
  if (!command.positionals) return;
  const { min, max } = command.positionals;
  const advice = [`Usage: ${output.program} ${command.usage}`];
  if (positionals.length < min)
    throw usageError(`Command "${command.name}" needs ${min === 1 ? "an argument" : `${min} arguments`}`, advice);
  const extra = positionals[max];
  if (extra !== undefined) throw usageError(`Command "${command.name}" takes no argument "${extra}"`, advice);
}

/** Returns a signal that the first Ctrl-C aborts. The second Ctrl-C exits at once. */
function interruptSignal(platform: Platform): AbortSignal {
  const interrupt = new AbortController();
  platform.terminal.onInterrupt(() => {
    if (interrupt.signal.aborted) platform.terminal.exit(130);
    interrupt.abort();
  });
  return interrupt.signal;
}
