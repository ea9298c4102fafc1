import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../manifests/mod.ts";
import { permissionMap } from "../../../../host/doors/permission-map.ts";
import { sha256Hex } from "../../../../host/primitives/digest.ts";
import { httpDoor, type HttpDoorUnderTest, TOKENS, textOf } from "../../../support/http-door.ts";
import { memoryPlatform, memoryPlatformWithWorkers } from "../../../support/memory-platform.ts";
import { hostTool } from "../../../support/tools.ts";

const FILE = "/workspace/bascule.json";
const TOOLS = [hostTool("look", { sideEffects: ["read"] }), hostTool("fail", {}, () => Promise.reject(new Error("x")))];

const asAdmin =
  (door: HttpDoorUnderTest): HttpDoorUnderTest["ask"] =>
  (path, request = {}) =>
    door.ask(path, { token: TOKENS.admin, ...request });

async function withPolicy(
  policy: object,
  trust: "all" | "agreed" = "all",
): Promise<{ readonly door: HttpDoorUnderTest; readonly text: string; readonly digest: string }> {
  const text = `${JSON.stringify({ policy }, undefined, 4)}\n`;
  const door = await httpDoor({ platform: memoryPlatform({ [FILE]: text }), config: FILE, tools: TOOLS, trust });
  return { door, text, digest: await sha256Hex(text) };
}

describe("GET /v1/metrics/history", () => {
  it("has the calls of earlier servers from the journal, and those since [I4.history, I5.history]", async () => {
    const platform = memoryPlatform();
    {
      await using before = await httpDoor({ platform, tools: TOOLS });
      await before.ask("/v1/calls", { body: { tool: "look" } });
      await before.ask("/v1/calls", { body: { tool: "fail" } });
    }
    platform.advance(60_000);
    await using door = await httpDoor({ platform, tools: TOOLS });
    await door.ask("/v1/calls", { body: { tool: "look" } });
    const { status, body } = await asAdmin(door)("/v1/metrics/history?range=1h");
    const last = (name: string): unknown => (body[name] as readonly unknown[]).slice(-2);
    expect([status, last("calls"), last("failed"), last("denied"), body["damage"]]).toEqual([200, [2, 1], [1, 0], [0, 0], 0]);
    expect([last("confirmations"), last("queued")]).toEqual([
      [null, 0],
      [null, 0],
    ]);
    expect(body["plugins"]).toMatchObject([{ plugin: "(host)", calls: 3, failed: 1, denied: 0 }]);
    expect((await asAdmin(door)("/v1/metrics/history?range=2h")).status).toBe(400);
  });

  it("samples the host's load, and keeps the highest of each step [I5.history]", async () => {
    const platform = memoryPlatform();
    await using door = await httpDoor({ platform, tools: [hostTool("change", { sideEffects: ["write"] })] });
    expect((await door.ask("/v1/calls", { body: { tool: "change" } })).status).toBe(202);
    platform.advance(60_000);
    const { body } = await asAdmin(door)("/v1/metrics/history");
    expect((body["confirmations"] as readonly unknown[]).slice(-3)).toEqual([null, 1, 1]);
  });
});

