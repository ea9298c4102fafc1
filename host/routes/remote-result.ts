/** Translates another host's answer to a call into this host's terms (SPEC O3, X2). */

import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue, type Limits } from "../../manifests/mod.ts";
import { type ErrorCode, readErrorCode, resourceExhausted, toolError, type ToolErrorData, unavailable } from "../call/errors.ts";
import { LARGE_BYTES } from "../../sandbox/mod.ts";
import { copyJson, copySlices } from "../primitives/json/json.ts";
import { readJsonText } from "../primitives/json/json-text.ts";
import { readSlices } from "../primitives/json/read-slices.ts";
import { largeOutcome } from "./divide-value.ts";
import type { Outcome } from "../tools/execution.ts";
import { type OutcomeFacts, partsOutcome } from "./output.ts";

/** Source and bounds of an answer. */
interface RemoteAnswer {
  /** Name of the host in `bascule.json`. */
  readonly remote: string;
  readonly tool: string;
  readonly limits: Pick<Limits, "outputBytes" | "jsonDepth">;
  readonly facts: OutcomeFacts;
  /** Output schema of the tool. */
  readonly schema: JsonSchema | undefined;
}

/** Bytes of a result besides its output. */
const AROUND_BYTES = 1024 * 1024;
const AROUND_DEPTH = 8;
const MESSAGE_LENGTH = 4_000;
const DETAILS = { maxBytes: 64 * 1024, maxDepth: 32 };

/** Reads a result, in slices above 64 KB. Never throws because of the text. */
export function* readRemoteResult(text: string, answer: RemoteAnswer): Generator<void, Outcome> {
  const { remote, tool, limits, facts, schema } = answer;
  const { outputBytes, jsonDepth } = limits;
  const fail = (error: ToolErrorData): Outcome => ({ ok: false, error, ...facts });
  const bounds = { maxBytes: 6 * outputBytes + AROUND_BYTES, maxDepth: jsonDepth + AROUND_DEPTH };
  const isLarge = text.length > LARGE_BYTES;
  const read = isLarge ? yield* readSlices(text, bounds, { isReadersOwn: true }) : readJsonText(text, bounds);
  if (!read.ok && "tooLarge" in read) {
    return fail(read.tooLarge === "bytes" ? resourceExhausted("outputBytes", outputBytes) : resourceExhausted("jsonDepth", jsonDepth));
  }
  const result = read.ok && isJsonObject(read.value) ? read.value : {};
  if (result["ok"] === false && isJsonObject(result["error"])) {
    const error = toOurs(result["error"], answer);
    // The tool's own blocks. Above 64 KB they are left out, and the error's message holds the beginning of them.
    const { content } = isLarge || error.code !== "tool_failed" ? {} : partsOutcome({ content: result["content"] ?? [] }, facts);
    return { ...fail(error), ...(content && { content }) };
  }
  if (result["ok"] !== true) return fail(unavailable(tool, `the remote host "${remote}" did not answer with a result`));
  const { output = null, content = [], metadata, filesModified = [] } = result;
  const parts = { output, content, filesModified, metadata: { ...(isJsonObject(metadata) && metadata), remote } };
  // Bounds of the output, the same as on every other route.
  const most = { maxBytes: outputBytes, maxDepth: jsonDepth };
  const copy = isLarge ? yield* copySlices(parts, most) : copyJson(parts, most);
  if (copy.ok && isLarge) return yield* largeOutcome({ value: copy.value, isTold: true, schema }, facts);
  if (copy.ok && isJsonObject(copy.value)) return partsOutcome(copy.value, facts);
  return fail(
    !copy.ok && copy.reason === "too_deep" ? resourceExhausted("jsonDepth", jsonDepth) : resourceExhausted("outputBytes", outputBytes),
  );
}

/** Errors about the tool or its arguments, which are valid on this host too. */
const SAME: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "invalid_args",
  "timeout",
  "resource_exhausted",
  "overloaded",
  "tool_failed",
  "invalid_output",
]);
/** Refusals by the other host's policy or user. */
const REFUSED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "permission_denied",
  "fs_denied",
  "net_denied",
  "user_denied",
  "confirmation_timeout",
]);

function toOurs(error: JsonObject, { remote, tool }: RemoteAnswer): ToolErrorData {
  const code = typeof error["code"] === "string" ? readErrorCode(error["code"]) : undefined;
  const said = typeof error["message"] === "string" ? error["message"].slice(0, MESSAGE_LENGTH) : "";
  const details = detailsOf(error["details"]);
  if (code !== undefined && SAME.has(code)) return toolError(code, said, details && { details });
  if (code !== undefined && REFUSED.has(code)) {
    // The other host's hint names commands for that host; here they would grant something else.
    return toolError(code, said, { hint: { text: `The remote host "${remote}" refuses it: change its permissions there` } });
  }
  // The other side does not know either whether it happened.
  if (details?.["lost"] === true) return toolError("unavailable", said, { details });
  // A defect or a missing tool of the other host both mean here that it cannot run the call now.
  return unavailable(tool, `the remote host "${remote}" answered ${code ?? "an unknown error"}: ${said}`);
}

function detailsOf(details: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(details)) return undefined;
  const copy = copyJson(details, DETAILS);
  return copy.ok && isJsonObject(copy.value) ? copy.value : undefined;
}
