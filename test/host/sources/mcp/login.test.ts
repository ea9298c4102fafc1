import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fromJsonSchema, McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createHost, type HostEvent } from "../../../../host/mod.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { fetchSecurely } from "../../../../host/platform/server-fetch.ts";
import { ALLOWED } from "../../../conformance/source.ts";
import { createCliProject } from "../../cli/run-cli.ts";

const SECONDS = { timeout: 60_000 };

/** Serves until the test ends. */
async function listen(answer: (request: Request) => Response | Promise<Response>): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const { method = "GET", url = "/" } = request;
      const answered = await answer(
        new Request(`http://${headers.get("host") ?? ""}${url}`, { method, headers, ...(body !== "" && { body }) }),
      );
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      if (answered.body) for await (const chunk of answered.body) response.write(chunk);
      response.end();
    })().catch(() => response.destroy());
  });
  // A connection that ends as it is used again is a failed request, on a crowded machine.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface World {
  readonly mcp: string;
  readonly issuer: string;
  /** Every `Authorization` that came with a request, by where it came to. */
  readonly sent: { readonly at: "mcp" | "issuer"; readonly authorization: string | null }[];
  readonly grants: string[];
  /** From now on no token that was given out is good, except to renew. */
  expire(): void;
  /** Also not to renew. */
  revoke(): void;
}

/** An MCP server that wants tokens, and the authorization server that gives them, each on a port of its own. */
async function world(): Promise<World> {
  const state = { number: 0, access: "", renewal: "", verifier: "", redirect: "" };
  const sent: World["sent"][number][] = [];
  const grants: string[] = [];
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  let mcp = "";
  const issuer = await listen(async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    sent.push({ at: "issuer", authorization: request.headers.get("authorization") });
    if (pathname === "/.well-known/oauth-authorization-server")
      return Response.json({
        ...{
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
        },
        ...{
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
        },
        ...{ grant_types_supported: ["authorization_code", "refresh_token"], authorization_response_iss_parameter_supported: true },
      });
    if (pathname === "/register") return Response.json({ ...((await request.json()) as object), client_id: "registered" }, { status: 201 });
    if (pathname === "/authorize") {
      state.verifier = searchParams.get("code_challenge") ?? "";
      state.redirect = searchParams.get("redirect_uri") ?? "";
      const query = new URLSearchParams({ code: "the-code", state: searchParams.get("state") ?? "", iss: issuer });
      return new Response(null, { status: 302, headers: { Location: `${state.redirect}?${String(query)}` } });
    }
    if (pathname !== "/token") return new Response("no", { status: 404 });
    const form = new URLSearchParams(await request.text());
    const kind = form.get("grant_type") ?? "";
    grants.push(kind);
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isGood =
      form.get("client_id") === "registered" &&
      form.get("resource") === mcp &&
      (kind === "authorization_code"
        ? form.get("code") === "the-code" && proof === state.verifier && form.get("redirect_uri") === state.redirect
        : form.get("refresh_token") === state.renewal && state.renewal !== "");
    // Some say too much of what went wrong.
    if (!isGood) return Response.json({ error: "invalid_grant", error_description: String(form) }, { status: 400 });
    state.number += 1;
    state.access = `access-token-${state.number}`;
    state.renewal = `renewal-token-${state.number}`;
    return Response.json({ access_token: state.access, token_type: "Bearer", expires_in: 3_600, refresh_token: state.renewal });
  });
  const origin = await listen(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/.well-known/oauth-protected-resource/mcp") return Response.json({ resource: mcp, authorization_servers: [issuer] });
    const authorization = request.headers.get("authorization");
    sent.push({ at: "mcp", authorization });
    if (authorization !== `Bearer ${state.access}` || state.access === "") {
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
      return new Response("no", { status: 401, headers: { "WWW-Authenticate": challenge } });
    }
    const transport = sessions.get(request.headers.get("mcp-session-id") ?? "") ?? (await begin(sessions, () => state.access));
    return await transport.handleRequest(request);
  });
  mcp = `${origin}/mcp`;
  return {
    mcp,
    issuer,
    sent,
    grants,
    expire: () => (state.access = "expired"),
    revoke: () => void ((state.access = ""), (state.renewal = "")),
  };
}

async function begin(
  sessions: Map<string, WebStandardStreamableHTTPServerTransport>,
  heard: () => string,
): Promise<WebStandardStreamableHTTPServerTransport> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  const server = new McpServer({ name: "far", version: "1" });
  server.registerTool("whisper", { description: "Says what it was sent", inputSchema: fromJsonSchema({ type: "object" }) }, () => ({
    content: [{ type: "text", text: `heard ${heard()}` }],
  }));
  await server.connect(transport);
  return transport;
}

