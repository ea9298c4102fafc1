import { describe, expect, it } from "vitest";
import { checkSchema } from "../../../../manifests/mod.ts";
import { ENDPOINTS } from "../../../../host/doors/http/endpoints.ts";
import { openApiDocument } from "../../../../host/doors/http/openapi.ts";
import { JournalError } from "../../../../host/platform/files/journal-types.ts";
import type { McpClient } from "../../../../host/sources/mcp/mod.ts";
import { httpDoor, TOKENS } from "../../../support/http-door.ts";
import { memoryPlatformWithWorkers } from "../../../support/memory-platform.ts";

describe("the endpoints", () => {
  it("check requests with schemas of the subset, and have unique names [I4.openapi]", () => {
    const schemas = ENDPOINTS.flatMap(({ id, body, query }) =>
      [body, query].flatMap((schema) => (schema === undefined ? [] : [{ id, schema }])),
    );
    const problems = schemas.flatMap(({ id, schema }) =>
      checkSchema(JSON.parse(JSON.stringify(schema))).map(({ pointer, message }) => `${id}${pointer}: ${message}`),
    );
    expect(problems).toEqual([]);
    expect(schemas.length).toBeGreaterThan(8);
    expect(new Set(ENDPOINTS.map(({ id }) => id)).size).toBe(ENDPOINTS.length);
  });

  it("need a token, and an admin's for acts of the user [I4.scopes, E5.agent]", async () => {
    await using door = await httpDoor();
    const open: string[] = [];
    const forCalls: string[] = [];
    for (const { method, path } of ENDPOINTS) {
      const place = path.replaceAll(/\{\w+\}/g, "x");
      const asked = { method: method.toUpperCase(), ...(method === "post" && { body: {} }) };
      const anybody = await door.request(place, { ...asked, token: undefined });
      const agent = await door.request(place, asked);
      if (anybody.status !== 401) open.push(path);
      if (agent.status !== 403 && anybody.status === 401) forCalls.push(`${method} ${path}`);
      await Promise.all([anybody.body?.cancel(), agent.body?.cancel()]);
    }
    expect(open).toEqual(["/healthz", "/readyz", "/v1/login", "/v1/openapi.json"]);
    expect(forCalls).toEqual([
      "get /v1/whoami",
      "get /v1/tools",
      "post /v1/calls",
      "get /v1/calls/{callId}",
      "post /v1/calls/{callId}/cancel",
      "post /v1/calls/{callId}/commit",
      "get /v1/results/{handle}",
      "get /v1/waiting",
      "get /v1/waiting/{callId}",
      "post /v1/waiting/{callId}/cancel",
      "post /v1/sessions",
      "get /v1/sessions",
      "get /v1/sessions/{sessionId}",
      "delete /v1/sessions/{sessionId}",
      "post /v1/sessions/{sessionId}/cancel",
      "post /v1/sessions/{sessionId}/turns",
      "get /v1/sessions/{sessionId}/turns/{turnId}",
      "post /v1/sessions/{sessionId}/turns/{turnId}/cancel",
      "get /v1/events",
    ]);
  });

  it("match the served document [I4.openapi]", async () => {
    await using door = await httpDoor();
    const { body } = await door.ask("/v1/openapi.json", { token: undefined });
    expect(body).toEqual(openApiDocument());
    const paths = body["paths"] as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    const described = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
    expect(described.toSorted()).toEqual(ENDPOINTS.map(({ method, path }) => `${method} ${path}`).toSorted());
    const text = JSON.stringify(body);
    for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) expect(text).toContain(`"${name}":{`);
  });
});

