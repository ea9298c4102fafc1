import { afterEach, describe, expect, it } from "vitest";
import type { HostEvent } from "../../../host/audit/events.ts";
import { createHost, createRegistry, functionTool, type Host, type HostOptions, registerBuiltins } from "../../../host/mod.ts";
import { createNodePlatform } from "../../../host/platform/mod.ts";
import { createWorkerLauncher } from "../../../host/platform/threads/workers.ts";
import type { MemoryPlatform } from "../../../host/platform/memory/memory.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { hostTool } from "../../support/tools.ts";

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

async function start(options: HostOptions & { readonly platform?: MemoryPlatform } = {}): Promise<Host> {
  const host = await createHost({ platform: memoryPlatform(), ...options });
  hosts.push(host);
  return host;
}

const manifest = (tool: object = {}, permissions: object = { read: ["$workspace"] }): string =>
  JSON.stringify({
    schemaVersion: "1.0",
    name: "words",
    version: "1.0.0",
    description: "Counts words",
    permissions,
    tools: [
      {
        name: "count",
        description: "Counts",
        inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
        sideEffects: ["read"],
        ...tool,
      },
    ],
  });
const main = "export async function count({ path }) { return (await Deno.readTextFile(path)).split(' ').length; }";

/** Creates a platform in memory whose guests run in real workers. */
function withPlugin(files: Readonly<Record<string, string>> = {}): MemoryPlatform {
  return memoryPlatform(
    { "plugins/words/manifest.json": manifest(), "plugins/words/main.ts": main, "a.txt": "one two three", ...files },
    { workers: createWorkerLauncher() },
  );
}

