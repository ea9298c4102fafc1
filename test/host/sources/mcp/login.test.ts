import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fromJsonSchema, McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createHost, type HostEvent } from "../../../../host/mod.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { logIn } from "../../../../host/sources/mcp/log-in.ts";
import { createLoginStore, type Login, type LoginStore } from "../../../../host/sources/mcp/logins.ts";
import { createTokens } from "../../../../host/sources/mcp/tokens.ts";
import { redactedClient } from "../../../../host/sources/mcp/redacted-client.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { fetchSecurely } from "../../../../host/platform/network/server-fetch.ts";
import { ALLOWED } from "../../../conformance/source.ts";
import { createCliProject } from "../../doors/cli/run-cli.ts";

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
  // On a loaded machine, a reused connection may be closed, which is a failed request.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface World {
  readonly mcp: string;
  readonly issuer: string;
  /** Every `Authorization` header, by the address that received it. */
  readonly sent: { readonly at: "mcp" | "issuer"; readonly authorization: string | null }[];
  readonly grants: string[];
  /** The scope that each login requested. */
  readonly asked: (string | null)[];
  /** Revoked tokens, with the rest of each request. */
  readonly revoked: Readonly<Record<string, string>>[];
  /** Makes all access tokens invalid; refresh tokens stay valid. */
  expire(): void;
  /** Makes refresh tokens invalid too. */
  revoke(): void;
}