describe("the user's endpoints", () => {
  it("list plugins, grants and reasons, and change grants [I4.plugins, I4.grants]", async () => {
    await using door = await httpDoor();
    const ask: typeof door.ask = (path, request = {}) => door.ask(path, { token: TOKENS.admin, ...request });
    expect((await ask("/v1/status")).body).toMatchObject({ workspace: "/workspace", plugins: 0 });
    expect((await ask("/v1/plugins")).body).toMatchObject({ plugins: [{ name: "built-in", state: "loaded" }] });
    expect((await ask("/v1/plugins/echo")).body).toMatchObject({ kind: "tool", tool: { name: "echo" } });
    expect(await ask("/v1/plugins/ech")).toMatchObject({ status: 404, body: { code: "not_found", suggestion: "echo" } });
    expect((await ask("/v1/plugins/reload", { body: {} })).body).toEqual({ reloaded: 0 });
    expect((await ask("/v1/plugins/none/accept", { body: { digest: "0".repeat(64) } })).status).toBe(404);
    expect((await ask("/v1/plugins/none/rollback", { body: {} })).status).toBe(404);
    expect((await ask("/v1/plugins/none/settings")).status).toBe(404);
    expect((await ask("/v1/grants")).body).toMatchObject({ grants: [] });
    expect(await ask("/v1/grants", { body: { plugin: "none", permissions: { read: ["."] } } })).toMatchObject({ status: 404 });
    expect(await ask("/v1/grants", { body: { plugin: "none", permissions: { reed: ["."] } } })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("reed") },
    });
    expect((await ask("/v1/grants/revoke", { body: { plugin: "none" } })).body).toEqual({ changed: 0 });
    expect((await ask("/v1/why?name=echo")).body).toMatchObject({ tools: [{ tool: "echo", verdict: "allowed" }] });
    expect((await ask("/v1/why?name=echo&noWeb=maybe")).status).toBe(400);
  });

  it("list MCP servers, and accept their tools only as they were shown [I4.mcp-servers, K3.http]", async () => {
    const server = (description: string): McpClient => ({
      listTools: () => Promise.resolve({ tools: [{ name: "add", description, inputSchema: { type: "object" } }] }),
      callTool: () => Promise.reject(new Error("must not be called")),
      close: () => Promise.resolve(),
    });
    await using door = await httpDoor();
    const ask: typeof door.ask = (path, request = {}) => door.ask(path, { token: TOKENS.admin, ...request });
    await door.host.addMcpServer("far", { client: server("Adds") });
    await door.host.removeMcpServer("far");
    await door.host.addMcpServer("far", { client: server("Adds all") });
    const { body } = await ask("/v1/mcp-servers");
    expect(body).toMatchObject({
      servers: [
        {
          name: "far",
          state: "connected",
          refused: [{ tool: "add" }],
          waiting: {
            tools: ["add"],
            words: [{ sign: "~", what: expect.stringContaining("description of tool"), to: '"Adds all"' }],
          },
        },
      ],
    });
    const [far] = body["servers"] as unknown as readonly { readonly waiting: { readonly digest: string } }[];
    const place = "/v1/mcp-servers/far/accept";
    expect((await ask(place, { body: { digest: "0".repeat(64) } })).status).toBe(409);
    expect((await ask("/v1/mcp-servers/none/accept", { body: { digest: "x" } })).status).toBe(404);
    expect((await ask(place, { body: { digest: far?.waiting.digest } })).body).toEqual({ accepted: ["add"] });
    expect(door.host.mcpServers()).toMatchObject([{ refused: [] }]);
  });

  it("report which part of the journal cannot be read, if a plugin's use needs all of it [AU3.damage]", async () => {
    const manifest = {
      schemaVersion: "1.0",
      name: "words",
      version: "1.0.0",
      description: "Words",
      tools: [{ name: "count", description: "Counts", inputSchema: { type: "object" }, sideEffects: [] }],
    };
    const memory = memoryPlatformWithWorkers({
      "/workspace/plugins/words/manifest.json": JSON.stringify(manifest),
      "/workspace/plugins/words/main.ts": "export const count = () => 1;",
    });
    const { journals } = memory;
    const rows = (): never => {
      throw new JournalError("row 3 cannot be read", false);
    };
    const open: typeof journals.open = (file, mode) => ({ ...journals.open(file, mode), ...(mode === "read" && { rows }) });
    await using door = await httpDoor({ platform: { ...memory, journals: { ...journals, open } }, plugins: "plugins" });
    await door.host.call("echo", { text: "hello" });
    const { status, body } = await door.ask("/v1/plugins/words/used", { token: TOKENS.admin });
    expect([status, body["code"], body["detail"]]).toEqual([
      503,
      "unavailable",
      expect.stringMatching(/^Cannot read the journal: 000000000001\.db: .*row 3 cannot be read.*bascule audit verify/),
    ]);
  });

  it("inspect a plugin, add what was inspected, report its use, and remove it [I4.plugins, I2.http]", async () => {
    const manifest = {
      ...{ schemaVersion: "1.0", name: "words", version: "1.0.0", description: "Words" },
      permissions: { read: ["$workspace"] },
      tools: [{ name: "count", description: "Counts", inputSchema: { type: "object" }, sideEffects: ["read"] }],
    };
    const platform = memoryPlatformWithWorkers({
      "/src/words/manifest.json": JSON.stringify(manifest),
      "/src/words/main.ts": "export const count = () => 1;",
    });
    await using door = await httpDoor({ platform, plugins: "plugins" });
    const ask: typeof door.ask = (path, request = {}) => door.ask(path, { token: TOKENS.admin, ...request });
    const { body: preview } = await ask("/v1/plugins/inspect", { body: { source: "/src/words" } });
    expect(preview).toMatchObject({ name: "words", requested: { read: ["$workspace"] } });
    expect(await ask("/v1/plugins/inspect", { body: { source: "/src/none" } })).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect((await ask("/v1/plugins", { body: { digest: "0".repeat(64) } })).status).toBe(403);
    expect(door.host.plugins()).toEqual([]);
    expect(await ask("/v1/plugins", { body: { digest: preview["digest"] } })).toMatchObject({ status: 201, body: { name: "words" } });
    expect((await ask("/v1/plugins/words/used")).body).toMatchObject({
      plugin: "words",
      calls: 0,
      used: {},
      unused: { manifest: [{ kind: "read", item: "$workspace" }], grants: [] },
    });
    expect((await ask("/v1/plugins/none/used")).status).toBe(404);
    expect(await ask("/v1/plugins/words", { method: "DELETE" })).toMatchObject({ status: 200, body: { plugin: "words" } });
    expect([door.host.plugins(), (await ask("/v1/plugins/words", { method: "DELETE" })).status]).toEqual([[], 404]);
  });

  it("show the limits that a plugin requests and gets, and let the user accept them [I4.plugins] [B3.consent]", async () => {
    const manifest = {
      ...{ schemaVersion: "1.0", name: "words", version: "1.0.0", description: "Words", limits: { memoryBytes: 268_435_456 } },
      tools: [{ name: "count", description: "Counts", inputSchema: { type: "object" }, sideEffects: [] }],
    };
    const platform = memoryPlatformWithWorkers({
      "plugins/words/manifest.json": JSON.stringify(manifest),
      "plugins/words/main.ts": "export const count = () => 1;",
    });
    await using door = await httpDoor({ platform, plugins: "plugins" });
    const ask: typeof door.ask = (path, request = {}) => door.ask(path, { token: TOKENS.admin, ...request });
    const limits = async (): Promise<unknown> => {
      const { body } = await ask("/v1/plugins");
      return (body["plugins"] as readonly { readonly name: string; readonly limits: unknown }[]).find(({ name }) => name === "words")
        ?.limits;
    };
    const asked = { limit: "memoryBytes", asked: 268_435_456 };
    expect(await limits()).toEqual([{ ...asked, allowed: 67_108_864, by: "consent", text: "memoryBytes 256 MiB, allowed 64 MiB" }]);
    const place = "/v1/plugins/words/accept";
    expect((await ask(place, { body: { digest: "0".repeat(64) } })).body).toEqual({ kind: "changed", plugin: "words" });
    expect((await ask(place, { body: { digest: door.host.plugins()[0]?.digest ?? "" } })).body).toMatchObject({ kind: "accepted" });
    expect(await limits()).toEqual([{ ...asked, allowed: 268_435_456, text: "memoryBytes 256 MiB" }]);
  });

  it("return the metrics, and report when the server takes no more calls [I4.health, AU7]", async () => {
    await using door = await httpDoor();
    const metrics = await door.request("/metrics", { token: TOKENS.metrics });
    expect([metrics.status, await metrics.text()]).toEqual([200, expect.stringContaining("# TYPE bascule_")]);
    expect((await door.ask("/readyz", { token: undefined })).body).toEqual({ status: "ready" });
  });
});

