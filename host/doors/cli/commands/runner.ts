/** `bascule runner`: answers the tool calls of a program that uses the line protocol (SPEC I6). */

import { serveRunner } from "../../ipc/serve-runner.ts";
import type { ConfirmPrompt } from "../../../call/call.ts";
import { ProcessError } from "../../../platform/processes/process-types.ts";
import type { LineConnection, Runner } from "../../../platform/platform.ts";
import { CliError, notFoundError, usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { terminalPrompt } from "../confirm.ts";
import { EXIT } from "../exit-codes.ts";
import { ISOLATION_OPTION } from "../isolation-flag.ts";
import { type LocalHost, openLocalHost } from "../local-host.ts";
import { RUN_OPTIONS } from "../permission-flags.ts";
import { permissionsOfRun } from "../permission-set.ts";
import { CONTEXT_OPTIONS } from "../request-context.ts";
import { printable } from "../../../primitives/text.ts";
import { noteWithheld } from "../trust.ts";

export const runnerCommand: Command = {
  name: "runner",
  summary: "Answer tool calls of a program over its stdin and stdout",
  usage: "runner [options] -- <command…>, or runner --stdio",
  details: [
    "Each line that the program writes is a call, each line that it reads is a result (see docs/ipc.md).",
    "The program has its own session, which ends with it. It runs unconfined, with your rights.",
    "With --stdio, starts no program: reads calls from stdin and writes results to stdout.",
  ],
  examples: ["runner -- python3 agent.py", "runner --role reader -- ./agent", "runner --stdio"],
  options: [
    { name: "stdio", about: "Read calls from stdin and write results to stdout" },
    ...CONTEXT_OPTIONS,
    ...RUN_OPTIONS,
    ISOLATION_OPTION,
  ],
  run: async (context) => {
    const [file, ...args] = context.positionals;
    const isStdio = context.options.has("stdio");
    if (isStdio === (file !== undefined))
      throw usageError("Expected a command after --, or --stdio", [`Usage: ${context.output.program} ${runnerCommand.usage}`]);
    const local = await openLocalHost(context, await permissionsOfRun(context.options, context.platform), { watch: true });
    noteWithheld(context, local.host.places.trust);
    try {
      return file === undefined ? await serveStdio(context, local) : await serveProgram(context, local, [file, ...args]);
    } finally {
      await local.close();
    }
  },
};

async function serveStdio(context: CommandContext, local: LocalHost): Promise<number> {
  const connection = context.platform.terminal.lines();
  endWith(context.signal, () => connection.close());
  // No confirmations on the terminal: stdin belongs to the runner.
  await serve(context, local, connection, undefined);
  return EXIT.ok;
}

async function serveProgram(context: CommandContext, local: LocalHost, command: readonly [string, ...string[]]): Promise<number> {
  const { platform, output, signal } = context;
  const runner = await startRunner(context, command);
  endWith(signal, runner.stop);
  await serve(context, local, runner.connection, terminalPrompt(platform, output));
  // The program may keep running after it closed its output, but no more calls can arrive.
  runner.stop();
  const end = await runner.ended;
  if ("exitCode" in end && end.exitCode === 0) return EXIT.ok;
  if (signal.aborted) return EXIT.ok;
  if ("exitCode" in end && end.exitCode === NO_PROGRAM)
    throw notFoundError(`Program "${printable(command[0])}" not found`, ["Give its path, or a name on PATH"]);
  const how = "signal" in end ? `was ended by ${end.signal}` : `ended with exit code ${end.exitCode}`;
  throw new CliError("runner_failed", `The runner "${printable(command[0])}" ${how}`, { exitCode: EXIT.failed });
}

/** Exit code of a shell that does not find the program. */
const NO_PROGRAM = 127;

async function startRunner({ platform }: CommandContext, command: readonly [string, ...string[]]): Promise<Runner> {
  try {
    return await platform.runners.start(command, { cwd: platform.environment.cwd });
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    throw new CliError("runner_failed", `Cannot start "${printable(command[0])}": ${error.message}`, { exitCode: EXIT.failed });
  }
}

async function serve(
  { options, platform: { slices } }: CommandContext,
  { host }: LocalHost,
  connection: LineConnection,
  confirm: ConfirmPrompt | undefined,
): Promise<void> {
  const role = options.value("role");
  const session = host.session({
    context: { readOnly: options.has("read-only"), noWeb: options.has("no-web") },
    ...(role !== undefined && { role }),
  });
  const asking = confirm === undefined ? { unattended: "refuse" as const } : { confirm };
  await serveRunner({
    connection,
    slices,
    call: ({ tool, args }, signal, onYield) => host.call(tool, args, { session, signal, ...(onYield && { onYield }), ...asking }),
  });
  await host.endSession(session);
}

function endWith(signal: AbortSignal, end: () => void): void {
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
}
