import { describe, expect, it } from "vitest";
import { createHttpDoor } from "../../../host/doors/http/door.ts";
import { createHttpTokens, hashOf } from "../../../host/doors/http/tokens.ts";
import { createMcpHandler, serveMcpLines } from "../../../host/doors/mcp/mod.ts";
import { createMemoryPair } from "../../../host/platform/memory/memory-sockets.ts";
import { DEFAULT_PROJECT, type TokenConfig } from "../../../manifests/mod.ts";
import { recordHostReads } from "../../support/host-reads.ts";
import { mcpHost, type McpHost, messageOf, modernRequest, until } from "../../support/mcp-client.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
};

function post(body: string, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request("http://localhost/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body,
  });
}

/** Mounts the door as `bascule serve` does. */
async function served(test: McpHost): Promise<(request: Request) => Promise<Response>> {
  const mount = createMcpHandler(test);
  const agent: TokenConfig = { name: "agent", sha256: await hashOf("good"), scopes: ["call"] };
  const tokens = createHttpTokens({ ...test.platform, tokens: () => [agent] });
  return createHttpDoor({ platform: test.platform, server: DEFAULT_PROJECT.server, tokens, endpoints: [], api: {}, mounts: [mount] }).fetch;
}

describe("a hostile client of the MCP door over HTTP", () => {
  it("is refused without a token, with another host's name, and from a page of another origin [I3.gate]", async () => {
    await using test = await mcpHost();
    const fetch = await served(test);
    const ask = async (url: string, headers: Readonly<Record<string, string>>): Promise<number> => {
      const request = modernRequest("tools/list");
      for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
      return (await fetch(new Request(url, request))).status;
    };
    const token = { authorization: "Bearer good" };
    expect(await ask("http://localhost/mcp", token)).toBe(200);
    expect(await ask("http://localhost/mcp", {})).toBe(401);
    expect(await ask("http://localhost/mcp", { authorization: "Bearer bad" })).toBe(401);
    expect(await ask("http://evil.example/mcp", token)).toBe(421);
    expect(await ask("http://localhost/mcp", { ...token, origin: "https://evil.example" })).toBe(403);
  });

  it.each([
    ["no JSON", "{", 400],
    ["a body that is too large", `"${"x".repeat(5 * 1024 * 1024)}"`, 413],
    ["deep JSON", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, 400],
    ["a call without a session", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }), 400],
  ])("gets an error for %s [I3.malformed]", async (_what, body, status) => {
    await using test = await mcpHost();
    const handler = createMcpHandler(test);
    expect((await handler.fetch(post(body))).status).toBe(status);
    await handler.close();
  });

  it("can neither use another token's session nor guess one [I3.session]", async () => {
    await using test = await mcpHost();
    const handler = createMcpHandler(test);
    const opened = await handler.fetch(post(JSON.stringify(INITIALIZE)), { id: "one" });
    const id = opened.headers.get("mcp-session-id") ?? "";
    expect(id).toMatch(/^[\da-f]{64}$/);
    await opened.text();
    const list = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    expect((await handler.fetch(post(body, list), { id: "another" })).status).toBe(404);
    expect((await handler.fetch(post(body, { ...list, "mcp-session-id": "0".repeat(64) }), { id: "one" })).status).toBe(404);
    expect((await handler.fetch(post(body, list), { id: "one" })).status).toBe(200);
    await handler.close();
  });

  it("cannot exceed the limit of sessions: idle ones are ended first [I3.sessions]", async () => {
    await using test = await mcpHost();
    const handler = createMcpHandler(test);
    const open = async (): Promise<string> => {
      const response = await handler.fetch(post(JSON.stringify(INITIALIZE)));
      await response.text();
      return response.headers.get("mcp-session-id") ?? "";
    };
    const first = await open();
    for (let index = 0; index < 64; index += 1) await open();
    const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    const headers = { "mcp-session-id": first, "mcp-protocol-version": "2025-11-25" };
    expect((await handler.fetch(post(list, headers))).status).toBe(404);
    expect((await handler.fetch(post(list, { ...headers, "mcp-session-id": await open() }))).status).toBe(200);
    await handler.close();
  });

  it("keeps a session while one of its requests is open, however long ago the others ended [I3.sessions]", async () => {
    await using test = await mcpHost();
    const handler = createMcpHandler(test);
    const opened = await handler.fetch(post(JSON.stringify(INITIALIZE)));
    await opened.text();
    const headers = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-11-25" };
    const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    const stream = await handler.fetch(new Request("http://localhost/mcp", { headers: { accept: "text/event-stream", ...headers } }));
    expect(stream.status).toBe(200);
    const ask = async (): Promise<number> => {
      const response = await handler.fetch(post(list, headers));
      await response.text();
      return response.status;
    };
    expect(await ask()).toBe(200);
    test.platform.advance(2 * 60 * 60 * 1_000);
    expect(await ask()).toBe(200);
    await stream.body?.cancel();
    test.platform.advance(2 * 60 * 60 * 1_000);
    expect(await ask()).toBe(404);
    await handler.close();
  });

  it("with too many tokens makes the door forget the least recently used ones [I3.callers]", async () => {
    await using test = await mcpHost();
    const handler = createMcpHandler(test);
    const opened = await handler.fetch(post(JSON.stringify(INITIALIZE)), { id: "first" });
    await opened.text();
    const headers = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-11-25" };
    const list = async (id: string): Promise<number> => {
      const response = await handler.fetch(post(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" }), headers), { id });
      await response.text();
      return response.status;
    };
    for (let index = 1; index < 64; index += 1) await list(`other ${index}`);
    expect(await list("first")).toBe(200);
    for (let index = 0; index < 63; index += 1) await list(`one too many ${index}`);
    expect(await list("first")).toBe(200);
    for (let index = 0; index < 64; index += 1) await list(`far too many ${index}`);
    expect(await list("first")).toBe(404);
    await handler.close();
  });

  it("cancels its call by disconnecting [I3.disconnect] [T3.mcp-gone]", async () => {
    await using test = await mcpHost({
      demo: {
        manifest: { tools: [{ name: "wait", description: "Waits", inputSchema: { type: "object" }, sideEffects: [] }] },
        main: `export const wait = (_args, context) => new Promise((_, reject) => { context.signal.addEventListener("abort", () => { console.log("gone"); reject(new Error("gone")); }); console.log("begun"); setTimeout(reject, 60000); });`,
      },
    });
    const handler = createMcpHandler(test);
    const lines = (): readonly unknown[] => test.platform.recorded.log.map(({ fields }) => fields["text"]);
    const gone = new AbortController();
    const answer = handler.fetch(new Request(modernRequest("tools/call", { name: "demo__wait", arguments: {} }), { signal: gone.signal }));
    await until(() => lines().includes("begun"));
    gone.abort();
    await answer;
    await until(() => lines().includes("gone"));
    await handler.close();
  });

  it("cannot forge a state [E5.made-up-state]", async () => {
    await using test = await mcpHost();
    const handler = createMcpHandler(test);
    for (const requestState of ["", "x", "0".repeat(64), "v1.e30.AAAA"]) {
      const { error } = await messageOf(
        await handler.fetch(modernRequest("tools/call", { name: "echo", arguments: { text: "x" }, requestState, inputResponses: {} })),
      );
      expect(error).toMatchObject({ code: -32_602, data: { reason: "invalid_request_state" } });
    }
    await handler.close();
  });
});

