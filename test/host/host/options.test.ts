import { describe, expect, it } from "vitest";
import { createHost, type HostEvent, type HostOptions } from "../../../host/mod.ts";
import type { Log } from "../../../host/platform/platform.ts";
import { createWorkerLauncher } from "../../../host/platform/threads/workers.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { hostTool } from "../../support/tools.ts";

const silent: Log = { write: () => {}, child: () => silent };

/** A plugin that logs one line when it is called. */
function talkative(): Readonly<Record<string, string>> {
  const tools = [{ name: "talk", description: "Talks", inputSchema: { type: "object" }, sideEffects: [] }];
  return {
    "plugins/words/manifest.json": JSON.stringify({ schemaVersion: "1.0", name: "words", version: "1.0.0", description: "Talks", tools }),
    "plugins/words/main.ts": 'export function talk() { console.log("a line of options.test.ts"); return "done"; }',
  };
}

describe("the options of createHost()", () => {
  it.each<[string, unknown, string]>([
    ["a logger without child", { logger: { write: () => {} } }, '"logger.child" is not a function'],
    ["a logger of another kind", { logger: () => {} }, '"logger" is not an object'],
    ["a logger without write", { logger: { info: () => {} } }, '"logger.write" is not a function'],
    ["tools of another kind", { tools: [{ name: "add" }] }, '"tools", item 0, is not a function that makes a tool (see functionTool)'],
    ["tools outside of a list", { tools: {} }, '"tools" is not a list'],
    ["toolkits of another kind", { toolkits: ["kit"] }, '"toolkits", item 0, is not a toolkit, or a function that makes one'],
    ["a hook of another kind", { hooks: { onToolCall: true } }, '"hooks.onToolCall" is not a function'],
    ["a listener of another kind", { events: { publish: {} } }, '"events.publish" is not a function'],
    ["a redaction of another kind", { events: { redact: "***" } }, '"events.redact" is not a function'],
    ["unknown warm workers", { warmWorkers: "two" }, '"warmWorkers" is not "spare", "first" or "none"'],
    ["a plugin selection of another kind", { loadsAtOnce: true }, '"loadsAtOnce" is not a function'],
    ["a registry of another kind", { registry: new Map() }, '"registry.register" is not a function'],
    ["a flag of another kind", { watch: "yes" }, '"watch" is not true or false'],
    ["servers of another kind", { mcpServers: { only: 7 } }, '"mcpServers" is not true, false or { only: a name }'],
    ["an incomplete platform", { platform: {} }, '"platform.files" is not an object'],
    ["no options", null, "the options are not an object"],
    ["a plugin root of another kind", { plugins: [1] }, '"plugins" is not a folder, or a list of folders'],
    ["a workspace of another kind", { workspace: 1 }, '"workspace" is not a folder'],
    ["a file of another kind", { config: true }, '"config" is not a path, an object or false'],
    ["grants of another kind", { grants: { words: ["net"] } }, '"grants" is not an object of permissions by plugin'],
    ["an unknown trust", { trust: "agree" }, '"trust" is not "all" or "agreed"'],
    ["a policy of another kind", { policy: "strict" }, '"policy" is not an object'],
    ["an unknown isolation", { isolation: "vm" }, '"isolation" is not "thread" or "process", or an object'],
    ['an unknown "by" of isolation', { isolation: { by: "vm" } }, '"isolation.by" is not "thread" or "process"'],
    ['"alone" outside of a list', { isolation: { alone: "words" } }, '"isolation.alone" is not a list of plugins'],
    ["an unknown consent", { consent: "lax" }, '"consent" is not "fluent" or "strict", or an object'],
    ["an unknown consent mode", { consent: { mode: "lax" } }, '"consent.mode" is not "fluent" or "strict"'],
    ["a frozen flag of another kind", { consent: { frozen: "no" } }, '"consent.frozen" is not true or false'],
    [
      "learning without a maximum",
      { learning: { plugin: "words", base: "/" } },
      '"learning" is not an object with a plugin, its maximum and a base',
    ],
    ["telemetry of another kind", { telemetry: "yes" }, '"telemetry" is not true, false or an object'],
    ["a telemetry content of another kind", { telemetry: { content: "no" } }, '"telemetry.content" is not true or false'],
    ["an empty buffer", { events: { bufferSize: 0 } }, '"events.bufferSize" is not a whole number above 0'],
    ["an incomplete store", { events: { store: { append: () => undefined } } }, '"events.store.prepare" is not a function'],
  ])("are refused with %s [I1.options]", async (_what, options, said) => {
    // Untyped programs can pass anything.
    await expect(createHost(options as HostOptions)).rejects.toThrow(new TypeError(`Cannot create a host: ${said}`));
  });

  it.each<[string, Log]>([
    [
      "throws at every line",
      {
        write: () => {
          throw new Error("disk full");
        },
        child: () => {
          throw new Error("disk full");
        },
      },
    ],
    ["returns children of another kind", { write: () => {}, child: () => ({}) as Log }],
    [
      "returns children that throw",
      {
        write: () => {},
        child: () => ({
          ...silent,
          write: () => {
            throw new Error("disk full");
          },
        }),
      },
    ],
  ])("let calls continue if the logger %s, and the host's own log reports it once [I1.logger]", async (_what, logger) => {
    const lines: string[] = [];
    const own: Log = { write: (_level, message) => void lines.push(message), child: () => own };
    const platform = { ...memoryPlatform(talkative(), { workers: createWorkerLauncher() }), log: own };
    await using host = await createHost({ config: false, platform, plugins: "/workspace/plugins", logger });
    const results = [await host.call("talk"), await host.call("talk")];
    expect(results.map(({ ok, output }) => [ok, output])).toEqual([
      [true, "done"],
      [true, "done"],
    ]);
    expect(lines.filter((line) => line.startsWith("The logger threw"))).toEqual(["The logger threw; its lines are lost"]);
  });

  it.each<[string, (value: JsonValue) => unknown]>([
    [
      "throws",
      () => {
        throw new Error("no key");
      },
    ],
    ["returns undefined", () => undefined],
    ["returns a promise", (value) => Promise.resolve(value)],
    ["returns a value of another kind", () => "***"],
  ])("let calls continue if events.redact %s: its input is hidden, and the log reports it once [I1.redact]", async (_what, redact) => {
    const lines: string[] = [];
    const logger: Log = { write: (_level, message) => void lines.push(message), child: () => logger };
    const events: HostEvent[] = [];
    await using host = await createHost({
      ...{ config: false, platform: memoryPlatform({}), logger },
      tools: [hostTool("look", { inputSchema: { type: "object", properties: { key: {} } } }, () => "done")],
      events: { redact: redact as (value: JsonValue) => JsonValue, publish: (event) => void events.push(event) },
    });
    const results = [await host.call("look", { key: "secret-1" }), await host.call("look", { key: "secret-2" })];
    expect(results.map(({ ok, output }) => [ok, output])).toEqual([
      [true, "done"],
      [true, "done"],
    ]);
    expect(events.filter(({ type }) => type === "tool.completed")).toHaveLength(2);
    expect(JSON.stringify([events, results.map((result) => result.arguments)])).not.toContain("secret-");
    expect(lines.filter((line) => line.startsWith("events.redact failed"))).toHaveLength(1);
  });

  it.each<[string, () => Promise<boolean>]>([
    [
      "throws",
      () => {
        throw new Error("disk full");
      },
    ],
    ["rejects", () => Promise.reject(new Error("disk full"))],
  ])("refuse only calls that change something if the store %s [I1.store] [AU3.refused]", async (_what, append) => {
    const done: string[] = [];
    const nothing = (): Promise<void> => Promise.resolve();
    await using host = await createHost({
      ...{ config: { confirmation: { default: { write: "auto" } } }, platform: memoryPlatform({}), logger: silent },
      tools: [
        hostTool("put", { sideEffects: ["write"] }, () => void done.push("put")),
        hostTool("look", { sideEffects: ["read"] }, () => void done.push("look")),
      ],
      events: { store: { prepare: nothing, append, flush: nothing, close: nothing } },
    });
    expect(await host.call("put")).toMatchObject({ ok: false, error: { code: "unavailable" } });
    expect([(await host.call("look")).ok, done]).toEqual([true, ["look"]]);
  });
});
