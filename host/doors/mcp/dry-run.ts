/** Dry runs and committing them through MCP: two keys of a `tools/call`'s `_meta` (SPEC E8). */

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { ToolResult } from "../../call/call.ts";
import { equalJson } from "../../primitives/json/equal-json.ts";
import { toolError, unavailable, userDenied } from "../../call/errors.ts";
import type { Host } from "../../host/host-interface.ts";
import { isJsonObject, type JsonObject } from "../../../manifests/mod.ts";
import type { CommitCaller, CommitRefused } from "../../effects/overlay/dry-runs.ts";
import type { Session } from "../../call/session.ts";

/** `true`: nothing is changed, and the result's `_meta` holds under the same key what would have been. */
export const DRY_RUN_KEY = "bascule/dryRun";
/** `{ callId, hash }` of a dry run of the same tool with the same arguments: what it said is done. */
export const COMMIT_KEY = "bascule/commit";

/** What a request wants besides calling its tool. */
export interface DryRunWish {
  readonly dryRun: boolean;
  readonly commit?: { readonly callId: string; readonly hash: string };
}

/** @throws {ProtocolError} if one of the keys says something else: a call that was meant to change nothing must not run. */
export function dryRunWish(meta: Readonly<Record<string, unknown>> | undefined): DryRunWish {
  const dryRun = meta?.[DRY_RUN_KEY] ?? false;
  if (typeof dryRun !== "boolean") throw invalid(`"${DRY_RUN_KEY}" is neither true nor false`);
  const commit = meta?.[COMMIT_KEY];
  if (commit === undefined) return { dryRun };
  // What came through JSON.parse is JSON.
  const { callId, hash } = isJsonObject(commit) ? commit : {};
  if (typeof callId !== "string" || typeof hash !== "string") throw invalid(`"${COMMIT_KEY}" is not { callId, hash } of a dry run`);
  if (dryRun) throw invalid(`"${DRY_RUN_KEY}" and "${COMMIT_KEY}" exclude each other`);
  return { dryRun, commit: { callId, hash } };
}

/** What is committed, and for whom. */
export interface CommitRequest extends Pick<CommitCaller, "confirm" | "signal"> {
  readonly host: Pick<Host, "commit" | "result">;
  readonly tool: string;
  readonly args: JsonObject;
  readonly session: Session;
  readonly commit: NonNullable<DryRunWish["commit"]>;
}

/** Does what the dry run said; the result is the dry run's own, as if the call had been made. @throws {ProtocolError} if there is none. */
export function commitDryRun({ host, tool, args, session, commit: { callId, hash }, ...asking }: CommitRequest): Promise<ToolResult> {
  const dry = host.result(callId);
  // By its hash too, which says that this is what the client was shown: ids are nobody's secret.
  if (dry?.dryRun?.hash !== hash) throw invalid("There is no such dry run (any more): call again with it, and commit what that says");
  const { dryRun: _done, digest, durationMs, ...rest } = dry;
  const owns: CommitCaller["owns"] = (call) =>
    call.session.id === session.id && call.tool === tool && isJsonObject(call.args) && equalJson(call.args, args);
  return host.commit(callId, { hash, caller: { owns, ...asking } }).then((committed): ToolResult => {
    const { filesModified } = committed;
    if (committed.ok) return { ...rest, durationMs, ...(digest !== undefined && { digest }), filesModified };
    // It may be another client's, so nothing is told of it.
    return {
      ...rest,
      durationMs: 0,
      ok: false,
      status: "error",
      output: null,
      content: [],
      filesModified,
      error: errorOf(tool, committed),
    };
  });
}

function errorOf(tool: string, { code, message }: CommitRefused): Extract<ToolResult, { ok: false }>["error"] {
  if (code === "failed") return toolError("tool_failed", message);
  return code === "refused" ? { ...userDenied(), message } : unavailable(tool, message);
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
