/**
 * Stores tokens of MCP servers from `bascule mcp-servers login`: readable by their owner only, bound to the server's address, and renewed
 * (SPEC K3; OAuth 2.1 and RFC 9728 by the official SDK).
 */

import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { unlessMissing } from "../../platform/or-undefined.ts";
import { inFileTurn, type TurnPlatform } from "../../project/file-turn.ts";
import { isJsonObject, type McpServerConfig } from "../../../manifests/mod.ts";
import { readJsonText } from "../../primitives/json/json-text.ts";
import { refuseLinks } from "../../project/refuse-links.ts";

/** The login at one server. Its contents are sent only to that server and its authorization server. */
export interface Login {
  /** The address that the login is bound to. */
  readonly url: string;
  /** Client and tokens name the authorization server that issued them; the SDK sends them to no other. */
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  /** The scope that the server named when the tokens were insufficient. The next login requests it too. */
  readonly wants?: string;
}

/** The file was not written by bascule. */
class BrokenLogin extends Error {
  override readonly name = "BrokenLogin";
}

/** The logins of one project. */
export interface LoginStore {
  /**
   * Returns undefined without a login for this address, or if the connection to it is not secure.
   * @throws {BrokenLogin} if the file is not as bascule wrote it
   */
  read(server: string, url: string): Promise<Login | undefined>;
  write(server: string, login: Login): Promise<void>;
  /** Returns false if there was no login. */
  remove(server: string): Promise<boolean>;
  /** Runs the work while no other process renews or removes this login: a refresh token is often valid once. */
  alone<T>(server: string, work: () => Promise<T>): Promise<T>;
}

const BOUNDS = { maxBytes: 256 * 1024, maxDepth: 16 } as const;
const OWNER_ONLY = 0o600;
/** A renewal takes a few requests. */
const RENEWAL_MS = 40_000;

/** Stores logins in `.bascule/mcp-logins/`, which no tool may read, and which must not be under version control. */
export function createLoginStore(platform: TurnPlatform, state: string): LoginStore {
  const { files } = platform;
  const folder = `${state}/mcp-logins`;
  const fileOf = (server: string): string => `${folder}/${server}.json`;
  // A checkout could contain a link here that leads to where tools may read.
  const checkLinks = (): Promise<void> => refuseLinks(files, [folder], "no login is stored or deleted there");
  return {
    async read(server, url) {
      await checkLinks();
      const text = await files.readText(fileOf(server)).catch(unlessMissing(undefined, ["not_found"]));
      if (text === undefined) return undefined;
      const parsed = readJsonText(text, BOUNDS);
      const login = parsed.ok ? toLogin(parsed.value) : undefined;
      if (login === undefined)
        throw new BrokenLogin(`"${fileOf(server)}" is broken (bascule mcp-servers login ${server} creates it again)`);
      return login.url === url && isSafeForTokens(url) ? login : undefined;
    },
    async write(server, login) {
      await checkLinks();
      await files.makeDirectory(folder);
      await files.writeAtomic(fileOf(server), `${JSON.stringify(login, null, 2)}\n`, OWNER_ONLY);
    },
    async remove(server) {
      await checkLinks();
      const isThere = (await files.lstat(fileOf(server))) !== undefined;
      await files.remove(fileOf(server));
      return isThere;
    },
    async alone(server, work) {
      await checkLinks();
      return await inFileTurn(platform, `${folder}/${server}.busy`, work, RENEWAL_MS);
    },
  };
}

/** Returns undefined if the value is not as bascule wrote it. Each token must name its issuer, or it could be sent to another server. */
function toLogin(value: unknown): Login | undefined {
  const isText = (text: unknown): boolean => typeof text === "string" && text !== "";
  const isMarked = (part: unknown, ...texts: readonly string[]): boolean =>
    part === undefined || (isJsonObject(part) && ["issuer", ...texts].every((name) => isText(part[name])));
  if (!isJsonObject(value) || !isText(value["url"])) return undefined;
  const { client, tokens, wants } = value;
  const renewal = isJsonObject(tokens) ? tokens["refresh_token"] : undefined;
  const isWhole =
    isMarked(client, "client_id") &&
    isMarked(tokens, "access_token") &&
    [renewal, wants].every((text) => text === undefined || isText(text));
  // Written by `write()`, for its owner alone; the important members were checked.
  return isWhole ? (value as unknown as Login) : undefined;
}

