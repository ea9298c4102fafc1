/**
 * Runs programs for host tools with a `run` grant (SPEC G2, O1): checks the program, folder and environment, bounds time and output. No
 * shell is involved.
 */

import type { JsonValue, Limits } from "../../../manifests/mod.ts";
import type { RanProgram, RunOptions, RunProgram } from "../../call/context.ts";
import { orUndefined } from "../../platform/or-undefined.ts";
import type { OutputStream, ProcessErrorCode } from "../../platform/processes/process-types.ts";
import { ProcessError } from "../../platform/processes/process-types.ts";
import { FileError } from "../../platform/platform.ts";
import { FsDenied, InvalidArgs, Overloaded, PermissionDenied, type ToolError, ToolFailed } from "../../tools/tool-error.ts";
import type { BridgeContext } from "../bridge.ts";
import { createCapturedOutput } from "./captured-output.ts";
import { checkPath, checkProgram, proveFound } from "../checked.ts";
import { findProgram, searchPath } from "./find-program.ts";
import { createOutputDeltas } from "./output-deltas.ts";
import { programEnvironment } from "./program-environment.ts";
import { programHint } from "../refusal.ts";

interface RunContext {
  readonly bridge: BridgeContext;
  readonly limits: Pick<Limits, "outputBytes">;
  readonly progress: (value: JsonValue) => void;
}

/** A tool may return the output twice, as data and as text, plus something else. */
const OUTPUT_SHARE = 0.4;
const MAX_ARGUMENTS = 4_096;
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

/** @returns a function that runs a program for one call. It throws `ToolError`s with a hint */
export function createRunProgram({ bridge, limits, progress }: RunContext): RunProgram {
  const { platform, cwd: workspace, signal } = bridge;

  return async (program, options) => {
    const end = await bridge.acts.begin({ name: "run", args: { path: program } });
    // The abort reason tells the tool why it was stopped.
    if (end === undefined) throw signal.reason;
    try {
      return await run(program, options);
    } finally {
      end();
    }
  };

  async function run(program: string, options: RunOptions): Promise<RanProgram> {
    const { args = [], stdin, timeoutMs } = options;
    const name = admit(program, bridge);
    checkArguments(args);
    const folders = await searchPath(platform, workspace);
    const env = programEnvironment(options.env ?? {}, folders, bridge);
    const cwd = options.cwd === undefined ? workspace : await checkFolder(options.cwd, bridge);
    const path = await findProgram(name, folders, platform);
    if (path === undefined) throw new ToolFailed(`Cannot run "${program}": not found${namePlace(name, folders)}`);
    const proof = proveFound({ path, real: (await orUndefined(platform.files.realPath(path))) ?? path, written: program }, bridge);
    if (!proof.ok) {
      bridge.record(proof.act);
      throw new PermissionDenied(proof.message);
    }

    signal.throwIfAborted();
    bridge.record(proof.act);
    const captured = createCapturedOutput(Math.floor(limits.outputBytes * OUTPUT_SHARE));
    const deltas = createOutputDeltas(platform.clock, progress);
    const onOutput = (stream: OutputStream, bytes: Uint8Array): void => {
      captured.add(stream, bytes);
      deltas.add(stream, bytes);
    };
    const running = await platform.processes
      .start(proof.program, {
        args,
        cwd,
        env,
        onOutput,
        ...bridge.holder,
        ...(stdin !== undefined && { stdin: new TextEncoder().encode(stdin) }),
      })
      .catch((thrown: unknown) => {
        throw thrown instanceof ProcessError ? toToolError(thrown, program) : thrown;
      });
    const timer = createTimer(platform.clock, timeoutMs, running.stop);
    signal.addEventListener("abort", running.stop, { once: true });
    // The signal may have fired while the program started.
    if (signal.aborted) running.stop();
    const end = await running.ended;
    signal.removeEventListener("abort", running.stop);
    timer.stop();
    deltas.end();
    return { ...end, ...captured.read(), ...(timer.fired() && { timedOut: true as const }) } satisfies RanProgram;
  }
}

/** Returns the name to look up. A path is absolute. */
function admit(written: string, context: BridgeContext): string {
  const check = checkProgram(written, context);
  if (check.ok) return check.name;
  context.record(check.act);
  throw new PermissionDenied(check.message, { ...(check.isGrantable && { hint: programHint(check.name) }) });
}

function checkArguments(args: readonly string[]): void {
  if (args.length > MAX_ARGUMENTS) throw new InvalidArgs(`A program takes at most ${MAX_ARGUMENTS} arguments, not ${args.length}`);
  for (const [index, argument] of args.entries()) {
    if (argument.includes("\0") || /\p{Surrogate}/u.test(argument))
      throw new InvalidArgs(`Argument ${index + 1} of the program holds a NUL character or a lone surrogate, which no program can receive`);
    if (argument.length > MAX_ARGUMENT_BYTES)
      throw new InvalidArgs(`Argument ${index + 1} of the program is longer than ${MAX_ARGUMENT_BYTES} characters`);
  }
}

/** Returns a folder that the grant covers, with links followed (SPEC C4). */
async function checkFolder(written: string, context: BridgeContext): Promise<string> {
  const check = checkPath("read", written, context);
  if (!check.ok) {
    if (check.denial.kind !== "malformed") context.record(check.denial.act);
    throw new FsDenied(check.denial.kind === "not_capable" ? check.denial.message : `Cannot run in "${written}": folder not found`);
  }
  const { guarded } = context.platform;
  try {
    const { kind } = await guarded.stat(check.path);
    if (kind === "directory") return await guarded.realPath(check.path);
  } catch (thrown) {
    if (!(thrown instanceof FileError)) throw thrown;
    if (thrown.code === "not_capable") throw new FsDenied(`Cannot run in "${written}": it leads outside of what is granted`);
  }
  throw new ToolFailed(`Cannot run in "${written}": not a folder`);
}

function namePlace(name: string, folders: readonly string[]): string {
  return name.includes("/") ? "" : ` in ${folders.join(", ") || "the search path, which is empty"}`;
}

function createTimer(
  clock: BridgeContext["platform"]["clock"],
  timeoutMs: RunOptions["timeoutMs"],
  onTime: () => void,
): { readonly stop: () => void; readonly fired: () => boolean } {
  let fired = false;
  if (timeoutMs === undefined) return { stop: () => {}, fired: () => fired };
  const stop = clock.after(timeoutMs, () => {
    fired = true;
    onTime();
  });
  return { stop, fired: () => fired };
}

const REASONS: Readonly<Partial<Record<ProcessErrorCode, (message: string) => ToolError>>> = {
  busy: (message) => new Overloaded(message),
  too_large: (message) => new InvalidArgs(message),
};

function toToolError({ code, message }: ProcessError, program: string): ToolError {
  const text = `Cannot run "${program}": ${message}`;
  return REASONS[code]?.(text) ?? new ToolFailed(text);
}