describe("createHost()", () => {
  it("works without plugins, with its built-in tools [I1, G2]", async () => {
    const host = await start();
    expect((await host.call("Echo", { text: "hi" })).output).toEqual({ text: "hi" });
    expect(host.list().map(({ name }) => name)).toEqual([
      "echo",
      "list_dir",
      "patch_file",
      "read_file",
      "read_result",
      "reload_plugins",
      "shell",
      "write_file",
    ]);
    expect(host.plugins()).toEqual([]);
  });

  it("closes what it started if it cannot start [H9.start]", async () => {
    const workers = createWorkerLauncher();
    const ends: Promise<string>[] = [];
    const start: typeof workers.start = (init) => {
      const worker = workers.start(init);
      ends.push(new Promise((resolve) => worker.onExit(resolve)));
      return worker;
    };
    const platform = memoryPlatform(
      { "plugins/words/manifest.json": manifest(), "plugins/words/main.ts": main, "bascule.lock": "<<<<<<< HEAD\n" },
      { workers: { ...workers, start } },
    );
    await expect(createHost({ platform, plugins: ["plugins"], consent: { lock: true } })).rejects.toThrow("merge conflict");
    expect(ends).not.toEqual([]);
    await Promise.all(ends);
  });

  it("accepts null as options, from untyped callers [D1]", async () => {
    const host = await start();
    // The types do not allow this.
    const nothing = null as unknown as undefined;
    expect(await host.call("echo", { text: "hi" }, nothing)).toMatchObject({ ok: true, output: { text: "hi" } });
    expect(await host.callAll([{ tool: "echo", args: { text: "hi" } }], nothing)).toMatchObject([{ ok: true, output: { text: "hi" } }]);
  });

  it("omits the built-ins on request [G2]", async () => {
    const host = await start({ builtins: false });
    expect(await host.call("echo", { text: "hi" })).toMatchObject({
      error: { code: "tool_not_found", message: "Tool 'echo' not found. Available: []" },
    });
  });

  it("answers every call with tool_not_found without a registry [R8]", async () => {
    const host = await start({ registry: null });
    expect(await host.call("echo", { text: "hi" })).toMatchObject({ error: { code: "tool_not_found" } });
    expect(() => host.register(hostTool("say"))).toThrow("registry: null");
  });

  it("adds its tools to a given registry [G2]", async () => {
    const registry = createRegistry();
    registerBuiltins(registry);
    registry.register(hostTool("say"));
    const host = await start({ registry, builtins: false });
    expect(await host.call("say", { a: 1 })).toMatchObject({ ok: true, output: { a: 1 } });
    expect(await host.call("Echo", { text: "hi" })).toMatchObject({ ok: true });
  });

  it("registers tools of the program, before and after the start [K1, R1]", async () => {
    const host = await start({ tools: [functionTool(() => 1, { name: "one", description: "One", sideEffects: [] })] });
    const two = host.register(functionTool(() => 2, { name: "two", description: "Two", sideEffects: [] }));
    expect(two.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect([await host.call("one"), await host.call("two")].map(({ output }) => output)).toEqual([1, 2]);
  });

  it("loads plugins and runs them with their grants [I1, C2]", async () => {
    const host = await start({ platform: withPlugin(), plugins: ["./plugins"] });
    expect(host.plugins()).toMatchObject([{ name: "words", state: "loaded" }]);
    const denied = await host.call("count", { path: "a.txt" });
    expect(denied).toMatchObject({
      ok: false,
      error: { code: "tool_failed", hint: { command: expect.stringContaining("bascule grant words") } },
    });
    await host.grant("words", { read: ["$workspace"] });
    expect(await host.call("count", { path: "a.txt" })).toMatchObject({ ok: true, output: 3, plugin: "words", route: "wasm" });
  });

  it("takes grants for this host only, as in the README [I1]", async () => {
    const platform = withPlugin();
    const host = await start({ platform, plugins: ["./plugins"], workspace: ".", grants: { words: { read: ["$workspace"] } } });
    expect((await host.call("count", { path: "a.txt" })).output).toBe(3);
    expect(await platform.files.stat("/workspace/.bascule/grants.json")).toBeUndefined();
  });

  it("applies denials of * to every tool [C3]", async () => {
    const host = await start({
      platform: withPlugin({ "secret.txt": "x" }),
      plugins: "./plugins",
      grants: { "*": { read: { allow: ["$workspace"], deny: ["secret.txt"] } } },
    });
    expect(await host.call("count", { path: "a.txt" })).toMatchObject({ ok: true });
    expect(await host.call("count", { path: "secret.txt" })).toMatchObject({ ok: false });
    expect(await host.call("Read", { path: "secret.txt" })).toMatchObject({ ok: false, error: { code: "fs_denied" } });
  });

  it("reads plugins, grants and bascule.json again on reload [H2, P1]", async () => {
    const platform = withPlugin({ "bascule.json": "{}" });
    const host = await start({ platform, grants: { words: { read: true } } });
    expect(await host.call("count", { path: "a.txt" })).toMatchObject({ output: 3 });
    platform.plant("/workspace/plugins/words/main.ts", main.replace(".length", ".length * 10"));
    platform.plant("/workspace/bascule.json", JSON.stringify({ policy: { rules: [{ tool: "echo", allow: false }] } }));
    expect((await host.checkForChanges()).map(({ kind }) => kind)).toEqual(["changed"]);
    expect(await host.call("reload_plugins")).toMatchObject({ output: { reloaded: 1 } });
    expect(await host.call("count", { path: "a.txt" })).toMatchObject({ output: 30 });
    expect(await host.call("echo", { text: "hi" })).toMatchObject({ error: { code: "permission_denied" } });
    platform.plant("/workspace/bascule.json", "{");
    await host.reload();
    expect(await host.call("echo", { text: "hi" })).toMatchObject({ error: { code: "permission_denied" } });
    expect(platform.recorded.log.filter(({ level }) => level === "error").map(({ message }) => message)).toEqual([
      "bascule.json has errors; the last good one stays in force",
    ]);
  });

  it("copies arguments and options at the call, so that the caller may change them later [S3.given] [I1.given]", async () => {
    const host = await start({ config: false });
    const args = { text: "" };
    const options = { callId: "" };
    const calls = ["one", "two", "three"].map((text) => {
      args.text = text;
      options.callId = `call-${text}`;
      return host.call("echo", args, options);
    });
    const request = { tool: "echo", args };
    const [all, turn] = [host.callAll([request]), host.turn([request])];
    request.tool = "nothing";
    args.text = "later";
    const results = await Promise.all(calls);
    expect(results.map(({ callId, output }) => [callId, output])).toEqual(
      ["one", "two", "three"].map((text) => [`call-${text}`, { text }]),
    );
    expect([...(await all), ...(await turn).results].map(({ output }) => output)).toEqual([{ text: "three" }, { text: "three" }]);
    // A value without JSON form is refused as before.
    expect(await host.call("echo", { text: 1n } as never)).toMatchObject({
      error: { code: "invalid_args", details: { errors: [{ pointer: "/text" }] } },
    });
    const circle: Record<string, unknown> = {};
    circle["text"] = circle;
    expect(await host.call("echo", circle as never)).toMatchObject({ error: { code: "invalid_args" } });
  });

  it("follows bascule.json with watch [P1]", async () => {
    const platform = memoryPlatform({ "bascule.json": "{}" }, { workers: createWorkerLauncher() });
    const host = await start({ platform, watch: true });
    platform.plant("/workspace/bascule.json", JSON.stringify({ policy: { rules: [{ tool: "echo", allow: false }] } }));
    platform.advance(1_000);
    await expect.poll(async () => (await host.call("echo", { text: "hi" })).ok).toBe(false);
  });

  it("explains decisions, for a tool and for an operation [P6]", async () => {
    const host = await start({ platform: withPlugin(), plugins: ["./plugins"] });
    expect(host.why("count", { kind: "read", path: "/workspace/a.txt" })).toMatchObject({
      tool: "words.count",
      verdict: "allowed",
      act: { verdict: { state: "prompt" } },
    });
    expect(host.why("nothing")).toBeUndefined();
  });

  it("shows a model only the tools that its session may call [R4]", async () => {
    const host = await start({
      tools: [hostTool("secret", { visibility: { roles: ["admin"] } }), hostTool("open")],
      builtins: false,
      config: { policy: { rules: [{ tool: "denied", allow: false }] } },
    });
    host.register(hostTool("denied"));
    expect(host.definitionsFor().map(({ name }) => name)).toEqual(["open"]);
    expect(host.definitionsFor(host.session({ role: "admin" })).map(({ name }) => name)).toEqual(["open", "secret"]);
    expect(await host.call("secret", {}, { role: "admin", context: { agentId: "a" } })).toMatchObject({ ok: true });
    expect(await host.call("secret", {}, { role: "guest" })).toMatchObject({ error: { code: "tool_not_found" } });
    let closed = 0;
    host.subscribe(({ type }) => void (type === "session.closed" && (closed += 1)));
    // Two sessions are kept already; the maximum is 256.
    for (let index = 0; index < 260; index += 1) await host.call("secret", {}, { role: `role${index}` });
    expect(closed).toBe(6);
  });

  it("lists each tool with the route and limits that policy gives it [R3]", async () => {
    const host = await start({ config: { policy: { rules: [{ tool: "echo", limits: { wallMs: 5_000 } }] } } });
    expect(host.list().find(({ name }) => name === "echo")).toMatchObject({ route: "host", limits: { wallMs: 5_000 }, source: "builtin" });
  });

  it("passes its events to loops and to publish, from the first tool on [AU1]", async () => {
    const published: HostEvent[] = [];
    const host = await start({ builtins: false, tools: [hostTool("say")], events: { publish: (event) => published.push(event) } });
    const reader = host.events[Symbol.asyncIterator]();
    await host.call("say", {}, { callId: "c1", turn: "t1" });
    expect(published.map(({ type }) => type)).toEqual(["session.opened", "tool.registered", "tool.called", "tool.completed"]);
    expect(await reader.next()).toMatchObject({ value: { type: "tool.called", callId: "c1", turnId: "t1" } });
    await host.close();
    expect(published.at(-1)).toMatchObject({ type: "session.closed" });
  });

  it("uses the real path of a session's workspace [C4]", async () => {
    const platform = memoryPlatform({ "/real/a.txt": "here", "/linked": { link: "/real" } });
    const host = await start({ platform });
    const session = host.session({ workspace: "/linked" });
    expect((await host.call("Read", { path: "a.txt" }, { session })).output).toEqual({ content: "here", size: 4 });
  });

  it("expands ~ in a session's workspace to the home folder [SR1.session]", async () => {
    const platform = memoryPlatform({ "/home/user/work/a.txt": "here" });
    const host = await start({ platform });
    const session = host.session({ workspace: "~/work" });
    expect(session.workspace).toBe("/home/user/work");
    expect((await host.call("Read", { path: "a.txt" }, { session })).output).toEqual({ content: "here", size: 4 });
  });

  it("denies all tools access to grants and configuration [C2.protect]", async () => {
    const platform = memoryPlatform({
      "bascule.json": JSON.stringify({ confirmation: { default: { write: "auto" } } }),
      ".bascule/grants.json": "{}",
    });
    const host = await start({ platform, plugins: [] });
    for (const path of [".bascule/grants.json", "bascule.json", "bascule.lock", ".bascule/settings/words.json"]) {
      expect(await host.call("Write", { path, content: "{}" }), path).toMatchObject({ ok: false, error: { code: "fs_denied" } });
    }
    expect(await host.call("Read", { path: ".bascule/grants.json" })).toMatchObject({ ok: false, error: { code: "fs_denied" } });
    expect(await host.call("Write", { path: "ok.txt", content: "x" })).toMatchObject({ ok: true });
  });

  it("shares no state with another host in the process [D1]", async () => {
    const one = await start({ tools: [hostTool("say")] });
    const two = await start({ config: { policy: { default: { allow: false } } } });
    expect(await one.call("say")).toMatchObject({ ok: true });
    expect(await two.call("say")).toMatchObject({ error: { code: "tool_not_found" } });
    expect(one.result("x")).toBeUndefined();
  });

  it("can be closed twice; calls afterwards are refused and end like all others [T5] [D2]", async () => {
    const ended: string[] = [];
    const host = await start({ hooks: { onToolEnd: (call, result) => void ended.push(`${call.tool} ${result.ok}`) } });
    await host.close();
    await host.close();
    expect(await host.call("echo", { text: "hi" })).toMatchObject({ ok: false, error: { code: "unavailable" } });
    expect(ended).toEqual(["echo false"]);
  });

  it("accepts another policy in place of the project's [D8]", async () => {
    const inner = await start({ policy: { default: { allow: false } } });
    expect(await inner.call("echo", { text: "hi" })).toMatchObject({ error: { code: "permission_denied" } });
  });

  it("runs on the real platform", async () => {
    await using host = await createHost({ config: false, platform: createNodePlatform({ log: { level: "error" } }) });
    expect((await host.call("echo", { text: "hi" })).output).toEqual({ text: "hi" });
  });
});