/** Reads a login like `read()`, but returns undefined for a broken file, which holds nothing to revoke or reuse and can be deleted. */
export async function readGood(store: LoginStore, server: string, url: string): Promise<Login | undefined> {
  try {
    return await store.read(server, url);
  } catch (error) {
    if (error instanceof BrokenLogin) return undefined;
    throw error;
  }
}

/** The server that a login is for. */
export interface LoginOf {
  readonly server: string;
  readonly config: Pick<McpServerConfig, "oauth">;
  readonly url: string;
}

/** Returns the error code of an authorization server (RFC 6749, 5.2). The rest of the answer may repeat what was sent. */
export function errorCode(text: string): string | undefined {
  return /"error"\s*:\s*"([a-z_]{1,64})"/.exec(text)?.[1];
}

/** Returns the words of all scopes without duplicates, or undefined if there are none. */
export function joinedScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = new Set(scopes.flatMap((scope) => scope?.split(" ") ?? []).filter((word) => word !== ""));
  return words.size === 0 ? undefined : [...words].join(" ");
}

/** The interactive part of a login. */
interface LoginRound {
  readonly redirectUrl: string;
  readonly redirect: (to: URL, tokensFrom: URL) => void;
  readonly state?: string;
}

/** Creates the SDK's view of a login. */
export function createProvider({ server, config, url }: LoginOf, store: LoginStore, round: LoginRound): OAuthClientProvider {
  const { clientId, scope } = config.oauth ?? {};
  const metadata: OAuthClientMetadata = {
    client_name: "bascule",
    redirect_uris: [round.redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    ...(scope !== undefined && { scope }),
  };
  let verifier = "";
  let asked: string | undefined;
  /** The authorization server that the user was sent to: an answer counts for that one only (SEP-2352). */
  let discovered: OAuthDiscoveryState | undefined;
  /** The tokens that are being renewed. If another process has renewed or removed them meanwhile, its newer state wins. */
  let renewed: StoredOAuthTokens | undefined;
  const isOutdated = (login: Login | undefined): boolean => renewed !== undefined && login?.tokens?.refresh_token !== renewed.refresh_token;
  async function change(part: Omit<Login, "url">): Promise<void> {
    const login = await store.read(server, url);
    if (!isOutdated(login)) await store.write(server, { ...login, url, ...part });
  }
  return {
    redirectUrl: round.redirectUrl,
    clientMetadata: metadata,
    ...(round.state !== undefined && { state: () => round.state ?? "" }),
    clientInformation: async () => (clientId === undefined ? (await store.read(server, url))?.client : { client_id: clientId }),
    ...(clientId === undefined && { saveClientInformation: (client: StoredOAuthClientInformation) => change({ client }) }),
    async tokens() {
      const login = await store.read(server, url);
      renewed ??= login?.tokens;
      return isOutdated(login) ? undefined : login?.tokens;
    },
    saveTokens(tokens) {
      // The scope is omitted if it is the requested one or, for a renewed token, the previous one (RFC 6749, 5.1 and 6).
      const scope = tokens.scope ?? asked ?? renewed?.scope;
      return change({ tokens: { ...tokens, ...(scope !== undefined && { scope }) } });
    },
    redirectToAuthorization(to) {
      asked = to.searchParams.get("scope") ?? undefined;
      round.redirect(to, new URL(discovered?.authorizationServerMetadata?.token_endpoint ?? discovered?.authorizationServerUrl ?? to));
    },
    saveCodeVerifier: (code) => void (verifier = code),
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => void (discovered = state),
    discoveryState: () => discovered,
    async invalidateCredentials(what) {
      const login = await store.read(server, url);
      if (login === undefined || isOutdated(login)) return;
      const { client, tokens } = login;
      const isClient = what === "all" || what === "client";
      const isTokens = what === "all" || what === "tokens";
      await store.write(server, { url, ...(client && !isClient && { client }), ...(tokens && !isTokens && { tokens }) });
    },
  };
}

/** Returns true for an address of this machine, which needs no TLS. */
export function isLoopback(url: string): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(new URL(url).hostname);
}

/** Returns whether tokens can be sent to an address without being read on the way. */
export function isSafeForTokens(url: string): boolean {
  return new URL(url).protocol === "https:" || isLoopback(url);
}

/** Returns whether the project sets its own authorization header. */
export function namesItself({ headers }: Pick<McpServerConfig, "headers">): boolean {
  return isJsonObject(headers) && Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}