describe("a hostile client of the MCP door over lines", () => {
  it("gets no answer to lines that are not messages, and is still served [I3.lines]", async () => {
    await using test = await mcpHost();
    const [near, far] = createMemoryPair();
    const serving = serveMcpLines(near, test);
    const answers: string[] = [];
    far.onLine((line) => void answers.push(line));
    for (const line of ["", "{", "null", "[]", '{"jsonrpc":"1.0"}', `${"[".repeat(50_000)}`, '{"jsonrpc":"2.0","method":5}'])
      far.send(line);
    far.send(JSON.stringify({ ...INITIALIZE, id: "mine" }));
    await until(() => answers.some((line) => line.includes('"mine"')));
    expect(answers.every((line) => (JSON.parse(line) as { readonly jsonrpc: string }).jsonrpc === "2.0")).toBe(true);
    await serving.close();
  });

  it("cannot open a session with every change of its folders, and all are closed with it [I3.roots-flood]", async () => {
    await using test = await mcpHost();
    const sessions = { opened: 0, closed: 0 };
    test.host.subscribe(({ type }) => {
      if (type === "session.opened") sessions.opened += 1;
      if (type === "session.closed") sessions.closed += 1;
    });
    const [near, far] = createMemoryPair();
    serveMcpLines(near, test);
    const answered = new Set<unknown>();
    let folder = "";
    far.onLine((line) => {
      const { id, method } = JSON.parse(line) as { readonly id?: number; readonly method?: string };
      if (method === "roots/list")
        far.send(JSON.stringify({ jsonrpc: "2.0", id, result: { roots: [{ uri: `file:///workspace${folder}` }] } }));
      else answered.add(id);
    });
    far.send(JSON.stringify({ ...INITIALIZE, params: { ...INITIALIZE.params, capabilities: { roots: { listChanged: true } } } }));
    await until(() => answered.has(1));
    far.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    const changed = async (id: number): Promise<void> => {
      far.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/roots/list_changed" }));
      far.send(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "read_file", arguments: { path: "a" } } }));
      await until(() => answered.has(id));
    };
    for (let id = 100; id < 110; id++) await changed(id);
    expect(sessions).toEqual({ opened: 2, closed: 0 });
    for (let id = 200; id < 220; id++) {
      folder = `/${id}`;
      await changed(id);
    }
    // One session per list of folders, of which only a few stay open.
    expect(sessions).toEqual({ opened: 22, closed: 5 });
    far.close();
    await until(() => sessions.closed === 22);
  });

  it("gets an error for arguments that are nested too deep, and for a URI that is too long [I3.lines, LV2.nested]", async () => {
    await using test = await mcpHost();
    const [near, far] = createMemoryPair();
    const serving = serveMcpLines(near, test);
    type Answer = { readonly id?: unknown; readonly result?: { readonly _meta: object }; readonly error?: object };
    const answers = new Map<unknown, Answer>();
    far.onLine((line) => {
      const message = JSON.parse(line) as Answer;
      answers.set(message.id, message);
    });
    far.send(JSON.stringify(INITIALIZE));
    await until(() => answers.has(1));
    const [open, close] = ["[".repeat(500_000), "]".repeat(500_000)];
    using reads = recordHostReads();
    // Brackets in strings do not nest: the members after them are read.
    const texts = String.raw`["]]\\\"]]","{{\\\\"]`;
    far.send(
      `{"jsonrpc":"2.0","params":{"name":"read_file","arguments":{"a":${texts},"path":${open}${close},"b":${texts}}},"method":"tools/call","id":2}`,
    );
    far.send(JSON.stringify({ jsonrpc: "2.0", id: 3, method: "resources/subscribe", params: { uri: "x".repeat(3_000) } }));
    await until(() => answers.has(2) && answers.has(3));
    expect(answers.get(2)?.result?._meta).toMatchObject({ "bascule/error": { code: "invalid_args" } });
    expect(reads.longest()).toBeLessThanOrEqual(64 * 1024);
    expect(answers.get(3)?.error).toMatchObject({ code: -32_602, message: expect.stringContaining("2048 characters") as string });
    await serving.close();
  });

  it("cancels its calls and confirmations by disconnecting [E4.mcp-gone]", async () => {
    await using test = await mcpHost({
      demo: {
        manifest: { tools: [{ name: "put", description: "Writes", inputSchema: { type: "object" }, sideEffects: ["write"] }] },
        main: "export const put = () => 1;",
      },
    });
    const [near, far] = createMemoryPair();
    serveMcpLines(near, test);
    const answers: string[] = [];
    far.onLine((line) => void answers.push(line));
    const request = await modernRequest("tools/call", { name: "demo__put", arguments: {} }).text();
    far.send(request);
    await until(() => answers.some((line) => line.includes("input_required")));
    expect(test.host.confirmations.list()).toHaveLength(1);
    far.close();
    await until(() => test.host.confirmations.list().length === 0);
  });
});
