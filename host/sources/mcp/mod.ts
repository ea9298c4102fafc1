/** The MCP servers whose tools a host offers: those of `bascule.json`, and those that the embedding program adds (SPEC K3). */

import type { EmitEvent } from "../../audit/events.ts";
import type { Consent } from "../../plugins/consent/consent.ts";
import { equalJson } from "../../primitives/json/equal-json.ts";
import { type JsonValue, type McpServerConfig, normalizePath, parseProject, problemToText } from "../../../manifests/mod.ts";
import type { Places } from "../../project/places.ts";
import type { Platform } from "../../platform/platform.ts";
import type { ServerProcessOptions } from "../../platform/processes/server-process-types.ts";
import type { Secrets } from "../../capabilities/secrets/secrets.ts";
import type { Registry } from "../../tools/registry.ts";
import { connectClient, httpTransport, type McpClient } from "./client.ts";
import { credentialsIn } from "./credentials.ts";
import { createLoginStore, type LoginOf, namesItself } from "./logins.ts";
import { redactedClient, redactedError } from "./redacted-client.ts";
import { createLargeArguments, type LargeArguments } from "./large-arguments.ts";
import { createLargeResults, type LargeResults } from "./large-results.ts";
import { createPinStore } from "./pins.ts";
import { createMcpServer, type McpServer, type McpServerStatus } from "./server.ts";
import { stdioTransport } from "./stdio-transport.ts";
import { createTokens } from "./tokens.ts";

export type { McpClient } from "./client.ts";
export { McpToolsChanged } from "./offer.ts";
export type { WaitingTools } from "./offer.ts";
export type { McpServerStatus } from "./server.ts";

/** A server added by the embedding program: a configuration as in `bascule.json`, or a connected client. */
export type AddedMcpServer =
  | Partial<McpServerConfig>
  | { readonly client: McpClient; readonly sideEffects?: McpServerConfig["sideEffects"] };

/** Operations on servers for the embedding program. */
export interface McpActs {
  /**
   * Offers the tools of a server as `mcp__<name>.<tool>`, until the host closes or the server is removed. Resolves when it is connected, or
   * the connection failed.
   *
   * @throws {TypeError} if the configuration is not valid, or the name is taken
   */
  addMcpServer(name: string, server: AddedMcpServer): Promise<McpServerStatus>;
  /** Returns false if the server was not found. */
  removeMcpServer(name: string): Promise<boolean>;
  mcpServers(): readonly McpServerStatus[];
  /**
   * Accepts the present tools of a server, all or the named ones. Returns the names of those that were waiting.
   *
   * @param digest of `waiting`, as it was shown: nothing else is accepted
   * @throws {McpToolsChanged} if the tools changed since then
   * @throws {TypeError} if the server is not found, or has more changes than are shown
   */
  acceptMcpTools(server: string, tools?: readonly string[], digest?: string): Promise<readonly string[]>;
}

export interface McpSource {
  readonly acts: McpActs;
  /** Connects to the servers that the project lists, and disconnects from others. Waits for servers up to a timeout. */
  apply(): Promise<void>;
  close(): Promise<void>;
}

const START_MS = 10_000;
const CONNECT_MS = 30_000;
const MAX_MESSAGE = 8 * 1024 * 1024;
/** Maximum size of an authorization server's answer, which the SDK parses whole. */
const MAX_TOKENS = 64 * 1024;