/** An MCP server that requires tokens, and its authorization server, each on its own port. */
async function env(): Promise<World> {
  const state = { number: 0, access: "", renewal: "", verifier: "", redirect: "", scope: "" };
  const sent: World["sent"][number][] = [];
  const grants: string[] = [];
  const asked: (string | null)[] = [];
  /** Scopes of the valid tokens, including earlier ones. */
  const good = new Map<string | null, string>();
  const revoked: Readonly<Record<string, string>>[] = [];
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
          revocation_endpoint: `${issuer}/revoke`,
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
      state.scope = searchParams.get("scope") ?? "";
      asked.push(searchParams.get("scope"));
      const query = new URLSearchParams({ code: "the-code", state: searchParams.get("state") ?? "", iss: issuer });
      return new Response(null, { status: 302, headers: { Location: `${state.redirect}?${String(query)}` } });
    }
    if (pathname === "/revoke") {
      revoked.push(Object.fromEntries(new URLSearchParams(await request.text())));
      return new Response();
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
    // Some servers disclose too much in errors.
    if (!isGood) return Response.json({ error: "invalid_grant", error_description: String(form) }, { status: 400 });
    state.number += 1;
    state.access = `access-token-${state.number}`;
    good.set(`Bearer ${state.access}`, state.scope);
    state.renewal = `renewal-token-${state.number}`;
    return Response.json({ access_token: state.access, token_type: "Bearer", expires_in: 3_600, refresh_token: state.renewal });
  });
  const origin = await listen(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/.well-known/oauth-protected-resource/mcp") return Response.json({ resource: mcp, authorization_servers: [issuer] });
    const authorization = request.headers.get("authorization");
    sent.push({ at: "mcp", authorization });
    const scope = good.get(authorization);
    if (scope === undefined) {
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="read"`;
      return new Response("no", { status: 401, headers: { "WWW-Authenticate": challenge } });
    }
    // One tool requires more than a login requests at first.
    if ((await request.clone().text()).includes('"name":"shout"') && !scope.split(" ").includes("shout"))
      return new Response("no", { status: 403, headers: { "WWW-Authenticate": 'Bearer error="insufficient_scope", scope="shout"' } });
    const transport = sessions.get(request.headers.get("mcp-session-id") ?? "") ?? (await begin(sessions, () => state.access));
    return await transport.handleRequest(request);
  });
  mcp = `${origin}/mcp`;
  return {
    mcp,
    issuer,
    sent,
    ...{ grants, asked, revoked },
    expire: () => good.clear(),
    revoke: () => void (good.clear(), (state.renewal = "")),
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
  server.registerTool(
    "whisper",
    { description: `Says what it was sent: ${heard()}`, inputSchema: fromJsonSchema({ type: "object" }) },
    () => ({
      content: [{ type: "text", text: `heard ${heard()}` }],
    }),
  );
  server.registerTool("shout", { description: "Says it louder", inputSchema: fromJsonSchema({ type: "object" }) }, () => ({
    content: [{ type: "text", text: "HEARD" }],
  }));
  await server.connect(transport);
  return transport;
}

describe("bascule mcp-servers login", () => {
  it("gets a token through a browser, stores it, renews it, and deletes it [K3.login] [K3.renewal]", SECONDS, async () => {
    const far = await env();
    await using project = await createCliProject({
      "bascule.json": JSON.stringify({ mcpServers: { far: { url: far.mcp, toolSideEffects: { whisper: [] } } } }),
    });
    expect((await project.run(["mcp-servers"])).out).toContain("The server requires a login: bascule mcp-servers login far");

    const login = project.start(["mcp-servers", "login", "far"]);
    await login.waitFor("/authorize?");
    const url = /http:\/\/\S+\/authorize\?\S+/.exec(login.printed())?.[0] ?? "";
    const redirect = new URL(url).searchParams.get("redirect_uri") ?? "";
    // Any page can send a browser to the callback address; only the right `state` counts.
    for (const query of ["code=evil", "code=evil&state=wrong", "error=denied"])
      expect((await fetch(`${redirect}?${query}`)).status).toBe(404);
    await login.waitFor(`issued by ${far.issuer} and sent to ${new URL(far.mcp).origin}`);
    const landed = await fetch(url);
    expect([landed.status, await landed.text()]).toEqual([200, expect.stringContaining("You can close this page")]);
    const ended = await login.ended;
    expect([ended.code, ended.out]).toEqual([0, expect.stringContaining("Logged in at far")]);
    expect(`${ended.out}${ended.error}`).not.toMatch(/access-token|renewal-token/);
    const file = `${project.folder}/.bascule/mcp-logins/far.json`;
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const seen: HostEvent[] = [];
    const options = {
      ...{ platform: currentPlatform({ log: { level: "error" } }), config: `${project.folder}/bascule.json`, plugins: [] },
      events: { store: false, publish: (event: HostEvent) => void seen.push(event) },
    };
    const host = await createHost(options);
    await expect.poll(() => host.mcpServers(), { timeout: 30_000 }).toMatchObject([{ name: "far", state: "connected" }]);
    far.expire();
    // Concurrent calls cause one renewal; and a token in the server's messages is not shown.
    const calls = Array.from({ length: 4 }, () => host.call("mcp__far.whisper", {}, ALLOWED));
    for (const result of await Promise.all(calls)) expect([result.ok, result.output]).toEqual([true, "heard [secret login at far]"]);
    expect(far.grants).toEqual(["authorization_code", "refresh_token"]);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ url: far.mcp, tokens: { access_token: "access-token-2" } });
    // Nor in its tool definitions, which are pinned in a file under version control and shown to models.
    const lock = await readFile(`${project.folder}/bascule.lock`, "utf8");
    for (const text of [lock, JSON.stringify(host.list())])
      expect(text.match(/Says what it was sent: [^"]*/)?.[0]).toBe("Says what it was sent: [secret login at far]");
    await host.close();
    expect(JSON.stringify(seen)).not.toMatch(/access-token|renewal-token/);
    // The authorization server received nothing that is meant for the MCP server.
    expect(far.sent.filter(({ at, authorization }) => at === "issuer" && authorization !== null)).toEqual([]);

    far.revoke();
    const warning = vi.spyOn(console, "warn").mockImplementation(() => {});
    onTestFinished(() => warning.mockRestore());
    const refused = await project.run(["mcp-servers"]);
    const warned = warning.mock.calls.flat();
    expect(refused.out).toContain("The server requires a login");
    expect(warned.join()).toContain("invalid_grant");
    expect(`${warned.join()}${refused.out}${refused.error}`).not.toMatch(/access-token|renewal-token/);
    expect((await project.run(["mcp-servers", "logout", "far"])).out).toContain("Removed the login at far");
    expect((await project.run(["mcp-servers", "logout", "far"])).out).toContain("Not logged in at far");
    expect(await stat(file).catch(() => "gone")).toBe("gone");
  });

  it(
    "sends a token to the address that it was made for, and to no other, and has it revoked there [K3.token] [K3.logout]",
    SECONDS,
    async () => {
      const [far, other] = [await env(), await env()];
      await using project = await createCliProject({ "bascule.json": JSON.stringify({ mcpServers: { far: { url: far.mcp } } }) });
      const login = project.start(["mcp-servers", "login", "far"]);
      await login.waitFor("/authorize?");
      await fetch(/http:\/\/\S+\/authorize\?\S+/.exec(login.printed())?.[0] ?? "");
      expect((await login.ended).code).toBe(0);
      // The same name at another address is a different server.
      await writeFile(`${project.folder}/bascule.json`, JSON.stringify({ mcpServers: { far: { url: other.mcp } } }));
      expect((await project.run(["mcp-servers"])).out).toContain("The server requires a login");
      expect(other.sent.filter(({ authorization }) => authorization !== null)).toEqual([]);
      expect(other.grants).toEqual([]);
      // Tokens of one server are not sent to another that is configured under the file's name.
      await writeFile(`${project.folder}/.bascule/mcp-logins/near.json`, await readFile(`${project.folder}/.bascule/mcp-logins/far.json`));
      await writeFile(
        `${project.folder}/bascule.json`,
        JSON.stringify({ mcpServers: { far: { url: far.mcp }, near: { url: other.mcp } } }),
      );
      expect(JSON.parse((await project.run(["mcp-servers", "logout", "near", "--json"])).out)).toEqual({
        ok: true,
        server: "near",
        removed: true,
      });
      expect([far.revoked, other.revoked]).toEqual([[], []]);
      expect((await project.run(["mcp-servers", "logout", "far"])).out).toContain(
        `Removed the login at far; ${far.issuer} revoked its tokens`,
      );
      expect([far.revoked, other.revoked]).toEqual([
        [
          { token: "renewal-token-1", token_type_hint: "refresh_token", client_id: "registered" },
          { token: "access-token-1", token_type_hint: "access_token", client_id: "registered" },
        ],
        [],
      ]);
    },
  );

  it(
    "requests the scope that the server named for a call, in addition to its own, and the call then succeeds [K3.step-up]",
    SECONDS,
    async () => {
      const far = await env();
      const sideEffects = ["read"];
      await using project = await createCliProject({
        "bascule.json": JSON.stringify({ mcpServers: { far: { url: far.mcp, sideEffects } } }),
      });
      const file = `${project.folder}/.bascule/mcp-logins/far.json`;
      const read = async () => JSON.parse(await readFile(file, "utf8")) as Login;
      async function logInAgain(): Promise<string> {
        const login = project.start(["mcp-servers", "login", "far"]);
        await login.waitFor("and sent to");
        await fetch(/http:\/\/\S+\/authorize\?\S+/.exec(login.printed())?.[0] ?? "");
        return (await login.ended).out;
      }
      expect(await logInAgain()).toContain("Requested scopes: read\n");
      const platform = currentPlatform({ log: { level: "error" } });
      await using host = await createHost({ platform, config: `${project.folder}/bascule.json`, plugins: [], events: { store: false } });
      const refused = await host.call("mcp__far.shout");
      expect(refused).toMatchObject({
        ok: false,
        error: {
          code: "unavailable",
          message:
            'The MCP server far requires the scope "shout": bascule mcp-servers login far, or use a token with that scope in "headers"',
          details: { scope: "shout" },
        },
      });
      expect(await read()).toMatchObject({ tokens: { scope: "read" }, wants: "shout" });
      // A renewed token has the same scope; the wanted one stays recorded.
      far.expire();
      expect((await host.call("mcp__far.whisper")).ok).toBe(true);
      expect(await read()).toMatchObject({ tokens: { access_token: "access-token-2", scope: "read" }, wants: "shout" });

      expect(await logInAgain()).toContain("Requested scopes: read shout\n");
      expect(far.asked).toEqual(["read", "read shout"]);
      expect("wants" in (await read())).toBe(false);
      // The existing connection uses the new token.
      expect(await host.call("mcp__far.shout")).toMatchObject({ ok: true, output: "HEARD" });
    },
  );

  it("is refused without https, and for servers with their own credentials or a command [K3.login]", SECONDS, async () => {
    const here = fetchSecurely({ server: "http://localhost:1/mcp", maxBytes: 10 });
    await expect(here("http://auth.example/token")).rejects.toThrow("Refused a request");
    const origin = await listen(() => new Response("x".repeat(100)));
    await expect(here(origin).then((response) => response.text())).rejects.toThrow();

    const servers = {
      program: { command: "x" },
      named: { url: `${origin}/mcp`, headers: { authorization: "x" } },
      none: { url: `${origin}/mcp` },
      plain: { url: "http://mcp.example/mcp" },
    };
    await using project = await createCliProject({ "bascule.json": JSON.stringify({ mcpServers: servers }) });
    const said = async (name: string): Promise<string> => (await project.run(["mcp-servers", "login", name])).error;
    expect(await said("program")).toContain("needs no login");
    expect(await said("named")).toContain("has an Authorization header");
    expect(await said("unknown")).toContain("Unknown MCP server");
    expect(await said("none")).toContain("Cannot log in at none");
    expect(await said("plain")).toContain("http://mcp.example is not https");
  });

  it("sends no request to this machine or its network on behalf of a remote server [K3.addresses]", async () => {
    const names: Readonly<Record<string, readonly string[]>> = {
      "mcp.example": ["93.184.216.34"],
      "mcp.corp": ["10.1.2.3"],
      "rebound.example": ["93.184.216.34", "127.0.0.1"],
      "localhost.": ["127.0.0.1"],
    };
    const resolve = (name: string): Promise<readonly string[]> => Promise.resolve(names[name] ?? []);
    const near = [
      "127.0.0.2",
      "2130706433",
      "localhost",
      "localhost.",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "[64:ff9b::7f00:1]",
      "rebound.example",
    ];
    const never = ["169.254.169.254", "0.0.0.0", "[::]", "[fe80::1]", "168.63.129.16", "[64:ff9b::a9fe:a9fe]"];
    const inside = ["10.0.0.1", "192.168.1.1", "100.64.0.1", "[fd00::1]", "mcp.corp"];
    const refusedBy = async (server: string, hosts: readonly string[]): Promise<readonly string[]> => {
      const ask = fetchSecurely({ server, maxBytes: 10, resolve });
      // A cancelled request sends nothing; the refusal comes before.
      const signal = AbortSignal.abort(new Error("not sent"));
      const said = await Promise.all(hosts.map((host) => ask(`https://${host}/token`, { signal }).then(String, String)));
      return hosts.filter((_host, index) => said[index]?.includes("Refused a request") === true);
    };
    expect(await refusedBy("https://mcp.example/mcp", [...near, ...never, ...inside, "mcp.example"])).toEqual([
      ...near,
      ...never,
      ...inside,
    ]);
    expect(await refusedBy("https://mcp.corp/mcp", [...near, ...never, ...inside, "mcp.example"])).toEqual([...near, ...never]);
    expect(await refusedBy("http://127.0.0.1:1/mcp", [...near, ...never, ...inside, "mcp.example"])).toEqual(never);
  });

  it("leaves a login alone that another process has renewed or deleted meanwhile [K3.races]", async () => {
    const url = "https://mcp.example/mcp";
    const issuer = "https://auth.example";
    const loginWith = (number: number): Login => ({
      url,
      client: { client_id: "known", issuer },
      tokens: { access_token: `access-${number}`, token_type: "Bearer", refresh_token: `renewal-${number}`, issuer },
    });
    async function renewWhile(meanwhile: Login | undefined, answer: Response): Promise<readonly unknown[]> {
      let kept: Login | undefined = loginWith(1);
      let asked = 0;
      const store: LoginStore = {
        read: () => Promise.resolve(kept),
        write: (_server, login) => Promise.resolve(void (kept = login)),
        remove: () => Promise.resolve(false),
        alone: (_server, work) => work(),
      };
      const fetch: typeof globalThis.fetch = (input) => {
        const { pathname, host } = new URL(input instanceof Request ? input.url : input);
        if (pathname.startsWith("/.well-known/oauth-protected-resource"))
          return Promise.resolve(Response.json({ resource: url, authorization_servers: [issuer] }));
        if (pathname === "/token") {
          kept = meanwhile;
          asked += 1;
          return Promise.resolve(answer);
        }
        const ends = { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
        return Promise.resolve(
          host === "auth.example" ? Response.json({ ...ends, response_types_supported: ["code"] }) : new Response("", { status: 404 }),
        );
      };
      const tokens = createTokens({ server: "far", config: {}, url }, { store, fetch, learn: () => {} });
      const refused = new Response("", { status: 401 });
      await tokens.watch(() => Promise.resolve(refused))(url, { headers: { authorization: `Bearer ${(await tokens.token()) ?? ""}` } });
      const end = await tokens.onUnauthorized({ response: refused }).then(() => "renewed", String);
      // A newer token is not renewed again.
      expect(asked).toBe(1);
      return [end, await tokens.token(), kept?.tokens?.refresh_token];
    }
    // The SDK logs there that a token was used already.
    const warning = vi.spyOn(console, "warn").mockImplementation(() => {});
    onTestFinished(() => warning.mockRestore());
    const spent = (): Response => Response.json({ error: "invalid_grant" }, { status: 400 });
    const fresh = (): Response => Response.json({ access_token: "access-9", token_type: "Bearer", refresh_token: "renewal-9" });
    expect(await renewWhile(loginWith(1), fresh())).toEqual(["renewed", "access-9", "renewal-9"]);
    expect(await renewWhile(loginWith(2), spent())).toEqual(["renewed", "access-2", "renewal-2"]);
    expect(await renewWhile(loginWith(2), fresh())).toEqual(["renewed", "access-2", "renewal-2"]);
    expect((await renewWhile(undefined, fresh())).slice(1)).toEqual([undefined, undefined]);
    expect(await renewWhile(loginWith(1), spent())).toEqual([expect.stringContaining("requires a login"), undefined, undefined]);
  });

  it("renews once if two processes are refused at the same time [K3.races]", async () => {
    const url = "https://mcp.example/mcp";
    const issuer = "https://auth.example";
    const folder = await temporaryFolder();
    const store = createLoginStore(currentPlatform(), folder);
    const tokens = { access_token: "access-1", token_type: "Bearer", refresh_token: "renewal-1", issuer };
    await store.write("far", { url, client: { client_id: "known", issuer }, tokens });
    const shown: (string | null)[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const { pathname, host } = new URL(input instanceof Request ? input.url : input);
      if (pathname.startsWith("/.well-known/oauth-protected-resource"))
        return Response.json({ resource: url, authorization_servers: [issuer] });
      if (pathname === "/token") {
        shown.push(new URLSearchParams(String(init?.body as URLSearchParams | undefined)).get("refresh_token"));
        return Response.json({ access_token: "access-2", token_type: "Bearer", refresh_token: "renewal-2" });
      }
      const ends = { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
      return host === "auth.example" ? Response.json({ ...ends, response_types_supported: ["code"] }) : new Response("", { status: 404 });
    };
    // The processes share only the folder.
    const renewed = ["a", "b"].map(async () => {
      const mine = createTokens(
        { server: "far", config: {}, url },
        { store: createLoginStore(currentPlatform(), folder), fetch, learn: () => {} },
      );
      const refused = new Response("", { status: 401 });
      await mine.watch(() => Promise.resolve(refused))(url, { headers: { authorization: `Bearer ${(await mine.token()) ?? ""}` } });
      await mine.onUnauthorized({ response: refused });
      return await mine.token();
    });
    expect(await Promise.all(renewed)).toEqual(["access-2", "access-2"]);
    expect(shown).toEqual(["renewal-1"]);
    expect(await readdir(`${folder}/mcp-logins`)).toEqual(["far.json"]);
  });

  it("sends the user to no insecure address, and stops waiting for a server that never answers [K3.login]", async () => {
    const url = "https://mcp.example/mcp";
    const issuer = "https://auth.example";
    const real = currentPlatform();
    const store: LoginStore = {
      read: () => Promise.resolve(undefined),
      write: () => Promise.resolve(),
      remove: () => Promise.resolve(false),
      alone: (_server, work) => work(),
    };
    async function attempt(silent: string, authorize: string): Promise<readonly unknown[]> {
      const given = new AbortController();
      const shown: string[] = [];
      const ask: typeof globalThis.fetch = (input, init) => {
        const { href, pathname } = new URL(input instanceof Request ? input.url : input);
        if (silent !== "" && href.startsWith(silent)) {
          // A login that waits ends when the user cancels it.
          return new Promise((_resolve, reject) => {
            init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
            given.abort();
          });
        }
        const ends = {
          issuer,
          authorization_endpoint: authorize,
          token_endpoint: `${issuer}/token`,
          registration_endpoint: `${issuer}/register`,
        };
        if (pathname.startsWith("/.well-known/oauth-protected-resource"))
          return Promise.resolve(Response.json({ resource: url, authorization_servers: [issuer] }));
        if (pathname === "/register")
          return Promise.resolve(Response.json({ client_id: "x", redirect_uris: ["http://127.0.0.1/callback"] }, { status: 201 }));
        const metadata = { ...ends, response_types_supported: ["code"], code_challenge_methods_supported: ["S256"] };
        return Promise.resolve(href.startsWith(issuer) ? Response.json(metadata) : new Response("", { status: 401 }));
      };
      const servers = { ...real.servers, fetchFrom: () => ask, fetchSecurely: () => ask };
      const platform = { http: real.http, random: real.random, clock: real.clock, servers };
      const show = (to: URL): void => {
        shown.push(to.origin);
        given.abort();
      };
      const end = await logIn({ server: "far", config: {}, url }, { platform, store, show, signal: given.signal }).then(String, String);
      return [end, ...shown];
    }
    for (const authorize of ["http://auth.example/authorize", "http://127.0.0.1:1/authorize"])
      expect(await attempt("", authorize)).toEqual([expect.stringContaining("which is neither https nor this machine")]);
    expect(await attempt("", `${issuer}/authorize`)).toEqual(["LoginFailed: The login was cancelled", issuer]);
    for (const silent of [url, `${issuer}/.well-known`, `${issuer}/register`])
      expect(await attempt(silent, `${issuer}/authorize`), silent).toEqual(["LoginFailed: The login was cancelled"]);
  });

  it("shows no token that a server repeats in an error either [K3.token]", async () => {
    const said = (): Promise<never> => Promise.reject(new Error("I was sent access-token-1"));
    const client = redactedClient(
      { listTools: said, callTool: said, close: () => Promise.resolve() },
      (value) => (typeof value === "string" ? value.replace("access-token-1", "[secret]") : value),
      currentPlatform().slices,
    );
    await expect(client.listTools()).rejects.toThrow("I was sent [secret]");
  });

  it("stores no login through a link of a checkout, and reads no file that it did not write [K3.files]", async () => {
    const folder = await temporaryFolder();
    const [state, shown] = [`${folder}/.bascule`, `${folder}/shown`];
    await mkdir(state);
    await mkdir(shown);
    await writeFile(`${shown}/package.json`, "{}");
    await symlink(shown, `${state}/mcp-logins`);
    const store = createLoginStore(currentPlatform(), state);
    const url = "https://mcp.example/mcp";
    for (const act of [() => store.read("package", url), () => store.write("package", { url }), () => store.remove("package")])
      await expect(act()).rejects.toThrow("is a link");
    expect(await readFile(`${shown}/package.json`, "utf8")).toBe("{}");
    await rm(`${state}/mcp-logins`);
    await store.write("far", { url });
    expect(await store.read("far", url)).toEqual({ url });
    await store.write("plain", { url: "http://mcp.example/mcp" });
    expect(await store.read("plain", "http://mcp.example/mcp")).toBeUndefined();
    const tokens = { access_token: "a", token_type: "Bearer", refresh_token: "r", issuer: "https://auth.example" };
    // Without its issuer it would be sent to whichever authorization server the MCP server names.
    for (const bad of [{ ...tokens, issuer: undefined }, { ...tokens, access_token: 7 }, { ...tokens, refresh_token: {} }, []]) {
      await writeFile(`${state}/mcp-logins/far.json`, JSON.stringify({ url, tokens: bad }));
      await expect(store.read("far", url)).rejects.toThrow("is broken");
    }
  });
});