describe("a mount", () => {
  it("gets all requests below its path except the server's own, from tokens with its scope [I4.mounts]", async () => {
    const seen: (string | undefined)[] = [];
    const fetch = (request: Request, caller: { readonly name: string } | undefined): Response => {
      seen.push(caller?.name);
      return new Response(new URL(request.url).pathname, { headers: { "content-security-policy": "default-src 'self'" } });
    };
    await using door = await httpDoor({
      mounts: [
        { path: "/mcp", scope: "call", fetch },
        { path: "/", fetch },
      ],
    });
    const text = async (path: string, token?: string): Promise<unknown> => {
      const response = await door.request(path, { token });
      return response.status === 200 ? await response.text() : response.status;
    };
    expect([
      await text("/mcp", TOKENS.call),
      await text("/mcp/x", TOKENS.admin),
      await text("/mcp"),
      await text("/mcp", TOKENS.metrics),
    ]).toEqual(["/mcp", "/mcp/x", 401, 403]);
    expect(await text("/healthz")).toBe('{"status":"ok"}');
    expect([await text("/"), await text("/mcpx"), await text("/v1/none"), await text("/v1")]).toEqual(["/", "/mcpx", 404, 404]);
    expect(seen).toEqual(["call", "admin", undefined, undefined]);
    expect((await door.request("/")).headers.get("content-security-policy")).toBe("default-src 'self'");
  });
});