describe("GET /v1/clients", () => {
  it("lists the sessions of each token with their calls [I4.clients, I5.clients]", async () => {
    await using door = await httpDoor({ tools: TOOLS });
    await door.ask("/v1/calls", { body: { tool: "look" } });
    await door.ask("/v1/calls", { body: { tool: "fail" } });
    const { body: opened } = await door.ask("/v1/sessions", { token: TOKENS.other, body: { role: "guest" } });
    await door.ask("/v1/calls", { token: TOKENS.other, body: { tool: "none", sessionId: textOf(opened, "sessionId") } });
    await door.request(`/v1/sessions/${textOf(opened, "sessionId")}`, { token: TOKENS.other, method: "DELETE" });
    const { body } = await asAdmin(door)("/v1/clients");
    const sessions = body["sessions"] as readonly JsonObject[];
    const shown = sessions
      .filter(({ door: through }) => through === "http")
      .map(({ client, calls, failed, denied, running, lastTool, role, closedAt }) => {
        return { client, calls, failed, denied, running, lastTool, role, isOpen: closedAt === undefined };
      });
    expect(shown).toEqual([
      { client: "other", calls: 0, failed: 0, denied: 0, running: 0, isOpen: true },
      { client: "call", calls: 2, failed: 1, denied: 0, running: 0, lastTool: "fail", isOpen: true },
      { client: "console", calls: 0, failed: 0, denied: 0, running: 0, isOpen: true },
      { client: "other", calls: 1, failed: 1, denied: 0, running: 0, lastTool: "none", role: "guest", isOpen: false },
    ]);
  });

  it("keeps the beginning of a long name that a client calls [I4.clients, I5.clients]", async () => {
    await using door = await httpDoor({ tools: TOOLS });
    await door.host.call("n".repeat(100_000), {});
    const sessions = (await asAdmin(door)("/v1/clients")).body["sessions"] as readonly JsonObject[];
    expect(sessions.flatMap(({ lastTool }) => (lastTool === undefined ? [] : [lastTool]))).toEqual([`${"n".repeat(255)}…`]);
  });
});

