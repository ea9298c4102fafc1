import { afterEach, describe, expect, it } from "vitest";
import { createHost, type Host, type HostOptions } from "../../../host/mod.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { hostTool } from "../../support/tools.ts";

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

const platform = memoryPlatform();

async function start(options: HostOptions = {}): Promise<Host> {
  const host = await createHost({ platform, ...options });
  hosts.push(host);
  return host;
}

const double = ({ n }: { n: number }): number => 2 * n;

describe("toolkits", () => {
  it("are functions, described functions and tools under their keys, with tags [K4.tools] [R3.tags]", async () => {
    const host = await start({
      toolkits: [
        {
          name: "numbers",
          sideEffects: [],
          tools: {
            double,
            half: {
              run: ({ n }: { n: number }) => n / 2,
              description: "Halves",
              inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
            },
            same: hostTool("other", {}, (args) => args)(),
          },
        },
      ],
    });
    expect(host.toolkits.list()).toEqual([{ name: "numbers", ok: true, tools: ["double", "half", "same"] }]);
    expect(host.list({ tags: ["toolkit:numbers"] })).toMatchObject([
      { name: "double", description: "Tool: double", toolkit: "numbers", class: "none" },
      { name: "half", description: "Halves" },
      { name: "same", description: "Does other" },
    ]);
    expect((await host.call("double", { n: 4 })).output).toBe(8);
    expect((await host.call("half", { n: 4 })).output).toBe(2);
    expect(await host.call("half", {})).toMatchObject({ error: { code: "invalid_args" } });
    expect(host.toolkits.remove("numbers")).toBe(true);
    expect(host.list({ tags: ["toolkit:numbers"] })).toEqual([]);
  });

  it("with undescribed functions need a confirmation [K4.assumed] [R2.sideEffects]", async () => {
    const host = await start({ toolkits: [{ name: "unknown", tools: { act: () => "done" } }] });
    expect(host.list({ tags: ["toolkit:unknown"] })).toMatchObject([{ sideEffects: ["network"], class: "network" }]);
    expect(await host.call("act", {}, { unattended: "refuse" })).toMatchObject({ ok: false, error: { code: "user_denied" } });
  });

  it("that fail to start are skipped and reported, and the others are registered [K4.skipped]", async () => {
    const never = { platform: memoryPlatform() };
    const starting = start({
      ...never,
      toolkits: [
        function broken() {
          throw new Error("no database");
        },
        { name: "bad", sideEffects: [], tools: { "no name": double } },
        { name: "twice", sideEffects: [], tools: { echo: double } },
        function hangs() {
          return new Promise(() => {});
        },
        async () => ({ name: "good", sideEffects: [], tools: { double } }),
      ],
    });
    let host: Host | undefined;
    void starting.then((made) => (host = made));
    await expect.poll(() => (never.platform.advance(1_000), host !== undefined), { timeout: 30_000 }).toBe(true);
    expect(host?.toolkits.list()).toEqual([
      { name: "broken", ok: false, reason: "no database" },
      { name: "bad", ok: false, reason: expect.stringContaining('"no name"') },
      { name: "twice", ok: false, reason: expect.stringContaining('its tool "echo"') },
      { name: "hangs", ok: false, reason: "it did not start within 10s" },
      { name: "good", ok: true, tools: ["double"] },
    ]);
    expect(never.platform.recorded.log.filter(({ message }) => message.includes("is skipped"))).toHaveLength(4);
    expect((await host?.call("double", { n: 1 }))?.output).toBe(2);
    // A toolkit that fails to update keeps its previous tools and status.
    expect(await host?.toolkits.add({ name: "good", sideEffects: [], tools: { "no name": double } })).toMatchObject({ ok: false });
    expect(host?.toolkits.list().at(-1)).toEqual({ name: "good", ok: true, tools: ["double"] });
    expect((await host?.call("double", { n: 1 }))?.output).toBe(2);
    expect(await host?.toolkits.add({ name: "good", sideEffects: [], tools: { half: ({ n }: { n: number }) => n / 2 } })).toMatchObject({
      ok: true,
    });
    expect(host?.list({ tags: ["toolkit:good"] }).map(({ name }) => name)).toEqual(["half"]);
  });

  it("do not take each other's names, and replace themselves as a whole [K4.names]", async () => {
    const host = await start();
    await host.toolkits.add({ name: "a", sideEffects: [], tools: { double, gone: () => 1 } });
    expect(await host.toolkits.add({ name: "b", sideEffects: [], tools: { double: () => 0, more: () => 0 } })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('a tool of toolkit "a"'),
    });
    expect(host.list({ tags: ["source:function"] }).map(({ name }) => name)).toEqual(["double", "gone"]);
    await host.toolkits.add({ name: "a", sideEffects: [], tools: { double } });
    expect(host.list({ tags: ["source:function"] }).map(({ name }) => name)).toEqual(["double"]);
  });
});
