/**
 * Trusted plugins on the `host` route: each call runs in a process of its own, so that every check belongs to one call (SPEC O1).
 *
 * Why one process per call, and what confines it: docs/decisions/0022-trusted-plugins.md.
 */

import { evaluateAccess, isJsonObject, type JsonObject } from "../../../manifests/mod.ts";
import { type Fault, LOG_LINE_BYTES, LOG_TEXT_LENGTH, readImportMap } from "../../../sandbox/mod.ts";
import { temporaryFolder } from "../../capabilities/files/temp.ts";
import { cancelled, unavailable, wallTimeout } from "../../call/errors.ts";
import { sizeOf } from "../../primitives/json/known-size.ts";
import { encodeSlices } from "../../primitives/json/write-slices.ts";
import { FileError, type Slices } from "../../platform/platform.ts";
import type { TrustedConfinement, TrustedProcess } from "../../platform/trusted/trusted-types.ts";
import { untrusted } from "../../policy/trust.ts";
import type { PluginVersion, RegisteredTool } from "../../tools/tool.ts";
import { largeOutcome } from "../divide-value.ts";
import type { Execution, Executor, Outcome } from "../../tools/execution.ts";
import { faultToError } from "../fault-to-error.ts";
import { guestContextText } from "../guest-context.ts";
import { partsOutcome, plainOutcome } from "../output.ts";
import type { RouteOptions } from "../route-options.ts";
import { openRunRecord, type RunRecord } from "../run-record.ts";
import { DEFAULT_GRACE_MS, stopError, stopInTime } from "../stop-in-time.ts";
import { type Broker, createBroker } from "./broker.ts";
import { grantedPrograms } from "./check-run.ts";
import { type Conversation, createConversation, maxLineBytes, type Said } from "./conversation.ts";
import { grantedEnvironment } from "./granted-environment.ts";

export interface ProcessRouteOptions extends RouteOptions {
  /** Grace period of a tool that was told to stop, in milliseconds. Default 3,000. */
  readonly graceMs?: number;
}

/** Creates the executor of plugin tools. The decision says how the process is confined; it has no `confinement` for an untrusted plugin. */
export function createProcessExecutor(options: ProcessRouteOptions): Executor {
  return async (execution) => {
    const { tool, decision, signal } = execution;
    const none = { used: { wallMs: 0 }, filesModified: [] };
    const refuse = (reason: string): Outcome => ({ ok: false, error: unavailable(tool.qualifiedName, reason), ...none });
    if (tool.binding.kind !== "plugin") return refuse("its code belongs to another host (remove the rule that sets its route)");
    const { version } = tool.binding;
    const { confinement } = decision;
    if (confinement === undefined) return refuse(untrusted(tool.plugin ?? tool.name, version.digest));
    if (options.platform.trusted.find(confinement) === undefined) return refuse(noDeno(tool.plugin ?? tool.name));
    if (signal.aborted) return { ok: false, error: cancelled(), ...none };
    return await runInProcess(version, confinement, execution, options);
  };
}

function noDeno(name: string): string {
  return `its route is "host", where trusted plugins run under Deno's permissions, but Deno was not found (install it from https://deno.com or with "npm install -g deno", so that it is on PATH or BASCULE_DENO names it; { "name": "${name}", "unconfined": true } in "trusted" runs it unconfined)`;
}

async function runInProcess(
  version: PluginVersion,
  confinement: TrustedConfinement,
  execution: Execution,
  options: ProcessRouteOptions,
): Promise<Outcome> {
  const stop = new AbortController();
  const record = openRunRecord({ ...execution, signal: stop.signal }, options);
  await options.dataFolders?.prepare(execution.tool.plugin ?? "", version.manifest);
  const run = await startRun({ version, confinement, execution, record, platform: options.platform });
  try {
    if ("error" in run) return { ok: false, error: run.error, used: { wallMs: record.elapsedMs() }, filesModified: [] };
    return await runToEnd(run, { execution, record, stop, options, confinement });
  } finally {
    if (!("error" in run)) {
      await run.process.end();
      run.broker.end();
    }
    record.close();
  }
}

interface Run {
  readonly process: TrustedProcess;
  readonly conversation: Conversation;
  readonly broker: Broker;
}

