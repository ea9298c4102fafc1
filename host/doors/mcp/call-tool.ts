/** `tools/call`: runs a call over one request or several (SPEC I3, E5). */

import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { type JsonObject, type JsonSchema, type JsonValue, LIMIT_CEILINGS } from "../../../manifests/mod.ts";
import type { ToolResult } from "../../call/call.ts";
import { toolNotFound } from "../../call/errors.ts";
import { notExported } from "../../tools/exports/names.ts";
import { hashOf } from "../../primitives/json/json-hash.ts";
import { copyHolder, holdLarge, largeIn } from "../../primitives/json/large.ts";
import { copyJson } from "../../primitives/json/json.ts";
import { asTyped, PROGRAM } from "../../primitives/typed-commands.ts";
import type { ToolListing } from "../../tools/listing.ts";
import { hasOwnWords, toMcp } from "../../call/result.ts";
import { nearestName, nearestNames } from "../../tools/nearest.ts";
import type { Session } from "../../call/session.ts";
import { answerQuestion } from "./answer-question.ts";
import { askThrough, type Missing } from "./asks.ts";
import type { McpClient } from "./client.ts";
import { clientNotices } from "./client-notices.ts";
import { confirmThrough } from "./confirmation.ts";
import { commitDryRun, DRY_RUN_KEY, type DryRunRequest, dryRunRequest } from "./dry-run.ts";
import { type CallSide, openCall, type OpenCall } from "./open-call.ts";
import type { Marks } from "./marks.ts";
import type { Caller } from "./parts.ts";
import { foldersOf } from "./roots.ts";

/** Parameters of `tools/call`. */
interface CallParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

const MAX_ASKED = 64;
const ABOUT_BOUNDS = { maxBytes: LIMIT_CEILINGS.argumentBytes, maxDepth: LIMIT_CEILINGS.jsonDepth } as const;
const ROOTS_TIMEOUT_MS = 10_000;

/** Starts a call, or resumes the one of `requestState`. @throws {ProtocolError} if the tool is unknown or the state is invalid. */
export async function callTool(params: CallParams, ctx: ServerContext, caller: Caller): Promise<CallToolResult | InputRequiredResult> {
  const { parts, client, era } = caller;
  const { name } = params;
  // The arguments came from JSON.parse, so they are JSON.
  const args = parts.inputs.take((params.arguments ?? {}) as JsonObject);
  if (era === "legacy") client.narrow(() => listRoots(ctx, caller));
  const session = await client.session();
  const wanted = dryRunRequest(ctx.mcpReq._meta);
  // Arguments that are too deep to hash are refused when the call runs.
  const copy = copyJson(args, ABOUT_BOUNDS);
  // The hash includes the options, so that an answer is valid only for the request it was given for.
  const about = await hashOf([name, copy.ok ? copy.value : null, wanted.dryRun, { ...wanted.commit }], parts.platform);
  const listing = (await client.known()).get(name);
  // Dispatch explains why an unlisted tool cannot run.
  const tool = listing?.qualifiedName ?? (await client.qualifiedName(name)) ?? notExported(name);

  const state = ctx.mcpReq.requestState<string>();
  const call =
    state === undefined
      ? begin(tool, args, {
          ...caller,
          ctx,
          session,
          about,
          wish: wanted,
          isHostTool: listing !== undefined && listing.plugin === undefined,
        })
      : resume(state, ctx, { ...caller, about });
  const cancel = (): void => call.cancel();
  ctx.mcpReq.signal.addEventListener("abort", cancel, { once: true });
  if (ctx.mcpReq.signal.aborted) cancel();
  const notices = clientNotices(ctx, { tool: name, clock: parts.platform.clock, onError: parts.onError, isBehind: parts.isBehind });
  call.follow(notices);

  for (;;) {
    const step = await call.next();
    if (step.kind === "ended") {
      notices.end();
      const { capabilities } = MISSING.get(call) ?? {};
      if (!step.result.ok && capabilities !== undefined && era === "modern")
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: capabilities });
      return await finish(step.result, name, { ...caller, about });
    }
    if (era === "legacy") {
      await answerQuestion(step.question, ctx, caller);
      continue;
    }
    // The request ends here and the call continues, so the end of the request must not cancel it.
    ctx.mcpReq.signal.removeEventListener("abort", cancel);
    call.follow(undefined);
    const { question } = step;
    return inputRequired({ inputRequests: question.inputs, requestState: parts.rounds.suspend({ call, question, client, about }) });
  }
}

