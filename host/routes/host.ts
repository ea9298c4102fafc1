/**
 * The `host` route: built-ins and functions of the embedding program run natively in this process, plugins in a process of their own (SPEC
 * O1, R1, T3).
 */

import { checkServers, createRunProgram, createToolCaller, createWorkspaceFiles } from "../capabilities/mod.ts";
import { askInStandstill } from "../call/asks.ts";
import type { ToolContext } from "../call/context.ts";
import { cancelled, internal, resourceExhausted, toolError, type ToolErrorData, toolFailedHidden, wallTimeout } from "../call/errors.ts";
import { encodedContent, partsOf } from "../platform/result-forms.ts";
import { defectText } from "../platform/error-text.ts";
import { copyJson, copySlices, type JsonCopy } from "../primitives/json/json.ts";
import type { Slices } from "../platform/platform.ts";
import { LARGE_BYTES } from "../../sandbox/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue, type Limits } from "../../manifests/mod.ts";
import { InvalidOutput, ResourceExhausted, ToolError } from "../tools/tool-error.ts";
import { collectYields, isAsyncIterable } from "../platform/collect-yields.ts";
import { isToolOutput, toolOutput, type ToolOutputParts } from "../call/tool-output.ts";
import type { Tool, ToolFactory } from "../tools/tool.ts";
import { largeOutcome, largePart } from "./divide-value.ts";
import type { Execution, Executor, Outcome } from "../tools/execution.ts";
import { partsOutcome, plainOutcome } from "./output.ts";
import { createProcessExecutor, type ProcessRouteOptions } from "./process/process.ts";
import { asksForTools } from "./asks-for-tools.ts";
import { openRunRecord, type RunRecord } from "./run-record.ts";
import { DEFAULT_GRACE_MS, type InTime, stopError, stopInTime } from "./stop-in-time.ts";

type HostRouteOptions = ProcessRouteOptions;

/** Upper bound of a tool's own grace period; then its slot is freed (SPEC T3). */
const MAX_GRACE_MS = 30_000;

/** Creates the executor. Each call gets a fresh instance, a deadline, and a signal that fires at the deadline and on cancellation. */
export function createHostExecutor(options: HostRouteOptions): Executor {
  const runPlugin = createProcessExecutor(options);
  const used = new WeakSet<Tool>();
  return async (execution) => {
    const { tool } = execution;
    if (tool.binding.kind !== "factory") return await runPlugin(execution);
    const { create } = tool.binding;
    return await runNatively(() => once(create(), used, tool.qualifiedName), execution, options);
  };
}

/**
 * Returns the instance if no call has used it. A tool may keep per-call state in its instance, so two calls must not share one (SPEC R1,
 * SR3).
 *
 * @throws {ToolError} if another call used it
 */
function once(instance: Tool, used: WeakSet<Tool>, name: string): Tool {
  if (used.has(instance))
    throw new ToolError(
      "unavailable",
      `The factory of tool "${name}" returned the same object for two calls (create a new object on each call)`,
    );
  used.add(instance);
  return instance;
}

type Ending = { readonly kind: "returned"; readonly value: unknown } | { readonly kind: "threw"; readonly thrown: unknown };

async function runNatively(create: ToolFactory, execution: Execution, options: HostRouteOptions): Promise<Outcome> {
  const stop = new AbortController();
  const record = openRunRecord({ ...execution, signal: stop.signal }, options);
  const refused = checkServers(execution.tool.definition.permissions, record.bridge);
  if (refused) return { ok: false, error: refused, used: { wallMs: 0 }, filesModified: [] };
  const ending = await runToEnd(create, execution, { ...options, record, stop });
  const ended = await record.end();
  const facts = { used: { wallMs: record.elapsedMs() }, filesModified: record.filesModified(), ...ended };
  if (ending.kind === "ended") {
    const { value: end } = ending;
    if (end.kind === "returned") return await readWhole(end.value, execution, facts, options.platform.slices);
    const error = thrownToError(end.thrown, execution.call.callId, record);
    return await readDetails(error, execution, facts, { record, slices: options.platform.slices });
  }
  const error = ending.reason === "timeout" ? wallTimeout(execution.decision.limits.wallMs) : cancelled();
  const late =
    ending.late?.kind === "returned" && ending.late.value !== undefined ? readReturned(ending.late.value, execution, facts) : undefined;
  if (late?.ok !== true) return { ok: false, error, ...facts };
  const { ok: _ended, output: partialOutput, ...rest } = late;
  return { ok: false, error, ...rest, partialOutput };
}

interface Run extends HostRouteOptions {
  readonly record: RunRecord;
  readonly stop: AbortController;
}

