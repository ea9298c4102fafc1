/** `tools/call`: a call that lives as long as it takes, over one request or several (SPEC I3, E5). */

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
import { holdLarge, largeIn } from "../../primitives/json/large.ts";
import { copyJson } from "../../primitives/json/json.ts";
import type { ToolListing } from "../../tools/listing.ts";
import { hasOwnWords, toMcp } from "../../call/result.ts";
import { nearestName, nearestNames } from "../../tools/nearest.ts";
import type { Session } from "../../call/session.ts";
import { answerQuestion } from "./answer-question.ts";
import { askThrough, type Missing } from "./asks.ts";
import type { McpClient } from "./client.ts";
import { clientNotices } from "./client-notices.ts";
import { confirmThrough } from "./confirmation.ts";
import { commitDryRun, DRY_RUN_KEY, type DryRunWish, dryRunWish } from "./dry-run.ts";
import { type CallSide, openCall, type OpenCall } from "./open-call.ts";
import type { Marks } from "./marks.ts";
import type { Caller } from "./parts.ts";
import { foldersOf } from "./roots.ts";

/** The parameters that are read. */
export interface CallParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

const MAX_ASKED = 64;
const ABOUT_BOUNDS = { maxBytes: LIMIT_CEILINGS.argumentBytes, maxDepth: LIMIT_CEILINGS.jsonDepth } as const;
const ROOTS_TIMEOUT_MS = 10_000;

/** @throws {ProtocolError} if there is no such tool, or the state is not one that this request can take up. */
export async function callTool(params: CallParams, ctx: ServerContext, caller: Caller): Promise<CallToolResult | InputRequiredResult> {
  const { parts, client, era } = caller;
  const { name } = params;
  // What came through JSON.parse is JSON.
  const args = parts.inputs.take((params.arguments ?? {}) as JsonObject);
  if (era === "legacy") client.narrow(() => listRoots(ctx, caller));
  const session = await client.session();
  const wish = dryRunWish(ctx.mcpReq._meta);
  // What is too deep to be hashed is refused when it is called.
  const copy = copyJson(args, ABOUT_BOUNDS);
  // Bound to the wish too: no answer to one question is one to another.
  const about = await hashOf([name, copy.ok ? copy.value : null, wish.dryRun, { ...wish.commit }], parts.platform);
  const listing = (await client.known()).get(name);
  // Dispatch says why a tool that is not listed cannot run.
  const tool = listing?.qualifiedName ?? (await client.qualifiedName(name)) ?? notExported(name);

  const state = ctx.mcpReq.requestState<string>();
  const call =
    state === undefined
      ? begin(tool, args, { ...caller, ctx, session, about, wish, isHostTool: listing !== undefined && listing.plugin === undefined })
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
    // This request ends here, and the call goes on: its end is no reason to cancel it.
    ctx.mcpReq.signal.removeEventListener("abort", cancel);
    call.follow(undefined);
    const { question } = step;
    return inputRequired({ inputRequests: question.inputs, requestState: parts.rounds.suspend({ call, question, client, about }) });
  }
}

/** What calls went without because their client does not take it. */
const MISSING = new WeakMap<OpenCall, Missing>();

interface CallOf extends Caller {
  /** A tool of the embedding program, or built in. */
  readonly isHostTool: boolean;
  readonly ctx: ServerContext;
  readonly session: Session;
  readonly about: string;
  readonly wish: DryRunWish;
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
  // Answers that come before the question. Not to a confirmation: its answer belongs to what the person was shown.
  const given = ctx.mcpReq.inputResponses ?? {};
  const call = openCall(({ signal, onProgress, onLog, ask }: CallSide) =>
    parts.host.call(tool, args, {
      session,
      signal,
      onProgress,
      onLog,
      // Plugins ask nobody: their words would reach the person as if they were somebody's.
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

/** @throws {ProtocolError} if the state is spent, another client's, or was given for another request. */
function resume(state: string, ctx: ServerContext, { parts, client, about }: Pick<CallOf, "parts" | "client" | "about">): OpenCall {
  const round = parts.rounds.take(state, client);
  if (round === undefined) throw invalidState();
  if (round.about !== about) {
    // What was agreed to is not what is asked for now: neither runs.
    round.call.cancel();
    throw invalidState();
  }
  // An answer that is missing is asked for again.
  round.question.answer(ctx.mcpReq.inputResponses ?? {});
  return round.call;
}

/** In the words of the SDK, so that a refusal says the same wherever it is found out. */
export function invalidState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", { reason: "invalid_request_state" });
}

async function finish(
  result: ToolResult,
  name: string,
  { parts, client, about, server }: Pick<CallOf, "parts" | "client" | "about" | "server">,
): Promise<CallToolResult> {
  // The specification wants a name that does not exist to be an error of the protocol; everything else is the tool's result.
  if (!result.ok && result.error.code === "tool_not_found")
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, notFound(name, [...(await client.known()).keys()]));
  remember(result, client.asked, about);
  const schema = outputSchemaOf(result, await client.known());
  return server.projectCallToolResult(
    toCallResult(result, schema !== undefined, parts.marks),
    schema as Readonly<Record<string, unknown>> | undefined,
  );
}

/** In the names that this client calls them by. */
function notFound(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return `${toolNotFound(name, nearestNames(name, known)).message}${near === undefined ? "" : `. Did you mean ${near}?`}`;
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

/** An error's data is structured content too, except where an output schema says what that has to be. */
function toCallResult(result: ToolResult, hasSchema: boolean, marks: Marks): CallToolResult {
  const told = toMcp(result);
  const large = hasSchema ? largeIn(result, "output") : undefined;
  if (large !== undefined) holdLarge(told, "structuredContent", large);
  const { content, structuredContent, isError, _meta } = marks.place(told);
  const structured: JsonValue | undefined = (large === undefined ? structuredOf(result, hasSchema) : undefined) ?? structuredContent;
  const { callId, durationMs, digest } = result;
  // Not every client shows a model what the server said of this when it was connected to.
  const next = result.status === "pending_approval" ? [{ type: "text", text: WHAT_NEXT }] : [];
  return {
    // Blocks were made here, of checked parts.
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

const WHAT_NEXT = "Tell the person. Once it was approved, call the tool again with the same arguments: that call has the result.";

function structuredOf(result: ToolResult, hasSchema: boolean): JsonValue | undefined {
  if (result.ok) return hasSchema ? result.output : undefined;
  // Errors hold JSON only; their interfaces just have no index signature.
  return hasSchema || hasOwnWords(result) ? undefined : ({ error: { ...result.error } } as unknown as JsonObject);
}

/** Asked on the request itself: over HTTP there may be no other way to this client. Undefined if it keeps no roots; one that does and does not say which is asked again at its next call, and has none until then. */
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

/** What the client of this request says it can be asked. */
export function capabilitiesOf({ era, ctx, server }: Pick<CallOf, "era" | "ctx" | "server">): ClientCapabilities | undefined {
  if (era === "legacy") return server.getClientCapabilities();
  // The SDK has checked the envelope; its type just does not name the keys.
  return (ctx.mcpReq.envelope as Readonly<Record<string, ClientCapabilities | undefined>> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
}

/** Forms are what an empty object means too. */
function elicits(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** W3C Trace Context: version 00, nothing zero. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

function traceparentOf(ctx: ServerContext): string | undefined {
  const given = ctx.mcpReq._meta?.["traceparent"];
  return typeof given === "string" && TRACEPARENT.test(given) ? given : undefined;
}
