/** Dry runs on every route. Each has its own overlay, which is kept for a while so that it can be committed (SPEC E8). */

import { relativeBelow } from "../../../manifests/mod.ts";
import { toolError, type ToolErrorData, unavailable } from "../../call/errors.ts";
import type { EmitEvent } from "../../audit/events.ts";
import type { Clock } from "../../platform/platform.ts";
import { defined } from "../../primitives/defined.ts";
import type { Service } from "../../primitives/service/service.ts";
import { classOf } from "../../policy/side-effects.ts";
import { diffBy } from "./diff-by.ts";
import type { Execution, Executor, Outcome } from "../../tools/execution.ts";
import type { ConfirmPrompt, ToolCall } from "../../call/call.ts";
import { sessionOwner } from "../../call/session.ts";
import type { Confirm } from "../../confirmations/confirmations.ts";
import type { BridgeContext } from "../../capabilities/mod.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Overlay } from "./overlay.ts";
import type { DryRunReport } from "../../call/dry-run-report.ts";

/** The result of a commit. Paths are as in `filesModified` of a result. */
export type Committed = CommitDone | CommitRefused;

/** All reported changes were made. */
interface CommitDone {
  readonly ok: true;
  readonly callId: string;
  readonly filesModified: readonly string[];
}

/**
 * `unknown`: the dry run is not kept (any more). `changed`: the result would differ from the report. `refused`: the user must confirm, and
 * did not. `failed`: only some changes were made.
 */
export interface CommitRefused {
  readonly ok: false;
  readonly callId: string;
  readonly code: "unknown" | "changed" | "refused" | "failed";
  readonly message: string;
  /** Empty, unless the commit failed half way. */
  readonly filesModified: readonly string[];
}

/** A door's client that asks for a commit. Its own agreement does not count as the user's. */
export interface CommitCaller {
  /** Whether the client owns the dry run. Others are hidden from it. */
  readonly owns: (call: ToolCall) => boolean;
  /** How to ask the user, if policy requires a confirmation for the tool. If absent, the commit is refused. */
  readonly confirm?: ConfirmPrompt;
  readonly signal?: AbortSignal;
}

/** Options of a commit. */
export interface CommitOptions {
  /** Hash of the dry run's report, as proof that the caller saw that report. */
  readonly hash?: string;
  /** Absent if the user asks. */
  readonly caller?: CommitCaller;
  /** Dry runs that the user may commit. Default: all. */
  readonly of?: (call: ToolCall) => boolean;
}

/** The dry runs of one host. */
export interface DryRuns {
  /** Wraps an executor so that calls marked as dry runs run dry. */
  allow(run: Executor): Executor;
  /** Commits a dry run, once. */
  commit(callId: string, request?: CommitOptions): Promise<Committed>;
  /** Commits the preview that the user confirmed. The result is `unknown` if it is not kept any more. */
  commitPreview(call: ToolCall): Promise<Committed>;
  isCommitting(callId: string): boolean;
  dropPreview(call: ToolCall): void;
}

interface Kept {
  readonly execution: Execution;
  readonly overlay: Overlay;
  readonly report: DryRunReport;
  readonly endsAt: number;
}

/** Where a commit notes what it does, as a call does. */
interface CommitRecord {
  readonly bridge: BridgeContext;
  /** Undefined if nothing is left to wait for. */
  end(): Promise<unknown> | undefined;
}

interface DryRunOptions {
  readonly platform: Platform;
  readonly emit: EmitEvent;
  /** Begins the record of a commit (`openRunRecord` of the routes). */
  readonly openRecord: (execution: Execution) => CommitRecord;
  /** Compares what files held with what they would hold. */
  readonly service: Service;
  /** Asks the user to confirm a report. */
  readonly confirm: Confirm;
  /** Returns whether the tool, and the policy's decision about it, are unchanged. */
  readonly isUnchanged: (execution: Execution) => boolean;
}

/** Each may hold as much as `OVERLAY_LIMITS` allows. The owner with the most loses its oldest. */
const MAX_KEPT = 4;
const MAX_ASKED_OF_OWNER = 2;
const KEPT_MS = 30 * 60_000;
const NEVER: AbortSignal = new AbortController().signal;

