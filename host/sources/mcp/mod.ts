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

/** A server as code says it: as in `bascule.json`, or a client that is connected already. */
export type AddedMcpServer =
  | Partial<McpServerConfig>
  | { readonly client: McpClient; readonly sideEffects?: McpServerConfig["sideEffects"] };

/** What the embedding program can do with servers. */
export interface McpActs {
  /**
   * Offers the tools of a server as `mcp__<name>.<tool>`, until the host closes or it is removed; resolves when it is connected, or could not be.
   *
   * @throws {TypeError} if the configuration is wrong, or there is a server of this name.
   */
  addMcpServer(name: string, server: AddedMcpServer): Promise<McpServerStatus>;
  /** False if there was none. */
  removeMcpServer(name: string): Promise<boolean>;
  mcpServers(): readonly McpServerStatus[];
  /**
   * Accepts what a server's tools say now, all of them or those named; returns the names of those that waited.
   *
   * @param digest of `waiting`, as it was shown: nothing else is accepted.
   * @throws {McpToolsChanged} if they say something else by now. @throws {TypeError} if there is no such server, or it changes more than is shown.
   */
  acceptMcpTools(server: string, tools?: readonly string[], digest?: string): Promise<readonly string[]>;
}

export interface McpSource {
  readonly acts: McpActs;
  /** Connects to what the project lists, and leaves what it lists no longer; waits for servers for a while. */
  apply(): Promise<void>;
  close(): Promise<void>;
}

const START_MS = 10_000;
const CONNECT_MS = 30_000;
const MAX_MESSAGE = 8 * 1024 * 1024;
/** Of an authorization server's answer, which the SDK parses whole. */
const MAX_TOKENS = 64 * 1024;

export function createMcpSource(options: {
  readonly platform: Platform;
  readonly places: Places;
  readonly registry: Pick<Registry, "replaceOwner" | "removeOwner"> | undefined;
  readonly emit: EmitEvent;
  readonly consent: Pick<Consent, "lock" | "frozen" | "refresh">;
  /** For bundles that a person gives one to; and tokens are none of anybody's business either. */
  readonly secrets: Pick<Secrets, "valueOf" | "learn" | "redact">;
  /** May name the only server of `bascule.json` that is wanted. */
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
          (how, words) => (lastWords = words === "" ? how : `${how}; it said: ${words}`),
        );
        // The SDK hears of the signal only once the server has answered something.
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
    // Nothing of the host's own environment but where programs are.
    const env = { ...(path !== undefined && { PATH: path }), ...started.env };
    return stdioTransport(
      platform.servers,
      { ...started, env, maxLineBytes: MAX_MESSAGE },
      { shorten: results.shorten, lengthen: args.lengthen, onEnd },
    );
  }

  /** Of a login that a person made; without one the server is asked without. */
  function tokensOf(login: LoginOf): ReturnType<typeof createTokens> {
    const fetch = platform.servers.fetchSecurely({ server: login.url, maxBytes: MAX_TOKENS });
    return createTokens(login, { store: logins, fetch, learn: secrets.learn });
  }

  function ownProgram(name: string, config: McpServerConfig): StartedProgram {
    const { command = "", args, cwd = "." } = config;
    return { command, args, cwd: normalizePath(cwd, places.root) ?? places.root, env: filled(name, config, "env") };
  }

  async function ofBundle(name: string, digest: string, { config: values }: McpServerConfig): Promise<StartedProgram> {
    // Another process may have added it.
    await consent.refresh();
    const locked = consent.lock.servers().get(name)?.bundle?.digest;
    if (locked === undefined ? consent.frozen : locked !== digest)
      throw new Error(`bascule.lock has ${locked === undefined ? "no" : "another"} bundle for "${name}" (bascule add it again)`);
    const { launchBundle } = await import("../../plugins/bundles/open-bundle.ts");
    return await launchBundle(platform, places, { digest, values }, async (secret) => {
      const hosts = places.project.config().secrets[secret]?.hosts;
      if (hosts === undefined) return await secrets.valueOf(secret);
      throw new Error(`The secret ${secret} may go to ${hosts.join(", ")} only, and a bundle's program can send it anywhere`);
    });
  }

  /** With variables in their places; what of it is a credential is known from here on. */
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
      // Also those that another look at the file has just started.
      const started = [...listed].map(([name, config]) => (servers.get(name)?.server ?? start(name, config)).started);
      if (started.length > 0) await within(Promise.all(started), only === undefined ? START_MS : 2 * CONNECT_MS);
    },
    async close() {
      isClosed = true;
      await Promise.all([...servers.keys()].map(remove));
    },
    acts: {
      async addMcpServer(name, added) {
        if (servers.has(name)) throw new TypeError(`There is an MCP server "${name}" already (remove it first)`);
        const server = "client" in added ? adopt(name, added) : start(name, checked(name, added));
        await server.started;
        return server.status();
      },
      removeMcpServer: remove,
      mcpServers: () => [...servers.values()].map(({ server }) => server.status()),
      async acceptMcpTools(name, tools, digest) {
        const known = servers.get(name);
        if (known === undefined) throw new TypeError(`There is no MCP server "${name}"`);
        return await known.server.accept(tools, digest);
      },
    },
  };

  /** The program's own client: it closes it, and nobody connects it again. */
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

/** As `bascule.json` would be. @throws {TypeError} with every problem. */
function checked(name: string, config: Partial<McpServerConfig>): McpServerConfig {
  const parsed = parseProject(JSON.stringify({ mcpServers: { [name]: config } }));
  if (!parsed.ok) throw new TypeError(`Cannot add the MCP server "${name}": ${parsed.problems.map(problemToText).join("; ")}`);
  const read = parsed.value.mcpServers[name];
  if (read === undefined) throw new TypeError(`"${name}" cannot name an MCP server`);
  return read;
}

/** A configuration is JSON; its interface just has no index signature. */
function toJson(config: McpServerConfig | undefined): JsonValue {
  return (config ?? null) as unknown as JsonValue;
}
