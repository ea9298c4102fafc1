/** The net bridge: `fetch`. Each hop is checked against the grant; bodies are streamed in pieces (SPEC C6, PB2). */

import type { HostAnswer } from "../../../sandbox/mod.ts";
import { FileError } from "../../platform/platform.ts";
import { type HttpResponse, NetworkError } from "../../platform/network/network-types.ts";
import { answer, failure } from "../answer.ts";
import type { Bridge, BridgeContext } from "../bridge.ts";
import { checkUrl } from "../checked.ts";
import { createStreamedBody } from "./net-body.ts";
import type { Exchange } from "./net-exchanges.ts";
import { MAX_OPEN_EXCHANGES, MAX_PIECE_BYTES, MAX_STREAMED_BODY_BYTES, NET_LIMITS } from "./net-limits.ts";
import { decideNext, type Hop, type RedirectMode } from "./net-redirect.ts";
import { overridingMethods, readRequest } from "./net-request.ts";
import { disclose, withoutValues } from "./net-secrets.ts";
import { operation } from "../operation.ts";

export const netBridge: Bridge = {
  name: "net",
  operations: {
    /**
     * Sends a request and follows redirects. The guest chooses `id`; `headers` are alternating names and values; `body` is `none`, `bytes`
     * (beside the arguments) or `stream` (sent by `net.write`).
     *
     * Answers the head, with `hasBody` if there is a body for `net.read`, or `{ failed }` with the cause in Deno's words if the network
     * failed.
     */
    "net.fetch": operation(
      { id: "count", url: "string", method: "string", headers: "texts", redirect: "string", body: "string" },
      async ({ id, redirect, body, ...options }, context, bytes) => {
        const read = readRequest({ ...options, body });
        if (!read.ok) return failure("TypeError", read.message);
        if (!isMode(redirect) || !isBodyKind(body)) return failure("TypeError", "Unknown redirect mode or body kind");
        const exchange = context.exchanges.open(id);
        if (exchange === undefined) {
          const limit = `at most ${MAX_OPEN_EXCHANGES} at once; read the bodies of earlier answers, or cancel them`;
          return failure("TypeError", `Cannot begin request ${id}: its number is in use, or too many are open (${limit})`);
        }
        const begun = await followRedirects({ ...read.request, body, redirects: 0 }, redirect, { exchange, bytes, context });
        if (!begun.ok || exchange.response === undefined) context.exchanges.close(id);
        return begun;
      },
    ),

    /** Answers the next bytes of a response body; `true` at its end, which closes it. */
    "net.read": operation({ id: "count" }, async ({ id }, context, _bytes, makeRoom) => {
      const exchange = context.exchanges.find(id);
      if (exchange?.response === undefined) return failure("BadResource", "Bad resource ID");
      if (exchange.isReading) return failure("Busy", "The body is being read");
      exchange.isReading = true;
      try {
        const piece = await nextPiece(exchange, exchange.response, context.limits.operationBytes);
        if (piece === undefined) context.exchanges.close(id);
        // The rest waits in the socket, so a request holds at most one more piece here.
        else await makeRoom(piece.length);
        return piece === undefined ? answer(true) : answer(false, piece);
      } catch (thrown) {
        context.exchanges.close(id);
        return bodyFailure(thrown);
      } finally {
        exchange.isReading = false;
      }
    }),

    /** Sends the next bytes of a request body, or its end (`end`). Answers false if the body was closed. */
    "net.write": operation({ id: "count", end: "boolean?" }, async ({ id, end = false }, context, bytes) => {
      const exchange = context.exchanges.find(id);
      if (exchange?.body === undefined) return failure("BadResource", "Bad resource ID");
      if (exchange.isWriting) return failure("Busy", "The body is being written");
      if (exchange.body.bytes + (bytes?.length ?? 0) > MAX_STREAMED_BODY_BYTES) {
        context.exchanges.close(id);
        return failure("TypeError", `The body of a request has at most ${MAX_STREAMED_BODY_BYTES} bytes`);
      }
      exchange.isWriting = true;
      try {
        const isWanted = bytes === undefined || bytes.length === 0 || (await exchange.body.write(bytes));
        if (end) exchange.body.end();
        return answer(isWanted);
      } finally {
        exchange.isWriting = false;
      }
    }),

    /** Cancels a request at any stage. */
    "net.close": operation({ id: "count" }, async ({ id }, context) => {
      context.exchanges.close(id);
      return answer(null);
    }),
  },
};

interface Begun {
  readonly exchange: Exchange;
  readonly bytes: Uint8Array | undefined;
  readonly context: BridgeContext;
}

