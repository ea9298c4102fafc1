/**
 * Tokens of MCP servers that want a login, as `bascule mcp-servers login` got them: kept for their owner only, bound to the
 * server's address, and renewed (SPEC K3; OAuth 2.1 and RFC 9728 by the official SDK).
 */

import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { inFileTurn, type TurnPlatform } from "../../project/file-turn.ts";
import { isJsonObject, type McpServerConfig } from "../../../manifests/mod.ts";
import { readJsonText } from "../../primitives/json/json-text.ts";
import { FileError } from "../../platform/platform.ts";
import { refuseLinks } from "../../project/refuse-links.ts";

/** What is known of one server. Nobody but its authorization server and itself is ever sent a word of it. */
export interface Login {
  /** It was made for this address, and is good for no other. */
  readonly url: string;
  /** Both are marked with the authorization server that gave them; the SDK sends them to no other. */
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  /** The scope that the server named for what the tokens do not let it do: the next login asks for it, too. */
  readonly wants?: string;
}

/** A file that nobody wrote here. */
export class BrokenLogin extends Error {
  override readonly name = "BrokenLogin";
}

/** The logins of one project. */
export interface LoginStore {
  /** Undefined if there is none for this address, or others could read on the way to it. @throws {BrokenLogin} if the file is not as it was written. */
  read(server: string, url: string): Promise<Login | undefined>;
  write(server: string, login: Login): Promise<void>;
  /** False if there was none. */
  remove(server: string): Promise<boolean>;
  /** Does the work while no other process renews or removes this login: a token to renew with is often good for once. */
  alone<T>(server: string, work: () => Promise<T>): Promise<T>;
}

const BOUNDS = { maxBytes: 256 * 1024, maxDepth: 16 } as const;
const OWNER_ONLY = 0o600;
/** Renewing is a few requests. */
const RENEWAL_MS = 40_000;

/** In `.bascule/mcp-logins/`, which no tool may read, and which belongs into no version control. */
export function createLoginStore(platform: TurnPlatform, state: string): LoginStore {
  const { files } = platform;
  const folder = `${state}/mcp-logins`;
  const fileOf = (server: string): string => `${folder}/${server}.json`;
  // A checkout may have come with a link in its place, to where tools may read.
  const checkLinks = (): Promise<void> => refuseLinks(files, [folder], "no login is kept or deleted there");
  return {
    async read(server, url) {
      await checkLinks();
      let text: string;
      try {
        text = await files.readText(fileOf(server));
      } catch (error) {
        if (error instanceof FileError && error.code === "not_found") return undefined;
        throw error;
      }
      const parsed = readJsonText(text, BOUNDS);
      const login = parsed.ok ? toLogin(parsed.value) : undefined;
      if (login === undefined) throw new BrokenLogin(`"${fileOf(server)}" is broken (bascule mcp-servers login ${server} makes it anew)`);
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

/** Undefined if it is not as it was written below: each token is marked with who gave it, or it would be sent to whoever asks for it now. */
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
  // Written below, for its owner alone; what matters of it has been looked at.
  return isWhole ? (value as unknown as Login) : undefined;
}

/** A file that is broken holds nothing that could be revoked or asked for again, and is to be deleted all the same. */
export async function readGood(store: LoginStore, server: string, url: string): Promise<Login | undefined> {
  try {
    return await store.read(server, url);
  } catch (error) {
    if (error instanceof BrokenLogin) return undefined;
    throw error;
  }
}

/** What a server's login is about. */
export interface LoginOf {
  readonly server: string;
  readonly config: Pick<McpServerConfig, "oauth">;
  readonly url: string;
}

/** Of an authorization server's answer (RFC 6749, 5.2): what else it says may hold what it was sent. */
export function errorCode(text: string): string | undefined {
  return /"error"\s*:\s*"([a-z_]{1,64})"/.exec(text)?.[1];
}

/** All words of these scopes, each once; undefined if there are none. */
export function joinedScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = new Set(scopes.flatMap((scope) => scope?.split(" ") ?? []).filter((word) => word !== ""));
  return words.size === 0 ? undefined : [...words].join(" ");
}

/** How a person comes into it. */
export interface LoginRound {
  readonly redirectUrl: string;
  readonly redirect: (to: URL, tokensFrom: URL) => void;
  readonly state?: string;
}

/** What the SDK asks about a login, and tells. */
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
  /** Which authorization server the person was sent to: an answer counts for that one only (SEP-2352). */
  let discovered: OAuthDiscoveryState | undefined;
  /** What is renewed. Where another process has renewed or forgotten it meanwhile, that holds: it is the newer one. */
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
      // Left out where it is what was asked for, or, of a token that was renewed, what it was (RFC 6749, 5.1 and 6).
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

/** True for an address of this machine, which needs no TLS. */
export function isLoopback(url: string): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])$/.test(new URL(url).hostname);
}

/** True for an address on whose way nobody reads along. */
export function isSafeForTokens(url: string): boolean {
  return new URL(url).protocol === "https:" || isLoopback(url);
}

/** Whether the project itself says who it is. */
export function namesItself({ headers }: Pick<McpServerConfig, "headers">): boolean {
  return isJsonObject(headers) && Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}