export function createDryRuns(options: DryRunOptions): DryRuns {
  const { platform, service, emit } = options;
  const kept = createKept(platform.clock);
  const previews = new Map<ToolCall, Kept>();
  /** Dry runs whose commit awaits a confirmation. */
  const asked = new Set<Kept>();
  /** Dry runs that are being committed. */
  const committing = new Set<Kept>();

  async function runDry(execution: Execution, run: Executor): Promise<Outcome> {
    const refusal = checkDryRun(execution);
    if (refusal) return { ok: false, error: refusal, used: { wallMs: 0 }, filesModified: [] };
    const isPreview = execution.dryRun === "preview";
    // Imported at the first dry run, because most hosts never run one.
    const { createOverlay } = await import("./overlay.ts");
    const overlay = createOverlay({
      platform,
      sends: isPreview ? "nothing" : "asking",
      diff: diffBy(service, execution.tool.plugin ?? execution.tool.qualifiedName),
    });
    const outcome = await run({ ...execution, overlay });
    const { exceeded } = overlay;
    if (exceeded !== undefined) return { ok: false, error: exceeded, used: outcome.used, filesModified: [] };
    const report = await overlay.report(execution.call.session.workspace, outcome.ok);
    const endsAt = platform.clock.now() + KEPT_MS;
    const entry: Kept = { execution, overlay, report, endsAt };
    if (report.canCommit && isPreview) previews.set(execution.call, entry);
    else if (report.canCommit) kept.add(entry);
    return { ...outcome, dryRun: report };
  }

  async function commit({ execution, overlay }: Kept): Promise<Committed> {
    const { callId, session } = execution.call;
    const refuse = (message: string): Committed => ({ ok: false, callId, code: "changed", message, filesModified: [] });
    if (!options.isUnchanged(execution)) return refuse("The tool or its policy changed after the dry run: nothing was done (run it again)");
    const changed = await overlay.tree.seen.changed(platform.guarded);
    if (changed.length > 0) {
      const shown = changed.map((path) => JSON.stringify(path)).join(", ");
      return refuse(`Files changed after the dry run: nothing was done (run it again). Changed: ${shown}`);
    }
    const { applyChanges } = await import("./apply.ts");
    const record = options.openRecord(execution);
    try {
      const { guarded: files, random } = record.bridge.platform;
      const { tree, changes } = overlay;
      const applied = await applyChanges({ tree, changes, files, random, context: record.bridge, record: record.bridge.record });
      const filesModified = applied.done.map((path) => relativeBelow(path, session.workspace) ?? path);
      if (applied.ok) return { ok: true, callId, filesModified };
      const rest = applied.left.length === 0 ? "" : `; not done either: ${applied.left.map((path) => JSON.stringify(path)).join(", ")}`;
      const message = `Cannot change ${JSON.stringify(applied.failed)}: ${applied.reason}${rest}`;
      return { ok: false, callId, code: "failed", message, filesModified };
    } finally {
      // From now on the commit can be undone.
      await record.end();
    }
  }

  async function commitFor({ owns, confirm, signal }: CommitCaller, callId: string, hash?: string): Promise<Committed> {
    const found = kept.find(callId, hash, owns);
    if (found === undefined) return await commitKept(undefined, callId);
    const { execution, report: preview } = found;
    const { tool, call, args, decision } = execution;
    // A policy that turns calls into dry runs wants the user to review their changes too.
    if (decision.kind === "ask" || decision.dryRun === true) {
      const refused = { ok: false, callId, code: "refused", filesModified: [] } as const;
      const how = `commit it in the console or with bascule commit ${callId}`;
      if (confirm === undefined)
        return { ...refused, message: `The changes of ${tool.qualifiedName} need the user's confirmation: ${how}` };
      const others = [...asked].filter((entry) => ownerOf(entry) === ownerOf(found)).length;
      if (asked.size >= MAX_KEPT || others >= MAX_ASKED_OF_OWNER)
        return { ...refused, message: `Other commits await a confirmation: commit it after them, or ${how}` };
      // Removed while the confirmation is pending, so that it cannot be committed meanwhile.
      kept.drop(found);
      asked.add(found);
      const question = { tool, args, decision, preview, call: { ...call, confirm } };
      const no = await options.confirm(question, signal ?? NEVER).finally(() => asked.delete(found));
      if (no !== undefined) return { ...refused, message: no.message };
    }
    kept.drop(found);
    return await commitKept(found, callId);
  }

  async function commitKept(entry: Kept | undefined, callId: string): Promise<Committed> {
    if (entry === undefined) {
      const message = `Cannot commit dry run "${callId}": it failed, held back requests, was committed already, is too old, or shares its id with others (give the hash of its report)`;
      return { ok: false, callId, code: "unknown", message, filesModified: [] };
    }
    committing.add(entry);
    const committed = await commit(entry).finally(() => committing.delete(entry));
    tell(entry.execution, committed, emit);
    return committed;
  }

  return {
    allow: (run) => (execution) => (execution.dryRun === undefined ? run(execution) : runDry(execution, run)),
    async commit(callId, { hash, caller, of } = {}) {
      return caller === undefined ? await commitKept(kept.take(callId, hash, of), callId) : await commitFor(caller, callId, hash);
    },
    isCommitting: (callId) => [...committing].some(({ execution }) => execution.call.callId === callId),
    commitPreview: (call) => commitKept(previews.get(call), call.callId),
    dropPreview: (call) => void previews.delete(call),
  };
}