async function followRedirects(first: Hop, mode: RedirectMode, begun: Begun): Promise<HostAnswer> {
  for (let hop = first; ;) {
    const { context, exchange } = begun;
    const check = checkUrl(hop.method, hop.url, context);
    context.record(hop.redirects > 0 ? { ...check.act, isLed: true } : check.act);
    if (!check.ok) return failure("NotCapable", check.message);
    for (const method of overridingMethods(hop.fields)) {
      const other = checkUrl(method, hop.url, context);
      context.record(other.act);
      if (!other.ok) return failure("NotCapable", other.message);
    }
    // If the URL holds a secret, the URL with the value is checked too. The messages name only the host.
    const sent = disclose(hop, bodyOf(hop, begun), context);
    const proof = sent.ok && sent.url !== hop.url ? checkUrl(hop.method, sent.url, context) : check;
    if (!sent.ok || !proof.ok) return failure("NotCapable", sent.ok ? (proof.ok ? "" : proof.message) : sent.message);
    const excess = context.meter.spend("requests", 1);
    if (excess !== undefined) return failure("RangeError", excess.message);
    let response: HttpResponse;
    try {
      const signal = AbortSignal.any([context.signal, exchange.signal]);
      const { fields, body } = sent;
      const { holder, platform, secrets } = context;
      const own = { ...(body !== undefined && { body }), ...holder };
      response = withoutValues(await platform.network.exchange(proof.url, { fields, signal, limits: NET_LIMITS, ...own }), secrets);
    } catch (thrown) {
      // Anything else is a bug in the host and must not look like the guest's.
      if (!(thrown instanceof NetworkError)) throw thrown;
      const refusal = sent.refusal();
      if (refusal !== undefined) return failure("NotCapable", refusal);
      if (thrown.code !== "not_capable" || thrown.address === undefined) return fetchFailure(thrown, hop.url);
      const refused = check.refuseAddress(thrown.address);
      context.record({ ...refused.act, isLed: true });
      return failure("NotCapable", refused.message);
    }
    const next = decideNext(hop, response, mode);
    if (next.kind === "stay") return toHead(hop, response, exchange);
    response.close();
    exchange.body?.close();
    if (next.kind === "fail") return failure("TypeError", next.message);
    ({ hop } = next);
  }
}

function bodyOf({ body }: Hop, { exchange, bytes = new Uint8Array() }: Begun): Uint8Array | AsyncIterable<Uint8Array> | undefined {
  if (body === "none") return undefined;
  if (body === "bytes") return bytes;
  exchange.body = createStreamedBody();
  return exchange.body.pieces;
}

function toHead(hop: Hop, response: HttpResponse, exchange: Exchange): HostAnswer {
  const { status, statusText, fields } = response;
  const url = new URL(hop.url);
  url.hash = "";
  // https://fetch.spec.whatwg.org/#null-body-status
  const hasBody = hop.method !== "HEAD" && ![101, 103, 204, 205, 304].includes(status);
  // Close it if it has no body to read, or if the call has ended meanwhile.
  if (hasBody && !exchange.signal.aborted) exchange.response = response;
  else response.close();
  return answer({
    status,
    statusText: statusText.replace(/[^\t\x20-\x7e\x80-\xff]/g, ""),
    headers: fields.flat(),
    url: url.href,
    redirected: hop.redirects > 0,
    hasBody,
  });
}

async function nextPiece(exchange: Exchange, response: HttpResponse, operationBytes: number): Promise<Uint8Array | undefined> {
  const piece = exchange.rest ?? (await response.read());
  const size = Math.min(MAX_PIECE_BYTES, operationBytes);
  if (piece !== undefined && piece.length > size) exchange.rest = piece.subarray(size);
  else delete exchange.rest;
  return piece?.slice(0, size);
}

/** In Deno's words; the guest throws `TypeError: fetch failed` with this as its cause. */
function fetchFailure({ code, message }: NetworkError, url: URL): HostAnswer {
  if (code === "aborted") return failure("AbortError", "The request was aborted");
  const when = CONNECTING.has(code) ? "client error (Connect)" : "client error (SendRequest)";
  return answer({ failed: `error sending request for url (${url.origin}${url.pathname}${url.search}): ${when}: ${message}` });
}

const CONNECTING: ReadonlySet<string> = new Set(["name_not_found", "refused", "unreachable", "tls"]);

function bodyFailure(thrown: unknown): HostAnswer {
  if (thrown instanceof FileError) return failure("AbortError", "The request was aborted");
  if (!(thrown instanceof NetworkError)) throw thrown;
  if (thrown.code === "aborted") return failure("AbortError", "The request was aborted");
  return failure("TypeError", `error reading a body from connection: ${thrown.message}`);
}

function isMode(text: string): text is RedirectMode {
  return text === "follow" || text === "error" || text === "manual";
}

function isBodyKind(text: string): text is Hop["body"] {
  return text === "none" || text === "bytes" || text === "stream";
}
