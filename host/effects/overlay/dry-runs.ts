/**
 * Calls that run dry, on whatever route: each in a world of its own, which is kept for a while so that it can be committed
 * (SPEC E8).
 */

import { toolError, type ToolErrorData, unavailable } from "../../call/errors.ts";
import type { EmitEvent } from "../../audit/events.ts";
import type { Clock } from "../../platform/platform.ts";
import type { Service } from "../../primitives/service/service.ts";
import { classOf } from "../../policy/policy.ts";
import { diffBy } from "./diff-by.ts";
import type { Execution, Executor, Outcome } from "../../tools/execution.ts";
import type { ConfirmPrompt, ToolCall } from "../../call/call.ts";
import { sessionOwner } from "../../call/session.ts";
import type { Confirm } from "../../confirmations/confirmations.ts";
import type { BridgeContext } from "../../capabilities/mod.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Overlay } from "./overlay.ts";
import type { DryRunReport } from "../../call/dry-run-report.ts";

/** What came of committing a dry run. Paths are as in `filesModified` of a result. */
export type Committed = CommitDone | CommitRefused;

/** Everything that the dry run said was done. */
export interface CommitDone {
  readonly ok: true;
  readonly callId: string;
  readonly filesModified: readonly string[];
}

/**
 * `unknown`: there is no such dry run (any more). `changed`: it would not be what was shown. `refused`: a person has to agree to it,
 * and did not. `failed`: not all of it was done.
 */
export interface CommitRefused {
  readonly ok: false;
  readonly callId: string;
  readonly code: "unknown" | "changed" | "refused" | "failed";
  readonly message: string;
  /** Empty, unless it failed in the middle. */
  readonly filesModified: readonly string[];
}

/** Who wants a dry run committed, where that is not a person: a door's client, whose yes is worth nothing. */
export interface CommitCaller {
  /** Whether the dry run is this client's own; of any other there is none. */
  readonly owns: (call: ToolCall) => boolean;
  /** How to ask a person, where policy says that one is asked about the tool. Absent: it is refused then. */
  readonly confirm?: ConfirmPrompt;
  readonly signal?: AbortSignal;
}

/** What is committed, and for whom. */
export interface CommitWish {
  /** Of the dry run's report, from whoever saw that and no other. */
  readonly hash?: string;
  /** Absent: a person wants it. */
  readonly caller?: CommitCaller;
  /** What a person may mean. Default: every dry run. */
  readonly of?: (call: ToolCall) => boolean;
}

/** The dry runs of one host. */
export interface DryRuns {
  /** The same executor, which runs dry what is to run dry. */
  allow(run: Executor): Executor;
  /** Once for each dry run. */
  commit(callId: string, wish?: CommitWish): Promise<Committed>;
  /** What a person was shown before they agreed is done; `undefined` if it is not there any more. */
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

export interface DryRunOptions {
  readonly platform: Platform;
  readonly emit: EmitEvent;
  /** Begins the record of a commit (`openRunRecord` of the routes). */
  readonly openRecord: (execution: Execution) => CommitRecord;
  /** Compares what files held with what they would hold. */
  readonly service: Service;
  /** Asks a person about what was shown. */
  readonly confirm: Confirm;
  /** Whether the tool is still that one, and policy says of it what it said. */
  readonly isUnchanged: (execution: Execution) => boolean;
}

/** Each may hold as much as `OVERLAY_LIMITS` says; the oldest goes of whoever has the most. */
const MAX_KEPT = 4;
const MAX_ASKED_OF_OWNER = 2;
const KEPT_MS = 30 * 60_000;
const NEVER: AbortSignal = new AbortController().signal;

export function createDryRuns(options: DryRunOptions): DryRuns {
  const { platform, service, emit } = options;
  const kept = createKept(platform.clock);
  const previews = new Map<ToolCall, Kept>();
  /** Those whose commit a person is asked about. */
  const asked = new Set<Kept>();
  /** Those whose files are being changed. */
  const committing = new Set<Kept>();

  async function runDry(execution: Execution, run: Executor): Promise<Outcome> {
    const refusal = checkDryRun(execution);
    if (refusal) return { ok: false, error: refusal, used: { wallMs: 0 }, filesModified: [] };
    const isPreview = execution.dryRun === "preview";
    // Loaded with the first: most hosts never run anything dry.
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
    if (!options.isUnchanged(execution))
      return refuse("The tool, or what it may do, changed after the dry run: nothing was done (run it again)");
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
      const filesModified = applied.done.map((path) => relative(path, session.workspace));
      if (applied.ok) return { ok: true, callId, filesModified };
      const rest = applied.left.length === 0 ? "" : `; not done either: ${applied.left.map((path) => JSON.stringify(path)).join(", ")}`;
      const message = `Cannot change ${JSON.stringify(applied.failed)}: ${applied.reason}${rest}`;
      return { ok: false, callId, code: "failed", message, filesModified };
    } finally {
      // From here on it can be undone.
      await record.end();
    }
  }

  async function commitFor({ owns, confirm, signal }: CommitCaller, callId: string, hash?: string): Promise<Committed> {
    const found = kept.find(callId, hash, owns);
    if (found === undefined) return await commitKept(undefined, callId);
    const { execution, report: preview } = found;
    const { tool, call, args, decision } = execution;
    // Policy that makes calls dry runs wants somebody to look at them, too.
    if (decision.kind === "ask" || decision.dryRun === true) {
      const refused = { ok: false, callId, code: "refused", filesModified: [] } as const;
      const how = `commit it on the console or by bascule commit ${callId}`;
      if (confirm === undefined) return { ...refused, message: `A person has to agree to what ${tool.qualifiedName} would change: ${how}` };
      const others = [...asked].filter((entry) => ownerOf(entry) === ownerOf(found)).length;
      if (asked.size >= MAX_KEPT || others >= MAX_ASKED_OF_OWNER)
        return { ...refused, message: `Other commits wait for a person already: commit it when they are answered, or ${how}` };
      // Taken out while the question stands: nobody else commits it meanwhile.
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
      const message = `No dry run "${callId}" can be committed: it did not succeed, sent nothing on that it would have had to, is done, is too old, or several have that id (give the hash of the one that is meant)`;
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
  /** Undefined also where several have that id and no hash says which is meant. */
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

function relative(path: string, folder: string): string {
  const inside = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(inside) ? path.slice(inside.length) : path;
}