describe("the policy over HTTP", () => {
  it("compares an edit with the calls of the last week, and changes nothing [I4.policy, I5.policy-check]", async () => {
    const { door, text } = await withPolicy({ rules: [] });
    await using _ = door;
    const ask = asAdmin(door);
    for (let nth = 0; nth < 3; nth += 1) await door.ask("/v1/calls", { body: { tool: "look" } });
    const edited = JSON.stringify({ policy: { rules: [{ tool: "look", allow: false }] } });
    const { status, body } = await ask("/v1/policy/check", { body: { text: edited } });
    expect([status, body["calls"], body["changedCalls"], body["notCompared"], body["left"]]).toEqual([200, 3, 3, 0, 0]);
    expect(body["changes"]).toEqual([
      {
        tool: "look",
        before: "allowed",
        after: "denied",
        because: expect.stringContaining("look") as string,
        also: [],
        widens: false,
        count: 3,
      },
    ]);
    expect((await ask("/v1/policy")).body).toEqual({ path: FILE, text, digest: await sha256Hex(text) });
    const { body: same } = await ask("/v1/policy/check", { body: { text } });
    expect([same["changes"], same["changedCalls"]]).toEqual([[], 0]);
    const wrong = await ask("/v1/policy/check", { body: { text: '{\n "policy": { "rules": 1 } }' } });
    expect(wrong).toMatchObject({ status: 400, body: { code: "invalid_request", errors: [{ pointer: "/policy/rules", line: 2 }] } });
  });

  it("compares a bounded number of decisions, those of used roles before others, and says how many are left out [I5.policy-check]", async () => {
    const { door } = await withPolicy({ rules: [] });
    await using _ = door;
    const { body: opened } = await door.ask("/v1/sessions", { body: { role: "guest" } });
    await door.ask("/v1/calls", { body: { tool: "look", sessionId: textOf(opened, "sessionId") } });
    const roles = Object.fromEntries(Array.from({ length: 12_000 }, (_none, nth) => [`role-${nth}`, {}]));
    const text = JSON.stringify({ roles, policy: { rules: [{ tool: "look", allow: false }] } });
    const { body } = await asAdmin(door)("/v1/policy/check", { body: { text } });
    const tools = [...door.host.list()].length;
    expect(body["notCompared"]).toBe(tools * 12_001 - 20_000);
    expect(body["changes"]).toContainEqual(expect.objectContaining({ tool: "look", role: "guest", after: "denied", count: 1 }));
  });

  it("is absent in a project without bascule.json [I4.policy]", async () => {
    await using door = await httpDoor({ tools: TOOLS });
    expect(await asAdmin(door)("/v1/policy")).toEqual({ status: 200, body: {} });
    const saved = await asAdmin(door)("/v1/policy", { body: { text: "{}", digest: "0".repeat(64) } });
    expect(saved).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("says that an edit gives more than before [I5.policy-check]", async () => {
    const { door } = await withPolicy({ rules: [{ tool: "look", confirm: "prompt" }] });
    await using _ = door;
    const { body } = await asAdmin(door)("/v1/policy/check", { body: { text: "{}" } });
    expect(body["changes"]).toMatchObject([{ tool: "look", before: "asks", after: "allowed", widens: true, count: 0 }]);
  });

  it("saves an edit as it was written, and puts it in force [I4.policy, I5.policy-save]", async () => {
    const { door, digest } = await withPolicy({ rules: [] });
    await using _ = door;
    const text = '{ "policy": { "rules": [\n\t{ "tool": "look", "allow": false }   ] } }';
    expect(await asAdmin(door)("/v1/policy", { body: { text, digest } })).toEqual({
      status: 200,
      body: { digest: await sha256Hex(text), withheld: [] },
    });
    expect(await door.platform.files.readText(FILE)).toBe(text);
    expect((await door.ask("/v1/calls", { body: { tool: "look" } })).body).toMatchObject({
      ok: false,
      error: { code: "permission_denied" },
    });
  });

  it("refuses an edit of a file that was changed meanwhile [I4.policy, I5.policy-save]", async () => {
    const { door, digest } = await withPolicy({ rules: [] });
    await using _ = door;
    door.platform.plant(FILE, '{ "policy": { "rules": [ ] } }');
    const answer = await asAdmin(door)("/v1/policy", { body: { text: "{}", digest } });
    expect(answer).toMatchObject({ status: 409, body: { code: "conflict", now: { text: '{ "policy": { "rules": [ ] } }' } } });
    expect(await door.platform.files.readText(FILE)).toBe('{ "policy": { "rules": [ ] } }');
  });

  it("changes rules only: not who may connect, nor what runs natively [I4.policy, I5.policy-save]", async () => {
    const { door, text, digest } = await withPolicy({ rules: [] });
    await using _ = door;
    for (const [name, value] of Object.entries({
      server: { tokens: [{ name: "mine", sha256: "0".repeat(64), scopes: ["admin"] }] },
      trusted: ["words"],
      plugins: ["/elsewhere"],
      mcpServers: { mine: { command: "sh" } },
      secrets: { KEY: { file: "/etc/passwd" } },
      audit: { required: "all" },
    })) {
      const edited = JSON.stringify({ policy: { rules: [] }, [name]: value });
      const answer = await asAdmin(door)("/v1/policy", { body: { text: edited, digest } });
      const message = `"${name}" cannot be changed here, only policy, confirmation, roles`;
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: `/${name}`, message }] } });
    }
    expect(await door.platform.files.readText(FILE)).toBe(text);
  });

  it("does not trust what an edit requests [I4.policy, P1.trust]", async () => {
    const { door, digest } = await withPolicy({ rules: [] }, "agreed");
    await using _ = door;
    const text = JSON.stringify({ policy: { rules: [{ tool: "look", confirm: "auto", grants: { read: ["/"] } }] } });
    const { status, body } = await asAdmin(door)("/v1/policy", { body: { text, digest } });
    expect([status, (body["withheld"] as readonly JsonObject[]).map(({ about }) => about)]).toEqual([
      200,
      ["gives tools more, or requires fewer confirmations"],
    ]);
  });

  it("is for admins only [I4.policy, I4.scopes]", async () => {
    const { door, text, digest } = await withPolicy({ rules: [] });
    await using _ = door;
    const requests = [
      ["/v1/policy", {}],
      ["/v1/policy", { body: { text, digest } }],
      ["/v1/policy/check", { body: { text } }],
      ["/v1/permissions", {}],
      ["/v1/clients", {}],
      ["/v1/metrics/history", {}],
      ["/v1/plugins/words/versions", {}],
      ["/v1/plugins/words/files", {}],
      ["/v1/plugins/words/file?path=main.ts", {}],
      ["/v1/plugins/words/log", {}],
      [`/v1/plugins/words/diff?from=${"0".repeat(64)}&to=${"0".repeat(64)}`, {}],
    ] as const;
    for (const token of [TOKENS.call, TOKENS.metrics, undefined])
      for (const [path, request] of requests)
        expect([path, (await door.request(path, { ...request, token })).status]).toEqual([path, token === undefined ? 401 : 403]);
  });
});