describe("bascule mcp-servers login", () => {
  it("gets a token by way of a browser, keeps it, renews it, and forgets it [K3.login] [K3.renewal]", SECONDS, async () => {
    const far = await world();
    await using project = await createCliProject({
      "bascule.json": JSON.stringify({ mcpServers: { far: { url: far.mcp, toolSideEffects: { whisper: [] } } } }),
    });
    expect((await project.run(["mcp-servers"])).out).toContain("The server wants a login: bascule mcp-servers login far");

    const login = project.start(["mcp-servers", "login", "far"]);
    await login.waitFor("/authorize?");
    const url = /http:\/\/\S+\/authorize\?\S+/.exec(login.printed())?.[0] ?? "";
    const redirect = new URL(url).searchParams.get("redirect_uri") ?? "";
    // Any page can send a browser to the address that listens; only our own word counts.
    for (const query of ["code=evil", "code=evil&state=wrong", "error=denied"])
      expect((await fetch(`${redirect}?${query}`)).status).toBe(404);
    const landed = await fetch(url);
    expect([landed.status, await landed.text()]).toEqual([200, expect.stringContaining("You can close this page")]);
    const ended = await login.ended;
    expect([ended.code, ended.out]).toEqual([0, expect.stringContaining("Logged in at far")]);
    expect(`${ended.out}${ended.error}`).not.toMatch(/access-token|renewal-token/);
    const file = `${project.folder}/.bascule/mcp-logins/far.json`;
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const seen: HostEvent[] = [];
    const host = await createHost({
      ...{ platform: currentPlatform({ log: { level: "error" } }), config: `${project.folder}/bascule.json`, plugins: [] },
      events: { store: false, publish: (event) => void seen.push(event) },
    });
    await expect.poll(() => host.mcpServers(), { timeout: 30_000 }).toMatchObject([{ name: "far", state: "connected" }]);
    far.expire();
    // Several calls at once are one renewal; and what the server says of a token is not shown.
    const calls = Array.from({ length: 4 }, () => host.call("mcp__far.whisper", {}, ALLOWED));
    for (const result of await Promise.all(calls)) expect([result.ok, result.output]).toEqual([true, "heard [secret login at far]"]);
    expect(far.grants).toEqual(["authorization_code", "refresh_token"]);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ url: far.mcp, tokens: { access_token: "access-token-2" } });
    await host.close();
    expect(JSON.stringify(seen)).not.toMatch(/access-token|renewal-token/);
    // The authorization server was sent nothing that is for the other one.
    expect(far.sent.filter(({ at, authorization }) => at === "issuer" && authorization !== null)).toEqual([]);

    far.revoke();
    const warning = vi.spyOn(console, "warn").mockImplementation(() => {});
    onTestFinished(() => warning.mockRestore());
    const refused = await project.run(["mcp-servers"]);
    const warned = warning.mock.calls.flat();
    expect(refused.out).toContain("The server wants a login");
    expect(warned.join()).toContain("invalid_grant");
    expect(`${warned.join()}${refused.out}${refused.error}`).not.toMatch(/access-token|renewal-token/);
    expect((await project.run(["mcp-servers", "logout", "far"])).out).toContain("Forgot the login at far");
    expect((await project.run(["mcp-servers", "logout", "far"])).out).toContain("There was no login");
    expect(await stat(file).catch(() => "gone")).toBe("gone");
  });

  it("sends a token to the address that it was made for, and to no other [K3.token]", SECONDS, async () => {
    const [far, other] = [await world(), await world()];
    await using project = await createCliProject({ "bascule.json": JSON.stringify({ mcpServers: { far: { url: far.mcp } } }) });
    const login = project.start(["mcp-servers", "login", "far"]);
    await login.waitFor("/authorize?");
    await fetch(/http:\/\/\S+\/authorize\?\S+/.exec(login.printed())?.[0] ?? "");
    expect((await login.ended).code).toBe(0);
    // The same name at another address: somebody else's server.
    await writeFile(`${project.folder}/bascule.json`, JSON.stringify({ mcpServers: { far: { url: other.mcp } } }));
    expect((await project.run(["mcp-servers"])).out).toContain("The server wants a login");
    expect(other.sent.filter(({ authorization }) => authorization !== null)).toEqual([]);
    expect(other.grants).toEqual([]);
  });

  it("is refused where it leads to no https, and for servers that name themselves or are programs [K3.login]", SECONDS, async () => {
    const plain = fetchSecurely({ loopback: false, maxBytes: 1_000 });
    for (const url of ["http://127.0.0.1:1/token", "https://localhost/token", "http://auth.example/token", "https://[::1]/x"])
      await expect(plain(url), url).rejects.toThrow("Refused a request");
    const here = fetchSecurely({ loopback: true, maxBytes: 10 });
    await expect(here("http://auth.example/token")).rejects.toThrow("Refused a request");
    const origin = await listen(() => new Response("x".repeat(100)));
    await expect(here(origin).then((response) => response.text())).rejects.toThrow();

    const servers = {
      program: { command: "x" },
      named: { url: `${origin}/mcp`, headers: { authorization: "x" } },
      none: { url: `${origin}/mcp` },
    };
    await using project = await createCliProject({ "bascule.json": JSON.stringify({ mcpServers: servers }) });
    const said = async (name: string): Promise<string> => (await project.run(["mcp-servers", "login", name])).error;
    expect(await said("program")).toContain("which wants no login");
    expect(await said("named")).toContain("has a header Authorization");
    expect(await said("nobody")).toContain("There is no MCP server");
    expect(await said("none")).toContain("Cannot log in at none");
  });
});
