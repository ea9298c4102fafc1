import { describe, expect, it } from "vitest";
import type { ToolResult } from "../../../../host/call/call.ts";
import { createHost } from "../../../../host/mod.ts";
import { createSession } from "../../../../host/call/session.ts";
import type { JsonObject, Permissions } from "../../../../manifests/mod.ts";
import { type FakeGuest, fakeSandbox, returns, USED } from "../../../support/fake-sandbox.ts";
import { memoryPlatform, WORKSPACE } from "../../../support/memory-platform.ts";
import { testHost, type TestHost } from "../../../support/test-host.ts";
import { hostTool, pluginVersion, publishedTools } from "../../../support/tools.ts";

const AUTO: JsonObject = { confirmation: { default: { write: "auto", network: "auto" } } };

function hostWith(rules: readonly JsonObject[], tools = [hostTool("say"), hostTool("tell")]): TestHost {
  return testHost({ tools, project: { ...AUTO, policy: { rules } } });
}

async function outcomes(calls: readonly Promise<ToolResult>[]): Promise<readonly string[]> {
  return (await Promise.all(calls)).map((result) => (result.ok ? "ok" : result.error.code));
}

describe("quotas", () => {
  it("refuse a tool's calls above the number, with the quota, its use and when it frees [D9.calls]", async () => {
    const host = hostWith([{ tool: "say", quota: { calls: 2, windowMs: 32_000 } }]);
    await host.call("say");
    host.platform.advance(10_000);
    await host.call("say");
    const refused = await host.call("say");
    expect(refused).toMatchObject({
      ok: false,
      error: {
        code: "resource_exhausted",
        message: 'Quota of 2 calls in 32s for tool "say" is used up: 2 used, free again in 23s (tool say)',
        details: {
          limit: "calls",
          allowed: 2,
          used: 2,
          windowMs: 32_000,
          per: "tool",
          subject: "say",
          rule: "tool say",
          freesInMs: 23_000,
          retryable: true,
        },
      },
    });
    expect(await host.call("tell")).toMatchObject({ ok: true });
    host.platform.advance(22_999);
    expect(await host.call("say")).toMatchObject({ ok: false });
    host.platform.advance(1);
    expect(await host.call("say")).toMatchObject({ ok: true });
    expect(await host.call("say")).toMatchObject({ ok: false });
  });

  it("are checked before a confirmation, in the order of gates [D9.order, B3, D1]", async () => {
    const asked: string[] = [];
    const host = testHost({
      tools: [hostTool("say", { sideEffects: ["write"] })],
      project: { policy: { default: { quota: { calls: 1 } } } },
    });
    const confirm = async (): Promise<boolean> => asked.push("asked") > 0;
    expect(await host.call("say", {}, { confirm })).toMatchObject({ ok: true });
    expect(await host.call("say", {}, { confirm })).toMatchObject({ ok: false, error: { code: "resource_exhausted" } });
    expect(asked).toEqual(["asked"]);
    expect(host.types().filter((type) => type.startsWith("tool.c") || type === "tool.failed")).toEqual([
      "tool.confirmation_requested",
      "tool.confirmation_resolved",
      "tool.called",
      "tool.completed",
      "tool.failed",
    ]);
  });

  it("do not count refused calls [D9.calls]", async () => {
    const host = testHost({
      tools: [hostTool("say", { sideEffects: ["write"], inputSchema: { type: "object", properties: { n: { type: "integer" } } } })],
      project: { policy: { default: { quota: { calls: 1 } } } },
    });
    await host.call("say", { n: "x" });
    await host.call("say", {}, { confirm: async () => false });
    expect(await host.call("say", {}, { confirm: async () => true })).toMatchObject({ ok: true });
  });

  it("hold for calls that begin at the same time [D9.calls]", async () => {
    const host = hostWith([{ tool: "say", quota: { calls: 2 } }]);
    const all = await outcomes(Array.from({ length: 8 }, () => host.call("say")));
    expect(all.toSorted()).toEqual(["ok", "ok", ...Array.from({ length: 6 }, () => "resource_exhausted")]);
  });

  it("count a plugin's tools together, and each tool of a category separately [D9.scopes, P2.quota]", async () => {
    const tools = [
      { name: "one", category: "web" },
      { name: "two", category: "web" },
    ] as const;
    const run = async (rules: readonly JsonObject[]): Promise<readonly string[]> => {
      const host = testHost({ sandbox: fakeSandbox({ one: returns(1), two: returns(2) }), project: { policy: { rules } } });
      host.registry.replaceOwner("p", publishedTools(pluginVersion("p", { tools })));
      return await outcomes(["one", "two", "one"].map((tool) => host.call(`p.${tool}`)));
    };
    expect(await run([{ plugin: "p", quota: { calls: 2 } }])).toEqual(["ok", "ok", "resource_exhausted"]);
    expect(await run([{ category: "web", quota: { calls: 1 } }])).toEqual(["ok", "ok", "resource_exhausted"]);
    expect(await run([{ category: "web", quota: { calls: 1, per: "plugin" } }])).toEqual([
      "ok",
      "resource_exhausted",
      "resource_exhausted",
    ]);
  });

  it("come from the most specific rule per resource and subject, and from all equally specific rules [P2.quota]", async () => {
    const specific = hostWith([
      { tool: "say", quota: { calls: 3 } },
      { group: "group:all", quota: [{ calls: 1 }, { calls: 4, per: "session" }] },
    ]);
    expect(await outcomes(Array.from({ length: 5 }, () => specific.call("say")))).toEqual([
      ...["ok", "ok", "ok"],
      ...["resource_exhausted", "resource_exhausted"],
    ]);
    expect(await outcomes(["tell", "tell"].map((tool) => specific.call(tool)))).toEqual(["ok", "resource_exhausted"]);
    const equals = hostWith([
      { tool: "say", quota: { calls: 5 } },
      { tool: "say", quota: { calls: 1 } },
    ]);
    expect(await outcomes(["say", "say"].map((tool) => equals.call(tool)))).toEqual(["ok", "resource_exhausted"]);
  });

  it("count a session's use for itself and for its parents [D9.scopes, T1, P3]", async () => {
    const host = hostWith([{ group: "group:all", quota: { calls: 3, per: "session" } }]);
    const parent = createSession({ id: "parent", workspace: WORKSPACE, quotas: [{ calls: 2 }] });
    const child = createSession({ id: "child", workspace: WORKSPACE, parent });
    const other = createSession({ id: "other", workspace: WORKSPACE, parent, quotas: [{ calls: 1 }] });
    expect(await host.call("say", {}, { session: child })).toMatchObject({ ok: true });
    expect(await host.call("say", {}, { session: other })).toMatchObject({ ok: true });
    const refused = await host.call("say", {}, { session: child });
    expect(refused).toMatchObject({
      error: { code: "resource_exhausted", details: { per: "session", subject: "parent", rule: "session" } },
    });
    expect(await host.call("say", {}, { session: createSession({ id: "fresh", workspace: WORKSPACE }) })).toMatchObject({ ok: true });
    expect(() => createSession({ id: "x", workspace: WORKSPACE, quotas: [{ windowMs: 5 }] })).toThrow(/Cannot open a session: .*windowMs/);
  });

  it("cannot be evaded by delegating to new sessions [D9.scopes, P3]", async () => {
    const host = hostWith([{ group: "group:all", quota: { calls: 2, per: "session" } }]);
    const parent = createSession({ id: "parent", workspace: WORKSPACE });
    const through = (id: string): Promise<ToolResult> =>
      host.call("say", {}, { session: createSession({ id, workspace: WORKSPACE, parent }) });
    expect(await outcomes([through("a"), through("b"), through("c")])).toEqual(["ok", "ok", "resource_exhausted"]);
  });

  it("bound a call's CPU time to what is left, and name the quota in the error [D9.cpu]", async () => {
    const slow: FakeGuest = ({ limits }) => ({
      ok: false,
      fault: { kind: "timeout", limit: "cpu", limitMs: limits.cpuMs },
      used: { ...USED, cpuMs: limits.cpuMs },
    });
    const sandbox = fakeSandbox({ run: returns(1), slow });
    const host = testHost({ sandbox, project: { policy: { rules: [{ plugin: "p", quota: { cpuMs: 10 } }] } } });
    host.registry.replaceOwner("p", publishedTools(pluginVersion("p", { tools: [{ name: "run" }, { name: "slow" }] })));
    for (let call = 0; call < 2; call++) await host.call("p.run");
    expect(await host.call("p.slow")).toMatchObject({
      error: {
        code: "resource_exhausted",
        message: expect.stringContaining('Quota of 10 cpuMs in 60s for plugin "p" is used up: 10 used') as string,
      },
      limitsUsed: { cpuMs: 2 },
    });
    expect(await host.call("p.run")).toMatchObject({ error: { code: "resource_exhausted", details: { limit: "cpuMs" } } });
    expect(sandbox.invocations.map(({ limits }) => limits.cpuMs)).toEqual([10, 6, 2]);
  });

  it.each<[string, JsonObject, string, JsonObject]>([
    ["host calls", { hostCalls: 3 }, "workspace.exists", { path: "a.txt" }],
    ["bytes read", { bytesRead: 30 }, "workspace.read", { path: "a.txt" }],
    ["bytes written", { bytesWritten: 30 }, "workspace.write", { path: "b.txt" }],
    [
      "requests",
      { requests: 3 },
      "net.fetch",
      { id: 1, url: "https://a.test/", method: "GET", headers: [], redirect: "follow", body: "none" },
    ],
  ])("stop a call that uses up %s, even if it ignores the error [D9.during]", async (_, quota, operation, args) => {
    const answers: boolean[] = [];
    const stubborn: FakeGuest = async ({ hostCall, signal }) => {
      for (let id = 1; !signal.aborted && id < 100; id++)
        answers.push(
          (
            await hostCall({
              name: operation,
              args: { ...args, id },
              ...(operation === "workspace.write" && { bytes: new Uint8Array(10) }),
            })
          ).ok,
        );
      return { ok: true, output: { o: "I did not notice" }, used: USED };
    };
    const platform = memoryPlatform({ "a.txt": "0123456789" }, { network: { names: { "a.test": ["93.184.216.34"] }, serve: () => ({}) } });
    const host = testHost({
      platform,
      sandbox: fakeSandbox({ run: stubborn }),
      // Two limits of one window count its use once.
      project: {
        ...AUTO,
        policy: {
          rules: [
            { tool: "run", quota },
            { tool: "run", quota: { hostCalls: 50, bytesRead: 500, bytesWritten: 500, requests: 50 } },
          ],
        },
      },
      policyOptions: { grants: { find: (): Permissions => ({ read: true, write: true, net: true }) } },
    });
    const permissions: Permissions = { read: ["$workspace"], write: ["$workspace"], net: true };
    host.registry.replaceOwner(
      "p",
      publishedTools(pluginVersion("p", { permissions, tools: [{ name: "run", sideEffects: ["read", "write", "network"] }] })),
    );
    const result = await host.call("p.run");
    expect(result).toMatchObject({
      ok: false,
      error: { code: "resource_exhausted", details: { limit: Object.keys(quota)[0], rule: "tool run" } },
    });
    expect(answers).toEqual([true, true, true, false]);
    if (operation === "workspace.write") expect(result).toMatchObject({ limitsUsed: { bytesWritten: 30 }, filesModified: ["b.txt"] });
  });

  it("count the bytes that a copy moves [D9.during]", async () => {
    const platform = memoryPlatform({ "a.txt": "x".repeat(100) });
    const copy: FakeGuest = async ({ hostCall }) => {
      await hostCall({ name: "fs.copyFile", args: { from: "a.txt", to: "b.txt" } });
      return { ok: true, output: { o: null }, used: USED };
    };
    const host = testHost({
      platform,
      sandbox: fakeSandbox({ run: copy }),
      project: { ...AUTO, policy: { rules: [{ tool: "run", quota: { bytesWritten: 99 } }] } },
      policyOptions: { grants: { find: (): Permissions => ({ read: true, write: true }) } },
    });
    const permissions: Permissions = { read: ["$workspace"], write: ["$workspace"] };
    host.registry.replaceOwner("p", publishedTools(pluginVersion("p", { permissions, tools: [{ name: "run", sideEffects: ["write"] }] })));
    expect(await host.call("p.run")).toMatchObject({
      error: { code: "resource_exhausted", message: expect.stringContaining("this call needs more than the whole quota") as string },
    });
    expect(await platform.files.stat(`${WORKSPACE}/b.txt`)).toBeUndefined();
  });

  it("can be read: what is used, what is left, and when more is free [D9.readable]", async () => {
    const platform = memoryPlatform();
    await using host = await createHost({
      platform,
      config: {
        policy: {
          rules: [
            {
              tool: "echo",
              quota: [
                { calls: 2, windowMs: 32_000 },
                { requests: 5, per: "session" },
              ],
            },
          ],
        },
      },
    });
    const read = (): unknown =>
      host.why("echo")?.quotas.map(({ resource, per, used, left, freesInMs }) => ({ resource, per, used, left, freesInMs }));
    expect(read()).toEqual([
      { resource: "calls", per: "tool", used: 0, left: 2, freesInMs: 0 },
      { resource: "requests", per: "session", used: 0, left: 5, freesInMs: 0 },
    ]);
    await host.call("echo", { text: "a" });
    await host.call("echo", { text: "a" });
    expect(read()).toEqual([
      { resource: "calls", per: "tool", used: 2, left: 0, freesInMs: 33_000 },
      { resource: "requests", per: "session", used: 0, left: 5, freesInMs: 0 },
    ]);
    expect(host.why("echo")?.text).toContain("  quota    2 calls in 32s for each tool (tool echo)");
  });
});
