/** A host's HTTP server: the door with `/v1` and the mounts, listening at an address (SPEC I4). */

import type { ServerConfig } from "../../../manifests/mod.ts";
import type { Host } from "../../host/host-interface.ts";
import { createMutex } from "../../platform/mutex.ts";
import type { HttpServer } from "../../platform/network/http-types.ts";
import type { Platform } from "../../platform/platform.ts";
import { usedBy } from "../../plugins/learn/used.ts";
import { createOperations } from "../host-operations.ts";
import { permissionMap } from "../permission-map.ts";
import { createHttpCalls } from "./calls.ts";
import { createConnectedClients } from "./connected-clients.ts";
import { createHttpDoor, DEFAULT_SERVER_LIMITS } from "./door.ts";
import { ENDPOINTS, type HttpApi } from "./endpoints.ts";
import { createEventStreams, type EventStreams } from "./event-streams.ts";
import { createMetricsHistory } from "./metrics-history.ts";
import type { HttpMount } from "./mount.ts";
import { openApiDocument } from "./openapi.ts";
import { createPluginTests } from "./plugin-tests.ts";
import { createPolicyFile } from "./policy-file.ts";
import { createReplays } from "./replays.ts";
import { createHttpSessions } from "./sessions.ts";
import type { HttpTokens } from "./tokens.ts";
import { createHttpTurns } from "./turns.ts";

export interface HostServerOptions {
  readonly platform: Platform;
  readonly host: Host;
  /** `server` of `bascule.json`, with the address to listen on. */
  readonly server: ServerConfig & Required<Pick<ServerConfig, "host" | "port">>;
  readonly tokens: HttpTokens;
  /** Version of bascule and id of this process. */
  readonly about: { readonly version: string; readonly pid: number };
  readonly mounts?: readonly HttpMount[];
}

/** A listening server. */
export interface HostServer extends Pick<HttpServer, "host" | "port"> {
  /** Base URL: `http://host:port`. */
  readonly url: string;
  /** Reports not ready, ends streams, and waits up to 5 s for open requests. */
  close(): Promise<void>;
}

const GRACE_MS = 5_000;
/** How far back the permission map counts acts. */
const WEEK_MS = 7 * 24 * 3_600_000;

/** Starts the server. @throws {HttpServerError} if it cannot listen on the address */
export async function openHostServer(options: HostServerOptions): Promise<HostServer> {
  const { platform, host, server, tokens, mounts = [] } = options;
  const limits = { ...DEFAULT_SERVER_LIMITS, ...server.limits };
  let isReady = true;
  const onDefect = (error: unknown): void => platform.log.write("error", "An HTTP answer failed", { error: String(error) });
  const sessions = createHttpSessions({ host, platform, most: limits.sessions });
  const streams: EventStreams = createEventStreams({
    host,
    clock: platform.clock,
    slices: platform.slices,
    ...{ sessions, tokens },
    most: limits.streams,
    onDefect,
  });
  const calls = createHttpCalls({ host, platform });
  // Each request reads the whole journal: run one at a time.
  const reading = createMutex();
  const policyFile = createPolicyFile({ host, platform });
  const history = createMetricsHistory({ host, clock: platform.clock });
  const clients = createConnectedClients(host);
  const api: HttpApi = {
    ...{ host, platform, tokens, sessions, calls, streams },
    turns: createHttpTurns(host, calls, platform.random),
    used: (plugin) => reading(() => usedBy(plugin, { host, platform })),
    operations: createOperations({
      ...{
        host,
        files: platform.files,
        slices: platform.slices,
        session: host.session({ door: "http", client: "console" }),
        about: options.about,
      },
      onDefect: (message, error) => platform.log.write("error", message, { error: String(error) }),
    }),
    ...{ audit: host.audit, history, clients, tests: createPluginTests(host, platform), replays: createReplays(host, platform) },
    policyFile: { ...policyFile, check: (text) => reading(() => policyFile.check(text)) },
    permissionMap: () =>
      reading(async () => {
        const until = platform.clock.now() + 1;
        await host.audit.flush();
        return await platform.slices.run(permissionMap(host, await host.audit.use({ since: until - WEEK_MS, until })));
      }),
    isReady: () => isReady,
    metrics: () => host.metrics(),
    document: openApiDocument,
  };
  const door = createHttpDoor({ platform, server, tokens, endpoints: ENDPOINTS, api, mounts });
  const listening = await platform.http.serve({
    fetch: door.fetch,
    host: server.host,
    port: server.port,
    limits: { bodyBytes: limits.bodyBytes },
    onDefect,
  });
  const shown = listening.host.includes(":") ? `[${listening.host}]` : listening.host;
  return {
    host: listening.host,
    port: listening.port,
    url: `http://${shown}:${listening.port}`,
    async close() {
      isReady = false;
      streams.close();
      history.close();
      clients.close();
      await Promise.all(mounts.flatMap(({ close }) => close?.() ?? []));
      await listening.close(GRACE_MS);
    },
  };
}
