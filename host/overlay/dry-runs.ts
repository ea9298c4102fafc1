/**
 * Calls that run dry, on whatever route: each in a world of its own, which is kept for a while so that it can be committed
 * (SPEC E8).
 */

import { toolError, type ToolErrorData, unavailable } from "../errors.ts";
import type { EmitEvent } from "../audit/events.ts";
import type { Clock } from "../platform/platform.ts";
import { classOf } from "../policy/policy.ts";
import type { Execution, Executor, Outcome } from "../routes/executor.ts";
import type { ToolCall } from "../call.ts";
import { openRunRecord, type RouteOptions } from "../routes/run-record.ts";
import type { Overlay } from "./overlay.ts";

/** What came of committing a dry run. Paths are as in `filesModified` of a result. */
export type Committed = CommitDone | CommitRefused;

/** Everything that the dry run said was done. */
export interface CommitDone {
  readonly ok: true;
  readonly callId: string;
  readonly filesModified: readonly string[];
}

/** `unknown`: there is no such dry run (any more). `changed`: it would not be what was shown. `failed`: not all of it was done. */
export interface CommitRefused {
  readonly ok: false;
  readonly callId: string;
  readonly code: "unknown" | "changed" | "failed";
  readonly message: string;
  /** Empty, unless it failed in the middle. */
  readonly filesModified: readonly string[];
}

/** The dry runs of one host. */
export interface DryRuns {
  /** The same executor, which runs dry what is to run dry. */
  allow(run: Executor): Executor;
  /** Once for each dry run. `hash` is that of its report, from whoever saw that and no other. */
  commit(callId: string, hash?: string): Promise<Committed>;
  /** What a person was shown before they agreed is done; `undefined` if it is not there any more. */
  commitPreview(call: ToolCall): Promise<Committed>;
  dropPreview(call: ToolCall): void;
}

interface Kept {
  readonly execution: Execution;
  readonly overlay: Overlay;
  readonly hash: string;
  readonly endsAt: number;
}

export interface DryRunOptions extends RouteOptions {
  /** Whether the tool is still that one, and policy says of it what it said. */
  readonly isUnchanged: (execution: Execution) => boolean;
}

/** Each may hold as much as `OVERLAY_LIMITS` says; the oldest goes. */
const MAX_KEPT = 4;
const KEPT_MS = 30 * 60_000;

export function createDryRuns(options: DryRunOptions): DryRuns {
  const { platform, emit } = options;
  const kept = createKept(platform.clock);
  const previews = new Map<ToolCall, Kept>();

  async function runDry(execution: Execution, run: Executor): Promise<Outcome> {
    const refusal = checkDryRun(execution);
    if (refusal) return { ok: false, error: refusal, used: { wallMs: 0 }, filesModified: [] };
    const isPreview = execution.dryRun === "preview";
    // Loaded with the first: most hosts never run anything dry.
    const { createOverlay } = await import("./overlay.ts");
    const overlay = createOverlay({ platform, sends: isPreview ? "nothing" : "asking" });
    const outcome = await run({ ...execution, overlay });
    const { exceeded } = overlay;
    if (exceeded !== undefined) return { ok: false, error: exceeded, used: outcome.used, filesModified: [] };
    const report = await overlay.report(execution.call.session.workspace, outcome.ok);
    const endsAt = platform.clock.now() + KEPT_MS;
    const entry: Kept = { execution, overlay, hash: report.hash, endsAt };
    if (report.canCommit && isPreview) previews.set(execution.call, entry);
    else if (report.canCommit) kept.add(entry);
    return { ...outcome, dryRun: report };
  }

  async function commit({ execution, overlay }: Kept): Promise<Committed> {
    const { callId, session } = execution.call;
    const refuse = (message: string): Committed => ({ ok: false, callId, code: "changed", message, filesModified: [] });
    if (!options.isUnchanged(execution))
      return refuse("The tool, or what it may do, changed after the dry run: nothing was done (run it again)");
    const changed = await overlay.tree.seen.changed(platform.guarded);
    if (changed.length > 0) {
      const shown = changed.map((path) => JSON.stringify(path)).join(", ");
      return refuse(`Files changed after the dry run: nothing was done (run it again). Changed: ${shown}`);
    }
    const { applyChanges } = await import("./apply.ts");
    const record = openRunRecord(execution, options);
    try {
      const { guarded: files, random } = record.bridge.platform;
      const { tree, changes } = overlay;
      const applied = await applyChanges({ tree, changes, files, random, context: record.bridge, record: record.bridge.record });
      const filesModified = applied.done.map((path) => relative(path, session.workspace));
      if (applied.ok) return { ok: true, callId, filesModified };
      const rest = applied.left.length === 0 ? "" : `; not done either: ${applied.left.map((path) => JSON.stringify(path)).join(", ")}`;
      const message = `Cannot change ${JSON.stringify(applied.failed)}: ${applied.reason}${rest}`;
      return { ok: false, callId, code: "failed", message, filesModified };
    } finally {
      record.close();
    }
  }

  async function commitKept(entry: Kept | undefined, callId: string): Promise<Committed> {
    if (entry === undefined) {
      const message = `No dry run "${callId}" can be committed: it did not succeed, sent nothing on that it would have had to, is done, is too old, or several have that id (give the hash of the one that is meant)`;
      return { ok: false, callId, code: "unknown", message, filesModified: [] };
    }
    const committed = await commit(entry);
    tell(entry.execution, committed, emit);
    return committed;
  }

  return {
    allow: (run) => (execution) => (execution.dryRun === undefined ? run(execution) : runDry(execution, run)),
    async commit(callId, hash) {
      return await commitKept(kept.take(callId, hash), callId);
    },
    commitPreview: (call) => commitKept(previews.get(call), call.callId),
    dropPreview: (call) => void previews.delete(call),
  };
}