/** Missing client capabilities of each open call. */
const MISSING = new WeakMap<OpenCall, Missing>();

interface CallOf extends Caller {
  /** True for a tool of the embedding program and a built-in tool. */
  readonly isHostTool: boolean;
  readonly ctx: ServerContext;
  readonly session: Session;
  readonly about: string;
  readonly wish: DryRunRequest;
}

function begin(tool: string, args: JsonObject, of: CallOf): OpenCall {
  const { parts, client, ctx, session, about } = of;
  const { dryRun, commit } = of.wish;
  const callId = client.asked.get(about);
  const traceparent = traceparentOf(ctx);
  const capabilities = capabilitiesOf(of);
  const canAsk = parts.confirms && elicits(capabilities);
  if (commit !== undefined) {
    return openCall(({ signal, ask }) =>
      commitDryRun({ host: parts.host, tool, args, session, commit, signal, ...(canAsk && { confirm: confirmThrough(ask) }) }),
    );
  }
  const missing: Missing = {};
  // Answers sent in advance. They never answer a confirmation, whose answer must follow what the user was shown.
  const given = ctx.mcpReq.inputResponses ?? {};
  const call = openCall(({ signal, onProgress, onYield, onLog, ask }: CallSide) =>
    parts.host.call(tool, args, {
      session,
      signal,
      onProgress,
      onYield,
      onLog,
      // Plugins cannot ask the user, because their text could pass for the host's.
      ...(of.isHostTool && { ask: askThrough({ ask, signal }, { capabilities, given, missing }) }),
      ...(callId !== undefined && { callId }),
      ...(dryRun && { dryRun }),
      ...(traceparent !== undefined && { traceparent }),
      ...(canAsk ? { confirm: confirmThrough(ask) } : parts.unattended && { unattended: parts.unattended }),
    }),
  );
  MISSING.set(call, missing);
  return call;
}

/** Resumes a call. @throws {ProtocolError} if the state is used up, or belongs to another client or request. */
function resume(state: string, ctx: ServerContext, { parts, client, about }: Pick<CallOf, "parts" | "client" | "about">): OpenCall {
  const round = parts.rounds.take(state, client);
  if (round === undefined) throw invalidState();
  if (round.about !== about) {
    // The request differs from the one that the client was asked about: run neither.
    round.call.cancel();
    throw invalidState();
  }
  // Missing answers are requested again.
  round.question.answer(ctx.mcpReq.inputResponses ?? {});
  return round.call;
}

/** Uses the SDK's wording, so that every refusal reads the same. */
export function invalidState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", { reason: "invalid_request_state" });
}

async function finish(
  result: ToolResult,
  name: string,
  { parts, client, about, server }: Pick<CallOf, "parts" | "client" | "about" | "server">,
): Promise<CallToolResult> {
  // By the specification an unknown name is a protocol error; every other failure is a tool result.
  if (!result.ok && result.error.code === "tool_not_found")
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, asTyped(notFound(name, [...(await client.known()).keys()]), parts.program));
  remember(result, client.asked, about);
  const schema = outputSchemaOf(result, await client.known());
  return server.projectCallToolResult(
    toCallResult(asUserTypes(result, parts.program), schema !== undefined, parts.marks),
    schema as Readonly<Record<string, unknown>> | undefined,
  );
}

/** Message with the tool names that this client uses. */
function notFound(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known);
  return toolNotFound(name, { ...nearestNames(name, known), ...(meant !== undefined && { meant }) }).message;
}

function outputSchemaOf({ tool }: ToolResult, listings: ReadonlyMap<string, ToolListing>): JsonSchema | undefined {
  for (const { name, qualifiedName, outputSchema } of listings.values()) if (qualifiedName === tool || name === tool) return outputSchema;
  return undefined;
}

