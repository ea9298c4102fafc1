/** Servers on loopback that misbehave, and calls that may connect to them. */

import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createTcpServer, type Socket } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { onTestFinished } from "vitest";
import type { HttpLimits } from "../../host/platform/network/network-types.ts";
import { createNetwork } from "../../host/platform/network/network.ts";
import type { Resolve } from "../../host/platform/network/network-connect.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import type { JsonValue, Permissions, SecretSource } from "../../manifests/mod.ts";
import type { HostAnswer } from "../../sandbox/mod.ts";
import { type TestCall, testCall } from "./bridge-context.ts";

/** A server that is closed after the test. */
export interface TestServer {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Returns the number of connections so far. */
  readonly connections: () => number;
  /** Returns the number of open connections. */
  readonly open: () => number;
}

/** Starts Node's HTTP server. */
export function httpServer(listener: RequestListener, address = "127.0.0.1"): Promise<TestServer> {
  return listen(createHttpServer(listener), address);
}

/** Certificate for secure.test and 127.0.0.1, created for these tests only. */
export const CERTIFICATE: string = readFileSync(new URL("certificates/secure.cert.pem", import.meta.url), "utf8");

/** Starts Node's HTTPS server. Calls trust it with `ca: CERTIFICATE`. */
export function httpsServer(listener: RequestListener): Promise<TestServer> {
  const key = readFileSync(new URL("certificates/secure.key.pem", import.meta.url), "utf8");
  return listen(createHttpsServer({ cert: CERTIFICATE, key }, listener), "127.0.0.1");
}

/** Starts a TCP server. `speak` is called with each connection after the first bytes of a request. */
export function rawServer(speak: (socket: Socket) => void): Promise<TestServer> {
  return listen(
    createTcpServer((socket) => void socket.once("data", () => speak(socket))),
    "127.0.0.1",
  );
}

async function listen(server: Server, address: string): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections++;
    sockets.add(socket);
    // Ignore errors: the tests abort connections on purpose.
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  // A server that listens on TCP has an address object.
  const { port } = server.address() as AddressInfo;
  const host = address.includes(":") ? `[${address}]` : address;
  return { port, origin: `http://${host}:${port}`, connections: () => connections, open: () => sockets.size };
}

export interface NetCall extends TestCall {
  /** Starts a request. Requests are numbered 1, 2, … */
  fetch(url: string, wanted?: FetchWish, bytes?: Uint8Array): Promise<HostAnswer>;
  /** Reads the whole body of request `id`. @throws {Error} if a read fails */
  readAll(id?: number): Promise<Uint8Array>;
  /** Closes all exchanges, as the end of a call does. */
  close(): void;
}

export interface FetchWish {
  readonly method?: string;
  readonly headers?: readonly string[];
  readonly redirect?: string;
  readonly body?: "none" | "bytes" | "stream";
}

export interface NetCallOptions {
  /** Resolves names to addresses; called for every lookup. */
  readonly resolve?: Resolve;
  readonly ca?: string;
  readonly signal?: AbortSignal;
  readonly operationBytes?: number;
  readonly limits?: Partial<HttpLimits>;
  /** Granted variables, and the values in the environment. */
  readonly env?: { readonly allow: Exclude<Permissions["env"], undefined>; readonly values: Readonly<Record<string, string>> };
  readonly secrets?: Readonly<Record<string, SecretSource>>;
}

/** Creates a call on the real network of this machine with these net permissions. */
export function netCall(net: Exclude<Permissions["net"], undefined>, options: NetCallOptions = {}): NetCall {
  const { resolve = () => Promise.reject(new Error("Name lookups are disabled")), ca, limits = {} } = options;
  const network = createNetwork({ resolve, ...(ca !== undefined && { ca }) });
  const limited: typeof network = {
    ...network,
    exchange: (url, request) => network.exchange(url, { ...request, limits: { ...request.limits, ...limits } }),
  };
  const { environment, ...platform } = currentPlatform();
  const { allow, values } = options.env ?? { allow: false, values: {} };
  const call = testCall({
    platform: {
      ...platform,
      network: limited,
      environment: { ...environment, get: (name) => values[name], names: () => Object.keys(values) },
    },
    cwd: "/workspace",
    permissions: { net, env: allow },
    ...(options.secrets && { secrets: options.secrets }),
    ...(options.signal && { signal: options.signal }),
    ...(options.operationBytes !== undefined && { operationBytes: options.operationBytes }),
  });
  onTestFinished(() => call.context.exchanges.closeAll());
  let id = 0;
  return {
    ...call,
    fetch: (url, { method = "GET", headers = [], redirect = "follow", body = "none" } = {}, bytes) =>
      call.answer("net.fetch", { id: ++id, url, method, headers: [...headers], redirect, body }, bytes),
    async readAll(of = id) {
      const pieces: Uint8Array[] = [];
      for (;;) {
        const answer = await call.answer("net.read", { id: of });
        if (!answer.ok) throw new Error(`${answer.error.name}: ${answer.error.message}`);
        if (answer.value === true) return Buffer.concat(pieces);
        if (answer.bytes !== undefined) pieces.push(answer.bytes);
      }
    },
    close: () => call.context.exchanges.closeAll(),
  };
}

/** Returns the head of a response as the bridge answers it. @throws {Error} for a failed answer */
export function headOf(answer: HostAnswer): Readonly<Record<string, JsonValue>> {
  if (!answer.ok) throw new Error(`${answer.error.name}: ${answer.error.message}`);
  return answer.value as Readonly<Record<string, JsonValue>>;
}

/** Returns name and message of the error, or the failure's text if the network failed. */
export function failureOf(answer: HostAnswer): string {
  if (!answer.ok) return `${answer.error.name}: ${answer.error.message}`;
  const { failed } = headOf(answer);
  return typeof failed === "string" ? failed : `no failure: ${JSON.stringify(answer.value)}`;
}