interface StartOptions {
  readonly version: PluginVersion;
  readonly confinement: TrustedConfinement;
  readonly execution: Execution;
  readonly record: RunRecord;
  readonly platform: RouteOptions["platform"];
}

async function startRun({
  version,
  confinement,
  execution,
  record,
  platform: { trusted, slices },
}: StartOptions): Promise<Run | { readonly error: ReturnType<typeof unavailable> }> {
  const { limits } = execution.decision;
  const started = Promise.withResolvers<TrustedProcess>();
  // Avoids an unhandled rejection: a call without a process has no checks to answer.
  started.promise.catch(() => undefined);
  const conversation = createConversation({
    ...{ record, limits, slices },
    send: (...pieces) => void started.promise.then(({ send }) => send(...pieces)),
  });
  const broker = createBroker({
    bridge: record.bridge,
    process: () => started.promise,
    count: conversation.count,
    onFault: (message) => conversation.end({ kind: "fault", fault: { kind: "trap", message } }),
  });
  try {
    const process = await trusted.start(
      {
        confinement,
        files: version.files,
        imports: readImportMap(version.files).entries,
        cwd: execution.call.session.workspace,
        env: grantedEnvironment(record.bridge),
        memoryBytes: limits.memoryBytes,
        maxLineBytes: maxLineBytes(limits),
        mayRun: evaluateAccess(execution.decision.grant.layers, { kind: "run" }).state === "granted",
      },
      { onMessage: conversation.onMessage, onCheck: (line) => void broker.onCheck(line), onOutput: conversation.onOutput },
    );
    started.resolve(process);
    return { process, conversation, broker };
  } catch (thrown) {
    started.reject(thrown);
    // Any other error is a bug in the host.
    if (!(thrown instanceof FileError)) throw thrown;
    return { error: unavailable(execution.tool.qualifiedName, `its process cannot start: ${thrown.message}`) };
  }
}

interface RunContext {
  readonly execution: Execution;
  readonly record: RunRecord;
  readonly stop: AbortController;
  readonly options: ProcessRouteOptions;
  readonly confinement: TrustedConfinement;
}

async function runToEnd(
  { process, conversation, broker }: Run,
  { execution, record, stop, options, confinement }: RunContext,
): Promise<Outcome> {
  const { decision, signal, meter } = execution;
  void process.ended.then((how) =>
    conversation.end({ kind: "fault", fault: endFault(how, conversation.lastWords(), decision.limits.memoryBytes) }),
  );
  Promise.all([grantedPrograms(record.bridge), process.ready]).then(
    async ([programs]) => {
      const pieces = await callPieces(execution, record, { code: process.code, programs, slices: options.platform.slices });
      broker.begin();
      process.send(...pieces);
    },
    (error: unknown) =>
      conversation.end({ kind: "fault", fault: { kind: "trap", message: `The plugin's files cannot be copied: ${String(error)}` } }),
  );
  const ending = await stopInTime(conversation.ended, {
    clock: options.platform.clock,
    // Once a quota is used up, no further operation of the call starts.
    signal: meter.stopped === undefined ? signal : AbortSignal.any([signal, meter.stopped]),
    time: record.time,
    graceMs: options.graceMs ?? DEFAULT_GRACE_MS,
    onStop(reason) {
      stop.abort(stopError(reason));
      process.send(JSON.stringify({ type: "stop", reason }));
    },
  });
  // The process acts on its own, so only its end ends its acts.
  await process.end();
  const ended = await record.end();
  const used = { wallMs: record.elapsedMs(), ...conversation.used() };
  const facts = { used, filesModified: record.filesModified(), ...ended };
  const mayHaveRun = broker.ran || confinement === "none";
  const parts = { record, tool: execution.tool, code: process.code, mayHaveRun, slices: options.platform.slices };
  if (ending.kind === "ended") return await toOutcome(ending.value, facts, parts);
  const error = ending.reason === "timeout" ? wallTimeout(decision.limits.wallMs) : cancelled();
  const late = ending.late && (await toOutcome(ending.late, facts, parts));
  return { ok: false, error, ...facts, ...(late?.ok === true && { partialOutput: late.output }) };
}

interface CallParts extends Pick<TrustedProcess, "code"> {
  readonly programs: Readonly<Record<string, string>>;
  readonly slices: Slices;
}