function remember(result: ToolResult, asked: McpClient["asked"], about: string): void {
  asked.delete(about);
  if (result.status !== "pending_approval") return;
  asked.set(about, result.callId);
  const [oldest] = asked.keys();
  if (asked.size > MAX_ASKED && oldest !== undefined) asked.delete(oldest);
}

/** Writes the commands in an error's advice as the user types them. */
function asUserTypes(result: ToolResult, program: string): ToolResult {
  if (result.ok || program === PROGRAM) return result;
  const { error } = result;
  const { command, text } = error.hint ?? {};
  const hint = error.hint && {
    ...error.hint,
    ...(command !== undefined && { command: asTyped(command, program) }),
    ...(text !== undefined && { text: asTyped(text, program) }),
  };
  return copyHolder(result, { error: { ...error, message: asTyped(error.message, program), ...(hint && { hint }) } });
}

/** Converts a result. An error is also structured content, unless the tool has an output schema, which it would not match. */
function toCallResult(result: ToolResult, hasSchema: boolean, marks: Marks): CallToolResult {
  const told = toMcp(result);
  const large = hasSchema ? largeIn(result, "output") : undefined;
  if (large !== undefined) holdLarge(told, "structuredContent", large);
  const { content, structuredContent, isError, _meta } = marks.place(told);
  const structured: JsonValue | undefined = (large === undefined ? structuredOf(result, hasSchema) : undefined) ?? structuredContent;
  const { callId, durationMs, digest } = result;
  // Not every client shows the server's instructions to its model, so repeat what to do.
  const next = result.status === "pending_approval" ? [{ type: "text", text: WHAT_NEXT }] : [];
  return {
    // The blocks were made by the host from checked parts.
    content: [...content, ...next] as unknown as CallToolResult["content"],
    ...(structured !== undefined && { structuredContent: structured }),
    isError,
    _meta: {
      ..._meta,
      "bascule/call": { callId, durationMs, ...(digest !== undefined && { digest }) },
      ...(result.dryRun && { [DRY_RUN_KEY]: result.dryRun }),
    },
  };
}

const WHAT_NEXT = "Tell the user. Once the user has approved it, call the tool again with the same arguments to get the result.";

function structuredOf(result: ToolResult, hasSchema: boolean): JsonValue | undefined {
  if (result.ok) return hasSchema ? result.output : undefined;
  // Errors are JSON; only their interfaces lack an index signature.
  return hasSchema || hasOwnWords(result) ? undefined : ({ error: { ...result.error } } as unknown as JsonObject);
}

/**
 * Requests the client's roots on the stream of the request, because over HTTP there may be no other stream. Resolves with undefined if
 * the client has no roots. If it does not answer, it has none for now and is asked again at its next call.
 */
async function listRoots(ctx: ServerContext, { parts, client, server }: Caller): Promise<readonly string[] | undefined> {
  if (server.getClientCapabilities()?.roots === undefined) return undefined;
  try {
    const { roots } = await server.listRoots(undefined, { timeout: ROOTS_TIMEOUT_MS, relatedRequestId: ctx.mcpReq.id });
    return await foldersOf(
      roots.map(({ uri }) => uri),
      parts.platform.files,
    );
  } catch (error) {
    parts.onError(error);
    client.forgetRoots();
    return [];
  }
}

/** Returns the capabilities that the client of this request declares. */
function capabilitiesOf({ era, ctx, server }: Pick<CallOf, "era" | "ctx" | "server">): ClientCapabilities | undefined {
  if (era === "legacy") return server.getClientCapabilities();
  // The SDK has checked the envelope; only its type does not name the keys.
  return (ctx.mcpReq.envelope as Readonly<Record<string, ClientCapabilities | undefined>> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
}

/** Whether the client supports forms; an empty `elicitation` object means forms, too. */
function elicits(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** W3C Trace Context, version 00; all-zero ids are invalid. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

function traceparentOf(ctx: ServerContext): string | undefined {
  const given = ctx.mcpReq._meta?.["traceparent"];
  return typeof given === "string" && TRACEPARENT.test(given) ? given : undefined;
}
