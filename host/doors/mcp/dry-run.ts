/** Dry runs and commits through MCP, by two keys in the `_meta` of `tools/call` (SPEC E8). */

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { ToolResult } from "../../call/call.ts";
import { equalJson } from "../../primitives/json/equal-json.ts";
import { toolError, unavailable, userDenied } from "../../call/errors.ts";
import type { Host } from "../../host/host-interface.ts";
import { isJsonObject, type JsonObject } from "../../../manifests/mod.ts";
import type { CommitCaller, CommitRefused } from "../../effects/overlay/dry-runs.ts";
import type { Session } from "../../call/session.ts";

/** If `true`, the call changes nothing, and the result's `_meta` holds the dry run's report under the same key. */
export const DRY_RUN_KEY = "bascule/dryRun";
/** Commits a dry run of the same tool and arguments: `{ callId, hash }`. */
const COMMIT_KEY = "bascule/commit";

/** Dry-run options of a request. */
export interface DryRunRequest {
  readonly dryRun: boolean;
  readonly commit?: { readonly callId: string; readonly hash: string };
}

/** Reads the options. @throws {ProtocolError} if a key has another value, because a call meant to change nothing must not run. */
export function dryRunRequest(meta: Readonly<Record<string, unknown>> | undefined): DryRunRequest {
  const dryRun = meta?.[DRY_RUN_KEY] ?? false;
  if (typeof dryRun !== "boolean") throw invalid(`"${DRY_RUN_KEY}" must be true or false`);
  const commit = meta?.[COMMIT_KEY];
  if (commit === undefined) return { dryRun };
  // `commit` came from JSON.parse, so it is JSON.
  const { callId, hash } = isJsonObject(commit) ? commit : {};
  if (typeof callId !== "string" || typeof hash !== "string") throw invalid(`"${COMMIT_KEY}" must be { callId, hash } of a dry run`);
  if (dryRun) throw invalid(`"${DRY_RUN_KEY}" and "${COMMIT_KEY}" cannot be combined`);
  return { dryRun, commit: { callId, hash } };
}

/** A commit and its caller. */
interface CommitRequest extends Pick<CommitCaller, "confirm" | "signal"> {
  readonly host: Pick<Host, "commit" | "result">;
  readonly tool: string;
  readonly args: JsonObject;
  readonly session: Session;
  readonly commit: NonNullable<DryRunRequest["commit"]>;
}

/** Commits a dry run and returns its result, as if the call had run. @throws {ProtocolError} if the dry run is unknown. */
export function commitDryRun({ host, tool, args, session, commit: { callId, hash }, ...asking }: CommitRequest): Promise<ToolResult> {
  const dry = host.result(callId);
  // Compare the hash too: it proves that the client has seen the report, whereas ids are not secret.
  if (dry?.dryRun?.hash !== hash) throw invalid("Dry run not found, or no longer kept: repeat the dry run and commit the new one");
  const { dryRun: _done, digest, durationMs, ...rest } = dry;
  const owns: CommitCaller["owns"] = (call) =>
    call.session.id === session.id && call.tool === tool && isJsonObject(call.args) && equalJson(call.args, args);
  return host.commit(callId, { hash, caller: { owns, ...asking } }).then((committed): ToolResult => {
    const { filesModified } = committed;
    if (committed.ok) return { ...rest, durationMs, ...(digest !== undefined && { digest }), filesModified };
    // The dry run may belong to another client, so reveal nothing about it.
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