/** Settles when the tool has ended or its grace period is over. Never rejects. */
async function runToEnd(create: ToolFactory, execution: Execution, run: Run): Promise<InTime<Ending>> {
  const { platform, record, stop } = run;
  const { signal, args } = execution;
  let tool: Tool | undefined;
  const finished: Promise<Ending> = start(() => {
    tool = create();
    const value: unknown = tool.execute(args, createContext(execution, record, stop.signal));
    return isAsyncIterable(value) ? sendYields(value, run, execution).then(inForm) : Promise.resolve(value).then(inForm);
  });
  // `create()` is synchronous: `tool` is set unless it threw.
  const graceMs = Math.min(tool?.graceMs ?? run.graceMs ?? DEFAULT_GRACE_MS, MAX_GRACE_MS);
  const ending = await stopInTime(finished, {
    clock: platform.clock,
    signal,
    time: record.time,
    graceMs,
    onStop(reason) {
      stop.abort(stopError(reason));
      askToCancel(tool, record);
    },
  });
  if (ending.kind === "stopped" && ending.late === undefined)
    record.log.write("warn", "A tool ignored the request to stop and was abandoned", { reason: ending.reason, graceMs });
  return ending;
}

/** Bytes and images become content blocks. */
function inForm(value: unknown): unknown {
  const parts = isToolOutput(value) ? withContent(value.parts) : partsOf(value);
  // The blocks are checked when the output is read.
  return parts === undefined ? value : toolOutput(parts);
}

function withContent(parts: ToolOutputParts): object | undefined {
  return parts.content === undefined ? undefined : { ...parts, content: encodedContent(parts.content) };
}

function exhausted({ message, details }: ToolErrorData): ResourceExhausted {
  return new ResourceExhausted(message, details && { details });
}

/** Sends what a tool yields to the caller. @throws {ToolError} for a value that is not JSON */
async function sendYields(values: AsyncIterable<unknown>, { record, stop }: Run, { decision }: Execution): Promise<unknown> {
  const { outputBytes, jsonDepth } = decision.limits;
  return await collectYields(
    values,
    async (value, index) => {
      const copy = copyJson(value, { maxBytes: outputBytes, maxDepth: jsonDepth });
      if (!copy.ok && copy.reason === "too_large") throw exhausted(resourceExhausted("outputBytes", outputBytes));
      if (!copy.ok) {
        const { pointer, message } = copy.problem;
        const place = `value ${index + 1} that the tool yielded${pointer === "" ? "" : ` at ${pointer}`}`;
        throw new InvalidOutput(`Invalid ${place}: ${message}`, { details: { errors: [{ pointer, message }] } });
      }
      const excess = await record.yielded(copy.value, copy.bytes);
      if (excess !== undefined) throw exhausted(excess);
    },
    stop.signal,
  );
}

/** Runs a function that may throw synchronously, reject or return. */
async function start(run: () => unknown): Promise<Ending> {
  try {
    return { kind: "returned", value: await run() };
  } catch (thrown) {
    return { kind: "threw", thrown };
  }
}

/** Calls the tool's own `cancel()`. Its errors must not reach the call. */
function askToCancel(tool: Tool | undefined, record: RunRecord): void {
  if (tool?.cancel === undefined) return;
  void start(() => tool.cancel?.()).then((ending) => {
    if (ending.kind === "threw") record.log.write("warn", "A tool's cancel threw", { error: defectText(ending.thrown) });
  });
}

function createContext(execution: Execution, record: RunRecord, signal: AbortSignal): ToolContext {
  const { call, tool, decision } = execution;
  return Object.freeze({
    sessionId: call.session.id,
    ...(call.turnId !== undefined && { turnId: call.turnId }),
    callId: call.callId,
    ...(tool.definition.idempotent === true && { idempotencyKey: call.callId }),
    ...(call.session.agentId !== undefined && { agentId: call.session.agentId }),
    ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
    workspacePath: call.session.workspace,
    settings: record.settings,
    permissions: record.permissions,
    deadline: record.deadline,
    signal,
    log: record.log,
    ...(call.ask && { ask: askInStandstill(call.ask, record.time) }),
    progress: (value: JsonValue) => void record.progress(value),
    workspace: Object.freeze(createWorkspaceFiles(record.bridge)),
    ...(asksForTools(execution.tool) && { tools: Object.freeze(createToolCaller(record.bridge)) }),
    ...(tool.definition.permissions?.run !== undefined && {
      run: createRunProgram({ bridge: record.bridge, limits: decision.limits, progress: (value) => void record.progress(value) }),
    }),
  });
}

type Facts = Parameters<typeof plainOutcome>[1];

/**
 * Reads the returned value. Above 64 KB it is copied, checked and converted into bytes in slices, which reads its getters a second time
 * (SPEC LV2).
 */
async function readWhole(returned: unknown, execution: Execution, facts: Facts, slices: Slices): Promise<Outcome> {
  const { outputBytes } = execution.decision.limits;
  if (outputBytes <= LARGE_BYTES) return readReturned(returned, execution, facts);
  const small = readReturned(returned, execution, facts, LARGE_BYTES);
  return small === "too_large" ? await slices.run(readSlices(returned, execution, facts)) : small;
}