/** Returns why a call cannot run dry: its effects could not be held back. */
function checkDryRun({ tool, decision }: Execution): ToolErrorData | undefined {
  const refuse = (reason: string): ToolErrorData => unavailable(tool.qualifiedName, `it cannot run dry: ${reason}`);
  const { binding } = tool;
  const own = binding.kind === "plugin" ? "wasm" : "host";
  if (decision.route !== own) return refuse(`the "${decision.route}" route cannot hold back its changes (set its route to "${own}")`);
  if (binding.kind === "plugin") {
    return binding.version.manifest.state === "session" ? refuse("its plugin keeps state between calls, which would change") : undefined;
  }
  const sideEffects = classOf(tool);
  const changesByContext = binding.kind === "factory" ? binding.create().changesByContext : undefined;
  if (changesByContext === false) return refuse("it changes something in the host itself");
  if (sideEffects === "none" || sideEffects === "read") return undefined;
  if (sideEffects === "execute") return refuse("it executes programs, whose changes cannot be held back");
  if (changesByContext === true) return undefined;
  return refuse("it is the embedding program's own code, which does not declare that it changes things only through its context");
}

function tell({ tool, call }: Execution, committed: Committed, emit: EmitEvent): void {
  const { ok, filesModified } = committed;
  emit({
    type: "tool.committed",
    sessionId: call.session.id,
    callId: call.callId,
    ...defined({ turnId: call.turnId, traceparent: call.traceparent, plugin: tool.plugin }),
    ...(tool.binding.kind === "plugin" && { digest: tool.binding.version.digest }),
    payload: { tool: tool.qualifiedName, ok, filesModified, ...(!committed.ok && { reason: committed.message }) },
  });
}

/** Returns the error of a confirmed call whose preview could not be committed. */
export function committedError(tool: string, refused: CommitRefused): ToolErrorData {
  return refused.code === "failed" ? toolError("tool_failed", refused.message) : unavailable(tool, refused.message);
}

interface KeptRuns {
  add(entry: Kept): void;
  /** Returns undefined if several have that id and no hash tells them apart. */
  find(callId: string, hash?: string, owns?: CommitCaller["owns"]): Kept | undefined;
  take(callId: string, hash?: string, of?: CommitCaller["owns"]): Kept | undefined;
  drop(entry: Kept): void;
}

function createKept(clock: Pick<Clock, "now">): KeptRuns {
  let kept: readonly Kept[] = [];
  const without = (gone: Kept | undefined): readonly Kept[] => kept.filter((entry) => entry !== gone && entry.endsAt > clock.now());

  function find(callId: string, hash?: string, owns: CommitCaller["owns"] = () => true): Kept | undefined {
    const meant = without(undefined).filter(
      ({ execution: { call }, report }) => call.callId === callId && (hash === undefined || report.hash === hash) && owns(call),
    );
    return hash === undefined && meant.length > 1 ? undefined : meant[0];
  }

  return {
    find,
    add(entry) {
      const { callId, session } = entry.execution.call;
      const replaced = kept.find(({ execution: { call } }) => call.callId === callId && call.session === session);
      kept = [...without(replaced), entry];
      if (kept.length > MAX_KEPT) kept = without(oldestOfTheGreediest(kept));
    },
    take(callId, hash, of) {
      const entry = find(callId, hash, of);
      kept = without(entry);
      return entry;
    },
    drop: (entry) => void (kept = without(entry)),
  };
}

function oldestOfTheGreediest(kept: readonly Kept[]): Kept | undefined {
  const byOwner = Map.groupBy(kept, ownerOf);
  const [most] = [...byOwner.values()].toSorted((left, right) => right.length - left.length);
  return most?.[0];
}

function ownerOf({ execution: { call } }: Kept): string {
  return sessionOwner(call.session);
}