describe("GET /v1/permissions", () => {
  it("shows manifest, grant and policy as one decision for each plugin and resource [I4.permissions, I5.permissions]", async () => {
    const manifest = (name: string, permissions: object): string =>
      JSON.stringify({
        ...{ schemaVersion: "1.0", name, version: "1.0.0", description: name, permissions },
        tools: [{ name: `${name}_run`, description: "Runs", inputSchema: { type: "object" }, sideEffects: ["read"] }],
      });
    const platform = memoryPlatformWithWorkers({
      "plugins/maps/manifest.json": manifest("maps", { read: ["$workspace/docs", "$data"], net: ["api.example.com"] }),
      "plugins/maps/main.ts": 'export const maps_run = () => "permission map 1";',
      "plugins/notes/manifest.json": manifest("notes", { read: ["$workspace"] }),
      "plugins/notes/main.ts": 'export const notes_run = () => "permission map 2";',
    });
    const project = { policy: { rules: [{ plugin: "maps", grants: { net: { deny: ["api.example.com"] } } }] } };
    await using door = await httpDoor({ platform, plugins: "plugins", project });
    await door.host.grant("notes", { read: ["$workspace"] });
    const { status, body } = await asAdmin(door)("/v1/permissions");
    expect([status, body["plugins"], body["resources"], body["left"]]).toEqual([
      200,
      ["maps", "notes"],
      [
        { kind: "read", text: "$data", own: "maps" },
        { kind: "read", text: "$workspace" },
        { kind: "read", text: "$workspace/docs" },
        { kind: "net", text: "api.example.com" },
      ],
      0,
    ]);
    const cells = (body["cells"] as readonly JsonObject[]).map(({ plugin, resource, state, requested, granted }) => [
      ...[plugin, resource, state, requested, granted],
    ]);
    expect(cells).toEqual([
      ["maps", 0, "prompt", true, false],
      ["maps", 2, "prompt", true, false],
      ["maps", 3, "denied", true, false],
      ["notes", 1, "granted", true, true],
      ["notes", 2, "granted", false, false],
    ]);
  });

  it("takes one decision a slice, and as few as it needs [I5.permissions, LV2.permissions]", () => {
    const tools = Array.from({ length: 300 }, (_none, nth) => ({ plugin: "maps", qualifiedName: `maps.tool_${nth}` }));
    let asked = 0;
    const answer = (state: string): object => ({ verdict: "allowed", because: {}, act: { verdict: { state, decidedBy: { layer: "x" } } } });
    const host = {
      listEach: () => tools,
      plugins: () => [{ name: "maps", directory: "/plugins/maps", requested: { net: ["a.example"], read: ["$workspace"] } }],
      grants: { find: () => undefined },
      places: { workspace: "/workspace", folders: { home: "/home", tmp: "/tmp", data: "/data" } },
      policy: {
        now(tool: string, _role: unknown, _of: unknown, { kind }: { readonly kind: string }) {
          asked += 1;
          return answer(kind === "net" && tool === "maps.tool_7" ? "granted" : "prompt");
        },
      },
    };
    // Only the members that the map reads.
    const slices = permissionMap(host as unknown as Parameters<typeof permissionMap>[0], { acts: [] });
    let most = 0;
    for (;;) {
      const before = asked;
      const { done, value } = slices.next();
      most = Math.max(most, asked - before);
      if (done !== true) continue;
      expect(value.cells.map(({ state }) => state)).toEqual(["prompt", "granted"]);
      break;
    }
    expect([most, asked]).toEqual([1, 300 + 8]);
  });
});
