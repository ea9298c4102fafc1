/** Logs the user out at an MCP server: deletes the tokens here, and revokes them at their authorization server (SPEC K3; RFC 7009). */

import type { OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import type { McpServerConfig } from "../../../manifests/mod.ts";
import { errorText } from "../../platform/error-text.ts";
import type { Platform } from "../../platform/platform.ts";
import { errorCode, type Login, type LoginStore, readGood } from "./logins.ts";

/** The result of a logout. */
export interface LoggedOut {
  /** False if there was no login. */
  readonly removed: boolean;
  /** Origin of the authorization server that issued the tokens; absent if there were none for this address. */
  readonly issuer?: string;
  /** Why the tokens stay valid until they expire; absent if they were revoked. May contain text of a server: escape it before printing. */
  readonly problem?: string;
}

const MAX_ANSWER = 1024 * 1024;

/**
 * Never rejects because of the authorization server: the tokens are deleted here already.
 * @throws {Error} if they cannot be deleted
 */
export async function logOut(
  { server, config }: { readonly server: string; readonly config: Pick<McpServerConfig, "oauth" | "url"> },
  { platform, store, signal }: { readonly platform: Pick<Platform, "servers">; readonly store: LoginStore; readonly signal: AbortSignal },
): Promise<LoggedOut> {
  const { url } = config;
  const { login, removed } = await store.alone(server, async () => ({
    login: url === undefined ? undefined : await readGood(store, server, url),
    removed: await store.remove(server),
  }));
  if (login?.tokens?.issuer === undefined) return { removed };
  const issuer = new URL(login.tokens.issuer).origin;
  const send = platform.servers.fetchSecurely({ server: login.url, maxBytes: MAX_ANSWER });
  const fetch: typeof globalThis.fetch = (input, init) =>
    send(input, { ...init, signal: AbortSignal.any([signal, ...(init?.signal ? [init.signal] : [])]) });
  const client = config.oauth?.clientId === undefined ? login.client : { client_id: config.oauth.clientId };
  try {
    const problem = await revoke(login.tokens, client, fetch);
    return { removed, issuer, ...(problem !== undefined && { problem }) };
  } catch (error) {
    return { removed, issuer, problem: errorText(error) };
  }
}

/**
 * @returns why the tokens were not revoked, or undefined if they were
 * @throws {Error} an error of the transport or the server
 */
async function revoke(
  tokens: NonNullable<Login["tokens"]>,
  client: OAuthClientInformationMixed | undefined,
  fetch: typeof globalThis.fetch,
): Promise<string | undefined> {
  const { discoverAuthorizationServerMetadata, selectClientAuthMethod } = await import("@modelcontextprotocol/client");
  const metadata = await discoverAuthorizationServerMetadata(tokens.issuer ?? "", { fetchFn: fetch });
  // The SDK's type of OpenID Connect's metadata lacks this member.
  const { revocation_endpoint: endpoint, revocation_endpoint_auth_methods_supported: supported } =
    metadata !== undefined && "revocation_endpoint" in metadata ? metadata : {};
  if (endpoint === undefined) return "It names no endpoint for revoking tokens";
  if (client === undefined) return "The client that the tokens were issued to is not known any more";
  const method = selectClientAuthMethod(client, supported ?? []);
  const { access_token: access, refresh_token: renewal } = tokens;
  // The refresh token first: most servers revoke the access token with it.
  for (const [token, hint] of [[renewal, "refresh_token"] as const, [access, "access_token"] as const]) {
    if (token === undefined) continue;
    const { headers, proof } = proofOf(client, method);
    const body = new URLSearchParams({ token, token_type_hint: hint, ...proof });
    const response = await fetch(endpoint, { method: "POST", headers, body });
    const code = errorCode(await response.text());
    if (!response.ok && code !== "unsupported_token_type") return `It answered ${code ?? response.status}`;
  }
  return undefined;
}

/** Returns the client authentication (RFC 6749, 2.3). */
function proofOf(
  { client_id: id, client_secret: secret }: OAuthClientInformationMixed,
  method: string,
): { readonly headers: Readonly<Record<string, string>>; readonly proof: Readonly<Record<string, string>> } {
  if (secret !== undefined && method === "client_secret_basic")
    return { headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` }, proof: {} };
  return {
    headers: {},
    proof: { client_id: id, ...(secret !== undefined && method === "client_secret_post" && { client_secret: secret }) },
  };
}
