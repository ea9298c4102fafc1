/**
 * Logs the user in at an MCP server: authorization code with PKCE, and a redirect to this machine (SPEC K3; RFC 8252, RFC 7636, RFC 9207).
 */

import { auth, extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import { toHex } from "../../platform/bytes.ts";
import { errorText } from "../../platform/error-text.ts";
import { defined } from "../../primitives/defined.ts";
import { hashOf } from "../../primitives/json/json-hash.ts";
import type { Platform } from "../../platform/platform.ts";
import { createProvider, isLoopback, isSafeForTokens, joinedScopes, type LoginOf, type LoginStore, readGood } from "./logins.ts";

interface LogInOptions {
  readonly platform: Pick<Platform, "http" | "random" | "clock" | "servers">;
  readonly store: LoginStore;
  /** Shows the user the address to open, at the authorization server. `tokensFrom` is the server that issues the token. */
  readonly show: (url: URL, tokensFrom: URL) => void;
  readonly signal: AbortSignal;
}

/** A login failed. The message may contain text of the servers: escape it before printing. */
export class LoginFailed extends Error {
  override readonly name = "LoginFailed";
}

const WAIT_MS = 5 * 60_000;
const STATE_BYTES = 32;
const PATH = "/callback";
const MAX_ANSWER = 1024 * 1024;

/**
 * Resolves when the tokens are stored.
 * @throws {LoginFailed} if there are none
 */
export async function logIn(login: LoginOf, { platform, store, show, signal }: LogInOptions): Promise<void> {
  const { url, server, config } = login;
  if (!isSafeForTokens(url)) throw new LoginFailed(`${new URL(url).origin} is not https: the token could be read on the way`);
  const over = endOf(platform, signal);
  const send = platform.servers.fetchSecurely({ server: url, maxBytes: MAX_ANSWER });
  const fetch: typeof globalThis.fetch = (input, init) => send(input, { ...init, signal: over.signal });
  const state = toHex(platform.random.bytes(STATE_BYTES));
  const callback = await listenForCallback(platform, config.oauth?.port ?? 0, state);
  try {
    const challenge = extractWWWAuthenticateParams(await askWithout(platform, url, over.signal));
    // An earlier login has another redirect address, or is broken: it is removed, and its scopes are requested again.
    const before = await store.alone(server, async () => {
      const login = await readGood(store, server, url);
      await store.remove(server);
      return login;
    });
    const wanted = config.oauth?.scope ?? challenge.scope;
    const scope = before?.wants === undefined ? wanted : joinedScopes(wanted, before.tokens?.scope, before.wants);
    const provider = createProvider(login, store, {
      redirectUrl: callback.url,
      state,
      redirect(to, tokensFrom) {
        if (to.protocol !== "https:" && !(isLoopback(url) && isLoopback(to.href)))
          throw new LoginFailed(`The server redirects to ${to.origin}, which is neither https nor this machine`);
        show(to, tokensFrom);
      },
    });
    const about = {
      serverUrl: url,
      fetchFn: fetch,
      ...defined({ scope, resourceMetadataUrl: challenge.resourceMetadataUrl }),
    };
    await auth(provider, about);
    const { code, iss } = await Promise.race([callback.answer, over.ended]);
    await auth(provider, { ...about, authorizationCode: code, ...(iss !== undefined && { iss }) });
  } catch (error) {
    const reason: unknown = over.signal.aborted ? over.signal.reason : error;
    if (reason instanceof LoginFailed) throw reason;
    throw new LoginFailed(errorText(reason));
  } finally {
    over.stop();
    await callback.close();
  }
}

/** Sends a request without a token; the response names the authorization server. */
async function askWithout(platform: LogInOptions["platform"], url: string, signal: AbortSignal): Promise<Response> {
  const ask = platform.servers.fetchFrom(new URL(url).origin, MAX_ANSWER);
  const headers = { Accept: "application/json, text/event-stream", "Content-Type": "application/json" };
  const response = await ask(url, { method: "POST", headers, body: '{"jsonrpc":"2.0","id":0,"method":"ping"}', signal });
  await response.body?.cancel();
  return response;
}

interface Callback {
  readonly url: string;
  readonly answer: Promise<{ readonly code: string; readonly iss?: string }>;
  close(): Promise<void>;
}

/** Accepts only a callback with the right `state`, because any page can send a browser here. */
async function listenForCallback({ http }: Pick<Platform, "http">, port: number, state: string): Promise<Callback> {
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly code: string; readonly iss?: string }>();
  // Handled here, because nothing awaits it if the login fails before.
  promise.catch(() => undefined);
  const served = await http.serve({
    host: "127.0.0.1",
    port,
    onDefect: reject,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      // Comparing hashes makes the comparison's timing useless to an attacker.
      const isOurs = (await hashOf(searchParams.get("state") ?? "")) === (await hashOf(state));
      if (request.method !== "GET" || pathname !== PATH || !isOurs) return page(404, "Not found.");
      const code = searchParams.get("code");
      const iss = searchParams.get("iss");
      if (code === null) {
        reject(
          new LoginFailed(
            `The authorization server answered: ${searchParams.get("error_description") ?? searchParams.get("error") ?? "nothing"}`,
          ),
        );
        return page(400, "The login failed. You can close this page.");
      }
      resolve({ code, ...(iss !== null && { iss }) });
      return page(200, "You can close this page and return to the terminal.");
    },
  });
  return { url: `http://127.0.0.1:${served.port}${PATH}`, answer: promise, close: () => served.close() };
}

function page(status: number, text: string): Response {
  return new Response(text, {
    status,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" },
  });
}

interface End {
  /** Aborted with a `LoginFailed`. */
  readonly signal: AbortSignal;
  /** Never resolves, only rejects. */
  readonly ended: Promise<never>;
  stop(): void;
}

/** Ends when the user cancels, or after the timeout, which covers servers that never answer. */
function endOf({ clock }: Pick<Platform, "clock">, signal: AbortSignal): End {
  const over = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => undefined);
  const end = (why: string) => (): void => {
    const failed = new LoginFailed(why);
    over.abort(failed);
    reject(failed);
  };
  const stopTimer = clock.after(WAIT_MS, end("No login within five minutes"));
  const giveUp = end("The login was cancelled");
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  return {
    signal: over.signal,
    ended,
    stop() {
      stopTimer();
      signal.removeEventListener("abort", giveUp);
    },
  };
}
