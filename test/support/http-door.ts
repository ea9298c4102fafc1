/** A host with an HTTP door in memory: requests go directly to the handler. */

import { openHostServer, type HostServer } from "../../host/doors/http/server.ts";
import type { HttpMount } from "../../host/doors/http/mount.ts";
import { createHttpTokens, hashOf, type HttpTokens } from "../../host/doors/http/tokens.ts";
import { createHost } from "../../host/host/host.ts";
import type { Host } from "../../host/host/host-interface.ts";
import type { HostOptions } from "../../host/host/host-options.ts";
import type { MemoryPlatform } from "../../host/platform/memory/memory.ts";
import { type JsonObject, parseProject, type TokenConfig } from "../../manifests/mod.ts";
import { memoryPlatform } from "./memory-platform.ts";

/** Tokens of every test: two programs, an admin and a metrics scraper. */
export const TOKENS = { call: "call-token", other: "other-token", admin: "admin-token", metrics: "metrics-token" } as const;

/** A request in short form. */
export interface ShortRequest {
  readonly token?: string | undefined;
  readonly method?: string;
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  readonly fields?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Default `http://127.0.0.1:7420`. */
  readonly origin?: string;
}

export interface HttpDoorUnderTest extends AsyncDisposable {
  readonly platform: MemoryPlatform;
  readonly host: Host;
  readonly server: HostServer;
  readonly tokens: HttpTokens;
  /** Sends a request, by default with the `call` token; `token: undefined` sends none. With a body, the method is POST. */
  request(path: string, request?: ShortRequest): Promise<Response>;
  /** Sends a request and parses the JSON of the response. */
  ask(path: string, request?: ShortRequest): Promise<{ readonly status: number; readonly body: JsonObject }>;
}

export interface HttpDoorOptions {
  readonly tools?: NonNullable<HostOptions["tools"]>;
  readonly project?: JsonObject;
  readonly mounts?: readonly HttpMount[];
  readonly platform?: MemoryPlatform;
  readonly tokens?: readonly TokenConfig[];
  /** Folder of the plugins. */
  readonly plugins?: string;
  /** Path of a `bascule.json` on the platform; then `project` is only the server's. */
  readonly config?: string;
  readonly trust?: NonNullable<HostOptions["trust"]>;
}

export async function httpDoor(options: HttpDoorOptions = {}): Promise<HttpDoorUnderTest> {
  const { platform = memoryPlatform(), project = {}, mounts = [] } = options;
  const { tools, plugins, config = project, trust } = options;
  const host = await createHost({
    ...{ platform, config, events: { store: true } },
    ...(trust !== undefined && { trust }),
    ...(tools && { tools }),
    ...(plugins !== undefined && { plugins }),
  });
  const parsed = parseProject(JSON.stringify(project));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const known = await Promise.all([
    configOf("call", TOKENS.call, ["call"]),
    configOf("other", TOKENS.other, ["call"]),
    configOf("admin", TOKENS.admin, ["admin"]),
    configOf("metrics", TOKENS.metrics, ["metrics"]),
  ]);
  const tokens = createHttpTokens({ ...platform, tokens: () => [...known, ...(options.tokens ?? [])] });
  const server = await openHostServer({
    ...{ platform, host, tokens, mounts },
    about: { version: "0", pid: 1 },
    server: { ...parsed.value.server, host: "127.0.0.1", port: 7_420 },
  });

  async function request(path: string, short: ShortRequest = {}): Promise<Response> {
    const { method = short.body === undefined ? "GET" : "POST", body, signal, origin = "http://127.0.0.1:7420" } = short;
    const token = "token" in short ? short.token : TOKENS.call;
    const fields = new Headers({
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...short.fields,
    });
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return await platform.http.request(
      new Request(origin + path, { method, headers: fields, ...(body !== undefined && { body: text }), ...(signal && { signal }) }),
      server.port,
    );
  }

  return {
    ...{ platform, host, server, tokens, request },
    async ask(path, short) {
      const response = await request(path, short);
      // Callers use `ask` only for endpoints that return an object.
      return { status: response.status, body: (await response.json()) as JsonObject };
    },
    async [Symbol.asyncDispose]() {
      const closed = Promise.all([server.close(), host.close()]);
      // Closing waits a while for calls that need confirmation, so advance the fake clock.
      platform.advance(10_000);
      await closed;
    },
  };
}

export async function configOf(name: string, token: string, scopes: TokenConfig["scopes"], role?: string): Promise<TokenConfig> {
  return { name, sha256: await hashOf(token), scopes, ...(role !== undefined && { role }) };
}

/** Returns a text member. @throws {Error} if it is not a text */
export function textOf(object: JsonObject | undefined, name: string): string {
  const value = object?.[name];
  if (typeof value !== "string") throw new Error(`Text "${name}" not found in ${JSON.stringify(object)}`);
  return value;
}

/** Reads server-sent events from a response. */
export class SseReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(response: Response) {
    if (response.body === null) throw new Error("The response has no body");
    // The runtime's type does not name the type of the chunks.
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader();
  }

  /** Returns the next event, skipping heartbeats; undefined at the end. */
  async next(): Promise<{ readonly event: string; readonly id: string | undefined; readonly data: JsonObject } | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end === -1) {
        const piece = await this.#reader.read();
        if (piece.done) return undefined;
        this.#text += this.#decoder.decode(piece.value, { stream: true });
        continue;
      }
      const lines = this.#text.slice(0, end).split("\n");
      this.#text = this.#text.slice(end + 2);
      const field = (name: string): string | undefined => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field("data");
      if (data !== undefined) return { event: field("event") ?? "", id: field("id"), data: JSON.parse(data) as JsonObject };
    }
  }

  /** Reads until an event of this type. @throws {Error} if the stream ends first */
  async until(type: string): Promise<JsonObject> {
    for (let next = await this.next(); next !== undefined; next = await this.next()) if (next.event === type) return next.data;
    throw new Error(`The stream ended before "${type}"`);
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel();
  }
}
