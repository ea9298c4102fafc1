/** The CLI: finds the command, parses its arguments, runs it, and returns an exit code. */

import { createClientPlatform } from "../../platform/client.ts";
import type { ClientPlatform, Log, Platform } from "../../platform/platform.ts";
import { parseArguments } from "./arguments.ts";
import { usageError } from "./cli-error.ts";
import type { ClientContext, Command } from "./command.ts";
import { allCommands, CLIENT_COMMANDS, COMMANDS, groupedCommands } from "./commands/mod.ts";
import { COMMON_OPTIONS, commandHelp, programHelp } from "./help.ts";
import { didYouMean } from "./did-you-mean.ts";
import { createOutput, type Output } from "./output.ts";
import { findProject } from "./project.ts";
import { createTerminalLog } from "./terminal-log.ts";
import { PROGRAM } from "../../primitives/typed-commands.ts";
import { VERSION } from "../../primitives/version.ts";

/** Long-running commands that serve other processes. */
const SERVING: ReadonlySet<string> = new Set(["dev", "mcp", "runner", "serve"]);

/**
 * Runs a command line in this process.
 *
 * @param program the program as the user typed it, for advice
 */
export async function runHere(argv: readonly string[], program: string): Promise<number> {
  const serves = SERVING.has(argv[0] ?? "");
  if (serves) (await import("../../platform/threads/young-generation.ts")).boundYoungGeneration();
  const options = { log: { level: "warn" }, brief: !serves } as const;
  const client = createClientPlatform(options);
  const whole = async (): Promise<Platform> => (await import("../../platform/current.ts")).currentPlatform(options, client);
  const code = await runLine(argv, client, whole, program);
  await client.terminal.flush();
  return code;
}

/**
 * Runs one command line on a platform.
 *
 * @param argv arguments after the program's name
 * @returns the exit code (see `exit-codes.ts`); errors of commands do not reject
 */
export function main(argv: readonly string[], given: Platform, program: string = PROGRAM): Promise<number> {
  return runLine(argv, given, () => Promise.resolve(given), program);
}

/** @param whole loads the rest of the platform, for commands that need it */
async function runLine(argv: readonly string[], outer: ClientPlatform, whole: () => Promise<Platform>, program: string): Promise<number> {
  // Look for --json before parsing, so that errors of the command line itself are reported as JSON too.
  const options = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const given = options.includes("--no-input") ? { ...outer, terminal: withoutUser(outer.terminal) } : outer;
  const output = createOutput(given, { json: options.includes("--json"), color: !options.includes("--no-color"), program });
  // With --json keep the platform's log, which writes JSON lines.
  const log = output.json ? given.log : logFor(argv[0], output, given);
  const platform = { ...given, log };
  try {
    return await run(argv, { platform, whole: async () => ({ ...(await whole()), terminal: given.terminal, log }) }, output);
  } catch (error) {
    return (await import("./errors.ts")).reportError(error, platform, output);
  }
}

/** Returns the terminal as if no user could answer. Its methods use no `this`. */
function withoutUser(terminal: ClientPlatform["terminal"]): ClientPlatform["terminal"] {
  return { ...terminal, interactive: false };
}

function logFor(command: string | undefined, output: Output, { clock }: ClientPlatform): Log {
  return createTerminalLog({ output, level: "warn", ...(SERVING.has(command ?? "") && { now: clock.now }) });
}

async function run(argv: readonly string[], platforms: Pick<ClientContext, "platform" | "whole">, output: Output): Promise<number> {
  const { platform, whole } = platforms;
  const [name, ...rest] = argv;
  if (name === undefined) return await (await import("./welcome.ts")).welcome(await whole(), output);
  if (name === "--help" || name === "-h" || name === "help") return showHelp(rest[0], { platform, output });
  if (name === "--version" || name === "version") {
    output.line(VERSION);
    output.document({ ok: true, version: VERSION });
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
  if (parsed.options.has("help")) return showHelp(command.name, { platform, output });
  checkPositionals(command, parsed.positionals, output);
  const project = await findProject(platform, parsed.options.value("config"));
  const context: ClientContext = {
    ...platforms,
    positionals: parsed.positionals,
    options: parsed.options,
    output,
    project,
    signal: interruptSignal(platform),
    commands: allCommands,
  };
  const client = CLIENT_COMMANDS.get(name);
  return client ? client.run(context) : command.run({ ...context, platform: await whole() });
}

interface HelpPlace {
  readonly platform: ClientPlatform;
  readonly output: Output;
}

/** @param about the command that help is about */
async function showHelp(about: string | undefined, { platform, output }: HelpPlace): Promise<number> {
  const command = about === undefined || about.startsWith("-") ? undefined : await findCommand(about, output);
  const text = command ? commandHelp(command, output) : programHelp(await groupedCommands(), output);
  if (output.json) output.document({ help: text });
  else platform.terminal.out(text);
  return 0;
}

async function findCommand(name: string, output: Output): Promise<Command> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load) return await load();
  if (name.startsWith("-")) throw usageError(`Expected a command before "${name}"`, [`${output.program} --help lists the commands`]);
  const typed = (near: string): string => `${output.program} ${near}`;
  throw usageError(`Unknown command "${name}"`, [didYouMean(name, Object.keys(COMMANDS), typed("--help lists the commands"), typed)]);
}

function checkPositionals(command: Command, positionals: readonly string[], output: Output): void {
  if (!command.positionals) return;
  const { min, max } = command.positionals;
  const advice = [`Usage: ${output.program} ${command.usage}`];
  if (positionals.length < min) throw usageError(missingText(command, positionals.length), advice);
  const extra = positionals[max];
  if (extra !== undefined) throw usageError(`Command "${command.name}" takes no argument "${extra}"`, advice);
}

/** Names the missing argument: its words if only these are allowed, otherwise its placeholder. */
function missingText({ usage, words }: Command, index: number): string {
  const word = words?.[index];
  if (typeof word === "object" && word.length > 0) return `Missing one of ${word.join(", ")}`;
  return `Missing ${[...usage.matchAll(/<[^>]+>/gu)][index]?.[0] ?? "an argument"}`;
}

/** Returns a signal that the first Ctrl-C aborts. The second Ctrl-C exits at once. */
function interruptSignal(platform: ClientPlatform): AbortSignal {
  const interrupt = new AbortController();
  platform.terminal.onInterrupt(() => {
    if (interrupt.signal.aborted) platform.terminal.exit(130);
    interrupt.abort();
  });
  return interrupt.signal;
}
