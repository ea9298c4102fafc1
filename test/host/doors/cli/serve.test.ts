import { chmod, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hashOf } from "../../../../host/doors/http/tokens.ts";
import { connectToHost } from "../../../../host/doors/socket/socket-client.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { createCliProject, type CliProject, type RunningCommand } from "./run-cli.ts";

interface Served {
  readonly command: RunningCommand;
  readonly url: string;
  get(path: string, token?: string): Promise<Response>;
}

async function serve(project: CliProject, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Served> {
  const command = project.start(["serve", "--port=0", ...args], { env });
  await command.waitFor("Press Ctrl-C");
  const url = /http:\/\/\S+/u.exec(command.printed())?.[0] ?? "";
  const fields = (token: string | undefined): Record<string, string> => (token === undefined ? {} : { authorization: `Bearer ${token}` });
  return { command, url, get: (path, token) => fetch(url + path, { headers: fields(token) }) };
}

const kept = async (project: CliProject, name: string): Promise<string> =>
  (await readFile(join(project.folder, `.bascule/${name}.token`), "utf8")).trim();

describe("bascule serve", () => {
  it("listens on loopback, requires a token, and is found by other commands and by editors [I2.serve] [I4.token] [DI4.console-url]", async () => {
    await using project = await createCliProject();
    await project.run(["init", "demo"]);
    const { command, url, get } = await serve(project);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
    expect(command.printed()).toContain("serves 1 plugin, ");
    expect(command.printed()).toContain("  call token   .bascule/call.token\n");
    const token = await kept(project, "call");
    expect(token).toMatch(/^bascule_[0-9a-f]{64}$/u);
    expect(command.printed()).not.toContain(token);
    expect((await get("/healthz")).status).toBe(200);
    expect((await get("/v1/whoami")).status).toBe(401);
    expect(await (await get("/v1/whoami", token)).json()).toEqual({ name: "call", scopes: ["call"] });
    const remote = await connectToHost(currentPlatform(), `${project.folder}/.bascule`);
    // An editor opens this address.
    expect(await remote?.operations.status()).toMatchObject({ url });
    remote?.close();
    expect((await project.run(["list"])).error).toContain("(using the host running in this folder)");
    expect((await project.run(["serve"])).error).toContain("A host is already running in this project");
    command.interrupt();
    expect(await command.ended).toMatchObject({ code: 0 });
    await expect(get("/healthz")).rejects.toThrow();
  });

  it("keeps its tokens in files that only their owner can read, and reuses them [I4.token]", async () => {
    await using project = await createCliProject();
    const first = await serve(project);
    first.command.interrupt();
    await first.command.ended;
    const file = join(project.folder, ".bascule/admin.token");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const token = await kept(project, "admin");
    const { command, get } = await serve(project);
    expect(await (await get("/metrics", token)).text()).toContain("bascule_calls");
    command.interrupt();
    await command.ended;
    await chmod(file, 0o644);
    expect(await project.run(["serve", "--port=0"])).toMatchObject({
      code: 5,
      error: expect.stringContaining("must be a file that only its owner can read"),
    });
    await chmod(file, 0o600);
    await writeFile(file, "short\n");
    expect((await project.run(["serve", "--port=0"])).error).toContain("has fewer than 32 printable characters");
  });

  it("accepts tokens from the environment, and by their hashes from bascule.json [I4.token]", async () => {
    const sha256 = "5c1c4f1f5e26c8a7f1e58b2d3a2e3e3d6a4ea4c4bb8a42c7a3a77e1e4dd5ab6a";
    await using project = await createCliProject({
      "bascule.json": JSON.stringify({ server: { tokens: [{ name: "ci", sha256, scopes: ["metrics"] }] } }),
    });
    const given = "x".repeat(40);
    const { command, get } = await serve(project, [], { BASCULE_TOKEN: given });
    expect(command.printed()).toMatch(/^ {2}call token +\$BASCULE_TOKEN$/mu);
    expect((await get("/v1/whoami", given)).status).toBe(200);
    await expect(stat(join(project.folder, ".bascule/call.token"))).rejects.toThrow("ENOENT");
  });

  it("limits the MCP sessions of a token as bascule.json sets [I3.sessions]", async () => {
    await using project = await createCliProject({ "bascule.json": JSON.stringify({ server: { limits: { sessions: 1 } } }) });
    const { url } = await serve(project);
    const authorization = `Bearer ${await kept(project, "call")}`;
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const headers = { authorization, "content-type": "application/json", accept: "application/json, text/event-stream" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const opened = await fetch(`${url}/mcp`, { method: "POST", headers, body });
    await opened.text();
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-11-25" };
    const listening = await fetch(`${url}/mcp`, { headers: { ...headers, ...session } });
    expect([opened.status, listening.status, (await fetch(`${url}/mcp`, { method: "POST", headers, body })).status]).toEqual([
      200, 200, 429,
    ]);
    await listening.body?.cancel();
  });

  it("applies changes of tokens in bascule.json and in files while it runs [I4.revoked]", async () => {
    const token = "the-token-of-a-build-of-another-machine";
    const sha256 = await hashOf(token);
    await using project = await createCliProject({
      "bascule.json": JSON.stringify({ server: { tokens: [{ name: "ci", sha256, scopes: ["call"] }] } }),
    });
    const { get } = await serve(project);
    const own = await kept(project, "call");
    const statuses = async (): Promise<readonly number[]> => [
      (await get("/v1/whoami", token)).status,
      (await get("/v1/whoami", own)).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    await rm(join(project.folder, "bascule.json"));
    await rm(join(project.folder, ".bascule/call.token"));
    await expect.poll(statuses, { timeout: 20_000 }).toEqual([401, 401]);
  });

  it("shows an address that logs in once, only on a terminal [I2.serve, I4.login]", async () => {
    await using project = await createCliProject();
    const command = project.start(["serve", "--port=0"], { answers: [] });
    await command.waitFor("Press Ctrl-C");
    const [, url = "", code = ""] = /(http:\/\/\S+)\/#code=(\S+)/u.exec(command.printed()) ?? [];
    const logIn = (): Promise<Response> =>
      fetch(`${url}/v1/login`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ code }) });
    expect([(await logIn()).status, (await logIn()).status]).toEqual([200, 403]);
    expect(await (await fetch(url)).text()).toContain('<script type="module" src="/console.js">');
    command.interrupt();
    await command.ended;
    const unattended = await serve(project);
    expect(unattended.command.printed()).not.toContain("#code");
  });

  it("lets other machines connect only with --expose [I4.loopback]", async () => {
    await using project = await createCliProject();
    expect(await project.run(["serve", "--port=0", "--host=0.0.0.0"])).toMatchObject({
      code: 2,
      error: expect.stringContaining("Cannot listen on 0.0.0.0: other machines could connect"),
    });
    const { url } = await serve(project, ["--host=0.0.0.0", "--expose"]);
    expect(url).toMatch(/^http:\/\/0\.0\.0\.0:/u);
  });

  it("reports an address that it cannot listen on [I2.serve]", async () => {
    await using project = await createCliProject();
    await using other = await createCliProject();
    const { url } = await serve(project);
    const taken = await other.run(["serve", `--port=${new URL(url).port}`]);
    expect(taken).toMatchObject({ code: 5, error: expect.stringContaining("Another program already listens on 127.0.0.1:") });
    expect((await other.run(["serve", "--port=x"])).error).toContain('Option "--port" must be an integer from 0 to 65535');
  });
});
