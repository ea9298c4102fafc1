/** `bascule bench`: measures calls of one tool end to end: validation, policy, journal and sandbox. */

import type { ToolResult } from "../../../call/call.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, exitCodeFor } from "../exit-codes.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { integerOption } from "../integer-option.ts";
import { ISOLATION_OPTION } from "../isolation-flag.ts";
import { withProgress } from "../long-work.ts";
import { listAdvice, namesMeant } from "../names-meant.ts";
import { CONTEXT_OPTIONS, requestContext } from "../request-context.ts";
import { RUN_OPTIONS } from "../permission-flags.ts";
import { permissionsOfRun } from "../permission-set.ts";
import { failureLines } from "../result-text.ts";
import { ARGS_OPTION, readToolArguments } from "../tool-arguments.ts";

const DEFAULT_CALLS = 1_000;
const MOST_CALLS = 1_000_000;
/** Maximum concurrent calls of a default session. */
const MOST_IN_FLIGHT = 4;
/** Warm-up calls as a share of the measured calls. The engine's code is compiled twice, the second time after some thousand calls. */
const WARM_SHARE = 0.25;

export const benchCommand: Command = {
  name: "bench",
  summary: "Benchmark a tool",
  usage: "bench <tool> [key=value … | json | -]",
  words: ["tool", []],
  details: [
    "Calls the tool repeatedly with the same arguments, each call with fresh state, and prints the latency that a caller sees.",
    "The tool's side effects happen on every call. Stops at the first call that fails.",
  ],
  examples: ["bench calculate expression='6 * 7'", "bench word_count path=README.md --calls 5000 --in-flight 4"],
  positionals: { min: 1, max: Number.MAX_SAFE_INTEGER },
  options: [
    { name: "calls", value: "n", about: `Number of measured calls (default: ${DEFAULT_CALLS})` },
    { name: "in-flight", value: "n", about: `Number of concurrent calls, up to ${MOST_IN_FLIGHT} (default: 1)` },
    ARGS_OPTION,
    ...CONTEXT_OPTIONS,
    ...RUN_OPTIONS,
    ISOLATION_OPTION,
  ],
  run: async (context) => {
    const oneRun = await permissionsOfRun(context.options, context.platform);
    return await withHost(context, (host) => bench(context, host), { oneRun });
  },
};

async function bench(context: CommandContext, host: HostAccess): Promise<number> {
  const { output, platform, positionals, options, signal } = context;
  const [tool = "", ...words] = positionals;
  const calls = integerOption(options, "calls", 1, MOST_CALLS) ?? DEFAULT_CALLS;
  const inFlight = integerOption(options, "in-flight", 1, MOST_IN_FLIGHT) ?? 1;
  const args = await readToolArguments(tool, words, context, host);
  const now = platform.clock.monotonic;
  let failed: ToolResult | undefined;
  let done = 0;

  /** @returns the duration of each call in milliseconds */
  async function run(count: number): Promise<number[]> {
    const taken: number[] = [];
    let left = count;
    const client = async (): Promise<void> => {
      while (left-- > 0 && failed === undefined && !signal.aborted) {
        const begin = now();
        const result = await host.operations.call({ tool, args, ...requestContext(options) }, { signal });
        if (!result.ok) failed ??= result;
        taken.push(now() - begin);
        done += 1;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, client));
    return taken;
  }

  const warm = Math.ceil(calls * WARM_SHARE);
  const { taken, perSecond } = await withProgress(context, "Calling", async (report) => {
    report(() => ({ progress: done, total: warm + calls }));
    await run(warm);
    const begin = now();
    const measured = await run(calls);
    return { taken: measured, perSecond: measured.length / ((now() - begin) / 1_000) };
  });
  if (failed !== undefined && !failed.ok) {
    output.document(failed);
    const { workspace } = await host.operations.status();
    for (const line of failureLines(failed, output, { cwd: platform.environment.cwd, workspace })) output.note(line);
    const meant = await namesMeant(failed, args, host.operations, output.program);
    const isUnknown = failed.error.code === "tool_not_found" && meant.length === 0;
    for (const line of isUnknown ? [listAdvice(output.program)] : meant) output.note(`  ${line}`);
    return exitCodeFor(failed.error);
  }
  const sorted = taken.toSorted((a, b) => a - b);
  const at = (fraction: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
  const found = { tool, calls: taken.length, inFlight, p50Ms: at(0.5), p99Ms: at(0.99), worstMs: at(1), perSecond };
  output.document({ ok: true, ...found });
  output.line(`${taken.length} calls, ${inFlight} at once: ${Math.round(perSecond).toLocaleString("en")} a second`);
  output.line(`p50 ${duration(found.p50Ms)}  p99 ${duration(found.p99Ms)}  worst ${duration(found.worstMs)}`);
  return EXIT.ok;
}

function duration(milliseconds: number): string {
  return milliseconds < 1 ? `${Math.round(milliseconds * 1_000)} µs` : `${Number(milliseconds.toPrecision(3))} ms`;
}
