/** Supplies connections to an MCP server with tokens of a login, and renews them when they are refused (SPEC K3; RFC 6749, RFC 6750). */

import type { AuthProvider } from "@modelcontextprotocol/client";
import { createMutex } from "../../platform/mutex.ts";
import { createProvider, errorCode, type Login, type LoginOf, type LoginStore } from "./logins.ts";

/** The user has to log in, which is never requested during a call. */
export class LoginNeeded extends Error {
  override readonly name = "LoginNeeded";
  constructor(server: string) {
    super(`The server requires a login: bascule mcp-servers login ${server}`);
  }
}

/** The tokens of one connection. */
interface Tokens extends AuthProvider {
  /** Wraps the `fetch` of the connection; all of its requests must use it. */
  watch(send: typeof globalThis.fetch): typeof globalThis.fetch;
  onUnauthorized(refused: { readonly response: Response }): Promise<void>;
}

/** Creates tokens for connections. `learn` is called with each token, so that events, logs and results are redacted. */
export function createTokens(
  { server, config, url }: LoginOf,
  {
    store,
    fetch,
    learn,
  }: { readonly store: LoginStore; readonly fetch: typeof globalThis.fetch; readonly learn: (what: string, token: string) => void },
): Tokens {
  const inTurn = createMutex();
  let login: Login | undefined;
  let isRead = false;
  /** The `authorization` header of each response's request: of several concurrent calls, only the first renews. */
  const sentWith = new WeakMap<Response, string | null>();

  async function read(): Promise<Login | undefined> {
    login = await store.read(server, url);
    isRead = true;
    const { access_token: access, refresh_token: renewal } = login?.tokens ?? {};
    if (access !== undefined) learn(`login at ${server}`, access);
    if (renewal !== undefined) learn(`renewal at ${server}`, renewal);
    return login;
  }

  /** Returns whether another call or process has renewed the token. */
  async function isNewer(refused: string | null | undefined): Promise<boolean> {
    const access = (await read())?.tokens?.access_token;
    return access !== undefined && `Bearer ${access}` !== refused;
  }

  async function renew(): Promise<void> {
    const before = login?.tokens;
    if (before?.refresh_token === undefined) throw new LoginNeeded(server);
    const { auth } = await import("@modelcontextprotocol/client");
    const provider = createProvider({ server, config, url }, store, {
      redirectUrl: REDIRECT_OF_NOBODY,
      redirect: () => {
        throw new LoginNeeded(server);
      },
    });
    try {
      await auth(provider, { serverUrl: url, fetchFn: codesOnly(fetch) });
    } catch (error) {
      // The user may have logged in again meanwhile.
      if ((await read())?.tokens?.access_token === before.access_token || login?.tokens === undefined) throw error;
    }
    await read();
  }

  /** Returns true if a newer token is available. Otherwise stores the scope for the next login. */
  async function stepUp(response: Response, scope: string): Promise<boolean> {
    if (await isNewer(sentWith.get(response))) return true;
    const before = login;
    if (before?.tokens === undefined || before.wants === scope) return false;
    await inTurn(() =>
      store.alone(server, async () => {
        const now = await store.read(server, url);
        if (now?.tokens?.access_token === before.tokens?.access_token && now !== undefined)
          await store.write(server, { ...now, wants: scope });
      }),
    );
    return false;
  }

  async function sendKnown(send: typeof globalThis.fetch, ...[input, init]: Parameters<typeof globalThis.fetch>): Promise<Response> {
    const response = await send(input, init);
    sentWith.set(response, new Headers(init?.headers).get("authorization"));
    return response;
  }

  return {
    async token() {
      if (!isRead) await read();
      return login?.tokens?.access_token;
    },
    watch: (send) => async (input, init) => {
      const response = await sendKnown(send, input, init);
      const scope = await scopeWanted(response);
      if (scope === undefined || !(await stepUp(response, scope))) return response;
      await response.body?.cancel();
      const headers = new Headers(init?.headers);
      headers.set("authorization", `Bearer ${login?.tokens?.access_token ?? ""}`);
      return await sendKnown(send, input, { ...init, headers });
    },
    async onUnauthorized({ response }) {
      const refused = sentWith.get(response);
      await inTurn(async () => {
        if (await isNewer(refused)) return;
        // Without a refresh token, the call does not wait for the store.
        if (login?.tokens?.refresh_token === undefined) throw new LoginNeeded(server);
        await store.alone(server, async () => {
          if (!(await isNewer(refused))) await renew();
        });
      });
    },
  };
}

/** RFC 6749, 3.3: words separated by spaces. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const MAX_SCOPE = 2_048;

/** Returns the scope that the server names for a refusal, or undefined if it was refused for another reason (RFC 6750, 3.1). */
async function scopeWanted(response: Response): Promise<string | undefined> {
  if (response.status !== 403) return undefined;
  const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
  const { error, scope = "" } = extractWWWAuthenticateParams(response);
  return error === "insufficient_scope" && scope.length <= MAX_SCOPE && SCOPE.test(scope) ? scope : undefined;
}

/** Reduces errors to their code, because the SDK writes them to the console, where nothing is redacted. */
function codesOnly(send: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await send(input, init);
    if (response.ok) return response;
    const error = errorCode(await response.text());
    return Response.json(error === undefined ? {} : { error }, { status: response.status });
  };
}

/** A renewal needs no redirect address. */
const REDIRECT_OF_NOBODY = "http://127.0.0.1/callback";
