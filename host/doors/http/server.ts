/** A host's HTTP server: the door, `/v1`, and what else is mounted, at an address (SPEC I4). */

import type { ServerConfig } from "../../../manifests/mod.ts";
import type { Host } from "../../host.ts";
import type { HttpServer } from "../../platform/http-types.ts";
import type { Platform } from "../../platform/platform.ts";
import { createHttpDoor, DEFAULT_SERVER_LIMITS } from "./door.ts";
import type { HttpMount } from "./mount.ts";
import { SYSTEM_ENDPOINTS } from "./system-endpoints.ts";
import type { HttpTokens } from "./tokens.ts";

export interface HostServerOptions {
  readonly platform: Platform;
  readonly host: Host;
  /** `server` of `bascule.json`, with the address to listen at. */
  readonly server: ServerConfig & Required<Pick<ServerConfig, "host" | "port">>;
  readonly tokens: HttpTokens;
  readonly mounts?: readonly HttpMount[];
}

/** A server that answers until it is closed. */
export interface HostServer extends Pick<HttpServer, "host" | "port"> {
  /** `http://` and where it listens. */
  readonly url: string;
  /** Says that it ends, ends streams, and lets requests end. */
  close(): Promise<void>;
}

const GRACE_MS = 5_000;

/** @throws {HttpServerError} if it cannot listen there */
export async function openHostServer({ platform, host, server, tokens, mounts = [] }: HostServerOptions): Promise<HostServer> {
  let isReady = true;
  const api = { tokens, isReady: () => isReady, metrics: () => host.metrics() };
  const door = createHttpDoor({ platform, server, tokens, endpoints: SYSTEM_ENDPOINTS, api, mounts });
  const listening = await platform.http.serve({
    fetch: door.fetch,
    host: server.host,
    port: server.port,
    limits: { bodyBytes: server.limits.bodyBytes ?? DEFAULT_SERVER_LIMITS.bodyBytes },
    onDefect: (error) => platform.log.write("error", "An HTTP answer failed", { error: String(error) }),
  });
  const shown = listening.host.includes(":") ? `[${listening.host}]` : listening.host;
  return {
    host: listening.host,
    port: listening.port,
    url: `http://${shown}:${listening.port}`,
    async close() {
      isReady = false;
      await Promise.all(mounts.flatMap(({ close }) => close?.() ?? []));
      await listening.close(GRACE_MS);
    },
  };
}