/** Why a call cannot run dry: what it does could not be held back. */
function checkDryRun({ tool, decision }: Execution): ToolErrorData | undefined {
  const refuse = (reason: string): ToolErrorData => unavailable(tool.qualifiedName, `it cannot run dry: ${reason}`);
  const { binding } = tool;
  const own = binding.kind === "plugin" ? "wasm" : "host";
  if (decision.route !== own)
    return refuse(`on the "${decision.route}" route nothing holds back what it changes (set its route to "${own}")`);
  if (binding.kind === "plugin") {
    return binding.version.manifest.state === "session" ? refuse("its plugin keeps state between calls, which would change") : undefined;
  }
  const sideEffects = classOf(tool);
  const changesByContext = binding.kind === "factory" ? binding.create().changesByContext : undefined;
  if (changesByContext === false) return refuse("it changes something in the host itself");
  if (sideEffects === "none" || sideEffects === "read") return undefined;
  if (sideEffects === "execute") return refuse("it executes programs, and what they change cannot be held back");
  if (changesByContext === true) return undefined;
  return refuse("it is the embedding program's own code, which does not say that it changes things by its context only");
}

function tell({ tool, call }: Execution, committed: Committed, emit: EmitEvent): void {
  const { ok, filesModified } = committed;
  emit({
    type: "tool.committed",
    sessionId: call.session.id,
    callId: call.callId,
    ...(call.turnId !== undefined && { turnId: call.turnId }),
    ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
    ...(tool.plugin !== undefined && { plugin: tool.plugin }),
    ...(tool.binding.kind === "plugin" && { digest: tool.binding.version.digest }),
    payload: { tool: tool.qualifiedName, ok, filesModified, ...(!committed.ok && { reason: committed.message }) },
  });
}

/** What could not be committed is an error of the call that was agreed to. */
export function committedError(tool: string, refused: CommitRefused): ToolErrorData {
  return refused.code === "failed" ? toolError("tool_failed", refused.message) : unavailable(tool, refused.message);
}

interface KeptRuns {
  add(entry: Kept): void;
  /** None where the id is that of several sessions' runs, and no hash says which is meant: an id is its caller's choice. */
  take(callId: string, hash: string | undefined): Kept | undefined;
}

function createKept(clock: Pick<Clock, "now">): KeptRuns {
  let kept: readonly Kept[] = [];
  const without = (gone: Kept | undefined): readonly Kept[] => kept.filter((entry) => entry !== gone && entry.endsAt > clock.now());
  return {
    add(entry) {
      const { callId, session } = entry.execution.call;
      const replaced = kept.find(({ execution: { call } }) => call.callId === callId && call.session === session);
      kept = [...without(replaced), entry].slice(-MAX_KEPT);
    },
    take(callId, hash) {
      const meant = without(undefined).filter(
        (entry) => entry.execution.call.callId === callId && (hash === undefined || entry.hash === hash),
      );
      const [entry] = hash === undefined && meant.length > 1 ? [] : meant;
      kept = without(entry);
      return entry;
    },
  };
}

function relative(path: string, folder: string): string {
  const inside = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(inside) ? path.slice(inside.length) : path;
}
