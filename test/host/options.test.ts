import { describe, expect, it } from "vitest";
import { createHost, type HostOptions } from "../../host/mod.ts";
import type { Log } from "../../host/platform/platform.ts";
import { createWorkerLauncher } from "../../host/platform/workers.ts";
import { memoryPlatform } from "../support/memory-platform.ts";

const silent: Log = { write: () => {}, child: () => silent };

/** What logs one line when it is called. */
function talkative(): Readonly<Record<string, string>> {
  const tools = [{ name: "talk", description: "Talks", inputSchema: { type: "object" }, sideEffects: [] }];
  return {
    "plugins/words/manifest.json": JSON.stringify({ schemaVersion: "1.0", name: "words", version: "1.0.0", description: "Talks", tools }),
    "plugins/words/main.ts": 'export function talk() { console.log("a line of options.test.ts"); return "done"; }',
  };
}

describe("what the embedding program passes to createHost()", () => {
  it.each<[string, unknown, string]>([
    ["a logger without child", { logger: { write: () => {} } }, '"logger.child" is not a function'],
    ["a logger of another kind", { logger: () => {} }, '"logger" is not an object'],
    ["a logger without write", { logger: { info: () => {} } }, '"logger.write" is not a function'],
    ["tools that are none", { tools: [{ name: "add" }] }, '"tools", item 0, is not a function that makes a tool (see functionTool)'],
    ["tools that are no list", { tools: {} }, '"tools" is not a list'],
    ["toolkits that are none", { toolkits: ["kit"] }, '"toolkits", item 0, is not a toolkit, or a function that makes one'],
    ["a hook that is no function", { hooks: { onToolCall: true } }, '"hooks.onToolCall" is not a function'],
    ["a listener that is no function", { events: { publish: {} } }, '"events.publish" is not a function'],
    ["a redaction that is no function", { events: { redact: "***" } }, '"events.redact" is not a function'],
    ["a choice of plugins that is no function", { loadsAtOnce: true }, '"loadsAtOnce" is not a function'],
    ["a registry of another kind", { registry: new Map() }, '"registry.register" is not a function'],
    ["a flag that is none", { watch: "yes" }, '"watch" is not true or false'],
    ["a platform in part", { platform: {} }, '"platform.files" is not an object'],
    ["no options", null, "the options are not an object"],
  ])("is refused where it is %s [I1.options]", async (_what, options, said) => {
    // Programs without types can pass anything.
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
    ["makes children that are no loggers", { write: () => {}, child: () => ({}) as Log }],
    [
      "makes children that throw",
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
  ])("ends no call where the logger %s, and its own log says so once [I1.logger]", async (_what, logger) => {
    const lines: string[] = [];
    const own: Log = { write: (_level, message) => void lines.push(message), child: () => own };
    const platform = { ...memoryPlatform(talkative(), { workers: createWorkerLauncher() }), log: own };
    await using host = await createHost({ config: false, platform, plugins: "/workspace/plugins", logger });
    const results = [await host.call("talk"), await host.call("talk")];
    expect(results.map(({ ok, output }) => [ok, output])).toEqual([
      [true, "done"],
      [true, "done"],
    ]);
    expect(lines.filter((line) => line.startsWith("The logger threw"))).toEqual(["The logger threw, and its lines are lost"]);
  });
});