export function createMcpSource(options: {
  readonly platform: Platform;
  readonly places: Places;
  readonly registry: Pick<Registry, "replaceOwner" | "removeOwner"> | undefined;
  readonly emit: EmitEvent;
  readonly consent: Pick<Consent, "lock" | "frozen" | "refresh">;
  /** For the configuration of bundles, and to redact tokens. */
  readonly secrets: Pick<Secrets, "valueOf" | "learn" | "redact">;
  /** `only` restricts the host to one server of `bascule.json`. */
  readonly wanted?: boolean | { readonly only: string } | undefined;
}): McpSource {
  const { platform, places, registry, emit, consent, secrets, wanted } = options;
  const only = typeof wanted === "object" ? wanted.only : undefined;
  const { clock, log } = platform;
  const servers = new Map<string, { readonly server: McpServer; readonly config?: McpServerConfig }>();
  const pins = createPinStore(consent);
  const logins = createLoginStore(platform, places.state);
  let isClosed = false;

  function start(name: string, config: McpServerConfig): McpServer {
    const server = createMcpServer({
      ...{ name, config, pins, emit, clock, log, slices: platform.slices, reconnects: true },
      registry: registry ?? NO_REGISTRY,
      connect: async ({ signal, onChanged, onClosed, onRefused }) => {
        let lastWords = "";
        const large = { results: createLargeResults(platform, MAX_MESSAGE), args: createLargeArguments(platform) };
        const transport = await transportOf(
          { name, config, ...large },
          (how, words) => (lastWords = words === "" ? how : `${how}; last output: ${words}`),
        );
        // The SDK observes the signal only after the server's first answer.
        const end = (): void => void transport.close();
        signal.addEventListener("abort", end, { once: true });
        try {
          const client = await connectClient({ transport, signal, timeoutMs: CONNECT_MS, onChanged, onClosed, onRefused });
          return redactedClient(large.results.client(large.args.client(client)), secrets.redact, platform.slices);
        } catch (error) {
          await transport.close();
          throw redactedError(lastWords === "" ? String(error) : lastWords, secrets.redact);
        } finally {
          signal.removeEventListener("abort", end);
        }
      },
    });
    servers.set(name, { server, config });
    return server;
  }

  async function transportOf(
    { name, config, results, args }: Connecting,
    onEnd: ServerProcessOptions["onEnd"],
  ): ReturnType<typeof httpTransport> {
    const { url, bundle } = config;
    if (url !== undefined) {
      const fetch = args.fetch(results.fetch(platform.servers.fetchFrom(new URL(url).origin, MAX_MESSAGE)));
      const tokens = namesItself(config) ? undefined : tokensOf({ server: name, config, url });
      const own = tokens === undefined ? { fetch } : { fetch: tokens.watch(fetch), tokens };
      return await httpTransport(url, { ...own, headers: filled(name, config, "headers") });
    }
    const path = platform.environment.get("PATH");
    const started = bundle === undefined ? ownProgram(name, config) : await ofBundle(name, bundle, config);
    // The program gets only PATH of the host's environment.
    const env = { ...(path !== undefined && { PATH: path }), ...started.env };
    return stdioTransport(
      platform.servers,
      { ...started, env, maxLineBytes: MAX_MESSAGE },
      { shorten: results.shorten, lengthen: args.lengthen, onEnd },
    );
  }

  /** Returns the tokens of a login. Without a login, requests have none. */
  function tokensOf(login: LoginOf): ReturnType<typeof createTokens> {
    const fetch = platform.servers.fetchSecurely({ server: login.url, maxBytes: MAX_TOKENS });
    return createTokens(login, { store: logins, fetch, learn: secrets.learn });
  }

  function ownProgram(name: string, config: McpServerConfig): StartedProgram {
    const { command = "", args, cwd = "." } = config;
    return { command, args, cwd: normalizePath(cwd, places.root) ?? places.root, env: filled(name, config, "env") };
  }

  async function ofBundle(name: string, digest: string, { config: values }: McpServerConfig): Promise<StartedProgram> {
    // Another process may have added the bundle.
    await consent.refresh();
    const locked = consent.lock.servers().get(name)?.bundle?.digest;
    if (locked === undefined ? consent.frozen : locked !== digest)
      throw new Error(`bascule.lock has ${locked === undefined ? "no" : "another"} bundle for "${name}" (bascule add it again)`);
    const { launchBundle } = await import("../../plugins/bundles/open-bundle.ts");
    return await launchBundle(platform, places, { digest, values }, async (secret) => {
      const hosts = places.project.config().secrets[secret]?.hosts;
      if (hosts === undefined) return await secrets.valueOf(secret);
      throw new Error(`The secret ${secret} may only go to ${hosts.join(", ")}, but a bundle's program can send it anywhere`);
    });
  }

  /** Fills in variables. Credentials among them are redacted from now on. */
  function filled(server: string, config: McpServerConfig, kind: "headers" | "env"): Readonly<Record<string, string>> {
    const given = config[kind];
    const values = Object.fromEntries(
      Object.entries(given).map(([name, value]): [string, string] => [
        name,
        typeof value === "string" ? value : (platform.environment.get(value.fromEnv) ?? ""),
      ]),
    );
    for (const [name, value] of credentialsIn(kind, given, values)) secrets.learn(`${name} of ${server}`, value);
    return values;
  }

  async function remove(name: string): Promise<boolean> {
    const known = servers.get(name);
    servers.delete(name);
    await known?.server.close();
    return known !== undefined;
  }

  return {
    async apply() {
      const all = Object.entries(places.project.config().mcpServers);
      const listed = new Map(all.filter(([name, { enabled }]) => enabled && (only ?? name) === name));
      for (const [name, { config }] of [...servers]) {
        const wanted = listed.get(name);
        const isSame = wanted !== undefined && equalJson(toJson(wanted), toJson(config));
        if (config !== undefined && !isSame) await remove(name);
      }
      if (isClosed) return;
      for (const { server } of servers.values()) await server.refresh();
      // Also waits for servers that a concurrent `apply` has just started.
      const started = [...listed].map(([name, config]) => (servers.get(name)?.server ?? start(name, config)).started);
      if (started.length > 0) await within(Promise.all(started), only === undefined ? START_MS : 2 * CONNECT_MS);
    },
    async close() {
      isClosed = true;
      await Promise.all([...servers.keys()].map(remove));
    },
    acts: {
      async addMcpServer(name, added) {
        if (servers.has(name)) throw new TypeError(`MCP server "${name}" exists already (remove it first)`);
        const server = "client" in added ? adopt(name, added) : start(name, checked(name, added));
        await server.started;
        return server.status();
      },
      removeMcpServer: remove,
      mcpServers: () => [...servers.values()].map(({ server }) => server.status()),
      async acceptMcpTools(name, tools, digest) {
        const known = servers.get(name);
        if (known === undefined) throw new TypeError(`Unknown MCP server "${name}"`);
        return await known.server.accept(tools, digest);
      },
    },
  };

  /** Adopts a client that the embedding program connected. The program closes it; a lost connection is not restored. */
  function adopt(
    name: string,
    { client, sideEffects }: { readonly client: McpClient; readonly sideEffects?: McpServerConfig["sideEffects"] },
  ): McpServer {
    const config = checked(name, { command: "given", ...(sideEffects && { sideEffects }) });
    const server = createMcpServer({
      ...{ name, config, pins, emit, clock, log, slices: platform.slices, reconnects: false },
      registry: registry ?? NO_REGISTRY,
      connect: ({ onChanged, onClosed }) => {
        client.setNotificationHandler?.("notifications/tools/list_changed", onChanged);
        const before = client.onclose;
        client.onclose = () => {
          before?.();
          onClosed();
        };
        return Promise.resolve(client);
      },
    });
    servers.set(name, { server });
    return server;
  }

  async function within(work: Promise<unknown>, ms: number): Promise<void> {
    const waited = Promise.withResolvers<void>();
    const stop = clock.after(ms, waited.resolve);
    await Promise.race([work, waited.promise]);
    stop();
  }
}

interface Connecting {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly results: LargeResults;
  readonly args: LargeArguments;
}

type StartedProgram = Pick<ServerProcessOptions, "command" | "args" | "cwd" | "env">;

const NO_REGISTRY: Pick<Registry, "replaceOwner" | "removeOwner"> = { replaceOwner: () => [], removeOwner: () => {} };

/**
 * Checks a configuration as in `bascule.json`.
 * @throws {TypeError} with every problem
 */
function checked(name: string, config: Partial<McpServerConfig>): McpServerConfig {
  const parsed = parseProject(JSON.stringify({ mcpServers: { [name]: config } }));
  if (!parsed.ok) throw new TypeError(`Cannot add the MCP server "${name}": ${parsed.problems.map(problemToText).join("; ")}`);
  const read = parsed.value.mcpServers[name];
  if (read === undefined) throw new TypeError(`"${name}" is not a valid MCP server name`);
  return read;
}

/** A configuration is JSON; its interface only lacks an index signature. */
function toJson(config: McpServerConfig | undefined): JsonValue {
  return (config ?? null) as unknown as JsonValue;
}