function* readSlices(returned: unknown, { decision, tool }: Execution, facts: Facts): Generator<void, Outcome> {
  const { outputBytes, jsonDepth } = decision.limits;
  const isTold = isToolOutput(returned);
  const copy = yield* copySlices(isTold ? returned.parts : returned, { maxBytes: outputBytes, maxDepth: jsonDepth });
  if (!copy.ok) return notCopied(copy, { outputBytes, jsonDepth }, facts);
  const known = { ...facts, used: { ...facts.used, outputBytes: copy.bytes } };
  return yield* largeOutcome(
    { value: copy.value, isTold, schema: tool.definition.outputSchema, linksToFiles: tool.plugin === undefined },
    known,
  );
}

function readReturned(returned: unknown, execution: Execution, facts: Facts): Outcome;
function readReturned(returned: unknown, execution: Execution, facts: Facts, most: number): Outcome | "too_large";
function readReturned(returned: unknown, execution: Execution, facts: Facts, most?: number): Outcome | "too_large" {
  const { outputBytes, jsonDepth } = execution.decision.limits;
  const isTold = isToolOutput(returned);
  const copy = copyJson((isTold ? returned.parts : returned) ?? null, { maxBytes: most ?? outputBytes, maxDepth: jsonDepth });
  if (copy.ok) {
    const known = { ...facts, used: { ...facts.used, outputBytes: copy.bytes } };
    if (!isTold || !isJsonObject(copy.value)) return plainOutcome(copy.value, known);
    return partsOutcome(copy.value, known, [], { linksToFiles: execution.tool.plugin === undefined });
  }
  return copy.reason === "too_large" && most !== undefined ? "too_large" : notCopied(copy, { outputBytes, jsonDepth }, facts);
}

function notCopied(
  { reason, problem: { pointer, message } }: Extract<JsonCopy, { ok: false }>,
  { outputBytes, jsonDepth }: Pick<Limits, "outputBytes" | "jsonDepth">,
  facts: Facts,
): Outcome {
  if (reason === "too_large") return { ok: false, error: resourceExhausted("outputBytes", outputBytes), ...facts };
  if (reason === "too_deep") return { ok: false, error: resourceExhausted("jsonDepth", jsonDepth), ...facts };
  return {
    ok: false,
    error: toolError("invalid_output", `Invalid output${pointer === "" ? "" : ` at ${pointer}`}: ${message}`, {
      details: { errors: [{ pointer, message }] },
    }),
    ...facts,
  };
}

/** Returns an error that was thrown on purpose as it is. Any other error is only logged (SPEC X4). */
function thrownToError(thrown: unknown, callId: string, record: RunRecord): ToolErrorData {
  if (thrown instanceof ToolError) return thrown.code === "internal" ? internal(callId) : thrown.toData();
  const denial = denialOf(thrown);
  if (denial !== undefined) return toolError("fs_denied", denial);
  record.log.write("error", "A host tool threw", { error: defectText(thrown) });
  return toolFailedHidden(callId);
}

/**
 * Bounds an error for every door: at most 64 KB of message and of details. A larger `output` in the details (the tool's output so far)
 * stays bytes (SPEC LV2).
 */
async function readDetails(
  { message, details, ...rest }: ToolErrorData,
  { decision }: Execution,
  facts: Facts,
  { record, slices }: { readonly record: RunRecord; readonly slices: Slices },
): Promise<Outcome> {
  const error = { ...rest, message: message.length > LARGE_BYTES ? `${message.slice(0, LARGE_BYTES)}…` : message };
  if (details === undefined) return { ok: false, error: Object.freeze(error), ...facts };
  const small = copyJson(details, { maxBytes: LARGE_BYTES, maxDepth: decision.limits.jsonDepth });
  if (small.ok && isJsonObject(small.value)) return { ok: false, error: Object.freeze({ ...error, details: small.value }), ...facts };
  const { output = null, ...others } = details;
  const { outputBytes: maxBytes, jsonDepth: maxDepth } = decision.limits;
  const copy = await slices.run(copySlices(output, { maxBytes, maxDepth }));
  const told = copyJson(others, { maxBytes: LARGE_BYTES, maxDepth });
  for (const one of [copy, told])
    if (!one.ok) record.log.write("warn", "Details of a host tool's error were left out", { because: one.problem.message });
  const hasOutput = copy.ok && output !== null;
  const kept = { ...(told.ok && (told.value as JsonObject)), ...(hasOutput && { output: null }) };
  return {
    ok: false,
    error: Object.freeze({ ...error, ...(Object.keys(kept).length > 0 && { details: kept }) }),
    ...facts,
    ...(hasOutput && {
      used: { ...facts.used, outputBytes: copy.bytes },
      parts: [await slices.run(largePart("error/details/output", copy.value))],
    }),
  };
}

/** Returns the message of a refusal by the workspace files. It holds its own advice and no secret, so the caller may see it. */
function denialOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && thrown.name === "NotCapable" ? thrown.message : undefined;
}