/**
 * Returns the call message, built from the sandbox's context for the same call, so that both get the same. Large arguments are written in
 * slices.
 */
async function callPieces(
  execution: Execution,
  record: RunRecord,
  { code, programs, slices }: CallParts,
): Promise<readonly (string | Uint8Array)[]> {
  const { tool, args, call } = execution;
  // As `TOLD` of sandbox/guest/call/context.ts: the rest is for the prelude.
  const { cwd, limits: _timers, ...told } = JSON.parse(guestContextText(execution, record)) as Readonly<Record<string, unknown>>;
  const written = sizeOf(args) === undefined ? [JSON.stringify(args)] : await slices.run(encodeSlices(args));
  const rest = JSON.stringify({
    url: urlOf(`${code}/${moduleOf(tool)}`),
    export: exportOf(tool),
    told,
    cwd: cwd ?? call.session.workspace,
    tmp: temporaryFolder(record.bridge),
    programs,
    logs: { bytes: execution.decision.limits.logBytes, lineBytes: LOG_LINE_BYTES, length: LOG_TEXT_LENGTH },
  });
  return [`{"type":"call","args":`, ...written, `,${rest.slice(1)}`];
}

function moduleOf({ definition, binding }: RegisteredTool): string {
  return definition.module ?? (binding.kind === "plugin" ? binding.version.manifest.main : "");
}

function exportOf({ definition, name }: RegisteredTool): string {
  return definition.export ?? name;
}

function urlOf(path: string): string {
  return `file://${path.split("/").map(encodeURIComponent).join("/")}`;
}

interface OutcomeParts {
  readonly tool: RegisteredTool;
  readonly record: RunRecord;
  readonly code: string;
  readonly mayHaveRun: boolean;
  readonly slices: Slices;
}

async function toOutcome(
  said: Said,
  facts: Parameters<typeof plainOutcome>[1],
  { record, tool, code, mayHaveRun, slices }: OutcomeParts,
): Promise<Outcome> {
  if (said.kind === "plain") return plainOutcome(said.output, facts);
  if (said.kind === "large") {
    const { value, isTold } = said;
    const known = isTold && isJsonObject(value) ? withoutClaim(value, mayHaveRun) : value;
    return await slices.run(largeOutcome({ value: known, isTold, schema: tool.definition.outputSchema }, facts));
  }
  if (said.kind === "parts") return partsOutcome(withoutClaim(said.parts, mayHaveRun), facts);
  const error = faultToError(authorFault(said.fault, { code, tool }));
  const hint = error.code === "tool_failed" ? record.hint() : undefined;
  return { ok: false, error: hint === undefined ? error : { ...error, hint }, ...facts };
}

/** Drops the claim of a command unless the plugin may have started a program. */
function withoutClaim({ commandExecuted, ...parts }: JsonObject, mayHaveRun: boolean): JsonObject {
  return mayHaveRun && commandExecuted !== undefined ? { ...parts, commandExecuted } : parts;
}

/** Rewrites a fault in the author's terms: the path of the copy means nothing to a reader. */
function authorFault(fault: Fault, { code, tool }: Pick<OutcomeParts, "code" | "tool">): Fault {
  if (fault.kind === "no_export") return { ...fault, module: moduleOf(tool), export: exportOf(tool) };
  if (fault.kind !== "threw") return fault;
  const clean = (text: string): string => text.replaceAll(`${urlOf(code)}/`, "").replaceAll(`${code}/`, "");
  return { ...fault, message: clean(fault.message), stack: authorFrames(clean(fault.stack)) };
}

/** Removes bascule's own frames and those of the runtime. */
function authorFrames(stack: string): string {
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line) && !/plugin-(?:main|context|globals)\.|\((?:ext|node):|at (?:ext|node):/.test(line))
    .join("\n");
}

function endFault(how: string, lastWords: string, memoryBytes: number): Fault {
  if (/heap out of memory|out of memory/i.test(lastWords)) return { kind: "exhausted", limit: "memory", allowed: memoryBytes };
  const said = lastWords === "" ? "" : `; it said ${JSON.stringify(lastWords)}`;
  return { kind: "threw", name: "", message: `The plugin's process ended before its tool: ${how}${said}`, stack: "" };
}
