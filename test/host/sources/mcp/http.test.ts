import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fromJsonSchema, McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { onTestFinished, describe, expect, it } from "vitest";
import { createHost, type Host } from "../../../../host/mod.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { fetchFrom } from "../../../../host/platform/network/server-fetch.ts";
import { ALLOWED } from "../../../conformance/source.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

async function listen(
  answer: (request: IncomingMessage, body: string) => Promise<Response>,
): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const answered = await answer(request, body);
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      if (answered.body) for await (const chunk of answered.body) response.write(chunk);
      response.end();
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, server };
}

async function openHost(values: Readonly<Record<string, string>> = {}): Promise<Host> {
  const SILENT = { write: () => {}, child: () => SILENT };
  const folder = await temporaryFolder();
  const real = currentPlatform();
  const get = (name: string): string | undefined => values[name] ?? real.environment.get(name);
  return await createHost({
    platform: { ...real, environment: { ...real.environment, get } },
    config: {},
    workspace: folder,
    builtins: false,
    logger: SILENT,
    events: { store: false },
    plugins: [],
  });
}

describe("an MCP server over Streamable HTTP", () => {
  it("is called, with the configured headers [K3.http]", { timeout: 60_000 }, async () => {
    const seen: (string | undefined)[] = [];
    const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
    const { url } = await listen(async (request, body) => {
      seen.push(request.headers["x-key"]?.toString());
      const known = sessions.get(request.headers["mcp-session-id"]?.toString() ?? "");
      const transport = known ?? (await begin(sessions));
      const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      return await transport.handleRequest(new Request(url, { method: request.method ?? "GET", headers, ...(body !== "" && { body }) }));
    });
    await using host = await openHost();
    const status = await host.addMcpServer("far", { url, headers: { "X-Key": "secret" } });
    expect(status).toMatchObject({ state: "connected", tools: ["mcp__far.double"] });
    expect(await host.call("mcp__far.double", { n: 21 }, ALLOWED)).toMatchObject({ ok: true, output: { doubled: 42 } });
    expect(new Set(seen)).toEqual(new Set(["secret"]));
  });

  it("reports why it is not connected: no server, not MCP, another origin [K3.http] [K3.failure]", { timeout: 60_000 }, async () => {
    await using host = await openHost();
    const plain = await listen(async () => new Response("<html>", { headers: { "content-type": "text/html" } }));
    const moved = await listen(async () => Response.redirect("http://127.0.0.1:9/"));
    for (const [name, url] of Object.entries({ plain: plain.url, moved: moved.url, closed: "http://127.0.0.1:9/" })) {
      const status = await host.addMcpServer(name, { url });
      expect(status, name).toMatchObject({ state: "waiting", tools: [], problem: expect.any(String) as string });
    }
  });

  it(
    "shows no credential that was sent to the server, in a header or a variable, in its messages [K3.failure] [C7.mcp-credentials]",
    { timeout: 60_000 },
    async () => {
      const values: Readonly<Record<string, string>> = { FAR_AUTHORIZATION: "Bearer bearer-1234567", FAR_WAY: "by-way-1234567" };
      const echo = await listen(async (request) => {
        const sent = ["authorization", "x-way", "x-api-key", "x-plain"].map((name) => String(request.headers[name]));
        return new Response(`I know no user with ${sent.join(" ")}`, { status: 400 });
      });
      await using host = await openHost(values);
      const far = await host.addMcpServer("far", {
        url: echo.url,
        headers: {
          Authorization: { fromEnv: "FAR_AUTHORIZATION" },
          "X-Way": { fromEnv: "FAR_WAY" },
          "X-Api-Key": "api-1234567",
          "X-Plain": "ordinary text",
        },
      });
      expect(far.problem).toContain(
        "I know no user with Bearer [secret Authorization of far] [secret X-Way of far] [secret X-Api-Key of far] ordinary text",
      );
      const near = await host.addMcpServer("near", {
        ...{ command: "/bin/sh", args: ["-c", 'echo "$HUB_TOKEN is not valid, $AUTHOR_NAME" >&2; exit 1'] },
        env: { HUB_TOKEN: { fromEnv: "FAR_WAY" }, AUTHOR_NAME: "A. Author" },
      });
      // The same value as that header, which was known under its name before.
      expect(near.problem).toMatch(/\[secret (?:X-Way of far|HUB_TOKEN of near)\] is not valid, A. Author/);
    },
  );
});

async function begin(sessions: Map<string, WebStandardStreamableHTTPServerTransport>): Promise<WebStandardStreamableHTTPServerTransport> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  const server = new McpServer({ name: "far", version: "1" });
  const inputSchema = fromJsonSchema({ type: "object", properties: { n: { type: "integer" } }, required: ["n"] });
  server.registerTool("double", { description: "Doubles", inputSchema }, (args) => ({
    content: [],
    structuredContent: { doubled: 2 * (args as { n: number }).n },
  }));
  await server.connect(transport);
  return transport;
}

describe("fetchFrom()", () => {
  it("reaches one origin, follows no redirect, and bounds messages [K3.http]", async () => {
    let reached = 0;
    const elsewhere = await listen(async () => {
      reached += 1;
      return new Response("");
    });
    const { url } = await listen(async (request) => {
      if (request.url === "/moved") return Response.redirect(elsewhere.url);
      const isEvents = request.url === "/events";
      const text = isEvents ? `data: ${"x".repeat(600)}\n\n`.repeat(5) : "x".repeat(1_500);
      return new Response(text, { headers: { "content-type": isEvents ? "text/event-stream" : "application/json" } });
    });
    const { origin } = new URL(url);
    const fetch = fetchFrom(origin, 1_000);
    await expect(fetch("http://example.invalid/")).rejects.toThrow("Refused a request");
    await expect(fetch(`${origin}/moved`)).rejects.toThrow();
    expect(reached).toBe(0);
    await expect((await fetch(`${origin}/long`)).text()).rejects.toThrow("longer than 1000 bytes");
    expect(await (await fetch(`${origin}/events`)).text()).toHaveLength(5 * 608);
  });

  it.each(["\n", "\r\n", "\r"])("bounds an event whose lines end with %j, and nothing else [K3.http]", async (end) => {
    const lines = (count: number): string => `data: ${"x".repeat(94)}${end}`.repeat(count);
    const { url } = await listen(async (request) => {
      const text = request.url === "/one" ? lines(20) : `${lines(5)}${end}`.repeat(4);
      return new Response(text, { headers: { "content-type": "text/event-stream" } });
    });
    const fetch = fetchFrom(new URL(url).origin, 1_000);
    await expect((await fetch(new URL("/one", url))).text()).rejects.toThrow("longer than 1000 bytes");
    expect(await (await fetch(new URL("/many", url))).text()).toHaveLength(4 * (5 * (100 + end.length) + end.length));
  });
});
